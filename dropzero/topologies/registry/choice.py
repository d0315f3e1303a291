"""Chooses the run that a command refers to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import typer

from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.registry.state import State, states

VARIABLE = "DROPZERO_RUN"
HELP = "The run, unless only one of yours is up."


def runs_up() -> list[State]:
    """Returns the runs that are up on this machine."""
    return [state for state in states() if state.owner.alive]


def named(name: str) -> State:
    """Returns the run with this name. Raises SetupError if it is not up."""
    up = runs_up()
    for state in up:
        if state.prefix == name:
            return state
    raise SetupError(f"no run {name} is up" + (f"; these are: {_listed(up)}" if up else ""))


def only(among: Iterable[State], *, foreign: bool = False) -> State | None:
    """Returns one's own only run; None if there are no runs.

    foreign: without a run of one's own, return the only one of the others, with a note on stderr.

    Raises:
        SetupError: there are several, or only runs of others.
    """
    found = list(among)
    mine = [state for state in found if state.mine]
    wanted = mine or found
    if len(wanted) > 1:
        raise SetupError(f"{len(wanted)} runs are up: {_listed(wanted)}: choose one with --run or {VARIABLE}")
    if wanted and not mine:
        if not foreign:
            raise SetupError(f"no run of yours is up, only {wanted[0]}: to change that one, give --run or {VARIABLE}")
        print(f"dropzero: using the run {wanted[0]}", file=sys.stderr)
    return wanted[0] if wanted else None


def chosen(name: str | None) -> State:
    """Returns the run with this name, or one's own only run. Raises SetupError."""
    state = named(name) if name else only(runs_up())
    if state is None:
        raise SetupError("no run is up")
    return state


def complete_run(incomplete: str) -> list[str]:
    """Completes the name of a run that is up."""
    return [state.prefix for state in _seen() if state.prefix.startswith(incomplete)]


def complete_node(context: typer.Context, incomplete: str) -> list[str]:
    """Completes the name of a host or switch of the run that the line names, or else of one's own."""
    name = context.params.get("run") or os.environ.get(VARIABLE)
    nodes = [node for state in _seen() if (state.prefix == name if name else state.mine) for node in state.nodes]
    return [node for node in dict.fromkeys(nodes) if node.startswith(incomplete)]


def _seen() -> list[State]:
    """The runs that are up, as far as this user can see."""
    try:
        return runs_up()
    except SetupError:
        return []


def _listed(states: Iterable[State]) -> str:
    return ", ".join(map(str, states))
