"""The switches between a protocol's hosts: one, or racks with a leaf each, joined by spines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from dropzero.ina.frames import SWITCH_IP, SWITCH_MAC, place
from dropzero.ina.protocol import Place, Protocol


@dataclass(frozen=True)
class Topology:
    """Switches s1, s2, ...: the leaves, each with as many hosts, at its first ports; if there are several, the spines,
    each at one of the next ports of all leaves. The ports of a spine are in the order of the leaves. As in Rack and
    Racks.

    Attributes:
        hosts: in all; they fill one rack after the other.
    """

    hosts: int
    racks: int = 1
    spines: int = 1

    def __post_init__(self) -> None:
        """Raises ValueError if there are no such racks."""
        if self.spines.bit_count() != 1:
            raise ValueError(f"spines must be a power of two, not {self.spines}: a packet's bits choose one")
        if self.racks < 1 or self.hosts % self.racks:
            raise ValueError(f"{self.racks} racks and {self.spines} spines cannot share {self.hosts} hosts equally")

    @classmethod
    def of(cls, protocol: Protocol) -> Self:
        """The one of a protocol. Raises ValueError."""
        return cls(protocol.workers + protocol.servers, protocol.racks, protocol.spines)

    @property
    def size(self) -> int:
        """Hosts in a rack."""
        return self.hosts // self.racks

    @property
    def switches(self) -> list[str]:
        """Their names."""
        return [f"s{number + 1}" for number in range(self.racks + (self.spines if self.racks > 1 else 0))]

    def port(self, host: int) -> tuple[str, int]:
        """The leaf of a host, and its port there. host: from 0 on."""
        rack, number = divmod(host, self.size)
        return f"s{rack + 1}", number + 1

    @property
    def trunks(self) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
        """The ports at the lower and the upper end of each link between switches."""
        for number, spine in enumerate(self.switches[self.racks :], 1):
            for rack in range(1, self.racks + 1):
                yield (f"s{rack}", self.size + number), (spine, rack)

    def places(self, switch: int) -> list[Place]:
        """Where the hosts are, for a switch. switch: from 0 on."""
        is_spine = switch >= self.racks
        found = []
        for host in range(self.hosts):
            rack, number = divmod(host, self.size)
            if rack == switch:
                found.append(place(host)._replace(port=number + 1))
            elif is_spine:
                found.append(Place(rack + 1, SWITCH_MAC, SWITCH_IP, 1))
            else:
                found.append(Place(self.size + 1, SWITCH_MAC, SWITCH_IP, self.spines))
        return found
