"""What a worker that joins a running job gets of the others': named arrays, as words that the network can carry."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.worker.bits import words

LARGEST = 2**31 - 1
"""Bytes of a state."""
BESIDES = 1024
"""Bytes that it has for each of its arrays, at most, besides the array and its name."""


def check(state: Mapping[str, ArrayLike]) -> None:
    """Raises ValueError for what can't be packed: arrays of objects, and more than LARGEST bytes."""
    size = 0
    for name, array in _arrays(state).items():
        if array.dtype.hasobject:
            raise ValueError(f"{name} is no array of numbers")
        size += array.nbytes + len(name.encode()) + BESIDES
    if size > LARGEST:
        raise ValueError(
            f"a state of {size} bytes can't be handed over, which takes {LARGEST} at most: keep some in files"
        )


def packed(state: Mapping[str, ArrayLike]) -> NDArray[np.int32]:
    """Shape (n,), n > 0. Raises ValueError as `check` does."""
    check(state)
    file = BytesIO()
    np.savez(file, **_arrays(state))
    content = file.getvalue()
    return np.append(np.int32(len(content)), words(np.frombuffer(content, np.uint8)))


def unpacked(content: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The other way."""
    with np.load(BytesIO(content[1:].tobytes()[: content[0]]), allow_pickle=False) as state:
        return dict(state)


def _arrays(state: Mapping[str, ArrayLike]) -> dict[str, Any]:
    return {name: np.asarray(value) for name, value in state.items()}
