"""Schedules in GOAL."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.simulator.formulas import TCP_EFFICIENCY
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.simulator.training.goal import is_goal, read
from dropzero.simulator.training.schedule import groups_of
from dropzero.simulator.training.simulation import load, train
from dropzero.simulator.training.trace import Node, Trace, TraceError

PING_PONG = """// A comment.
num_ranks 3
/* Two of them
   play. */
rank 0 { l1: send 1000000b to 1 tag 5 l2: recv 10b from 1 tag 6 cpu 0 nic 0
l2 requires l1 }

rank 1 {
first: recv 1000000b from 0 tag 5
think: calc 2000 cpu 1
answer: send 10b to 0 tag 6
meanwhile: calc 500
think requires first
answer requires think
meanwhile irequires think
}
rank 2 {
}
"""


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    (tmp_path / "ping.goal").write_text(PING_PONG)
    return tmp_path / "ping.goal"


def test_a_schedule_has_a_trace_for_each_rank(schedule: Path) -> None:
    assert is_goal(schedule)
    assert read(schedule) == [
        Trace(
            [
                Node(0, "l1", collective="SEND", size=1_000_000, peer=1, tag=5),
                Node(1, "l2", (0,), collective="RECEIVE", size=10, peer=1, tag=6),
            ]
        ),
        Trace(
            [
                Node(0, "first", collective="RECEIVE", size=1_000_000, peer=0, tag=5),
                Node(1, "think", (0,), 2000, "cpu 1"),
                Node(2, "answer", (1,), collective="SEND", size=10, peer=0, tag=6),
                Node(3, "meanwhile", (), 500, "cpu 0", with_begin_of=(1,)),
            ]
        ),
        Trace([]),
    ]


def test_a_schedule_may_begin_with_a_byte_order_mark(schedule: Path, tmp_path: Path) -> None:
    marked = tmp_path / "marked.goal"
    marked.write_text(schedule.read_text(), "utf-8-sig")
    assert load(marked, 3) == load(schedule, 3)


def test_a_schedule_runs_in_packets(schedule: Path) -> None:
    plan = Plan(3, 1, Quality(10**10, 1000), 4)
    found = train(plan, load(schedule, 3), steps=1)
    least = 1e6 / (1e10 / 8 * TCP_EFFICIENCY) + 2e-6 + 2e-6 + 2e-6
    assert least < found.seconds < 1.1 * least
    assert found.kinds["SEND"] == pytest.approx(found.seconds - 2e-6, rel=1e-3)


def test_the_command_takes_a_schedule(schedule: Path) -> None:
    done = CliRunner().invoke(build("simulate"), ["simulate", "training", str(schedule), "--workers", "3"])
    assert done.exit_code == 0, done.output
    assert "messages of rank 0" in done.output


def test_the_command_takes_a_schedule_that_takes_no_time(tmp_path: Path) -> None:
    (tmp_path / "none.goal").write_text("num_ranks 2")
    options = ["simulate", "training", str(tmp_path / "none.goal"), "--workers", "2"]
    done = CliRunner().invoke(build("simulate"), options)
    assert done.exit_code == 0, done.output


COLLECTIVES = """num_ranks 4
rank 0 { l1: coll reduce_scatter 4000b 0 0 -1 cpu 1 nic 1
l2: coll allgather 4000b 0 1 -1
l2 requires l1
l3: coll bcast 8b 1 3 0
}
rank 1 { l1: coll reduce_scatter 4000b 0 0 -1 l2: coll allgather 4000b 0 1 -1 l2 requires l1 }
rank 2 { l1: coll allreduce 1000b 0 2 -1 }
rank 3 { l3: coll bcast 8b 1 3 0 l1: coll allreduce 1000b 0 2 -1 }
"""


def test_ranks_with_the_same_numbers_have_a_collective_together(tmp_path: Path) -> None:
    """Although the group of ranks 0 and 1 has the same number as that of 2 and 3: these are others' domains."""
    (tmp_path / "coll.goal").write_text(COLLECTIVES)
    traces = read(tmp_path / "coll.goal")
    assert groups_of(traces) == {"group 0": (0, 1), "group 1": (0, 3), "group 2": (2, 3)}
    found = [[(node.collective, node.size, node.group, node.after) for node in trace.nodes] for trace in traces]
    assert found[0] == [
        ("REDUCE_SCATTER", 4000, "group 0", ()),
        ("ALL_GATHER", 2000, "group 0", (0,)),
        ("BROADCAST", 8, "group 1", ()),
    ]
    assert found[0][:2] == found[1]
    assert found[2] == [("ALL_REDUCE", 1000, "group 2", ())]
    assert train(Plan(4, 1, Quality(10**10, 1000), 4), traces, steps=1).exact


