"""A network without sockets: workers' lanes, switches, and a queue that loses, duplicates and reorders."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.lanes.work import EVERYTHING
from dropzero.protocol.packet import Packet
from dropzero.protocol.slot import ChunkAllocator, Slot
from dropzero.protocol.tensor.arrays import Source, Target, Tensor
from dropzero.protocol.tensor.bitmap import Bitmap
from dropzero.protocol.wire import ANSWERS, HEADROOM, MAX_PAYLOAD, REPORTS, Fate
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape

SPINE = "spine"

Switch = Callable[[Node, bytes], list[tuple[Node, bytes]]]
"""(sender, payload) -> the payloads for each receiver."""


@dataclass(frozen=True)
class Fabric:
    """The switches by name, and each worker's switch."""

    switches: Mapping[Node, Switch]
    homes: list[Node]


@dataclass(frozen=True)
class Model:
    """A switch on the reference model: a slot for each lane, and its neighbours, workers by rank. A leaf has a
    parent."""

    slots: list[Slot]
    workers: list[Node]
    parent: Node | None = None

    def receive(self, sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        packet = Packet.decode(payload)
        slot = self.slots[packet.lane]
        if sender == self.parent:
            if packet.kind not in ANSWERS + REPORTS:
                return []
            fate, answers = slot.relay(packet)
        else:
            fate, answers = slot.receive(packet)
        if fate is Fate.PASSED_UP:
            assert self.parent is not None
            return [(self.parent, answer.encode()) for answer in answers]
        members = [rank for rank in range(len(self.workers)) if slot.members >> rank & 1]
        return [
            (self.workers[rank], answer.encode())
            for rank in receivers_of(fate, answers, members)
            for answer in slot.copies(answers, rank)
        ]


def receivers_of(fate: Fate, answers: list[Packet], members: list[int]) -> list[int]:
    """The workers that a switch's answers go to: all members, or one."""
    if fate is Fate.COMPLETED or (fate is Fate.RELAYED and answers[0].kind in ANSWERS):
        return members
    return [answer.worker for answer in answers[:1]]


def racks(*sizes: int, top: int = 0) -> Shape:
    """Leaves with these numbers of workers below a spine with `top` workers, which have the lowest ranks."""
    leaves = [f"leaf{i}" for i in range(len(sizes))]
    homes = [SPINE] * top + [leaf for leaf, size in zip(leaves, sizes, strict=True) for _ in range(size)]
    return Shape({SPINE: None, **dict.fromkeys(leaves, SPINE)}, [*homes])


def tiers(top: int, middle: int, *sizes: int) -> Shape:
    """A spine with `top` workers, a switch below it with `middle` workers, and leaves with these numbers of workers."""
    leaves = [f"leaf{i}" for i in range(len(sizes))]
    below = [leaf for leaf, size in zip(leaves, sizes, strict=True) for _ in range(size)]
    homes = [SPINE] * top + ["middle"] * middle + below
    return Shape({SPINE: None, "middle": SPINE, **dict.fromkeys(leaves, "middle")}, [*homes])


@st.composite
def shapes(draw: st.DrawFn, switches: int = 4, workers: int = 8) -> Shape:
    """Draws a tree of at most `switches` switches, with workers anywhere."""
    above = [draw(st.integers(0, at - 1)) for at in range(1, draw(st.integers(1, switches)))]
    homes = draw(st.lists(st.integers(0, len(above)), min_size=1, max_size=workers))
    used = set(homes)
    for leaf, parent in reversed(list(enumerate(above, 1))):
        # A switch without workers of the job below it is not part of the job.
        used |= {parent} if leaf in used else set()
    names: list[Node] = [f"s{at}" for at in range(len(above) + 1)]
    parents = {names[at]: names[above[at - 1]] if at else None for at in sorted(used | {0})}
    return Shape(parents, [names[home] for home in homes])


TREES = {
    "racks": racks(2, 2),
    "two linked switches": racks(2, top=1),
    "hosts on the spine too": racks(2, 1, top=2),
    "three tiers": tiers(0, 0, 2, 1),
    "three tiers, hosts on all": tiers(1, 2, 1, 2),
    "three tiers in a row": tiers(1, 1, 2),
}
"""Trees by name."""


def model(workers: int, lanes: int) -> Fabric:
    """One rack on the reference model."""
    allocator = ChunkAllocator()
    slots = [Slot(EPOCH, (1 << workers) - 1, allocator) for _ in range(lanes)]
    return Fabric({"switch": Model(slots, list(range(workers))).receive}, ["switch"] * workers)


def model_tree(shape: Shape, lanes: int, growth: int = HEADROOM) -> Fabric:
    """A tree of switches on the reference model. growth: see Slot."""
    allocator = ChunkAllocator()
    switches: dict[Node, Switch] = {}
    for switch, parent in shape.parents.items():
        inside = shape.around(switch)
        rank = None if parent is None else shape.number(switch)
        slots = [Slot(EPOCH, (1 << len(inside)) - 1, allocator, rank, growth=growth) for _ in range(lanes)]
        switches[switch] = Model(slots, inside, parent).receive
    return Fabric(switches, shape.homes)


def members(workers: int, lanes: int) -> list[Lanes]:
    """The workers of one rack."""
    return [Lanes(job=JOB, worker=i, workers=workers, epoch=EPOCH, lanes=lanes) for i in range(workers)]


def members_of_tree(shape: Shape, lanes: int, *, limited: bool = True) -> list[Lanes]:
    """The workers on a tree of switches."""
    place: dict[str, Any] = {"job": JOB, "workers": len(shape.homes), "epoch": EPOCH, "lanes": lanes}
    return [
        Lanes(worker=shape.number(rank), leaf=shape.leaf, limited=limited, **place) for rank in range(len(shape.homes))
    ]


def all_reduce(
    workers: list[Lanes],
    fabric: Fabric,
    tensors: list[Tensor],
    *,
    trouble: float = 0.0,
    seed: int = 0,
    wanted: Sequence[Bitmap] | None = None,
    kept: Sequence[slice] = (),
    **options: Any,
) -> list[Tensor]:
    """All-reduces. Returns all workers' results. Each message is lost, or delivered and kept for later, with
    probability `trouble` each; the next message to arrive is drawn at random. After 20,000 deliveries the network is
    good. wanted: the granules that each worker needs; None: all. kept: see Source. options: of the call."""
    calls = [Call.of(tensor, **options) for tensor in tensors]
    results = [np.empty(call.signature.words, call.signature.dtype) for call in calls]
    sources = [Source.of(tensor) for tensor in tensors]
    if kept:
        sources = [source._replace(kept=own) for source, own in zip(sources, kept, strict=True)]
    make(workers, fabric, calls, sources, results, trouble, seed, wanted)
    assert all(worker.done for worker in workers)
    return results


def make(
    workers: list[Lanes],
    fabric: Fabric,
    calls: Sequence[Call],
    sources: Sequence[Source],
    results: Sequence[Tensor],
    trouble: float = 0.0,
    seed: int = 0,
    wanted: Sequence[Bitmap] | None = None,
) -> None:
    """Makes a call until it is over on all workers; see `all_reduce`."""
    draw = random.Random(seed)
    now = 0.0
    under_way: list[tuple[Node, Node, bytes]] = []

    def send(i: int) -> None:
        payloads, rows, lengths = workers[i].outgoing()
        for row, length in zip(rows, lengths, strict=True):
            under_way.append((i, fabric.homes[i], payloads[row, :length].tobytes()))

    def is_over(worker: Lanes) -> bool:
        return not worker._state.call["unfinished"][0]

    for i, worker in enumerate(workers):
        worker.begin(calls[i], sources[i], Target.around(results[i]), now, EVERYTHING if wanted is None else wanted[i])
        send(i)
    deliveries = 0
    while not all(map(is_over, workers)):
        deliveries += 1
        assert deliveries < 100_000, "the network has been a good one for long, and still no end"
        if not under_way:
            now += 10.0
            for i, worker in enumerate(workers):
                if not is_over(worker):
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
