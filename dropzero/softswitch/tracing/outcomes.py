"""Finds all outcomes of a packet: runs it once for each combination of what selectors, hashes and random numbers may
choose."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from heapq import heappop, heappush
from itertools import count

from dropzero.softswitch.engine.engine import MOST_CHOICES, Engine
from dropzero.softswitch.state.reports import Report
from dropzero.softswitch.tracing import packet_trace_pb2 as pb
from dropzero.softswitch.tracing.text import MOST_VALUES
from dropzero.softswitch.tracing.tree import QUEUE_MICROSECONDS, follow


def follow_all(engine: Engine, reports: list[Report], port: int, packet: bytes, most: int) -> pb.PacketTrace:
    """Like follow(), and adds the outcomes of at most `most` combinations of choices.

    Combinations have the same outcome if their selectors choose the same members, and the same packets leave. All
    members of a group, and all values of a hash or random number, have the same probability. If there are too many
    combinations, those with all members come first, then those in which few numbers differ from the first ones.
    """
    restore = engine.snapshot()
    trace = follow(engine, reports, port, packet)
    actual = _key(trace)
    outcomes: dict[Hashable, pb.Outcome] = {}
    waiting: list[tuple[int, int, list[int]]] = [(0, 0, [])]
    """Combinations to try: how many of their numbers are not the first one, their order, and their first choices. The
    other choices are the first ones."""
    order = count(1)
    for run in range(1, most + 1):
        numbers, _, given = heappop(waiting)
        restore()
        # The times of queues never go back.
        now = 2 * run * QUEUE_MICROSECONDS if engine.queues.used else 0
        engine.choose(given + [0] * (MOST_CHOICES - len(given)))
        tried = follow(engine, reports, port, packet, now)
        chosen = [choice.index for choice in tried.choices]
        probability = 1.0
        for at, choice in enumerate(tried.choices[:MOST_CHOICES]):
            values = _values(choice.count)
            probability /= len(values)
            trace.estimated |= len(values) != choice.count
            if at >= len(given):
                cost = numbers + (choice.kind != pb.Choice.SELECTOR)
                for value in values[1:]:
                    heappush(waiting, (cost, next(order), [*chosen[:at], value]))
        key = _key(tried)
        outcome = outcomes.get(key)
        if outcome is None:
            outcome = outcomes[key] = pb.Outcome(actual=key == actual, root=tried.root, choices=tried.choices)
        outcome.probability += probability
        outcome.combinations += 1
        trace.tried += probability
        if not waiting:
            trace.tried = 1.0
            break
    trace.outcomes.extend(outcomes.values())
    return trace


def _values(many: int) -> range | list[int]:
    """The values to try, out of `many`; 0 stands for 2^64."""
    many = many or 1 << 64
    if many <= MOST_VALUES:
        return range(many)
    return [(many - 1) * number // (MOST_VALUES - 1) for number in range(MOST_VALUES)]


def _key(trace: pb.PacketTrace) -> Hashable:
    """The members that selectors chose, and the packets that left."""
    members = tuple((each.group, each.member) for each in trace.choices if each.kind == pb.Choice.SELECTOR)
    return members, tuple(sorted(_left(trace.root)))


def _left(tree: pb.TraceTree) -> Iterator[tuple[int, bytes]]:
    if tree.HasField("transmit"):
        yield tree.transmit.egress_port, tree.transmit.content
    for branch in tree.branches:
        yield from _left(branch)
