"""Finds what a run has left on the machine and on its switches.

Looks only for objects known to be this run's, because other runs may be up.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from dropzero.controller.jobs.slots import SLOTS
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.rows import Rows
from dropzero.membership.client import Membership, MembershipError
from dropzero.membership.operator_client import Operator
from dropzero.topologies.networks.host import namespace_of
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.registry.state import FOLDER, INTERFACES, State

VARIABLE = "DROPZERO_CHAOS"
"""An environment variable of all processes that a run starts."""
NAMED = Path("/run/netns")
SETTLED = 25.0
"""Seconds until the controller has removed the last job: workers linger, and dead ones must time out."""
FREE_JOB = 65_535
"""The number of a job that no crew uses."""


class Leftovers:
    """Notes what exists while networks run, and finds what still exists when they have ended. `files`: must be deleted,
    such as sockets."""

    def __init__(self) -> None:
        self.mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        os.environ[VARIABLE] = self.mark
        self._namespaces: set[int | None] = set()
        self._interfaces: set[str] = set()
        self.files: set[Path] = set()

    def note(self, network: EmulatedNetwork) -> None:
        for host in network.hosts:
            self.note_namespace(host.pid)
        self._interfaces |= {intf.name for switch in network.switches for intf in switch.interfaces.values()}
        self.files |= {network.controller_socket, network.controller_socket.with_suffix(".json")}

    def note_namespace(self, pid: int) -> None:
        self._namespaces |= {namespace_of(pid)} - {None}

    def left(self) -> list[str]:
        """Describe what still exists but should not, when the networks noted so far have ended."""
        found = [f"process {pid}: {command}" for pid, command in self._processes()]
        # Another run may use the prefix by now.
        mine = {path for path in self.files if not _is_others(path)}
        found += [f"file {path}" for path in sorted(mine) if path.exists()]
        taken = {path.stem for path in self.files if _is_others(path.with_suffix(".json"))}
        there = [name for name in sorted(self._interfaces) if (INTERFACES / name).exists()]
        found += [f"interface {name}" for name in there if not any(name.startswith(f"{each}s") for each in taken)]
        found += [f"network namespace of process {pid}" for pid in _pids() if namespace_of(pid) in self._namespaces]
        for path in sorted(NAMED.glob("*")):
            with suppress(OSError):
                found += [f"network namespace {path}"] * (path.stat().st_ino in self._namespaces)
        # The kernel reuses their inode numbers.
        self._namespaces.clear()
        return found

    def _processes(self) -> Iterator[tuple[int, str]]:
        wanted = f"{VARIABLE}={self.mark}".encode()
        for pid in _pids():
            with suppress(OSError):
                if wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") and pid != os.getpid():
                    yield pid, Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def on_switches(network: EmulatedNetwork) -> list[str]:
    """Describe rows on switches and slots at the controller, after all jobs are over; empty once none are left."""
    deadline = time.monotonic() + SETTLED
    while (found := [*_jobs(network), *_rows(network)]) and time.monotonic() < deadline:
        time.sleep(0.3)
    return found or [*_slots(network)]


def _jobs(network: EmulatedNetwork) -> Iterator[str]:
    with Operator(f"unix:{network.controller_socket}", timeout=20) as operator:
        for job in operator.jobs():
            yield f"job {job.job} at the controller: {job.state}"


def _rows(network: EmulatedNetwork) -> Iterator[str]:
    for switch in network.switches:
        with Device(switch.address, switch.device, timeout=20) as device:
            rows = Rows.read(device.entries(), device.groups())
        for key in (*rows.jobs, *rows.needs):
            yield f"row on {switch.name}: {key}"


def _slots(network: EmulatedNetwork) -> Iterator[str]:
    """Join a job that takes all slots of all switches, with a worker in each rack."""
    ips = [str(hosts[0].IP()) for hosts in network.racks]

    def problem(ip: str) -> str:
        with Membership(f"unix:{network.controller_socket}", timeout=20) as membership:
            try:
                membership.join(job=FREE_JOB, size=len(ips), ip=ip, udp_port=9, lanes=SLOTS, timeout=20)
                membership.leave()
            except MembershipError as error:
                return f"slots: {error}"
        return ""

    with ThreadPoolExecutor(len(ips)) as threads:
        yield from filter(None, threads.map(problem, ips))


def _is_others(path: Path) -> bool:
    """Return whether /run/dropzero records the path as another process's."""
    if path.parent != FOLDER:
        return False
    with suppress(OSError, ValueError):
        return State.read(path.with_suffix(".json")).owner.pid != os.getpid()
    return False


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())
