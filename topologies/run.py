"""A whole run: a rack, its switch, the controller, and a worker on every host, from nothing to the summary."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from protocol.lanes import Lanes
from topologies.dense import dense_uplink_bytes
from topologies.errors import RunError, SetupError
from topologies.metrics import Metrics
from topologies.plan import Plan
from topologies.plot import plot
from topologies.process import Process, wait
from topologies.progress import Display
from topologies.rack import Rack
from topologies.signals import interruptible
from topologies.summary import Summary

REFRESH = 0.25
"""Seconds between two looks at the workers' metrics."""
AFTERMATH = 0.5
"""Seconds in which the death of one program brings others down."""
BEREAVED = "lost its worker"
"""What a worker says that ends because another one did."""
JOB = 1


def run(plan: Plan, console: Console) -> Summary:
    """Trains as planned, and leaves nothing behind but the files in `plan.out`.

    Raises:
        SetupError: it cannot start as asked.
        RunError: a program of the run died, or the replicas differ.
        Interruption: a signal asked for the end.
    """
    if plan.out.exists() and any(plan.out.iterdir()):
        raise SetupError(f"{plan.out} has the files of something else; a run wants a folder of its own")
    dense_per_step = _dense_per_step(plan)
    metrics = Metrics(plan.out, plan.workers, dense_per_step)
    with (
        interruptible(),
        Rack(plan.workers, plan.out, kind=plan.switch, rate=plan.rate, pcap=plan.pcap) as rack,
    ):
        _point_latest_to(plan.out)
        console.print(f"{plan.workers} hosts, switch {rack.kind}, files in {plan.out}", highlight=False, soft_wrap=True)
        rack.start_switch()
        # What this compiles, the first time, is on disk afterwards: or every worker would compile it, all at once.
        Lanes.rehearse()
        rack.start_controller(plan.loss)
        before = _counts(rack)
        workers = [
            rack.adopt(host.launch(f"worker {rank}", _worker(plan, rack, rank), rack.logs / f"worker-{rank}.log"))
            for rank, host in enumerate(rack.hosts)
        ]
        with Display(console, plan.steps) as display:
            _watch(rack.processes, workers, metrics, display)
        uplink, downlink = (now - then for now, then in zip(_counts(rack), before, strict=True))
        kind = rack.kind
    results = [_result(plan.out, rank) for rank in range(plan.workers)]
    summary = Summary.of(results, switch=kind, uplink=uplink, downlink=downlink, dense_per_step=dense_per_step)
    summary.write(plan.out / "summary.json")
    plot(metrics.standings(), plan.out / "plot.png")
    if not summary.replicas_identical:
        digests = ", ".join(f"{result['rank']}: {result['weights_sha256'][:16]}" for result in results)
        raise RunError(f"the workers' weights differ ({digests})")
    return summary


def _dense_per_step(plan: Plan) -> int:
    """What one worker would send in one dense step, in bytes."""
    from controller.jobs import DEFAULT_LANES
    from worker.digits import load
    from worker.training import Replica, Settings

    settings = Settings(steps=plan.steps, seed=plan.seed, density=plan.density)
    try:
        replica = Replica(0, plan.workers, settings, load())
    except ValueError as error:
        raise SetupError(str(error)) from error
    return dense_uplink_bytes(replica.model.size, DEFAULT_LANES, settings.block)


def _worker(plan: Plan, rack: Rack, rank: int) -> list[str]:
    return [
        *(sys.executable, "-m", "dropzero", "worker"),
        *("--controller", f"unix:{rack.controller_socket}"),
        *("--job", str(JOB), "--rank", str(rank), "--workers", str(plan.workers)),
        *("--density", str(plan.density), "--steps", str(plan.steps), "--seed", str(plan.seed)),
        *("--out", str(plan.out)),
    ]


def _counts(rack: Rack) -> tuple[int, int]:
    return rack.uplink_bytes(), rack.downlink_bytes()


def _watch(processes: list[Process], workers: list[Process], metrics: Metrics, display: Display) -> None:
    """Shows the metrics until all workers have ended well.

    Raises:
        RunError: one of the processes died.
    """
    running = list(workers)
    while running:
        ended = wait([process for process in processes if process not in workers or process in running], REFRESH)
        if any(process not in running or process.status != 0 for process in ended):
            raise RunError(_culprit(processes, workers).obituary())
        for process in ended:
            running.remove(process)
        metrics.update()
        standing = metrics.latest()
        if standing is not None:
            display.show(standing)


def _culprit(processes: list[Process], workers: list[Process]) -> Process:
    """Of the processes that end one after the other, the one that pulled the others along.

    One that was killed; else one that does not complain of another worker's end; else the first to be started.
    """
    deadline = time.monotonic() + AFTERMATH
    alive = processes
    while alive:
        alive = [process for process in processes if process.status is None]
        dead = [process for process in processes if process not in alive and (process.status or process not in workers)]
        killed = [process for process in dead if (process.status or 0) < 0]
        if killed or not wait(alive, max(0.0, deadline - time.monotonic())):
            break
    return min(killed or dead, key=lambda process: BEREAVED in "".join(process.tail()[-1:]))


def _result(out: Path, rank: int) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((out / f"worker-{rank}" / "result.json").read_text())
    return result


def _point_latest_to(out: Path) -> None:
    """Makes `latest`, beside the run's folder, a link to it."""
    link = out.parent / "latest"
    partial = out.parent / f".latest-{os.getpid()}"
    partial.symlink_to(out.name)
    # Where `latest` is a real folder somebody wants it so.
    with suppress(IsADirectoryError):
        partial.replace(link)
    partial.unlink(missing_ok=True)
