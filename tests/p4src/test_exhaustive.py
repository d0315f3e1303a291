"""Every order of every event: the compiled program under all that a network can do, a few rounds long.

Any message ever sent may be delivered now, later, again and again, or never. In every state that can be reached no
worker is given a wrong result, and the end (all workers have all results) can still be reached. Columns are dealt
strips on the way, never the same one twice, and of the same round all workers hear of the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
import pytest

from protocol.packet import Column, Packet
from protocol.wire import DEALT, NO_BLOCK, Kind
from softswitch.registers import Register
from tests.p4src.in_process import FIRST_SLOT, InProcessSwitch, ip
from tests.protocol.network import EPOCH, JOB, SPINE, Node

Memory = tuple[int, ...]
"""What a switch remembers of its slots."""


class Message(NamedTuple):
    """What was sent, by whom and to whom."""

    sender: Node
    receiver: Node
    payload: bytes


class World(NamedTuple):
    """The round that each worker is in on each lane, each switch's memory, all that was ever sent, one bit a message,
    and which strip was dealt in which round of which lane, as far as anybody heard."""

    rounds: tuple[int, ...]
    memories: tuple[Memory, ...]
    sent: int
    dealt: frozenset[tuple[int, int, int]]


class Tree:
    """Lanes of a job on a tree of switches, and what its workers send and must get."""

    def __init__(self, switches: dict[Node, InProcessSwitch], homes: list[Node], rounds: int, lanes: int = 1) -> None:
        self.switches, self.homes, self.rounds, self.lanes = switches, homes, rounds, lanes
        self.workers = len(homes)
        self._places = {name: at for at, name in enumerate(switches)}
        self._messages: list[Message] = []
        self._bits: dict[Message, int] = {}
        self._steps: dict[tuple[Memory, Message], tuple[Memory, int]] = {}

    def announces(self, round_number: int) -> bool:
        """In the others the strip is at its end."""
        return round_number % 3 == 0 and round_number < self.rounds - 1

    def contribution(self, worker: int, lane: int, round_number: int) -> bytes:
        """Announcements, and data where the round before had some; different ones in each round, of each worker. That
        of worker 0 to round 1 is marked."""
        held = round_number > 0 and self.announces(round_number - 1)
        data = {0: np.full(32, 1000 * round_number + 100 * lane + 2**worker, np.int32)} if held else {}
        next_block = 10 * (round_number + 1) + worker if self.announces(round_number) else NO_BLOCK
        column = Column(10 * round_number, next_block, worker)
        local = sum(self.homes[other] == self.homes[worker] for other in range(worker))
        marked = (worker, round_number) == (0, 1)
        packet = Packet(
            Kind.CONTRIBUTION, JOB, lane, EPOCH, round_number, local, columns=(column,), data=data, marked=marked
        )
        return packet.encode()

    def check(self, world: World, result: Packet) -> frozenset[tuple[int, int, int]]:
        """Whether that is the result of the round; the strips that are dealt then."""
        lane, now = result.lane, result.round
        shares = [Packet.decode(self.contribution(worker, lane, now)) for worker in range(self.workers)]
        data = {0: np.sum([share.data[0] for share in shares], 0)} if shares[0].data else {}
        assert set(result.data) == set(data)
        assert all(np.array_equal(result.data[column], data[column]) for column in data)
        assert result.congested == (now == 1)
        best = min((share.columns[0] for share in shares), key=lambda column: (column.next, -column.exponent))
        if best.next != NO_BLOCK:
            assert result.columns == (best,)
            return world.dealt
        strip = result.columns[0].next
        assert strip & DEALT
        dealt = world.dealt | {(lane, now, strip)}
        assert len({(lane, now) for lane, now, _ in dealt}) == len({strip for *_, strip in dealt}) == len(dealt)
        return dealt

    def start(self) -> World:
        opening = [
            self._send(worker, self.homes[worker], self.contribution(worker, lane, 0)) for worker, lane in self._all()
        ]
        memories = tuple(map(self._memory, self.switches.values()))
        return World((0,) * len(self._all()), memories, reduce(or_, opening), frozenset())

    def after(self, world: World) -> Iterator[World]:
        """What can come next: one for each message that was ever sent."""
        for at in range(world.sent.bit_length()):
            if world.sent >> at & 1:
                message = self._messages[at]
                yield (self._hear if isinstance(message.receiver, int) else self._switch)(world, message)

    def is_end(self, world: World) -> bool:
        return set(world.rounds) == {self.rounds}

    def _hear(self, world: World, message: Message) -> World:
        worker = message.receiver
        assert isinstance(worker, int)
        packet = Packet.decode(message.payload)
        at = worker * self.lanes + packet.lane
        now = world.rounds[at]
        if packet.kind is not Kind.RESULT or packet.round != now:
            return world
        dealt, sent = self.check(world, packet), world.sent
        if now + 1 < self.rounds:
            sent |= self._send(worker, self.homes[worker], self.contribution(worker, packet.lane, now + 1))
        return World((*world.rounds[:at], now + 1, *world.rounds[at + 1 :]), world.memories, sent, dealt)

    def _switch(self, world: World, message: Message) -> World:
        at = self._places[message.receiver]
        step = world.memories[at], message
        if step not in self._steps:
            switch = self.switches[message.receiver]
            for (register, index), cell in zip(self._cells(switch), world.memories[at], strict=True):
                register[index] = cell
            left = switch.receive(message.sender, message.payload)
            answers = [self._send(message.receiver, to, payload) for to, payload in left]
            self._steps[step] = self._memory(switch), reduce(or_, answers, 0)
        memory, answers_sent = self._steps[step]
        memories = (*world.memories[:at], memory, *world.memories[at + 1 :])
        return World(world.rounds, memories, world.sent | answers_sent, world.dealt)

    def _send(self, sender: Node, receiver: Node, payload: bytes) -> int:
        """The message's bit."""
        message = Message(sender, receiver, payload)
        if message not in self._bits:
            self._bits[message] = 1 << len(self._messages)
            self._messages.append(message)
        return self._bits[message]

    def _memory(self, switch: InProcessSwitch) -> Memory:
        return tuple(register[index] for register, index in self._cells(switch))

    def _cells(self, switch: InProcessSwitch) -> list[tuple[Register, int]]:
        """Where the slots in use are kept."""
        registers = switch.engine.registers
        return [(register, index) for name, register in registers.items() for index in self._slot_cells(name)]

    def _slot_cells(self, register: str) -> list[int]:
        """Where the first slots' cells are."""
        slots = range(FIRST_SLOT, FIRST_SLOT + self.lanes)
        if "column" in register and "column0" not in register:
            return []
        if register == "ingress.slot.strips":
            return [FIRST_SLOT]
        if register in ("ingress.slot.epoch", "ingress.slot.round"):
            return list(slots)
        return [2 * slot + half for slot in slots for half in (0, 1)]

    def _all(self) -> list[tuple[int, int]]:
        """Every worker's every lane."""
        return [(worker, lane) for worker in range(self.workers) for lane in range(self.lanes)]


