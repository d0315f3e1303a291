"""`python -m lab.bench.switch`: packets and values per second through the aggregation program on the embedded switch,
on BMv2 if it is on PATH, and through a plain forwarder, which is the upper bound for a switch of packet sockets."""

from __future__ import annotations

import os
import select
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.switch import DEFAULT_IP, Program, Settings, Switch
from dropzero.controller.switches.view import Host, SwitchView, parse_mac
from dropzero.files import COMPILED
from dropzero.linux.namespace import inside
from dropzero.native.compilation import compiled
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import ELEMENTS, HEADER, PACKET_ELEMENTS, UDP_PORT
from dropzero.protocol.wire import Kind as PacketKind
from dropzero.topologies.networks.host import Host as EmulatedHost
from dropzero.topologies.networks.kind import BMV2, SwitchKind
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.process import Process, until
from dropzero.worker.transport import Link, Transport, receive, segments
from lab.bench.report import measuring, save

STATIONS = 4
JOB = EPOCH = 1
LANES = 256
RESULT = PacketKind.RESULT.first_byte
ROUND = int(HEADER.fields["round"][1])  # type: ignore[index]
LAST_OF_LANE = int(HEADER.fields["lane"][1]) + 1  # type: ignore[index]
"""Offsets in a header: of the round, and of a lane's last byte, which tells LANES lanes apart."""
SILENCE = 0.5
"""Seconds after which a packet without an answer counts as lost."""


class Station:
    """A host that keeps packets of 256 values in flight: each answer triggers the next."""

    def __init__(self, transport: Transport, rank: int, expected: NDArray[np.int64], *, rounds: bool) -> None:
        """expected: the values of every answer, shape (256,). rounds: count only results of the current round."""
        self.transport = transport
        self._rounds = rounds
        self._expected = expected.astype(">i4").view(np.uint8)
        words = dict(enumerate(values(rank).astype(np.int32).reshape(-1, ELEMENTS)))
        packet = Packet(PacketKind.CONTRIBUTION, JOB, 0, EPOCH, 0, rank, columns=(Column(0, 0),), data=words)
        self._payloads = np.tile(np.frombuffer(packet.encode(), np.uint8), (LANES, 1))
        header = np.ndarray(LANES, HEADER, self._payloads.data, strides=self._payloads.strides[:1])
        header["lane"] = np.arange(LANES)
        # Compile all code now, not while packets are counted.
        self.send(self.receive())

    def send(self, lanes: NDArray[np.int32]) -> None:
        self.transport.send(self._payloads, lanes, np.full(len(lanes), self._payloads.shape[1], np.int32))

    def receive(self) -> NDArray[np.int32]:
        """Receive answers. Returns the lanes whose next packets are due, one for each answer."""
        count = _receive(self.transport.link, self._payloads, self._expected, self._rounds)
        if count == _WRONG:
            raise RunError("the switch has sent a wrong sum")
        if count < 0:
            self.transport.failed(-count)
        return self.transport.link.rows[: max(count, 0)]


_WRONG = -(1 << 16)
"""Result of `_receive`, which is not an errno: an answer has other values than expected."""


@compiled
def _receive(link: Link, payloads: NDArray[np.uint8], expected: NDArray[np.uint8], rounds: bool) -> int:
    """Compiled, because numpy takes longer for a small batch than the switch does. Writes the answers' lanes to the
    link's `rows`, and the lanes' next rounds to their payloads. Returns the number of answers, -errno, or _WRONG."""
    received = receive(link)
    if received < 0:
        return received
    count = 0
    for number in range(received):
        first, size, step = segments(link, number)
        for at in range(first, first + size, step):
            answer = link.memory[at : at + step]
            lane = int(answer[LAST_OF_LANE])
            own = payloads[lane]
            if rounds and (answer[0] != RESULT or not _same(answer[ROUND : ROUND + 4], own[ROUND : ROUND + 4])):
                continue
            if not _same(answer[len(own) - len(expected) : len(own)], expected):
                return _WRONG
            for byte in range(ROUND + 3, ROUND - 1, -1):
                own[byte] += 1
                if own[byte]:
                    break
            link.rows[count] = lane
            count += 1
    return count


