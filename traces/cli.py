"""`dropzero trace`: reads a run's captures."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from dropzero.console import wide_console
from dropzero.extras import need
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import ASSIGNED, NO_BLOCK

app = typer.Typer(name="trace", no_args_is_help=True, help="Read a run's captures.")

Folder = Annotated[Path, typer.Argument(help="Folder with the captures.")]


@app.command("audit")
def audit_command(folder: Folder = Path("runs/latest/pcaps")) -> None:
    """Check every round in the captures: sums, exponents, masks, and that retransmissions are equal."""
    need("trace", "traces")
    # Imported after checking that its dependencies are installed.
    from dropzero.traces.audit import AuditError, audit
    from dropzero.traces.capture import CaptureError

    try:
        found = audit(folder)
    except (AuditError, CaptureError) as error:
        _fail(error, 1 if isinstance(error, AuditError) else 2)
    Console().print(
        f"{len(found.results)} rounds are right, in {found.packets} packets "
        f"({found.duplicates} contributions sent again, {found.asked} answers without a result, {found.marked} marked)"
    )


@app.command()
def show(
    folder: Folder = Path("runs/latest/pcaps"),
    interface: Annotated[str | None, typer.Option(help="Show this interface of the switch only.")] = None,
    count: Annotated[int, typer.Option(min=1, help="Most packets to show of each capture.")] = 20,
) -> None:
    """List packets: the milliseconds since the first, what they carry and what they announce."""
    need("trace", "traces")
    from dropzero.traces.capture import CaptureError, captures

    table = Table(box=None)
    table.add_column("ms", justify="right", no_wrap=True)
    for heading in ("capture", "kind", "worker", "lane", "round", "elements"):
        table.add_column(heading, no_wrap=True)
    for heading in ("carries", "announces"):
        table.add_column(heading, overflow="fold")
    try:
        found = captures(folder)
        wanted = [capture for capture in found if interface in (None, capture.interface)]
        if not wanted:
            names = ", ".join(sorted({capture.interface for capture in found}))
            raise CaptureError(f"{folder} has no capture of {interface}, but of {names}")
        listed = {capture: list(islice(capture.timed_packets(), count)) for capture in wanted}
        start = min((time for packets in listed.values() for time, _ in packets), default=0)
        for capture, packets in listed.items():
            for time, packet in packets:
                name = f"{capture.interface} {capture.direction}"
                table.add_row(f"{(time - start) / 1000:.3f}", name, *_row(packet))
    except CaptureError as error:
        _fail(error, 2)
    wide_console().print(table)


def _row(packet: Packet) -> tuple[str, ...]:
    carried = [str(column.block) for column in packet.columns if column.block != NO_BLOCK]
    announced = [_announced(column) for column in packet.columns if column.next != NO_BLOCK]
    size = sum(len(elements) for elements in packet.data.values())
    numbers = (packet.worker, packet.lane, packet.round)
    return packet.kind.name.lower(), *map(str, numbers), str(size or ""), " ".join(carried), " ".join(announced)


def _announced(column: Column) -> str:
    return f"chunk {column.next - ASSIGNED}" if column.next & ASSIGNED else f"{column.next}·2^{column.exponent}"


def _fail(error: Exception, status: int) -> None:
    print(error, file=sys.stderr)
    raise typer.Exit(status)
