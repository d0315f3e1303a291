"""Cloned, resubmitted, recirculated and truncated packets, by simple_switch's rules."""

from __future__ import annotations

import pytest

from dropzero.softswitch.engine.queues import Queues
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    meta,
    operation,
    primitive,
    run,
    standard,
)

CLONE, EGRESS_CLONE, RECIRCULATED, RESUBMITTED = 1, 2, 4, 6


def program() -> Bmv2Program:
    """A program with one header. Metadata: `kept` is in field lists, `lost` is not."""
    program = Bmv2Program(
        {"kept": 8, "lost": 8}, h={"kind": 8, "turn": 8, "type": 8, "kept": 8, "lost": 8, "port": 8, "length": 8}
    )
    program.state("start", extract("h"))
    return program


def report(following: str | None, program: Bmv2Program) -> None:
    """Adds a node to egress that writes metadata into the header."""
    names = {"type": "instance_type", "port": "ingress_port", "length": "packet_length"}
    reported = [assign(field("h", name), standard(source)) for name, source in names.items()]
    reported += [assign(field("h", name), meta(name)) for name in ("kept", "lost")]
    program.call("report", *reported, pipeline="egress", following=following)


def condition(program: Bmv2Program, name: str, then: str | None, holds: Json) -> None:
    """Adds a condition to egress, after "report"."""
    program.pipelines["egress"]["conditionals"].append(
        {"name": name, "id": 0, "expression": holds, "true_next": then, "false_next": None}
    )


def equal(left: Json, value: int) -> Json:
    return operation("==", left, constant(value))


REMEMBER = (assign(meta("kept"), constant(7)), assign(meta("lost"), constant(8)))
PACKET = bytes(7) + b"payload"


def test_an_ingress_clone_is_the_packet_as_it_arrived_with_the_fields_of_its_list() -> None:
    it = program()
    fields = it.field_list(meta("kept"))
    clone = primitive("clone_ingress_pkt_to_egress", constant(5), fields)
    it.call("node", *REMEMBER, assign(field("h", "turn"), constant(1)), clone)
    report(None, it)
    engine = it.engine()
    engine.clone_sessions.set(5, [(9, 3)])
    left = run(engine, PACKET, port=4)
    # kind, turn, type, kept, lost, port, length
    assert left == [
        (9, bytes([0, 0, CLONE, 7, 0, 0, 14]) + b"payload"),
        (0, bytes([0, 1, 0, 7, 8, 4, 14]) + b"payload"),
    ]


def test_the_last_requested_clone_counts() -> None:
    it = program()
    fields = it.field_list()
    clones = [primitive("clone_ingress_pkt_to_egress", constant(session), fields) for session in (5, 6)]
    it.call("node", *clones, primitive("mark_to_drop", {"type": "header", "value": "standard_metadata"}))
    engine = it.engine()
    engine.clone_sessions.set(5, [(1, 0)])
    engine.clone_sessions.set(6, [(2, 0)])
    assert run(engine, PACKET) == [(2, PACKET)]


def test_a_clone_goes_to_all_replicas_of_its_session_cut_to_its_length() -> None:
    it = program()
    it.call("node", primitive("clone_ingress_pkt_to_egress", constant(0), it.field_list()))
    it.call("out", assign(field("h", "kind"), standard("egress_rid")), pipeline="egress")
    engine = it.engine()
    engine.clone_sessions.set(0, [(8, 2), (7, 2), (6, 1)], truncation=9)
    expected = [(7, 2), (8, 2), (6, 1)]
    assert run(engine, PACKET) == [
        *((port, bytes([instance]) + PACKET[1:9]) for port, instance in expected),
        (0, PACKET),
    ]


def test_a_packet_cloned_to_a_missing_session_continues_alone() -> None:
    it = program()
    it.call("node", primitive("clone_ingress_pkt_to_egress", constant(5), it.field_list()))
    engine = it.engine()
    assert run(engine, PACKET) == [(0, PACKET)]
    engine.clone_sessions.set(5, [(1, 0)])
    engine.clone_sessions.delete(5)
    assert run(engine, PACKET) == [(0, PACKET)]


def test_an_egress_clone_has_the_headers_of_the_end_of_egress_and_goes_through_egress_again() -> None:
    it = program()
    fields = it.field_list(meta("kept"))
    it.call("node", *REMEMBER)
    report("again", it)
    condition(it, "again", "clone", equal(standard("instance_type"), 0))
    turn = assign(field("h", "turn"), operation("+", field("h", "turn"), constant(1)))
    it.call("clone", turn, primitive("clone_egress_pkt_to_egress", constant(5), fields), pipeline="egress")
    engine = it.engine()
    engine.clone_sessions.set(5, [(9, 0)])
    assert run(engine, PACKET, port=4) == [
        (0, bytes([0, 1, 0, 7, 8, 4, 14]) + b"payload"),
        (9, bytes([0, 1, EGRESS_CLONE, 7, 0, 0, 14]) + b"payload"),
    ]


def test_a_resubmitted_packet_starts_over_as_it_arrived() -> None:
    it = program()
    fields = it.field_list(meta("kept"))
    it.condition("first", equal(standard("instance_type"), 0), "node", "then")
    it.call("node", *REMEMBER, assign(field("h", "kind"), constant(9)), primitive("resubmit", fields))
    it.call("then", assign(field("h", "turn"), standard("instance_type")))
    report(None, it)
    # simple_switch forgets the ingress port, and reports an ordinary packet after ingress.
    assert run(it.engine(), PACKET, port=4) == [(0, bytes([0, RESUBMITTED, 0, 7, 0, 0, 14]) + b"payload")]


