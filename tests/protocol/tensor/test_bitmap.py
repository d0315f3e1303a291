"""Bitmaps of granules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dropzero.protocol.tensor.bitmap import BITS, any_set, full_bitmap, new_bitmap, next_set, set_bits

GRANULES = 4 * BITS
granules = st.sets(st.integers(0, GRANULES - 1))
places = st.integers(0, GRANULES)


@given(granules, places, places)
def test_the_next_set_bit_is_found(chosen: set[int], first: int, end: int) -> None:
    bitmap = new_bitmap(GRANULES)
    for granule in chosen:
        set_bits(bitmap, granule, 1)
    assert next_set(bitmap, first, end) == min((granule for granule in chosen if first <= granule < end), default=end)


@given(st.integers(0, 5), st.data())
def test_the_bits_of_a_block_are_set_together(log2: int, data: st.DataObject) -> None:
    bitmap = new_bitmap(GRANULES)
    count = 1 << log2
    block = data.draw(st.integers(0, GRANULES // count - 1))
    set_bits(bitmap, block * count, count)
    set_ones = [granule for granule in range(GRANULES) if any_set(bitmap, granule, 1)]
    assert set_ones == [*range(block * count, (block + 1) * count)]
    assert [any_set(bitmap, each * count, count) for each in range(GRANULES // count)].count(True) == 1


@given(places)
def test_a_full_bitmap_has_no_bit_after_its_end(count: int) -> None:
    bitmap = full_bitmap(count)
    assert sum(int(word).bit_count() for word in bitmap) == count
    assert next_set(bitmap, 0, count) == 0
