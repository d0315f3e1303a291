"""`python -m lab.bench.launchers`: packets, pings and TCP through an IPv4 router on the embedded switch and on BMv2.

Both are started as p4lang's tutorials start BMv2, and without log and captures. Needs BMv2 on PATH. BMv2 logs packets
only if it was built with its logging macros.
"""

from __future__ import annotations

import os
import select
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from mininet.node import Node
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.linux.namespace import inside
from dropzero.protocol.packet import datagram_headers
from dropzero.protocol.wire import OUTER_BYTES
from dropzero.softswitch import launchers
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.ports import Port, Ports
from dropzero.topologies.networks.kind import BMV2, SwitchKind
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.switch import listens
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.topologies.processes.process import Process, until
from lab.bench.latency import pings
from lab.bench.report import measuring, save
from lab.bench.switch import SILENCE, processor_seconds
from lab.bench.testbed.tcp import throughput

PROGRAM = Path(__file__).parent / "programs" / "route.json"
REFERENCE, OWN = "BMv2", "embedded switch"
FLAGS = {"tutorials' flags": True, "no log, no captures": False}
"""Whether the switch logs and captures."""
OFFLOADS = ("rx", "tx", "sg", "gso", "tso")
TUTORIALS, PLAIN = "P4Host", "plain Mininet"
HOSTS = {TUTORIALS: ("rx", "tx", "sg"), PLAIN: ()}
"""The offloads that the hosts of p4lang's tutorials, and Mininet's own, have off. Without "sg" there is no GSO."""
SECONDS = 60.0
"""Seconds that a switch may take to start."""
MOST = 256
"""The most packets in flight."""


@dataclass
class Contender:
    """A switch between two hosts, and what was measured.

    Attributes:
        packets: packets per second, for each repetition.
        busy: CPU microseconds of the switch per packet, for each repetition.
        pings: round-trip times in seconds, of all repetitions.
        tcp: bits per second for each repetition and kind of hosts; 0 without a connection.
        silences: how often no packet arrived for SILENCE seconds.
    """

    name: str
    flags: str
    rack: Rack
    captures: Path
    process: Process
    packets: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    pings: list[float] = field(default_factory=list)
    tcp: dict[str, list[float]] = field(default_factory=lambda: {hosts: [] for hosts in HOSTS})
    silences: int = 0

    def drive(self, window: int, size: int, seconds: float) -> None:
        """Keep `window` packets of `size` bytes in flight from the first host to the second."""
        # These sockets would receive the packets of other measurements, too.
        with closing(Ports()) as ports:
            for number, host in enumerate(self.rack.hosts, 1):
                with inside(host.pid):
                    ports.add(Port(number, "eth0"))
            self._drive(ports, window, size, seconds)

    def _drive(self, ports: Ports, window: int, size: int, seconds: float) -> None:
        first, second = ports
        frames = Frames.of((first.number, packet(size)) for _ in range(window))
        before, came = processor_seconds(self.process.pid), 0
        ports.send(frames)
        begin = now = time.perf_counter()
        while now - begin < seconds:
            if select.select([second], [], [], SILENCE)[0]:
                count = len(ports.receive([second]))
                came += count
            else:
                self.silences += 1
                count = window
            ports.send(Frames(frames.data, frames.start[:count], frames.length[:count], frames.port[:count]))
            now = time.perf_counter()
        # Packets still in flight would count in the next repetition.
        while select.select([second], [], [], SILENCE / 10)[0]:
            ports.receive([second])
        self.packets.append(came / (now - begin))
        self.busy.append(1e6 * (processor_seconds(self.process.pid) - before) / max(came, 1))

    def stream(self, hosts: str, seconds: float) -> None:
        """Send over TCP from the first host to the second, which offload as `hosts` do."""
        first, second = self.rack.hosts
        self.offload(hosts)
        self.tcp[hosts].append(throughput(first, second, seconds))
        self.offload(TUTORIALS)
        # In a second, the captures become as large as half a gigabyte.
        for capture in self.captures.iterdir():
            os.truncate(capture, 0)

    def offload(self, hosts: str) -> None:
        """Make the hosts leave as much to the switch as `hosts` do."""
        for host in self.rack.hosts:
            offload(host, "eth0", but=HOSTS[hosts])


def offload(node: Node, interface: str, but: Sequence[str] = ()) -> None:
    """Leave checksums and segmentation to the receiver, but for some."""
    for feature in (*OFFLOADS, *but):
        node.cmd("ethtool -K", interface, feature, "off" if feature in but else "on")


def packet(size: int) -> bytes:
    """Return a UDP packet from the first host to the second, `size` bytes with its headers."""
    source, destination = (int(IPv4Address(f"10.0.0.{host}")) for host in (1, 2))
    ethernet = b"\x08\0\0\0\1\0" + b"\x08\0\0\0\0\1" + b"\x08\0"
    payload = bytes(size - OUTER_BYTES)
    return ethernet + datagram_headers(source, destination, (9, 9), len(payload)) + payload


