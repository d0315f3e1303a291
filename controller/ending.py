"""A collective call that ended without a result, for all members of a job."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """Why it ended."""

    GAVE_UP = 0
    """A worker could not finish it."""
    LOST = 1
    """A worker was lost, in a job that does not go on without it."""
    DISAGREEMENT = 2
    """The workers did not all make the same call."""


@dataclass(frozen=True)
class Ending:
    """Call number `call` ended because of worker `rank`. `cause`: for people. `epoch`: the one that began then."""

    call: int
    rank: int
    cause: str
    kind: Kind = Kind.GAVE_UP
    epoch: int = 0

    def __str__(self) -> str:
        if self.kind is Kind.DISAGREEMENT:
            return self.cause
        if self.kind is Kind.LOST:
            return f"worker {self.rank} was lost in call {self.call}: {self.cause}"
        return f"worker {self.rank} gave up call {self.call} ({self.cause})"
