"""Records an emulated run for its page: see dropzero.page.samples."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Self

from dropzero.controller.p4runtime.device import Device
from dropzero.controller.p4runtime.errors import UnsupportedError
from dropzero.ina.protocol import Protocol
from dropzero.page import standalone
from dropzero.page.samples import SamplesFile
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.traffic import Traffic

SHORTEST, LONGEST = 0.02, 1.0
"""Seconds between two samples."""
SHARE = 0.1
"""The next sample follows after this share of the time so far."""


class Recorder:
    """A context manager that appends samples of a run to its file. If an error ends the run, the record says so."""

    def __init__(
        self, out: Path, title: str, network: EmulatedNetwork, devices: Mapping[str, Device], protocol: Protocol
    ) -> None:
        """Begins when the rows are on the switches. devices: these, by name. Raises OSError."""
        self._out, self._devices, self._protocol = out, devices, protocol
        self._hosts = [host.name for host in network.hosts]
        self._gone: list[str] = []
        self._events: list[tuple[str, str]] = []
        self._serves_registers = True
        self._began = time.monotonic()
        self._due = 0.0
        with ExitStack() as opened:
            self._traffic = Traffic(network)
            opened.callback(self._traffic.close)
            self._file = opened.enter_context(SamplesFile(out, self._heading(title, network)))
            self._close = opened.pop_all().close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is not None:
                self._end({"error": str(error) or type(error).__name__})
        finally:
            self._close()

    def _heading(self, title: str, network: EmulatedNetwork) -> dict[str, Any]:
        workers = self._protocol.workers
        jobs = [1 + self._protocol.job(rank) if rank < workers else 0 for rank in range(len(network.hosts))]
        return {
            "run": network.name,
            "title": title,
            "switch": network.kind,
            "steps": None,
            "began": round(time.time(), 3),
            "hosts": {host.name: [job, rank] for rank, (host, job) in enumerate(zip(network.hosts, jobs, strict=True))},
            "links": [[end.node.name for end in ends] for ends in network.links],
            "switches": list(self._devices),
            "captured": False,
        }

    def sample(self) -> float:
        """Takes a sample, if one is due. Returns the seconds until the next one is."""
        now = time.monotonic()
        if now >= self._due:
            sample: dict[str, Any] = {"t": self._time(), "links": self._traffic.read(), "jobs": [], "workers": []}
            slots = {name: self._slots(device) for name, device in self._devices.items()}
            self._file.add(sample | {"gone": self._gone, "switches": slots, "events": self._events})
            self._events = []
            self._due = now + min(max(SHORTEST, SHARE * (now - self._began)), LONGEST)
        return self._due - now

    def kill(self, host: int) -> None:
        """Marks a host as killed, from the next sample on. host: from 0 on."""
        self._gone.append(self._hosts[host])
        self._events.append(("kill", f"{self._hosts[host]} was killed"))

    def finish(self, text: str) -> None:
        """Takes the last sample, and records how the run ended. Raises OSError."""
        self._due = 0.0
        self.sample()
        self._end({"text": text})

    def _end(self, outcome: dict[str, Any]) -> None:
        self._file.add({"t": self._time(), "over": outcome})
        standalone.write(self._out)

    def _time(self) -> float:
        return round(time.monotonic() - self._began, 3)

    def _slots(self, device: Device) -> dict[str, Any]:
        if self._serves_registers:
            try:
                slots = self._protocol.read_slots(partial(_register, device))
            except UnsupportedError:
                self._serves_registers = False
            else:
                # They have neither epochs nor congestion marks.
                return {"slots": [[each.number, each.job, 0, each.round, each.seen, each.missing, 0] for each in slots]}
        return {}


def _register(device: Device, name: str) -> list[int]:
    cells = device.register(name, range(device.p4info.register(name).size))
    return [cells[index] for index in range(len(cells))]
