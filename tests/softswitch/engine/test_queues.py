"""The queues between ingress and egress: the order and times of departures, and the metadata that programs read."""

from __future__ import annotations

import tracemalloc
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.queues import DEFAULT_DEPTH, Queues
from dropzero.softswitch.engine.wire import SECOND
from tests.support.bmv2_program import Bmv2Program, assign, constant, extract, field, primitive, standard
from tests.support.plain_queues import Sent, enter, served

US = 1000
WAITED = {"enq_timestamp": 32, "enq_qdepth": 19, "deq_timedelta": 32, "deq_qdepth": 19, "qid": 8, "priority": 3}
METADATA = {"enq_timestamp": 32, "enq_qdepth": 24, "deq_timedelta": 32, "deq_qdepth": 24, "qid": 8}
SIZE = 100
"""Size of packets, bytes: 100 us at 8 Mbit/s."""
RATE = 8 * 10**6
FOREVER = 10**18

# --- the queues alone ---

arrivals = st.lists(
    st.tuples(st.integers(0, 300 * US), st.integers(1, 2), st.integers(0, 2), st.integers(0, 200)),
    min_size=1,
    max_size=40,
)


Packet = tuple[int, int, int, int]
"""The time since the previous packet, the port, the priority and the length."""


def played(queues: Queues, packets: list[Packet]) -> list[Sent]:
    found: list[Sent] = []
    now = 0
    for number, (gap, port, priority, length) in enumerate(packets):
        now += gap
        found += served(queues, now)
        enter(queues, port, priority, number, now, written=length)
    return found + served(queues, FOREVER)


def simulated(packets: list[Packet], port: int, rate: int, depth: int) -> list[Sent]:
    """The packets that one port sends, simulated event by event with fractions."""
    times = list(accumulate(gap for gap, *_ in packets))
    coming = deque(number for number, packet in enumerate(packets) if packet[1] == port)
    waiting: list[deque[int]] = [deque() for _ in range(3)]
    found: list[Sent] = []
    free = Fraction(0)
    while coming or any(waiting):
        begin = max(free, min((times[queue[0]] for queue in waiting if queue), default=Fraction(FOREVER)))
        if coming and times[coming[0]] < int(begin):
            number = coming.popleft()
            queue = waiting[packets[number][2]]
            if len(queue) < depth:
                queue.append(number)
        else:
            queue = next(queue for queue in reversed(waiting) if queue and times[queue[0]] <= begin)
            number = queue.popleft()
            free = begin + Fraction(8 * SECOND * packets[number][3], rate)
            found.append(Sent(int(begin), int(free), port, number, len(queue)))
    return found


@given(arrivals, st.integers(10**4, 10**10), st.integers(1, 5))
def test_a_link_sends_one_packet_at_a_time_the_highest_priority_first(
    packets: list[Packet], rate: int, depth: int
) -> None:
    queues = Queues(3)
    queues.set_bit_rate(rate)
    queues.set_depth(depth)
    found = played(queues, packets)
    for port in (1, 2):
        assert [each for each in found if each.port == port] == simulated(packets, port, rate, depth)


