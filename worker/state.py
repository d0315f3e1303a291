"""What a worker that joins a running job gets of the others': named arrays, as words that the network can carry."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worker.bits import words


def packed(state: Mapping[str, ArrayLike]) -> NDArray[np.int32]:
    """Shape (n,), n > 0. Raises ValueError for arrays of objects."""
    file = BytesIO()
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in state.items()}
    if objects := [name for name, array in arrays.items() if array.dtype.hasobject]:
        raise ValueError(f"{objects[0]} is no array of numbers")
    np.savez(file, **arrays)
    content = file.getvalue()
    return np.append(np.int32(len(content)), words(np.frombuffer(content, np.uint8)))


def unpacked(content: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The other way."""
    with np.load(BytesIO(content[1:].tobytes()[: content[0]]), allow_pickle=False) as state:
        return dict(state)
