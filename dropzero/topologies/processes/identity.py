"""Process identities that stay valid when a pid is reused."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from dataclasses import dataclass

from dropzero.topologies.processes.process import started_at

MAX_PID = 1 << 22
"""The limit of Linux."""


@dataclass(frozen=True)
class Identity:
    """A pid and its start time, in clock ticks since boot. The name is for messages."""

    name: str
    pid: int
    started: int | None

    @classmethod
    def of(cls, name: str, pid: int) -> Identity:
        """Identifies a running process."""
        return cls(name, pid, started_at(pid))

    @classmethod
    def read(cls, found: object) -> Identity:
        """Reads an identity from the JSON of its `asdict`. Raises ValueError for anything else."""
        match found:
            case {"name": str(name), "pid": int(pid), "started": (int() | None) as started} if 0 < pid < MAX_PID:
                return cls(name, pid, started)
        raise ValueError("it is not the record of a process")

    @property
    def alive(self) -> bool:
        """Whether this process is running, not another one with its pid."""
        return self.started is not None and started_at(self.pid) == self.started

    def end(self, wanted: signal.Signals, timeout: float) -> bool:
        """Signals the process and waits for its end. Returns False if it still runs after `timeout` seconds."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return True
        try:
            # Checked after opening: a descriptor always refers to the same process.
            if not self.alive:
                return True
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, wanted)
            poller = select.poll()
            poller.register(descriptor, select.POLLIN)
            return bool(poller.poll(timeout * 1000))
        finally:
            os.close(descriptor)

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"
