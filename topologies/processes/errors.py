"""The errors of a run."""

from __future__ import annotations


class SetupError(Exception):
    """The run cannot start as asked; the message is one line, the exit status 2."""


class RunError(Exception):
    """The run failed; the message says what and why, the exit status is 1."""


class Interruption(BaseException):
    """A signal asked the run to end. Like KeyboardInterrupt it is no Exception, so that no handler swallows it."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"interrupted by signal {signal}")
        self.signal = signal
