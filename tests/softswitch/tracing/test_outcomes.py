"""All outcomes of one packet: `dropzero switch trace --all-outcomes`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.reports import Report
from dropzero.softswitch.state.tables.targets import Group
from dropzero.softswitch.tracing import packet_trace_pb2 as pb
from dropzero.softswitch.tracing.outcomes import follow_all
from dropzero.softswitch.tracing.text import MOST_VALUES, lines
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    key,
    operation,
    parameter,
    primitive,
    run,
    standard,
)

PACKET = b"\x01\x00"
Summary = list[tuple[Fraction, list[tuple[int, bytes]]]]


def outcomes(made: Bmv2Program, packet: bytes = PACKET, most: int = 256) -> tuple[pb.PacketTrace, Engine]:
    reports: list[Report] = []
    engine = made.engine(seed=1, follow=reports.append)
    fill(engine)
    return follow_all(engine, reports, 1, packet, most), engine


def fill(engine: Engine) -> None:
    """Sends packets of port 1 to a group of members 7 (twice), 8 and 9."""
    if profile := engine.action_profiles.get("p"):
        for number, port in ((7, 70), (8, 80), (9, 90)):
            profile.add_member(number, "send", (port,))
        profile.add_group(5, [7, 8, 9, 7])
        engine.tables["t"].insert((Exact(1),), Group(5))


def left(tree: pb.TraceTree) -> list[tuple[int, bytes]]:
    """The packets that leave."""
    here = [(tree.transmit.egress_port, tree.transmit.content)] if tree.HasField("transmit") else []
    return here + [each for branch in tree.branches for each in left(branch)]


def summary(trace: pb.PacketTrace) -> Summary:
    return [(Fraction(each.probability).limit_denominator(1000), left(each.root)) for each in trace.outcomes]


def program() -> Bmv2Program:
    made = Bmv2Program({"drawn": 16}, h={"x": 8, "y": 8})
    made.state("start", extract("h"))
    made.action("send", assign(standard("egress_spec"), parameter(0)), port=9)
    return made


def selecting(made: Bmv2Program | None = None, hit: str | None = None) -> Bmv2Program:
    """A program in which a selector chooses where packets go."""
    made = made or program()
    made.profile("p", 4, "crc16", field("h", "y"))
    made.table("t", ["send"], keys=(key(field("h", "x")),), type="indirect_ws", action_profile="p", hit=hit)
    return made


def drawing(op: str, *bounds: Json) -> Bmv2Program:
    """A program that writes a random number or hash to h.y."""
    made = program()
    made.call("draw", primitive(op, field("h", "y"), *bounds))
    return made


def test_each_member_of_a_group_is_an_outcome_with_its_share() -> None:
    trace, _ = outcomes(selecting())
    expected = [(Fraction(share, 4), [(port, PACKET)]) for share, port in ((2, 70), (1, 80), (1, 90))]
    assert summary(trace) == expected
    assert [[(each.group, each.member) for each in outcome.choices] for outcome in trace.outcomes] == [
        [(5, 7)],
        [(5, 8)],
        [(5, 9)],
    ]
    assert trace.tried == 1


def test_the_outcome_that_the_switch_chooses_is_marked() -> None:
    """For any packet, it is what the switch without a trace does."""
    plain = selecting().engine()
    fill(plain)
    for y in range(8):
        packet = bytes([1, y])
        trace, _ = outcomes(selecting(), packet)
        (actual,) = (outcome for outcome in trace.outcomes if outcome.actual)
        assert left(actual.root) == left(trace.root) == run(plain, packet)


def test_values_that_lead_to_the_same_packets_are_one_outcome() -> None:
    made = program()
    made.call("draw", primitive("modify_field_rng_uniform", field("h", "y"), constant(0), constant(9)), following="if")
    made.condition("if", operation("<", field("h", "y"), constant(3)), "low", "high")
    made.call("low", assign(standard("egress_spec"), constant(2)), assign(field("h", "y"), constant(0)))
    made.call("high", assign(standard("egress_spec"), constant(3)), assign(field("h", "y"), constant(0)))
    trace, _ = outcomes(made)
    assert summary(trace) == [(Fraction(3, 10), [(2, PACKET)]), (Fraction(7, 10), [(3, PACKET)])]
    assert [outcome.combinations for outcome in trace.outcomes] == [3, 7]


def test_all_values_of_a_hash_are_outcomes() -> None:
    made = program()
    arguments = constant(16), made.calculation("crc32", field("h", "x")), constant(4)
    made.call("draw", primitive("modify_field_with_hash_based_offset", field("h", "y"), *arguments))
    trace, _ = outcomes(made)
    assert summary(trace) == [(Fraction(1, 4), [(0, bytes([1, 16 + each]))]) for each in range(4)]


@pytest.mark.parametrize("high", [65535, (1 << 64) - 1])
def test_of_many_values_some_are_tried_from_the_first_to_the_last(high: int) -> None:
    made = Bmv2Program({"drawn": 64}, h={"x": 64})
    made.state("start", extract("h"))
    made.call("draw", primitive("modify_field_rng_uniform", field("h", "x"), constant(0), constant(high)))
    trace, _ = outcomes(made, bytes(8))
    drawn = [int.from_bytes(content, "big") for _, packets in summary(trace) for _, content in packets]
    assert len(drawn) == MOST_VALUES
    assert drawn == sorted(drawn)
    assert (drawn[0], drawn[-1]) == (0, high)
    assert (trace.choices[0].count or 1 << 64) == high + 1
    assert list(lines(trace))[-1].startswith("estimated: ")


def test_choices_are_combined() -> None:
    made = selecting(hit="draw")
    made.call("draw", primitive("modify_field_rng_uniform", field("h", "y"), constant(0), constant(2)))
    trace, _ = outcomes(made)
    assert len(trace.outcomes) == 9
    assert sum(probability for probability, _ in summary(trace)) == 1
    assert {(port, content[1]) for _, packets in summary(trace) for port, content in packets} == {
        (port, y) for port in (70, 80, 90) for y in range(3)
    }


def test_each_copy_chooses_for_itself() -> None:
    made = program()
    made.call("replicate", assign(standard("mcast_grp"), constant(1)))
    made.call(
        "draw", primitive("modify_field_rng_uniform", field("h", "y"), constant(0), constant(1)), pipeline="egress"
    )
    reports: list[Report] = []
    engine = made.engine(seed=1, follow=reports.append)
    engine.multicast.set(1, [(3, 0), (4, 0)])
    trace = follow_all(engine, reports, 1, PACKET, 256)
    assert sorted((packets[0][1][1], packets[1][1][1]) for _, packets in summary(trace)) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]


def test_members_come_before_numbers_if_there_is_no_time_for_all() -> None:
    made = program()
    draws = [primitive("modify_field_rng_uniform", field("h", "y"), constant(0), constant(255)) for _ in range(4)]
    made.call("draw", *draws, following="t")
    made = selecting(made)
    trace, _ = outcomes(made, most=4)
    assert [port for _, packets in summary(trace) for port, _ in packets] == [70, 80, 90]
    assert trace.estimated
    assert trace.tried < 1


def test_too_many_combinations_are_cut_with_a_line() -> None:
    made = drawing("modify_field_rng_uniform", constant(0), constant(9))
    trace, _ = outcomes(made, most=4)
    assert len(trace.outcomes) == 4
    assert list(lines(trace))[-1] == "cut: other combinations have a probability of 0.6; --max-outcomes tries more"
    complete, _ = outcomes(made, most=10)
    assert complete.tried == 1
    assert not any(line.startswith("cut") for line in lines(complete))


def test_outcomes_do_not_see_each_others_state() -> None:
    """Every combination begins with the registers, counters and rates that the packet met."""
    made = program()
    cells = made.register("cells", 8, 1)
    made.call(
        "draw",
        primitive("modify_field_rng_uniform", field("h", "y"), constant(0), constant(3)),
        primitive("register_read", field("h", "x"), cells, constant(0)),
        assign(field("h", "x"), operation("+", field("h", "x"), constant(1))),
        primitive("register_write", cells, constant(0), field("h", "x")),
        primitive("count", made.counter("seen", 1), constant(0)),
    )
    trace, engine = outcomes(made)
    assert [content for _, packets in summary(trace) for _, content in packets] == [bytes([1, y]) for y in range(4)]
    assert engine.registers["cells"].cells.tolist() == [[1]]


def test_packets_that_wait_in_queues_have_outcomes() -> None:
    made = drawing("modify_field_rng_uniform", constant(0), constant(2))
    made._header("queueing_metadata", {"deq_timedelta": 32}, metadata=True)
    made.call("wait", assign(field("h", "x"), field("queueing_metadata", "deq_timedelta")), pipeline="egress")
    reports: list[Report] = []
    engine = made.engine(seed=1, follow=reports.append)
    engine.queues.set_rate(1)
    trace = follow_all(engine, reports, 1, PACKET, 256)
    # None waits for another, although the queue sends a packet a second.
    assert [content for _, packets in summary(trace) for _, content in packets] == [bytes([0, y]) for y in range(3)]


def test_a_packet_without_choices_has_one_outcome() -> None:
    trace, _ = outcomes(program())
    assert summary(trace) == [(Fraction(1), [(0, PACKET)])]


def test_text_names_members_and_probabilities() -> None:
    trace, _ = outcomes(selecting())
    text = list(lines(trace))
    assert "outcome 2 of 3: probability 0.25, member 8 of group 5" in [
        line.removesuffix(", what this switch does") for line in text
    ]
    assert sum(line.endswith("what this switch does") for line in text) == 1
    assert any("group 5: member 9, one of 4" in line for line in text)
