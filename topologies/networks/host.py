"""A Mininet host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mininet.node import Node

from dropzero.topologies.processes.process import Process


class Host(Node):  # type: ignore[misc]
    """A network namespace with one interface, eth0, without IPv6."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        self.cmd("f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 > $f")

    def launch(self, name: str, command: Sequence[str], log: Path) -> Process:
        """Start a program in this host's network namespace."""
        return Process(name, command, log, namespace=self.pid)
