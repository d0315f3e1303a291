"""`dropzero launch` and `torchrun`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from dropzero.topologies.launching.torchrun import Backend, agent, variables
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.options import takes_network, told_in_words
from dropzero.topologies.orchestration.plan import NetworkPlan

app = typer.Typer(add_completion=False)
OWN = {"allow_interspersed_args": False}
"""What follows the command or script is its own."""


@app.command(context_settings=OWN)
@takes_network
def launch(
    network: NetworkPlan,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="Command with its arguments.")],
) -> None:
    """Run a command on every host of a new network, as `dropzero launch --workers 4 python my.py`, and clean up.

    In its environment is what `dropzero.connect()` reads: DROPZERO_CONTROLLER,
    DROPZERO_JOB, DROPZERO_RANK, DROPZERO_SIZE. Lines of its output begin with
    the rank.

    Exit status: 0 all ended well, 1 one failed, 2 it could not start as
    asked, 128 + n stopped by signal n.
    """
    with told_in_words():
        check_machine()
        _launch(network, command, {})


@app.command(context_settings=OWN)
@takes_network
def torchrun(
    network: NetworkPlan,
    script: Annotated[list[str], typer.Argument(metavar="SCRIPT", help="Python script with its arguments.")],
    backend: Annotated[
        Backend, typer.Option(help="What the script finds in DROPZERO_BACKEND, to give to init_process_group.")
    ] = Backend.DROPZERO,
    max_restarts: Annotated[
        int, typer.Option(min=0, help="How often all processes are started anew when one fails.")
    ] = 0,
) -> None:
    """Run a PyTorch script under torchrun, with an agent and a process on every host of a new network, and clean up.

    Lines of the output begin with the host: ranks are torchrun's.

    Exit status: as `dropzero launch`.
    """
    with told_in_words():
        check_machine()
        _launch(network, agent(script, network.workers, max_restarts), variables(backend), ranks=False)


def _launch(plan: NetworkPlan, command: Sequence[str], variables: Mapping[str, str], *, ranks: bool = True) -> None:
    # Now, because these need what was checked.
    from rich.console import Console

    from dropzero.topologies.launching.launch import launch

    console = Console(stderr=True)
    outcome = launch(plan, command, console, variables, ranks=ranks)
    console.print(f"{outcome}. Everything is in {plan.out}: summary.json, logs/", soft_wrap=True, highlight=False)
