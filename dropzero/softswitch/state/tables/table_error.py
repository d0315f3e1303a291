"""The error that tables and action profiles raise."""

from __future__ import annotations

from enum import Enum, auto


class TableErrorKind(Enum):
    """Why a change was refused."""

    DUPLICATE = auto()
    NOT_FOUND = auto()
    FULL = auto()
    IMMUTABLE = auto()  # the program fixes the table's entries
    CONST_DEFAULT = auto()  # the program fixes the default action
    UNKNOWN_ACTION = auto()
    PARAMETER_COUNT = auto()
    PARAMETER_VALUE = auto()
    KEY_COUNT = auto()
    KEY_KIND = auto()
    KEY_VALUE = auto()
    PRIORITY = auto()  # given for a table without priorities, or missing
    IN_USE = auto()  # entries still use the member or group


class TableError(ValueError):
    """A refused change. Nothing has changed."""

    def __init__(self, kind: TableErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
