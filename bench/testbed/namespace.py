"""Sockets in the network of an emulated host."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000


@contextmanager
def inside(pid: int) -> Iterator[None]:
    """A context in which this thread makes sockets in the network namespace of a process. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as home, open(f"/proc/{pid}/ns/net") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "cannot enter a host's network")
        try:
            yield
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)
