"""`dropzero simulate program`: sends captures through P4 switches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from dropzero.console import table_of
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs import topology
from dropzero.simulator.programs.fabric import Arrival, Fabric, Port, named
from dropzero.softswitch.engine.queues import Counts
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.offline.options import State
from dropzero.softswitch.offline.packets import write
from dropzero.softswitch.offline.state import set_up
from dropzero.softswitch.ports.pcap import read

SWITCH = "s1"
"""The name of a single switch."""


@dataclass(frozen=True)
class Setting:
    """What packets go through.

    Attributes:
        program: p4c's JSON, of all switches for which the topology names none.
        topology: a file of p4lang's tutorials; None: a single switch, whose hosts are named by their ports.
        state: of the single switch.
        quality: of all links for which the topology gives no other.
        depth: packets that a switch's queue holds.
        seed: of all that is random.
    """

    program: Path | None
    topology: Path | None
    state: State
    quality: Quality
    depth: int
    seed: int


class Replay:
    """Hosts that send what captures hold, and keep what they receive.

    Attributes:
        fabric: between them.
        received: by each host, in order.
    """

    def __init__(self, setting: Setting, captures: Iterable[tuple[str, Path]]) -> None:
        """Builds the fabric. captures: a host's name, and the file; all begin when the earliest packet of any was
        captured. Raises ValueError, OSError."""
        self.fabric = Fabric(setting.quality, setting.depth, setting.seed)
        self._hosts: dict[str, Port] | None = None
        if setting.topology is None:
            if setting.program is None:
                raise ValueError("give a program, a --topology, or both")
            set_up(self.fabric.add(SWITCH), setting.program, **vars(setting.state))
        else:
            if setting.state != State():
                raise ValueError("the topology names the entries, commands and P4Info of its switches")
            self._hosts = topology.build(self.fabric, setting.topology, setting.quality, setting.program)
        self._names = {port: name for name, port in (self._hosts or {}).items()}
        packets = [(time, self._port(host), packet) for host, path in captures for time, packet in read(path)]
        begin = min((time for time, _, _ in packets), default=0)
        for time, (switch, port), packet in packets:
            self.fabric.send(switch, port, packet, time - begin)
        self.received: dict[str, list[Arrival]] = {}

    def run(self, look: Callable[[], object] = lambda: None) -> None:
        """Goes on until no packet is under way. look: called after each packet that a host receives."""
        for arrival in self.fabric.run(answered=False):
            end = arrival.switch, arrival.port
            name = str(arrival.port) if self._hosts is None else self._names.get(end, named(end))
            self.received.setdefault(name, []).append(arrival)
            look()

    def write(self, folder: Path) -> None:
        """Writes a capture for each host that has received something. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, arrivals in self.received.items():
            write(folder / f"{name}.pcap", ((arrival.time, arrival.packet) for arrival in arrivals))

    def links(self) -> list[dict[str, object]]:
        """What each direction of each link has carried."""
        rows: list[dict[str, object]] = []
        for port, link in (*self.fabric.hosts.items(), *self.fabric.links.items()):
            from_host = link.to == port
            counts = Counts() if from_host else self.fabric.counts(port)
            if not link.packets and not counts.dropped:
                continue
            host = self._names.get(port, "host")
            one, other = (host, named(port)) if from_host else (named(port), named(link.to) if link.to else host)
            rows.append({"from": one, "to": other, "packets": link.packets, "bytes": link.bytes, "lost": link.lost})
            rows[-1] |= {"dropped": counts.dropped, "longest_queue": counts.deepest}
        return rows

    def table(self) -> Table:
        """The same for people."""
        rows = [[str(value) for value in row.values()] for row in self.links()]
        headings = "from", "to", "packets", "bytes", "lost", "dropped", "longest queue"
        table = table_of(headings, rows, names=2)
        table.caption = f"after {self.fabric.time / SECOND:.6f} s of virtual time"
        return table

    def json(self) -> str:
        """The same for scripts."""
        received = {name: len(arrivals) for name, arrivals in self.received.items()}
        result = {"seconds": self.fabric.time / SECOND, "received": received, "links": self.links()}
        return json.dumps(result, indent=2) + "\n"

    def _port(self, host: str) -> Port:
        if self._hosts is None:
            if not re.fullmatch(r"\d{1,5}", host):
                raise ValueError(f"the port of a single switch is a number, not {host!r}")
            return SWITCH, int(host)
        if host not in self._hosts:
            raise ValueError(f"the topology has no host {host!r}: it has {', '.join(self._hosts) or 'none'}")
        return self._hosts[host]
