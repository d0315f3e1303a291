"""What a run has made on this machine, on disk before it is made, so that any later process can take it away again.

One file a run in /run/dropzero: processes (pid and start time) and interfaces. Nothing else is ever killed or deleted.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from topologies.errors import SetupError
from topologies.process import started_at

FOLDER = Path("/run/dropzero")
INTERFACES = Path("/sys/class/net")
MAX_RUNS = 100
OWNER_GRACE = 20.0
"""Seconds that a run which is asked to stop has for its own cleaning."""


@dataclass(frozen=True)
class Identity:
    """One process, for good: a pid and when it started. The name is for people."""

    name: str
    pid: int
    started: int | None

    @classmethod
    def of(cls, name: str, pid: int) -> Identity:
        """That process, now."""
        return cls(name, pid, started_at(pid))

    @property
    def alive(self) -> bool:
        """Whether that very process runs."""
        return self.started is not None and started_at(self.pid) == self.started

    def end(self, wanted: signal.Signals, timeout: float) -> bool:
        """Signals the process and waits until it is gone; False if after `timeout` seconds it is not."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return True
        try:
            # Looked at after opening: the descriptor cannot change its mind about whom it means.
            if not self.alive:
                return True
            signal.pidfd_send_signal(descriptor, wanted)
            poller = select.poll()
            poller.register(descriptor, select.POLLIN)
            return bool(poller.poll(timeout * 1000))
        finally:
            os.close(descriptor)


@dataclass
class State:
    """The traces of one run. `hosts` maps a host's name to the pid whose network namespace is the host's."""

    prefix: str
    owner: Identity
    processes: list[Identity] = field(default_factory=list)
    interfaces: list[str] = field(default_factory=list)
    hosts: dict[str, int] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.prefix}.json"

    def save(self) -> None:
        """Writes it down, whole or not at all."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(self)))
        partial.replace(self.path)

    def add_process(self, name: str, pid: int) -> None:
        """A process to end."""
        self.processes.append(Identity.of(name, pid))
        self.save()

    def add_interfaces(self, *names: str) -> None:
        """Interfaces to delete."""
        self.interfaces.extend(names)
        self.save()

    def stop(self) -> None:
        """Asks the run to end, then takes away what is left of it."""
        if not self.owner.end(signal.SIGTERM, OWNER_GRACE):
            self.owner.end(signal.SIGKILL, OWNER_GRACE)
        self.clean_after_owner()

    def clean_after_owner(self) -> None:
        """Cleans if the owner is gone and nobody did so yet; then the prefix may be another run's already.

        Several may come to clean at once: each waits until it has the prefix, or nothing is on record any more.
        """
        while not self.owner.alive and self._on_record is not None:
            try:
                claim = Claim(self.prefix)
            except OSError:
                time.sleep(0.01)
                continue
            try:
                if (left := self._on_record) is not None:
                    left.clean()
            finally:
                claim.release()

    @property
    def _on_record(self) -> State | None:
        """The same run, as it is written down now."""
        return next((state for state in states() if (state.prefix, state.owner) == (self.prefix, self.owner)), None)

    def clean(self) -> None:
        """Ends the processes, deletes the interfaces, and forgets them. Only who has claimed the prefix may."""
        for process in self.processes:
            process.end(signal.SIGKILL, timeout=5.0)
        for name in self.interfaces:
            if (INTERFACES / name).exists():
                # It may go by itself in this moment, with the namespace of its other end.
                subprocess.run(["ip", "link", "delete", name], stderr=subprocess.DEVNULL, check=False)
        self.path.with_suffix(".sock").unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def states() -> Iterator[State]:
    """All runs on this machine, those that crashed too."""
    for path in sorted(FOLDER.glob("*.json")):
        with suppress(FileNotFoundError):
            found = json.loads(path.read_text())
            found["owner"] = Identity(**found["owner"])
            found["processes"] = [Identity(**process) for process in found["processes"]]
            yield State(**found)


def clean_crashed() -> None:
    """Takes away what is left of runs that died without cleaning up."""
    for state in states():
        state.clean_after_owner()


class Claim:
    """A prefix for interface names, `dz0`, `dz1`, ..., that nobody else in this network namespace makes or cleans.

    An abstract Unix socket belongs to the network namespace, as interface names do, and goes with its process.
    """

    def __init__(self, prefix: str) -> None:
        """Claims it.

        Raises:
            OSError: somebody else has it.
        """
        self.prefix = prefix
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(f"\0dropzero-{prefix}")
        except OSError:
            self.release()
            raise

    @classmethod
    def unused(cls) -> Claim:
        """Of a prefix of which there is nothing on the machine, and nothing on record.

        Raises:
            SetupError: there are as many runs as there can be.
        """
        for number in range(MAX_RUNS):
            with suppress(OSError):
                claim = cls(f"dz{number}")
                if not (FOLDER / f"{claim.prefix}.json").exists() and not any(INTERFACES.glob(f"{claim.prefix}s*")):
                    return claim
                claim.release()
        raise SetupError(f"{MAX_RUNS} runs at once are as many as this machine takes; `dropzero stop` ends them")

    @property
    def number(self) -> int:
        """The prefix's."""
        return int(self.prefix.removeprefix("dz"))

    def release(self) -> None:
        """Lets others have the prefix."""
        self._socket.close()
