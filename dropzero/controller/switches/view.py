"""One switch's view of the network: the hosts and switches behind its ports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address


class TopologyError(Exception):
    """The topology is missing, or is not a tree of switches with hosts on them."""


@dataclass(frozen=True)
class Host:
    """A host, or another switch, and the port that leads to it."""

    name: str
    ip: IPv4Address
    mac: int
    port: int
    is_switch: bool = False


@dataclass(frozen=True)
class SwitchView:
    """The hosts and switches that one switch leads to, by name."""

    switch: str
    hosts: dict[str, Host]

    def at(self, ip: IPv4Address) -> Host | None:
        """The host with that address."""
        return next((host for host in self.hosts.values() if host.ip == ip), None)


def parse_mac(text: str) -> int:
    """`08:00:00:00:01:11` as a number. Raises ValueError for anything else."""
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        raise ValueError(f"{text!r} is not a MAC address")
    return int(text.replace(":", ""), 16)


def format_mac(mac: int) -> str:
    return mac.to_bytes(6, "big").hex(":")
