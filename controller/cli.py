"""`dropzero controller`: serve a switch's jobs, or look at what is on a switch."""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from functools import partial
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from .client import DEFAULT_CONTROLLER
from .errors import SwitchError, UnreachableError
from .jobs import Jobs
from .p4info import P4Info
from .p4runtime import Device
from .service import ListenError, MembershipService, serving
from .slots import Slots
from .switch import DEFAULT_IP, DEFAULT_MAC, Switch
from .topology import Topology, TopologyError, format_mac, parse_mac

COMPILED = Path(__file__).resolve().parent.parent / "p4src" / "compiled"

ELECTION_ID = 2 << 64
"""Above what people use by hand (p4runtime-shell: 1 << 64, written `1,0`), who then may read beside the controller."""

DEFAULT_SWITCH = "127.0.0.1:50051"

app = typer.Typer(
    name="controller", help="Serve a switch's jobs, or look at what is on a switch.", no_args_is_help=True
)

Address = Annotated[str, typer.Option("--switch", metavar="HOST:PORT", help="The switch's P4Runtime server.")]
DeviceId = Annotated[int, typer.Option(help="The switch's P4Runtime device id.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def _clear_errors() -> Iterator[None]:
    """What the user got wrong, or what is not there, is one line and exit status 2."""
    try:
        yield
    except (SwitchError, TopologyError, ListenError) as error:
        typer.echo(f"dropzero controller: {error}", err=True)
        raise typer.Exit(2) from error


def _ip(text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except AddressValueError as error:
        raise typer.BadParameter(str(error)) from error


def _mac(text: str) -> int:
    try:
        return parse_mac(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def serve(
    topology: Annotated[Path, typer.Option(help="topology.json, as in p4lang/tutorials: which host is on which port.")],
    switch: Address = DEFAULT_SWITCH,
    device_id: DeviceId = 0,
    listen: Annotated[
        str, typer.Option(metavar="unix:PATH|HOST:PORT", help="Where workers join.")
    ] = DEFAULT_CONTROLLER,
    uplink_loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the switch drops a packet that comes in.")
    ] = 0,
    downlink_loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the switch drops a packet that goes out.")
    ] = 0,
    program: Annotated[Path, typer.Option("--json", help="The compiled program.")] = COMPILED / "dropzero.json",
    p4info: Annotated[Path, typer.Option(help="Its P4Info.")] = COMPILED / "dropzero.p4info.txtpb",
    switch_ip: Annotated[str, typer.Option(help="The switch's address, where workers send to.")] = str(DEFAULT_IP),
    switch_mac: Annotated[str, typer.Option(help="The switch's MAC address.")] = format_mac(DEFAULT_MAC),
    heartbeat: Annotated[float, typer.Option(min=0.1, help="Seconds between two signs of life of a worker.")] = 10,
) -> None:
    """Put the aggregation program on a switch, and let workers join jobs on it. Ends with Ctrl-C."""
    ip, mac = _ip(switch_ip), _mac(switch_mac)
    with _clear_errors():
        network = Topology.read(topology)
        names = P4Info.read(p4info)
        try:
            code = program.read_bytes()
        except OSError as error:
            raise SwitchError(f"cannot read the compiled program {program}: {error.strerror}") from error
        with Device(switch, device_id) as device:
            lost: Future[None] = Future()
            device.become_primary(ELECTION_ID, on_loss=partial(_note_loss, lost))
            device.push(names, code)
            aggregator = Switch(device)
            aggregator.configure(network, ip, mac, uplink_loss, downlink_loss)
            # Even if the switch kept the slots of earlier jobs: the seconds since 1970 are above all their epochs.
            jobs = Jobs(Slots(), itertools.count(int(time.time())))
            service = MembershipService(jobs, network, aggregator, ip, report=typer.echo)
            asyncio.run(_serve(service, listen, heartbeat, lost))


def _note_loss(lost: Future[None], error: SwitchError) -> None:
    if not isinstance(error, UnreachableError):
        typer.echo(error)
        return
    # When the controller is about to stop anyway, it is all one.
    with suppress(InvalidStateError):
        lost.set_exception(error)


async def _serve(service: MembershipService, listen: str, heartbeat: float, lost: Future[None]) -> None:
    """Until a signal, or until the switch is lost and `lost` says how."""
    stopped = asyncio.wrap_future(lost)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.cancel)
    async with serving(service, listen, heartbeat) as address:
        typer.echo(f"ready: workers join at {address}")
        try:
            await stopped
        except asyncio.CancelledError:
            typer.echo("stopped")
        except SwitchError as error:
            typer.echo(f"dropzero controller: {error}", err=True)
            raise typer.Exit(1) from error


@app.command()
def jobs(switch: Address = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False) -> None:
    """The jobs on a switch, and their workers."""
    with _clear_errors(), Device(switch, device_id, timeout=3) as device:
        found = Switch(device).jobs()
    if as_json:
        _print_json(
            [
                {
                    "job": job.id,
                    "epoch": job.epoch,
                    "first_slot": job.slots.start,
                    "lanes": len(job.slots),
                    "workers": [{"rank": each.rank, "port": each.port, "ip": str(each.ip)} for each in job.workers],
                }
                for job in found
            ]
        )
        return
    table = Table("job", "epoch", "slots", "workers")
    for job in found:
        workers = ", ".join(f"{each.rank}: {each.ip} (port {each.port})" for each in job.workers)
        table.add_row(str(job.id), str(job.epoch), f"{job.slots.start}-{job.slots.stop - 1}", workers)
    Console().print(table)


@app.command()
def counters(switch: Address = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False) -> None:
    """What became of the packets that a switch got, and of those it sent."""
    with _clear_errors(), Device(switch, device_id, timeout=3) as device:
        fates = {fate.name.lower(): count for fate, count in Switch(device).fates().items()}
        deliveries = Switch(device).deliveries()
    if as_json:
        _print_json(
            {
                "fate": {name: {"packets": count.packets, "bytes": count.bytes} for name, count in fates.items()},
                "delivery": deliveries,
            }
        )
        return
    received = Table("received", "packets", "bytes")
    for name, count in fates.items():
        received.add_row(name, str(count.packets), str(count.bytes))
    sent = Table("sent", "packets")
    for name, packets in deliveries.items():
        sent.add_row(name, str(packets))
    Console().print(received, sent)


@app.command()
def slots(switch: Address = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False) -> None:
    """What the slots of the jobs on a switch are at, where the switch shows its registers (BMv2 does not)."""
    with _clear_errors(), Device(switch, device_id, timeout=3) as device:
        found = Switch(device).slots()
    if as_json:
        _print_json(
            [
                {"slot": slot, "epoch": state.epoch, "round": state.round, "seen": list(state.seen)}
                for slot, state in found.items()
            ]
        )
        return
    table = Table("slot", "epoch", "round", "ranks seen")
    for slot, state in found.items():
        table.add_row(str(slot), str(state.epoch), str(state.round), " ".join(map(str, state.seen)))
    Console().print(table)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value))
