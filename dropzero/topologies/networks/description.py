"""Reads the description of a network from a file in the format of p4lang's tutorials."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dropzero.topologies.processes.errors import SetupError
from dropzero.units import TIMES, parse

if TYPE_CHECKING:
    from dropzero.controller.switches.topology import Topology

MAX_HOSTS = 240
"""The most hosts of a network: 10.0.0.1 to .240; the switches' addresses count down from .254."""


@dataclass(frozen=True)
class Wire:
    """A link.

    Attributes:
        lower, upper: (name, port) of its ends, the upper one nearer to the root of the tree; a host's port is 0.
        delay: ms in each direction; None: that of all links.
        rate: Mbit/s in each direction; None: that of all links.
    """

    lower: tuple[str, int]
    upper: tuple[str, int]
    delay: float | None
    rate: float | None


@dataclass(frozen=True)
class Description:
    """The content of a file.

    Attributes:
        hosts: by name, such as {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11"}. Their commands are not run: here,
            switches forward by MAC address, and hosts need no gateway.
        switches: the switches' names. Programs and entries in the file are not used.
        wires: the links.
    """

    path: Path
    hosts: Mapping[str, Mapping[str, str]]
    switches: tuple[str, ...]
    wires: tuple[Wire, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a file. Raises SetupError, which says what is wrong with it."""
        # Imported late: it loads the controller, which other uses of this module do not need.
        from dropzero.controller.switches.topology import Topology
        from dropzero.controller.switches.view import TopologyError

        try:
            tree = Topology.read(path)
            content = json.loads(path.read_text())
            wires = [_wire(tree, *link[:4]) for link in content["links"]]
        except (TopologyError, OSError) as error:
            raise SetupError(str(error)) from error
        except (TypeError, ValueError) as error:
            raise SetupError(f"{path}: {error}") from error
        if not 1 <= len(content["hosts"]) <= MAX_HOSTS:
            raise SetupError(f"{path} has {len(content['hosts'])} hosts; 1 to {MAX_HOSTS} are possible")
        return cls(path, content["hosts"], tuple(content["switches"]), tuple(wires))

    @property
    def racks(self) -> int:
        """The number of switches that have hosts."""
        return len({wire.upper[0] for wire in self.wires if wire.lower[0] in self.hosts})


def _wire(tree: Topology, one: str, other: str, latency: Any = None, bandwidth: Any = None) -> Wire:
    """Converts a link. latency: ms, or text with a unit. bandwidth: Mbit/s. Raises ValueError."""
    lower, upper = _end(tree, one), _end(tree, other)
    if not upper[1] or tree.parents.get(upper[0]) == lower[0]:
        lower, upper = upper, lower
    delay = None
    if latency is not None:
        text = str(latency)
        delay = parse(text if text[-1:].isalpha() else f"{text}ms", TIMES) / TIMES["ms"]
    rate = None if bandwidth is None else float(bandwidth)
    if rate is not None and not 0.001 <= rate < float("inf"):
        raise ValueError(f"{bandwidth} is not a rate in Mbit/s")
    return Wire(lower, upper, delay, rate)


def _end(tree: Topology, text: str) -> tuple[str, int]:
    """The (name, port) of one end of a link; a host's port is 0. The topology has been checked."""
    name, _, port = text.rpartition("-p")
    return (name, int(port)) if name in tree.views and port.isdecimal() else (text, 0)
