"""Compiled code reads and writes memory at addresses, and calls functions there."""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
import pytest

from dropzero.native.compilation import compiled, entry_point
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import array_at, call_at, int64, struct_at
from dropzero.softswitch.engine.queue_code import depth, discard, enter, serve, settle
from dropzero.softswitch.ports.fast_path_code import fast_path
from dropzero.softswitch.ports.gso_code import coalesce, split
from dropzero.softswitch.ports.ring_code import deliver, rest, take

PAIR = np.dtype([("small", "u1"), ("large", "u8")])
BYTES = PAIR.itemsize
SWITCH = (coalesce, deliver, depth, discard, enter, fast_path, rest, serve, settle, split, take)
"""What the switch calls."""


@compiled
def large_sum(at: int, count: int) -> int:
    total = 0
    for number in range(count):
        total += int64(struct_at(at, PAIR, number).large)
        struct_at(at, PAIR, number).small = number
    return total


@compiled
def moved_sum(at: int, count: int, function: int) -> int:
    """function: the address of large_sum."""
    memmove(at + BYTES, at, BYTES * (count - 1))
    return int(call_at(function, (at, count)) + array_at(at + BYTES * count, np.int32)[1])


def test_functions_read_and_write_memory_and_call_each_other() -> None:
    pairs = np.array([(0, 10), (0, 200), (0, 3000), (0, 0)], PAIR)
    memory = np.concatenate([pairs.view(np.uint8), np.array([7, 60_000], np.int32).view(np.uint8)])
    function: Any = entry_point(large_sum)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    assert entry_point(moved_sum)(memory.ctypes.data, 4, address) == 10 + 10 + 200 + 3000 + 60_000
    assert memory[: pairs.nbytes].view(PAIR).tolist() == [(0, 10), (1, 10), (2, 200), (3, 3000)]


@pytest.mark.parametrize("function", SWITCH, ids=lambda function: str(function.__name__))
def test_the_switchs_own_code_has_no_floats(function: Any) -> None:
    """numba makes floats of sums of signed and unsigned numbers."""
    entry_point(function)
    dispatcher = function.dispatcher
    dispatcher.compile((numba.int64,) * dispatcher.py_func.__code__.co_argcount)
    (made,) = dispatcher.overloads.values()
    assert "double" not in made.library.get_llvm_str()
