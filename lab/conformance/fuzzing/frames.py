"""Sends random frames and GSO packets to an embedded switch on veth interfaces, while its programs change. It must
receive all of them, and keep its memory."""

from __future__ import annotations

import errno
import os
import random
import socket
import struct
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from scapy.utils import checksum

from dropzero.linux.namespace import enter_new
from dropzero.protocol.wire import UDP_PORT
from dropzero.softswitch.offline.state import config_of
from dropzero.softswitch.ports.ports import PACKET_VNET_HDR, SOL_PACKET
from lab.conformance.fuzzing.campaign import GROWTH
from lab.conformance.fuzzing.generator import Pools
from lab.conformance.fuzzing.updates import Updates
from lab.conformance.harness.p4runtime import Client
from lab.conformance.harness.switches import EMBEDDED, Switch, SwitchEnded, resident, running

NEEDS_CSUM = 1
TCP, UDP = 6, 17
IPV4, IPV6, ARP, VLAN, QINQ = 0x0800, 0x86DD, 0x0806, 0x8100, 0x88A8
GSO = {(IPV4, TCP): 1, (IPV4, UDP): 5, (IPV6, TCP): 4, (IPV6, UDP): 5}
"""VIRTIO_NET_HDR_GSO_* by Ethernet type and protocol."""
PORTS = (1, 2, 3)
HOST = "host-"
MTU = 9000
LONGEST = 65_000
"""The most payload of a GSO packet, bytes."""
REPEATS = 8
"""How often a round sends each of its frames."""
HANG_SECONDS = 30.0
"""Seconds within which a switch must receive or send something. A program that recirculates every packet is slow."""


