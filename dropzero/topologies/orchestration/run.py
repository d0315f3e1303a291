"""A whole run: network, switches, controller and workers, from start-up to the summary."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from dropzero.compressors.compression import Compression
from dropzero.protocol.lanes.chunks import occupied
from dropzero.protocol.wire import OUTER_BYTES, blocks_per_packet, payload_bytes
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.orchestration.bring_up import brought_up
from dropzero.topologies.orchestration.metrics import Standing
from dropzero.topologies.orchestration.plan import KillTarget, Plan
from dropzero.topologies.orchestration.progress import Display
from dropzero.topologies.orchestration.recorder import Recorder, recorded
from dropzero.topologies.orchestration.summary import Summary
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.topologies.processes.process import Process, wait

if TYPE_CHECKING:
    from dropzero.topologies.orchestration.tensorboard import Logs


@dataclass(frozen=True)
class Trained:
    """A run that has ended well. url: where its page is served; None: nowhere."""

    summaries: list[Summary]
    url: str | None


@contextmanager
def trained(
    plan: Plan, console: Console, *, page: bool = False, plot: bool = False, tensorboard: bool = False
) -> Iterator[Trained]:
    """Trains as planned, and leaves only the files in `plan.out` behind. In the context, the network is down, and only
    the page is still served.

    Args:
        page: record samples, and serve the run's page.
        plot: draw a plot for each job.
        tensorboard: write logs for TensorBoard.

    Raises:
        SetupError: the options or this machine do not allow it.
        RunError: a program of the run died, or the replicas differ.
        Interruption: a signal asked the run to end.
    """
    dense_per_step = _dense_per_step(plan)
    recorder: Recorder | None = None
    with ExitStack() as outlasting:
        with brought_up(plan, console, lambda: Compression.rehearse(plan.compress)) as network:
            teams = [Team(plan, network, job, dense_per_step) for job in range(plan.jobs)]
            faults = FaultInjection(plan.kill, plan.steps, plan.loss, network, teams[0])
            if page:
                recorder = outlasting.enter_context(recorded(plan, network, teams, console))
            logs = [outlasting.enter_context(_logs(team.folder)) for team in teams if tensorboard]
            for team in teams:
                team.start()
            with Display(console, plan.steps, recorder.board if recorder else None) as display:
                for standing in watch(network, teams):
                    display.show(standing)
                    for log, team in zip(logs, teams, strict=False):
                        log.follow(team.metrics)
                    faults.after(standing.step)
                    if recorder is not None:
                        recorder.sample(faults.kills)
            for team in teams:
                team.stop_counting()
            if recorder is not None:
                recorder.finish(faults.kills)
        summaries = [team.finish(faults.kills, plotted=plot) for team in teams]
        for team, summary in zip(teams, summaries, strict=True):
            if not summary.replicas_identical:
                raise RunError(f"the workers' weights differ: see weights_sha256 in {team.folder}/worker-*/result.json")
        if recorder is not None:
            recorder.end({"summaries": [asdict(summary) for summary in summaries]})
        yield Trained(summaries, recorder.url if recorder else None)


def _logs(folder: Path) -> Logs:
    # Importing it takes a tenth of a second.
    from dropzero.topologies.orchestration.tensorboard import Logs

    return Logs(folder / "tensorboard")


def _dense_per_step(plan: Plan) -> int:
    """Returns the bytes that one worker would send in one dense step."""
    from dropzero.compressors.network import wire_block
    from dropzero.compressors.rules import Rules
    from dropzero.controller.jobs.jobs import DEFAULT_LANES
    from dropzero.problems.digits import load
    from dropzero.training.replica import Replica, Settings

    settings = Settings(steps=plan.steps, seed=plan.seed, compress=plan.compress)
    try:
        replica = Replica(0, plan.workers, settings, load())
        spec = Rules.parse(plan.compress).default
    except ValueError as error:
        raise SetupError(str(error)) from error
    return dense_uplink_bytes(replica.model.size, DEFAULT_LANES, wire_block(spec.sparsifier.block, 32))


class FaultInjection:
    """Kills its targets one by one, after equal parts of the training.

    Attributes:
        kills: (step, name) of each process killed so far.
    """

    def __init__(
        self, targets: Sequence[KillTarget], steps: int, loss: float, network: EmulatedNetwork, team: Team
    ) -> None:
        """steps: the training steps of the run. loss: as for the controller. team: that of the first job."""
        self._due = [(steps * part // (len(targets) + 1), target) for part, target in enumerate(targets, 1)]
        self._loss, self._network, self._team = loss, network, team
        self.kills: list[tuple[int, str]] = []

    def after(self, step: int) -> None:
        """Kills the targets that are due after `step` steps. Restarts a killed switch or controller at once."""
        while self._due and self._due[0][0] <= step:
            _, target = self._due.pop(0)
            if target is KillTarget.WORKER:
                rank = max(self._team.workers)
                self._kill(step, self._team.workers[rank])
                self._team.lose(rank)
            elif target is KillTarget.SWITCH:
                switch = self._network.switches[0]
                assert switch.process is not None
                self._kill(step, switch.process)
                self._network.start_switches([switch])
            else:
                assert self._network.controller is not None
                self._kill(step, self._network.controller)
                self._network.start_controller(self._loss)

    def _kill(self, step: int, process: Process) -> None:
        self.kills.append((step, process.name))
        process.signal(signal.SIGKILL)
        process.reap()
        self._network.processes.remove(process)


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


ELEMENT_BYTES = 4


def dense_uplink_bytes(elements: int, lanes: int, block: int) -> int:
    """Returns the bytes that one worker sends to reduce one array without zero blocks, with Ethernet headers.

    With C blocks per packet and B = ceil(elements / block) blocks on L lanes, block b belongs to lane (b mod L C) div
    C. Lane l sends one packet for the first announcement and one for each of its ceil((B - l C) / (L C)) rounds, each
    with the headers and C column descriptors. Every block is sent once, the last one padded with zeros.

    Args:
        elements: of the array, of float32. A small one of integers takes one round less.
        lanes: packets that a worker may have in flight.
        block: elements in a block.
    """
    columns = blocks_per_packet(block)
    blocks = -(-elements // block)
    lanes = occupied(blocks, columns, lanes)
    stride = lanes * columns
    packets = sum(1 - (lane * columns - blocks) // stride for lane in range(lanes))
    return packets * (OUTER_BYTES + payload_bytes(columns, 0)) + blocks * block * ELEMENT_BYTES
