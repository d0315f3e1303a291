"""The switches, in a tree, and those that jobs use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address


@dataclass(frozen=True)
class Tree:
    """A tree of switches.

    Attributes:
        parents: the parent of each switch except the root.
        homes: the switch of each host, by the host's address. Other hosts are on a switch without a name.
    """

    parents: Mapping[str, str]
    homes: Mapping[IPv4Address, str]

    def home(self, host: IPv4Address) -> str:
        return self.homes.get(host, "")

    def lineage(self, switch: str) -> list[str]:
        """A switch, its parent, and so on up to the root."""
        line = [switch]
        while line[-1] in self.parents:
            line.append(self.parents[line[-1]])
        return line

    def paths(self, hosts: Iterable[IPv4Address]) -> dict[str, list[str]]:
        """For each switch of these hosts, the path from it up to the lowest switch that is above all of them."""
        lines = {home: self.lineage(home) for home in dict.fromkeys(map(self.home, hosts))}
        first, *others = lines.values()
        top = next(switch for switch in first if all(switch in line for line in others))
        return {home: line[: line.index(top) + 1] for home, line in lines.items()}

    def span(self, hosts: Iterable[IPv4Address]) -> set[str]:
        """The switches that add up for these hosts."""
        return {switch for path in self.paths(hosts).values() for switch in path}


ONE_SWITCH = Tree({}, {})
"""A switch with all hosts on it."""