def one_switch(workers: int, rounds: int, lanes: int = 1) -> Tree:
    nodes: list[Node] = list(range(workers))
    return Tree({"switch": InProcessSwitch(nodes, lanes)}, ["switch"] * workers, rounds, lanes)


def two_racks(sizes: tuple[int, int], rounds: int) -> Tree:
    leaves: list[Node] = ["leaf0", "leaf1"]
    addresses: dict[Node, int] = {"leaf0": ip(200), "leaf1": ip(201), SPINE: ip(254)}
    switches: dict[Node, InProcessSwitch] = {SPINE: InProcessSwitch(leaves, 1, addresses[SPINE], addresses)}
    homes: list[Node] = []
    for rank, (leaf, size) in enumerate(zip(leaves, sizes, strict=True)):
        inside: list[Node] = list(range(len(homes), len(homes) + size))
        homes += [leaf] * size
        peers = {node: ip(1 + at) for at, node in enumerate(inside)} | addresses
        switches[leaf] = InProcessSwitch(inside, 1, addresses[leaf], peers, SPINE, rank)
    return Tree(switches, homes, rounds)


@pytest.mark.parametrize(
    ("tree", "least"),
    [
        pytest.param(lambda: one_switch(1, 6), 10, id="1 worker"),
        pytest.param(lambda: one_switch(2, 6), 1000, id="2 workers"),
        pytest.param(lambda: one_switch(3, 2), 10000, id="3 workers"),
        pytest.param(lambda: one_switch(1, 3, lanes=2), 50, id="2 lanes"),
        pytest.param(lambda: one_switch(2, 2, lanes=2), 1000, id="2 workers on 2 lanes"),
        pytest.param(lambda: two_racks((1, 1), 4), 500, id="2 racks of 1"),
        pytest.param(lambda: two_racks((2, 1), 3), 5000, id="racks of 2 and 1"),
        pytest.param(lambda: two_racks((2, 2), 2), 10000, id="2 racks of 2"),
    ],
)
def test_no_order_of_events_gives_a_wrong_sum_or_a_dead_end(tree: Callable[[], Tree], least: int) -> None:
    here = tree()
    before: dict[World, set[World]] = {here.start(): set()}
    open_worlds = list(before)
    while open_worlds:
        world = open_worlds.pop()
        for after in here.after(world):
            if after not in before:
                before[after] = set()
                open_worlds.append(after)
            before[after].add(world)
    ends = [world for world in before if here.is_end(world)]
    can_end, open_worlds = set(ends), ends
    while open_worlds:
        for world in before[open_worlds.pop()] - can_end:
            can_end.add(world)
            open_worlds.append(world)
    assert can_end == set(before)
    assert len(before) >= least, "so few states: was anything tried?"
