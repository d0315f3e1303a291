"""Runs a protocol through a switch: a process for each host, in a network namespace of its own."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dropzero.controller.p4runtime.device import Device
from dropzero.ina.audit import Audit
from dropzero.ina.conditions import Conditions, Stop
from dropzero.ina.folder import Folder
from dropzero.ina.frames import SWITCH_IP, SWITCH_MAC, payload_of
from dropzero.ina.member import START, WRONG, Plan
from dropzero.ina.outcome import Outcome
from dropzero.ina.protocol import Protocol, ProtocolError
from dropzero.ina.recorder import Recorder
from dropzero.ina.topology import Topology
from dropzero.p4.names import P4Info
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.ports.pcap import read
from dropzero.topologies.networks.faults import Faults
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.network import EmulatedNetwork, Options
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.topologies.processes.process import Process

PREPARATION = SECOND // 20
"""Nanoseconds for each host to get its first packets ready, so that on few cores none waits for the others' work."""

FILES = "hosts", "logs", "pcaps", "*.npz", "page.html", "plan.json", "samples.jsonl", "topology.json"
"""What a run writes into its folder, and the next one there may overwrite."""


def run(
    folder: Folder,
    protocol: Protocol,
    options: dict[str, str],
    elements: int,
    conditions: Conditions,
    kind: SwitchKind,
    out: Path,
    record: bool = False,
) -> Outcome:
    """Runs a protocol until all workers have their sums, and audits their sums and all captured packets.

    Args:
        options: of the protocol, for the hosts' processes.
        elements: of the tensors.
        kind: of the switch. BMv2's links have no delay, and deliver packets once and in order.
        out: the folder for logs/, pcaps/ and the workers' sums.
        record: whether the folder gets page.html, too.

    Raises:
        AuditError: a sum is wrong or missing.
        ProtocolError: the protocol's own code fails.
        SetupError, RunError: a part did not start, or a host failed.
        ValueError, SwitchError: the program or a row is wrong.
    """
    quality = conditions.quality
    if kind is SwitchKind.BMV2 and quality.delay:
        raise SetupError("BMv2's links have no delay: add --delay 0, or leave out --switch bmv2")
    if others := [each.name for each in out.glob("*") if not any(map(each.match, FILES))]:
        raise SetupError(f"{out} is not only of earlier runs of protocols: it has {min(others)}")
    topology = Topology.of(protocol)
    count = topology.hosts
    with ExitStack() as cleanup:
        cleanup.enter_context(_alone(out))
        cleanup.enter_context(folder.blamed())
        network = cleanup.enter_context(_network(topology, conditions, kind, out))
        # An earlier run's packets are not this one's.
        for path in (out / "pcaps").glob("*.pcap"):
            path.unlink()
        network.start_switches()
        devices = {}
        for number, switch in enumerate(network.switches):
            device = devices[switch.name] = cleanup.enter_context(Device(switch.address, switch.device))
            device.become_primary()
            device.push(P4Info.read(folder.p4info), folder.json.read_bytes())
            device.insert(*protocol.rows(topology.places(number)).all)
        # The path of a socket has at most 107 bytes.
        meeting_path = f"{cleanup.enter_context(TemporaryDirectory())}/meeting"
        plan = Plan(
            str(folder.path),
            protocol.workers,
            options,
            elements,
            conditions.seed,
            conditions.late,
            conditions.density,
            quality.loss,
            str(out),
            meeting_path,
        )
        plan.write(out / "plan.json")
        meeting = cleanup.enter_context(socket.socket(socket.AF_UNIX))
        meeting.bind(plan.meeting)
        meeting.listen(count)
        processes = []
        for number, host in enumerate(network.hosts):
            host.setARP(str(SWITCH_IP), ":".join(f"{byte:02x}" for byte in SWITCH_MAC.to_bytes(6, "big")))
            command = [sys.executable, "-m", "dropzero.ina.member", str(out / "plan.json"), str(number)]
            log = network.logs / f"host-{number}.log"
            processes.append(network.adopt(host.launch(f"host {number}", command, log)))
        recorder = None
        if record:
            title = f"{type(protocol).__name__}: {protocol.workers} workers, {4 * elements:,} bytes each"
            recorder = cleanup.enter_context(Recorder(out, title, network, devices, protocol))
        crew = Crew(processes, recorder)
        hosts = []
        for _ in range(count):
            crew.wait([meeting])
            hosts.append(cleanup.enter_context(meeting.accept()[0]))
        start = time.monotonic_ns() + count * PREPARATION
        for each in hosts:
            each.sendall(START.pack(start))
        crew.plan(conditions.stops, start)
        awaited = set(range(protocol.workers)) - conditions.killed
        while awaited:
            for each in crew.wait(hosts):
                if finished := each.recv(1):
                    awaited -= set(finished)
                else:
                    # It was killed.
                    hosts.remove(each)
        outcome = _audited(protocol, plan, conditions.killed, out / "pcaps")
        if recorder:
            recorder.finish(f"all sums in {outcome.seconds:.3f} s, every one exact")
        return outcome


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """A context in which no other run writes into a folder. Raises SetupError, OSError."""
    out.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(out, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SetupError(f"another run writes into {out}: choose another folder with --out") from None
        yield
    finally:
        os.close(descriptor)


def _network(topology: Topology, conditions: Conditions, kind: SwitchKind, out: Path) -> EmulatedNetwork:
    quality = conditions.quality
    options: Options = {
        "kind": kind,
        "rate": quality.rate / 1e6,
        "trunk_rate": quality.rate / 1e6,
        "pcap": True,
        "faults": Faults(quality.delay / 1e6, quality.duplicate, quality.reorder),
    }
    if topology.racks == 1:
        return Rack(topology.hosts, out, **options)
    return Racks(
        topology.racks,
        topology.size,
        out,
        spines=topology.spines,
        slow_spine=conditions.slow_spine,
        trunk_loss=quality.loss,
        **options,
    )


class Crew:
    """The hosts' processes, which stop, continue and are killed by plan."""

    def __init__(self, processes: Sequence[Process], recorder: Recorder | None) -> None:
        self._processes, self._recorder = dict(enumerate(processes)), recorder
        self._due: list[tuple[int, int, signal.Signals]] = []

    def plan(self, stops: Sequence[Stop], start: int) -> None:
        """Plans their stops. start: of the run, on the clock of time.monotonic_ns()."""
        for stop in stops:
            first = signal.SIGKILL if stop.end is None else signal.SIGSTOP
            self._due.append((start + stop.begin, stop.host, first))
            if stop.end is not None:
                self._due.append((start + stop.end, stop.host, signal.SIGCONT))
        self._due.sort()

    def wait(self, sockets: Sequence[socket.socket]) -> list[socket.socket]:
        """Waits for a socket. Returns those that are ready. Raises ProtocolError or RunError if a process ends by
        itself."""
        while True:
            descriptors = [each.fileno() for each in sockets]
            descriptors += [each.descriptor for each in self._processes.values()]
            waits = [self._recorder.sample()] if self._recorder else []
            waits += [max(0, due - time.monotonic_ns()) / SECOND for due, *_ in self._due[:1]]
            ready, *_ = select.select(descriptors, [], [], min(waits, default=None))
            for process in self._processes.values():
                if process.descriptor in ready:
                    if process.status == WRONG:
                        raise ProtocolError(f"{process.name}: {process.tail()[-1]}")
                    raise RunError(process.failure_report())
            if ready:
                return [each for each in sockets if each.fileno() in ready]
            if not self._due or self._due[0][0] > time.monotonic_ns():
                continue
            _, host, number = self._due.pop(0)
            self._processes[host].signal(number)
            if number is signal.SIGKILL:
                del self._processes[host]
                if self._recorder:
                    self._recorder.kill(host)


def _audited(protocol: Protocol, plan: Plan, killed: Collection[int], captures: Path) -> Outcome:
    """Audits what a run has left."""
    given = plan.tensors(protocol)
    audit = Audit(protocol, given)
    for path in sorted(captures.glob("*.pcap")):
        for _, frame in read(path):
            payload = payload_of(frame, protocol.port)
            if payload is not None:
                audit.packet(payload, path.name)
    workers, times = [], []
    for rank, tensor in enumerate(given):
        if rank in killed:
            continue
        worker = protocol.worker(rank, protocol.encode(tensor))
        with np.load(plan.result(rank)) as found:
            worker.total, worker.contributors, worker.missing = found["total"], found["contributors"], 0
            times.append(found["times"].tolist())
        workers.append(worker)
    ended = {worker.rank: (end - begin) / SECOND for worker, (begin, end) in zip(workers, times, strict=True)}
    return Outcome.of(workers, protocol, ended, audit)
