"""The ending of a call without a result, the same for all members of a job."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from dropzero.membership import membership_pb2 as pb

MOST_CALLS = 8
"""The most calls that one collective consists of."""
MOST_SAID = 1000
"""The most characters of a member's text that are passed on to others."""


class Kind(IntEnum):
    """Why a call ended."""

    GAVE_UP = 0
    """A worker could not finish it."""
    LOST = 1
    """A worker was lost, in a job that does not continue without it."""
    DISAGREEMENT = 2
    """The workers did not all make the same call."""


@dataclass(frozen=True)
class Ending:
    """The calls `call` to `call + calls - 1`, the rest of a collective, ended because of worker `rank`.

    Attributes:
        cause: the reason, as text.
        epoch: the epoch that began because of it.
    """

    call: int
    rank: int
    cause: str
    kind: Kind = Kind.GAVE_UP
    epoch: int = 0
    calls: int = 1

    @classmethod
    def of(cls, message: pb.Ending) -> Self:
        """Converts a message. Raises ValueError if it is not a valid ending."""
        if not 0 < message.calls <= MOST_CALLS:
            raise ValueError(f"1 to {MOST_CALLS} calls can end together, not {message.calls}")
        return cls(message.call, message.rank, message.cause, Kind(message.kind), message.epoch, message.calls)

    @property
    def message(self) -> pb.Ending:
        kind = pb.Ending.Kind.Value(self.kind.name)
        return pb.Ending(
            call=self.call, rank=self.rank, cause=self.cause, kind=kind, epoch=self.epoch, calls=self.calls
        )

    @property
    def end(self) -> int:
        """The number of the next call."""
        return self.call + self.calls

    def __str__(self) -> str:
        if self.kind is Kind.DISAGREEMENT:
            return self.cause
        if self.kind is Kind.LOST:
            return f"worker {self.rank} was lost in call {self.call}: {self.cause}"
        return f"worker {self.rank} gave up call {self.call} ({self.cause})"
