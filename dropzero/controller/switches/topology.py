"""Reads topology.json, in the format of p4lang/tutorials: switches in a tree, and the hosts on them.

{"hosts": {"h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:01:11"}, "h2": ...},
 "switches": {"s1": {}, "s2": {}, "s3": {}},
 "links": [["h1", "s1-p1"], ["h2", "s2-p1"], ["s1-p2", "s3-p1"], ["s2-p2", "s3-p2"]]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any, Self

from dropzero.controller.jobs.tree import Tree
from dropzero.controller.switches.switch import DEFAULT_IP, DEFAULT_MAC
from dropzero.controller.switches.view import Host, SwitchView, TopologyError, parse_mac

Ports = dict[str, dict[str, int]]
"""For each switch, the ports of its neighbours."""


@dataclass(frozen=True)
class Topology(Tree):
    """A tree of switches with addresses and ports.

    Attributes:
        addresses: each switch's (ip, mac), in topology.json's order.
        views: by switch, the port that leads to each host and each other switch.
    """

    root: str
    addresses: dict[str, tuple[IPv4Address, int]]
    views: dict[str, SwitchView]

    @classmethod
    def read(cls, path: Path, ip: IPv4Address = DEFAULT_IP, mac: int = DEFAULT_MAC) -> Self:
        """Reads a file. `ip` and `mac` are the root's addresses; those of the other switches count down from them.

        Raises TopologyError, which names the file and what is wrong in it.
        """
        try:
            return cls._of(json.loads(path.read_text()), ip, mac)
        except OSError as error:
            raise TopologyError(f"cannot read the topology {path}: {error.strerror}") from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise TopologyError(f"{path} is not JSON: {error}") from error
        except TopologyError as error:
            raise TopologyError(f"{path}: {error}") from error

    @classmethod
    def _of(cls, described: Any, ip: IPv4Address, mac: int) -> Self:
        if not isinstance(described, dict) or not {"hosts", "switches", "links"} <= described.keys():
            raise TopologyError("a topology needs hosts, switches and links")
        switches = list(described["switches"])
        if not switches:
            raise TopologyError("there is no switch")
        ports = _ports(described["links"], switches)
        homes = _homes(described["hosts"], ports)
        paths = {switch: _paths(switch, ports) for switch in switches}
        _check_tree(paths, ports)
        # The centre of the tree; of two centres, the one with fewer hosts.
        root = min(switches, key=lambda each: (max(map(len, paths[each].values())), list(homes.values()).count(each)))
        order = [root, *(switch for switch in switches if switch != root)]
        addresses = {switch: (ip - order.index(switch), mac - order.index(switch)) for switch in switches}
        stations = addresses | {name: _address(name, host) for name, host in described["hosts"].items()}
        _check_addresses(stations)
        views = {}
        for switch in switches:
            ways = {
                name: _way(switch, homes.get(name, name), name, paths, ports) for name in stations if name != switch
            }
            views[switch] = SwitchView(
                switch, {name: Host(name, *stations[name], port, name in addresses) for name, port in ways.items()}
            )
        return cls(
            {switch: path[-2] for switch, path in paths[root].items() if switch != root},
            {stations[host][0]: switch for host, switch in homes.items()},
            root,
            addresses,
            views,
        )

    def at(self, ip: IPv4Address) -> Host | None:
        """The host with that address, at its own switch's port."""
        home = self.homes.get(ip)
        return self.views[home].at(ip) if home is not None else None


def _ports(links: Any, switches: list[str]) -> Ports:
    """Reads the switches' ports. A link may name its ends in any order, and may have a delay and a rate."""
    ports: Ports = {switch: {} for switch in switches}
    for link in links:
        ends = [str(end) for end in link[:2]] if isinstance(link, list) else []
        found = [_port(end, switches) for end in ends]
        if len(ends) != 2 or not any(found) or any("-p" in end for end, at in zip(ends, found, strict=True) if not at):
            raise TopologyError(f'{json.dumps(link)} is not a link like ["h1", "{next(iter(switches), "s1")}-p1"]')
        for here, there, name in ((found[0], found[1], ends[1]), (found[1], found[0], ends[0])):
            if here is not None:
                switch, port = here
                if port in ports[switch].values():
                    raise TopologyError(f"two links end at port {port} of switch {switch}")
                ports[switch][there[0] if there is not None else name] = port
    return ports


def _port(end: str, switches: list[str]) -> tuple[str, int] | None:
    """The switch and port at an end of a link; None for a host."""
    match = re.fullmatch(r"(.+)-p(\d+)", end)
    return (match[1], int(match[2])) if match and match[1] in switches else None


def _homes(hosts: Any, ports: Ports) -> dict[str, str]:
    """The switch that each host is on."""
    homes = {}
    for host in hosts:
        found = [switch for switch, neighbours in ports.items() if host in neighbours]
        if len(found) != 1:
            where = f"switch {next(iter(ports))}" if len(ports) == 1 else "a switch"
            raise TopologyError(
                f"{'no link connects' if not found else 'several links connect'} host {host} to {where}"
            )
        homes[host] = found[0]
    return homes


def _paths(start: str, ports: Ports) -> dict[str, list[str]]:
    """The switches on the path from `start` to each switch that it reaches, with both ends."""
    paths = {start: [start]}
    reached = [start]
    for switch in reached:
        for neighbour in ports[switch]:
            if neighbour in ports and neighbour not in paths:
                paths[neighbour] = [*paths[switch], neighbour]
                reached.append(neighbour)
    return paths


def _check_tree(paths: Mapping[str, dict[str, list[str]]], ports: Ports) -> None:
    first = next(iter(ports))
    for switch in ports:
        if switch not in paths[first]:
            raise TopologyError(f"no links lead from switch {first} to switch {switch}")
    if sum(neighbour in ports for neighbours in ports.values() for neighbour in neighbours) > 2 * (len(ports) - 1):
        raise TopologyError("the links between the switches form a loop")


def _address(name: str, host: Any) -> tuple[IPv4Address, int]:
    try:
        return IPv4Interface(host["ip"]).ip, parse_mac(host["mac"])
    except (KeyError, TypeError) as error:
        raise TopologyError(f"host {name} needs an ip and a mac") from error
    except ValueError as error:
        raise TopologyError(f"host {name}: {error}") from error


def _check_addresses(stations: Mapping[str, tuple[IPv4Address, int]]) -> None:
    owners: dict[IPv4Address, str] = {}
    for name, (ip, _) in stations.items():
        if owners.setdefault(ip, name) != name:
            raise TopologyError(f"{owners[ip]} and {name} have the same ip, {ip}")


def _way(switch: str, home: str, name: str, paths: Mapping[str, dict[str, list[str]]], ports: Ports) -> int:
    """The port of `switch` that leads to the station `name`, which is on the switch `home`."""
    path = [*paths[switch][home], *([name] if name != home else [])]
    return ports[switch][path[1]]
