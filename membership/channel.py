"""gRPC channels that a signal may interrupt.

gRPC does not survive an exception in the midst of its own code: it then waits for ever for a call that has half begun,
or for a lock. Signal handlers run on a program's main thread, so what may be interrupted is done on another one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

import grpc

from dropzero.membership.access import Tls, refuse_shared, socket_of

CLOSING = 0.5
"""Seconds."""

T = TypeVar("T")


def channel(controller: str, tls: Tls | None) -> grpc.Channel:
    """Opens a channel to a controller at `unix:/path` or `host:port`. Raises AccessError."""
    socket = socket_of(controller)
    if socket is not None and os.path.isdir(socket.parent):
        refuse_shared(socket)
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


def await_ready(channel: grpc.Channel, timeout: float) -> None:
    """Waits until the channel is connected. Closes it if it is not within `timeout` seconds, which raises
    grpc.FutureTimeoutError, or if that is interrupted."""
    ready = uninterrupted(lambda: grpc.channel_ready_future(channel))
    try:
        uninterrupted(lambda: ready.result(timeout))
    except BaseException:
        ready.cancel()
        close(channel)
        raise


def close(channel: grpc.Channel) -> None:
    """Closes the channel, in at most CLOSING seconds."""
    closing = Thread(target=channel.close, name="closing a channel", daemon=True)
    closing.start()
    closing.join(CLOSING)


def uninterrupted(work: Callable[[], T]) -> T:
    """Does it on a thread of its own, and returns what it returns or raises what it raises. An interrupt ends only the
    waiting for it: close the channel then."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, name="a gRPC call", daemon=True).start()
    return done.result()
