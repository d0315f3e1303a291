"""gRPC channels that survive signals, and that the memberships of a process share.

If a signal handler raises an exception inside gRPC's own code, gRPC may later wait forever for a lock, or for a call
that has only half begun. Handlers run on the main thread, so calls that may be interrupted are made on another thread.
"""

from __future__ import annotations

import atexit
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread, current_thread, main_thread
from typing import TypeVar
from weakref import WeakSet

import grpc

from dropzero.lock import Lock
from dropzero.membership.access import Tls, refuse_shared, socket_of
from dropzero.membership.membership_pb2 import Progress
from dropzero.membership.membership_pb2_grpc import MembershipStub

CLOSING = 0.5
"""Seconds for which the end of a membership, or of the process, may wait."""

REFUSAL = 1.0
"""Seconds in which a host without a controller refuses a connection."""

T = TypeVar("T")
_CLOSERS: WeakSet[Thread] = WeakSet()
"""The threads that close channels."""


def channel(controller: str, tls: Tls | None) -> grpc.Channel:
    """Opens a channel to a controller at `unix:/path` or `host:port`. Raises AccessError."""
    path = socket_of(controller)
    if path is not None and os.path.isdir(path.parent):
        refuse_shared(path)
    options: list[tuple[str, str | int]] = [
        ("grpc.enable_http_proxy", 0),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1000),
    ]
    if tls is None:
        return grpc.insecure_channel(controller, options)
    if controller.startswith("unix:"):
        # A certificate cannot name a socket's path.
        options.append(("grpc.ssl_target_name_override", "localhost"))
    return grpc.secure_channel(controller, tls.client(), options)


@dataclass
class _Open:
    """A channel, its calls, and the number of its users."""

    channel: grpc.Channel
    stub: MembershipStub
    users: int = 0


class Shared:
    """This process's channels to controllers. The memberships of a process share one, because opening one takes longer
    than joining a job."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[tuple[str, Tls | None], _Open] = {}

    def take(self, controller: str, tls: Tls | None, timeout: float) -> MembershipStub:
        """Returns the calls to a controller, for a user who calls `give_back`. Raises AccessError, and TimeoutError if
        no user has the channel, and the controller does not answer within `timeout` seconds."""
        with self._lock:
            taken = self._open.get((controller, tls))
            if opens := taken is None:
                opened = channel(controller, tls)
                taken = self._open[controller, tls] = _Open(opened, MembershipStub(opened))
            taken.users += 1
        try:
            if opens:
                uninterrupted(lambda: await_answer(taken.stub, timeout))
        except BaseException:
            self.give_back(controller, tls)
            raise
        return taken.stub

    def give_back(self, controller: str, tls: Tls | None) -> None:
        """Closes the channel if it has no other user. Does nothing in a forked process, which has none of them."""
        with self._lock:
            if (taken := self._open.get((controller, tls))) is not None:
                taken.users -= 1
                if not taken.users:
                    del self._open[controller, tls]
                    close(taken.channel)


SHARED = Shared()
os.register_at_fork(after_in_child=lambda: vars(SHARED).update(vars(Shared())))


def await_answer(stub: MembershipStub, timeout: float) -> None:
    """Waits until a controller refuses a question of nobody. Raises TimeoutError."""
    give_up = time.monotonic() + timeout
    while (left := give_up - time.monotonic()) > 0:
        try:
            stub.Present(Progress(), timeout=left, wait_for_ready=True)
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                return
    raise TimeoutError


def refused(controller: str) -> bool:
    """Whether nothing listens at a controller's address. If that cannot be said, as of a host that does not answer, it
    is False."""
    path = socket_of(controller)
    try:
        if path is None:
            host, _, port = controller.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), REFUSAL).close()
        else:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
    except (ConnectionRefusedError, FileNotFoundError):
        return True
    except (OSError, ValueError, OverflowError):
        pass
    return False


def await_ready(channel: grpc.Channel, timeout: float) -> None:
    """Waits until the channel is connected. Closes the channel if this is interrupted, or takes longer than `timeout`
    seconds; then it raises grpc.FutureTimeoutError."""
    ready = uninterrupted(lambda: grpc.channel_ready_future(channel))
    try:
        uninterrupted(lambda: ready.result(timeout))
    except BaseException:
        ready.cancel()
        close(channel)
        raise


def close(channel: grpc.Channel) -> None:
    """Closes the channel on a thread of its own: for a new one, gRPC takes up to 200 ms."""
    closer = Thread(target=channel.close, name="closing a channel", daemon=True)
    closer.start()
    _CLOSERS.add(closer)


@atexit.register
def _await_closers() -> None:
    """The interpreter may crash if it ends while a thread is in gRPC."""
    for closer in tuple(_CLOSERS):
        closer.join(CLOSING)


def uninterrupted(work: Callable[[], T]) -> T:
    """Runs `work` where no signal handler runs, on its own thread if this is the main one. Returns its result or raises
    its exception. An interrupt ends only the wait: the caller must then end what `work` begins."""
    if current_thread() is not main_thread():
        return work()
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, name="a gRPC call", daemon=True).start()
    return done.result()
