"""Chooses the run that a command refers to."""

from __future__ import annotations

import sys
from collections.abc import Iterable

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


def _listed(states: Iterable[State]) -> str:
    return ", ".join(map(str, states))
