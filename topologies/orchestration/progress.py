"""Progress of a run: a live display in a terminal, a few lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.filesize import decimal
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from dropzero.topologies.orchestration.metrics import Standing

LINES = 10
"""Lines that a run without a terminal prints."""


def cells(standing: Standing) -> dict[str, str]:
    """Return the displayed texts of a standing, by title."""
    return {
        "loss": f"{standing.loss:.4f}",
        "accuracy": "-" if standing.accuracy is None else f"{standing.accuracy:.4f}",
        "sent": decimal(standing.sent),
        "dense": decimal(standing.dense),
        "sent/dense": f"{standing.sent / standing.dense:.3f}",
        "retransmissions": str(standing.retransmissions),
    }


class Display:
    """A context manager that shows standings."""

    def __init__(self, console: Console, steps: int) -> None:
        self._console = console
        self._steps = steps
        self._shown = 0
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

    def show(self, standing: Standing) -> None:
        """Show a standing; without a terminal only every tenth of the steps."""
        if self._live is not None:
            table = Table(expand=True, box=None)
            for title in cells(standing):
                table.add_column(title, justify="right")
            table.add_row(*cells(standing).values())
            self._bar.update(self._task, completed=standing.step)
            self._live.update(Group(self._bar, table), refresh=True)
        elif standing.step > self._shown and (
            standing.step == self._steps or standing.step - self._shown >= self._steps / LINES
        ):
            self._shown = standing.step
            words = "  ".join(f"{title} {value}" for title, value in cells(standing).items())
            self._console.print(f"step {standing.step}/{self._steps}  {words}", highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
