"""A bit for each part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dropzero.protocol.tensor.bitmap import BITS, all_marks, following, mark, marked, new_marks

PARTS = 4 * BITS
parts = st.sets(st.integers(0, PARTS - 1))
places = st.integers(0, PARTS)


@given(parts, places, places)
def test_the_next_part_is_found_that_is_marked(chosen: set[int], first: int, end: int) -> None:
    marks = new_marks(PARTS)
    for part in chosen:
        mark(marks, part, 1)
    assert following(marks, first, end) == min((part for part in chosen if first <= part < end), default=end)


@given(st.integers(0, 5), st.data())
def test_a_blocks_parts_are_marked_together(larger: int, data: st.DataObject) -> None:
    marks = new_marks(PARTS)
    count = 1 << larger
    block = data.draw(st.integers(0, PARTS // count - 1))
    mark(marks, block * count, count)
    assert [part for part in range(PARTS) if marked(marks, part, 1)] == [*range(block * count, (block + 1) * count)]
    assert [marked(marks, each * count, count) for each in range(PARTS // count)].count(True) == 1


@given(places)
def test_all_parts_are_marked_and_none_that_there_is_not(count: int) -> None:
    marks = all_marks(count)
    assert sum(int(word).bit_count() for word in marks) == count
    assert following(marks, 0, count) == 0
