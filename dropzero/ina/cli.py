"""`dropzero protocol`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Table

from dropzero.console import show
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.help import FaultOption, NetworkOption, OutputOption, examples
from dropzero.ina import emulated, virtual
from dropzero.ina.chaos import Survived, survive
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.outcome import Outcome
from dropzero.ina.protocol import ProtocolError
from dropzero.messages import complain
from dropzero.options import grouped, one_line
from dropzero.simulator.commands.options import AsJson, Links
from dropzero.topologies.networks.kind import SwitchKind, SwitchOption
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.units import SIZES, TIMES, bits, parse, span

app = typer.Typer(add_completion=False)


@app.command(
    "protocol",
    epilog=examples(
        "dropzero protocol examples/protocols/switchml --workers 4 --loss 0.01",
        "dropzero protocol examples/protocols/switchml --virtual-time --rate 100G",
    ),
)
@grouped()
def protocol(
    folder: Annotated[Path, typer.Argument(help="The protocol: a folder with protocol.py and a compiled program.")],
    links: Links,
    virtual_time: Annotated[
        bool, typer.Option("--virtual-time", help="Model hosts and links, instead of emulating them on this machine.")
    ] = False,
    workers: Annotated[int, NetworkOption(min=1, max=32, help="Hosts with a tensor.")] = 4,
    size: Annotated[str, typer.Option(help="Size of each worker's int32 tensor: 100kB, 1MB.")] = "1MB",
    density: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of a tensor's blocks of 256 elements that are not zero.")
    ] = 1.0,
    switch: SwitchOption = SwitchKind.AUTO,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="An option of the protocol. Repeatable.")
    ] = None,
    late: Annotated[str, FaultOption(help="How much later than the others the last worker starts: 5ms.")] = "0",
    slow_spine: Annotated[
        float, FaultOption(min=0.01, max=1.0, help="Share of the others' rate that the last of several spines has.")
    ] = 1.0,
    chaos: Annotated[
        int,
        FaultOption(
            min=0,
            metavar="ROUNDS",
            help="Then run rounds with random faults: of links, late workers, hosts that stop or are killed.",
        ),
    ] = 0,
    out: Annotated[
        Path | None, OutputOption(metavar="FOLDER", help="Keep an emulated run's captures, logs and page.html.")
    ] = None,
    as_json: AsJson = None,
) -> None:
    """All-reduce by a protocol of your own, through its P4 program.

    Checks every sum in every packet, and every worker's sum. Exit status: 0 all are right, 1 not so, 2 it cannot run.
    """
    with _reported():
        given = dict(map(_option, set_ or []))
        found = Folder(folder)
        made = found.protocol(workers, given)
        name, elements = type(made).__name__, parse(size, SIZES) // 4
        if not elements:
            raise ValueError("a tensor has 4 bytes or more")
        if virtual_time and out is not None:
            raise ValueError("--out keeps the files of an emulated run: --virtual-time leaves none")
        conditions = Conditions(links.quality, links.seed, parse(late, TIMES), density=density, slow_spine=slow_spine)

        def run(conditions: Conditions) -> Outcome:
            if virtual_time:
                return virtual.run(found, made, elements, conditions)
            with TemporaryDirectory() as temporary:
                where = out or Path(temporary)
                return emulated.run(found, made, given, elements, conditions, switch, where, out is not None)

        if not virtual_time:
            check_machine()
        try:
            if chaos:
                survived = survive(made, conditions, chaos, run, switch is SwitchKind.BMV2)
                table, result = _survived(name, survived), asdict(survived)
            else:
                outcome = run(conditions)
                table, result = _table(name, outcome, elements), asdict(outcome)
        except ProtocolError as error:
            complain(f"{name} is wrong: {error}")
            raise typer.Exit(1) from None
        show(table, json.dumps(result, indent=2) + "\n", as_json)


@contextmanager
def _reported() -> Iterator[None]:
    try:
        with one_line():
            yield
    except (SwitchError, SetupError, RunError) as error:
        raise typer.TyperException(str(error)) from error


def _option(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--set takes OPTION=VALUE, not {text!r}")
    return name, value


def _table(name: str, outcome: Outcome, elements: int) -> Table:
    table = Table(show_header=False)
    table.add_row("protocol", name)
    table.add_row("time", span(outcome.seconds))
    if outcome.seconds:
        # One worker of a protocol without a switch has its sum at once.
        table.add_row("a worker's gradient", bits(32 * elements / outcome.seconds))
    table.add_row("packets checked", f"{outcome.packets:,}, {outcome.sums:,} with a sum of several workers")
    table.add_row("elements with all workers", f"{100 * outcome.whole:.4g} %")
    if outcome.error:
        table.add_row("error of the mean, squared", f"{outcome.error:.3g} of its square")
    table.add_row("same sums on all workers", "yes" if outcome.identical else "NO")
    table.add_row("every sum exact", "yes")
    return table


def _survived(name: str, survived: Survived) -> Table:
    table = Table(show_header=False)
    table.add_row("protocol", name)
    table.add_row("rounds", str(survived.rounds))
    for kind, count in survived.faults.items():
        table.add_row(f"  {kind}", str(count))
    table.add_row("longest round", span(survived.seconds))
    table.add_row("packets checked", f"{survived.packets:,}")
    table.add_row("every sum exact", "yes")
    return table
