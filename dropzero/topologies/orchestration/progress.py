"""Shows the progress of a run: a live display in a terminal, a few lines elsewhere."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console, Group
from rich.filesize import decimal
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from dropzero.topologies.orchestration.board import Board
from dropzero.topologies.orchestration.metrics import Standing

EVERY = 5.0
"""Seconds between two lines without a terminal."""
REFRESH = 0.5
"""Seconds between two changes of the display in a terminal."""


def cells(standing: Standing) -> dict[str, str]:
    """Returns the displayed texts of a standing, by title."""
    return {
        "minibatch loss": f"{standing.loss:.4f}",
        "accuracy": "-" if standing.accuracy is None else f"{standing.accuracy:.4f}",
        "sent": decimal(standing.sent),
        "dense": decimal(standing.dense),
        "sent/dense": f"{standing.sent / standing.dense:.3f}",
        "retransmissions": str(standing.retransmissions),
    }


class Display:
    """A context manager that shows standings and, in a terminal, a board's tables below them."""

    def __init__(self, console: Console, steps: int, board: Board | None = None) -> None:
        self._console = console
        self._steps = steps
        self._board = board
        self._finished = False
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("steps"),
            TimeElapsedColumn(),
            console=console,
        )
        self._task = self._bar.add_task("", total=steps)
        self._live = Live(self._bar, console=console, auto_refresh=False) if console.is_terminal else None
        self._due = time.monotonic() + (EVERY if self._live is None else 0.0)

    def show(self, standing: Standing) -> None:
        """Shows a standing if the next refresh is due; always shows the last one, once."""
        now = time.monotonic()
        finished = standing.step == self._steps
        if self._finished or (now < self._due and not finished):
            return
        self._finished = finished
        self._due = now + (EVERY if self._live is None else REFRESH)
        if self._live is not None:
            table = Table(expand=True, box=None)
            for title in cells(standing):
                table.add_column(title, justify="right")
            table.add_row(*cells(standing).values())
            self._bar.update(self._task, completed=standing.step)
            self._live.update(Group(self._bar, table, *(self._board.tables() if self._board else ())), refresh=True)
        else:
            words = "  ".join(f"{title} {value}" for title, value in cells(standing).items())
            self._console.print(f"step {standing.step}/{self._steps}  {words}", highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
