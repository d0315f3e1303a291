"""The operator's commands. Most of those that read ask the switch itself; those that change something ask the
controller."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dropzero.controller.commands.options import (
    DEFAULT_SWITCH,
    AsJson,
    ControllerAddress,
    DeviceId,
    SwitchAddress,
    clear_errors,
    parse_ip,
    parse_mac_option,
)
from dropzero.controller.jobs.jobs import Job
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.switch import Half, Switch
from dropzero.controller.switches.view import format_mac
from dropzero.help import CHANGES, READS
from dropzero.membership.access import DEFAULT_CONTROLLER, Credentials
from dropzero.membership.event import clock
from dropzero.membership.membership_pb2 import JobStatus
from dropzero.membership.operator_client import Operator

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

app = typer.Typer(add_completion=False)
loss_app = typer.Typer(help="The probability that the switch loses a packet.", no_args_is_help=True)
address_app = typer.Typer(help="The switch's own address.", no_args_is_help=True)
marking_app = typer.Typer(help="The queue length from which packets are marked (ECN).", no_args_is_help=True)
app.add_typer(loss_app, name="loss", rich_help_panel=CHANGES)
app.add_typer(address_app, name="address", rich_help_panel=CHANGES)
app.add_typer(marking_app, name="marking", rich_help_panel=CHANGES)

JobNumber = Annotated[int, typer.Argument(min=0, max=65535, help="The job's number.")]


@contextmanager
def _reading(context: typer.Context, switch: str, device_id: int) -> Iterator[Switch]:
    credentials: Credentials = context.obj
    with clear_errors(), Device(switch, device_id, timeout=3, tls=credentials.switch_tls) as device:
        yield Switch(device)


def _show(value: object, as_json: bool, *shown: RenderableType) -> None:
    if as_json:
        typer.echo(json.dumps(value))
    else:
        from rich.console import Console

        Console().print(*shown)


# rich is imported late, because the controller itself, which has these commands too, does without it.


def _table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    """A tuple in a row is shown as its elements."""
    from rich.table import Table

    table = Table(*columns)
    for row in rows:
        table.add_row(*(_text(" ".join(map(str, each)) if isinstance(each, tuple) else str(each)) for each in row))
    return table


def _show_rows(columns: str, rows: Sequence[Sequence[object]], as_json: bool) -> None:
    """columns: the keys in JSON, and the headings of the table."""
    keys = columns.split()
    values = [dict(zip(keys, row, strict=True)) for row in rows]
    _show(values, as_json, _table([key.replace("_", " ") for key in keys], rows))


def _text(content: str) -> Text:
    from rich.text import Text

    return Text(content)


def _tell(context: typer.Context, controller: str, as_json: bool, order: Callable[[Operator], str]) -> None:
    with clear_errors(), Operator(controller, credentials=context.obj) as operator:
        done = order(operator)
    typer.echo(json.dumps({"done": done}) if as_json else done)


# ---- reading the switch


@app.command(rich_help_panel=READS)
def jobs(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """List the jobs on a switch, and their workers."""
    with _reading(context, switch, device_id) as reader:
        found = reader.jobs()
    rows = [(job.id, job.epoch, _share(job), job.lanes, job.size, _workers(job)) for job in found]
    table = _table(("job", "epoch", "slots", "lanes", "size", "workers"), rows)
    _show([_job(job) for job in found], as_json, table)


def _job(job: Job) -> dict[str, Any]:
    return {
        "job": job.id,
        "epoch": job.epoch,
        "size": job.size,
        "elastic": job.elastic,
        "first_slot": job.here.start,
        "lanes": job.lanes,
        "workers": [
            {"rank": rank, "port": each.port, "ip": str(each.ip)} for rank, each in sorted(job.workers.items())
        ],
    }


def _share(job: Job) -> str:
    return f"{job.here.start}-{job.here.stop - 1}"


def _workers(job: Job) -> str:
    return ", ".join(f"{rank}: {each.ip} (port {each.port})" for rank, each in sorted(job.workers.items()))


@app.command(rich_help_panel=READS)
def workers(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """List the workers that a switch admits: where their packets must come from, and where results go."""
    with _reading(context, switch, device_id) as reader:
        rows = [
            (job.id, rank, each.port, str(each.ip), format_mac(each.mac), each.udp_port)
            for job in reader.jobs()
            for rank, each in sorted(job.workers.items())
        ]
    _show_rows("job rank port ip mac udp_port", rows, as_json)


@app.command(rich_help_panel=READS)
def slots(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """Show the state of all jobs' slots, if the switch serves its registers (BMv2 does not)."""
    with _reading(context, switch, device_id) as reader:
        found = reader.slots().values()
    rows = [(each.slot, each.job, each.epoch, each.round, each.here.seen, each.missing) for each in found]
    values = [dict(zip(("slot", "job", "epoch", "round", "seen", "missing"), row, strict=True)) for row in rows]
    _show(values, as_json, _table(("slot", "job", "epoch", "round", "ranks seen", "ranks missing"), rows))


