"""Every order of every event: the compiled program under all that a network can do, a few rounds long.

Any message ever sent may be delivered now, later, again and again, or never. In every state that can be reached no
worker is given a wrong result, and the end (all workers have all results) can still be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
import pytest

from protocol.packet import Column, Packet
from protocol.wire import NO_BLOCK, Kind
from softswitch.registers import Register
from tests.p4src.in_process import FIRST_SLOT, InProcessSwitch, ip
from tests.protocol.network import EPOCH, JOB, SPINE, Node

Memory = tuple[int, ...]
"""What a switch remembers of its one slot."""


class Message(NamedTuple):
    """What was sent, by whom and to whom."""

    sender: Node
    receiver: Node
    payload: bytes


class World(NamedTuple):
    """The round that each worker is in, each switch's memory, and all that was ever sent, one bit a message."""

    rounds: tuple[int, ...]
    memories: tuple[Memory, ...]
    sent: int


class Tree:
    """One lane of a job on a tree of switches, and what its workers send and must get."""

    def __init__(self, switches: dict[Node, InProcessSwitch], homes: list[Node], rounds: int) -> None:
        self.switches, self.homes, self.rounds = switches, homes, rounds
        self.workers = len(homes)
        self._places = {name: at for at, name in enumerate(switches)}
        self._messages: list[Message] = []
        self._bits: dict[Message, int] = {}
        self._steps: dict[tuple[Memory, Message], tuple[Memory, int]] = {}

    def contribution(self, worker: int, round_number: int) -> bytes:
        """In round 0 announcements only, afterwards data too; different ones in each round, of each worker."""
        data = {} if round_number == 0 else {0: np.full(32, 1000 * round_number + 2**worker, np.int32)}
        next_block = NO_BLOCK if round_number == self.rounds - 1 else 10 * (round_number + 1) + worker
        column = Column(10 * round_number, next_block, worker)
        local = sum(self.homes[other] == self.homes[worker] for other in range(worker))
        packet = Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, round_number, local, columns=(column,), data=data)
        return packet.encode()

    def is_right(self, result: Packet, round_number: int) -> bool:
        """Whether that is the result of the round."""
        shares = [Packet.decode(self.contribution(worker, round_number)) for worker in range(self.workers)]
        total = {0: np.sum([share.data[0] for share in shares], 0)} if round_number else {}
        best = min((share.columns[0] for share in shares), key=lambda column: (column.next, -column.exponent))
        return (
            result.columns == (best,)
            and set(result.data) == set(total)
            and all(np.array_equal(result.data[column], total[column]) for column in total)
        )

    def start(self) -> World:
        opening = sum(self._send(worker, self.homes[worker], self.contribution(worker, 0)) for worker in self._all())
        return World((0,) * self.workers, tuple(map(self._memory, self.switches.values())), opening)

    def after(self, world: World) -> Iterator[World]:
        """What can come next: one for each message that was ever sent."""
        for at in range(world.sent.bit_length()):
            if world.sent >> at & 1:
                message = self._messages[at]
                yield (self._hear if isinstance(message.receiver, int) else self._switch)(world, message)

    def is_end(self, world: World) -> bool:
        return world.rounds == (self.rounds,) * self.workers

    def _hear(self, world: World, message: Message) -> World:
        worker = message.receiver
        assert isinstance(worker, int)
        packet, now = Packet.decode(message.payload), world.rounds[worker]
        if packet.kind is not Kind.RESULT or packet.round != now:
            return world
        assert self.is_right(packet, now), f"a wrong result of round {now}: {packet}"
        sent = world.sent
        if now + 1 < self.rounds:
            sent |= self._send(worker, self.homes[worker], self.contribution(worker, now + 1))
        return World((*world.rounds[:worker], now + 1, *world.rounds[worker + 1 :]), world.memories, sent)

    def _switch(self, world: World, message: Message) -> World:
        at = self._places[message.receiver]
        step = world.memories[at], message
        if step not in self._steps:
            switch = self.switches[message.receiver]
            for (register, index), cell in zip(_cells(switch), world.memories[at], strict=True):
                register[index] = cell
            left = switch.receive(message.sender, message.payload)
            answers = [self._send(message.receiver, to, payload) for to, payload in left]
            self._steps[step] = self._memory(switch), reduce(or_, answers, 0)
        memory, answers_sent = self._steps[step]
        memories = (*world.memories[:at], memory, *world.memories[at + 1 :])
        return World(world.rounds, memories, world.sent | answers_sent)

    def _send(self, sender: Node, receiver: Node, payload: bytes) -> int:
        """The message's bit."""
        message = Message(sender, receiver, payload)
        if message not in self._bits:
            self._bits[message] = 1 << len(self._messages)
            self._messages.append(message)
        return self._bits[message]

    @staticmethod
    def _memory(switch: InProcessSwitch) -> Memory:
        return tuple(register[index] for register, index in _cells(switch))

    def _all(self) -> range:
        return range(self.workers)


def _cells(switch: InProcessSwitch) -> list[tuple[Register, int]]:
    """Where the one slot in use is kept."""
    registers = switch.engine.registers
    return [(register, index) for name, register in registers.items() for index in _slot_cells(name)]


def _slot_cells(register: str) -> tuple[int, ...]:
    """Where the first slot's cells are."""
    whole_slot = register in ("ingress.slot.epoch", "ingress.slot.round")
    other_columns = "column" in register and "column0" not in register
    return () if other_columns else (FIRST_SLOT,) if whole_slot else (2 * FIRST_SLOT, 2 * FIRST_SLOT + 1)


def one_switch(workers: int, rounds: int) -> Tree:
    nodes: list[Node] = list(range(workers))
    return Tree({"switch": InProcessSwitch(nodes, 1)}, ["switch"] * workers, rounds)


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
        (lambda: one_switch(1, 6), 10),
        (lambda: one_switch(2, 6), 1000),
        (lambda: one_switch(3, 2), 10000),
        (lambda: two_racks((1, 1), 4), 500),
        (lambda: two_racks((2, 1), 3), 5000),
        (lambda: two_racks((2, 2), 2), 10000),
    ],
    ids=["1 worker", "2 workers", "3 workers", "2 racks of 1", "racks of 2 and 1", "2 racks of 2"],
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
