"""The errors of a run."""

from __future__ import annotations


class SetupError(Exception):
    """The options or this machine do not allow the run. The message is one line; the exit status is 2."""


class RunError(Exception):
    """The run failed. The message says what failed and why; the exit status is 1."""


class Interruption(BaseException):
    """A signal asked the run to end. Like KeyboardInterrupt, this is not an Exception, so that no handler swallows
    it."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"interrupted by signal {signal}")
        self.signal = signal
