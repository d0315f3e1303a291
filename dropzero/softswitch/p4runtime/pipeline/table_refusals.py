"""Converts the errors of tables and action profiles to P4Runtime's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from google.rpc import code_pb2

from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind

REFUSALS = {
    TableErrorKind.DUPLICATE: (
        code_pb2.ALREADY_EXISTS,
        "Match entry exists, use MODIFY if you wish to change action",
    ),
    TableErrorKind.NOT_FOUND: (code_pb2.NOT_FOUND, "Cannot find match entry"),
    TableErrorKind.FULL: (code_pb2.RESOURCE_EXHAUSTED, "The table is full"),
    TableErrorKind.IMMUTABLE: (code_pb2.PERMISSION_DENIED, "The entries of the table are const"),
    TableErrorKind.CONST_DEFAULT: (code_pb2.PERMISSION_DENIED, "The default action of the table is const"),
}


@contextmanager
def refusing() -> Iterator[None]:
    """Turns a TableError into a Refusal."""
    try:
        yield
    except TableError as error:
        code, message = REFUSALS.get(error.kind, (code_pb2.INVALID_ARGUMENT, str(error)))
        raise Refusal(code, message) from None
