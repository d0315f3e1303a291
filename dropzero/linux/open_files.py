"""The limit of open files."""

from __future__ import annotations

import errno
import resource


def allow(needed: int) -> None:
    """Raises this process's limit to `needed` open files, if it is lower. Raises OSError if the hard limit is lower;
    the message says what to do."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or hard >= needed:
        if soft != resource.RLIM_INFINITY and soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
        return
    text = f"{needed} open files are needed, and {hard} are allowed: allow more with `ulimit -n {needed}`"
    raise OSError(errno.EMFILE, text)
