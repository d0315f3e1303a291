"""Workers' records of their latest calls, and who can see them."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event as Flag
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import dropzero
from dropzero.controller.commands.verbs import app
from dropzero.membership.client import Membership
from dropzero.membership.event import EVENTS, LONGEST
from dropzero.membership.operator_client import Operator, OperatorError
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.worker.recorder import Recorder
from dropzero.worker.silence import Silence, spans_of
from tests.support.loopback import HOST, at_once, loopback

# A worker that makes one call, prints that, and makes no more.
IDLE = """
import sys, time
import dropzero, numpy as np
with dropzero.connect(sys.argv[1], 1, 2, rank=1, ip=sys.argv[2]) as network:
    network.all_reduce(np.ones(10, np.float32))
    print("done", flush=True)
    time.sleep(600)
"""


def test_a_recorder_keeps_the_latest_events_and_no_more() -> None:
    recorder = Recorder()
    for call in range(3 * EVENTS):
        recorder.note(call, "is number {number}", number=call)
    lines = recorder.lines()
    assert [each.call for each in lines] == list(range(2 * EVENTS, 3 * EVENTS))
    assert lines[-1].what == f"is number {3 * EVENTS - 1}"
    assert recorder.lines(2) == lines[-2:]
    assert recorder.lines(since=3 * EVENTS - 5) == lines[-5:]
    assert recorder.lines(0) == []


def test_an_events_text_is_bounded_and_may_hold_any_characters() -> None:
    recorder = Recorder()
    recorder.note(1, "is given up: {cause}", cause="{0} {x" * LONGEST)
    (line,) = recorder.lines()
    assert line.what.startswith("is given up: {0} {x{0}")
    assert len(line.what) == LONGEST


def test_an_amended_event_keeps_its_place_and_time() -> None:
    recorder = Recorder()
    first = recorder.note(1, "begins in epoch {epoch}", epoch=3)
    recorder.note(1, "is on hold")
    before = recorder.lines()
    recorder.amend(first, "begins in epoch {epoch}, and ends in epoch {ended}", ended=4)
    after = recorder.lines()
    assert [each.what for each in after] == ["begins in epoch 3, and ends in epoch 4", "is on hold"]
    assert [each.time for each in after] == [each.time for each in before]


def test_workers_events_are_ordered_by_wall_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0

    def clocks(booted: int) -> None:
        clock = SimpleNamespace(time=lambda: 1e9 + now, monotonic=lambda: float(now - booted))
        monkeypatch.setattr("dropzero.worker.recorder.time", clock)

    recorders = {}
    for booted in (-5000, 0):
        clocks(booted)
        recorders[booted] = Recorder()
    for now, booted in enumerate([0, -5000, -5000, 0, -5000]):
        clocks(booted)
        recorders[booted].note(now, "is next")
    together = sorted(event for recorder in recorders.values() for event in recorder.lines())
    assert [(each.time, each.call) for each in together] == [(1e9 + call, call) for call in range(5)]


def test_a_silence_is_one_event_until_a_packet_arrives() -> None:
    array = np.ones(300, np.float32)
    lanes, recorder = Lanes(job=1, worker=0, workers=2, epoch=5, lanes=2), Recorder()
    call, silence = Call.of(array, 7, block=32), Silence(lanes, recorder, lambda: ())
    lanes.begin(call, Source.of(array), Target.new(300), 10.0)
    silence.note(7, call, 10.2)
    (line,) = recorder.lines()
    assert line.what == (
        "all_reduce of float32[300]: epoch 5, lanes 0-1 wait (round 0), nothing has arrived yet, "
        "0 retransmissions in 0.2 s"
    )
    for now in (11.0, 12.0, 13.0):
        lanes.expire(now)
        silence.note(7, call, now)
    (line,) = recorder.lines()
    assert line.what.endswith("the switch does not answer, 6 retransmissions in 3 s")
    lanes.begin(call, Source.of(array), Target.new(300), 20.0)
    silence.note(8, call, 20.5)
    assert [each.call for each in recorder.lines()] == [7, 8]


def test_a_silence_in_which_the_worker_only_asks_has_a_cause() -> None:
    """Over several switches, queries come first."""
    array = np.ones(300, np.float32)
    lanes, recorder = Lanes(job=1, worker=0, workers=2, epoch=5, lanes=2, leaf=True), Recorder()
    call, silence = Call.of(array, 7, block=32), Silence(lanes, recorder, lambda: (1,))
    lanes.begin(call, Source.of(array), Target.new(300), 10.0)
    silence.note(7, call, 10.2)
    lanes.expire(11.0)
    assert (lanes.statistics["queries"], lanes.statistics["retransmissions"]) == (2, 0)
    silence.note(7, call, 11.0)
    (line,) = recorder.lines()
    assert line.what.endswith("the switch waits for worker 1, 2 retransmissions in 1 s")


def test_a_stalled_call_logs_its_history_and_the_missing_workers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    array = np.ones(1000, np.float32)
    with loopback(tmp_path) as controller:

        def connect(rank: int) -> dropzero.Communicator:
            return dropzero.connect(controller, 1, 2, rank=rank, ip=HOST)

        networks = at_once(lambda: connect(0), lambda: connect(1))
        for _ in range(3):
            at_once(*[lambda each=each: each.all_reduce(array) for each in networks])
        assert not caplog.records
        with (
            caplog.at_level(logging.WARNING, "dropzero"),
            pytest.raises(dropzero.Stalled, match=r"the switch waits for worker 1; \d lanes wait since \d\d:\d\d:"),
        ):
            networks[0].all_reduce(array, timeout=2)
        lines = [each.getMessage() for each in caplog.records if each.name == "dropzero"]
        caplog.clear()
        # Its part of the same call: ended for both.
        with caplog.at_level(logging.WARNING, "dropzero"), pytest.raises(dropzero.Aborted):
            networks[1].all_reduce(array)
        others = [each.getMessage() for each in caplog.records if each.name == "dropzero"]
        at_once(*[each.close for each in networks])
    assert all(line.startswith("job 1 worker 0: ") for line in lines)
    assert len(lines) <= 20
    assert any("call 2 all_reduce (sum) of float32[1000]: epoch " in line and "is over" in line for line in lines)
    assert not any("call 1 " in line for line in lines)
    assert any(
        "call 3 all_reduce (sum) of float32[1000]: epoch " in line
        and "the switch waits for worker 1, " in line
        and "retransmissions in" in line
        for line in lines
    )
    assert any("call 3 is given up: Stalled: the call did not end in time" in line for line in lines)
    assert any("call 3 is on hold: this worker takes no result of it in epoch" in line for line in others)
    assert "call 3 has no result: worker 0 gave up call 3 (Stalled" in others[-1]


def test_a_trace_shows_all_workers_even_a_stuck_one_and_names_silent_ones(tmp_path: Path) -> None:
    program = [sys.executable, "-c", IDLE]
    stuck = Flag()
    with loopback(tmp_path, "--heartbeat", "60") as controller, ExitStack() as stack:
        idle = stack.enter_context(subprocess.Popen([*program, controller, HOST], stdout=subprocess.PIPE, text=True))
        stack.callback(idle.kill)
        network = dropzero.connect(controller, 1, 2, rank=0, ip=HOST)
        stack.callback(network.close)
        network.all_reduce(np.ones(10, np.float32))
        assert idle.stdout is not None
        assert idle.stdout.readline() == "done\n"

        def wait() -> None:
            with pytest.raises(dropzero.ProtocolError):
                network.barrier()
            stuck.set()

        caller = Thread(target=wait, daemon=True)
        caller.start()
        operator = stack.enter_context(Operator(controller))

        def trace(last: int = 50) -> list[tuple[int, int, str]]:
            events, silent = operator.trace(1, last)
            assert not silent
            assert [each.time for _, each in events] == sorted(each.time for _, each in events)
            return [(rank, each.call, each.what) for rank, each in events]

        while not any("the switch waits for worker 1" in what for _, _, what in trace()):
            assert not stuck.is_set()
        found = trace()
        assert {rank for rank, _, _ in found} == {0, 1}
        assert any(
            rank == 1 and what.startswith("enters epoch") and " with workers 0, 1: " in what for rank, _, what in found
        )
        assert [call for rank, call, _ in found if rank == 1][-1] == 0
        begun = [what for rank, call, what in found if rank == 1 and "digest" in what]
        assert begun[-1].endswith(", is over")
        assert [(rank, call) for rank, call, _ in trace(1)] == [(0, 1)]

        words = ["trace", "1", "--controller", controller]
        text = CliRunner().invoke(app, words, env={"COLUMNS": "300", "TERM": "dumb"}).stdout
        assert "barrier of int32[1]: epoch" in text
        assert "does not answer" not in text.replace("the switch does not answer", "")

        idle.send_signal(signal.SIGSTOP)
        try:
            shown = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
        finally:
            idle.send_signal(signal.SIGCONT)
        assert shown["silent"] == [1]
        assert {each["rank"] for each in shown["events"]} == {0}

        with pytest.raises(OperatorError, match="job 2 is not running"):
            operator.trace(2, 1)
        operator.evict(1, 0)
        caller.join(600)
        assert stuck.is_set()


def test_a_member_without_a_recorder_reports_no_events(tmp_path: Path) -> None:
    with loopback(tmp_path) as controller, Membership(controller) as member, Operator(controller) as operator:
        member.join(job=1, size=1, ip=HOST, udp_port=40001)
        assert operator.trace(1, 5) == ([], [])


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([3], "3"),
        ([0, 1, 2, 3], "0-3"),
        ([0, 1, 5, 7, 8], "0-1, 5, 7-8"),
        ([1, 3, 5, 7, 9], "5 of 1-9"),
    ],
)
def test_lanes_are_listed_if_the_list_is_short(numbers: list[int], text: str) -> None:
    assert spans_of(numbers) == text
