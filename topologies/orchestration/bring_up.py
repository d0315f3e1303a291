"""Bring up a network with its switches and controller, so that workers can join."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

from rich.console import Console

from dropzero.topologies.networks.described import Described
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.orchestration.plan import NetworkPlan
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.signals import interruptible
from dropzero.worker.pump import rehearse

SLOW = 4.0
"""Seconds that a start takes when everything is compiled, and some to spare."""


@contextmanager
def brought_up(
    plan: NetworkPlan, console: Console, rehearse_more: Callable[[], None] = lambda: None
) -> Iterator[EmulatedNetwork]:
    """A context with the network, which leaves nothing behind but the files in `plan.out`. An ending signal raises
    Interruption in it.

    `rehearse_more`: compiles to disk what all workers would otherwise compile at once, beside what `connect` needs.

    Raises:
        SetupError: it cannot start as asked.
        RunError: a program did not come up.
    """
    _check_empty(plan.out)
    with interruptible(), network_of(plan) as network:
        _point_latest_to(plan.out)
        size = f"{len(network.hosts)} hosts" if plan.racks == 1 else f"{plan.racks} racks, {len(network.hosts)} hosts"
        console.print(
            f"{network.name}: {size}, switch {network.kind}, files in {plan.out}", highlight=False, soft_wrap=True
        )
        with explained(console):
            network.start_switches()
            rehearse()
            rehearse_more()
            network.start_controller(plan.loss)
        yield network


@contextmanager
def explained(console: Console, after: float = SLOW) -> Iterator[None]:
    """Says why, if the block takes longer than that, in seconds."""
    line = "still starting: code is compiled when it first runs on a machine, which takes up to a minute"
    timer = Timer(after, console.print, [line], {"soft_wrap": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _check_empty(out: Path) -> None:
    """Raises SetupError if a run's files cannot go there."""
    try:
        taken = out.exists() and any(out.iterdir())
    except OSError as error:
        raise SetupError(f"cannot write to {out}: {error.strerror}") from error
    if taken:
        raise SetupError(f"{out} has the files of something else; a run wants a folder of its own")


def network_of(plan: NetworkPlan) -> EmulatedNetwork:
    """Return the network for a plan, not started yet.

    Raises:
        SetupError: there is no such network.
    """
    hosts = plan.jobs * plan.workers
    if plan.topology is not None:
        if plan.jobs > 1:
            raise SetupError("the hosts of a --topology are for one job")
        return Described(
            plan.topology,
            plan.out,
            name=plan.name,
            kind=plan.switch,
            rate=plan.rate,
            trunk_rate=plan.trunk_rate,
            pcap=plan.pcap,
            faults=plan.faults,
        )
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


def _point_latest_to(out: Path) -> None:
    """Make `latest`, beside the run's folder, a link to it."""
    link = out.parent / "latest"
    partial = out.parent / f".latest-{os.getpid()}"
    # Not if `latest` is a real folder, or nothing can be written beside the run's own.
    with suppress(OSError):
        partial.symlink_to(out.name)
        try:
            partial.replace(link)
        finally:
            partial.unlink(missing_ok=True)
