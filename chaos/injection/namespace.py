"""Sockets in other network namespaces."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def inside(pid: int) -> Iterator[None]:
    """A context in which this thread makes sockets in the network namespace of a process. Raises OSError."""
    with open("/proc/thread-self/ns/net") as home, open(f"/proc/{pid}/ns/net") as there:
        _enter(there.fileno())
        try:
            yield
        finally:
            _enter(home.fileno())


def _enter(descriptor: int) -> None:
    if _libc.setns(descriptor, CLONE_NEWNET) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
