"""Large zeroed arrays."""

from __future__ import annotations

import os

import numpy as np
import pytest

from dropzero.softswitch.state.memory import LARGE, zeros
from lab.conformance.harness.switches import resident


@pytest.mark.parametrize("rows", [3, LARGE])
def test_they_are_zero_and_can_be_written(rows: int) -> None:
    array = zeros((rows, 5), np.int64)
    assert not array.any()
    array[2, 3] = 7
    assert array.sum() == 7


def test_they_take_no_memory_until_they_are_written() -> None:
    # The C library keeps what is freed below something that is not, and gives it to the next arrays.
    freed = [np.ones(1 << 20, np.uint8) for _ in range(40)]
    kept = freed.pop()
    freed.clear()
    before = resident(os.getpid())
    arrays = [zeros((1 << 20,), np.uint8) for _ in range(40)]
    assert resident(os.getpid()) - before < 1 << 20
    arrays[0][:] = kept
    assert resident(os.getpid()) - before >= 1 << 20
