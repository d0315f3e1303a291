"""gRPC channels that survive signals.

If a signal handler raises an exception inside gRPC's own code, gRPC may later wait forever for a lock, or for a call
that has only half begun. Handlers run on the main thread, so calls that may be interrupted are made on another thread.
"""

from __future__ import annotations

import atexit
import os
import socket
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar
from weakref import WeakSet

import grpc

from dropzero.membership.access import Tls, refuse_shared, socket_of

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
    """Runs `work` on its own thread, and returns its result or raises its exception. An interrupt ends only the wait:
    the caller must then close the channel."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, name="a gRPC call", daemon=True).start()
    return done.result()
