"""A network in virtual time: hosts with lanes, switches with engines, links between them, and a heap of events.

Every event is the arrival of a packet at a node, or a host's timer. All packets that reach a node at the same time are
one batch. A switch's queues are its engine's own: their departures depend only on earlier arrivals, so each packet
leaves as soon as it has come in, with the time at which the port has sent it.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.wire import MAX_PAYLOAD, MAX_WORKERS, OUTER_BYTES
from dropzero.simulator.in_process import PARENT_PORT, InProcessSwitch, framed, ip
from dropzero.simulator.links import SECOND, Link, Quality, Sender
from dropzero.simulator.packets import MAX_FRAME, give, take
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape
from dropzero.softswitch.ports.pcap import Capture

ECT_0 = 2
"""The IP header's ECN bits of workers' packets."""
SWITCH_IP = 0xFF0000
"""Switches are 10.255.0.0 and up, workers 10.0.0.0."""
FAR = 1 << 60
"""Nanoseconds."""
LOOK = 4096
"""Events between two looks at the clock on the wall."""


class SimulationError(Exception):
    """The simulation cannot go on."""


class Packet(NamedTuple):
    """A packet that arrives by a port. content: its frame lies there, at `address`."""

    port: int
    address: int
    length: int
    content: NDArray[np.uint8]


class Event(NamedTuple):
    """What happens to a node at a time (nanoseconds). Events of the same time happen by node, then by number; `packet`
    is None for a timer."""

    time: int
    node: int
    number: int
    packet: Packet | None


class Switch:
    """A switch. links: by port, to the neighbour and its own port there."""

    def __init__(self, inside: InProcessSwitch, quality: Quality, depth: int, mark_from: int) -> None:
        self.inside = inside
        inside.engine.queues.set_depth(depth)
        inside.engine.queues.set_bit_rate(quality.rate)
        inside.engine.tables["egress.mark.queue"].set_default("egress.mark.mark_from", (mark_from,))
        self.links: dict[int, tuple[Link, int, int]] = {}

    def handle(self, network: Network, time: int, packets: list[Packet]) -> None:
        """Processes packets that arrive at the same time."""
        ports, addresses, lengths, _ = zip(*packets, strict=True)
        engine = self.inside.engine
        engine.process_at(np.array(addresses), np.array(lengths, np.int32), np.array(ports, np.int32), time)
        left, sent = engine.release_at(FAR)
        start = left.start + left.data.ctypes.data
        for port, address, length, end in zip(
            left.port.tolist(), start.tolist(), left.length.tolist(), sent.tolist(), strict=True
        ):
            link, node, its_port = self.links[port]
            for arrival in link.carry(end, length):
                network.at(arrival, node, Packet(its_port, address, length, left.data))


class Host:
    """A worker's machine: its lanes, one core that handles a packet at a time, and a network card.

    Attributes:
        finished: when its call was over, nanoseconds; None: it is not over.
    """

    def __init__(
        self, node: int, lanes: Lanes, outer: NDArray[np.uint8], card: Sender, cost: int, to: tuple[Link, int, int]
    ) -> None:
        """outer: the headers in front of its payloads, see `give`. cost: nanoseconds for each packet in or out.
        to: its link, to the switch and its port there."""
        self.lanes, self.card = lanes, card
        self._node, self._outer, self._cost = node, outer, cost
        self.link, self._switch, self._port = to
        self._arrived: list[Packet] = []
        self._busy = 0
        self._timer = FAR
        self._woken = False
        self.finished: int | None = None

    def begin(self, network: Network, call: Call, source: Source, target: Target) -> None:
        """Begins a call, when the one before is over."""
        time = max(self.finished or 0, self._busy)
        self.finished = None
        self.lanes.begin(call, source, target, time / SECOND)
        network.at(time, self._node, None)

    def handle(self, network: Network, time: int, packets: list[Packet]) -> None:
        """Takes in packets, and sends what the lanes answer, once the core is free."""
        self._arrived += packets
        if self.finished is not None and not self._arrived:
            return
        if time < self._busy:
            if not self._woken:
                self._woken = True
                network.at(self._busy, self._node, None)
            return
        self._woken = False
        arrived, self._arrived = self._arrived, []
        payloads, lengths = network.staged(arrived)
        end = time + self._cost * len(arrived)
        lanes = self.lanes
        outcome, count, over = take(lanes.address, lanes.work.address, payloads, lengths, len(arrived), end / SECOND)
        lanes.check(outcome)
        if over and self.finished is None:
            self.finished = end
            network.over += 1
        if count:
            end = self._send(network, end, count)
        elif time >= self._timer:
            self._set(network, lanes.deadline)
        self._busy = end

    def _send(self, network: Network, time: int, count: int) -> int:
        """Sends `count` packets from `time` on. Returns when the core is free again."""
        frames, lengths = np.empty((count, MAX_FRAME), np.uint8), np.empty(count, np.int32)
        deadline = give(self.lanes.address, self._outer, frames, lengths)
        self._set(network, deadline)
        address = frames.ctypes.data
        for length in lengths.tolist():
            time += self._cost
            sent = self.card.send(time, length)
            if sent is not None:
                packet = Packet(self._port, address, length, frames)
                for arrival in self.link.carry(sent, length):
                    network.at(arrival, self._switch, packet)
            address += MAX_FRAME
        return time

    def _set(self, network: Network, deadline: float) -> None:
        """Sets the timer to go off after `deadline` (seconds), unless it goes off earlier anyway."""
        time = FAR if deadline == inf else int(deadline * SECOND) + 1
        if time < self._timer or self._timer <= network.time:
            self._timer = time
            if time < FAR:
                network.at(time, self._node, None)


@dataclass
class Network:
    """A job on a tree of switches.

    Args:
        shape: the tree. Rank r of the job is on the switch shape.homes[r].
        quality: of all links.
        lanes: of the job.
        depth: packets in a queue, of a switch's port or a host's card.
        mark_from: packets in a switch's queue from which it marks packets (ECN); 0: never.
        cost: nanoseconds that a host's core takes for a packet, in or out.
        seed: of all random events.
        pcap: a file for all packets, as they arrive at their next node; None: no capture.

    Raises:
        ValueError: a switch would have too many neighbours, or there are too many lanes.

    Attributes:
        time: now, nanoseconds.
        events: so far.
        over: the hosts whose call is over.
    """

    shape: Shape
    quality: Quality
    lanes: int = 64
    depth: int = 1000
    mark_from: int = 0
    cost: int = 0
    seed: int = 0
    pcap: Path | None = None
    time: int = field(default=0, init=False)
    events: int = field(default=0, init=False)
    over: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        shape = self.shape
        for name in shape.parents:
            if len(shape.around(name)) > MAX_WORKERS:
                raise ValueError(f"a switch serves up to {MAX_WORKERS} workers: more need more racks")
        self._heap: list[Event] = []
        self._number = 0
        self._capture = None if self.pcap is None else Capture(self.pcap)
        self._payloads, self._lengths = np.empty((64, MAX_PAYLOAD), np.uint8), np.empty(64, np.int32)
        ranks: list[Node] = [*range(len(shape.homes))]
        self._nodes: list[Switch | Host] = []
        self.numbers = {name: number for number, name in enumerate([*shape.parents, *ranks])}
        self.addresses = {name: ip(SWITCH_IP + i) for i, name in enumerate(shape.parents)}
        self.addresses |= {rank: ip(1 + i) for i, rank in enumerate(ranks)}
        self.draw = random.Random(self.seed)
        self.switches = {name: self._switch(name) for name in shape.parents}
        self.hosts = [self._host(rank) for rank in range(len(ranks))]
        self._nodes += [*self.switches.values(), *self.hosts]
        self._connect()

    def _switch(self, name: Node) -> Switch:
        parent = self.shape.parents[name]
        own, number = self.addresses[name], self.shape.number(name)
        inside = InProcessSwitch(self.shape.around(name), self.lanes, own, self.addresses, parent, number)
        return Switch(inside, self.quality, self.depth, self.mark_from)

    def _host(self, rank: int) -> Host:
        home = self.shape.homes[rank]
        number = self.shape.number(rank)
        lanes = Lanes(
            job=JOB,
            worker=number,
            workers=len(self.shape.homes),
            epoch=EPOCH,
            lanes=self.lanes,
            pad=self.shape.pad,
        )
        outer = np.frombuffer(framed(self.addresses[rank], self.addresses[home], b"", ecn=ECT_0), np.uint8).copy()
        for first, end in ((16, 18), (24, 26), (38, 40)):
            outer[first:end] = 0
        card = Sender(self.quality.rate, self.depth)
        to = Link(self.quality, self.draw), self.numbers[home], number + 1
        return Host(self.numbers[rank], lanes, outer, card, self.cost, to)

    def _connect(self) -> None:
        """Makes the switches' links."""
        for name, switch in self.switches.items():
            for node, port in switch.inside.ports.items():
                above = switch.inside.parent == node
                its_port = self.shape.number(name) + 1 if above else PARENT_PORT if node in self.switches else 0
                switch.links[port] = Link(self.quality, self.draw), self.numbers[node], its_port

    def at(self, time: int, node: int, packet: Packet | None) -> None:
        """Plans an event."""
        self._number += 1
        heappush(self._heap, Event(time, node, self._number, packet))

    def staged(self, packets: Sequence[Packet]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """The payloads of packets in rows, and their lengths; valid until the next call."""
        if len(packets) > len(self._lengths):
            self._payloads = np.empty((2 * len(packets), MAX_PAYLOAD), np.uint8)
            self._lengths = np.empty(2 * len(packets), np.int32)
        at = self._payloads.ctypes.data
        for i, packet in enumerate(packets):
            length = min(packet.length - OUTER_BYTES, MAX_PAYLOAD)
            ctypes.memmove(at, packet.address + OUTER_BYTES, length)
            self._lengths[i] = length
            at += MAX_PAYLOAD
        return self._payloads, self._lengths

    def call(
        self,
        call: Call,
        sources: Sequence[Source],
        targets: Sequence[Target],
        limit: float = 600.0,
        look: Callable[[], Any] = lambda: None,
    ) -> None:
        """Makes a call on all hosts, and runs until it is over everywhere.

        Args:
            call, sources, targets: see Lanes.prepare, by rank.
            limit: the latest virtual time, in seconds.
            look: called now and then.

        Raises:
            SimulationError: the call is not over by then.
        """
        self.over = 0
        for host, source, target in zip(self.hosts, sources, targets, strict=True):
            host.begin(self, call, source, target)
        heap, nodes = self._heap, self._nodes
        end = round(limit * SECOND)
        next_look = self.events + LOOK
        while self.over < len(self.hosts):
            time, number, _, packet = heappop(heap)
            if time > end:
                raise SimulationError(
                    f"after {limit} s of virtual time, {len(self.hosts) - self.over} workers wait for their sums"
                )
            self.time = time
            self.events += 1
            packets = [] if packet is None else [packet]
            while heap and heap[0][0] == time and heap[0][1] == number:
                packet = heappop(heap).packet
                self.events += 1
                if packet is not None:
                    packets.append(packet)
            if self._capture is not None and packets:
                _, addresses, lengths, _ = zip(*packets, strict=True)
                self._capture.write(np.array(addresses, np.uint64), np.array(lengths, np.int32), time // 1000)
            node = nodes[number]
            if packets or isinstance(node, Host):
                node.handle(self, time, packets)
            if self.events >= next_look:
                next_look = self.events + LOOK
                look()

    @property
    def seconds(self) -> float:
        """When the last host was done with its call."""
        return max(host.finished or 0 for host in self.hosts) / SECOND

    def links(self) -> dict[str, list[Link]]:
        """The links by kind: from hosts, to hosts, up and down between switches."""
        kinds: dict[str, list[Link]] = {"from hosts": [host.link for host in self.hosts]}
        for switch in self.switches.values():
            for node, port in switch.inside.ports.items():
                kind = "to hosts" if isinstance(node, int) else "up" if node == switch.inside.parent else "down"
                kinds.setdefault(kind, []).append(switch.links[port][0])
        return kinds
