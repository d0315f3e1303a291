"""`dropzero launch` and `torchrun`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from dropzero.help import examples
from dropzero.options import grouped
from dropzero.topologies.launching.torchrun import Backend, agent, variables
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.orchestration.plan import JobPlan
from dropzero.topologies.reporting import reported

app = typer.Typer(add_completion=False)
OWN = {"allow_interspersed_args": False}
"""Options after the command or script belong to it."""


@app.command(
    context_settings=OWN,
    epilog=examples(
        "dropzero launch --workers 4 python my.py --epochs 3",
        "dropzero launch --loss 0.02 --rate 20 -- python -m my.package",
        "dropzero launch --topology tree.json hostname",
    ),
)
@grouped(reported)
def launch(
    network: JobPlan,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="Command with its arguments.")],
) -> None:
    """Run a command on every host of a new network, as in `dropzero launch --workers 4 python my.py`, and clean up.

    Its environment has what `dropzero.connect()` reads: DROPZERO_CONTROLLER,
    DROPZERO_JOB, DROPZERO_RANK, DROPZERO_SIZE. Lines of its output begin with
    the rank.

    Exit status: 0 all succeeded, 1 one failed, 2 invalid options or setup,
    128 + n stopped by signal n.
    """
    with reported(network.out):
        check_machine()
        _launch(network, command, {}, unused="no program called a collective of dropzero")


@app.command(
    context_settings=OWN,
    epilog=examples(
        "dropzero torchrun --workers 4 train.py --epochs 3",
        "dropzero torchrun --backend gloo --rate 100 train.py",
        "dropzero torchrun --max-restarts 2 -- -m my.package",
    ),
)
@grouped(reported)
def torchrun(
    network: JobPlan,
    script: Annotated[list[str], typer.Argument(metavar="SCRIPT", help="Python script with its arguments.")],
    backend: Annotated[
        Backend, typer.Option(help="Value of DROPZERO_BACKEND in the script's environment, for init_process_group.")
    ] = Backend.DROPZERO,
    serve_gloo: Annotated[
        bool, typer.Option(help="The switch also serves process groups that the script asks of Gloo by name.")
    ] = True,
    max_restarts: Annotated[
        int, typer.Option(min=0, help="How many times to restart all processes when one fails.")
    ] = 0,
) -> None:
    """Run a PyTorch script under torchrun, with an agent and a process on every host of a new network, and clean up.

    Lines of the output begin with the host, because torchrun assigns the ranks.

    Exit status: as for `dropzero launch`.
    """
    with reported(network.out):
        check_machine()
        served = "gloo or dropzero" if serve_gloo else "dropzero; without --no-serve-gloo, it also serves those of gloo"
        unused = "" if backend is Backend.GLOO else f"the script called no collective of the backend {served}"
        command = agent(script, network.workers, max_restarts)
        _launch(network, command, variables(backend, serve_gloo), unused=unused, ranks=False)


def _launch(
    plan: JobPlan, command: Sequence[str], variables: Mapping[str, str], *, unused: str, ranks: bool = True
) -> None:
    """Launches a command, and shows the outcome. unused: why the switch may have added up nothing; empty: it should
    not."""
    # Imported late: these modules need the packages checked above.
    from rich.console import Console

    from dropzero.topologies.launching.launch import launch

    console = Console(stderr=True)
    outcome = launch(plan, command, console, variables, ranks=ranks)
    if unused and outcome.summed_bytes == 0:
        console.print(
            f"warning: the switch added up nothing: {unused}", style="yellow", soft_wrap=True, highlight=False
        )
    console.print(f"{outcome}. Everything is in {plan.out}: summary.json, logs/", soft_wrap=True, highlight=False)
