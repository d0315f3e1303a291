"""How a run can end other than well."""

from __future__ import annotations


class SetupError(Exception):
    """The run cannot start as asked: one line, exit status 2."""


class RunError(Exception):
    """The run broke: a message that says what and why, exit status 1."""


class Interruption(BaseException):
    """A signal asked the run to end; like KeyboardInterrupt, not an Exception, so that nothing swallows it."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"interrupted by signal {signal}")
        self.signal = signal
