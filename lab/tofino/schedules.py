"""Random schedules of packets, on a compiled Tofino program and on the model of a slot.

Two jobs share the switch. Their workers follow the protocol's rule (a contribution to the next round only with the
result of this one); everything else is random: contents, repeats, queries, and a network that loses, duplicates,
reorders and keeps packets for as long as it likes. Jobs enter new epochs meanwhile, and lose and regain a worker.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from dropzero.controller.switches.rows import Rows
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.slot import ChunkAllocator, Half, Slot
from dropzero.protocol.wire import ASSIGNED, ELEMENTS, EXPONENT_BIAS, NO_BLOCK, Fate, Kind
from dropzero.simulator.in_process import FIRST_SLOT, InProcessSwitch, ip
from dropzero.simulator.tree import JOB, Node
from dropzero.streams import stream

LANES = 3
OTHER_FIRST_SLOT = 200


class Difference(AssertionError):
    """The program and the model disagree."""


@dataclass
class Worker:
    """A worker's side of the protocol: on each lane, the round that it waits for, and its contribution."""

    node: int
    number: int
    epoch: int = 0
    contributions: list[Packet] = field(default_factory=list)


@dataclass
class JobUnderTest:
    """A job: its workers, its members, and the model of its slots."""

    index: int
    first_slot: int
    workers: list[Worker]
    epoch: int = 0
    members: int = 0
    rows: Rows = field(default_factory=Rows)
    slots: list[Slot] = field(default_factory=list)


