"""Arrays as words that the network can carry."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dropzero.worker.bits import joined, split

WORKERS = 32


@given(arrays(np.int32, st.tuples(st.just(WORKERS), st.integers(0, 5)), elements=st.integers(-(2**31), 2**31 - 1)))
def test_split_integers_add_up_exactly(rows: NDArray[np.int32]) -> None:
    halves = np.stack([split(row) for row in rows])
    assert np.array_equal(joined(halves.sum(0, dtype=np.int32)), rows.sum(0, dtype=np.int64))


@given(st.integers(-(2**15), 2**15 - 1))
def test_small_integers_stay_as_small_when_split(number: int) -> None:
    assert split(np.array([number], np.int32)).tolist() == [[0], [number]]
