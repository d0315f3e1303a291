"""Large zeroed arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dropzero.softswitch.state.memory import LARGE, zeros


def resident() -> int:
    """This process's memory, bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


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
    before = resident()
    arrays = [zeros((1 << 20,), np.uint8) for _ in range(40)]
    assert resident() - before < 1 << 20
    arrays[0][:] = kept
    assert resident() - before >= 1 << 20
