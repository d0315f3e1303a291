"""Why a table or an action profile refuses a change."""

from __future__ import annotations

from enum import Enum, auto


class TableErrorKind(Enum):
    """Why a table refused."""

    DUPLICATE = auto()
    NOT_FOUND = auto()
    FULL = auto()
    IMMUTABLE = auto()  # the program gives the table's entries
    CONST_DEFAULT = auto()  # the program says that its default stays
    UNKNOWN_ACTION = auto()
    PARAMETER_COUNT = auto()
    PARAMETER_VALUE = auto()
    KEY_COUNT = auto()
    KEY_KIND = auto()
    KEY_VALUE = auto()
    PRIORITY = auto()  # given where there is none, or missing where one is needed
    IN_USE = auto()  # a member or a group that entries still have


class TableError(ValueError):
    """A change that a table refuses; it is as before."""

    def __init__(self, kind: TableErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
