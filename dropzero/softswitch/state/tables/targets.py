"""The target of a table entry: an action, or a member or group of an action profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dropzero.softswitch.program.model import Action
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind


@dataclass(frozen=True)
class Member:
    """A member of the table's action profile, by the control plane's number."""

    number: int


@dataclass(frozen=True)
class Group:
    """A group of the table's action profile, by the control plane's number."""

    number: int


Target = str | Member | Group
"""An action's name; in a table with an action profile, a member or group."""


def check_call(owner: str, actions: Mapping[str, Action], action: str, values: Sequence[int]) -> None:
    """Raises TableError if the owner has no such action, or it does not take these values: UNKNOWN_ACTION,
    PARAMETER_COUNT, PARAMETER_VALUE. owner: the name of a table or action profile."""
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
