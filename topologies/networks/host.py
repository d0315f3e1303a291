"""A Mininet host."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mininet.node import Node

from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import GRACE, Process


class Host(Node):  # type: ignore[misc]
    """A host with its own network namespace (one interface, eth0, without IPv6), mount namespace and host name."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        self.cmd("f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 > $f")

    def _popen(self, cmd: list[str], **params: Any) -> Any:
        # Mininet creates the other two namespaces.
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', self.name]
        return super()._popen([*named, *cmd], **params)

    def clear(self) -> None:
        """Kills all processes that still run on this host, except its shell."""
        here = Path(f"/proc/{self.pid}/ns/net")
        for path in Path("/proc").glob("[0-9]*"):
            process = Identity.of(f"a program on {self.name}", int(path.name))
            # Never kill the machine's own programs, even after an error.
            with suppress(OSError):
                if (
                    process.pid != self.pid
                    and here.samefile(path / "ns/net")
                    and not here.samefile("/proc/self/ns/net")
                ):
                    process.end(signal.SIGKILL, GRACE)

    def know(self, hosts: Path) -> None:
        """Lets programs on this host find other hosts by name. hosts: a file like /etc/hosts."""
        self.cmd(f"[ ! -e /etc/hosts ] || mount --bind {shlex.quote(str(hosts.absolute()))} /etc/hosts")

    def launch(self, name: str, command: Sequence[str], log: Path) -> Process:
        """Starts a program on this host."""
        return Process(name, command, log, namespace=self.pid)
