"""The workers of one job of a run, each on its own host."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.orchestration.metrics import Metrics
from dropzero.topologies.orchestration.plan import Plan
from dropzero.topologies.orchestration.plot import Kills, plot
from dropzero.topologies.orchestration.summary import Summary
from dropzero.topologies.processes.process import Process


class Team:
    """One job's hosts and workers, by rank.

    Attributes:
        workers: the processes that must end with status 0, by rank.
        killed: the ranks of those that were killed.
        metrics: the workers' metrics.
    """

    def __init__(self, plan: Plan, network: EmulatedNetwork, job: int, dense_per_step: int) -> None:
        """Takes the job's hosts: all of them if there is only one job, else the same number from each rack.

        Args:
            job: the job's number, from 0.
            dense_per_step: bytes of one worker's dense step.
        """
        size = plan.workers // plan.racks
        shares = [host for rack in network.racks for host in rack[job * size :][:size]]
        self.hosts = network.hosts if plan.jobs == 1 else shares
        self.folder = plan.folders[job]
        self.metrics = Metrics(self.folder, plan.workers, dense_per_step)
        self.workers: dict[int, Process] = {}
        self.killed: list[int] = []
        self._plan, self._network, self._job = plan, network, job

    def start(self) -> None:
        """Starts the workers."""
        self.folder.mkdir(exist_ok=True)
        self._before = self._counts()
        for rank, host in enumerate(self.hosts):
            name = f"worker {rank}" if self._plan.jobs == 1 else f"job {self._job + 1}, worker {rank}"
            log = self._network.logs / f"{name.replace(', ', '-').replace(' ', '-')}.log"
            self.workers[rank] = self._network.adopt(host.launch(name, self._command(rank), log))

    def _command(self, rank: int) -> list[str]:
        plan = self._plan
        return [
            *(sys.executable, "-m", "dropzero", "worker"),
            *("--controller", f"unix:{self._network.controller_socket}"),
            *("--job", str(self._job + 1), "--rank", str(rank), "--workers", str(plan.workers)),
            *("--compress", plan.compress, "--steps", str(plan.steps), "--seed", str(plan.seed)),
            *("--out", str(self.folder)),
        ]

    def lose(self, rank: int) -> None:
        """Continues without a worker that was killed."""
        self.metrics.lose(rank)
        self.killed.append(rank)
        del self.workers[rank]

    def stop_counting(self) -> None:
        """Excludes later traffic from the summary."""
        self._sent = [now - then for now, then in zip(self._counts(), self._before, strict=True)]

    def _counts(self) -> tuple[int, int, int]:
        """Returns the bytes sent by the hosts, to the hosts, and by all leaves to the spine."""
        trunk = sum(self._network.trunk_bytes().values())
        return self._network.uplink_bytes(self.hosts), self._network.downlink_bytes(self.hosts), trunk

    def finish(self, kills: Kills, *, plotted: bool) -> Summary:
        """Writes the job's summary, and its plot if `plotted`. Returns the summary. kills: processes killed during the
        run."""
        self.metrics.update()
        standings = self.metrics.standings()
        uplink, downlink, trunk = self._sent
        summary = Summary.of(
            [_result(self.folder, rank) for rank in self.workers],
            self._plan,
            standings[-1],
            switch=self._network.kind,
            uplink=uplink,
            downlink=downlink,
            trunk=trunk,
            killed=self.killed,
        )
        summary.write(self.folder / "summary.json")
        if plotted:
            title = f"{self._plan}, {self._network.kind}"
            plot(standings, self.folder / "plot.png", title, self.metrics.spreads(), kills)
        return summary


def _result(folder: Path, rank: int) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / f"worker-{rank}" / "result.json").read_text())
    return result
