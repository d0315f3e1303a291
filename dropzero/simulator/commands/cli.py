"""`dropzero simulate`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from dropzero.console import show, table_of
from dropzero.groups import DefaultingGroup
from dropzero.help import FaultOption, OutputOption, examples
from dropzero.options import grouped, one_line
from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.commands.options import AsJson, Fabric, Jobs, Links, Queue, ReduceOption, Reduction
from dropzero.simulator.commands.training import Profile
from dropzero.simulator.commands.training import run as train
from dropzero.simulator.formulas import Kind, Scheme
from dropzero.simulator.network import Network, SimulationError
from dropzero.simulator.programs.replay import Replay, Setting
from dropzero.simulator.simulation import Plan, Result
from dropzero.simulator.timeline import Outage
from dropzero.simulator.training.simulation import SoFar
from dropzero.softswitch.engine.queues import DEFAULT_DEPTH
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.offline.options import State
from dropzero.units import TIMES, bits, parse, span

app = typer.Typer(add_completion=False)
simulate_app = typer.Typer(
    cls=DefaultingGroup,
    help="All-reduce in virtual time: the same switch program and worker code between modelled links, up to 1,024 "
    "workers; or a step of training, or any P4 program.",
)
app.add_typer(simulate_app, name="simulate")

REFRESH = 0.2
"""Seconds between two updates of the progress bar."""


@simulate_app.command(
    "all-reduce",
    epilog=examples(
        "dropzero simulate --workers 1024 --racks 32 --rate 100G --size 100kB",
        "dropzero simulate --density 0.01 --loss 0.01 --json result.json",
        "dropzero simulate --collective ring --rate 10G",
        "dropzero simulate --call reduce-scatter --racks 2 --rate 100G --size 16MB",
        "dropzero simulate --call all-gather --collective ring --workers 64 --racks 2",
    ),
)
@grouped()
def all_reduce(
    reduction: Reduction,
    jobs: Jobs,
    size: Annotated[
        str, ReduceOption(help="Size of each worker's float32 tensor: 100kB, 1MB; of an all-gather, of the result.")
    ] = "1MB",
    call: Annotated[Kind, ReduceOption(help="What the workers call together; rank 0 is the root.")] = Kind.ALL_REDUCE,
    outage: Annotated[
        list[str] | None,
        FaultOption(
            metavar="SWITCH=FROM-TO",
            help="Let a switch lose its state at a time, and packets until another: spine=20us-1ms. Repeatable.",
        ),
    ] = None,
    pcap: Annotated[Path | None, OutputOption(metavar="FILE", help="Capture all packets as they arrive.")] = None,
    as_json: AsJson = None,
) -> None:
    """An all-reduce, or another --call, in virtual time. `all-reduce` may be left out.

    Every switch is the embedded switch's engine, and every worker is the code that runs in training. Checks every
    worker's result. Exit status: 0 all sums are exact, 1 not so, 2 it cannot be simulated.
    """
    with _reported():
        plan = reduction.plan(size, call=call, outages=tuple(map(_outage, outage or [])), **jobs.fields)
        result, network = _run(plan, pcap)
        show(_table(plan, result, network), json.dumps(asdict(result), indent=2) + "\n", as_json)
    if not result.exact:
        raise typer.Exit(1)


@simulate_app.command(epilog=examples("dropzero simulate training trace.et --workers 8 --rate 100G"))
@grouped()
def training(
    reduction: Reduction,
    fabric: Fabric,
    profile: Profile,
    figure: Annotated[Path | None, OutputOption(metavar="FILE", help="Draw rank 0's step.")] = None,
    as_json: AsJson = None,
) -> None:
    """Simulate a step of training, and next to it the same step with --collective, or a ring.

    Exit status: 0 all sums are exact, 1 not so, 2 it cannot be simulated.
    """
    with _reported():
        with _bar() as bar:

            def look(scheme: Scheme, now: SoFar) -> None:
                bar(lambda: (now.operations, now.total, f"{scheme}: {_reached(now.seconds, now.events)}"))

            # The trace has the tensors' sizes.
            trained = train(reduction.plan("4B", **fabric.fields), profile, look)
        show(trained.table(), trained.json(), as_json)
        if figure is not None:
            trained.draw(figure)
    if not trained.exact:
        raise typer.Exit(1)


@simulate_app.command(epilog=examples("dropzero simulate program my.json --commands my.txt --send 1=in.pcap"))
@grouped()
def program(
    links: Links,
    state: State,
    program: Annotated[
        Path | None,
        typer.Argument(
            metavar="[JSON]",
            show_default=False,
            help="p4c's JSON for BMv2, for switches without a program of their own.",
        ),
    ] = None,
    topology: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON",
            help="Switches, hosts and links as in p4lang's tutorials. Without it: one switch, whose hosts are named by "
            "their ports.",
        ),
    ] = None,
    send: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST=FILE", help="Let a host send the packets of a capture. Repeatable."),
    ] = None,
    queue: Queue = DEFAULT_DEPTH,
    received: Annotated[
        Path | None, OutputOption(metavar="FOLDER", help="Write a capture of what each host receives.")
    ] = None,
    as_json: AsJson = None,
) -> None:
    """Send captures through any P4 program.

    Exit status: 0 simulated, 2 it cannot be simulated.
    """
    with _reported():
        captures = list(map(_capture, send or []))
        replay = Replay(Setting(program, topology, state, links.quality, queue, links.seed), captures)
        with _bar() as bar:
            replay.run(lambda: bar(lambda: (0, None, f"{span(replay.fabric.time / SECOND)} of virtual time")))
        show(replay.table(), replay.json(), as_json)
        if received is not None:
            replay.write(received)


@contextmanager
def _reported() -> Iterator[None]:
    try:
        with one_line():
            yield
    except SimulationError as error:
        raise typer.TyperException(str(error)) from error
    except MemoryError as error:
        raise typer.TyperException(f"this machine has not enough memory for it: {error}") from error


def _capture(text: str) -> tuple[str, Path]:
    host, _, path = text.partition("=")
    if not (host and path):
        raise ValueError(f"--send takes HOST=FILE, not {text!r}")
    return host, Path(path)


def _outage(text: str) -> Outage:
    switch, _, times = text.partition("=")
    begin, _, end = times.partition("-")
    if not (switch and begin and end):
        raise ValueError(f"an outage is SWITCH=FROM-TO, such as spine=20us-1ms, not {text!r}")
    return Outage(switch, parse(begin, TIMES), parse(end, TIMES))


@contextmanager
def _bar() -> Iterator[Callable[[Callable[[], tuple[float, float | None, str]]], None]]:
    """A progress bar on stderr if that is a terminal. Its function shows, now and then, what another one returns: how
    much is done, of how much (None: unknown), and a text."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    shown = 0.0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)

        def show(now: Callable[[], tuple[float, float | None, str]]) -> None:
            nonlocal shown
            if time.monotonic() - shown >= REFRESH:
                shown = time.monotonic()
                done, total, text = now()
                progress.update(task, completed=done, total=total, description=text)

        yield show