@given(arrivals, st.integers(1, 10**6))
def test_the_rate_of_a_queue_is_its_own_and_in_packets(packets: list[Packet], rate: int) -> None:
    queues = Queues(3)
    queues.set_rate(rate)
    found = {each.number: (each.begin, each.end) for each in played(queues, packets)}
    now = 0
    last: dict[tuple[int, int], int] = {}
    for number, (gap, port, priority, _) in enumerate(packets):
        now += gap
        time = max(now, last.get((port, priority), -SECOND) + SECOND // rate)
        last[port, priority] = time
        assert found[number] == (time, time)


def test_a_queue_holds_64_packets_and_counts_those_it_drops() -> None:
    queues = Queues()
    queues.set_rate(1)
    assert [enter(queues, 1, 0, 0, 0) for _ in range(DEFAULT_DEPTH + 2)] == [*range(DEFAULT_DEPTH), None, None]
    ((port, counts),) = queues
    assert (port, str(counts)) == (1, "66 offered, 2 dropped, at most 64 in a queue")


def test_a_setting_is_for_one_queue_or_for_all() -> None:
    queues = Queues(2, without=[7])
    queues.set_depth(1, port=1, priority=1)
    assert not queues.queued.any()
    queues.set_rate(1, port=1)
    assert [port for port in range(10) if queues.queued[port]] == [1]
    queues.set_rate(1)
    assert [port for port in range(10) if not queues.queued[port]] == [7]
    taken = [[enter(queues, port, priority, 0, 0) for _ in range(2)] for port in (1, 2) for priority in (0, 1)]
    assert taken == [[0, 1], [0, None], [0, 1], [0, 1]]
    queues.set_depth(2)
    assert enter(queues, 1, 1, 0, 0) == 1


def test_packets_that_egress_shortens_let_the_next_one_leave_earlier() -> None:
    """It counts those that had come by then, not by the time expected for the packet before it."""
    queues = Queues()
    queues.set_bit_rate(8 * 10**6)
    for number, now, written in ((0, 0, 100), (1, 0, 0), (2, 0, 1000), (3, 500 * US, 1000)):
        enter(queues, 1, 0, number, now, expected=1000, written=written)
    assert [(each.number, each.begin // US, each.left) for each in served(queues, 1000 * US, alone=False)] == [
        (0, 0, 2),
        (1, 1000, 2),
        (2, 100, 0),
    ]


def test_a_port_that_loses_its_rate_sends_its_queue_in_order() -> None:
    queues = Queues()
    queues.set_bit_rate(8, port=1)
    for number in range(3):
        enter(queues, 1, 0, number, 0, written=1)
    assert served(queues, 0) == [(0, SECOND, 1, 0, 2)]
    queues.set_bit_rate(0, port=1)
    assert queues.queued[1]
    assert served(queues, 2 * SECOND) == [(SECOND, SECOND, 1, 1, 1), (SECOND, SECOND, 1, 2, 0)]


@pytest.mark.parametrize(
    ("setting", "arguments", "reason"),
    [
        ("set_depth", (-1,), "a queue cannot hold -1 packets"),
        ("set_rate", (-1,), "a queue cannot send -1 packets a second"),
        ("set_bit_rate", (-1,), "a port cannot send -1 bits a second"),
        ("set_rate", (1, 70000), "there is no port 70000"),
        ("set_depth", (1, 1, 2), "there is no priority 2, with 2 queues a port"),
    ],
)
def test_a_wrong_setting_is_refused_with_the_reason(setting: str, arguments: tuple[int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        getattr(Queues(2), setting)(*arguments)
    assert str(refused.value) == reason


# --- the queues in a switch ---


def program() -> Bmv2Program:
    """A program that sends a packet to the port with the priority, or to the group, in its header."""
    it = Bmv2Program(h={"to": 8, "priority": 8, "group": 8, **METADATA})
    it.types[0]["fields"] += [[name, width, False] for name, width in WAITED.items()]
    it.state("start", extract("h"))
    it.call(
        "go",
        assign(standard("egress_spec"), field("h", "to")),
        assign(standard("priority"), field("h", "priority")),
        assign(standard("mcast_grp"), field("h", "group")),
        # Values that ingress writes to queueing metadata are overwritten.
        *(assign(standard(name), constant(3)) for name in METADATA),
    )
    return it


def reporting_program() -> Bmv2Program:
    """That program; egress also writes the queueing metadata into the packet."""
    it = program()
    it.call("report", *(assign(field("h", name), standard(name)) for name in METADATA), pipeline="egress")
    return it


def packet(to: int, priority: int = 0, group: int = 0, size: int = SIZE) -> tuple[int, bytes]:
    return 0, bytes([to, priority, group]).ljust(size, b"\0")


def released(engine: Engine, now: int) -> list[tuple[int, int, tuple[int, ...]]]:
    """(time sent, us; port; queueing metadata) of each packet that leaves up to a time."""
    frames, sent = engine.release(now)
    return [(time // US, port, reported(content)) for time, (port, content) in zip(sent.tolist(), frames, strict=True)]


def reported(content: bytes) -> tuple[int, ...]:
    found, at = [], 3
    for width in METADATA.values():
        found.append(int.from_bytes(content[at : at + width // 8], "big"))
        at += width // 8
    return tuple(found)


def test_egress_reads_the_queueing_metadata_of_a_packet() -> None:
    engine = reporting_program().engine()
    engine.queues.set_bit_rate(RATE, port=1)
    assert len(engine.process(Frames.of([packet(1)] * 3), now=1000)) == 0
    assert engine.next == 1000
    # Times in us: sent; then enqueued, depth found, waited, depth left behind, queue.
    assert released(engine, 1000) == [(1100, 1, (1000, 0, 0, 2, 0))]
    assert engine.next == 1100
    engine.process(Frames.of([packet(1)]), now=1099)
    assert engine.queues.depth(1, 0, 1099 * US) == 3
    # The packet that leaves at 1100 is gone when this one arrives.
    engine.process(Frames.of([packet(1)]), now=1100)
    assert released(engine, 5000) == [
        (1200, 1, (1000, 1, 100, 2, 0)),
        (1300, 1, (1000, 2, 200, 2, 0)),
        (1400, 1, (1099, 2, 201, 1, 0)),
        (1500, 1, (1100, 2, 300, 0, 0)),
    ]
    assert engine.next is None


def test_arrivals_are_timed_only_where_a_program_or_a_queue_needs_them() -> None:
    engine = reporting_program().engine()
    assert not engine.timed
    engine.queues.set_bit_rate(RATE, port=1)
    assert engine.timed
    reading = program()
    reading.call("read", assign(field("h", "group"), standard("ingress_global_timestamp")), pipeline="egress")
    assert reading.engine().timed


@pytest.mark.parametrize("rate", [10 * 10**6, 100 * 10**6])
@pytest.mark.parametrize("load", [0.5, 2.0])
def test_each_packet_of_a_batch_meets_the_queue_at_its_own_arrival(rate: int, load: float) -> None:
    """As on a link of that rate, by its arithmetic."""
    size, count = 1000, 60
    service = 8 * size * 10**6 // rate
    # A few times as irregular as a sender's are.
    came = sorted(1000 + int(number * service / load) + 37 * (number % 7) for number in range(count))
    engine = reporting_program().engine()
    engine.queues.set_bit_rate(rate)
    batch = Frames.of([packet(1, size=size)] * count)
    engine.process(Frames(batch.data, batch.start, batch.length, batch.port, np.array(came)), now=came[-1] + 1)
    begin = list(accumulate(came, lambda free, arrival: max(free + service, arrival)))
    assert released(engine, 10**6) == [
        (
            left + service,
            1,
            (
                arrival,
                sum(other >= arrival for other in begin[:number]),
                left - arrival,
                sum(other <= left for other in came[number + 1 :]),
                0,
            ),
        )
        for number, (arrival, left) in enumerate(zip(came, begin, strict=True))
    ]


def test_the_dequeue_depth_counts_packets_that_arrived_before_but_are_processed_later() -> None:
    engine = reporting_program().engine()
    engine.queues.set_bit_rate(RATE, port=1)
    engine.process(Frames.of([packet(1)] * 2), now=1000)
    batch = Frames.of([packet(1)])
    engine.process(Frames(batch.data, batch.start, batch.length, batch.port, np.array([1050])), now=1200)
    assert released(engine, 5000) == [
        (1100, 1, (1000, 0, 0, 1, 0)),
        (1200, 1, (1000, 1, 100, 1, 0)),
        (1300, 1, (1050, 1, 150, 0, 0)),
    ]


def test_packets_released_early_still_count_as_queued() -> None:
    engine = reporting_program().engine()
    engine.queues.set_bit_rate(RATE, port=1)
    engine.queues.set_depth(3, port=1)
    engine.process(Frames.of([packet(1)] * 3), now=0)
    assert released(engine, 250) == [
        (100, 1, (0, 0, 0, 2, 0)),
        (200, 1, (0, 1, 100, 1, 0)),
        (300, 1, (0, 2, 200, 0, 0)),
    ]
    # The first one is being sent; the queue has room for one.
    engine.process(Frames.of([packet(1)] * 2), now=50)
    assert released(engine, 1000) == [(400, 1, (50, 2, 250, 0, 0))]


def test_packets_of_ports_without_a_rate_do_not_wait_and_keep_their_order() -> None:
    engine = reporting_program().engine()
    engine.queues.set_bit_rate(RATE, port=1)
    out = engine.process(Frames.of([packet(2), packet(1), packet(3), packet(2)]), now=7)
    assert [(port, reported(content)) for port, content in out] == [(port, (7, 0, 0, 0, 0)) for port in (2, 3, 2)]


def test_the_higher_priority_goes_first_and_has_a_queue_of_its_own() -> None:
    engine = reporting_program().engine(queues=Queues(3))
    engine.queues.set_bit_rate(RATE)
    engine.process(Frames.of([packet(1, 0), packet(1, 0), packet(1, 2), packet(1, 1), packet(1, 3)]), now=0)
    assert released(engine, 10_000) == [
        (100, 1, (0, 0, 0, 0, 2)),
        (200, 1, (0, 0, 100, 0, 1)),
        (300, 1, (0, 0, 200, 1, 0)),
        (400, 1, (0, 1, 300, 0, 0)),
    ]


def test_a_queue_may_have_a_rate_in_packets_per_second_as_in_bmv2() -> None:
    engine = reporting_program().engine()
    engine.queues.set_depth(2, port=1)
    engine.queues.set_rate(1000, port=1)
    engine.process(Frames.of([packet(1)] * 4), now=0)
    assert released(engine, 10_000) == [(0, 1, (0, 0, 0, 1, 0)), (1000, 1, (0, 1, 1000, 0, 0))]


def test_each_copy_of_a_packet_waits_in_the_queue_of_its_port() -> None:
    engine = reporting_program().engine()
    engine.multicast.set(5, [(1, 0), (2, 0), (3, 0)])
    engine.queues.set_bit_rate(RATE, port=1)
    engine.queues.set_bit_rate(RATE // 2, port=3)
    out = engine.process(Frames.of([packet(0, group=5)] * 2), now=0)
    assert [(port, reported(content)) for port, content in out] == [(2, (0, 0, 0, 0, 0))] * 2
    assert released(engine, 1000) == [
        (100, 1, (0, 0, 0, 1, 0)),
        (200, 3, (0, 0, 0, 1, 0)),
        (200, 1, (0, 1, 100, 0, 0)),
        (400, 3, (0, 1, 200, 0, 0)),
    ]


def test_the_time_on_the_link_is_that_of_the_packet_after_egress() -> None:
    it = program()
    it.call("drop", primitive("mark_to_drop", {"type": "header", "value": "standard_metadata"}), pipeline="egress")
    engine = it.engine()
    engine.queues.set_bit_rate(RATE)
    engine.process(Frames.of([packet(1)] * 3), now=0)
    assert released(engine, 0) == []
    assert engine.next is None

    it = program()
    it.types.append({"name": "more_t", "id": 9, "fields": [["data", 8 * SIZE, False]]})
    it.headers.append({"name": "more", "id": 9, "header_type": "more_t", "metadata": False})
    it.order.append("more")
    it.call("grow", primitive("add_header", {"type": "header", "value": "more"}), pipeline="egress")
    engine = it.engine()
    engine.queues.set_bit_rate(RATE)
    engine.process(Frames.of([packet(1)] * 2), now=0)
    assert [time for time, _, _ in released(engine, 1000)] == [200, 400]


def test_a_clone_made_in_egress_and_a_packet_that_recirculates_are_queued_when_the_packet_leaves() -> None:
    it = program()
    condition = {"left": field("h", "priority"), "right": constant(0), "op": "=="}
    it.pipelines["egress"]["conditionals"].append(
        {
            "name": "fresh",
            "id": 0,
            "expression": {"type": "expression", "value": condition},
            "true_next": "again",
            "false_next": "report",
        }
    )
    it.pipelines["egress"]["init_table"] = "fresh"
    fields = it.field_list()
    it.call(
        "again",
        # The clone reports its queue; the packet itself is for port 3 in its next pass.
        assign(field("h", "priority"), constant(1)),
        primitive("clone_egress_pkt_to_egress", constant(5), fields),
        assign(field("h", "to"), constant(3)),
        primitive("recirculate", fields),
        pipeline="egress",
    )
    it.call("report", *(assign(field("h", name), standard(name)) for name in METADATA), pipeline="egress")
    engine = it.engine(queues=Queues(2))
    engine.clone_sessions.set(5, [(2, 0), (4, 0)])
    for port in (1, 2, 3):
        engine.queues.set_bit_rate(RATE, port=port)
    engine.queues.set_rate(1000, port=1)
    engine.process(Frames.of([packet(1), packet(1)]), now=0)
    assert sorted(released(engine, 10_000)) == [
        (0, 4, (0, 0, 0, 0, 0)),
        (100, 2, (0, 0, 0, 0, 0)),
        (100, 3, (0, 0, 0, 0, 1)),
        (1000, 4, (1000, 0, 0, 0, 0)),
        (1100, 2, (1000, 0, 0, 0, 0)),
        (1100, 3, (1000, 0, 0, 0, 1)),
    ]


@pytest.fixture(scope="module")
def slow() -> tuple[Engine, Iterator[int]]:
    """An engine whose ports all have different rates, and times at which its queues are empty."""
    engine = reporting_program().engine(queues=Queues(2))
    engine.multicast.set(5, [(1, 0), (2, 0), (3, 0)])
    for port in (1, 2, 3):
        engine.queues.set_bit_rate(RATE * port, port=port)
        engine.queues.set_depth(4)
    return engine, count(1000, 20_000)


moments = st.integers(0, 2000)
sent_packets = st.lists(st.tuples(moments, st.integers(1, 3), st.integers(0, 1), st.sampled_from([0, 5])), max_size=30)


@given(sent_packets, st.lists(moments, max_size=10))
def test_departures_do_not_depend_on_when_the_queues_are_polled(
    slow: tuple[Engine, Iterator[int]], packets: list[tuple[int, int, int, int]], looks: list[int]
) -> None:
    engine, begins = slow
    results = []
    for times in ([], looks):
        begin = next(begins)
        events = [(time, [packet(*which)]) for time, *which in packets] + [(time, []) for time in times]
        found = []
        for time, arriving in sorted(events, key=lambda event: event[0]):
            if arriving:
                engine.process(Frames.of(arriving), begin + time)
            else:
                found += released(engine, begin + time)
        found += released(engine, begin + 10_000)
        results.append([(time - begin, port, ((words[0] - begin) % 2**32, *words[1:])) for time, port, words in found])
    assert results[0] == results[1]


def test_packets_queued_for_a_replaced_program_are_dropped() -> None:
    queues = Queues()
    queues.set_bit_rate(RATE)
    before, after = reporting_program().engine(queues=queues), reporting_program().engine(queues=queues)
    before.process(Frames.of([packet(1)]), now=0)
    after.process(Frames.of([packet(1)]), now=0)
    assert len(released(after, 1000)) == 1
    assert after.next is None


def test_a_queued_packet_does_not_keep_its_batch_in_memory() -> None:
    queues = Queues()
    queues.set_rate(1, port=1)
    engine = reporting_program().engine(queues=queues)
    others = [packet(2, size=1500)] * 200
    engine.process(Frames.of([packet(1), *others]), now=0)
    tracemalloc.start()
    try:
        for now in range(1, 31):
            engine.process(Frames.of([packet(1), *others]), now)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert queues.depth(1, 0, 30 * US) == 30
    assert kept < 200 * 1500
    assert [port for _, port, _ in released(engine, 40 * SECOND // US)] == [1] * 31
