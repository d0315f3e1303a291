"""A whole run: network, switches, controller and workers, from nothing to the summary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

from rich.console import Console

from dropzero.compressors.compression import Compression
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.orchestration.dense import dense_uplink_bytes
from dropzero.topologies.orchestration.fault_injection import FaultInjection
from dropzero.topologies.orchestration.plan import Plan
from dropzero.topologies.orchestration.progress import Display
from dropzero.topologies.orchestration.summary import Summary
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.orchestration.watch import watch
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.topologies.processes.signals import interruptible
from dropzero.worker.pump import rehearse

SLOW = 4.0
"""Upper bound on the seconds that a start takes when everything is compiled."""


def run(plan: Plan, console: Console) -> list[Summary]:
    """Train as planned, and leave only the files in `plan.out` behind. Returns a summary for each job.

    Raises:
        SetupError: it cannot start as asked.
        RunError: a program of the run died, or the replicas differ.
        Interruption: a signal asked the run to end.
    """
    _check_empty(plan.out)
    dense_per_step = _dense_per_step(plan)
    with interruptible(), network_of(plan) as network:
        _point_latest_to(plan.out)
        size = f"{len(network.hosts)} hosts" if plan.racks == 1 else f"{plan.racks} racks, {len(network.hosts)} hosts"
        console.print(
            f"{network.name}: {size}, switch {network.kind}, files in {plan.out}", highlight=False, soft_wrap=True
        )
        with explained(console):
            network.start_switches()
            # Fills the compilation cache, or all workers would compile at the same time.
            rehearse()
            Compression.rehearse(plan.compress)
            network.start_controller(plan.loss)
        teams = [Team(plan, network, job, dense_per_step) for job in range(plan.jobs)]
        faults = FaultInjection(plan.kill, plan.steps, plan.loss, network, teams[0])
        for team in teams:
            team.start()
        with Display(console, plan.steps) as display:
            for standing in watch(network, teams):
                display.show(standing)
                faults.after(standing.step)
        for team in teams:
            team.stop_counting()
    summaries = [team.finish(faults.kills) for team in teams]
    for team, summary in zip(teams, summaries, strict=True):
        if not summary.replicas_identical:
            raise RunError(f"the workers' weights differ: see weights_sha256 in {team.folder}/worker-*/result.json")
    return summaries


@contextmanager
def explained(console: Console, after: float = SLOW) -> Iterator[None]:
    """Print the reason if the block takes longer than `after` seconds."""
    line = "still starting: code is compiled when it first runs on a machine, which takes up to a minute"
    timer = Timer(after, console.print, [line], {"soft_wrap": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _check_empty(out: Path) -> None:
    """Raise SetupError if a run's files cannot be written there."""
    try:
        taken = out.exists() and any(out.iterdir())
    except OSError as error:
        raise SetupError(f"cannot write to {out}: {error.strerror}") from error
    if taken:
        raise SetupError(f"{out} has the files of something else; a run wants a folder of its own")


def network_of(plan: Plan) -> EmulatedNetwork:
    """Return the network for a plan, not started yet.

    Raises:
        SetupError: there is no such network.
    """
    hosts = plan.jobs * plan.workers
    if plan.racks == 1:
        return Rack(
            hosts, plan.out, name=plan.name, kind=plan.switch, rate=plan.rate, pcap=plan.pcap, faults=plan.faults
        )
    if plan.workers % plan.racks:
        raise SetupError(f"{plan.workers} workers cannot be shared out evenly among {plan.racks} racks")
    return Racks(
        plan.racks,
        hosts // plan.racks,
        plan.out,
        name=plan.name,
        kind=plan.switch,
        rate=plan.rate,
        trunk_rate=plan.trunk_rate,
        pcap=plan.pcap,
        faults=plan.faults,
    )


def _dense_per_step(plan: Plan) -> int:
    """Return the bytes that one worker would send in one dense step."""
    from dropzero.compressors.network import wire_block
    from dropzero.compressors.spec import Spec
    from dropzero.controller.jobs.jobs import DEFAULT_LANES
    from dropzero.problems.digits import load
    from dropzero.training.replica import Replica, Settings

    settings = Settings(steps=plan.steps, seed=plan.seed, compress=plan.compress)
    try:
        replica = Replica(0, plan.workers, settings, load())
        spec = Spec.parse(plan.compress)
    except ValueError as error:
        raise SetupError(str(error)) from error
    return dense_uplink_bytes(replica.model.size, DEFAULT_LANES, wire_block(spec.sparsifier.block, 32))


def _point_latest_to(out: Path) -> None:
    """Make `latest`, next to the run's folder, a link to it."""
    link = out.parent / "latest"
    partial = out.parent / f".latest-{os.getpid()}"
    # Fails harmlessly if `latest` is a real folder, or its parent is not writable.
    with suppress(OSError):
        partial.symlink_to(out.name)
        try:
            partial.replace(link)
        finally:
            partial.unlink(missing_ok=True)