def _reached(seconds: float, events: int) -> str:
    return f"{span(seconds)} of virtual time, {events:,} events"


def _run(plan: Plan, pcap: Path | None) -> tuple[Result, Network]:
    simulated = simulation(plan, pcap)
    network = simulated.network

    def now() -> tuple[float, float | None, str]:
        done = min(int(network.links("to hosts")["bytes"].sum()), plan.downlink_formula)
        total = plan.downlink_formula if plan.scheme is Scheme.DROPZERO else None
        return done, total, _reached(network.time / SECOND, network.events)

    with _bar() as bar:
        return simulated.run(lambda: bar(now)), network


def _table(plan: Plan, result: Result, network: Network) -> Table:
    """What was simulated, next to the formulas."""
    table = table_of(("", "simulated", "formula", "ratio"), ())

    def row(name: str, value: float, formula: float, shown: object, told: object) -> None:
        table.add_row(name, str(shown), str(told), f"{value / formula:.3f}" if formula else "")

    took, least_time = result.seconds, result.formula_seconds
    row("virtual time", took, least_time, span(took), span(least_time))
    for scheme, least_time in plan.baselines.items():
        row(f"next to a {scheme}, dense", took, least_time, "", span(least_time))
    for name, number, least in (
        ("bytes from hosts", result.uplink_bytes, plan.uplink_formula),
        ("bytes to hosts", result.downlink_bytes, plan.downlink_formula),
    ):
        if plan.scheme is Scheme.DROPZERO:
            row(name, number, least, decimal(number), decimal(round(least)))
        else:
            table.add_row(name, decimal(number))
    if (carried := result.bus_bandwidth) is not None:
        row("bus bandwidth", carried, plan.quality.rate, bits(carried), bits(plan.quality.rate))
    times = f", {result.footprint_bytes / result.size / plan.jobs:.2f} times the tensor"
    table.add_row("footprint", decimal(result.footprint_bytes) + ("" if plan.call is Kind.BARRIER else times))
    for kind in ("up", "down"):
        if kind in network.kinds:
            table.add_row(f"bytes {kind} between switches", decimal(int(network.links(kind)["bytes"].sum())))
    if plan.aggregator:
        longest = max(result.hosted_seconds)
        least_time = result.hosted_formula_seconds
        row("a job on the aggregator", longest, least_time, span(longest), span(least_time))
        for kind in ("to aggregator", "from aggregator"):
            table.add_row(f"bytes {kind}", decimal(sum(result.link_bytes[kind])))
    if plan.jobs > 1:
        table.add_row("jobs, each from its arrival on", ", ".join(map(span, result.job_seconds)))
        if plan.aggregator:
            table.add_row("of that on the aggregator", ", ".join(map(span, result.hosted_seconds)))
        table.add_row("fairness between jobs", f"{result.fairness:.3f}")
    lost = plan.quality.loss * int(network.links()["packets"].sum())
    row("retransmissions", result.retransmissions, lost, result.retransmissions, f"{lost:.0f} losses")
    for name, kinds in (
        ("hosts", ["from hosts", "from aggregator"]),
        ("switches", ["to hosts", "up", "down", "to aggregator"]),
    ):
        links = network.links(*kinds)
        longest, dropped = links["deepest"].max(), links["dropped"].sum()
        table.add_row(f"longest queue, {name}", f"{longest} packets, {dropped} dropped")
    table.add_row("every sum exact", "yes" if result.exact else "NO")
    table.add_row("events", f"{result.events:,}, {result.events / result.wall_seconds:,.0f} a second")
    table.add_row("real time", span(result.wall_seconds))
    table.add_row("memory", decimal(result.max_memory))
    return table
