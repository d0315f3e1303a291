"""Refusals of requests: a canonical code of google.rpc and a message, BMv2's own where it has one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from google.rpc import code_pb2, status_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind

SPACE = "ALL-sswitch-p4org"

# By default, gRPC's clients accept 8 KiB of metadata; with more, the request fails with another error.
DETAILS_BYTES = 7 << 10


class Refusal(Exception):
    """code: one of google.rpc.Code. `str()` is the message for the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def invalid(message: str) -> Refusal:
    return Refusal(code_pb2.INVALID_ARGUMENT, message)


def unimplemented(message: str) -> Refusal:
    return Refusal(code_pb2.UNIMPLEMENTED, message)


def details(outcomes: list[Refusal | None]) -> bytes | None:
    """The serialized google.rpc.Status of a batch: one p4.v1.Error for each update, including successful ones. None if
    it is too long for clients."""
    status = status_pb2.Status(code=code_pb2.UNKNOWN)
    for outcome in outcomes:
        error = p4runtime_pb2.Error(canonical_code=code_pb2.OK)
        if outcome is not None:
            error = p4runtime_pb2.Error(canonical_code=outcome.code, message=str(outcome), space=SPACE)
        status.details.add().Pack(error)
    content = bytes(status.SerializeToString())
    return content if len(content) <= DETAILS_BYTES else None


def summary(outcomes: list[Refusal | None]) -> str:
    """The message for a failed batch when details() do not fit."""
    refusals = [(number, refusal) for number, refusal in enumerate(outcomes, start=1) if refusal is not None]
    number, first = refusals[0]
    return (
        f"{len(refusals)} of {len(outcomes)} updates failed, which are too many to have their errors listed. "
        f"The first is update {number}: {code_pb2.Code.Name(first.code)}: {first}"
    )


REFUSALS = {
    TableErrorKind.DUPLICATE: (code_pb2.ALREADY_EXISTS, "Match entry exists, use MODIFY if you wish to change action"),
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
