from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.slots import SLOTS, NoSlotsError, Slots


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 20)), max_size=60))
def test_shares_are_contiguous_and_disjoint_after_any_history(steps: list[tuple[bool, int]]) -> None:
    slots = Slots(64)
    held: list[range] = []
    for freeing, number in steps:
        if freeing and held:
            slots.free(held.pop(number % len(held)))
        else:
            taken = {slot for share in held for slot in share}
            gap_is_there = any(taken.isdisjoint(range(i, i + number)) for i in range(64 - number + 1))
            try:
                share = slots.take(number)
            except NoSlotsError:
                assert not gap_is_there
            else:
                assert len(share) == number
                assert taken.isdisjoint(share)
                assert set(share) <= set(range(64))
                held.append(share)


def test_the_first_gap_that_is_long_enough_is_taken() -> None:
    slots = Slots(10)
    first, second, _third = slots.take(2), slots.take(3), slots.take(1)
    slots.free(first)
    slots.free(second)
    assert slots.take(4) == range(4)
    assert slots.take(1) == range(4, 5)
    assert slots.take(4) == range(6, 10)


def test_the_error_says_how_many_slots_are_left_in_one_piece() -> None:
    slots = Slots()
    slots.take(SLOTS - 3)
    with pytest.raises(NoSlotsError, match="4 slots requested, but the switch has only 3 left in one piece"):
        slots.take(4)


def test_a_claimed_share_is_not_given_to_others() -> None:
    slots = Slots(10)
    slots.claim(range(2, 5))
    assert [slots.take(2), slots.take(4)] == [range(2), range(5, 9)]
    for taken in (range(1, 3), range(4, 6), range(2, 5), range(9, 11), range(3, 3)):
        with pytest.raises(NoSlotsError, match="slots"):
            slots.claim(taken)


def test_a_resized_share_may_overlap_itself_or_stays_as_it_was() -> None:
    slots = Slots(10)
    share = slots.take(4)
    assert slots.resize(share, 8) == range(8)
    with pytest.raises(NoSlotsError, match="11 slots requested"):
        slots.resize(range(8), 11)
    assert slots.take(2) == range(8, 10)
