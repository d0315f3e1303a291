"""Watches a run, and finds the process that failed first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.orchestration.metrics import Standing
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.process import Process, wait

REFRESH = 0.1
"""Seconds between two reads of the workers' metrics."""
AFTERMATH = 0.5
"""Seconds within which the end of one program makes others end."""
LOST_PEER = "lost its worker"
"""Text in the log of a worker that ends because another worker ended."""


def watch(network: EmulatedNetwork, teams: list[Team]) -> Iterator[Standing]:
    """Yields the standing of the slowest job, with the retransmissions of all jobs, until all workers have ended
    successfully. Raises RunError if one of the processes died."""
    running = True
    while running:
        workers = [worker for team in teams for worker in team.workers.values()]
        others = [process for process in network.processes if process not in workers]
        alive = [worker for worker in workers if worker.status is None]
        ended = wait([*others, *alive], REFRESH) if alive else []
        if any(process in others for process in ended) or any(worker.status for worker in workers):
            raise RunError(_culprit(network.processes, workers).failure_report())
        running = any(worker.status is None for worker in workers)
        for team in teams:
            team.metrics.update()
        standings = [standing for team in teams if (standing := team.metrics.latest()) is not None]
        if len(standings) == len(teams):
            slowest = min(standings, key=lambda standing: standing.step)
            yield replace(slowest, retransmissions=sum(each.retransmissions for each in standings))


def _culprit(processes: list[Process], workers: list[Process]) -> Process:
    """Returns the process that probably failed first: one that was killed; or else one whose log does not blame the end
    of another worker; or else the one that was started first."""
    deadline = time.monotonic() + AFTERMATH
    alive = processes
    while alive:
        alive = [process for process in processes if process.status is None]
        dead = [process for process in processes if process not in alive and (process.status or process not in workers)]
        killed = [process for process in dead if (process.status or 0) < 0]
        if killed or not wait(alive, max(0.0, deadline - time.monotonic())):
            break
    return min(killed or dead, key=lambda process: LOST_PEER in "".join(process.tail()[-1:]))
