"""Schedules that were computed by hand."""

from __future__ import annotations

import pytest

from dropzero.simulator.training.schedule import schedule
from dropzero.simulator.training.trace import Node, Trace, TraceError

STEP = Trace(
    [
        Node(0, "forward", duration=10),
        Node(1, "backward 2", (0,), 20),
        Node(2, "backward 1", (1,), 30),
        Node(3, "sum 2", (1,), collective="ALL_REDUCE", size=200),
        Node(4, "sum 1", (2,), collective="ALL_REDUCE", size=100),
        Node(5, "update", (3, 4), 5),
    ]
)


def by_name(traces: list[Trace], skew: int = 0) -> list[dict[str, tuple[int, int]]]:
    """When each node begins and ends; a collective takes a nanosecond a byte, and `skew` longer on each further
    rank."""
    ranks = range(len(traces))
    spans = schedule(traces, lambda node, start: [start + node.size + skew * rank for rank in ranks], [0] * len(ranks))
    return [{span.node.name: (span.begin, span.end) for span in own} for own in spans]


def test_communication_goes_on_while_the_worker_computes() -> None:
    assert by_name([STEP])[0] == {
        "forward": (0, 10),
        "backward 2": (10, 30),
        "backward 1": (30, 60),
        # Beside backward 1; the second one waits for the first.
        "sum 2": (30, 230),
        "sum 1": (230, 330),
        "update": (330, 335),
    }


def test_a_collective_begins_when_the_last_worker_has_come_to_it() -> None:
    slow = Trace([Node(0, "forward", duration=50), *STEP.nodes[1:]])
    quick, other = by_name([STEP, slow], skew=7)
    # Rank 1 comes to it at 70.
    assert (quick["sum 2"], other["sum 2"]) == ((70, 270), (70, 277))
    assert (quick["sum 1"], other["sum 1"]) == ((277, 377), (277, 384))
    assert (quick["update"], other["update"]) == ((377, 382), (384, 389))


def test_a_processor_runs_one_node_at_a_time_and_the_first_that_could_begin_goes_first() -> None:
    nodes = [
        Node(0, "begin", duration=10),
        Node(1, "long", (0,), 100),
        Node(2, "late", (4,), 5),
        Node(3, "waits", (0,), 20),
        Node(4, "beside", (0,), 30, "cpu"),
    ]
    assert by_name([Trace(nodes)])[0] == {
        "begin": (0, 10),
        "long": (10, 110),
        "beside": (10, 40),
        # Since 10, and so before `late`, which could begin at 40.
        "waits": (110, 130),
        "late": (130, 135),
    }


def test_collectives_follow_each_other_as_rank_0_comes_to_them() -> None:
    def ranks(first: int, second: int) -> Trace:
        return Trace(
            [
                Node(0, "a", duration=first),
                Node(1, "b", duration=second, processor="cpu"),
                Node(2, "sum a", (0,), collective="ALL_REDUCE", size=10),
                Node(3, "sum b", (1,), collective="ALL_REDUCE", size=20),
            ]
        )

    one, other = by_name([ranks(5, 3), ranks(1, 8)])
    assert one["sum b"] == other["sum b"] == (8, 28)
    assert one["sum a"] == other["sum a"] == (28, 38)


def test_nodes_that_wait_for_each_other_are_an_error() -> None:
    circle = Trace([Node(0, "a", (1,)), Node(1, "b", (0,))])
    with pytest.raises(TraceError, match="wait for each other"):
        by_name([circle])
    with pytest.raises(TraceError, match=r"node 1 \(sum\) never begins"):
        by_name([Trace([Node(0, "a", (1,)), Node(1, "sum", (0,), collective="BARRIER")])])


def test_ranks_with_other_collectives_are_an_error() -> None:
    other = Trace([Node(0, "sum", collective="ALL_REDUCE", size=4)])
    with pytest.raises(TraceError, match="rank 1 has other collectives"):
        by_name([STEP, other])
