from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.slots import SLOTS, NoSlotsError, Slots, arranged


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 20)), max_size=60))
def test_shares_are_contiguous_and_disjoint_after_any_history(steps: list[tuple[bool, int]]) -> None:
    held: list[range] = []
    for freeing, number in steps:
        if freeing and held:
            held.pop(number % len(held))
        else:
            taken = {slot for share in held for slot in share}
            gap_is_there = any(taken.isdisjoint(range(i, i + number)) for i in range(64 - number + 1))
            try:
                share = Slots(64, held).take(number)
            except NoSlotsError:
                assert not gap_is_there
            else:
                assert len(share) == number
                assert taken.isdisjoint(share)
                assert set(share) <= set(range(64))
                held.append(share)


def test_the_first_gap_that_is_long_enough_is_taken() -> None:
    slots = Slots(10, [range(5, 6)])
    assert slots.take(4) == range(4)
    assert slots.take(1) == range(4, 5)
    assert slots.take(4) == range(6, 10)


def test_the_error_says_how_many_slots_are_left_in_one_piece() -> None:
    slots = Slots(taken=[range(SLOTS - 3)], switch="s2")
    with pytest.raises(NoSlotsError, match="4 slots requested, but s2 has only 3 left in one piece"):
        slots.take(4)


def test_a_share_is_free_if_all_its_slots_are_there_and_nobodys() -> None:
    slots = Slots(10, [range(2, 5)])
    assert all(map(slots.is_free, (range(2), range(5, 10), range(7, 8))))
    assert not any(map(slots.is_free, (range(1, 3), range(4, 6), range(2, 5), range(9, 11), range(6, 6))))


def test_shares_stay_where_they_are_unless_one_changes_and_the_gaps_are_too_narrow() -> None:
    assert arranged(10, [range(2), range(4, 8), None], [2, 4, 3]) == [range(2), range(4, 8), None]
    assert arranged(10, [range(2), range(4, 8), None], [2, 3, 2]) == [range(2), range(2, 5), range(5, 7)]
    assert arranged(10, [range(2), range(4, 8), None], [2, 3, 5]) == [range(2), range(2, 5), range(5, 10)]
