"""The state given to workers that enter a running job."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dropzero.worker.state import check, packed, unpacked


def test_a_state_comes_back_as_it_was() -> None:
    state: dict[str, ArrayLike] = {"weights": np.arange(7, dtype=np.float64).reshape(7, 1), "step": 3, "name": "all"}
    back = unpacked(packed(state))
    assert back.keys() == state.keys()
    assert all(np.array_equal(back[name], np.asarray(value)) for name, value in state.items())


def test_a_state_that_is_too_large_is_refused_before_it_is_packed() -> None:
    half = np.broadcast_to(np.zeros(1, np.uint8), 2**30)
    check({"half": half})
    with pytest.raises(ValueError, match=r"a state of 2147\d+ bytes is too large \(at most 2147483647\)"):
        check({"one": half, "other": half})


def test_a_state_of_objects_is_refused() -> None:
    with pytest.raises(ValueError, match="names is not an array of numbers"):
        check({"step": 1, "names": np.array([object()])})
