"""How many open files a process may have."""

from __future__ import annotations

import errno
import resource


def allow(needed: int) -> None:
    """Raises OSError, which says what to do, if this process cannot have so many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or hard >= needed:
        if soft != resource.RLIM_INFINITY and soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
        return
    text = f"{needed} open files are needed, and {hard} are allowed: allow more with `ulimit -n {needed}`"
    raise OSError(errno.EMFILE, text)