class Schedule:
    """One random schedule. compiled: the program's JSON. words: those of its block."""

    def __init__(self, seed: int, compiled: Path, words: int = ELEMENTS) -> None:
        self.draw = random.Random(seed)
        self.columns = words // ELEMENTS
        sizes = self.draw.randint(1, 4), self.draw.randint(1, 3)
        nodes = range(sum(sizes))
        peers: dict[Node, int] = {node: ip(1 + node) for node in nodes}
        self.switch = InProcessSwitch([*nodes[: sizes[0]]], LANES, peers=peers, compiled=compiled)
        self.jobs = [
            JobUnderTest(0, FIRST_SLOT, [Worker(node, node) for node in nodes[: sizes[0]]]),
            JobUnderTest(1, OTHER_FIRST_SLOT, [Worker(node, at) for at, node in enumerate(nodes[sizes[0] :])]),
        ]
        self.up: list[tuple[int, Packet]] = []
        self.down: list[tuple[int, Packet]] = []
        self.fates: Counter[Fate] = Counter()
        self.delivered = 0
        for job in self.jobs:
            self.enter(job)

    def run(self, packets: int) -> None:
        """Delivers `packets` packets to the switch. Raises Difference at the first answer or register that differs."""
        while self.delivered < packets:
            if self.draw.random() < 0.01:
                self.enter(self.draw.choice(self.jobs))
            if self.draw.random() < 0.02:
                job = self.draw.choice(self.jobs)
                self.change(job, job.rows)
            self.send()
            if self.up and self.draw.random() < 0.8:
                self.arrive()
            while self.down and self.draw.random() < 0.7:
                self.answer(*self.down.pop(self.draw.randrange(len(self.down))))
        for job in self.jobs:
            for lane, slot in enumerate(job.slots):
                for half in range(2):
                    self.compare_half(job, slot, 2 * (job.first_slot + lane) + half, slot.halves[half])
        if self.switch.fates() != self.fates:
            raise Difference(f"the fates {self.switch.fates()} instead of {dict(self.fates)}")

    def enter(self, job: JobUnderTest) -> None:
        """Gives a job a new epoch, sometimes without one of its workers."""
        job.epoch += self.draw.choice([1, 1, 3])
        ranks = list(range(len(job.workers)))
        if len(ranks) > 1 and self.draw.random() < 0.3:
            ranks.remove(self.draw.choice(ranks))
        job.members = sum(1 << rank for rank in ranks)
        allocator = ChunkAllocator()
        job.slots = [Slot(job.epoch, job.members, allocator) for _ in range(LANES)]
        slots = range(job.first_slot, job.first_slot + LANES)
        nodes = [worker.node for worker in job.workers]
        for node in nodes:
            self.switch.attach(node)
        before, job.rows = job.rows, self.switch.rows_of(job.index, [*nodes], job.epoch, slots, ranks)
        # For a while, the worker that left still has its rows.
        self.change(job, Rows(job.rows.jobs, {**before.needs, **job.rows.needs}))
        for worker in job.workers:
            if self.draw.random() < 0.5 or not worker.contributions:
                self.follow(job, worker, job.epoch)

    def change(self, job: JobUnderTest, rows: Rows) -> None:
        for _ in self.switch.change(job.index, rows):
            pass

    def follow(self, job: JobUnderTest, worker: Worker, epoch: int) -> None:
        """A worker enters an epoch, on all lanes at round 0."""
        worker.epoch = epoch
        worker.contributions = [self.contribution(job, worker, lane, 0) for lane in range(LANES)]

    def contribution(self, job: JobUnderTest, worker: Worker, lane: int, number: int) -> Packet:
        """What a worker contributes to a round: its block or not, and its next block."""
        draw = self.draw
        block, after = draw.randrange(99), draw.choice([3, 4, 2**31 - 1, NO_BLOCK, NO_BLOCK])
        column = Column(block, after, draw.choice([-126, -1, 0, 129]))
        words = stream(draw.getrandbits(32), "words").integers(-(2**31), 2**31, (self.columns, ELEMENTS), np.int32)
        return Packet(
            Kind.CONTRIBUTION,
            *(JOB + job.index, lane, worker.epoch, number, worker.number),
            workers=draw.choice([5] * 19 + [6]),
            columns=(column,),
            data=dict(enumerate(words)) if draw.random() < 0.6 else {},
            marked=draw.random() < 0.1,
            congested=draw.random() < 0.1,
        )

    def send(self) -> None:
        """A worker sends, or repeats, a contribution, or asks; the network loses, or duplicates it."""
        job = self.draw.choice(self.jobs)
        worker = self.draw.choice(job.workers)
        packet = self.draw.choice(worker.contributions)
        if self.draw.random() < 0.2:
            columns = packet.columns if self.draw.random() < 0.5 else ()
            packet = replace(packet, kind=Kind.QUERY, data={}, columns=columns)
        elif self.draw.random() < 0.1:
            packet = replace(packet, marked=True)
        for _ in range(self.draw.choice([0, 1, 1, 1, 1, 2])):
            self.up.append((worker.node, packet))

    def arrive(self) -> None:
        """One packet on its way, mostly one of the last, arrives; sometimes it stays on its way, too."""
        count = len(self.up)
        late = self.draw.randrange(count) if self.draw.random() < 0.3 else max(0, count - self.draw.randint(1, 4))
        node, packet = self.up[late] if self.draw.random() < 0.1 else self.up.pop(late)
        job = self.jobs[packet.job - JOB]
        self.delivered += 1
        receivers: list[int] = []
        answers: list[Packet] = []
        fate = Fate.WORKER
        if job.members >> packet.worker & 1:
            fate, answers = job.slots[packet.lane].receive(packet)
            members = [worker for worker in job.workers if job.members >> worker.number & 1]
            receivers = [worker.number for worker in members] if fate is Fate.COMPLETED else [packet.worker]
        self.fates[fate] += 1
        nodes = {worker.number: worker.node for worker in job.workers}
        expected = [(nodes[to], replace(answer, worker=to)) for to in receivers for answer in answers]
        found = self.switch.receive(node, packet.encode())
        if found != [(to, answer.encode()) for to, answer in expected]:
            got = [(to, Packet.decode(payload)) for to, payload in found]
            raise Difference(f"after {self.delivered} packets, {packet} is {fate.name}: {got} instead of {expected}")
        for to, answer in expected:
            if self.draw.random() < 0.85:
                self.down.append((int(to), answer))

    def answer(self, node: int, answer: Packet) -> None:
        job = self.jobs[answer.job - JOB]
        worker = next(each for each in job.workers if each.node == node)
        if answer.kind is Kind.EPOCH and answer.epoch > worker.epoch:
            self.follow(job, worker, answer.epoch)
        waits = worker.contributions[answer.lane]
        if answer.kind in (Kind.RESULT, Kind.CONFLICT) and (answer.epoch, answer.round) == (waits.epoch, waits.round):
            worker.contributions[answer.lane] = self.contribution(job, worker, answer.lane, answer.round + 1)

    def compare_half(self, job: JobUnderTest, slot: Slot, index: int, half: Half) -> None:
        """Compares the registers of a half that is in use with the model's."""
        registers = self.switch.engine.registers

        def held(name: str) -> int:
            return registers[f"ingress.{name}"][index]

        if not half.seen:
            return
        expected = {"half.opened_lo": slot.epoch, "half.reached_lo": slot.epoch, "half.seen": half.seen}
        expected |= {"half.call_lo": half.call, "half.call_hi": half.conflict}
        rounds = {held("half.opened_hi"), held("half.reached_hi")}
        if len(rounds) > 1 or rounds - {slot.round, slot.round - 1}:
            raise Difference(f"half {index} has round {rounds} instead of {slot.round}")
        if not half.conflict:
            (column,) = half.columns
            assigned = column.next & ASSIGNED and column.next != NO_BLOCK
            expected["half.least_hi"] = NO_BLOCK if assigned else column.next
            expected["half.largest_lo"] = column.exponent + EXPONENT_BIAS
            if assigned:
                expected["half.assigned"] = column.next
            expected["half.flags"] = bool(half.data) | half.congested << 1
            if half.data:
                words = np.concatenate([half.data[at] for at in range(self.columns)]).view(np.uint32)
                expected |= {f"block.sum{at}": int(word) for at, word in enumerate(words)}
        found = {name: held(name) for name in expected}
        if found != expected:
            wrong = {name: (found[name], expected[name]) for name in expected if found[name] != expected[name]}
            raise Difference(f"half {index}: {wrong} (found, expected)")


def check(seeds: range, compiled: Path, packets: int = 100, words: int = ELEMENTS) -> Counter[Fate]:
    """Runs schedules of `packets` packets each. Returns how many packets had each fate. Raises Difference."""
    fates: Counter[Fate] = Counter()
    for seed in seeds:
        schedule = Schedule(seed, compiled, words)
        try:
            schedule.run(packets)
        except Difference as difference:
            raise Difference(f"schedule {seed}: {difference}") from None
        fates += schedule.fates
    return fates