@app.command(rich_help_panel=READS)
def slot(
    context: typer.Context,
    number: Annotated[int, typer.Argument(min=0, help="The slot's number, over all jobs.")],
    switch: SwitchAddress = DEFAULT_SWITCH,
    device_id: DeviceId = 0,
    as_json: AsJson = False,
) -> None:
    """Show one slot: its round and epoch, who has contributed to each half, and who is missing."""
    with _reading(context, switch, device_id) as reader:
        state = reader.slot(number)
    fresh = "" if state.fresh else " (no packet in this epoch yet)" if state.job is not None else " (free)"
    heading = _text(f"slot {number}: job {state.job}, epoch {state.epoch}, round {state.round}{fresh}")
    halves = [
        ("collecting", f"{state.here.bitmap:#010x}", state.here.seen, state.missing),
        ("before", f"{state.other.bitmap:#010x}", state.other.seen, ""),
    ]
    table = _table(("half", "bitmap", "ranks seen", "ranks missing"), halves)
    value: dict[str, Any] = {
        "slot": number,
        "job": state.job,
        "epoch": state.epoch,
        "round": state.round,
        "fresh": state.fresh,
    }
    value |= {"collecting": _half(state.here), "before": _half(state.other), "missing": list(state.missing)}
    _show(value, as_json, heading, table)


def _half(half: Half) -> dict[str, Any]:
    return {"bitmap": half.bitmap, "seen": list(half.seen)}