def test_instances_say_which_collectives_belong_together(tmp_path: Path) -> None:
    """Not the order in which the text has them."""
    lines = ["a: coll allreduce 8000b 0 7 -1", "b: coll allreduce 8000b 0 8 -1", "c: coll bcast 40b 0 9 0"]
    texts = (lines, lines[::-1])
    blocks = (f"rank {rank} {{ {' '.join(text)} b requires a }}\n" for rank, text in enumerate(texts))
    (tmp_path / "coll.goal").write_text("num_ranks 2\n" + "".join(blocks))
    found = train(Plan(2, 1, Quality(10**10, 1000), 4), read(tmp_path / "coll.goal"), steps=1)
    assert [span.node.name for span in found.spans] == ["a", "c", "b"]


def test_the_switch_carries_out_a_schedules_collectives(tmp_path: Path) -> None:
    line = "l1: coll allreduce 1000000b 0 0 -1"
    (tmp_path / "coll.goal").write_text("num_ranks 4\n" + "".join(f"rank {rank} {{ {line} }}\n" for rank in range(4)))
    plan = Plan(4, 1, Quality(10**10, 1000), 4)
    chakra = Trace([Node(0, "sum", collective="ALL_REDUCE", size=1_000_000)])
    assert train(plan, load(tmp_path / "coll.goal", 4)).seconds == train(plan, [chakra] * 4).seconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_ranks 1\nrank 0 {\nl1: fly 10\n}", "line 3: 'l1: fly 10 }' is not GOAL here"),
        ("num_ranks 1\nrank 0 { l1: calc 10 }\nl2: calc 10", "line 3: 'l2: calc 10' is not GOAL here"),
        ("num_ranks 1\nrank 0 { rank 0 { }", "line 2: 'rank 0 { }' is not GOAL here"),
        ("num_ranks 1\nrank 0 { l1: calc 10", "the block of rank 0 has no end"),
        ("num_ranks 1\nrank 1 { }", "rank 1 is one too many"),
        ("num_ranks 1\nrank 0 { } rank 0 { }", "or there twice"),
        ("num_ranks 1\nrank 0 { a: coll sum 4b 0 0 -1 }", "line 2: 'a: coll sum 4b 0 0 -1 }' is not GOAL here"),
        ("num_ranks 1\nrank 0 { a: coll reduce 4b 0 0 -1 }", "the root of group 0, instance 0 is -1: only rank 0"),
        ("num_ranks 1\nrank 0 { a: coll allreduce 4b 0 0 -1 b: coll allreduce 4b 0 0 -1 }", "instance of its own"),
        ("num_ranks 1\nrank 0 { a: calc 1 a: calc 2 }", "rank 0 has two operations a"),
        ("num_ranks 1\nrank 0 { a: calc 1 a requires b }", "rank 0 has no operation b"),
        (f"num_ranks 1\nrank 0 {{ a: calc {10**17} }}", "longer than a year"),
        (f"num_ranks {10**7}", "line 1: 'num_ranks 10000000' is not GOAL here"),
        (f"num_ranks 1\nrank 0 {{ a: send {'9' * 5000}b to 0 }}", "line 2: 'a: send 999"),
    ],
)
def test_what_is_not_goal_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.goal"
    path.write_text(text)
    with pytest.raises(TraceError, match=message.replace("{", r"\{").replace("}", r"\}")):
        read(path)


def test_there_are_as_many_workers_as_ranks(schedule: Path) -> None:
    with pytest.raises(TraceError, match="has 3 ranks, and there are 4 workers"):
        load(schedule, 4)
