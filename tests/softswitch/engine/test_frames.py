"""Batches of packets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.engine.frames import Frames

packets = st.lists(st.tuples(st.integers(0, 511), st.binary(max_size=40)), max_size=8)


@given(packets)
def test_a_batch_holds_what_it_was_made_of(pairs: list[tuple[int, bytes]]) -> None:
    frames = Frames.of(pairs)
    assert list(frames) == pairs
    assert len(frames) == len(pairs)


@given(st.lists(packets, max_size=4))
def test_joined_batches_keep_their_order(batches: list[list[tuple[int, bytes]]]) -> None:
    joined = Frames.joined(Frames.of(batch) for batch in batches)
    assert list(joined) == [pair for batch in batches for pair in batch]