@app.command(rich_help_panel=READS)
def counters(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """Count the packets of a switch by their fate."""
    with _reading(context, switch, device_id) as reader:
        fates = {fate.name.lower(): count for fate, count in reader.fates().items()}
        deliveries = reader.deliveries()
    received = _table(
        ("received", "packets", "bytes"), [(name, each.packets, each.bytes) for name, each in fates.items()]
    )
    sent = _table(("sent", "packets"), deliveries.items())
    value = {
        "fate": {name: {"packets": count.packets, "bytes": count.bytes} for name, count in fates.items()},
        "delivery": deliveries,
    }
    _show(value, as_json, received, sent)


@app.command(rich_help_panel=READS)
def ports(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """List the ports of a switch, with the addresses and workers at them."""
    with _reading(context, switch, device_id) as reader:
        stations, flooded, running = reader.stations(), reader.flooded(), reader.jobs()
    rows, values = [], []
    for port in sorted({*stations.values(), *flooded}):
        macs = tuple(format_mac(mac) for mac, at in stations.items() if at == port)
        living = [(job.id, rank) for job in running for rank, each in sorted(job.workers.items()) if each.port == port]
        names = ", ".join(f"job {job} rank {rank}" for job, rank in living)
        rows.append((port, macs, "yes" if port in flooded else "no", names))
        lives = [{"job": job, "rank": rank} for job, rank in living]
        values.append({"port": port, "macs": macs, "flooded": port in flooded, "workers": lives})
    _show(values, as_json, _table(("port", "mac", "flooded", "workers"), rows))


@app.command(rich_help_panel=READS)
def forwarding(
    context: typer.Context,
    mac: Annotated[str | None, typer.Argument(help="Only this address.")] = None,
    switch: SwitchAddress = DEFAULT_SWITCH,
    device_id: DeviceId = 0,
    as_json: AsJson = False,
) -> None:
    """Show the forwarding table: packets to addresses without an entry go to all ports."""
    wanted = parse_mac_option(mac) if mac is not None else None
    with _reading(context, switch, device_id) as reader:
        rows = [(format_mac(at), port) for at, port in sorted(reader.stations().items()) if wanted in (None, at)]
    _show_rows("mac port", rows, as_json)


@loss_app.command("show", rich_help_panel=READS)
def show_loss(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """Show the probability that a packet is lost on its way into the switch, and on its way out."""
    with _reading(context, switch, device_id) as reader:
        uplink, downlink = reader.loss()
    table = _table(("link", "probability"), [("up", f"{uplink:g}"), ("down", f"{downlink:g}")])
    _show({"uplink": uplink, "downlink": downlink}, as_json, table)


@marking_app.command("show", rich_help_panel=READS)
def show_marking(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """Show the queue length from which packets are marked."""
    with _reading(context, switch, device_id) as reader:
        packets = reader.marking()
    _show({"packets": packets}, as_json, _text(f"from {packets} packets on" if packets else "never"))


@address_app.command("show", rich_help_panel=READS)
def show_address(
    context: typer.Context, switch: SwitchAddress = DEFAULT_SWITCH, device_id: DeviceId = 0, as_json: AsJson = False
) -> None:
    """Show the switch's own IP and MAC address."""
    with _reading(context, switch, device_id) as reader:
        ip, mac = reader.address()
    table = _table(("ip", "mac"), [(ip, format_mac(mac))])
    _show({"ip": str(ip), "mac": format_mac(mac)}, as_json, table)


# ---- the controller


@app.command(rich_help_panel=READS)
def waiting(
    context: typer.Context, controller: ControllerAddress = DEFAULT_CONTROLLER, as_json: AsJson = False
) -> None:
    """List all jobs of the controller and their slots on each switch, including jobs that gather workers, wait for
    slots, or run on a host."""
    with clear_errors(), Operator(controller, credentials=context.obj) as operator:
        found = operator.jobs()
    rows = []
    for job in found:
        names = ", ".join(
            f"{each.rank if each.HasField('rank') else 'any'}: {each.ip}{'' if each.connected else ' (away)'}"
            for each in job.workers
        )
        slots = ", ".join(
            f"{switch}: {first}-{first + job.lanes - 1}" for switch, first in sorted(job.first_slots.items())
        )
        rows.append((job.job, job.state, job.size, job.epoch, job.lanes, slots, names))
    table = _table(("job", "state", "size", "epoch", "lanes", "slots", "workers"), rows)
    _show([_status(job) for job in found], as_json, table)


def _status(job: JobStatus) -> dict[str, Any]:
    return {
        "job": job.job,
        "state": job.state,
        "size": job.size,
        "epoch": job.epoch,
        "lanes": job.lanes,
        "first_slots": dict(job.first_slots),
        "elastic": job.elastic,
        "workers": [
            {"rank": each.rank if each.HasField("rank") else None, "ip": each.ip, "connected": each.connected}
            for each in job.workers
        ],
    }


@app.command(rich_help_panel=CHANGES)
def evict(
    context: typer.Context,
    job: JobNumber,
    rank: Annotated[int, typer.Argument(min=0, help="The worker's rank.")],
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Remove a worker from a job; the others continue without it."""
    _tell(context, controller, as_json, lambda operator: operator.evict(job, rank))


@app.command(rich_help_panel=CHANGES)
def resize(
    context: typer.Context,
    job: JobNumber,
    lanes: Annotated[int, typer.Argument(min=1, max=65535, help="The number of slots.")],
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Give a running job more or fewer slots. A job on a host moves to the switch."""
    _tell(context, controller, as_json, lambda operator: operator.resize(job, lanes))


@app.command(rich_help_panel=CHANGES)
def reset(
    context: typer.Context,
    job: Annotated[int | None, typer.Argument(min=0, max=65535, help="The job whose slots to empty.")] = None,
    zero_counters: Annotated[bool, typer.Option("--counters", help="Set the switch's counters to 0.")] = False,
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Empty a job's slots by starting a new epoch, or set the switch's counters to 0."""
    if (job is None) != zero_counters:
        raise typer.BadParameter("reset needs either a job's number or --counters")
    order = (lambda operator: operator.reset_counters()) if job is None else (lambda operator: operator.reset(job))
    _tell(context, controller, as_json, order)


@loss_app.command("set", rich_help_panel=CHANGES)
def set_loss(
    context: typer.Context,
    uplink: Annotated[float | None, typer.Option(min=0, max=1, help="Probability on the way into the switch.")] = None,
    downlink: Annotated[float | None, typer.Option(min=0, max=1, help="Probability on the way out.")] = None,
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Change the probability that the switch loses a packet."""
    if uplink is None and downlink is None:
        raise typer.BadParameter("give --uplink, --downlink or both")
    _tell(context, controller, as_json, lambda operator: operator.set_loss(uplink, downlink))


@marking_app.command("set", rich_help_panel=CHANGES)
def set_marking(
    context: typer.Context,
    packets: Annotated[int, typer.Argument(min=0, max=(1 << 19) - 1, help="Queue length; 0: never mark.")],
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Change the queue length from which packets are marked."""
    _tell(context, controller, as_json, lambda operator: operator.set_marking(packets))


@address_app.command("set", rich_help_panel=CHANGES)
def set_address(
    context: typer.Context,
    ip: Annotated[str, typer.Argument(help="IP address of the switch, which workers send to.")],
    mac: Annotated[str | None, typer.Argument(help="Its MAC address; unchanged unless given.")] = None,
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Change the switch's own address. Running jobs learn it by a new epoch."""
    wanted = parse_ip(ip)
    if mac is not None:
        parse_mac_option(mac)
    _tell(context, controller, as_json, lambda operator: operator.set_address(wanted, mac or ""))


@app.command(rich_help_panel=READS)
def watch(
    context: typer.Context,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two samples.")] = 1,
    count: Annotated[int | None, typer.Option(min=1, show_default="no limit", help="Samples to take.")] = None,
    switch: SwitchAddress = DEFAULT_SWITCH,
    device_id: DeviceId = 0,
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Show jobs, packets per second and the controller's events live. With --json, print one object per sample."""
    with _reading(context, switch, device_id) as reader:
        from dropzero.controller.commands.watch import watching

        watching(reader, controller, context.obj, interval, count, as_json=as_json)


@app.command(rich_help_panel=READS)
def trace(
    context: typer.Context,
    job: JobNumber,
    last: Annotated[int, typer.Option(min=1, max=(1 << 32) - 1, help="Events to show, over all workers.")] = 50,
    controller: ControllerAddress = DEFAULT_CONTROLLER,
    as_json: AsJson = False,
) -> None:
    """Show the latest events of a job's workers, ordered by time, even while they are stuck in a call."""
    with clear_errors(), Operator(controller, credentials=context.obj) as operator:
        events, silent = operator.trace(job, last)
    table = _table(
        ("rank", "time", "call", "what"), [(rank, clock(time), call, what) for rank, (time, call, what) in events]
    )
    missing = [_text(f"worker {rank} does not answer") for rank in silent]
    found = {"events": [{"rank": rank} | each._asdict() for rank, each in events], "silent": silent}
    _show(found, as_json, table, *missing)
