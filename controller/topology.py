"""Who is plugged in where: topology.json in the form of p4lang/tutorials.

{"hosts": {"h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:01:11"}},
 "switches": {"s1": {}},
 "links": [["h1", "s1-p1"]]}
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any, Self


class TopologyError(Exception):
    """The file is missing, or does not describe one switch with hosts on it."""


@dataclass(frozen=True)
class Host:
    """A host, and the switch's port that it is on."""

    name: str
    ip: IPv4Address
    mac: int
    port: int


@dataclass(frozen=True)
class Topology:
    """One switch and its hosts, by name of the host."""

    switch: str
    hosts: dict[str, Host]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises TopologyError, with the file's name and what is wrong in it."""
        try:
            return cls._of(json.loads(path.read_text()))
        except OSError as error:
            raise TopologyError(f"cannot read the topology {path}: {error.strerror}") from error
        except json.JSONDecodeError as error:
            raise TopologyError(f"{path} is no JSON: {error}") from error
        except TopologyError as error:
            raise TopologyError(f"{path}: {error}") from error

    @classmethod
    def _of(cls, topology: Any) -> Self:
        if not isinstance(topology, dict) or not {"hosts", "switches", "links"} <= topology.keys():
            raise TopologyError("a topology has hosts, switches and links")
        if len(topology["switches"]) != 1:
            raise TopologyError(f"{len(topology['switches'])} switches; a controller looks after one")
        (switch,) = topology["switches"]
        ports = _ports(topology["links"], switch)
        hosts = {}
        for name, described in topology["hosts"].items():
            if name not in ports:
                raise TopologyError(f"no link joins host {name} to switch {switch}")
            try:
                ip = IPv4Interface(described["ip"]).ip
                hosts[name] = Host(name, ip, parse_mac(described["mac"]), ports[name])
            except (KeyError, TypeError) as error:
                raise TopologyError(f"host {name} needs an ip and a mac") from error
            except ValueError as error:
                raise TopologyError(f"host {name}: {error}") from error
        for kind in ("ip", "port"):
            if len({getattr(host, kind) for host in hosts.values()}) != len(hosts):
                raise TopologyError(f"two hosts have the same {kind}")
        return cls(switch, hosts)

    def at(self, ip: IPv4Address) -> Host | None:
        """The host with that address."""
        return next((host for host in self.hosts.values() if host.ip == ip), None)


def _ports(links: Any, switch: str) -> dict[str, int]:
    """The switch's port at each neighbour. A link may be written from either end, and have a delay and a rate after."""
    ports = {}
    for link in links:
        try:
            ends = [str(end) for end in link[:2]]
            (port,) = (int(match[1]) for end in ends if (match := re.fullmatch(rf"{re.escape(switch)}-p(\d+)", end)))
            (other,) = (end for end in ends if "-p" not in end)
        except (TypeError, ValueError) as error:
            raise TopologyError(f'{json.dumps(link)} is no link like ["h1", "{switch}-p1"]') from error
        ports[other] = port
    return ports


def parse_mac(text: str) -> int:
    """`08:00:00:00:01:11` as a number. Raises ValueError for anything else."""
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        raise ValueError(f"{text!r} is no MAC address")
    return int(text.replace(":", ""), 16)


def format_mac(mac: int) -> str:
    return mac.to_bytes(6, "big").hex(":")
