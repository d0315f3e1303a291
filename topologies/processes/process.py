"""A child process that is watched: its log, how it ended, and that it never outlives us."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from dropzero.topologies.processes.errors import RunError

TAIL_LINES = 12
GRACE = 3.0
"""Seconds between asking a process to end and making it."""
TICK = 0.05
"""Seconds between two looks at a condition that has no file descriptor to wait on."""


def started_at(pid: int) -> int | None:
    """When that process started, in clock ticks since boot, or None where there is none (a zombie counts as none).

    Together with the pid it names one process for good: pids come back, these pairs do not.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


class Process:
    """A program started at once, in its own session, with its output in a log.

    `namespace` is a pid whose network namespace the program enters. The kernel kills the program when we die, however
    we die.
    """

    def __init__(self, name: str, command: Sequence[str], log: Path, namespace: int | None = None) -> None:
        enter = [] if namespace is None else ["nsenter", f"--net=/proc/{namespace}/ns/net", "--"]
        self.name = name
        self.log = log
        with log.open("wb") as output:
            self._popen = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *enter, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._popen.pid
        self.descriptor = os.pidfd_open(self.pid)

    @property
    def status(self) -> int | None:
        """None while it runs, then its exit status, or minus the signal that killed it."""
        return self._popen.poll()

    def signal(self, number: signal.Signals) -> None:
        """Signals the process and all that it started, if it still runs."""
        if self.status is None:
            os.killpg(self.pid, number)

    def reap(self) -> None:
        """Waits for its end and forgets it."""
        self._popen.wait()
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def tail(self) -> list[str]:
        """The last lines of its log."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return lines[-TAIL_LINES:]

    def failure_report(self) -> str:
        """Who died, of what, and its last words."""
        status = self.status
        if status is None:
            end = "does not answer"
        elif status < 0:
            end = f"was killed by signal {-status} ({signal.Signals(-status).name})"
        else:
            end = f"ended with exit status {status}"
        words = "".join(f"\n  {line}" for line in self.tail())
        log = f"its log, {self.log}, ends:{words}" if words else f"its log, {self.log}, is empty"
        return f"{self.name} (pid {self.pid}) {end}; {log}"


def wait(processes: Iterable[Process], timeout: float) -> list[Process]:
    """The processes that have ended, as soon as there is one, or none after `timeout` seconds."""
    watched = {process.descriptor: process for process in processes}
    poller = select.poll()
    for descriptor in watched:
        poller.register(descriptor, select.POLLIN)
    return [watched[descriptor] for descriptor, _ in poller.poll(timeout * 1000)]


def stop(processes: Iterable[Process]) -> None:
    """Ends them all, at once; returns when they are gone."""
    left = [process for process in processes if process.descriptor >= 0]
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        for process in left:
            process.signal(wanted)
        deadline = time.monotonic() + GRACE
        while left and (ended := wait(left, max(0.0, deadline - time.monotonic()))):
            for process in ended:
                process.reap()
                left.remove(process)


def until(condition: Callable[[], bool], awaited: Process, timeout: float, what: str) -> None:
    """Returns as soon as the condition holds.

    Raises:
        RunError: the process that should bring it about ended first, or `timeout` seconds passed.
    """
    deadline = time.monotonic() + timeout
    while not condition():
        if wait([awaited], TICK):
            raise RunError(awaited.failure_report())
        if time.monotonic() > deadline:
            raise RunError(f"after {timeout:.0f} s {what}: {awaited.failure_report()}")
