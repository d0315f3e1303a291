"""Places for a job's workers: the loopback, or separate hosts of a rack."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dropzero.linux.namespace import inside
from dropzero.topologies.networks.host import Host
from tests.support.loopback import HOST, loopback
from tests.support.on_hosts import hosts

LOSS = 0.01
RANKS = 4


class Places:
    """The controller's address, and the hosts by rank; none on the loopback."""

    def __init__(self, controller: str, hosts: list[Host]) -> None:
        self.controller, self._hosts = controller, hosts

    def ip(self, rank: int) -> str:
        return str(self._hosts[rank].IP()) if self._hosts else HOST

    def prefix(self, rank: int) -> list[str]:
        """The command prefix that runs a command there."""
        return ["nsenter", f"--net=/proc/{self._hosts[rank].pid}/ns/net", "--"] if self._hosts else []

    @contextmanager
    def at(self, rank: int) -> Iterator[str]:
        """A context in which this thread makes sockets there. Yields the address."""
        if not self._hosts:
            yield HOST
            return
        with inside(self._hosts[rank].pid):
            yield self.ip(rank)


@contextmanager
def places(kind: str, folder: Path) -> Iterator[Places]:
    """kind: loopback, with an aggregator as the switch, or bmv2, a rack with the real one. Links lose packets."""
    if kind == "loopback":
        with loopback(folder, "--uplink-loss", str(LOSS), "--downlink-loss", str(LOSS)) as controller:
            yield Places(controller, [])
        return
    if not shutil.which("simple_switch_grpc"):
        pytest.skip("simple_switch_grpc is not on PATH: this was tried on the embedded switch only")
    if os.geteuid():
        pytest.skip("network namespaces need root")
    with hosts(folder / "net", RANKS, "bmv2", loss=LOSS) as running:
        yield Places(running.controller, running.rack.hosts)
