"""A run's workers, links and slots at one moment, as tables for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from dropzero.units import bits

Sample = Mapping[str, Any]
"""As in dropzero.page.samples."""


class Board:
    """Remembers the samples that a table needs: the last two, and each switch's last reading."""

    def __init__(self, heading: Sample) -> None:
        """heading: the first line of the samples."""
        self._heading = heading
        self._now: Sample | None = None
        self._before: Sample | None = None
        self._states: dict[str, Sample] = {}

    def take(self, sample: Sample) -> None:
        """Adds a sample."""
        self._before, self._now = self._now, sample
        self._states |= sample["switches"]

    def tables(self) -> list[Table]:
        """Workers and links, then switches and slots; nothing before the first sample."""
        return [] if self._now is None else [self._workers(self._now), self._switches()]

    def _workers(self, now: Sample) -> Table:
        jobs = len(now["jobs"]) > 1
        table = _table("host", *["job"] * jobs, "worker", "up", "down", "dropped", "lanes", "marked", "sent again")
        links = {low: index for index, (low, _) in enumerate(self._heading["links"])}
        for host, (job, rank) in self._heading["hosts"].items():
            at = links[host]
            rates = [bits(8 * self._rate(at, column)) for column in (1, 3)]
            known = {number: counts for number, *counts in now["workers"][job - 1]}
            counts = ["killed", "", ""] if host in now["gone"] else list(map(str, known.get(rank, ("-", "-", "-"))))
            place = [host, *[str(job)] * jobs, str(rank)]
            table.add_row(*place, *rates, str(now["links"][at][4]), *counts, style="red" if host in now["gone"] else "")
        return table

    def _rate(self, link: int, column: int) -> float:
        """The growth of a link's count per second since the last sample."""
        assert self._now is not None
        before, since = (0, 0.0) if self._before is None else (self._before["links"][link][column], self._before["t"])
        return float((self._now["links"][link][column] - before) / max(1e-3, self._now["t"] - since))

    def _switches(self) -> Table:
        table = _table("switch", "in", "out", "slots", "waiting", "marked", "waits for worker")
        for name in self._heading["switches"]:
            if name in self._states:
                table.add_row(name, *map(bits, self._load(name)), *_slots(self._states[name]))
        return table

    def _load(self, switch: str) -> tuple[float, float]:
        """The bits a second into and out of a switch, in the same time as those of the hosts."""
        ends = [(index, end.index(switch)) for index, end in enumerate(self._heading["links"]) if switch in end]
        # What comes up a link comes from its lower end.
        into, out = (sum(8 * self._rate(at, 1 if high == way else 3) for at, high in ends) for way in (1, 0))
        return into, out


def _slots(state: Sample) -> list[str]:
    if "error" in state:
        return ["no answer"]
    if "slots" not in state:
        return ["not readable"]
    waiting = [slot for slot in state["slots"] if slot[4] and slot[5]]
    late = 0
    for slot in waiting:
        late |= slot[5]
    ranks = [str(rank) for rank in range(late.bit_length()) if late >> rank & 1]
    named = " ".join(ranks) if len(ranks) <= 8 else f"{len(ranks)} of them"
    marked = sum(bool(slot[6]) for slot in state["slots"])
    return [*map(str, (len(state["slots"]), len(waiting), marked)), named or "-"]


def _table(*headings: str) -> Table:
    table = Table(expand=True, box=None, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("host", "switch") else "right", no_wrap=True)
    return table
