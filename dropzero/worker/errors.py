"""The errors that end a call, or a worker's membership."""

from __future__ import annotations

from dropzero.membership.ending import MOST_SAID, Ending, Kind
from dropzero.protocol.lanes.errors import Disagreement, ProtocolError


class WorkerLost(ProtocolError):
    """This worker, or another one that the call needs, is no longer in the job; the message says why."""


class Stalled(ProtocolError):
    """A call made no progress for too long; the message says whom it waited for."""


class Aborted(ProtocolError):
    """A worker could not finish its part of the call, so the call has no result on any worker. The job continues.

    Attributes:
        worker: its rank.
        call: the call's number, from 0.
        cause: what happened on that worker.
    """

    def __init__(self, ending: Ending) -> None:
        super().__init__(str(ending))
        self.worker, self.call, self.cause = ending.rank, ending.call, ending.cause


class Closed(ProtocolError):
    """This communicator cannot make calls any more; the message says why."""


class NotFinite(ProtocolError, ValueError):
    """A worker's array has a NaN or an infinity, in a job that raises for it.

    Attributes:
        worker: the lowest rank whose array has one.
        element: the first such element of its flattened array.
        array: the index of that array, if there are several.
    """

    def __init__(self, worker: int, element: int, array: int | None = None) -> None:
        which = "array" if array is None else f"array {array}"
        super().__init__(f"element {element} of worker {worker}'s {which} is not finite")
        self.worker, self.element, self.array = worker, element, array


def error_of(ending: Ending) -> ProtocolError:
    """The error that a member raises for a call with this ending."""
    if ending.kind is Kind.DISAGREEMENT:
        return Disagreement(ending.cause)
    if ending.kind is Kind.LOST:
        return WorkerLost(str(ending))
    return Aborted(ending)


def ending_of(error: BaseException, call: int, rank: int, calls: int = 1) -> Ending:
    """The ending of `calls` calls from number `call` on, after worker `rank` raised `error` in the first of them."""
    try:
        text = str(error)
    except Exception:
        # An exception class of the program may have a bug of its own.
        text = ""
    kind = Kind.DISAGREEMENT if isinstance(error, Disagreement) else Kind.GAVE_UP
    if kind is Kind.GAVE_UP:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    # File names may hold invalid Unicode, which protobuf refuses.
    return Ending(call, rank, text[:MOST_SAID].encode(errors="replace").decode(), kind, calls=calls)
