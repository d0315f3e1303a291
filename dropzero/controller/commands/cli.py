"""`dropzero controller`: serve a switch's jobs, inspect them, and change them."""

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
from dropzero.controller.commands.verbs import app as verbs
from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import HOST, Jobs, Quotas
from dropzero.controller.jobs.policies import Sharing, parse
from dropzero.controller.jobs.roster import Roster
from dropzero.controller.jobs.slots import SLOTS
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.controller.rpc.journal import Journal
from dropzero.controller.rpc.membership_service import MembershipService
from dropzero.controller.rpc.operator_service import OperatorService
from dropzero.controller.rpc.server import serving
from dropzero.controller.switches.manager import SwitchManager
from dropzero.controller.switches.switch import DEFAULT_IP, DEFAULT_MAC, DEFAULT_MARK_FROM, Program, Settings
from dropzero.controller.switches.topology import Topology
from dropzero.controller.switches.view import format_mac
from dropzero.files import COMPILED
from dropzero.membership.access import DEFAULT_CONTROLLER, Credentials
from dropzero.options import grouped

FILES, FILES_A_STATION = 64, 4
"""Open files for the controller itself, and for each host and switch, with some to spare."""

app = typer.Typer(name="controller", no_args_is_help=True, add_completion=False, callback=certificates)


@app.command()
@grouped()
def serve(
    context: typer.Context,
    quotas: Quotas,
    sharing: Sharing,
    topology: Annotated[Path, typer.Option(help="Hosts and their ports, as topology.json of p4lang/tutorials.")],
    switch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]HOST:PORT",
            help="P4Runtime server of the switch; repeat it with names for several.",
            show_default=DEFAULT_SWITCH,
        ),
    ] = None,
    device_id: DeviceId = 0,
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address for workers and operators: unix:PATH or HOST:PORT.",
            show_default="controller.sock in /run/dropzero",
        ),
    ] = DEFAULT_CONTROLLER,
    uplink_loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the switch drops an incoming packet.")
    ] = 0,
    downlink_loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the switch drops an outgoing packet.")
    ] = 0,
    program: Annotated[
        Path, typer.Option("--json", show_default="the installed one", help="Compiled program (JSON).")
    ] = COMPILED / "dropzero.json",
    p4info: Annotated[Path, typer.Option(show_default="the installed one", help="Its P4Info.")] = COMPILED
    / "dropzero.p4info.txtpb",
    switch_ip: Annotated[
        str, typer.Option(help="Address of the switch, which workers send to; further switches count down from it.")
    ] = str(DEFAULT_IP),
    switch_mac: Annotated[str, typer.Option(help="The switch's MAC address.")] = format_mac(DEFAULT_MAC),
    heartbeat: Annotated[float, typer.Option(min=0.1, help="Seconds between a worker's heartbeats.")] = 10,
    patience: Annotated[
        float,
        typer.Option(
            min=0,
            help="Seconds in which a disconnected worker can come back, and the others can fetch its last result.",
        ),
    ] = 1,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds in which the workers of an earlier controller's jobs can come back.")
    ] = 15,
    aggregator: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A `dropzero aggregator` for jobs that ask for one when no slots are left: IP[:PORT][=P4RUNTIME].",
        ),
    ] = None,
    exit_with_switch: Annotated[
        bool, typer.Option("--exit-with-switch", help="End with the switch instead of waiting for its return.")
    ] = False,
    mark_from: Annotated[
        int, typer.Option(min=0, max=(1 << 19) - 1, help="Queue length from which packets are marked (ECN); 0: never.")
    ] = DEFAULT_MARK_FROM,
) -> None:
    """Install the aggregation program on a switch, and let workers join jobs on it. Stop with Ctrl-C.

    Jobs that already run on the switch continue: you can restart the controller at any time.
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
        policy = parse(sharing.policy)
        jobs = Jobs(sharing.slots, Epochs(), SLOTS if host is not None else 0, quotas, policy, network)
        try:
            asyncio.run(
                _serve(manager, jobs, journal, listen, heartbeat, patience, grace, context.obj, exit_with_switch)
            )
        finally:
            _drop_unwritten()


def _drop_unwritten() -> None:
    """Drops buffered output that cannot be written: otherwise Python reports a full disk or a closed pipe at exit."""
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
    """Serves until a signal arrives or, if `exit_with_switch`, a switch goes away."""
    try:
        await manager.connect()
        roster = Roster(jobs, manager, journal, patience=patience)
        await roster.adopt(grace)
        members = MembershipService(roster, manager.topology, manager.home)
        operators = OperatorService(roster, manager, journal)
        work = asyncio.create_task(_end_with(manager) if exit_with_switch else manager.keep(roster))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, work.cancel)
        async with serving(members, operators, listen, heartbeat, credentials) as address:
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
