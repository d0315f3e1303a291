"""Packs the state that a worker gets when it enters a running job (arrays by name) into words for the network."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.lock import Lock
from dropzero.worker.bits import words

LARGEST = 2**31 - 1
"""Bytes of the largest state."""
OVERHEAD = 1024
"""Upper bound on the bytes that an array takes in addition to its data and its name."""
_PARSING = Lock()
"""np.load parses headers with `ast`, whose depth all threads of CPython 3.11 share: two at once end in SystemError."""


def check(state: Mapping[str, ArrayLike]) -> None:
    """Raises ValueError for a state that cannot be packed: arrays of objects, or more than LARGEST bytes."""
    size = 0
    for name, array in _arrays(state).items():
        if array.dtype.hasobject:
            raise ValueError(f"{name} is not an array of numbers")
        size += array.nbytes + len(name.encode()) + OVERHEAD
    if size > LARGEST:
        raise ValueError(f"a state of {size} bytes is too large (at most {LARGEST}): keep a part of it in files")


def packed(state: Mapping[str, ArrayLike]) -> NDArray[np.int32]:
    """The state as words, shape (n,), n > 0. Raises ValueError as `check` does."""
    check(state)
    content = serialized(state)
    return np.append(np.int32(len(content)), words(np.frombuffer(content, np.uint8)))


def unpacked(content: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The inverse of `packed`."""
    return deserialized(content[1:].tobytes()[: content[0]])


def serialized(state: Mapping[str, ArrayLike]) -> bytes:
    """The state as a file of type npz."""
    np.savez(file := BytesIO(), **_arrays(state))
    return file.getvalue()


def deserialized(content: bytes) -> dict[str, NDArray[Any]]:
    """The inverse of `serialized`."""
    with _PARSING, np.load(BytesIO(content), allow_pickle=False) as state:
        return dict(state)


def _arrays(state: Mapping[str, ArrayLike]) -> dict[str, Any]:
    return {name: np.asarray(value) for name, value in state.items()}
