"""`dropzero run`, `rack`, `exec` and `stop`."""

from __future__ import annotations

import json
import os
import shlex
import signal
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from dropzero.extras import need
from dropzero.help import FaultOption, OutputOption, TrainingOption, examples
from dropzero.linux import rootless
from dropzero.options import grouped
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.orchestration.plan import JobPlan, KillTarget, NetworkPlan, Plan
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.process import entering, search_path
from dropzero.topologies.registry.choice import HELP, VARIABLE, complete_node, complete_run
from dropzero.topologies.registry.state import State, states
from dropzero.topologies.reporting import reported
from dropzero.training.options import TrainingOptions
from dropzero.worker.environment import RINGS_VARIABLE

app = typer.Typer(add_completion=False)

RunName = Annotated[
    str | None, typer.Option("--run", autocompletion=complete_run, metavar="NAME", envvar=VARIABLE, help=HELP)
]


@app.command(
    epilog=examples(
        "dropzero run --workers 8 --density 0.01",
        "dropzero run --compress 'topk(0.01,block=32)+ef+fixed8' --loss 0.02",
        "dropzero run --racks 4 --workers 16 --rate 20",
        "dropzero run --kill switch --pcap && dropzero trace audit",
    )
)
@grouped(reported)
def run(
    network: JobPlan,
    training: TrainingOptions,
    jobs: Annotated[int, TrainingOption(min=1, help="Number of jobs at once, each with that many workers.")] = 1,
    kill: Annotated[
        list[KillTarget] | None, FaultOption(help="Kill this program with SIGKILL during training. Repeatable.")
    ] = None,
    page: Annotated[bool, OutputOption(help="Serve a page of the run, on port 8060 or the next free one.")] = True,
    plot: Annotated[bool, OutputOption(help="Draw plot.png, which takes a second or two.")] = True,
    tensorboard: Annotated[
        bool, OutputOption("--tensorboard", help="Write logs for TensorBoard to tensorboard/ in the run's folder.")
    ] = False,
    as_json: Annotated[
        bool, OutputOption("--json", help="Print the summaries as JSON, and everything else on stderr.")
    ] = False,
) -> None:
    """Train on an emulated rack or several: start everything, print a summary, and clean up.

    Exit status: 0 trained, 1 a program died, 2 invalid options or setup,
    128 + n stopped by signal n.
    """
    need("run", "train")
    with reported(network.out):
        check_machine()
        # Imported late: these modules need the packages checked above.
        from rich.console import Console

        from dropzero.topologies.orchestration.run import trained
        from dropzero.topologies.orchestration.summary import comparison
        from dropzero.topologies.orchestration.terminal import attended, program, wait_for_enter

        console = Console(stderr=as_json)
        plan = Plan(
            **vars(network) | {"jobs": jobs},
            compress=training.spec(network.workers),
            steps=training.steps,
            seed=training.seed,
            kill=tuple(kill or ()),
        )
        with trained(plan, console, page=page, plot=plot, tensorboard=tensorboard) as run:
            if as_json:
                typer.echo(json.dumps([asdict(summary) for summary in run.summaries]))
            else:
                console.print(run.summaries[0].table() if jobs == 1 else comparison(run.summaries))
            files = f"summary.json, {'plot.png, ' * plot}worker-*/"
            files = files if jobs == 1 else f"{files} of each job in job-*/"
            say = partial(console.print, soft_wrap=True, highlight=False)
            say(f"Everything is in {plan.out}: {'page.html, ' * page}logs/, {files}")
            if page:
                again = shlex.join([*program(), "page", str(plan.out)])
                say(f"See it again: open {plan.out / 'page.html'} in a browser, or {again}")
            if run.url is not None and not as_json and attended():
                wait_for_enter(lambda: say(f"The page stays at {run.url} until you press Enter"))


@app.command()
@grouped(reported)
def rack(
    network: NetworkPlan,
    cli: Annotated[
        bool, typer.Option("--cli", help="Also start switches and controller, and show Mininet's prompt.")
    ] = False,
) -> None:
    """Start only the network, and print the commands that start the rest in other terminals. Stop with Ctrl-C."""
    with reported(network.out):
        check_machine()
        from dropzero.topologies.orchestration.bring_up import network_of
        from dropzero.topologies.processes.signals import interruptible

        with interruptible(), network_of(network) as started:
            if cli:
                started.start_switches()
                started.start_controller(network.loss)
                started.prompt()
                return
            for command in started.by_hand(network.loss):
                typer.echo(shlex.join(command))
            try:
                signal.pause()
            finally:
                for guest in started.guests:
                    typer.echo(f"ending {guest}", err=True)


# Options after the node belong to the command.
@app.command(context_settings={"allow_interspersed_args": False})
def exec(
    node: Annotated[
        str,
        typer.Argument(metavar="NODE", autocompletion=complete_node, help="Host (h1, h2, ...) or switch (s1, ...)."),
    ],
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="Command with its arguments.")],
    run: RunName = None,
) -> None:
    """Run a command on a host of a running network, as in `dropzero exec h1 ping 10.0.0.254`. It ends with the run."""
    from dropzero.topologies.registry.choice import chosen

    with reported():
        state = chosen(run)
        _check_root(state)
        place = state.node(node)
        if command[0] == "--":
            command = command[1:]
        state.join(f"{shlex.join(command[:2])} on {node}")
        os.environ[VARIABLE] = state.prefix
        os.environ["PATH"] = search_path()
        os.environ[RINGS_VARIABLE] = state.rings.get(node, "")
        try:
            os.execvp("nsenter", [*entering(place.pid), *command])
        except OSError as error:
            raise SetupError(f"cannot run nsenter: {error.strerror}") from error


@app.command()
def stop(
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            autocompletion=complete_run,
            metavar="NAME",
            envvar=VARIABLE,
            help="Stop only this run, whoever started it.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Stop all runs on this machine.")] = False,
) -> None:
    """Stop your runs of this checkout, with the processes started in them by hand, and clean up after crashed runs.
    Touches only what is recorded as theirs."""
    with reported():
        if run and everything:
            raise SetupError(f"--all stops all runs, --run (or {VARIABLE}) one: give only one of them")
        found = list(states())
        if run:
            wanted = [state for state in found if state.prefix == run]
        else:
            wanted = [state for state in found if everything or state.mine]
        for state in wanted:
            _check_root(state)
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
            typer.echo(f"not stopped (--all stops them too): {', '.join(map(str, others))}")


def _check_root(state: State) -> None:
    # The runs of an ordinary user are in namespaces in which this process is root, too.
    if not rootless.privileged():
        raise SetupError(f"the run {state} is root's; try again with sudo")
