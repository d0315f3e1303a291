"""The command line of `dropzero switch trace`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dropzero.options import grouped
from dropzero.softswitch.engine.options import Model
from dropzero.softswitch.offline.options import State
from dropzero.softswitch.state.reports import Report


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    PROTO = "proto"


app = typer.Typer(add_completion=False)


@app.command("trace")
@grouped()
def trace(
    model: Model,
    state: State,
    program: Annotated[
        Path | None, typer.Argument(metavar="[JSON]", help="The program: p4c's JSON for BMv2.", show_default=False)
    ] = None,
    packet: Annotated[str | None, typer.Option(metavar="HEX", help="The packet, in hexadecimal digits.")] = None,
    pcap: Annotated[Path | None, typer.Option(help="Take the packet from this capture.")] = None,
    number: Annotated[int, typer.Option(min=1, help="The packet's number in the capture.")] = 1,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port at which it arrives.")] = 1,
    running: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="ADDRESS",
            help="Take the program and its entries from a running switch's P4Runtime server instead of JSON.",
        ),
    ] = None,
    device_id: Annotated[int, typer.Option(min=0, help="The device id of that switch.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the program's random numbers.")] = 0,
    form: Annotated[
        Format,
        typer.Option("--format", help="A tree as text, or packet_trace.proto's message as JSON or in binary form."),
    ] = Format.TEXT,
    all_outcomes: Annotated[
        bool,
        typer.Option(
            "--all-outcomes", help="Show what each member of a group, value of a hash and random number would lead to."
        ),
    ] = False,
    max_outcomes: Annotated[int, typer.Option(metavar="N", min=1, help="Try at most N combinations of these.")] = 256,
) -> None:
    """Show one packet's path through a program, as a tree: parser states, headers, tables, entries, actions, and the
    packets that leave. The program runs on a copy, so a running switch does not change."""
    from google.protobuf.json_format import MessageToJson

    from dropzero.softswitch.engine.switch import Switch
    from dropzero.softswitch.offline import packets
    from dropzero.softswitch.offline.state import RunningSwitch, set_up
    from dropzero.softswitch.tracing.outcomes import follow_all
    from dropzero.softswitch.tracing.text import lines
    from dropzero.softswitch.tracing.tree import follow

    reports: list[Report] = []
    try:
        if (program is None) == (running is None):
            raise ValueError("give a JSON program, or --from the address of a running switch")
        if (packet is None) == (pcap is None):
            raise ValueError("give --packet, or --pcap and --number")
        content = packets.from_hex(packet) if packet is not None else packets.from_pcap(Path(pcap or ""), number)
        switch = Switch(seed=seed, follow=reports.append, **vars(model))
        origin = program if running is None else RunningSwitch(running, device_id)
        if isinstance(origin, RunningSwitch):
            for kind in origin.unread:
                print(f"The switch does not support reading {kind}; the trace runs without", file=sys.stderr)
        assert origin is not None
        set_up(switch, origin, **vars(state))
        assert switch.engine is not None
        if all_outcomes:
            followed = follow_all(switch.engine, reports, port, content, max_outcomes)
        else:
            followed = follow(switch.engine, reports, port, content)
        if form is Format.PROTO:
            sys.stdout.buffer.write(followed.SerializeToString())
        else:
            print(MessageToJson(followed) if form is Format.JSON else "\n".join(lines(followed)))
    except (OSError, ValueError) as error:
        reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.strerror else error
        print(f"dropzero: {reason}", file=sys.stderr)
        raise typer.Exit(2) from None
