"""Rows by index, as sparse sums sort, exchange and add them up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.worker.sparse import INDEX_TYPES, coalesced, union

indices = st.lists(st.integers(0, 9), max_size=12)


@given(lists=st.lists(indices, min_size=1, max_size=3))
@pytest.mark.parametrize("dtype", INDEX_TYPES)
def test_the_sum_of_all_rows_of_an_index_is_found_at_its_place(dtype: Any, lists: list[list[int]]) -> None:
    together = np.zeros((len(lists), 12), dtype)
    right, found = np.zeros((10, 2), np.int32), np.zeros((10, 2), np.int32)
    for number, given_ in enumerate(lists):
        rows = np.arange(2 * len(given_), dtype=np.int32).reshape(-1, 2)
        np.add.at(right, given_, rows)
        own, added = coalesced(np.array(given_, dtype), rows)
        assert own.tolist() == sorted(set(given_))
        found[own] += added
        together[number, : len(own)] = own + 1
    np.testing.assert_array_equal(found, right)
    assert union(together).tolist() == sorted(set().union(*lists))


@pytest.mark.parametrize("dtype", INDEX_TYPES)
def test_every_index_that_is_one_less_than_a_number_is_possible(dtype: Any) -> None:
    """They travel increased by one, because zeros are padding."""
    largest = np.iinfo(dtype).max
    rows = np.ones((2, 3), np.float32)

    def sent(index: int) -> NDArray[Any]:
        own, _ = coalesced(np.array([0, index], dtype), rows)
        return union(own + own.dtype.type(1))

    assert sent(largest - 1).tolist() == [0, largest - 1]
    for wrong in (largest, -1, np.iinfo(dtype).min):
        with pytest.raises(ValueError, match=rf"must be 0 to {largest - 1}, not {wrong}"):
            sent(wrong)
