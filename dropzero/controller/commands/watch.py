"""A live view of a switch and its controller."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from contextlib import nullcontext
from itertools import count as counting
from typing import Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from dropzero.controller.switches.switch import Switch
from dropzero.membership.access import Credentials
from dropzero.membership.operator_client import Operator, OperatorError

LINES = 12
"""How many of the controller's reports are shown."""


class _Reports:
    """The controller's latest reports; without a controller, the error."""

    def __init__(self, controller: str, credentials: Credentials) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        self._fresh: deque[str] = deque()
        try:
            self._operator: Operator | None = Operator(controller, credentials=credentials, timeout=1)
        except OperatorError as error:
            self._operator = None
            self._take(str(error))
        else:
            threading.Thread(target=self._follow, args=(self._operator,), daemon=True).start()

    def _follow(self, operator: Operator) -> None:
        try:
            for line in operator.watch():
                self._take(line)
        except OperatorError as error:
            self._take(str(error))

    def _take(self, line: str) -> None:
        self._lines.append(line)
        self._fresh.append(line)

    def latest(self) -> list[str]:
        return list(self._lines)

    def fresh(self) -> list[str]:
        """The reports since the last call."""
        return [self._fresh.popleft() for _ in range(len(self._fresh))]

    def close(self) -> None:
        if self._operator is not None:
            self._operator.close()


def watching(
    switch: Switch, controller: str, credentials: Credentials, interval: float, count: int | None, *, as_json: bool
) -> None:
    """Shows the view until Ctrl-C, or `count` times."""
    reports = _Reports(controller, credentials)
    before: dict[str, int] = {}
    try:
        with nullcontext() if as_json else Live(auto_refresh=False) as live:
            for look in counting(1):
                jobs = [
                    {"job": job.id, "epoch": job.epoch, "lanes": job.lanes, "members": list(job.members)}
                    for job in switch.jobs()
                ]
                now = {fate.name.lower(): cell.packets for fate, cell in switch.fates().items()}
                now |= switch.deliveries()
                if live is None:
                    typer.echo(json.dumps({"jobs": jobs, "packets": now, "reports": reports.fresh()}))
                else:
                    live.update(_view(jobs, now, before, interval, reports.latest()), refresh=True)
                before = now
                if look == count:
                    return
                time.sleep(interval)
    except KeyboardInterrupt:
        return
    finally:
        reports.close()


def _view(
    jobs: list[dict[str, Any]], now: dict[str, int], before: dict[str, int], interval: float, reports: list[str]
) -> Group:
    running = Table("job", "epoch", "lanes", "members", title="jobs")
    for job in jobs:
        running.add_row(str(job["job"]), str(job["epoch"]), str(job["lanes"]), " ".join(map(str, job["members"])))
    packets = Table("packets", "total", "per second", title="switch")
    for name, total in now.items():
        if total:
            rate = (total - before.get(name, total)) / interval
            packets.add_row(name, str(total), f"{rate:.0f}")
    return Group(running, packets, Text("\n".join(reports)))
