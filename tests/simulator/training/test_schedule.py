"""Schedules that were computed by hand."""

from __future__ import annotations

import pytest

from dropzero.simulator.training.schedule import Operation, Over, groups_of, schedule
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
    spans = schedule(traces, groups_of(traces), Wire(skew), [0] * len(traces))
    return [{span.node.name: (span.begin, span.end) for span in own} for own in spans]


class Wire:
    """A medium on which an operation takes a nanosecond a byte, and `skew` longer on each further rank."""

    def __init__(self, skew: int) -> None:
        self.skew = skew
        self.ends: list[tuple[int, Operation, int]] = []

    def begin(self, operation: Operation, start: int) -> None:
        for place, rank in enumerate(operation.ranks):
            self.ends.append((start + operation.size + self.skew * place, operation, rank))

    def advance(self, until: int | None) -> list[Over]:
        first = min((time for time, *_ in self.ends), default=None)
        if first is None or (until is not None and first > until):
            return []
        over = [Over(operation, rank, time) for time, operation, rank in self.ends if time == first]
        self.ends = [each for each in self.ends if each[0] > first]
        return over


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


def test_groups_do_not_wait_for_each_other() -> None:
    def rank(pair: str) -> Trace:
        return Trace(
            [
                Node(0, "pair", collective="ALL_REDUCE", size=10, group=pair),
                Node(1, "cross", collective="ALL_GATHER", size=100, group=""),
                Node(2, "pair again", (0,), collective="ALL_REDUCE", size=20, group=pair),
            ]
        )

    traces = [rank("a"), rank("a"), rank("b"), rank("b")]
    assert groups_of(traces) == {"a": (0, 1), "": (0, 1, 2, 3), "b": (2, 3)}
    for own in by_name(traces):
        assert own == {"pair": (0, 10), "cross": (0, 100), "pair again": (10, 30)}


def test_a_receive_waits_for_its_message_and_a_message_for_nobody() -> None:
    sender = Trace([Node(0, "work", duration=50), Node(1, "send", (0,), collective="SEND", size=30, peer=1)])
    early = Trace([Node(0, "receive", collective="RECEIVE", size=30, peer=0), Node(1, "use", (0,), 5)])
    assert by_name([sender, early])[1] == {"receive": (0, 80), "use": (80, 85)}
    late = Trace([Node(0, "work", duration=200), Node(1, "receive", (0,), collective="RECEIVE", size=30, peer=0)])
    quick, slow = by_name([sender, late])
    assert (quick["send"], slow["receive"]) == ((50, 80), (200, 200))


def test_a_node_may_wait_for_the_begin_of_another() -> None:
    nodes = [
        Node(0, "first", duration=10),
        Node(1, "second", (0,), 100),
        Node(2, "beside it", (), 20, "cpu", with_begin_of=(1,)),
        Node(3, "sum", (0,), collective="BARRIER", size=50),
        Node(4, "beside the sum", (2,), 5, "cpu", with_begin_of=(3,)),
    ]
    assert by_name([Trace(nodes)])[0] == {
        "first": (0, 10),
        "beside it": (10, 30),
        "beside the sum": (30, 35),
        "sum": (10, 60),
        "second": (10, 110),
    }


def test_messages_with_a_tag_belong_together_in_order() -> None:
    sends = [
        Node(at, f"send {at}", collective="SEND", size=size, peer=1, tag=at % 2) for at, size in enumerate((9, 2, 5))
    ]
    receives = [Node(at, f"receive {at}", collective="RECEIVE", peer=0, tag=at > 1) for at in range(3)]
    ends = {name: end for name, (_, end) in by_name([Trace(sends), Trace(receives)])[1].items()}
    assert ends == {"receive 0": 9, "receive 1": 5, "receive 2": 2}


@pytest.mark.parametrize(
    ("traces", "message"),
    [
        ([[Node(0, "s", collective="SEND", peer=1, tag=7)], []], "rank 0 sends 1 messages with tag 7 to rank 1, which"),
        ([[Node(0, "s", collective="SEND", peer=5)], []], r"node 0 \(s\) of rank 0: there is no rank 5"),
        (
            [[Node(0, "s", collective="BARRIER", group="g")], [Node(0, "s", collective="REDUCE", size=4, group="g")]],
            "rank 1 has other collectives of the group g than rank 0",
        ),
    ],
)
def test_messages_and_groups_that_do_not_match_are_errors(traces: list[list[Node]], message: str) -> None:
    with pytest.raises(TraceError, match=message):
        by_name([Trace(nodes) for nodes in traces])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"g": [0, 9]}, "the group g has other ranks than 0 to 1"),
        ({"g": [0, 0]}, "the group g has other ranks than 0 to 1, or one twice"),
        ({"g": [0]}, "rank 1 calls the group g, but is not in it"),
    ],
)
def test_impossible_groups_are_errors(known: dict[str, list[int]], message: str) -> None:
    trace = Trace([Node(0, "sum", collective="BARRIER", group="g")])
    with pytest.raises(TraceError, match=message):
        groups_of([trace, trace], known)
