"""Large zeroed arrays."""

from __future__ import annotations

import math
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LARGE = 1 << 16
"""Bytes."""


def zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Returns zeros, as numpy does; pages that are not written cost no memory and no time. numpy's own may lie where
    freed arrays were, and are then written. Raises MemoryError if there is not enough."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LARGE:
        return np.zeros(shape, dtype)
    try:
        memory = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"there is no memory for {size} bytes") from error
    return np.frombuffer(memory, dtype).reshape(shape)
