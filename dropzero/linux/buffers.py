"""The sizes of sockets' buffers."""

from __future__ import annotations

import socket

SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
"""<asm-generic/socket.h>; Python's socket module lacks these."""


def set_buffers(opened: socket.socket, receive: int, send: int) -> None:
    """Sets a socket's buffers, in bytes. Where the machine's root alone may exceed net.core.rmem_max and wmem_max, they
    have at most that size."""
    for forced, asked, size in (
        (SO_RCVBUFFORCE, socket.SO_RCVBUF, receive),
        (SO_SNDBUFFORCE, socket.SO_SNDBUF, send),
    ):
        try:
            opened.setsockopt(socket.SOL_SOCKET, forced, size)
        except PermissionError:
            opened.setsockopt(socket.SOL_SOCKET, asked, size)
