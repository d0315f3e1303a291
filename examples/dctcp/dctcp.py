"""A transport of your own against a P4 program, in virtual time: senders with DCTCP's window share a link, and the
switch marks packets that meet a long queue. Compare with senders that halve their windows, as TCP does:

    python examples/dctcp/dctcp.py --rate 10G --delay 25us --threshold 65
    python examples/dctcp/dctcp.py --rate 10G --delay 25us --threshold 65 --halve
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from struct import Struct
from typing import Annotated

import typer

from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs.fabric import Fabric
from dropzero.softswitch.offline.state import set_up
from dropzero.softswitch.runtime_cli.script import Script
from dropzero.units import RATES, TIMES, parse

PROGRAM = Path(__file__).parent / "compiled/program.json"
SWITCH, RECEIVER = "s1", 1
HEADER = Struct("!12sHBBHIBBHIIII?")
"""Ethernet, IPv4, the queue that the packet has found, its number, and whether what it answers was marked."""
CAPABLE, MARKED = 2, 3
SIZE, SMALL = 1500, 64
"""Bytes of a packet, and of an answer."""
DEPTH = 1000
"""Packets that the switch's queue holds: none is lost."""
GAIN = 1 / 16
"""The weight of a window in the average share of marked packets (DCTCP, section 3.3)."""


def address(port: int) -> int:
    """The IP address of the host at a port: 10.0.0.1 at port 1."""
    return 10 << 24 | port


class Host:
    """A host at a port of the switch."""

    def __init__(self, fabric: Fabric, port: int) -> None:
        self.fabric, self.port = fabric, port

    def send(self, to: int, number: int, *, size: int, ecn: int = 0, marked: bool = False) -> None:
        ip = 0x45, ecn, size - 14, 0, 64, 253, 0, address(self.port), address(to)
        data = HEADER.pack(bytes(12), 0x0800, *ip, 0, number, marked)
        self.fabric.send(SWITCH, self.port, data.ljust(size, b"\0"))

    def receive(self, packet: bytes) -> None:
        raise NotImplementedError


class Receiver(Host):
    """Answers each packet, and says whether it was marked.

    Attributes:
        queues: that packets have found.
    """

    def __init__(self, fabric: Fabric, port: int) -> None:
        super().__init__(fabric, port)
        self.queues: list[int] = []

    def receive(self, packet: bytes) -> None:
        _, _, _, ecn, *_, source, _, queue, number, _ = HEADER.unpack_from(packet)
        self.queues.append(queue)
        self.send(source - address(0), number, size=SMALL, marked=ecn == MARKED)


class Sender(Host):
    """Keeps a window of packets in flight. After a window with marks, it shrinks by half of their average share."""

    def __init__(self, fabric: Fabric, port: int, *, halve: bool) -> None:
        """halve: shrink by half, whatever the share is."""
        super().__init__(fabric, port)
        self.halve, self.starting = halve, True
        self.window, self.share = 2.0, 1.0
        self.sent = self.answered = self.marks = 0
        self.first = self.last = 0
        """Numbers of the packets of this round trip."""

    def fill(self) -> None:
        """Sends what the window allows."""
        while self.sent - self.answered < int(self.window):
            self.send(RECEIVER, self.sent, size=SIZE, ecn=CAPABLE)
            self.sent += 1

    def receive(self, packet: bytes) -> None:
        *_, number, marked = HEADER.unpack_from(packet)
        self.answered += 1
        self.marks += marked
        self.starting &= not marked
        self.window += self.starting
        if number >= self.last:
            self.adapt()
        self.fill()

    def adapt(self) -> None:
        """Chooses the window of the next round trip."""
        self.share += GAIN * (self.marks / (self.answered - self.first) - self.share)
        if self.marks:
            self.window = max(1.0, self.window * (1 - (1.0 if self.halve else self.share) / 2))
        elif not self.starting:
            self.window += 1
        self.marks, self.first, self.last = 0, self.answered, self.sent


@dataclass(frozen=True)
class Result:
    """What happened after the first third of the time.

    Attributes:
        used: the share of the link's rate.
        queues: that packets have found in front of the link.
    """

    used: float
    queues: list[int]


def share_a_link(rate: int, delay: int, threshold: int, senders: int, time: int, *, halve: bool = False) -> Result:
    """Lets senders send to one receiver. rate: of all links, bits a second. delay: of each, nanoseconds. threshold: the
    queue from which on the switch marks. time: nanoseconds."""
    fabric = Fabric(Quality(rate, delay), depth=DEPTH)
    switch = fabric.add(SWITCH)
    set_up(switch, PROGRAM)
    control = Script(switch)
    control.onecmd(f"table_set_default egress.queue mark_from {threshold}")
    receiver = Receiver(fabric, RECEIVER)
    hosts: dict[int, Host] = {RECEIVER: receiver}
    for port in range(RECEIVER + 1, RECEIVER + 1 + senders):
        hosts[port] = sender = Sender(fabric, port, halve=halve)
        sender.fill()
    for port in hosts:
        control.onecmd(f"table_add ingress.route ingress.to {address(port)} => {port}")
    for end in (time // 3, time):
        receiver.queues.clear()
        for arrival in fabric.run(end):
            hosts[arrival.port].receive(arrival.packet)
    bits = len(receiver.queues) * SIZE * 8
    return Result(bits * 10**9 / (rate * (time - time // 3)), receiver.queues)


def main(
    rate: Annotated[str, typer.Option(help="Of all links, bits a second.")] = "100M",
    delay: Annotated[str, typer.Option(help="Of each link.")] = "250us",
    time: Annotated[str, typer.Option(help="How long they send.")] = "300ms",
    threshold: Annotated[int, typer.Option(help="Packets in the queue from which on the switch marks.")] = 20,
    senders: Annotated[int, typer.Option(min=1)] = 2,
    halve: Annotated[bool, typer.Option("--halve", help="Halve windows, as TCP does.")] = False,
) -> None:
    """Print how much of the link senders use, and the queues that their packets find."""
    result = share_a_link(parse(rate, RATES), parse(delay, TIMES), threshold, senders, parse(time, TIMES), halve=halve)
    shortest, *_, longest = quantiles(result.queues, n=20)
    print(
        f"{result.used:.1%} of the link; 90 % of the packets found {shortest:.0f} to {longest:.0f} others in the queue"
    )


if __name__ == "__main__":
    typer.run(main)
