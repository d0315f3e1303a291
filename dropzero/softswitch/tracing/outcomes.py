"""Finds all outcomes of a packet: runs it once for each combination of what selectors, hashes and random numbers may
choose."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from dropzero.softswitch.engine.engine import MOST_CHOICES, Engine
from dropzero.softswitch.state.reports import Report
from dropzero.softswitch.tracing import packet_trace_pb2 as pb
from dropzero.softswitch.tracing.text import MOST_VALUES
from dropzero.softswitch.tracing.tree import QUEUE_MICROSECONDS, follow


def follow_all(engine: Engine, reports: list[Report], port: int, packet: bytes, most: int) -> pb.PacketTrace:
    """Like follow(), and adds the outcomes of the first `most` combinations of choices.

    Combinations have the same outcome if their selectors choose the same members, and the same packets leave. All
    members of a group, and all values of a hash or random number, have the same probability.
    """
    restore = engine.snapshot()
    trace = follow(engine, reports, port, packet)
    actual = _key(trace)
    outcomes: dict[Hashable, pb.Outcome] = {}
    given: list[int] = []
    for run in range(1, most + 1):
        restore()
        # The times of queues never go back.
        now = 2 * run * QUEUE_MICROSECONDS if engine.queues.used else 0
        # Choices that are not given are the first ones.
        engine.choose(given + [0] * (MOST_CHOICES - len(given)))
        tried = follow(engine, reports, port, packet, now)
        probability = 1.0
        for choice in tried.choices:
            probability /= len(_values(choice.count))
            trace.estimated |= not 0 < choice.count <= MOST_VALUES
        key = _key(tried)
        outcome = outcomes.get(key)
        if outcome is None:
            outcome = outcomes[key] = pb.Outcome(actual=key == actual, root=tried.root, choices=tried.choices)
        outcome.probability += probability
        outcome.combinations += 1
        trace.tried += probability
        if not (given := _following(tried.choices)):
            trace.tried = 1.0
            break
    trace.outcomes.extend(outcomes.values())
    return trace


def _values(count: int) -> range | list[int]:
    """The values to try, of `count` values."""
    count = count or 1 << 64
    if count <= MOST_VALUES:
        return range(count)
    return [(count - 1) * number // (MOST_VALUES - 1) for number in range(MOST_VALUES)]


def _following(choices: Sequence[pb.Choice]) -> list[int]:
    """The choices of the next combination, without first ones at the end; empty after the last one."""
    for at in reversed(range(len(choices))):
        values = _values(choices[at].count)
        following = values.index(choices[at].index) + 1
        if following < len(values):
            return [each.index for each in choices[:at]] + [values[following]]
    return []


def _key(trace: pb.PacketTrace) -> Hashable:
    """The members that selectors chose, and the packets that left."""
    members = tuple((each.group, each.member) for each in trace.choices if each.kind == pb.Choice.SELECTOR)
    return members, tuple(sorted(_left(trace.root)))


def _left(tree: pb.TraceTree) -> Iterator[tuple[int, bytes]]:
    if tree.HasField("transmit"):
        yield tree.transmit.egress_port, tree.transmit.content
    for branch in tree.branches:
        yield from _left(branch)
