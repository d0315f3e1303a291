"""Impaired links, in virtual time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.impairments.impairments import Timeline
from dropzero.softswitch.impairments.link import Impairment, Link

MS = SECOND // 1000
lengths = st.lists(st.integers(14, 1514), min_size=1, max_size=40)
# The time since the previous batch, and the packets in it.
batches = st.lists(st.tuples(st.integers(0, 2 * MS), lengths), min_size=1, max_size=10)


def packets(sizes: Sequence[int], first: int = 0) -> Frames:
    """Numbered packets of these lengths."""
    return Frames.of([(1, (first + at).to_bytes(4, "big") + bytes(size - 4)) for at, size in enumerate(sizes)])


def carried(link: Link, played: Sequence[tuple[int, Sequence[int]]]) -> list[tuple[int, int, bytes]]:
    """(time sent, time of arrival, bytes) of each packet that arrives, in the order of sending."""
    found: list[tuple[int, int, bytes]] = []
    now = number = 0
    for gap, sizes in played:
        now += gap
        out, arrival = link.carry(packets(sizes, number), now)
        number += len(sizes)
        found += [(now, int(time), content) for time, (_, content) in zip(arrival, out, strict=True)]
    return found


def numbers(found: Sequence[tuple[int, int, bytes]]) -> list[int]:
    return [int.from_bytes(content[:4], "big") for _, _, content in found]


def count_arrived(impairment: Impairment, count: int) -> int:
    out, _ = Link(impairment, 7).carry(packets([64] * count), 0)
    return len(out)


@given(batches)
def test_without_impairment_packets_arrive_unchanged(played: list[tuple[int, list[int]]]) -> None:
    found = carried(Link(Impairment()), played)
    assert all(time == came for came, time, _ in found)
    assert numbers(found) == list(range(sum(len(sizes) for _, sizes in played)))


@given(st.integers(1000, 10**11), batches)
def test_the_rate_is_exact(rate: int, played: list[tuple[int, list[int]]]) -> None:
    found = carried(Link(Impairment(rate=rate, limit=10**6)), played)
    # In whole bits: the link sends whenever it has packets, and only then.
    begin, bits, end = 0, 0, 0
    assert found
    for came, time, content in found:
        if came >= end:
            begin, bits = came, 0
        bits += 8 * len(content)
        end = begin + bits * SECOND // rate
        assert time == end


@given(st.integers(1, 20), batches)
def test_no_more_packets_wait_than_the_limit(limit: int, played: list[tuple[int, list[int]]]) -> None:
    link = Link(Impairment(rate=10**7, limit=limit))
    now = sent = 0
    for gap, sizes in played:
        now += gap
        before = link.depth(now)
        out, arrival = link.carry(packets(sizes), now)
        assert link.depth(now) == min(limit, before + len(sizes)) == before + len(out)
        for time in arrival.tolist():
            assert link.depth(time) < link.depth(time - 1)
        sent += len(out)
    assert link.counts.dropped == link.counts.offered - sent


def test_packets_beyond_the_limit_are_counted() -> None:
    link = Link(Impairment(rate=10**6, limit=10))
    link.carry(packets([100] * 25), 0)
    assert (link.counts.offered, link.counts.dropped) == (25, 15)


@given(st.integers(0, 5 * MS), st.integers(0, 5 * MS), batches)
def test_packets_arrive_in_order_within_the_jitter_of_the_delay(
    delay: int, jitter: int, played: list[tuple[int, list[int]]]
) -> None:
    jitter = min(jitter, delay)
    found = carried(Link(Impairment(delay=delay, jitter=jitter), 3), played)
    assert all(came + delay - jitter <= time <= came + delay + jitter for came, time, _ in found)
    times = [time for _, time, _ in found]
    assert times == sorted(times)


@given(batches)
def test_a_reordered_packet_skips_the_delay(played: list[tuple[int, list[int]]]) -> None:
    link = Link(Impairment(delay=5 * MS, reorder=0.3), 3)
    found = carried(link, played)
    ahead = [time - came == 0 for came, time, _ in found]
    assert all(skipped or time - came == 5 * MS for (came, time, _), skipped in zip(found, ahead, strict=True))
    assert sum(ahead) == link.counts.reordered


@pytest.mark.parametrize("probability", [0.0, 0.01, 0.3, 1.0])
@pytest.mark.parametrize("kind", ["loss", "duplicate", "corrupt", "reorder"])
def test_the_requested_share_of_packets_is_impaired(kind: str, probability: float) -> None:
    count = 20_000
    link = Link(Impairment.parse(f"delay=1ms,{kind}={probability}"), 7)
    link.carry(packets([64] * count), 0)
    counts = link.counts
    impaired = {
        "loss": counts.lost,
        "duplicate": counts.duplicated,
        "corrupt": counts.corrupted,
        "reorder": counts.reordered,
    }
    # Five standard deviations of the binomial distribution.
    assert abs(impaired.pop(kind) - count * probability) <= 5 * (count * probability * (1 - probability)) ** 0.5
    assert not any(impaired.values())


def test_a_lost_packet_does_not_arrive_and_a_duplicated_one_arrives_twice() -> None:
    assert count_arrived(Impairment(loss=1), 100) == 0
    link = Link(Impairment(duplicate=1))
    assert numbers(carried(link, [(0, [64] * 3)])) == [0, 0, 1, 1, 2, 2]


def test_a_corrupted_packet_differs_in_one_bit_and_the_original_stays() -> None:
    original = packets([64] * 200)
    before = list(original)
    out, _ = Link(Impairment(corrupt=1), 7).carry(original, 0)
    assert list(original) == before
    for (_, sent), (_, received) in zip(before, out, strict=True):
        assert (int.from_bytes(sent, "big") ^ int.from_bytes(received, "big")).bit_count() == 1


@given(lengths, st.integers(1, 7))
def test_the_fate_of_packets_depends_on_the_seed_and_not_on_how_they_are_batched(sizes: list[int], cut: int) -> None:
    impairment = Impairment(
        rate=10**8, delay=3 * MS, jitter=MS, loss=0.2, duplicate=0.2, reorder=0.2, corrupt=0.2, limit=20
    )
    pieces = [(0, sizes[at : at + cut]) for at in range(0, len(sizes), cut)]
    assert carried(Link(impairment, 11), pieces) == carried(Link(impairment, 11), [(0, sizes)])


@given(batches, st.lists(st.integers(0, 10 * MS), max_size=10))
def test_a_timeline_releases_packets_when_due_and_in_order(
    played: list[tuple[int, list[int]]], looks: list[int]
) -> None:
    timeline = Timeline()
    random = np.random.default_rng(5)
    expected: list[tuple[int, int, bytes]] = []
    for at, (_, sizes) in enumerate(played):
        frames = packets(sizes, 100 * at)
        due: NDArray[np.int64] = random.integers(0, 10 * MS, len(sizes))
        timeline.hold(frames, due)
        expected += [(int(time), at, content) for time, (_, content) in zip(due, frames, strict=True)]
    expected.sort(key=lambda packet: packet[:2])
    for now in [*sorted(looks), 10 * MS]:
        assert timeline.next == (expected[0][0] if expected else None)
        due_now = [content for time, _, content in expected if time <= now]
        assert [content for _, content in timeline.release(now)] == due_now
        expected = expected[len(due_now) :]
    assert timeline.next is None


def test_a_specification_is_parsed() -> None:
    assert Impairment.parse("rate=1.5mbit,delay=5ms,jitter=200us,loss=1%,duplicate=0.5,limit=9") == Impairment(
        rate=1_500_000, delay=5 * MS, jitter=MS // 5, loss=0.01, duplicate=0.5, limit=9
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("speed=1", "'speed=1' is none of rate=, limit=, delay=, jitter=, loss=, duplicate=, reorder=, corrupt="),
        ("rate", "'rate' is none of rate="),
        ("rate=fast", "rate: 'fast' is not a number with one of the units bit, kbit, mbit, gbit"),
        ("rate=0", "rate: '0' is less than one bit per second"),
        ("delay=5", "delay: '5' is not a number with one of the units ns, us, ms, s"),
        ("loss=2", "loss: '2' is not a probability such as 0.01 or 1%"),
        ("loss=nan", "loss: 'nan' is not a probability such as 0.01 or 1%"),
        ("limit=0", "limit: '0' is not a number of packets, at least 1"),
        ("delay=1ms,jitter=2ms", "the jitter is more than the delay"),
        ("reorder=0.1", "reorder needs a delay to skip"),
    ],
)
def test_a_wrong_specification_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        Impairment.parse(text)
    assert str(refused.value).startswith(reason)


def test_the_impairments_of_a_packet_are_independent() -> None:
    """For example, lost packets are not also those that are duplicated."""
    count, half = 4000, Impairment(delay=MS, loss=0.5, duplicate=0.5, reorder=0.5, corrupt=0.5)
    out, arrival = Link(half, 7).carry(packets([1000] * count), 0)
    found: dict[int, list[bool]] = {}
    for time, (_, content) in zip(arrival.tolist(), out, strict=True):
        # A packet with a corrupted number looks like another one.
        number = int.from_bytes(content[:4], "big")
        if number < count:
            twice, early, flipped = number in found, time == 0, any(content[4:])
            found[number] = [twice, early, flipped]
    fates = np.array(list(found.values()))
    assert 0.45 < len(found) / count < 0.55
    assert np.all((fates.mean(0) > 0.45) & (fates.mean(0) < 0.55))
    assert np.all(np.abs(np.corrcoef(fates.T) - np.eye(3)) < 0.1)
