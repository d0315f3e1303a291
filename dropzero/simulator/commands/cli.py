"""`dropzero simulate`."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from dropzero.console import wide_console
from dropzero.controller.jobs.jobs import DEFAULT_LANES
from dropzero.controller.jobs.policies import POLICIES
from dropzero.controller.jobs.slots import SLOTS
from dropzero.help import FAULTS, NETWORK, OUTPUT, TRAINING, examples
from dropzero.simulator.collectives.schemes import SCHEMES
from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.commands.training import Profile
from dropzero.simulator.commands.training import run as train
from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.network import Network, SimulationError
from dropzero.simulator.programs.replay import Replay, Setting
from dropzero.simulator.simulation import QUEUE, Plan, Result
from dropzero.simulator.timeline import Outage
from dropzero.simulator.units import RATES, SIZES, TIMES, parse, span
from dropzero.simulator.workload import BLOCK
from dropzero.softswitch.engine.queues import DEFAULT_DEPTH
from dropzero.softswitch.engine.wire import SECOND

app = typer.Typer(add_completion=False)

REDUCE, PROGRAMS, JOBS = "All-reduce", "Any P4 program", "Several jobs"
"""Panels of --help."""
OF_BOTH = {"rate", "delay", "loss", "duplicate", "reorder", "queue", "seed", "as_json"}
OF_PROGRAMS = OF_BOTH | {"program", "topology", "send", "entries", "commands", "p4info", "received"}
"""The parameters that are for simulations of P4 programs."""
OF_TRACES = {"trace", "flops", "durations", "steps", "figure"}
NOT_OF_TRACES = {"size", "jobs", "pcap", "stagger", "outage", "aggregator", "calls"}
"""Parameters that go with --trace alone, and those that do not go with it."""
COLLECTIVES = {each.lower().replace(" ", "-"): each for each in (Scheme.DROPZERO, *SCHEMES)}
"""The schemes by their names on the command line."""
REFRESH = 0.2
"""Seconds between two updates of the progress bar."""


@app.command(
    epilog=examples(
        "dropzero simulate --workers 1024 --racks 32 --rate 100G --size 100kB",
        "dropzero simulate --density 0.01 --loss 0.01 --json result.json",
        "dropzero simulate --collective ring --rate 10G",
        "dropzero simulate --trace trace.et --workers 8 --rate 100G",
    )
)
def simulate(
    context: typer.Context,
    workers: Annotated[int, typer.Option(rich_help_panel=NETWORK, min=1, max=1024, help="Workers of each job.")] = 4,
    racks: Annotated[
        str,
        typer.Option(
            rich_help_panel=NETWORK,
            help="Leaves below a spine; 1: a single switch; 4x8: a spine above 4 switches above 8 each.",
        ),
    ] = "1",
    collective: Annotated[
        str,
        typer.Option(
            rich_help_panel=REDUCE, metavar="SCHEME", help=f"Who all-reduces, and how: {', '.join(COLLECTIVES)}."
        ),
    ] = str(Scheme.DROPZERO),
    jobs: Annotated[int, typer.Option(rich_help_panel=JOBS, min=1, help="At once, each on hosts of its own.")] = 1,
    rate: Annotated[
        str, typer.Option(rich_help_panel=NETWORK, help="Of each link and direction, bits a second: 100M, 100G.")
    ] = "100M",
    delay: Annotated[
        str, typer.Option(rich_help_panel=NETWORK, help="Propagation delay of each link: 500ns, 1us, 1ms.")
    ] = "1us",
    size: Annotated[
        str, typer.Option(rich_help_panel=REDUCE, help="Of each worker's tensor of float32: 100kB, 1MB.")
    ] = "1MB",
    density: Annotated[
        float, typer.Option(rich_help_panel=REDUCE, help="Share of a worker's blocks that are not zero, in (0, 1].")
    ] = 1.0,
    overlap: Annotated[
        Overlap, typer.Option(rich_help_panel=REDUCE, help="Where the workers' non-zero blocks are.")
    ] = Overlap.RANDOM,
    row: Annotated[
        int, typer.Option(rich_help_panel=REDUCE, min=1, help="Elements that are zero or not as a whole.")
    ] = BLOCK,
    loss: Annotated[
        float, typer.Option(rich_help_panel=FAULTS, min=0.0, max=1.0, help="Share of packets that each link loses.")
    ] = 0.0,
    duplicate: Annotated[
        float, typer.Option(rich_help_panel=FAULTS, min=0.0, max=1.0, help="Share of packets that arrive twice.")
    ] = 0.0,
    reorder: Annotated[
        float, typer.Option(rich_help_panel=FAULTS, min=0.0, max=1.0, help="Share of packets that are not delayed.")
    ] = 0.0,
    lanes: Annotated[
        int, typer.Option(rich_help_panel=REDUCE, min=1, max=1024, help="Packets that a worker may have in flight.")
    ] = (DEFAULT_LANES),
    queue: Annotated[
        int, typer.Option(rich_help_panel=NETWORK, min=1, max=100_000, help="Packets that a queue holds.")
    ] = QUEUE,
    mark_from: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=NETWORK, min=0, help="Packets in a queue from which packets are marked (ECN); 0: never."
        ),
    ] = None,
    host_cost: Annotated[
        str, typer.Option(rich_help_panel=REDUCE, help="Time that a host takes for a packet, in or out.")
    ] = "0",
    seed: Annotated[
        int, typer.Option(rich_help_panel=NETWORK, min=0, help="Of tensors, losses, and all else that is random.")
    ] = 0,
    as_json: Annotated[
        Path | None,
        typer.Option("--json", rich_help_panel=OUTPUT, metavar="FILE", help="Write the result as JSON; - is stdout."),
    ] = None,
    pcap: Annotated[
        Path | None, typer.Option(rich_help_panel=OUTPUT, metavar="FILE", help="Capture all packets as they arrive.")
    ] = None,
    rails: Annotated[
        int,
        typer.Option(
            rich_help_panel=NETWORK,
            min=1,
            help="Parallel trees, each with a network card of every host and a share of the tensor.",
        ),
    ] = 1,
    policy: Annotated[
        str,
        typer.Option(
            help=f"How jobs share the slots: {', '.join(POLICIES)}, fixed:N, or your own class as module:Class or "
            "file.py:Class.",
            rich_help_panel=JOBS,
        ),
    ] = "first-come",
    slots: Annotated[
        int, typer.Option(min=1, max=SLOTS, help="Of each switch, for all jobs.", rich_help_panel=JOBS)
    ] = SLOTS,
    priorities: Annotated[
        str, typer.Option(metavar="N,...", help="Of jobs, for the policy; 1 of the others.", rich_help_panel=JOBS)
    ] = "",
    calls: Annotated[
        int,
        typer.Option(
            min=1,
            help="All-reduces of each job, one after the other, of equal parts of its tensor.",
            rich_help_panel=JOBS,
        ),
    ] = 1,
    aggregator: Annotated[
        bool,
        typer.Option(
            "--aggregator",
            help="A host next to the top switch adds up for jobs without slots, which otherwise wait.",
            rich_help_panel=JOBS,
        ),
    ] = False,
    stagger: Annotated[str, typer.Option(help="Time between two jobs' arrivals.", rich_help_panel=JOBS)] = "0",
    outage: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=FAULTS,
            metavar="SWITCH=FROM-TO",
            help="Let a switch lose its state at a time, and packets until another: spine=20us-1ms. Repeatable.",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead of one all-reduce, simulate a step of training: a Chakra execution trace, the same for all "
            "workers; or PATH, if PATH.0.et, PATH.1.et, ... are theirs. Beside it, the same step with --collective, or "
            "a ring.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    flops: Annotated[
        str,
        typer.Option(help="Operations a second, for nodes without a duration: 100T.", rich_help_panel=TRAINING),
    ] = "0",
    durations: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON", help="Microseconds by names of nodes, instead of the trace's.", rich_help_panel=TRAINING
        ),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="The last of which counts.", rich_help_panel=TRAINING)] = 2,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw rank 0's step.", rich_help_panel=TRAINING)
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON",
            help="Instead of an all-reduce, send captures through this P4 program: p4c's JSON for BMv2.",
            rich_help_panel=PROGRAMS,
        ),
    ] = None,
    topology: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON",
            help="Switches, hosts and links as in p4lang's tutorials. Without it: one switch, whose hosts are named by "
            "their ports.",
            rich_help_panel=PROGRAMS,
        ),
    ] = None,
    send: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST=FILE", help="Let a host send the packets of a capture. Repeatable.", rich_help_panel=PROGRAMS
        ),
    ] = None,
    entries: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Entries of one switch, as for dropzero switch trace.", rich_help_panel=PROGRAMS
        ),
    ] = None,
    commands: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Then simple_switch_CLI's commands. Repeatable.", rich_help_panel=PROGRAMS),
    ] = None,
    p4info: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="P4Info of one switch.",
            show_default="the file next to the program",
            rich_help_panel=PROGRAMS,
        ),
    ] = None,
    received: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write a capture of what each host receives.", rich_help_panel=PROGRAMS),
    ] = None,
) -> None:
    """All-reduce in virtual time: the same switch program and worker code between modelled links, up to 1,024 workers.

    Every switch is the embedded switch's engine, and every worker is the code that runs in training. Checks every
    worker's sum. Exit status: 0 all sums are exact, 1 not so, 2 it cannot be simulated.

    With --trace it simulates a step of training instead, with --program or --topology any other P4 program, and hosts
    that send captures.
    """
    sources = {name: context.get_parameter_source(name) for name in context.params}
    used = {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}
    try:
        if used & {"program", "topology"}:
            if others := used - OF_PROGRAMS:
                raise ValueError(f"--{min(others).replace('_', '-')} is for an all-reduce, not for --program")
            setting = Setting(
                *(program, topology, entries or [], commands or [], p4info),
                Quality(_rate(rate), parse(delay, TIMES), loss, duplicate, reorder),
                *(queue if "queue" in used else DEFAULT_DEPTH, seed),
            )
            _replay(setting, send or [], received, as_json)
            return
        if others := used & OF_PROGRAMS - OF_BOTH:
            raise ValueError(f"--{min(others)} is for a --program")
        if trace is None and (others := used & OF_TRACES):
            raise ValueError(f"--{min(others)} is for a --trace")
        if trace is not None and (others := used & NOT_OF_TRACES):
            raise ValueError(f"--{min(others)} is not for a --trace")
        quality = Quality(_rate(rate), parse(delay, TIMES), loss, duplicate, reorder)
        pods, leaves = _tiers(racks)
        plan = Plan(
            workers,
            pods * leaves,
            quality,
            parse(size, SIZES),
            density,
            overlap,
            lanes,
            queue,
            mark_from,
            parse(host_cost, TIMES),
            seed,
            pods,
            jobs,
            _scheme(collective),
            row=row,
            rails=rails,
            policy=policy,
            slots=slots,
            priorities=_priorities(priorities),
            stagger=parse(stagger, TIMES),
            outages=tuple(map(_outage, outage or [])),
            aggregator=aggregator,
            calls=calls,
        )
        if trace is not None:
            _train(plan, Profile(trace, parse(flops, RATES), durations, steps), as_json, figure)
            return
        result, network = _run(plan, pcap)
        _show(_table(plan, result, network), json.dumps(asdict(result), indent=2) + "\n", as_json)
    except (ValueError, OSError, SimulationError) as error:
        raise typer.TyperException(str(error)) from error
    except MemoryError as error:
        raise typer.TyperException(f"this machine has not enough memory for it: {error}") from error
    if not result.exact:
        raise typer.Exit(1)


def _replay(setting: Setting, send: list[str], received: Path | None, as_json: Path | None) -> None:
    """Sends captures, HOST=FILE each, through P4 programs."""
    pairs = [each.partition("=") for each in send]
    if wrong := next((each for each, (host, _, path) in zip(send, pairs, strict=True) if not (host and path)), None):
        raise ValueError(f"--send takes HOST=FILE, not {wrong!r}")
    replay = Replay(setting, [(host, Path(path)) for host, _, path in pairs])
    console = Console(stderr=True)
    with Progress(transient=True, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        replay.run(lambda: progress.update(task, description=f"{span(replay.fabric.time / SECOND)} of virtual time"))
    if received is not None:
        replay.write(received)
    _show(replay.table(), replay.json(), as_json)


def _train(plan: Plan, profile: Profile, as_json: Path | None, figure: Path | None) -> None:
    """Simulates a step of training."""
    console = Console(stderr=True)
    with console.status("", spinner="line") as status:
        training = train(plan, profile, status.update)
    if figure is not None:
        training.draw(figure)
    _show(training.table(), training.json(), as_json)
    if not training.exact:
        raise typer.Exit(1)


def _show(table: Table, text: str, as_json: Path | None) -> None:
    """Prints the result as a table, or as JSON if it goes to stdout (`-`). Writes the JSON to any other file. Raises
    OSError."""
    if as_json == Path("-"):
        typer.echo(text, nl=False)
        return
    if as_json is not None:
        as_json.write_text(text)
    wide_console().print(table)


def _priorities(text: str) -> tuple[int, ...]:
    numbers = text.split(",") if text else []
    if not all(number.isdecimal() and int(number) for number in numbers):
        raise ValueError(f"{text!r} are no priorities, such as 3,1,1")
    return tuple(map(int, numbers))


def _outage(text: str) -> Outage:
    switch, _, times = text.partition("=")
    begin, _, end = times.partition("-")
    if not (switch and begin and end):
        raise ValueError(f"an outage is SWITCH=FROM-TO, such as spine=20us-1ms, not {text!r}")
    return Outage(switch, parse(begin, TIMES), parse(end, TIMES))


def _scheme(name: str) -> Scheme:
    if name not in COLLECTIVES:
        raise ValueError(f"{name!r} is not a collective: choose {', '.join(COLLECTIVES)}")
    return COLLECTIVES[name]


def _rate(text: str) -> int:
    bits = parse(text, RATES)
    if not bits:
        raise ValueError("links need a rate above 0")
    return bits


def _tiers(racks: str) -> tuple[int, int]:
    """How many switches are below the spine, and leaves below each of these; (1, leaves) if there are two tiers."""
    found = re.fullmatch(r"(?:([1-9]\d*)x)?([1-9]\d*)", racks)
    if found is None:
        raise ValueError(f"{racks!r} is not a number of racks, such as 8 or 4x8")
    return int(found[1] or 1), int(found[2])


def _run(plan: Plan, pcap: Path | None) -> tuple[Result, Network]:
    """Simulates, with a progress bar on stderr if that is a terminal."""
    console = Console(stderr=True)
    simulated = simulation(plan, pcap)
    network = simulated.network
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=plan.downlink_formula if plan.scheme is Scheme.DROPZERO else None)
        shown = 0.0

        def look() -> None:
            nonlocal shown
            if time.monotonic() - shown >= REFRESH:
                shown = time.monotonic()
                done = min(int(network.links("to hosts")["bytes"].sum()), plan.downlink_formula)
                now = span(network.time / SECOND)
                progress.update(task, completed=done, description=f"{now} of virtual time, {network.events:,} events")

        return simulated.run(look), network


def _table(plan: Plan, result: Result, network: Network) -> Table:
    """What was simulated, next to the formulas."""
    table = Table("", "simulated", "formula", "ratio")
    for column in table.columns[1:]:
        column.justify = "right"

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
