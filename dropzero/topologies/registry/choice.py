"""Chooses the run that a command refers to."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.registry.state import CHECKOUT, State, states

VARIABLE = "DROPZERO_RUN"
HELP = "The run, if several are up."


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


def only(among: Iterable[State]) -> State | None:
    """Returns the only run; None if there is none. Prints a note on stderr if it belongs to another checkout.

    Raises:
        SetupError: there are several.
    """
    found = list(among)
    if len(found) > 1:
        raise SetupError(f"{len(found)} runs are up: {_listed(found)}: choose one with --run or {VARIABLE}")
    if not found:
        return None
    if found[0].checkout != CHECKOUT:
        print(f"dropzero: using the run {found[0]}", file=sys.stderr)
    return found[0]


def chosen(name: str | None) -> State:
    """Returns the run with this name, or the only run. Raises SetupError."""
    state = named(name) if name else only(runs_up())
    if state is None:
        raise SetupError("no run is up")
    return state


def _listed(states: Iterable[State]) -> str:
    return ", ".join(map(str, states))
