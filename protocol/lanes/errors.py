"""Why a collective can't go on."""

from __future__ import annotations


class ProtocolError(Exception):
    """The collective can't go on; the message says why."""


class Disagreement(ProtocolError):
    """The workers do not all make the same call.

    Attributes:
        workers: those whose call is another than the first one's that came, one bit each; 0: unknown.
    """

    def __init__(self, message: str, workers: int = 0) -> None:
        super().__init__(message)
        self.workers = workers


class EpochChanged(ProtocolError):
    """The job's membership is not the one this worker joined."""
