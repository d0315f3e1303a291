"""Runs a protocol through the embedded switch: a process for each host, in a network namespace of its own."""

from __future__ import annotations

import select
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dropzero.controller.p4runtime.device import Device
from dropzero.controller.p4runtime.p4info import P4Info
from dropzero.ina.audit import Audit
from dropzero.ina.folder import Folder
from dropzero.ina.frames import SWITCH_IP, SWITCH_MAC, payload_of, place
from dropzero.ina.member import Plan
from dropzero.ina.outcome import Outcome, tensors
from dropzero.ina.protocol import Protocol
from dropzero.simulator.kernel.links import Quality
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.ports.pcap import read
from dropzero.topologies.networks.faults import Faults
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.process import Process


@dataclass(frozen=True)
class Lossy(Faults):
    """Faults with losses on the links: other programs than Dropzero's own drop no packets by themselves."""

    loss: float = 0.0

    @property
    def keys(self) -> list[str]:
        return [*super().keys, *([f"loss={self.loss:f}"] if self.loss else [])]

    def __bool__(self) -> bool:
        return bool(self.keys)


def run(
    folder: Folder,
    protocol: Protocol,
    options: dict[str, str],
    elements: int,
    quality: Quality,
    out: Path,
    seed: int = 0,
    late: int = 0,
) -> Outcome:
    """Runs a protocol until all workers have their sums, and audits their sums and all captured packets.

    Args:
        options: of the protocol, for the hosts' processes.
        elements, seed: of the tensors.
        quality: of the links.
        out: the folder for logs/, pcaps/ and the workers' sums.
        late: nanoseconds after which the last worker starts.

    Raises:
        AuditError: a sum is wrong or missing.
        SetupError, RunError: a part did not start, or a host failed.
        ValueError, SwitchError: the program or a row is wrong.
    """
    faults = Lossy(quality.delay / 1e6, quality.duplicate, quality.reorder, quality.loss)
    count = protocol.workers + protocol.servers
    with (
        Rack(count, out, kind=SwitchKind.SOFTSWITCH, rate=quality.rate / 1e6, pcap=True, faults=faults) as rack,
        ExitStack() as cleanup,
    ):
        rack.start_switches()
        rows = protocol.rows([place(number) for number in range(count)])
        with Device(rack.switch.address) as device:
            device.become_primary()
            device.push(P4Info.read(folder.p4info), folder.json.read_bytes())
            device.insert(*rows.all)
            # The path of a socket has at most 107 bytes.
            meeting_path = f"{cleanup.enter_context(TemporaryDirectory())}/meeting"
            plan = Plan(str(folder.path), protocol.workers, options, elements, seed, late, str(out), meeting_path)
            plan.write(out / "plan.json")
            meeting = cleanup.enter_context(socket.socket(socket.AF_UNIX))
            meeting.bind(plan.meeting)
            meeting.listen(count)
            processes = []
            for number, host in enumerate(rack.hosts):
                host.setARP(str(SWITCH_IP), ":".join(f"{byte:02x}" for byte in SWITCH_MAC.to_bytes(6, "big")))
                command = [sys.executable, "-m", "dropzero.ina.member", str(out / "plan.json"), str(number)]
                log = rack.logs / f"host-{number}.log"
                processes.append(rack.adopt(host.launch(f"host {number}", command, log)))
            hosts = []
            for _ in range(count):
                _await([meeting], processes)
                hosts.append(cleanup.enter_context(meeting.accept()[0]))
            for each in hosts:
                each.sendall(b"!")
            waiting = list(hosts)
            for _ in range(protocol.workers):
                (done,) = _await(waiting, processes)[:1]
                waiting.remove(done)
            return _audited(protocol, plan, out / "pcaps")


def _await(sockets: Sequence[socket.socket], processes: Sequence[Process]) -> list[socket.socket]:
    """Waits for a socket. Returns those that are ready. Raises RunError if a process ends."""
    descriptors = [*(each.fileno() for each in sockets), *(each.descriptor for each in processes)]
    ready, *_ = select.select(descriptors, [], [])
    for process in processes:
        if process.descriptor in ready:
            raise RunError(process.failure_report())
    return [each for each in sockets if each.fileno() in ready]


def _audited(protocol: Protocol, plan: Plan, captures: Path) -> Outcome:
    """Audits what a run has left."""
    given = tensors(protocol, plan.elements, plan.seed)
    audit = Audit(protocol, given)
    for path in sorted(captures.glob("*.pcap")):
        for _, frame in read(path):
            payload = payload_of(frame, protocol.port)
            if payload is not None:
                audit.packet(payload, path.name)
    workers, times = [], []
    for rank, tensor in enumerate(given):
        worker = protocol.worker(rank, tensor)
        with np.load(plan.result(rank)) as found:
            worker.total, worker.contributors, worker.missing = found["total"], found["contributors"], 0
            times.append(found["times"])
        workers.append(worker)
    begin, end = np.transpose(times)
    return Outcome.of(workers, (end.max() - begin.min()) / SECOND, audit)
