"""Targets of table entries: an action, or a member or group of an action profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dropzero.softswitch.program.model import Action
from dropzero.softswitch.state.table_error import TableError, TableErrorKind


@dataclass(frozen=True)
class Member:
    """A member of the table's action profile, by the number that the control plane gave it."""

    number: int


@dataclass(frozen=True)
class Group:
    """A group of the table's action profile, by the number that the control plane gave it."""

    number: int


Target = str | Member | Group
"""The target of an entry: an action's name, or a member or group in a table with an action profile."""


def check_call(owner: str, actions: Mapping[str, Action], action: str, values: Sequence[int]) -> None:
    """Checks an action call. UNKNOWN_ACTION, PARAMETER_COUNT, PARAMETER_VALUE."""
    if action not in actions:
        raise TableError(TableErrorKind.UNKNOWN_ACTION, f"{owner} has no action {action}")
    parameters = actions[action].parameters
    if len(parameters) != len(values):
        message = f"{action} has {len(parameters)} parameters, not {len(values)}"
        raise TableError(TableErrorKind.PARAMETER_COUNT, message)
    for parameter, value in zip(parameters, values, strict=True):
        if not 0 <= value < 1 << parameter.width:
            message = f"{value} does not fit the {parameter.width} bits of {parameter.name} of {action}"
            raise TableError(TableErrorKind.PARAMETER_VALUE, message)
