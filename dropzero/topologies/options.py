"""The options of all commands that start a network, and their errors as one line."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from dropzero.files import FULL
from dropzero.help import FAULTS, NETWORK, OUTPUT
from dropzero.messages import complain
from dropzero.topologies.networks.description import MAX_HOSTS, Description
from dropzero.topologies.networks.faults import Faults
from dropzero.topologies.networks.kind import PortKind, SwitchKind
from dropzero.topologies.orchestration.plan import NetworkPlan
from dropzero.topologies.ownership import owned_by_caller
from dropzero.topologies.processes.errors import Interruption, RunError, SetupError

Rate = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=NETWORK,
        min=0.001,
        help="Rate of each host's link and direction, Mbit/s.",
        show_default="no limit",
    ),
]
TrunkRate = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=NETWORK,
        min=0.001,
        help="Rate of each rack's link to the spine, Mbit/s.",
        show_default="no limit",
    ),
]
Delay = Annotated[float, typer.Option(rich_help_panel=NETWORK, min=0, help="Delay of each link and direction, ms.")]
Duplicate = Annotated[
    float, typer.Option(rich_help_panel=FAULTS, min=0, max=1, help="Probability that a link delivers a packet twice.")
]
Reorder = Annotated[
    float,
    typer.Option(
        rich_help_panel=FAULTS,
        min=0,
        max=1,
        help="Probability that a packet skips a link's delay and overtakes others.",
    ),
]
Name = Annotated[
    str,
    typer.Option(
        rich_help_panel=OUTPUT, metavar="NAME", help="Name of the run.", show_default="dz0, or the next free one"
    ),
]
Out = Annotated[
    Path | None, typer.Option(rich_help_panel=OUTPUT, help="Folder for all files.", show_default="runs/<date and time>")
]


@contextmanager
def reported(out: Path | None = None) -> Iterator[None]:
    """Reports the error that ends the command as one line, and exits with its status. out: where the run's files go."""
    try:
        yield
    except SetupError as error:
        _end(str(error), 2)
    except RunError as error:
        _end(str(error), 1)
    except OSError as error:
        if error.errno not in FULL:
            raise
        _end(f"no space left in {out or error.filename or 'the folder of the output'}", 1)
    except Interruption as interruption:
        _end(f"stopped by {signal.Signals(interruption.signal).name}; cleaned up", 128 + interruption.signal)


def _end(message: str, status: int) -> NoReturn:
    complain(message)
    raise typer.Exit(status)


def folder(out: Path | None) -> Path:
    """Returns the given folder, or a new one named after the time."""
    if out is not None:
        return out
    return Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S.%f")[:-3]


def _plan(
    workers: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=NETWORK, min=1, max=MAX_HOSTS, help="Hosts, each with one worker.", show_default="4"
        ),
    ] = None,
    racks: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=NETWORK,
            min=1,
            help="Racks that share the hosts evenly; a spine joins several.",
            show_default="1",
        ),
    ] = None,
    topology: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=NETWORK,
            metavar="FILE",
            help="Hosts, switches and links, as JSON in the format of p4lang's tutorials.",
        ),
    ] = None,
    loss: Annotated[
        float, typer.Option(rich_help_panel=FAULTS, min=0, max=0.9, help="Probability that a link loses a packet.")
    ] = 0.0,
    duplicate: Duplicate = 0.0,
    reorder: Reorder = 0.0,
    delay: Delay = 0.0,
    rate: Rate = None,
    trunk_rate: TrunkRate = None,
    switch: Annotated[
        SwitchKind,
        typer.Option(
            rich_help_panel=NETWORK,
            help="The switch; auto: BMv2 if simple_switch_grpc is on PATH and these options allow it, else softswitch.",
        ),
    ] = SwitchKind.AUTO,
    ports: Annotated[
        PortKind,
        typer.Option(
            rich_help_panel=NETWORK, help="The links to hosts: veth pairs, or rings in shared memory, without rates."
        ),
    ] = PortKind.VETH,
    pcap: Annotated[
        bool, typer.Option("--pcap", rich_help_panel=OUTPUT, help="Capture all ports of the switches.")
    ] = False,
    name: Name = "",
    out: Out = None,
) -> NetworkPlan:
    described = None if topology is None else Description.read(topology)
    if described is not None and (workers or racks):
        raise SetupError("--topology defines the hosts and switches: do not give --workers or --racks")
    return NetworkPlan(
        folder(out),
        workers=workers or (4 if described is None else len(described.hosts)),
        racks=racks or (1 if described is None else described.racks),
        topology=described,
        loss=loss,
        faults=Faults(delay, duplicate, reorder),
        rate=rate,
        trunk_rate=trunk_rate,
        switch=switch,
        ports=ports,
        pcap=pcap,
        name=name,
    )


def takes_network(command: Callable[..., None]) -> Callable[..., None]:
    """Decorates a command: replaces its parameter `network`, a NetworkPlan, by the options of a network."""
    shared, own = (signature(each, eval_str=True).parameters for each in (_plan, command))

    @wraps(command)
    def with_options(**given: Any) -> None:
        with reported():
            network = _plan(**{name: given.pop(name) for name in shared})
        with owned_by_caller(network.out):
            command(network=network, **given)

    parameters = [*shared.values(), *(each for each in own.values() if each.name != "network")]
    by_kind = [each.replace(kind=each.KEYWORD_ONLY) for each in parameters]
    with_options.__signature__ = signature(command).replace(parameters=by_kind)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options
