"""The display of a run in a terminal, and its lines in a file."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console, Group

from dropzero.topologies.orchestration.board import Board
from dropzero.topologies.orchestration.metrics import Standing
from dropzero.topologies.orchestration.progress import Display
from tests.support.recorded_run import HEADING, KILLED, SLOTS, sample


def lines(board: Board, width: int = 80) -> list[str]:
    console = Console(file=StringIO(), width=width)
    with console.capture() as shown:
        console.print(Group(*board.tables()))
    return shown.get().splitlines()


def test_the_board_shows_the_latest_sample() -> None:
    board = Board(HEADING)
    assert board.tables() == []
    for number in range(KILLED):
        board.take(sample(number))
    heading, first, second, switches, switch = map(str.split, lines(board))
    assert heading == ["host", "worker", "up", "down", "dropped", "lanes", "marked", "sent", "again"]
    # 10,000 bytes up a second, and 20,000 down.
    assert first == ["h1", "0", "80", "kbit/s", "160", "kbit/s", "0", "16", "14", "7"]
    assert second == ["h2", "1", "80", "kbit/s", "160", "kbit/s", "0", "8", "7", "0"]
    assert switches[:3] == ["switch", "in", "out"]
    # The sum of both hosts. Worker 1 is missing in all slots; one is marked.
    assert switch == ["s1", "160", "kbit/s", "320", "kbit/s", str(SLOTS), str(SLOTS), "1", "1"]
    board.take(sample(KILLED))
    assert "killed" in lines(board)[2]


def many(jobs: int, workers: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The heading and a sample of a large run with large numbers."""
    hosts = {f"h{workers * job + rank + 1}": [job + 1, rank] for job in range(jobs) for rank in range(workers)}
    slot = [[64, 1, 10**6, 10**6, 1, (1 << workers) - 2, 1]]
    switch = {"slots": slot * 1024, "fates": {}, "delivered": 10**9, "lost": 0}
    switches = [f"s{number}" for number in range(1, 14)]
    heading = {"hosts": hosts, "links": [[host, "s1"] for host in hosts], "switches": switches}
    workers_of = [[[rank, 256, 10**7, 10**7] for rank in range(workers)]] * jobs
    links = [[10**9, 123 * 10**9, None, 456 * 10**9, 10**6]] * len(hosts)
    now = {"t": 1000.0, "links": links, "jobs": [[]] * jobs, "workers": workers_of, "gone": ["h1"]}
    return heading, now | {"switches": dict.fromkeys(switches, switch)}


@pytest.mark.parametrize(("jobs", "workers"), [(1, 32), (8, 4)])
def test_large_runs_fit_80_columns(jobs: int, workers: int) -> None:
    heading, now = many(jobs, workers)
    board = Board(heading)
    board.take(now)
    shown = lines(board)
    assert max(map(len, shown)) <= 80
    assert not any("…" in line for line in shown)
    assert len(shown) == 1 + jobs * workers + 1 + 13


def test_a_switch_without_answer_or_registers_is_marked() -> None:
    board = Board(HEADING)
    state = sample(0)["switches"]["s1"]
    board.take(sample(0) | {"switches": {"s1": {key: state[key] for key in ("fates", "delivered", "lost")}}})
    assert "not readable" in lines(board)[-1]
    board.take(sample(1) | {"switches": {"s1": {"error": "it is down"}}})
    assert "no answer" in lines(board)[-1]
    board.take(sample(3))
    assert lines(board)[-1].split()[5:7] == [str(SLOTS), str(SLOTS)]


def standing(step: int) -> Standing:
    return Standing(step, loss=0.5, accuracy=None, sent=900, dense=10_000, retransmissions=3)


def test_a_file_gets_a_line_every_few_seconds_and_the_last_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("dropzero.topologies.orchestration.progress.time.monotonic", lambda: now)
    file = StringIO()
    with Display(Console(file=file, width=80), 1000) as display:
        for step in (*range(1, 1001), 1000):
            now = step / 50
            display.show(standing(step))
    steps = [line.split()[1] for line in file.getvalue().splitlines()]
    assert steps == ["250/1000", "500/1000", "750/1000", "1000/1000"]


def test_a_terminal_shows_the_board_below_the_progress() -> None:
    board = Board(HEADING)
    board.take(sample(0))
    console = Console(file=StringIO(), width=80, force_terminal=True)
    with Display(console, 1000, board) as display:
        display.show(standing(1000))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "1000/1000" in shown
    assert "sent again" in shown
    assert "waits for worker" in shown
