"""Child processes with a log, watched until they end, that never outlive their parent."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from dropzero.topologies.processes.errors import RunError

TAIL_LINES = 12
GRACE = 3.0
"""Seconds between SIGTERM and SIGKILL."""
TICK = 0.05
"""Seconds between two checks of a condition."""


def started_at(pid: int) -> int | None:
    """Returns when a process started, in clock ticks since boot; None if it does not exist or is a zombie.

    A pid can be reused; a pid together with its start time always names the same process.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def entering(pid: int) -> list[str]:
    """Returns a prefix for a command that makes it run on the host or switch whose shell has this pid: in its network,
    with its /etc/hosts and its name, but in the current folder."""
    # --root: in a chroot, a mount namespace begins outside it.
    return ["nsenter", f"--target={pid}", "--net", "--mount", "--uts", "--root", f"--wdns={Path.cwd()}", "--"]


def search_path() -> str:
    """Returns a PATH on which this `dropzero` and its Python come first, unless the user's PATH has their folder."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    own = str(Path(sys.executable).parent)
    return os.pathsep.join(folders if own in folders else [own, *folders])


class Process:
    """A program in its own session, with its output in a log. The kernel kills it when its parent dies.

    Attributes:
        name: for messages.
        log: gets stdout and stderr.
        pid: of the program, which leads its process group.
        descriptor: its pidfd; -1 once it is reaped.
    """

    def __init__(self, name: str, command: Sequence[str], log: Path, namespace: int | None = None) -> None:
        """Starts the program. namespace: a pid whose namespaces it enters."""
        enter = [] if namespace is None else entering(namespace)
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
        """The exit status, or minus the signal that killed the process; None while it runs."""
        return self._popen.poll()

    def signal(self, number: signal.Signals) -> None:
        """Signals the process and its children, if it still runs."""
        if self.status is None:
            os.killpg(self.pid, number)

    def reap(self) -> None:
        """Waits for the end of the process and closes its descriptor."""
        self._popen.wait()
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def tail(self) -> list[str]:
        """Returns the last TAIL_LINES lines of the log."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return lines[-TAIL_LINES:]

    @property
    def ending(self) -> str:
        """How the process ended, in words."""
        status = self.status
        if status is None:
            end = "does not answer"
        elif status < 0:
            end = f"was killed by signal {-status} ({signal.Signals(-status).name})"
        else:
            end = f"ended with exit status {status}"
        return f"{self.name} (pid {self.pid}) {end}"

    def failure_report(self) -> str:
        """Describes how the process failed, with the end of its log."""
        lines = "".join(f"\n  {line}" for line in self.tail())
        log = f"its log, {self.log}, ends:{lines}" if lines else f"its log, {self.log}, is empty"
        return f"{self.ending}; {log}"


def wait(processes: Iterable[Process], timeout: float) -> list[Process]:
    """Waits until a process ends, at most `timeout` seconds. Returns all that have ended."""
    watched = {process.descriptor: process for process in processes}
    poller = select.poll()
    for descriptor in watched:
        poller.register(descriptor, select.POLLIN)
    return [watched[descriptor] for descriptor, _ in poller.poll(timeout * 1000)]


def stop(processes: Iterable[Process]) -> None:
    """Ends all processes: with SIGTERM, and after GRACE seconds with SIGKILL. Returns when they are gone."""
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
    """Waits until `condition` holds.

    Raises:
        RunError: `awaited`, the process that should make it hold, ended first, or `timeout` seconds have passed.
            what: the problem in that case.
    """
    deadline = time.monotonic() + timeout
    while not condition():
        if wait([awaited], TICK):
            raise RunError(awaited.failure_report())
        if time.monotonic() > deadline:
            raise RunError(f"after {timeout:.0f} s {what}: {awaited.failure_report()}")