@compiled
def _same(bytes: NDArray[np.uint8], others: NDArray[np.uint8]) -> bool:
    different = np.uint8(0)
    for i in range(len(others)):
        different |= bytes[i] ^ others[i]
    return not different


def values(rank: int) -> NDArray[np.int64]:
    """Return the values that a station sends, shape (256,)."""
    return rank + np.arange(PACKET_ELEMENTS)


def drive(stations: list[Station], window: int, seconds: float) -> tuple[int, int, float]:
    """Keep `window` packets of each station in flight, and none once this returns. Returns the number of answers, how
    often nothing arrived for SILENCE seconds, and the seconds it took."""
    lanes: NDArray[np.int32] = np.arange(window, dtype=np.int32)
    by_descriptor = {station.transport.fileno(): station for station in stations}
    answered = silences = 0
    with closing(select.epoll()) as waiting:
        for descriptor in by_descriptor:
            waiting.register(descriptor, select.EPOLLIN)
        begin = now = time.perf_counter()
        for station in stations:
            station.send(lanes)
        while now - begin < seconds:
            ready = waiting.poll(SILENCE)
            for descriptor, _ in ready:
                due = by_descriptor[descriptor].receive()
                answered += len(due)
                by_descriptor[descriptor].send(due)
            if not ready:
                silences += 1
                for station in stations:
                    station.send(lanes)
            now = time.perf_counter()
        while ready := waiting.poll(SILENCE):
            for descriptor, _ in ready:
                by_descriptor[descriptor].receive()
    return answered, silences, now - begin


@dataclass(frozen=True)
class Contender:
    """A switch or a forwarder that connects the stations, and its process."""

    name: str
    process: Process
    stations: list[Station]


@contextmanager
def aggregating(name: str, kind: SwitchKind, folder: Path, *, gso: bool) -> Iterator[Contender]:
    """Run a switch with the program, and the workers of a job."""
    with ExitStack() as stack:
        rack = stack.enter_context(Rack(STATIONS, folder, kind=kind))
        (process,) = rack.start_switches()
        transports = [stack.enter_context(closing(_transport(host, gso=gso))) for host in rack.hosts]
        device = Device(rack.switch.address, timeout=60)
        stack.callback(device.close)
        device.become_primary()
        switch = Switch(device)
        switch.prepare(Program.read(COMPILED / "dropzero.json", COMPILED / "dropzero.p4info.txtpb"))
        places = [
            Host(host.name, IPv4Address(host.IP()), parse_mac(host.MAC()), port)
            for port, host in enumerate(rack.hosts, 1)
        ]
        switch.configure(SwitchView("s1", {place.name: place for place in places}), Settings())
        workers = {
            rank: Worker(place.ip, place.mac, transport.port, place.port)
            for rank, (place, transport) in enumerate(zip(places, transports, strict=True))
        }
        switch.sync(JOB, Job(JOB, EPOCH, STATIONS, LANES, {}, workers, here=range(LANES)))
        total = np.sum([values(rank) for rank in range(STATIONS)], 0)
        for transport in transports:
            transport.connect((str(DEFAULT_IP), UDP_PORT))
        stations = [Station(each, rank, total, rounds=True) for rank, each in enumerate(transports)]
        yield Contender(name, process, stations)


@contextmanager
def forwarding(name: str, folder: Path, *, gso: bool) -> Iterator[Contender]:
    """Run a forwarder, and pairs of hosts that answer each other."""
    with ExitStack() as stack:
        rack = stack.enter_context(Rack(STATIONS, folder, kind=SwitchKind.SOFTSWITCH))
        interfaces = [intf.name for number, intf in sorted(rack.switch.intfs.items()) if number]
        command = [sys.executable, "-m", "lab.bench.testbed.forwarder", *interfaces]
        forwarder = Process("the forwarder", command, rack.logs / "forwarder.log")
        rack.adopt(forwarder)
        until(lambda: "ready" in forwarder.log.read_text(), forwarder, 60, "the forwarder does not come up")
        transports = [stack.enter_context(closing(_transport(host, gso=gso))) for host in rack.hosts]
        for rank, transport in enumerate(transports):
            transport.connect((rack.hosts[rank ^ 1].IP(), transports[rank ^ 1].port))
        stations = [Station(each, rank, values(rank ^ 1), rounds=False) for rank, each in enumerate(transports)]
        yield Contender(name, forwarder, stations)


