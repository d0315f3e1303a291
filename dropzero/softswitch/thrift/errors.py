"""Error codes of BMv2's Thrift service "standard", and helpers that raise them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.thrift.server import Declined

# TableOperationErrorCode
TABLE_FULL, INVALID_HANDLE, EXPIRED_HANDLE, COUNTERS_DISABLED, METERS_DISABLED = 1, 2, 3, 4, 5
INVALID_TABLE_NAME, INVALID_ACTION_NAME, WRONG_TABLE_TYPE, INVALID_MBR_HANDLE, MBR_STILL_USED = 7, 8, 9, 10, 11
MBR_ALREADY_IN_GRP, MBR_NOT_IN_GRP, INVALID_GRP_HANDLE, GRP_STILL_USED = 12, 13, 14, 15
DUPLICATE_ENTRY, BAD_MATCH_KEY = 17, 18
DEFAULT_ACTION_IS_CONST, DEFAULT_ENTRY_IS_CONST, INVALID_ACTION_PROFILE_NAME = 20, 21, 23
IMMUTABLE_TABLE_ENTRIES, BAD_ACTION_DATA, ERROR = 25, 26, 100
CODES = {
    TableErrorKind.DUPLICATE: DUPLICATE_ENTRY,
    TableErrorKind.NOT_FOUND: INVALID_HANDLE,
    TableErrorKind.FULL: TABLE_FULL,
    TableErrorKind.IMMUTABLE: IMMUTABLE_TABLE_ENTRIES,
    TableErrorKind.CONST_DEFAULT: DEFAULT_ACTION_IS_CONST,
    TableErrorKind.UNKNOWN_ACTION: INVALID_ACTION_NAME,
    TableErrorKind.PARAMETER_COUNT: BAD_ACTION_DATA,
    TableErrorKind.PARAMETER_VALUE: BAD_ACTION_DATA,
    TableErrorKind.KEY_COUNT: BAD_MATCH_KEY,
    TableErrorKind.KEY_KIND: BAD_MATCH_KEY,
    TableErrorKind.KEY_VALUE: BAD_MATCH_KEY,
    TableErrorKind.PRIORITY: BAD_MATCH_KEY,
    TableErrorKind.IN_USE: MBR_STILL_USED,
}
INVALID_NAME, INVALID_INDEX, INVALID_RATE = 1, 2, 4
"""Codes of CounterOperationErrorCode, MeterOperationErrorCode and RegisterOperationErrorCode."""

Named = TypeVar("Named")


def require(condition: bool, code: int) -> None:
    """Raises Declined with a code unless a condition holds."""
    if not condition:
        raise Declined(code)


def named(objects: Mapping[str, Named], name: bytes, code: int = INVALID_NAME) -> Named:
    """Finds an object by name. Raises Declined with a code if there is none."""
    found = objects.get(name.decode())
    if found is None:
        raise Declined(code)
    return found


@contextmanager
def declining(codes: dict[TableErrorKind, int] = CODES) -> Iterator[None]:
    """Converts a TableError to the exception that Thrift's clients expect. codes: those that differ from CODES."""
    try:
        yield
    except TableError as error:
        raise Declined((CODES | codes)[error.kind]) from None
