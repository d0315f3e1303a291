"""Any P4 program in virtual time: the times, queues and faults that a fabric's links have by their arithmetic."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs.fabric import Arrival, Fabric
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.engine.wire import SECOND
from tests.support.bmv2_program import (
    Bmv2Program,
    assign,
    constant,
    extract,
    field,
    operation,
    primitive,
    standard,
)

RATE = 8 * 10**6
"""A byte takes a microsecond."""
MICROSECOND = 1000
SIZE = 100
TOLD = {"enq_timestamp": 32, "enq_qdepth": 24, "deq_timedelta": 32, "deq_qdepth": 24}
WAITED = {"enq_timestamp": 32, "enq_qdepth": 19, "deq_timedelta": 32, "deq_qdepth": 19}


def program() -> Bmv2Program:
    """A program that sends a packet to the port in its header, which says then what it met in its queue."""
    it = Bmv2Program(h={"to": 8, "next": 8, **TOLD})
    it.types[0]["fields"] += [[name, width, False] for name, width in WAITED.items()]
    it.state("start", extract("h"))
    it.call("go", assign(standard("egress_spec"), field("h", "to")), assign(field("h", "to"), field("h", "next")))
    it.call("tell", *(assign(field("h", name), standard(name)) for name in TOLD), pipeline="egress")
    return it


def packet(*to: int, size: int = SIZE) -> bytes:
    return bytes([*to, 0][:2]).ljust(size, b"\0")


def met(arrival: Arrival) -> tuple[int, ...]:
    """When it entered its last queue, in us; the packets there; how long it waited, in us; those it left behind."""
    found, at = [], 2
    for width in TOLD.values():
        found.append(int.from_bytes(arrival.packet[at : at + width // 8], "big"))
        at += width // 8
    return tuple(found)


def fabric(quality: Quality, *names: str, depth: int = 64, seed: int = 0) -> Fabric:
    """A fabric of switches with that program."""
    made = Fabric(quality, depth, seed)
    for name in names:
        switch = made.add(name)
        switch.replace(program().engine(queues=switch.queues))
    return made


def test_a_packet_takes_the_time_of_its_bits_and_the_delay_on_each_link() -> None:
    it = fabric(Quality(RATE, 5 * MICROSECOND), "s1", "s2")
    it.link(("s1", 2), ("s2", 1), Quality(RATE // 2, 50 * MICROSECOND))
    it.send("s1", 1, packet(2, 3), at=1000 * MICROSECOND)
    (arrival,) = it.run()
    assert (arrival.switch, arrival.port, len(arrival.packet)) == ("s2", 3, SIZE)
    assert arrival.time == (1000 + (100 + 5) + (200 + 50) + (100 + 5)) * MICROSECOND
    assert it.time == arrival.time


def test_the_program_reads_the_queue_of_a_slower_link() -> None:
    it = fabric(Quality(RATE), "s1")
    it.link(("s1", 2), None, Quality(RATE // 4))
    for _ in range(4):
        it.send("s1", 1, packet(2))
    # They come every 100 us, and take 400 us each.
    assert [(arrival.time // MICROSECOND, met(arrival)) for arrival in it.run()] == [
        (500, (100, 0, 0, 0)),
        (900, (200, 0, 300, 2)),
        (1300, (300, 1, 600, 1)),
        (1700, (400, 2, 900, 0)),
    ]


def test_a_full_queue_drops_and_counts() -> None:
    it = fabric(Quality(RATE), "s1", depth=3)
    it.link(("s1", 2), None, Quality(RATE // 100))
    for _ in range(10):
        it.send("s1", 1, packet(2))
    assert len(list(it.run())) == 4
    counts = it.counts(("s1", 2))
    assert (counts.dropped, counts.deepest) == (6, 3)


def test_hosts_may_answer_what_they_receive() -> None:
    it = fabric(Quality(RATE, 10), "s1")
    it.send("s1", 1, packet(2))
    times = []
    for arrival in it.run():
        times.append(arrival.time)
        if len(times) < 5:
            it.send("s1", arrival.port, packet(3 - arrival.port))
    trip = 2 * (SIZE * MICROSECOND + 10)
    assert times == [trip * turn for turn in range(1, 6)]


def test_it_can_stop_at_a_time_and_go_on() -> None:
    it = fabric(Quality(RATE), "s1")
    it.send("s1", 1, packet(2))
    assert list(it.run(until=150 * MICROSECOND)) == []
    assert it.time == 150 * MICROSECOND
    assert [arrival.time for arrival in it.run()] == [200 * MICROSECOND]


def test_losses_duplicates_and_overtaking_come_from_the_seed() -> None:
    def results(seed: int) -> list[Arrival]:
        it = fabric(Quality(RATE, SECOND // 1000, loss=0.2, duplicate=0.2, reorder=0.2), "s1", seed=seed)
        for number in range(200):
            it.send("s1", 1, packet(2, number))
        return list(it.run())

    first = results(1)
    assert results(1) == first != results(2)
    numbers = [arrival.packet[0] for arrival in first]
    assert len(set(numbers)) < 200
    assert len(numbers) > len(set(numbers))
    assert numbers != sorted(numbers)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 3), st.integers(1, 3)), max_size=40))
def test_without_faults_every_packet_arrives_and_none_sooner_than_its_links_allow(
    sent: list[tuple[int, int, int]],
) -> None:
    it = fabric(Quality(RATE, 7), "s1", depth=1000)
    for time, source, to in sent:
        it.send("s1", source, packet(to), time * MICROSECOND)
    arrivals = list(it.run())
    assert sorted(arrival.port for arrival in arrivals) == sorted(to for _, _, to in sent)
    assert [arrival.time for arrival in arrivals] == sorted(arrival.time for arrival in arrivals)
    for port in (1, 2, 3):
        times = [arrival.time for arrival in arrivals if arrival.port == port]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert all(gap >= SIZE * MICROSECOND for gap in gaps)
        earliest = min((time for time, _, to in sent if to == port), default=0) * MICROSECOND
        assert all(time >= earliest + 2 * (SIZE * MICROSECOND + 7) for time in times)


def busy() -> Bmv2Program:
    """A program that makes a digest and two clones of each packet, and sends it through the switch `next` times."""
    it = Bmv2Program(h={"to": 8, "next": 8})
    it.state("start", extract("h"))
    fields = it.field_list()
    it.call(
        "go",
        primitive("generate_digest", constant(1), it.learn_list("digest", field("h", "next"))),
        primitive("clone_ingress_pkt_to_egress", constant(5), fields),
        assign(standard("egress_spec"), field("h", "to")),
    )
    it.condition("more", operation("!=", field("h", "next"), constant(0)), "again", None, pipeline="egress")
    fewer = operation("-", field("h", "next"), constant(1))
    it.call("again", assign(field("h", "next"), fewer), primitive("recirculate", fields), pipeline="egress")
    return it


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 2), st.integers(1, 3), st.integers(0, 2)), max_size=20))
def test_a_switch_does_with_packets_what_its_engine_does(sent: list[tuple[int, int, int, int]]) -> None:
    it = Fabric(Quality(RATE))
    switch = it.add("s1")
    engines = [busy().engine(queues=queues) for queues in (switch.queues, Queues())]
    engines[1].queues.set_bit_rate(RATE)
    for engine in engines:
        engine.clone_sessions.set(5, [(4, 0), (3, 1)])
    switch.replace(engines[0])
    arriving: dict[int, list[tuple[int, bytes]]] = {}
    free = {1: 0, 2: 0}
    for number, (time, port, to, turns) in enumerate(sorted(sent)):
        one = packet(to, turns, size=60 + number)
        it.send("s1", port, one, time * MICROSECOND)
        free[port] = max(free[port], time) + len(one)
        arriving.setdefault(free[port], []).append((port, one))
    expected = []
    while arriving or engines[1].next is not None:
        now = min([*arriving, *([] if engines[1].next is None else [engines[1].next])])
        expected += [(now * MICROSECOND, *each) for each in engines[1].process(Frames.of(arriving.pop(now, [])), now)]
        left, ends = engines[1].release(now)
        expected += [(end, *each) for end, each in zip(ends.tolist(), left, strict=True)]
    arrived = [(arrival.time, arrival.port, arrival.packet) for arrival in it.run(answered=False)]
    assert sorted(arrived) == sorted(expected)
    assert engines[0].take_digests() == engines[1].take_digests()


def test_wrong_uses_say_what_is_wrong() -> None:
    it = fabric(Quality(RATE), "s1", "s2")
    it.link(("s1", 2), ("s2", 1))
    with pytest.raises(ValueError, match="there is no switch 's3'"):
        it.send("s3", 1, packet(1))
    with pytest.raises(ValueError, match="on port 2 of s1 there is no host, but s2-p1"):
        it.send("s1", 2, packet(1))
    with pytest.raises(ValueError, match="port 1 of s2 has a link already"):
        it.link(("s1", 3), ("s2", 1))
    with pytest.raises(ValueError, match="a packet cannot be empty"):
        it.send("s1", 1, b"")
    it.add("bare")
    it.send("bare", 1, packet(1))
    with pytest.raises(ValueError, match="switch bare has no program"):
        list(it.run())


def test_a_host_is_woken_when_it_asked_for_it() -> None:
    fabric = Fabric(Quality(RATE))
    fabric.add("s1")
    fabric.wake("s1", 3, 500)
    fabric.wake("s1", 1, 200)
    woken = []
    for arrival in fabric.run():
        woken.append((arrival.time, arrival.port, arrival.packet))
        if arrival.port == 1 and arrival.time < 400:
            # Also now, and never before.
            fabric.wake("s1", 1, 400)
            fabric.wake("s1", 2, 0)
    assert woken == [(200, 1, b""), (200, 2, b""), (400, 1, b""), (500, 3, b"")]
