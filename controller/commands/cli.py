"""`dropzero controller`: serve a switch's jobs, look at them, and change what runs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from dropzero.controller.commands.options import (
    DEFAULT_SWITCH,
    DeviceId,
    allow_files,
    certificates,
    clear_errors,
    parse_aggregator,
    parse_ip,
    parse_mac_option,
    parse_switches,
)
from dropzero.controller.commands.shell import shell
from dropzero.controller.commands.verbs import app as verbs
from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import Jobs, Quotas
from dropzero.controller.jobs.roster import Roster
from dropzero.controller.jobs.slots import SLOTS, Slots
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.controller.rpc.journal import Journal
from dropzero.controller.rpc.membership_service import MembershipService
from dropzero.controller.rpc.operator_service import OperatorService
from dropzero.controller.rpc.server import serving
from dropzero.controller.switches.fabric import HOST
from dropzero.controller.switches.manager import SwitchManager
from dropzero.controller.switches.switch import DEFAULT_IP, DEFAULT_MAC, DEFAULT_MARK_FROM, Program, Settings
from dropzero.controller.switches.topology import Topology
from dropzero.controller.switches.view import format_mac
from dropzero.files import COMPILED
from dropzero.membership.access import DEFAULT_CONTROLLER, Credentials
from dropzero.membership.stubs import membership_handler, operator_handler

FILES, FILES_A_STATION = 64, 4
"""Open files for the controller itself, and for each host and switch, with some to spare."""

app = typer.Typer(
    name="controller",
    no_args_is_help=True,
    add_completion=False,
    callback=certificates,
)


@app.command()
def serve(
    context: typer.Context,
    topology: Annotated[Path, typer.Option(help="topology.json, as in p4lang/tutorials: which host is on which port.")],
    switch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]HOST:PORT",
            help=f"The switch's P4Runtime server [default: {DEFAULT_SWITCH}]; with several, each one's.",
        ),
    ] = None,
    device_id: DeviceId = 0,
    listen: Annotated[
        str, typer.Option(metavar="unix:PATH|HOST:PORT", help="Where workers join and operators ask.")
    ] = DEFAULT_CONTROLLER,
    uplink_loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the switch drops a packet that comes in.")
    ] = 0,
    downlink_loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the switch drops a packet that goes out.")
    ] = 0,
    program: Annotated[Path, typer.Option("--json", help="The compiled program.")] = COMPILED / "dropzero.json",
    p4info: Annotated[Path, typer.Option(help="Its P4Info.")] = COMPILED / "dropzero.p4info.txtpb",
    switch_ip: Annotated[
        str, typer.Option(help="The switch's address, where workers send to; others' count down from it.")
    ] = str(DEFAULT_IP),
    switch_mac: Annotated[str, typer.Option(help="The switch's MAC address.")] = format_mac(DEFAULT_MAC),
    heartbeat: Annotated[float, typer.Option(min=0.1, help="Seconds between two signs of life of a worker.")] = 10,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds in which a worker may come back whose connection broke off.")
    ] = 0,
    grace: Annotated[
        float, typer.Option(min=0, help="The same, for the workers of jobs that a controller before this one left.")
    ] = 15,
    aggregator: Annotated[
        str | None,
        typer.Option(
            metavar="IP[:PORT][=P4RUNTIME]",
            help="Where a `dropzero aggregator` adds up for jobs that find no slots and want that.",
        ),
    ] = None,
    exit_with_switch: Annotated[
        bool, typer.Option("--exit-with-switch", help="End when the switch goes away, instead of waiting for it.")
    ] = False,
    mark_from: Annotated[
        int,
        typer.Option(min=0, max=(1 << 19) - 1, help="Packets in a queue that have later ones marked (ECN); 0: none."),
    ] = DEFAULT_MARK_FROM,
    max_lanes_per_job: Annotated[
        int, typer.Option(min=1, max=SLOTS, help="Slots that a job's workers may ask for; `resize` gives more.")
    ] = Quotas.lanes,
    max_jobs: Annotated[int, typer.Option(min=1, max=1 << 16, help="Jobs that there may be at once.")] = Quotas.jobs,
) -> None:
    """Put the aggregation program on a switch, and let workers join jobs on it. Ends with Ctrl-C.

    Jobs that run on the switch already go on: a controller can be started anew at any time.
    """
    host, host_server = parse_aggregator(aggregator) if aggregator else (None, "")
    settings = Settings(parse_ip(switch_ip), parse_mac_option(switch_mac), uplink_loss, downlink_loss, mark_from)
    with clear_errors():
        network = Topology.read(topology, settings.ip, settings.mac)
        allow_files(FILES + FILES_A_STATION * (len(network.homes) + len(network.views)))
        at = parse_switches(switch or [DEFAULT_SWITCH], network, device_id)
        if host is not None:
            at[HOST] = host_server, 0
        journal = Journal(typer.echo)
        tls = context.obj.switch_tls
        manager = SwitchManager(network, at, Program.read(program, p4info), settings, journal, host, tls)
        quotas = Quotas(max_lanes_per_job, max_jobs)
        jobs = Jobs(Slots(), Epochs(), Slots() if host is not None else None, quotas)
        try:
            asyncio.run(
                _serve(manager, jobs, journal, listen, heartbeat, patience, grace, context.obj, exit_with_switch)
            )
        finally:
            _drop_unwritten()


def _drop_unwritten() -> None:
    """Drops output that cannot be written: Python would report a full disk or a closed pipe again when it exits."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _serve(
    manager: SwitchManager,
    jobs: Jobs,
    journal: Journal,
    listen: str,
    heartbeat: float,
    patience: float,
    grace: float,
    credentials: Credentials,
    exit_with_switch: bool,
) -> None:
    """Serves until a signal comes or, if `exit_with_switch`, a switch goes away."""
    try:
        await manager.connect()
        roster = Roster(jobs, manager, journal, patience=patience)
        await roster.adopt(grace)
        members = MembershipService(roster, manager.topology, manager.home)
        operators = operator_handler(OperatorService(roster, manager, journal))
        work = asyncio.create_task(_end_with(manager) if exit_with_switch else manager.keep(roster))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, work.cancel)
        async with serving(membership_handler(members), operators, listen, heartbeat, credentials) as address:
            journal(f"ready: workers join at {address}")
            try:
                await work
            except asyncio.CancelledError:
                journal("stopped")
            except SwitchError as error:
                typer.echo(f"dropzero controller: {error}", err=True)
                raise typer.Exit(1) from error
            finally:
                roster.close()
    finally:
        manager.close()


async def _end_with(manager: SwitchManager) -> None:
    raise await manager.lost()


app.add_typer(verbs)
app.command()(shell)
