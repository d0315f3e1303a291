"""`dropzero run`, `rack`, `exec` and `stop`."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from topologies.errors import Interruption, RunError, SetupError
from topologies.kind import Kind
from topologies.machine import check_machine
from topologies.victim import Victim

app = typer.Typer(add_completion=False)

Workers = Annotated[int, typer.Option(min=1, max=32, help="Hosts, each with one worker.")]
Racks = Annotated[int, typer.Option(min=1, help="Switches that share the hosts out evenly, under a spine if several.")]
Rate = Annotated[
    float | None, typer.Option(min=0.001, help="Mbit/s of every host's link, each way.", show_default="no limit")
]
TrunkRate = Annotated[
    float | None, typer.Option(min=0.001, help="Mbit/s of a rack's link to the spine.", show_default="no limit")
]
Delay = Annotated[float, typer.Option(min=0, help="Milliseconds that each link takes, each way.")]
Duplicate = Annotated[float, typer.Option(min=0, max=1, help="Probability that a packet arrives twice over a link.")]
Reorder = Annotated[
    float, typer.Option(min=0, max=1, help="Probability that a packet skips the delay of a link, and overtakes others.")
]
Out = Annotated[Path | None, typer.Option(help="The folder for all files.", show_default="runs/<date and time>")]


@contextmanager
def _told_in_words() -> Iterator[None]:
    """Ends the command with a message and the right exit status, whatever stops it."""
    try:
        yield
    except SetupError as error:
        _end(str(error), 2)
    except RunError as error:
        _end(str(error), 1)
    except Interruption as interruption:
        _end(f"stopped by {signal.Signals(interruption.signal).name}; cleaned up", 128 + interruption.signal)


def _end(message: str, status: int) -> NoReturn:
    typer.echo(f"dropzero: {message}", err=True)
    raise typer.Exit(status)


def _folder(out: Path | None) -> Path:
    """The folder asked for, or a new one named after the time."""
    if out is not None:
        return out
    return Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S.%f")[:-3]


@app.command()
def run(
    workers: Workers = 4,
    racks: Racks = 1,
    jobs: Annotated[int, typer.Option(min=1, help="So many times these workers, all at once.")] = 1,
    density: Annotated[float, typer.Option(help="Fraction of the gradient's blocks to send, in (0, 1].")] = 0.1,
    compress: Annotated[
        str | None, typer.Option(help="How to compress, e.g. topk(0.1,block=32)+ef, instead of a density.")
    ] = None,
    loss: Annotated[float, typer.Option(min=0, max=0.9, help="Probability that a link loses a packet.")] = 0.0,
    duplicate: Duplicate = 0.0,
    reorder: Reorder = 0.0,
    delay: Delay = 0.0,
    rate: Rate = None,
    trunk_rate: TrunkRate = None,
    switch: Annotated[Kind, typer.Option(help="auto: bmv2 where simple_switch_grpc is on PATH.")] = Kind.AUTO,
    steps: Annotated[int, typer.Option(min=1, help="Updates of the model.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the initial weights and the minibatches.")] = 0,
    pcap: Annotated[bool, typer.Option(help="Capture every port of the switch, in both directions.")] = False,
    kill: Annotated[
        list[Victim] | None, typer.Option(help="Kill -9 that on the way; repeat it for more. The training goes on.")
    ] = None,
    out: Out = None,
) -> None:
    """Train on an emulated rack, or several, from nothing to the summary, and clean up.

    Exit status: 0 trained, 1 something died on the way, 2 it could not start as asked, 128 + n stopped by signal n.
    """
    with _told_in_words():
        check_machine()
        # Now, because these need what was checked.
        from rich.console import Console

        from compressors.options import spec_of
        from topologies.faults import Faults
        from topologies.plan import Plan
        from topologies.run import run
        from topologies.summary import comparison

        console = Console()
        plan = Plan(
            _folder(out),
            workers=workers,
            racks=racks,
            jobs=jobs,
            compress=spec_of(density, compress, workers),
            loss=loss,
            faults=Faults(delay, duplicate, reorder),
            rate=rate,
            trunk_rate=trunk_rate,
            switch=switch,
            steps=steps,
            seed=seed,
            pcap=pcap,
            kill=tuple(kill or ()),
        )
        summaries = run(plan, console)
        console.print(summaries[0].table() if jobs == 1 else comparison(summaries))
        files = "summary.json, plot.png, worker-*/" if jobs == 1 else "of each job-*/ summary.json, plot.png, worker-*/"
        console.print(f"Everything is in {plan.out}: {files}, logs/", soft_wrap=True)


@app.command()
def rack(
    workers: Workers = 4, racks: Racks = 1, rate: Rate = None, trunk_rate: TrunkRate = None, out: Out = None
) -> None:
    """Start the network alone, and say how to start the rest by hand in other terminals. Ctrl-C ends it."""
    with _told_in_words():
        check_machine()
        from topologies.plan import Plan
        from topologies.run import network_of
        from topologies.signals import interruptible

        plan = Plan(_folder(out), workers=workers, racks=racks, rate=rate, trunk_rate=trunk_rate)
        with interruptible(), network_of(plan) as network:
            for command in network.by_hand():
                typer.echo(shlex.join(command))
            signal.pause()


@app.command(context_settings={"ignore_unknown_options": True})
def exec(
    host: Annotated[str, typer.Argument(help="h1, h2, ...")],
    command: Annotated[list[str], typer.Argument(help="The command and its arguments.")],
) -> None:
    """Run a command on a host of the running network, as `dropzero exec h1 ping 10.0.0.254`."""
    from topologies.state import states

    with _told_in_words():
        pids = [state.hosts[host] for state in states() if state.owner.alive and host in state.hosts]
        if not pids:
            raise SetupError(f"no running network has a host {host}")
        os.execvp("nsenter", ["nsenter", f"--net=/proc/{pids[0]}/ns/net", "--", *command])


@app.command()
def stop() -> None:
    """End all runs and take away what crashed ones left: only what is on record as theirs."""
    from topologies.state import states

    if os.geteuid() != 0:
        _end("networks belong to root; try again with sudo", 2)
    found = list(states())
    for state in found:
        state.stop()
        typer.echo(f"stopped the run of process {state.owner.pid}")
    if not found:
        typer.echo("nothing to stop")
