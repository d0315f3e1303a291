"""Network namespaces, for the sockets that a thread makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dropzero.linux.libc import checked_call, libc

CLONE_NEWNET = 0x40000000
"""<linux/sched.h>: a network namespace."""


@contextmanager
def inside(namespace: int | str) -> Iterator[None]:
    """A context in which this thread makes sockets in a network namespace.

    Args:
        namespace: the number of a process in it, or its file, such as /run/netns/NAME.

    Raises:
        OSError: it does not exist, or may not be entered.
    """
    file = f"/proc/{namespace}/ns/net" if isinstance(namespace, int) else namespace
    # os.setns and os.unshare are new in Python 3.12.
    with open("/proc/thread-self/ns/net") as home, open(file) as there:
        checked_call(libc.setns, there.fileno(), CLONE_NEWNET)
        try:
            yield
        finally:
            checked_call(libc.setns, home.fileno(), CLONE_NEWNET)


def enter_new() -> None:
    """Moves this thread, and what it starts, into a new network namespace. Raises OSError."""
    checked_call(libc.unshare, CLONE_NEWNET)
