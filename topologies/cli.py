"""`dropzero run`, `rack`, `exec` and `stop`."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from dropzero.extras import need
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.orchestration.kill_target import KillTarget
from dropzero.topologies.processes.errors import Interruption, RunError, SetupError
from dropzero.topologies.registry.choice import HELP, VARIABLE

app = typer.Typer(add_completion=False)

Workers = Annotated[int, typer.Option(min=1, max=32, help="Hosts, each with one worker.")]
Racks = Annotated[int, typer.Option(min=1, help="Racks that share the hosts evenly; several are joined by a spine.")]
Rate = Annotated[
    float | None,
    typer.Option(min=0.001, help="Rate of each host's link and direction, Mbit/s.", show_default="no limit"),
]
TrunkRate = Annotated[
    float | None,
    typer.Option(min=0.001, help="Rate of each rack's link to the spine, Mbit/s.", show_default="no limit"),
]
Delay = Annotated[float, typer.Option(min=0, help="Delay of each link and direction, ms.")]
Duplicate = Annotated[float, typer.Option(min=0, max=1, help="Probability that a link delivers a packet twice.")]
Reorder = Annotated[
    float, typer.Option(min=0, max=1, help="Probability that a packet skips a link's delay and overtakes others.")
]
Name = Annotated[str, typer.Option(metavar="NAME", help="Name of the run.", show_default="dz0, or the next free one")]
RunName = Annotated[str | None, typer.Option("--run", metavar="NAME", envvar=VARIABLE, help=HELP)]
Out = Annotated[Path | None, typer.Option(help="Folder for all files.", show_default="runs/<date and time>")]


@contextmanager
def _told_in_words() -> Iterator[None]:
    """End the command with one line and an exit status, whatever stops it."""
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
    """Return the folder asked for, or a new one named after the time."""
    if out is not None:
        return out
    return Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S.%f")[:-3]


@app.command()
def run(
    workers: Workers = 4,
    racks: Racks = 1,
    jobs: Annotated[int, typer.Option(min=1, help="How many jobs run at once, each with that many workers.")] = 1,
    density: Annotated[float, typer.Option(help="Fraction of the gradient's blocks to send, in (0, 1].")] = 0.1,
    compress: Annotated[
        str | None, typer.Option(help="Compression instead of --density, e.g. topk(0.1,block=32)+ef.")
    ] = None,
    loss: Annotated[float, typer.Option(min=0, max=0.9, help="Probability that a link loses a packet.")] = 0.0,
    duplicate: Duplicate = 0.0,
    reorder: Reorder = 0.0,
    delay: Delay = 0.0,
    rate: Rate = None,
    trunk_rate: TrunkRate = None,
    switch: Annotated[
        SwitchKind, typer.Option(help="What runs the P4 program; auto: BMv2 if simple_switch_grpc is on PATH.")
    ] = SwitchKind.AUTO,
    steps: Annotated[int, typer.Option(min=1, help="Training steps.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the initial weights and the minibatches.")] = 0,
    pcap: Annotated[bool, typer.Option("--pcap", help="Capture all ports of the switches.")] = False,
    kill: Annotated[
        list[KillTarget] | None, typer.Option(help="Kill this program with SIGKILL on the way. Repeatable.")
    ] = None,
    name: Name = "",
    out: Out = None,
) -> None:
    """Train on an emulated rack, or several, from nothing to the summary, and clean up.

    Exit status: 0 trained, 1 a program died on the way, 2 it could not start
    as asked, 128 + n stopped by signal n.
    """
    need("run", "train")
    with _told_in_words():
        check_machine()
        # Imported late: these modules need the packages checked above.
        from rich.console import Console

        from dropzero.compressors.options import spec_of
        from dropzero.topologies.networks.faults import Faults
        from dropzero.topologies.orchestration.plan import Plan
        from dropzero.topologies.orchestration.run import run
        from dropzero.topologies.orchestration.summary import comparison

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
            name=name,
        )
        summaries = run(plan, console)
        console.print(summaries[0].table() if jobs == 1 else comparison(summaries))
        files = "summary.json, plot.png, worker-*/" if jobs == 1 else "of each job-*/ summary.json, plot.png, worker-*/"
        console.print(f"Everything is in {plan.out}: {files}, logs/", soft_wrap=True)


@app.command()
def rack(
    workers: Workers = 4,
    racks: Racks = 1,
    rate: Rate = None,
    trunk_rate: TrunkRate = None,
    name: Name = "",
    out: Out = None,
) -> None:
    """Start only the network, and print the commands that start the rest in other terminals. Stop with Ctrl-C."""
    with _told_in_words():
        check_machine()
        from dropzero.topologies.orchestration.plan import Plan
        from dropzero.topologies.orchestration.run import network_of
        from dropzero.topologies.processes.signals import interruptible

        plan = Plan(_folder(out), workers=workers, racks=racks, rate=rate, trunk_rate=trunk_rate, name=name)
        with interruptible(), network_of(plan) as network:
            for command in network.by_hand():
                typer.echo(shlex.join(command))
            try:
                signal.pause()
            finally:
                for guest in network.guests:
                    typer.echo(f"ending {guest}", err=True)


# Options after the node belong to the command.
@app.command(context_settings={"allow_interspersed_args": False})
def exec(
    node: Annotated[str, typer.Argument(metavar="NODE", help="Host (h1, h2, ...) or switch (s1, ...).")],
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="Command with its arguments.")],
    run: RunName = None,
) -> None:
    """Run a command on a host of a running network, as `dropzero exec h1 ping 10.0.0.254`. It ends with the run."""
    from dropzero.topologies.registry.choice import chosen

    with _told_in_words():
        _check_root()
        state = chosen(run)
        place = state.node(node)
        if command[0] == "--":
            command = command[1:]
        state.join(f"{shlex.join(command[:2])} on {node}")
        os.environ[VARIABLE] = state.prefix
        # So that the command finds this `dropzero`, unless another is on PATH.
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
        try:
            os.execvp("nsenter", ["nsenter", f"--net=/proc/{place.pid}/ns/net", "--", *command])
        except OSError as error:
            raise SetupError(f"cannot run nsenter: {error.strerror}") from error


@app.command()
def stop(
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="NAME", envvar=VARIABLE, help="Stop this run only, whatever its checkout."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Stop all runs on this machine.")] = False,
) -> None:
    """End this checkout's runs and the processes started in them by hand, and clean up after crashed runs. Touches only
    what is recorded as theirs."""
    from dropzero.topologies.registry.state import CHECKOUT, states

    with _told_in_words():
        _check_root()
        if run and everything:
            raise SetupError(f"--all is of all runs, --run (or {VARIABLE}) of one: not both")
        found = list(states())
        if run:
            wanted = [state for state in found if state.prefix == run]
        else:
            wanted = [state for state in found if everything or state.checkout == CHECKOUT]
        for state in wanted:
            guests = state.guests
            state.stop()
            typer.echo(f"stopped {state}")
            for guest in guests:
                typer.echo(f"  with {guest}")
        if run and not wanted:
            raise SetupError(f"there is no run {run}")
        others = [state for state in found if state not in wanted]
        if not wanted:
            typer.echo("nothing to stop")
        if others and not run:
            typer.echo(f"left as they are (--all stops them too): {', '.join(map(str, others))}")


def _check_root() -> None:
    if os.geteuid() != 0:
        raise SetupError("networks belong to root; try again with sudo")
