"""A Mininet host."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mininet.node import Node

from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import GRACE, Process
from dropzero.worker.environment import RINGS_VARIABLE


class Host(Node):  # type: ignore[misc]
    """A host with its own network namespace (one interface, eth0, without IPv6), mount namespace and host name."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        self.cmd("f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 > $f")
        # "Fragmentation needed" counts only where the protocol can tell that it is not forged, which UDP cannot.
        self.cmd("echo 3 > /proc/sys/net/ipv4/ip_no_pmtu_disc")

    def _popen(self, cmd: list[str], **params: Any) -> Any:
        # Mininet creates the other two namespaces.
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', self.name]
        return super()._popen([*named, *cmd], **params)

    def know(self, hosts: Path) -> None:
        """Lets programs on this host find other hosts by name. hosts: a file like /etc/hosts."""
        self.cmd(f"[ ! -e /etc/hosts ] || mount --bind {shlex.quote(str(hosts.absolute()))} /etc/hosts")

    @property
    def rings(self) -> str | None:
        """Where its programs find rings, as in DROPZERO_RINGS; None: its switch offers none, or it has several
        links."""
        offered = self.intf("eth0").rings if len(self.intfNames()) == 1 else None
        return None if offered is None else "{}:{}".format(*offered)

    def launch(self, name: str, command: Sequence[str], log: Path) -> Process:
        """Starts a program on this host."""
        # This process may run on a host of another network.
        given = ["env", f"{RINGS_VARIABLE}={self.rings or ''}"]
        return Process(name, [*given, *command], log, namespace=self.pid)


def clear(hosts: Collection[Host]) -> None:
    """Kills all processes that still run on hosts, except their shells."""
    # Never kill the machine's own programs, even after an error.
    others = {None, namespace_of(os.getpid())}
    names = {number: host.name for host in hosts if (number := namespace_of(host.pid)) not in others}
    shells = {host.pid for host in hosts}
    for pid in (int(path.name) for path in Path("/proc").glob("[0-9]*")):
        name = names.get(namespace_of(pid))
        if name is None or pid in shells:
            continue
        # A process that cannot be ended must not keep the rest of the network from being removed.
        with suppress(OSError):
            process = Identity.of(f"a program on {name}", pid)
            # The identity is not of a later process with the same pid.
            if names.get(namespace_of(pid)) == name:
                process.end(signal.SIGKILL, GRACE)


def namespace_of(pid: int) -> int | None:
    """The number of a process's network namespace; None: the process has ended."""
    with suppress(OSError):
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    return None