class Traffic:
    """An endless supply of frames with their virtio_net_hdr, equal for equal seeds."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def next(self) -> tuple[bytes, int]:
        """Return a frame, and how many it is on the wire: several for a GSO packet."""
        draw = self._random
        protocol = draw.choice((TCP, UDP, UDP))
        ethertype = draw.choice((IPV4, IPV4, IPV6))
        tags = draw.choices(range(5), (12, 3, 2, 1, 1))[0]
        gso = draw.random() < 0.3
        length = draw.randrange(LONGEST) if gso else draw.choice((draw.randrange(60), draw.randrange(MTU - 100)))
        ethernet = self._ethernet(ethertype, tags)
        network = self._network(ethertype, protocol, length)
        transport = self._transport(protocol, length)
        frame = bytearray(ethernet + network + transport + draw.randbytes(length))
        if draw.random() < 0.3:
            # Types, lengths, checksums.
            for _ in range(draw.randrange(1, 5)):
                frame[draw.randrange(min(len(frame), 90))] = draw.randrange(256)
        start = len(ethernet) + len(network)
        if not gso:
            frame = frame[: MTU + len(ethernet)]
            if draw.random() < 0.1:
                frame = frame[: draw.randrange(14, len(frame))]
            partial = draw.random() < 0.2 and len(frame) >= start + 18
            header = struct.pack("<BBHHHH", NEEDS_CSUM, 0, 0, 0, start, 16 if protocol == TCP else 6)
            return (header if partial else bytes(10)) + bytes(frame), 1
        size = draw.choice((1, 7, 536, 1448, draw.randrange(1, MTU - 100)))
        # The kernel refuses more segments.
        size = max(size, -(-length // 120))
        kind = GSO[ethertype, protocol] if draw.random() < 0.95 else draw.choice((1, 3, 4, 5))
        headers = start + len(transport) + draw.choice((0, 0, 0, -2, 5))
        header = struct.pack("<BBHHHH", NEEDS_CSUM, kind, headers, size, start, 16 if protocol == TCP else 6)
        return header + bytes(frame), max(1, -(-length // size))

    def _ethernet(self, ethertype: int, tags: int) -> bytes:
        draw = self._random
        addresses = bytes([8, 0, 0, 0, draw.randrange(3), draw.randrange(4)]) + draw.randbytes(6)
        if draw.random() < 0.1:
            ethertype = draw.choice((ARP, 0x0001, 0x1234, draw.randrange(1 << 16)))
        stack = b"".join(struct.pack(">HH", draw.choice((VLAN, QINQ)), draw.randrange(1 << 16)) for _ in range(tags))
        return addresses + stack + struct.pack(">H", ethertype)

    def _network(self, ethertype: int, protocol: int, length: int) -> bytes:
        draw = self._random
        above = length + (20 if protocol == TCP else 8)
        if ethertype == IPV6:
            return struct.pack(">IHBB", 6 << 28, min(above, 0xFFFF), protocol, 64) + draw.randbytes(32)
        addresses = bytes([10, 0, draw.randrange(2), draw.randrange(5), 10, 0, draw.randrange(2), draw.randrange(5)])
        options = draw.choice((0, 0, 0, 1, 10))
        total = min(20 + 4 * options + above, 0xFFFF)
        fields = (0x45 + options, draw.randrange(256), total, draw.randrange(1 << 16), 0, 64, protocol, 0)
        head = struct.pack(">BBHHHBBH", *fields) + addresses + draw.randbytes(4 * options)
        return head[:10] + struct.pack(">H", checksum(head)) + head[12:]

    def _transport(self, protocol: int, length: int) -> bytes:
        draw = self._random
        ports = draw.randrange(1 << 16), draw.choice((UDP_PORT, UDP_PORT, draw.randrange(1 << 16)))
        if protocol == TCP:
            return struct.pack(">HHIIBBHHH", *ports, *(draw.randrange(1 << 32) for _ in range(2)), 0x50, 16, 9, 0, 0)
        return struct.pack(">HHHH", *ports, min(length + 8, 0xFFFF), draw.choice((0, draw.randrange(1 << 16))))


@dataclass
class Result:
    """The outcome of a flood.

    Attributes:
        frames, packets: sent; a GSO packet is several frames.
        back: packets that the switch has sent to the hosts.
        refused: packets that the kernel did not take, by errno.
        memory: of the switch after each round, bytes.
        settled: rounds in which it may grow: the first tenth, in which every program has its turn several times.
    """

    settled: int
    frames: int = 0
    packets: int = 0
    back: int = 0
    pushed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)

    @property
    def grew(self) -> bool:
        """Whether the switch has more memory at the end than it may."""
        return self.memory[-1] > GROWTH * max(self.memory[: self.settled])


def flood(programs: Sequence[Path], frames: int, rounds: int, log: Path, seed: int) -> Iterator[Result]:
    """Send `frames` frames in rounds, each with another program and new entries. Yields the same result, as it is after
    each round. This process gets a network of its own, so it needs root. Raises SwitchEnded if the switch ended, or did
    not receive all frames in time."""
    enter_new()
    _ip("link", "set", "lo", "up")
    names = [f"sw{port}" for port in PORTS]
    result = Result(settled=max(rounds // 10, 5 * len(programs)))
    traffic, draw = Traffic(seed), random.Random(seed)
    with ExitStack() as stack:
        hosts = [stack.enter_context(_host(name)) for name in names]
        switch = stack.enter_context(running(EMBEDDED, log, interfaces=names))
        client = Client(switch.control)
        for number, program in enumerate(islice(cycle(programs), rounds)):
            _program(client, program, random.Random(f"{seed} {number}"))
            result.pushed += 1
            goal = frames * (number + 1) // rounds
            while result.frames < goal:
                some = [traffic.next() for _ in range(64)]
                for packet, count in islice(cycle(some), REPEATS * len(some)):
                    try:
                        draw.choice(hosts).send(packet)
                    except OSError as error:
                        result.refused[errno.errorcode.get(error.errno or 0, "?")] += 1
                    else:
                        result.packets += 1
                        result.frames += count
                    if result.frames >= goal:
                        break
                _await_empty(switch, names)
            result.memory.append(resident(switch.process.pid))
            result.back = _received()
            yield result


def _program(client: Client, program: Path, draw: random.Random) -> None:
    """Make the switch run a program, with some entries."""
    config = config_of(program)
    if refusal := client.load(config):
        raise SwitchEnded(f"{program} is refused: {refusal}")
    updates = Updates(config.p4info, Pools(draw, list(PORTS), [1, 2, 3]))
    client.codes(list(updates.first()))
    for _ in range(20):
        client.codes(updates.some())


def _await_empty(switch: Switch, names: Sequence[str]) -> None:
    """Wait until no frame waits in the switch's sockets. Raises SwitchEnded."""
    interfaces = {socket.if_nametoindex(name) for name in names}
    seen: tuple[int, int] | None = None
    deadline = 0.0
    while True:
        if switch.process.status is not None:
            raise switch.ended()
        lines = [line.split() for line in Path("/proc/net/packet").read_text().splitlines()[1:]]
        waiting = [int(line[6]) for line in lines if int(line[4]) in interfaces]
        if len(waiting) >= len(interfaces) and not any(waiting):
            return
        now = _received(), sum(waiting)
        if now != seen:
            seen, deadline = now, time.monotonic() + HANG_SECONDS
        elif time.monotonic() > deadline:
            raise SwitchEnded(f"for {HANG_SECONDS:g} s nothing came back, but frames still wait in its sockets")
        time.sleep(0.001)


def _received() -> int:
    """Return how many packets have arrived at the hosts."""
    lines = (line.split() for line in Path("/proc/net/dev").read_text().splitlines())
    return sum(int(line[2]) for line in lines if line[0].startswith(HOST))


def _host(name: str) -> socket.socket:
    """Make a pair of interfaces, `name` and a host's. Return the host's socket."""
    other = HOST + name
    _ip("link", "add", name, "mtu", str(MTU), "type", "veth", "peer", "name", other, "mtu", str(MTU))
    for each in (name, other):
        Path(f"/proc/sys/net/ipv6/conf/{each}/disable_ipv6").write_text("1")
        _ip("link", "set", each, "up")
    # It only sends: what arrives would fill its buffer.
    host = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    host.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    host.bind((other, 0))
    return host


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, env=os.environ | {"LC_ALL": "C"})
