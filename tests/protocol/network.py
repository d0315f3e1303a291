"""A network without sockets: workers' lanes and switches, and a queue that loses, doubles and reorders at will."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from protocol.arrays import Source, Target, Tensor
from protocol.call import Call
from protocol.lanes import Lanes
from protocol.packet import Packet
from protocol.slot import Dealer, Slot
from protocol.wire import MAX_PAYLOAD, Fate, Kind

JOB, EPOCH = 3, 7
SPINE = "spine"

Node = int | str
"""Workers are numbers; switches have names."""
Switch = Callable[[Node, bytes], list[tuple[Node, bytes]]]
"""Given a sender and its payload: who gets which payload."""


@dataclass(frozen=True)
class Fabric:
    """The switches by name, and which of them each worker is on."""

    switches: Mapping[Node, Switch]
    homes: list[Node]


@dataclass(frozen=True)
class Model:
    """A switch as the reference model has it: a slot for each lane, and the nodes around it, workers by their ranks. A
    leaf has a parent."""

    slots: list[Slot]
    workers: list[Node]
    parent: Node | None = None

    def receive(self, sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        packet = Packet.decode(payload)
        slot = self.slots[packet.lane]
        if sender == self.parent:
            if packet.kind not in (Kind.RESULT, Kind.CONFLICT):
                return []
            fate, answers = slot.relay(packet)
        else:
            fate, answers = slot.receive(packet)
        if fate is Fate.PASSED_UP:
            assert self.parent is not None
            return [(self.parent, answer.encode()) for answer in answers]
        to_all = fate in (Fate.COMPLETED, Fate.RELAYED)
        ranks = [rank for rank in range(len(self.workers)) if slot.members >> rank & 1] if to_all else [packet.worker]
        return [(self.workers[rank], replace(answer, worker=rank).encode()) for rank in ranks for answer in answers]


def model(workers: int, lanes: int) -> Fabric:
    """One rack, as the reference model has it."""
    dealer = Dealer()
    slots = [Slot(EPOCH, (1 << workers) - 1, dealer) for _ in range(lanes)]
    return Fabric({"switch": Model(slots, list(range(workers))).receive}, ["switch"] * workers)


def model_tree(racks: int, workers: int, lanes: int) -> Fabric:
    """So many racks of so many workers, worker w being number w mod `workers` of its rack."""
    leaves: list[Node] = [f"leaf{rack}" for rack in range(racks)]
    dealer = Dealer()
    spine = [Slot(EPOCH, (1 << racks) - 1, dealer) for _ in range(lanes)]
    switches: dict[Node, Switch] = {SPINE: Model(spine, leaves).receive}
    for rack, leaf in enumerate(leaves):
        inside: list[Node] = list(range(rack * workers, (rack + 1) * workers))
        slots = [Slot(EPOCH, (1 << workers) - 1, dealer, rank=rack) for _ in range(lanes)]
        switches[leaf] = Model(slots, inside, SPINE).receive
    return Fabric(switches, [leaf for leaf in leaves for _ in range(workers)])


def members(workers: int, lanes: int) -> list[Lanes]:
    """The workers of one rack."""
    return [Lanes(job=JOB, worker=i, workers=workers, epoch=EPOCH, lanes=lanes) for i in range(workers)]


def members_of_racks(racks: int, workers: int, lanes: int) -> list[Lanes]:
    """The workers of several racks of so many each."""
    return [
        Lanes(job=JOB, worker=i % workers, workers=racks * workers, epoch=EPOCH, lanes=lanes, fill=True)
        for i in range(racks * workers)
    ]


def all_reduce(
    workers: list[Lanes], fabric: Fabric, tensors: list[Tensor], *, trouble: float = 0.0, seed: int = 0, **options: Any
) -> list[Tensor]:
    """Everybody's result. Each message is lost, or delivered and kept for later, with probability `trouble` each; which
    of those under way arrives next is drawn anew each time. After 20,000 deliveries the network is a good one.
    `options` are the call's."""
    draw = random.Random(seed)
    now = 0.0
    under_way: list[tuple[Node, Node, bytes]] = []

    def send(i: int) -> None:
        payloads, rows, lengths = workers[i].outgoing()
        for row, length in zip(rows, lengths, strict=True):
            under_way.append((i, fabric.homes[i], payloads[row, :length].tobytes()))

    results = [np.empty_like(tensor) for tensor in tensors]
    for i, worker in enumerate(workers):
        worker.begin(Call.of(tensors[i], **options), Source.of(tensors[i]), Target.around(results[i]), now)
        send(i)
    deliveries = 0
    while not all(worker.done for worker in workers):
        deliveries += 1
        assert deliveries < 100_000, "the network has been a good one for long, and still no end"
        if not under_way:
            now += 10.0
            for i, worker in enumerate(workers):
                if not worker.done:
                    worker.expire(now)
                    send(i)
            continue
        sender, receiver, payload = under_way.pop(draw.randrange(len(under_way)))
        if deliveries < 20_000:
            if draw.random() < trouble:
                continue
            if draw.random() < trouble:
                under_way.append((sender, receiver, payload))
        if isinstance(receiver, int):
            row = np.zeros((1, MAX_PAYLOAD), np.uint8)
            row[0, : len(payload)] = np.frombuffer(payload, np.uint8)
            workers[receiver].receive(row, np.array([len(payload)], np.int32), now)
            send(receiver)
        else:
            answers = fabric.switches[receiver](sender, payload)
            under_way.extend((receiver, to, answer) for to, answer in answers)
    return results
