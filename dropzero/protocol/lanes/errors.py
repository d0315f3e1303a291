"""Errors that end a collective."""

from __future__ import annotations


class ProtocolError(RuntimeError):
    """The collective cannot continue; the message says why."""


class Disagreement(ProtocolError):
    """The workers do not all make the same call.

    Attributes:
        workers: one bit for each worker whose call differs from the first one that arrived; 0: unknown.
    """

    def __init__(self, message: str, workers: int = 0) -> None:
        super().__init__(message)
        self.workers = workers


class EpochChanged(ProtocolError):
    """The job's membership has changed since this worker entered its epoch."""
