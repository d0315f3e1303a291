"""Brings up a network with its switches and controller, so that workers can join."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

from rich.console import Console

from dropzero.topologies.networks.described import Described
from dropzero.topologies.networks.network import EmulatedNetwork, Options
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.orchestration.plan import NetworkPlan
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.signals import interruptible
from dropzero.worker.pump import rehearse

SLOW = 4.0
"""Seconds that a start takes at most if all code is compiled already."""


@contextmanager
def brought_up(
    plan: NetworkPlan, console: Console, rehearse_more: Callable[[], None] = lambda: None
) -> Iterator[EmulatedNetwork]:
    """A context with the network. It leaves nothing behind but the files in `plan.out`. An ending signal raises
    Interruption in it.

    Args:
        rehearse_more: compiles code to disk that all workers would otherwise compile at once, beyond what `connect`
            needs.

    Raises:
        SetupError: the options or this machine do not allow it.
        RunError: a program did not start.
    """
    _check_empty(plan.out)
    with interruptible(), network_of(plan) as network:
        _point_latest_to(plan.out)
        size = f"{len(network.hosts)} hosts" if plan.racks == 1 else f"{plan.racks} racks, {len(network.hosts)} hosts"
        console.print(
            f"{network.name}: {size}, switch {network.kind}, files in {plan.out}", highlight=False, soft_wrap=True
        )
        if ports := [str(port) for switch in network.switches if (port := switch.thrift_port) is not None]:
            console.print(
                f"other machines can change the switches at TCP port {', '.join(ports)}: BMv2 serves Thrift on all "
                "addresses, unlike the embedded switch",
                highlight=False,
                soft_wrap=True,
            )
        with explained(console):
            network.start_switches()
            rehearse()
            rehearse_more()
            network.start_controller(plan.loss)
        yield network


@contextmanager
def explained(console: Console, after: float = SLOW) -> Iterator[None]:
    """A context that explains the delay if it takes longer than `after` seconds."""
    line = "still starting: the code is compiled when it first runs on a machine, which takes up to a minute"
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
        raise SetupError(f"{out} is not empty; a run needs a folder of its own")


def network_of(plan: NetworkPlan) -> EmulatedNetwork:
    """Returns the network for a plan, not started yet. Raises SetupError if the options or this machine do not allow
    it."""
    hosts = plan.jobs * plan.workers
    options = Options(
        name=plan.name,
        kind=plan.switch,
        rate=plan.rate,
        trunk_rate=plan.trunk_rate,
        pcap=plan.pcap,
        faults=plan.faults,
        ports=plan.ports,
    )
    if plan.topology is not None:
        if plan.jobs > 1:
            raise SetupError("--topology allows only one job")
        return Described(plan.topology, plan.out, **options)
    if plan.racks == 1:
        return Rack(hosts, plan.out, **options)
    if plan.workers % plan.racks:
        raise SetupError(f"{plan.workers} workers cannot be divided evenly among {plan.racks} racks")
    return Racks(plan.racks, hosts // plan.racks, plan.out, **options)


def _point_latest_to(out: Path) -> None:
    """Makes `latest`, next to the run's folder, a link to it."""
    link = out.parent / "latest"
    partial = out.parent / f".latest-{os.getpid()}"
    # Fails if `latest` is a real folder, or the parent folder is not writable.
    with suppress(OSError):
        partial.symlink_to(out.name)
        try:
            partial.replace(link)
        finally:
            partial.unlink(missing_ok=True)
