"""`dropzero trace`: reads a run's captures."""

from __future__ import annotations

import json
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from dropzero.console import wide_console
from dropzero.extras import need
from dropzero.messages import complain
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import ASSIGNED, NO_BLOCK

app = typer.Typer(name="trace", no_args_is_help=True, help="Read a run's captures.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Folder = Annotated[Path, typer.Argument(help="Folder with the captures.")]


@app.command("audit")
def audit_command(folder: Folder = Path("runs/latest/pcaps"), as_json: AsJson = False) -> None:
    """Check every round in the captures: sums, exponents, masks, and that retransmissions are equal."""
    need("trace", "traces")
    # Imported after checking that its dependencies are installed.
    from dropzero.traces.audit import AuditError, audit
    from dropzero.traces.capture import CaptureError

    try:
        found = audit(folder)
    except (AuditError, CaptureError) as error:
        _fail(error, 1 if isinstance(error, AuditError) else 2)
    if as_json:
        counts = {"rounds": len(found.results), "packets": found.packets, "sent_again": found.duplicates}
        print(json.dumps(counts | {"answers_without_result": found.asked, "marked": found.marked}))
        return
    Console().print(
        f"{len(found.results)} rounds are right, in {found.packets} packets "
        f"({found.duplicates} contributions sent again, {found.asked} answers without a result, {found.marked} marked)",
        soft_wrap=True,
    )


@app.command()
def show(
    folder: Folder = Path("runs/latest/pcaps"),
    interface: Annotated[str | None, typer.Option(help="Show only this interface of the switch.")] = None,
    lane: Annotated[
        int | None, typer.Option(min=0, help="Draw this lane as a sequence diagram, with lost packets.")
    ] = None,
    job: Annotated[int, typer.Option(min=0, help="The lane's job.")] = 1,
    first: Annotated[int, typer.Option("--round", min=0, help="The first round to draw.")] = 0,
    host: Annotated[
        list[str] | None, typer.Option(help="Draw this host. Repeatable.", show_default="all that fit")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="The most packets to show, of each capture or of the lane.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each packet.")] = False,
) -> None:
    """List packets, with their time in milliseconds and what they carry and announce; or draw a lane."""
    need("trace", "traces")
    if lane is not None:
        if interface is not None:
            raise typer.BadParameter("not possible with --lane, which draws all interfaces", param_hint="'--interface'")
        _draw(folder, job, lane, first, list(dict.fromkeys(host or [])), count, as_json)
        return
    if host or first:
        raise typer.TyperException("--host and --round choose packets of a --lane")
    from dropzero.traces.capture import CaptureError, captures

    try:
        found = captures(folder)
        wanted = [capture for capture in found if interface in (None, capture.interface)]
        if not wanted:
            names = ", ".join(sorted({capture.interface for capture in found}))
            raise CaptureError(f"{folder} has no capture of {interface}; it has {names}")
        listed = {capture: list(islice(capture.timed_packets(), count)) for capture in wanted}
        start = min((time for packets in listed.values() for time, _, _ in packets), default=0)
    except CaptureError as error:
        _fail(error, 2)
    rows = [
        {"ms": (time - start) / 1000, "capture": f"{capture.interface} {capture.direction}"} | _row(packet, missing)
        for capture, packets in listed.items()
        for time, packet, missing in packets
    ]
    if as_json:
        print(*map(json.dumps, rows), sep="\n")
        return
    table = Table(box=None)
    for heading in ("ms", "capture", "kind", "worker", "lane", "round", "elements"):
        table.add_column(heading, justify="right" if heading == "ms" else "left", no_wrap=True)
    for heading in ("carries", "announces"):
        table.add_column(heading, overflow="fold")
    cut = 0
    for row in rows:
        if row.pop("missing", 0):
            cut += 1
        table.add_row(f"{row['ms']:.3f}", *map(_text, list(row.values())[1:]))
    wide_console().print(table)
    if cut:
        print(f"{cut} of these packets were captured in part: their columns are shown as far as they were captured")


@app.command()
def dissector(
    colors: Annotated[bool, typer.Option("--colors", help="Print the colouring rules instead.")] = False,
) -> None:
    """Print the dissector for Wireshark and tshark, in Lua, or its colouring rules.

    To install it, write it to ~/.local/lib/wireshark/plugins/dropzero.lua.
    Import the rules with View > Coloring Rules.
    """
    print(
        (resources.files("dropzero.traces") / "wireshark" / ("colorfilters" if colors else "dropzero.lua")).read_text(),
        end="",
    )


def _draw(folder: Path, job: int, lane: int, first: int, chosen: list[str], count: int, as_json: bool) -> None:
    from dropzero.traces.capture import CaptureError
    from dropzero.traces.diagram import diagram, fitting
    from dropzero.traces.lane import read_lane

    try:
        found = read_lane(folder, job, lane)
        if unknown := set(chosen) - set(found.hosts):
            raise CaptureError(f"lane {lane} has no host {', '.join(sorted(unknown))}; it has {', '.join(found.hosts)}")
    except CaptureError as error:
        _fail(error, 2)
    console = wide_console()
    fit = len(found.hosts) if as_json else max(1, fitting(console.width) - len(found.switches))
    hosts = chosen or found.hosts[:fit]
    names = [*hosts, *found.switches]
    start = found.messages[0].time
    wanted = [
        each for each in found.messages if each.packet.round >= first and {each.sender, each.receiver} <= {*names}
    ]
    if not wanted:
        _fail(CaptureError(f"lane {lane} has no packets of {', '.join(hosts)} from round {first} on"), 2)
    if as_json:
        for each in wanted[:count]:
            print(json.dumps({"ms": (each.time - start) / 1000} | each.plain))
        return
    for line in diagram(names, wanted[:count], start, console.width):
        console.print(line, no_wrap=True, crop=True, highlight=False)
    if len(wanted) > count:
        console.print(f"{len(wanted) - count} more packets: choose with --round, --count", highlight=False)
    if len(hosts) < len(found.hosts) and not chosen:
        console.print(f"{len(found.hosts) - len(hosts)} more hosts: choose with --host", highlight=False)


def _row(packet: Packet, missing: int) -> dict[str, Any]:
    return {
        "kind": packet.kind.name.lower(),
        "worker": packet.worker,
        "lane": packet.lane,
        "round": packet.round,
        "elements": sum(len(elements) for elements in packet.data.values()),
        "carries": [column.block for column in packet.columns if column.block != NO_BLOCK],
        "announces": [_announced(column) for column in packet.columns if column.next != NO_BLOCK],
        **({"missing": missing} if missing else {}),
    }


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _announced(column: Column) -> str:
    return f"chunk {column.next - ASSIGNED}" if column.next & ASSIGNED else f"{column.next}·2^{column.exponent}"


def _fail(error: Exception, status: int) -> None:
    complain(str(error))
    raise typer.Exit(status)
