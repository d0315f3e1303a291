"""The command `dropzero`, with the commands of all packages as subcommands."""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import groupby
from typing import Annotated, NamedTuple

import typer
from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException
from typer.main import get_command

from dropzero.help import hide_flag_types
from dropzero.messages import complain
from dropzero.numbers import explain_numbers

START, OWN, INSIDE = "Start here", "Your own programs", "Look inside"
PARTS, MEASURE = "The parts of a run", "Measure and simulate"


class Command(NamedTuple):
    """A command's module, the first paragraph of its help, and its group in the list of commands."""

    module: str
    help: str
    group: str


COMMANDS = {
    "run": Command(
        "dropzero.topologies.cli",
        "Train on an emulated rack or several: start everything, print a summary, and clean up.",
        START,
    ),
    "launch": Command(
        "dropzero.topologies.launching.cli",
        "Run a command on every host of a new network, as in `dropzero launch --workers 4 python my.py`, and clean up.",
        OWN,
    ),
    "torchrun": Command(
        "dropzero.topologies.launching.cli",
        "Run a PyTorch script under torchrun, with an agent and a process on every host of a new network, and clean "
        "up.",
        OWN,
    ),
    "rack": Command(
        "dropzero.topologies.cli",
        "Start only the network, and print the commands that start the rest in other terminals. Stop with Ctrl-C.",
        OWN,
    ),
    "exec": Command(
        "dropzero.topologies.cli",
        "Run a command on a host of a running network, as in `dropzero exec h1 ping 10.0.0.254`. It ends with the run.",
        OWN,
    ),
    "stop": Command(
        "dropzero.topologies.cli",
        "Stop your runs of this checkout, with the processes started in them by hand, and clean up after crashed runs. "
        "Touches only what is recorded as theirs.",
        START,
    ),
    "runs": Command("dropzero.topologies.past", "List past runs with their options and results.", START),
    "compare": Command(
        "dropzero.topologies.past",
        "Show two runs side by side: all options and results, and which of them differ.",
        START,
    ),
    "page": Command(
        "dropzero.page.cli",
        "Show a run in the browser, while it runs or afterwards. Stop with Ctrl-C.",
        START,
    ),
    "switch": Command(
        "dropzero.softswitch.cli",
        "A P4 switch in software: simple_switch_grpc's command line, P4Runtime and JSON, compiled to native code.",
        PARTS,
    ),
    "tutorials": Command(
        "dropzero.softswitch.launchers",
        "Run p4lang's tutorials, p4-utils and the like on the embedded switch: writes simple_switch, "
        "simple_switch_grpc and simple_switch_CLI into a folder, and prints what to set.",
        PARTS,
    ),
    "controller": Command(
        "dropzero.controller.commands.cli", "Serve a switch's jobs, inspect them, and change them.", INSIDE
    ),
    "aggregator": Command(
        "dropzero.controller.aggregator.cli",
        "Aggregate on this host, for jobs without slots on the switch. Stop with Ctrl-C.",
        PARTS,
    ),
    "worker": Command(
        "dropzero.training.cli",
        "Train on the digits as one of several data-parallel workers whose gradients the switch adds up.",
        PARTS,
    ),
    "simulate": Command(
        "dropzero.simulator.commands.cli",
        "All-reduce in virtual time: the same switch program and worker code between modelled links, up to 1,024 "
        "workers; or a step of training, or any P4 program.",
        MEASURE,
    ),
    "sweep": Command(
        "dropzero.simulator.commands.sweep",
        "Simulate every point of a grid: dropzero sweep workers=2,4,8 density=0.01,1 --rate 10G --size 1MB.",
        MEASURE,
    ),
    "protocol": Command("dropzero.ina.cli", "All-reduce by a protocol of your own, through its P4 program.", MEASURE),
    "trace": Command("dropzero.traces.cli", "Read a run's captures.", INSIDE),
    "experiment": Command(
        "dropzero.experiments.cli",
        "Test the papers' claims, each with a figure, a CSV and a verdict, and write one page for all.",
        MEASURE,
    ),
    "precision": Command(
        "dropzero.experiments.precision",
        "Measure how exact sums of floats are, at each width and for 2 to 32 workers, and next to a single large "
        "element.",
        MEASURE,
    ),
}
"""The commands, in the order of --help. (Loading all modules to list them would take a second.)"""