def test_a_recirculated_packet_starts_over_as_it_left() -> None:
    it = program()
    fields = it.field_list(meta("kept"))
    it.condition("first", equal(field("h", "turn"), 0), "node", "then")
    it.call("node", *REMEMBER)
    it.call("then", assign(field("h", "kind"), standard("instance_type")))
    report("again", it)
    condition(it, "again", "recirculate", equal(field("h", "turn"), 0))
    turn = assign(field("h", "turn"), constant(1))
    it.call("recirculate", turn, primitive("recirculate", fields), pipeline="egress")
    expected = (0, bytes([RECIRCULATED, 1, 0, 7, 0, 0, 14]) + b"payload")
    assert run(it.engine(), PACKET, PACKET, port=4) == [expected, expected]


def test_a_packet_may_grow_with_every_pass() -> None:
    """Beyond the initial buffer: 200 passes, each adding a byte."""
    it = Bmv2Program(None, h={"turn": 8}, more={"x": 8})
    it.state("start", extract("h"))
    it.call("node", primitive("add_header", {"type": "header", "value": "more"}))
    it.pipelines["egress"]["init_table"] = "again"
    condition(it, "again", "recirculate", operation("<", field("h", "turn"), constant(200)))
    turn = assign(field("h", "turn"), operation("+", field("h", "turn"), constant(1)))
    it.call("recirculate", turn, primitive("recirculate", it.field_list()), pipeline="egress")
    payload = bytes(3000)
    assert run(it.engine(), b"\0" + payload, b"\xc8!") == [(0, b"\xc8" + bytes(201) + payload), (0, b"\xc8\0!")]


@pytest.mark.parametrize("op", ["resubmit", "recirculate"])
def test_a_packet_that_never_ends_is_dropped(op: str) -> None:
    it = program()
    it.condition("all", equal(field("h", "kind"), 0), "node", None)
    it.call("node", primitive(op, it.field_list()))
    assert run(it.engine(), PACKET, b"\x01" + PACKET[1:]) == [(0, b"\x01" + PACKET[1:])]


def test_clones_of_clones_end_too() -> None:
    it = program()
    it.call("clone", primitive("clone_egress_pkt_to_egress", constant(1), it.field_list()), pipeline="egress")
    engine = it.engine()
    engine.clone_sessions.set(1, [(1, 0), (2, 0)])
    assert 1000 < len(run(engine, PACKET)) < 10000
    engine.clone_sessions.delete(1)
    assert len(run(engine, PACKET)) == 1


@pytest.mark.parametrize(("lengths", "left"), [((10,), 10), ((12, 9), 9), ((9, 12), 9), ((0,), 0), ((100,), 14)])
def test_the_shortest_truncation_counts(lengths: tuple[int, ...], left: int) -> None:
    it = program()
    it.call("node", *(primitive("truncate", constant(length)) for length in lengths))
    assert run(it.engine(), PACKET) == [(0, PACKET[:left])]


def test_copies_of_a_truncated_packet_are_whole() -> None:
    it = program()
    it.call("node", primitive("truncate", constant(8)), assign(standard("mcast_grp"), constant(3)))
    engine = it.engine()
    engine.multicast.set(3, [(1, 1), (2, 1)])
    assert run(engine, PACKET) == [(1, PACKET), (2, PACKET)]


def test_a_priority_without_a_queue_drops() -> None:
    document = program()
    document.types[0]["fields"].append(["priority", 3, False])
    document.call("node", assign(standard("priority"), field("h", "kind")))
    packets = [bytes([kind]) + PACKET[1:] for kind in range(3)]
    assert run(document.engine(), *packets) == [(0, packets[0])]
    assert run(document.engine(queues=Queues(2)), *packets) == [(0, packets[0]), (0, packets[1])]


def test_queue_depths_are_0_without_a_rate_whatever_ingress_writes() -> None:
    it = program()
    it.types[0]["fields"] += [["deq_qdepth", 19, False], ["enq_qdepth", 19, False]]
    it.call("node", assign(standard("deq_qdepth"), constant(5)))
    names = ("deq_qdepth", "enq_qdepth")
    reported = (assign(field("h", to), standard(name)) for to, name in zip(("kept", "lost"), names, strict=True))
    it.call("report", *reported, pipeline="egress")
    assert run(it.engine(), b"\xff" * 7) == [(0, b"\xff\xff\xff\0\0\xff\xff")]


def test_a_truncated_packet_is_recirculated_whole() -> None:
    it = program()
    it.condition("first", equal(field("h", "turn"), 0), "node", None)
    it.call("node", assign(field("h", "turn"), constant(1)), primitive("truncate", constant(3)))
    it.pipelines["egress"]["init_table"] = "again"
    condition(it, "again", "recirculate", equal(field("h", "kind"), 0))
    it.call(
        "recirculate",
        assign(field("h", "kind"), constant(1)),
        primitive("recirculate", it.field_list()),
        pipeline="egress",
    )
    assert run(it.engine(), PACKET) == [(0, b"\x01\x01" + PACKET[2:])]
