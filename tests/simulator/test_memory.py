"""Memory for the results of many workers."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from dropzero.protocol.tensor.bitmap import set_bits
from dropzero.simulator.memory import Received, needed, zeros

PAGE = mmap.PAGESIZE // 4
"""Elements."""


def received(expected: np.ndarray[tuple[int], np.dtype[np.float32]], *blocks: int) -> Received:
    """A result of which these blocks of 32 elements have arrived."""
    result = Received(expected, needed(expected))
    arrive(result, expected, *blocks)
    return result


def arrive(result: Received, content: np.ndarray[tuple[int], np.dtype[np.float32]], *blocks: int) -> None:
    for block in blocks:
        place = slice(32 * block, 32 * block + 32)
        result.target.patterns[place] = content[place].view(np.uint32)
        set_bits(result.target.fresh, block, 1)


def test_what_has_arrived_is_checked_once_and_given_back() -> None:
    expected = np.zeros(3 * PAGE, np.float32)
    expected[:64] = 1.0
    expected[PAGE : PAGE + 32] = 2.0
    result = received(expected, 0, PAGE // 32)
    result.check()
    # Half of the first page is missing; the second one is complete.
    assert result.target.patterns[:32].all()
    assert not result.target.patterns[PAGE : 2 * PAGE].any()
    arrive(result, expected, 1)
    assert result.exact()


@pytest.mark.parametrize("early", [False, True])
def test_no_wrong_element_goes_unnoticed(early: bool) -> None:
    expected = np.full(2 * PAGE + 7, 3.0, np.float32)
    blocks = range(-(-len(expected) // 32))
    assert received(expected, *blocks).exact()
    for wrong in (0, PAGE - 1, PAGE, 2 * PAGE + 6):
        content = expected.copy()
        content[wrong] += 1
        result = Received(expected, needed(expected))
        arrive(result, content, *blocks)
        if early:
            result.check()
        assert not result.exact()


@pytest.mark.parametrize("early", [False, True])
def test_only_the_part_that_a_worker_needs_is_checked(early: bool) -> None:
    """It begins and ends inside pages."""
    expected = np.full(4 * PAGE, 3.0, np.float32)
    own = slice(PAGE - 32, 3 * PAGE + 64)
    blocks = range(own.start // 32, own.stop // 32)
    for wrong in (None, own.start - 1, own.start, 2 * PAGE, own.stop - 1, own.stop):
        content = expected.copy()
        if wrong is not None:
            content[wrong] += 1
        result = Received(expected, needed(expected), own)
        arrive(result, content, *blocks)
        if early:
            result.check()
        assert result.exact() == (wrong is None or not own.start <= wrong < own.stop)
        assert result.content().shape == (own.stop - own.start,)


def test_what_never_arrives_or_should_not_is_wrong() -> None:
    expected = np.zeros(2 * PAGE, np.float32)
    expected[:32] = 1.0
    assert not received(expected).exact()
    result = received(expected, 0)
    result.target.patterns[PAGE + 5] = 1
    assert not result.exact()


def test_zeros_can_be_written() -> None:
    array = zeros(5)
    assert array.tolist() == [0.0] * 5
    array[3] = 1.0
    assert array.sum() == 1.0