INTERRUPTED = 128 + signal.SIGINT
"""The exit status after Ctrl-C, unless the command ends in its own way."""
RUN_USER_PROGRAMS = ("launch", "torchrun", "rack", "exec", "tutorials")
"""The commands that start the user's own programs, which inherit the environment."""

USE_RUNS = ("exec", "stop", "controller", "worker", "trace")
"""The commands that look for a run that is up."""


def build(command: str = "") -> typer.Typer:
    """Builds the program, with the module of `command` loaded; other commands have only their names and help."""
    app = typer.Typer(name="dropzero", no_args_is_help=True)
    app.callback()(_dropzero)
    wanted = COMMANDS[command].module if command in COMMANDS else None
    for module, names in groupby(COMMANDS, lambda name: COMMANDS[name].module):
        app.add_typer(import_module(module).app if module == wanted else _names(names))
    return app


def program(command: str = "") -> TyperGroup:
    """Returns what build() builds, with its help and its errors in this program's words."""
    made = get_command(build(command))
    assert isinstance(made, TyperGroup)
    for name, each in made.commands.items():
        each.rich_help_panel = COMMANDS[name].group  # type: ignore[attr-defined]
    hide_flag_types(made)
    explain_numbers(made)
    return made


def _names(commands: Iterable[str]) -> typer.Typer:
    app = typer.Typer()
    for name in commands:
        app.command(name, help=COMMANDS[name].help)(lambda: None)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        # Imported here, because it is rarely needed.
        from importlib.metadata import version

        typer.echo(f"dropzero {version('dropzero')}")
        raise typer.Exit


def _dropzero(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Train with gradients added up inside a P4 switch, on an emulated rack on this machine."""


def _command(arguments: Sequence[str]) -> str:
    """The command that is called, or whose arguments a shell completes."""
    if "_DROPZERO_COMPLETE" in os.environ:
        line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
        arguments = line.split()[1:]
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def main() -> None:
    """Runs the command. A user's error prints one line on stderr and gives exit status 2."""
    # Modules are many long-lived objects: collecting garbage would take a quarter of the loading time, and when the
    # interpreter ends, it would look through all of them again.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    _open_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Programs may print characters that this terminal does not have.
        sys.stdout.reconfigure(errors="replace")
    # Suppresses gRPC's messages: the commands report its errors themselves.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    interrupts = []

    def interrupt(number: int, frame: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    command = _command(sys.argv[1:])
    if command not in RUN_USER_PROGRAMS:
        # OpenBLAS starts a thread for each processor when NumPy is imported, and they spin for a tenth of a second.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if command in USE_RUNS:
        # Imported here, because other commands need not load it.
        from dropzero.linux import rootless

        # Before the process has threads.
        rootless.enter_existing()
    try:
        called = program(command)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            # From now on, commands clean up.
            signal.signal(signal.SIGINT, interrupt)
        status = called(prog_name="dropzero", default_map=_defaults(called, command), standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who read the output has seen enough.
        _discard_output()
        sys.exit(1)
    except OSError as error:
        complain(_reason(error))
        _discard_output()
        sys.exit(2)
    except TyperException as error:
        if message := error.format_message():
            complain(message)
        sys.exit(2)
    except (Abort, KeyboardInterrupt):
        status = INTERRUPTED
    if status == INTERRUPTED and interrupts:
        complain("interrupted")
    sys.exit(status if isinstance(status, int) else 0)


def _open_streams() -> None:
    """Opens /dev/null for the standard streams that are closed. Other files would otherwise get their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        name = ("stdin", "stdout", "stderr")[number]
        setattr(sys, name, open(number, "w" if number else "r"))  # noqa: SIM115
    os.close(number)


def _discard_output() -> None:
    """Forgets what stdout could not take: the interpreter would try again, and complain in its own words."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def _reason(error: OSError) -> str:
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the current folder has been deleted: go to another one"
    return str(error)


def _defaults(called: TyperGroup, command: str) -> dict[str, object]:
    if command not in COMMANDS:
        return {}
    from dropzero.topologies.defaults import from_run

    return from_run(called)