@contextmanager
def running(name: str, flags: str, executable: str, folder: Path) -> Iterator[Contender]:
    """Run a switch with the tutorials' command line, between two of the tutorials' hosts."""
    captures = folder / "pcaps"
    captures.mkdir(parents=True)
    with ExitStack() as stack:
        rack = stack.enter_context(Rack(2, folder, kind=SwitchKind.BMV2))
        switch = rack.switch
        command = [executable]
        for number, interface in switch.interfaces.items():
            offload(switch, interface.name)
            command += ["-i", f"{number}@{interface.name}"]
        if FLAGS[flags]:
            command += ["--pcap", str(captures)]
        command += ["--nanolog", f"ipc://{folder}/log.ipc", "--device-id", "0", str(PROGRAM)]
        if FLAGS[flags]:
            command += ["--log-console"]
        command += ["--thrift-port", str(switch.thrift_port), "--", "--grpc-server-addr", switch.address]
        process = rack.adopt(Process(name, command, rack.logs / "switch.log"))
        until(lambda: listens(switch.grpc_port), process, SECONDS, f"{name} does not listen")
        for host, other in zip(rack.hosts, reversed(rack.hosts), strict=True):
            host.setARP(other.IP(), other.MAC())
        contender = Contender(name, flags, rack, captures, process)
        contender.offload(TUTORIALS)
        yield contender


def measure(folder: Path, window: int, size: int, seconds: float, repetitions: int, count: int) -> list[Contender]:
    """Measure both switches alternately, with and without the flags, so that other load affects all of them alike.

    window: packets in flight. size: bytes of a packet. seconds: of each measurement. count: pings in a repetition.
    """
    launchers.write(folder / "bin")
    executables = {REFERENCE: BMV2, OWN: str(folder / "bin" / BMV2)}
    with ExitStack() as stack:
        contenders = [
            stack.enter_context(running(name, flags, executable, folder / f"{number}{name[:4]}"))
            for number, flags in enumerate(FLAGS)
            for name, executable in executables.items()
        ]
        for each in contenders:
            each.drive(window, size, 0.2)
            each.packets.clear()
            each.busy.clear()
        for _ in range(repetitions):
            for each in contenders:
                each.drive(window, size, seconds)
                each.pings += pings(each.rack, count)
                each.stream(TUTORIALS, seconds)
        # Last: after the first GSO packet of TCP, the embedded switch joins all TCP.
        for _ in range(repetitions):
            for each in contenders:
                each.stream(PLAIN, seconds)
        for each in contenders:
            if each.process.status is not None:
                raise RunError(each.process.failure_report())
    return contenders


def table(contenders: list[Contender]) -> Table:
    references = {each.flags: each for each in contenders if each.name == REFERENCE}
    rows = []
    for each in contenders:
        rate, ping = statistics.median(each.packets), statistics.median(each.pings)
        other = references[each.flags]
        row = [f"{each.name}, {each.flags}", f"{rate:,.0f}", f"{min(each.packets):,.0f} - {max(each.packets):,.0f}"]
        row += [f"{rate / statistics.median(other.packets):.1f}", f"{statistics.median(each.busy):.1f}"]
        rows.append([*row, f"{1e3 * ping:.3f}", f"{ping / statistics.median(other.pings):.2f}"])
    headings = "", "packets/s", "range", "of BMv2", "us per packet", "ping, ms", "of BMv2"
    return table_of(headings, rows, "An IPv4 router between two hosts")


def tcp_table(contenders: list[Contender]) -> Table:
    """Return a table of medians of TCP, Mbit/s. Where BMv2 carries no TCP, its TCP between the tutorials' hosts is the
    reference."""
    references = {each.flags: each for each in contenders if each.name == REFERENCE}
    rows = []
    for each in contenders:
        row = [f"{each.name}, {each.flags}"]
        for hosts in HOSTS:
            rates = [rate / 1e6 for rate in each.tcp[hosts]]
            reference = references[each.flags].tcp
            other = (statistics.median(reference[hosts]) or statistics.median(reference[TUTORIALS])) / 1e6
            rate = statistics.median(rates)
            row += [f"{rate:,.0f}", f"{min(rates):,.0f} - {max(rates):,.0f}", f"{rate / other:.1f}"]
        rows.append(row)
    return table_of(["", *(heading for hosts in HOSTS for heading in (hosts, "range", "of BMv2"))], rows, "TCP, Mbit/s")


def main(
    window: Annotated[int, typer.Option(min=1, max=MOST, help="Packets in flight.")] = 64,
    size: Annotated[int, typer.Option(min=60, max=1514, help="Bytes of a packet.")] = 1000,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds of each measurement.")] = 1.0,
    repetitions: Annotated[int, typer.Option(min=1)] = 5,
    count: Annotated[int, typer.Option("--pings", min=2, help="Pings in a repetition.")] = 50,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/launchers.json"),
) -> None:
    """Measure the embedded switch and BMv2 alternately, started as p4lang's tutorials start BMv2. Needs root, and
    simple_switch_grpc on PATH."""
    try:
        SwitchKind.BMV2.resolve()
    except SetupError:
        raise typer.BadParameter(f"there is no {BMV2} on PATH to compare with") from None
    with measuring(), TemporaryDirectory() as folder:
        contenders = measure(Path(folder), window, size, seconds, repetitions, count)
    wide_console().print(table(contenders), tcp_table(contenders))
    numbers = ("name", "flags", "packets", "busy", "pings", "tcp", "silences")
    save([{name: getattr(each, name) for name in numbers} for each in contenders], out)


if __name__ == "__main__":
    typer.run(main)