def _transport(host: EmulatedHost, *, gso: bool) -> Transport:
    with inside(host.pid):
        return Transport(str(host.IP()), gso=gso)


@dataclass
class Rate:
    """One contender with one window.

    Attributes:
        packets: packets per second, for each repetition.
        busy: CPU microseconds of the switch per packet, for each repetition.
        silences: how often nothing arrived for SILENCE seconds, in all repetitions.
    """

    name: str
    window: int
    packets: list[float]
    busy: list[float]
    silences: int

    @property
    def median(self) -> float:
        return statistics.median(self.packets)


def measure(folder: Path, windows: list[int], seconds: float, repetitions: int) -> list[Rate]:
    """Measure all contenders alternately, so that other load affects all of them alike."""
    with ExitStack() as stack:
        found = [aggregating("BMv2", SwitchKind.BMV2, folder / "bmv2", gso=False)] if shutil.which(BMV2) else []
        for gso, suffix in ((False, ", single packets"), (True, ", GSO")):
            embedded, plain = folder / f"embedded{gso}", folder / f"forwarder{gso}"
            found.append(aggregating(f"embedded switch{suffix}", SwitchKind.SOFTSWITCH, embedded, gso=gso))
            found.append(forwarding(f"plain forwarder{suffix}", plain, gso=gso))
        contenders = [stack.enter_context(each) for each in found]
        rates = {(each.name, window): Rate(each.name, window, [], [], 0) for window in windows for each in contenders}
        for _ in range(repetitions):
            for window in windows:
                for contender in contenders:
                    before = processor_seconds(contender.process.pid)
                    answered, silences, took = drive(contender.stations, window, seconds)
                    busy = processor_seconds(contender.process.pid) - before
                    rate = rates[contender.name, window]
                    rate.packets.append(answered / took)
                    rate.busy.append(1e6 * busy / max(answered, 1))
                    rate.silences += silences
        return list(rates.values())


def processor_seconds(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def table(rates: list[Rate]) -> Table:
    medians = {(rate.name, rate.window): rate.median for rate in rates}
    rows = []
    for rate in rates:
        packets = f"{rate.median:,.0f}", f"{min(rate.packets):,.0f} - {max(rate.packets):,.0f}"
        row = [rate.name, str(rate.window), *packets, f"{rate.median * PACKET_ELEMENTS / 1e6:.1f}"]
        others = [medians.get((name, rate.window)) for name in ("BMv2", "plain forwarder, GSO")]
        ratios = (f"{rate.median / other:.2f}" if other else "" for other in others)
        rows.append([*row, f"{statistics.median(rate.busy):.2f}", *ratios])
    headings = "", "window", "packets/s", "range", "Mvalues/s", "us per packet", "of BMv2", "of the forwarder"
    return table_of(headings, rows, f"Switches: {STATIONS} workers, {PACKET_ELEMENTS} values per packet")


def main(
    windows: Annotated[str, typer.Option(help="Packets of each worker in flight.")] = "16,64,256",
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds of each measurement.")] = 1.0,
    repetitions: Annotated[int, typer.Option(min=1)] = 5,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/switch.json"),
) -> None:
    """Measure the switches alternately. Needs root."""
    try:
        wanted = [int(word) for word in windows.split(",")]
    except ValueError:
        wanted = []
    if not wanted or not all(1 <= window <= LANES for window in wanted):
        problem = f"{windows!r} is not a list like 16,64 of numbers up to {LANES}"
        raise typer.BadParameter(problem, param_hint="--windows")
    with measuring(), TemporaryDirectory() as folder:
        rates = measure(Path(folder), wanted, seconds, repetitions)
    wide_console().print(table(rates))
    save([asdict(rate) for rate in rates], out)


if __name__ == "__main__":
    typer.run(main)
