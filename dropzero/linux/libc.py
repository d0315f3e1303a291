"""The C library, for system calls that Python lacks. Loads without NumPy."""

from __future__ import annotations

import ctypes
import os
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)


def checked_call(function: Any, *arguments: Any) -> int:
    """Calls a C function. Raises OSError if it returned a negative number."""
    result = int(function(*arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
