"""Exhaustive search: the compiled program under every order of events on a network, for a few rounds.

Any message ever sent may be delivered now, later, repeatedly, or never. At any moment, the controller may make its next
write, a switch may restart, and a worker may learn of it. In every reachable state, the program behaves like the
reference model, and no worker gets a wrong result. From every such state, a network that delivers all retransmissions
leads to the end, where all workers have all results. Columns are assigned chunks, no chunk twice in an epoch, and all
workers get the same one in a round.

States do not include messages of an epoch that their receiver has left, which would only multiply equal states.
Instead, all of these are tried at the end, on every memory that the receiver ever had.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
import pytest

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.slot import ChunkAllocator, Half, Slot
from dropzero.protocol.wire import ASSIGNED, DATA, EXPONENT_BIAS, HEADROOM, MAX_PAYLOAD, NO_BLOCK, Kind, ranks
from dropzero.simulator.in_process import FIRST_SLOT, InProcessSwitch
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape
from dropzero.softswitch.state.arrays import Register
from tests.support.in_process import switches
from tests.support.network import SPINE, Model, racks, tiers

Memory = tuple[int, ...]
"""A switch's memory of its slots."""
WIDE = HEADROOM // DATA.itemsize + 1
"""Data columns of a block that is too large for an unsplit answer to a packet without data."""
Chunk = tuple[int, int, int, int]
"""An assigned chunk: epoch, lane, round, chunk."""


class Message(NamedTuple):
    """A message, with its sender and receiver."""

    sender: Node
    receiver: Node
    payload: bytes


class World(NamedTuple):
    """A state: the controller's stage; each worker's epoch (0: none) and the round on each of its lanes; each switch's
    memory, by number; the messages that may still matter, one bit each; and the chunks assigned."""

    stage: int
    epochs: tuple[int, ...]
    rounds: tuple[tuple[int, ...], ...]
    memories: tuple[int, ...]
    sent: int
    assigned: frozenset[Chunk]


class Change(NamedTuple):
    """An event of a switch: the next epoch, with these workers (None: all). In epoch 0 it restarts."""

    switch: Node
    epoch: int
    workers: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Job:
    """The parameters of a search.

    Attributes:
        shape: the switches, and the switch of each worker.
        rounds, lanes: their numbers.
        wide: the block is too large for an unsplit answer to a packet without data. Only every other worker holds it;
            the others send only the header, or, if they pad, also zeros.
        pad: the workers that pad: those that the controller tells to, which are all in a job over several switches that
            let packets grow by HEADROOM only.
        growth: the bytes by which the switches let packets grow.
        shards: each round has one worker's shard, which is "scattered": only this worker needs the result's data;
            "kept": it also adds its own, and sends none; or "gathered": only it sends data, and the others need them.
        changes: the events of the switches, in order.
    """

    shape: Shape
    rounds: int
    lanes: int = 1
    wide: bool = False
    pad: tuple[int, ...] = ()
    growth: int = HEADROOM
    shards: Literal["", "scattered", "kept", "gathered"] = ""
    changes: tuple[Change, ...] = ()


_COLUMNS = {"ingress.slot.column0.announced", *(f"ingress.slot.column{column}.sum" for column in range(WIDE))}
"""The registers of columns that are used."""


class SwitchSnapshot:
    """A switch between two writes of the controller, with the program and the model."""

    def __init__(self, switch: InProcessSwitch, growth: int) -> None:
        self.switch, self._growth = switch, growth
        rows = [each.parameters for each in switch.device.entries() if each.table == "ingress.admission.job"]
        self.epoch, self.members = (rows[0]["epoch"], rows[0]["members"]) if rows else (0, 0)
        self._rank = rows[0].get("rank") if rows else None
        self._cells = [(name, register, index) for name, register, index in self._registers()]
        self._known: dict[Memory, object] = {}
        self.memory = self._read()

    def step(self, memory: Memory, message: Message) -> tuple[Memory, list[Message]]:
        """Processes a message with the program, and checks that the model does the same."""
        for (_, register, index), held, cell in zip(self._cells, self.memory, memory, strict=True):
            if held != cell:
                register[index] = cell
        # A member has its rows before it joins and after it leaves.
        inside = [self.switch.parent, *(self.switch.workers[rank] for rank in ranks(self.members))]
        sender, receiver, payload = message
        left = [(to, answer) for to, answer in self.switch.receive(sender, payload) if to in inside]
        self.memory = after = self._read()
        model = self._model(memory)
        assert left == (model.receive(sender, payload) if self.epoch and sender in inside else [])
        if after not in self._known:
            self._known[after] = _plain(self._model(after))
        assert _plain(model) == self._known[after]
        return after, [Message(receiver, to, answer) for to, answer in left]

    def _read(self) -> Memory:
        """What is in the registers now."""
        return tuple([register[index] for _, register, index in self._cells])

    def _registers(self) -> Iterator[tuple[str, Register, int]]:
        """Yields the registers of the slots in use."""
        slots = range(FIRST_SLOT, FIRST_SLOT + self.switch.lanes)
        for name, register in self.switch.engine.registers.items():
            if name == "ingress.slot.chunks":
                yield name, register, FIRST_SLOT
            elif name in ("ingress.slot.epoch", "ingress.slot.round"):
                yield from ((name, register, slot) for slot in slots)
            elif "column" not in name or name in _COLUMNS:
                yield from ((name, register, 2 * slot + half) for slot in slots for half in (0, 1))

    def _model(self, memory: Memory) -> Model:
        """Converts a memory to the model's state."""
        held = {
            (name.removeprefix("ingress.slot."), at): cell
            for (name, _, at), cell in zip(self._cells, memory, strict=True)
        }
        counted = held["chunks", FIRST_SLOT]
        allocator = ChunkAllocator(counted % 2**32 if counted >> 32 == self.epoch else 0)
        slots = []
        for at in range(FIRST_SLOT, FIRST_SLOT + self.switch.lanes):
            slot = Slot(self.epoch, self.members, allocator, self._rank, growth=self._growth)
            if held["epoch", at] == self.epoch:
                slot.round = held["round", at]
                slot.halves = (self._half(held, 2 * at), self._half(held, 2 * at + 1))
            slots.append(slot)
        return Model(slots, self.switch.workers, self.switch.parent)

    @staticmethod
    def _half(held: dict[tuple[str, int], int], at: int) -> Half:
        if not held["seen", at]:
            return Half()
        announced, filled = held["column0.announced", at], held["filled", at]
        data = {column: held[f"column{column}.sum", at].to_bytes(128, "big") for column in ranks(filled)}
        return Half(
            seen=held["seen", at],
            call=held["call", at],
            conflict=held["conflict", at],
            answered=bool(held["answered", at]),
            congested=bool(held["congested", at]),
            declined=held["declined", at],
            columns=[Column(next=announced >> 8, exponent=255 - announced % 256 - EXPONENT_BIAS)],
            data={column: np.frombuffer(words, ">i4").astype(np.int32) for column, words in data.items()},
        )


def _plain(model: Model) -> object:
    """Converts a model to a comparable form, without blocks, and without the contents of halves that have no
    contributions."""
    return [
        (
            (slot.epoch, slot.members, slot.round, slot.allocator.assigned),
            [
                (
                    (half.seen, half.call, half.conflict, half.answered, half.congested, half.declined),
                    [(column.next, column.exponent) for column in half.columns],
                    [(column, words.tobytes()) for column, words in half.data.items()],
                )
                for half in slot.halves
                if half.seen
            ],
        )
        for slot in model.slots
    ]


class Tree:
    """Lanes of a job on a tree of switches with events; the packets that its workers send, and expected results."""

    def __init__(self, job: Job) -> None:
        made = switches(job.shape, job.lanes, job.growth)
        self.job, self.homes, self.rounds, self.lanes = job, job.shape.homes, job.rounds, job.lanes
        self.names = list(made)
        self.stages = [[SwitchSnapshot(switch, job.growth) for switch in made.values()]]
        self._wiped: list[Node | None] = [None]
        self._write()
        self._found: dict[tuple[int, int], tuple[SwitchSnapshot, bool]] = {}
        self._members: dict[int, set[int]] = {}
        for stage in range(len(self.stages)):
            for worker in range(len(self.homes)):
                snapshot, inside = self._home(stage, worker)
                if inside:
                    self._members.setdefault(snapshot.epoch, set()).add(worker)
        self._messages: list[Message] = []
        self._bits: dict[Message, int] = {}
        self._packets: dict[bytes, Packet] = {}
        self._memories: list[Memory] = []
        self._numbers: dict[Memory, int] = {}
        self._contributions: dict[tuple[int, int, int, int], Message] = {}
        self._due: dict[tuple[int, int, int], Packet] = {}
        self._mattering: dict[tuple[object, ...], int] = {}
        self._steps: dict[tuple[SwitchSnapshot, int, Message], tuple[int, list[Message]]] = {}
        self._live: set[tuple[object, ...]] = set()
        self._asked: set[tuple[object, ...]] = set()

    def _write(self) -> None:
        """Makes the stages: between two of them is one write, or a restart of a switch."""
        while True:
            made = switches(self.job.shape, self.lanes, self.job.growth)
            done = list(islice(_befall(made, self.job.changes), len(self.stages)))
            if len(done) < len(self.stages):
                return
            name, wiped = done[-1]
            at = self.names.index(name)
            before = self.stages[-1]
            self.stages.append([*before[:at], SwitchSnapshot(made[name], self.job.growth), *before[at + 1 :]])
            self._wiped.append(name if wiped else None)

    def _number(self, memory: Memory) -> int:
        """The number of a memory, used in worlds to save space and time."""
        if memory not in self._numbers:
            self._numbers[memory] = len(self._memories)
            self._memories.append(memory)
        return self._numbers[memory]

    def _home(self, stage: int, worker: int) -> tuple[SwitchSnapshot, bool]:
        """A worker's switch, and whether the worker is a member there."""
        if (stage, worker) not in self._found:
            snapshot = self.stages[stage][self.names.index(self.homes[worker])]
            inside = bool(snapshot.members >> snapshot.switch.workers.index(worker) & 1)
            self._found[stage, worker] = snapshot, inside
        return self._found[stage, worker]

    def _settled(self, stage: int) -> bool:
        """Whether all switches are in the same epoch."""
        epochs = {snapshot.epoch for snapshot in self.stages[stage]}
        return len(epochs) == 1 and 0 not in epochs

    # ---- contributions and expected results

    def announces(self, round_number: int) -> bool:
        """Whether a round announces blocks; in other rounds the chunk is at its end."""
        return round_number % 3 == 0 and round_number < self.rounds - 1

    def contribution(self, worker: int, lane: int, epoch: int, round_number: int) -> Message:
        """A worker's contribution: announcements, and data if the round before announced some; different in each epoch
        and round, and for each worker. Worker 0's contribution to round 1 is marked."""
        name = worker, lane, epoch, round_number
        if name not in self._contributions:
            self._contributions[name] = self._contribution(*name)
        return self._contributions[name]

    def _contribution(self, worker: int, lane: int, epoch: int, round_number: int) -> Message:
        held = round_number > 0 and self.announces(round_number - 1)
        words = np.full(32, 10000 * epoch + 1000 * round_number + 100 * lane + 2**worker, np.int32)
        columns = WIDE if self.job.wide else 1
        shards, owner = self.job.shards, (worker - round_number - lane) % len(self.homes) == 0
        if (self.job.wide and worker % 2) or (shards == "kept" and owner) or (shards == "gathered" and not owner):
            # This worker does not hold the block, or does not send it.
            words, columns = np.zeros(32, np.int32), 1 if worker in self.job.pad else 0
        next_block = 10 * (round_number + 1) + worker if self.announces(round_number) else NO_BLOCK
        packet = Packet(
            Kind.CONTRIBUTION,
            JOB,
            lane,
            epoch,
            round_number,
            self.job.shape.number(worker),
            columns=(Column(10 * round_number, next_block, worker),),
            data=dict.fromkeys(range(columns), words) if held else {},
            marked=(worker, round_number) == (0, 1),
            declines=shards != "" and owner == (shards == "gathered"),
        )
        return Message(worker, self.homes[worker], packet.encode())

    def check(self, worker: int, assigned: frozenset[Chunk], result: Packet) -> frozenset[Chunk]:
        """Checks that a worker's result is that of all members in its epoch, and has data only if the worker needs
        them. Returns the chunks assigned so far."""
        at = result.epoch, result.lane, result.round
        if at not in self._due:
            self._due[at] = self._expected(*at)
        due = self._due[at]
        assert result.declines == self._packet(self.contribution(worker, result.lane, *at[::2])).declines
        assert set(result.data) == (set() if result.declines else set(due.data))
        assert all(np.array_equal(words, due.data[column]) for column, words in result.data.items())
        assert result.congested == due.congested
        if due.columns[0].next != NO_BLOCK:
            assert result.columns == due.columns
            return assigned
        assert result.columns[0].next & ASSIGNED
        assigned |= {(*at, result.columns[0].next)}
        chunks = {(epoch, chunk) for epoch, _, _, chunk in assigned}
        assert len({each[:3] for each in assigned}) == len(chunks) == len(assigned)
        return assigned

    def _expected(self, epoch: int, lane: int, round_number: int) -> Packet:
        """The expected result of a round, before a chunk is assigned."""
        sent = [self.contribution(worker, lane, epoch, round_number) for worker in self._members[epoch]]
        shares = [self._packet(each) for each in sent]
        filled = {column for share in shares for column in share.data}
        nothing = np.zeros(32, np.int32)
        return replace(
            shares[0],
            data={column: np.sum([share.data.get(column, nothing) for share in shares], 0) for column in filled},
            columns=(min((share.columns[0] for share in shares), key=lambda each: (each.next, -each.exponent)),),
            congested=any(share.marked for share in shares),
        )

    # ---- transitions

    def start(self) -> World:
        workers = range(len(self.homes))
        memories = tuple(self._number(snapshot.memory) for snapshot in self.stages[0])
        rounds = tuple((0,) * self.lanes for _ in workers)
        opening = [self.contribution(worker, lane, EPOCH, 0) for worker in workers for lane in range(self.lanes)]
        return World(0, (EPOCH,) * len(workers), rounds, memories, self._sent(opening), frozenset())

    def after(self, world: World) -> Iterator[World]:
        """Yields the next worlds: for each message that may matter, for a write, and for a worker that learns of
        one."""
        for at in range(world.sent.bit_length()):
            if world.sent >> at & 1:
                next_world, left = self._deliver(world, self._messages[at])
                sent = next_world.sent | self._sent(left)
                yield next_world if sent == next_world.sent else next_world._replace(sent=sent)
        if world.stage + 1 < len(self.stages):
            yield self._advance(world)
        for worker in self._late(world):
            yield self._enter(world, worker)

    def ends(self, world: World) -> bool:
        """Whether the call ends if no more packets are lost, and each worker repeats unanswered contributions."""
        while not self._settled(world.stage):
            world = self._advance(world)
        for worker in self._late(world):
            world = self._enter(world, worker)
        passed: set[tuple[object, ...]] = set()
        members = self._members[self.stages[world.stage][0].epoch]
        while any(now < self.rounds for worker in members for now in world.rounds[worker]):
            here = world.stage, world.rounds, world.memories
            if here in self._live:
                break
            if here in passed:
                return False
            passed.add(here)
            under_way = deque(
                self.contribution(worker, lane, world.epochs[worker], now)
                for worker in members
                for lane, now in enumerate(world.rounds[worker])
                if now < self.rounds
            )
            while under_way:
                world, left = self._deliver(world, under_way.popleft())
                under_way += left
        self._live |= passed
        return True

    def queries(self, world: World) -> None:
        """Checks that queries change nothing for contributions and have an answer, and that the answers are true: a
        worker that is not told to need not repeat its contribution, one that is told to does not do so in vain, and if
        any repetition can help, some worker is told to; and a result is that of all."""
        here = world.stage, world.epochs, world.rounds, world.memories
        if here in self._asked:
            return
        self._asked.add(here)
        homes = [self._home(world.stage, worker) for worker in range(len(self.homes))]
        for lane in range(self.lanes):
            can_help = told = False
            for worker, (home, inside) in enumerate(homes):
                now = world.rounds[worker][lane]
                if not inside or world.epochs[worker] != home.epoch or now == self.rounds:
                    continue
                contribution = self.contribution(worker, lane, home.epoch, now)
                after, heard = self._follow(world, contribution)
                helps = after != world or any(self._packet(each).kind is Kind.RESULT for each in heard)
                for columns in ((), self._packet(contribution).columns):
                    must = self._ask(world, contribution, columns)
                    assert helps or not must
                    assert must or self._deliver(world, contribution)[0] == world
                    told |= must
                can_help |= helps
            assert told or not can_help or not self._settled(world.stage)

    def _ask(self, world: World, contribution: Message, columns: tuple[Column, ...]) -> bool:
        """Asks about a contribution. Returns whether the answer tells the worker that it is missing, or that the round
        is complete, or whether it is the result."""
        query = replace(self._packet(contribution), kind=Kind.QUERY, columns=columns, data={})
        asked, heard = self._follow(world, contribution._replace(payload=query.encode()))
        assert self._follow(asked, contribution) == self._follow(world, contribution)
        answers = [self._packet(each) for each in heard]
        assert answers or not self._settled(world.stage)
        # A long result comes in two parts.
        if parts := [each for each in answers if each.kind is Kind.RESULT]:
            data = {column: words for each in parts for column, words in each.data.items()}
            assert isinstance(contribution.sender, int)
            self.check(contribution.sender, world.assigned, replace(parts[0], data=data))
        missing = [each.workers for each in answers if each.kind is Kind.MISSING]
        return bool(parts) or any(not workers or workers >> query.worker & 1 for workers in missing)

    def _follow(self, world: World, message: Message) -> tuple[World, list[Message]]:
        """Delivers a message, and what switches send because of it. Returns the next world, and the messages to
        workers."""
        under_way, heard = deque([message]), []
        while under_way:
            each = under_way.popleft()
            if isinstance(each.receiver, int):
                heard.append(each)
            else:
                world, left = self._deliver(world, each)
                under_way += left
        return world, heard

    def late_messages(self, worlds: Iterable[World]) -> None:
        """Checks that messages of an epoch that a switch has left change nothing, for any of its memories."""
        remembered = {
            (snapshot, memory)
            for world in worlds
            for snapshot, memory in zip(self.stages[world.stage], world.memories, strict=True)
        }
        for name, stages in zip(self.names, zip(*self.stages, strict=True), strict=True):
            messages = [each for each in self._messages if each.receiver == name]
            for snapshot, memory in remembered:
                if snapshot not in stages:
                    continue
                before = self._memories[memory]
                for message in messages:
                    if self._packet(message).epoch < snapshot.epoch:
                        after, left = snapshot.step(before, message)
                        assert after == before
                        assert {self._packet(each).kind for each in left} <= {Kind.EPOCH}

    def _deliver(self, world: World, message: Message) -> tuple[World, list[Message]]:
        """Delivers a message. Returns the next world, and the messages sent."""
        if isinstance(message.receiver, int):
            return self._hear(world, message.receiver, self._packet(message))
        at = self.names.index(message.receiver)
        step = self.stages[world.stage][at], world.memories[at], message
        if step not in self._steps:
            after, sent = step[0].step(self._memories[step[1]], message)
            self._steps[step] = self._number(after), sent
        memory, left = self._steps[step]
        if memory != step[1]:
            world = world._replace(memories=(*world.memories[:at], memory, *world.memories[at + 1 :]))
        return world, left

    def _hear(self, world: World, worker: int, packet: Packet) -> tuple[World, list[Message]]:
        epoch, rounds = world.epochs[worker], world.rounds[worker]
        lane, now = packet.lane, packet.round
        if packet.kind is not Kind.RESULT or (packet.epoch, now) != (epoch, rounds[lane]):
            return world, []
        assigned = self.check(worker, world.assigned, packet)
        rounds = (*rounds[:lane], now + 1, *rounds[lane + 1 :])
        world = world._replace(rounds=(*world.rounds[:worker], rounds, *world.rounds[worker + 1 :]), assigned=assigned)
        more = [self.contribution(worker, lane, epoch, now + 1)] if now + 1 < self.rounds else []
        return self._forget(world), more

    def _advance(self, world: World) -> World:
        """Makes the controller's next write. Workers that are no longer members stop sending."""
        stage = world.stage + 1
        memories = tuple(
            self._number((0,) * len(self._memories[memory])) if name == self._wiped[stage] else memory
            for name, memory in zip(self.names, world.memories, strict=True)
        )
        epochs = list(world.epochs)
        for worker, epoch in enumerate(epochs):
            snapshot, inside = self._home(stage, worker)
            if snapshot.epoch > epoch and not inside:
                epochs[worker] = 0
        return self._forget(world._replace(stage=stage, memories=memories, epochs=tuple(epochs)))

    def _late(self, world: World) -> list[int]:
        """The workers that are not in their switch's epoch."""
        homes = [self._home(world.stage, worker) for worker in range(len(self.homes))]
        return [worker for worker, (home, inside) in enumerate(homes) if inside and home.epoch > world.epochs[worker]]

    def _enter(self, world: World, worker: int) -> World:
        """A worker learns of its switch's epoch, and enters it."""
        epoch = self._home(world.stage, worker)[0].epoch
        world = world._replace(
            epochs=(*world.epochs[:worker], epoch, *world.epochs[worker + 1 :]),
            rounds=(*world.rounds[:worker], (0,) * self.lanes, *world.rounds[worker + 1 :]),
        )
        world = self._forget(world)
        opening = [self.contribution(worker, lane, epoch, 0) for lane in range(self.lanes)]
        return world._replace(sent=world.sent | self._sent(opening))

    def _forget(self, world: World) -> World:
        """Drops everything that no longer matters."""
        known = world.stage, world.epochs, world.rounds, len(self._messages)
        if known not in self._mattering:
            self._mattering[known] = sum(
                self._bits[message] for message in self._messages if self._is_awaited(world, message)
            )
        oldest = min(epoch for epoch in world.epochs if epoch)
        assigned = frozenset(each for each in world.assigned if each[0] >= oldest)
        return world._replace(sent=world.sent & self._mattering[known], assigned=assigned)

    def _is_awaited(self, world: World, message: Message) -> bool:
        """Whether a message still matters to its receiver."""
        packet = self._packet(message)
        if not isinstance(message.receiver, int):
            return self._matters(self.stages[world.stage][self.names.index(message.receiver)], packet)
        epoch, now = world.epochs[message.receiver], world.rounds[message.receiver][packet.lane]
        return epoch > 0 and (packet.epoch, packet.round) >= (epoch, now)

    @staticmethod
    def _matters(snapshot: SwitchSnapshot, packet: Packet) -> bool:
        return packet.epoch >= snapshot.epoch and packet.kind in (Kind.CONTRIBUTION, Kind.RESULT)

    def _sent(self, messages: list[Message]) -> int:
        """The messages' bits. Leaves out those that only report missing workers or an epoch: they change nothing
        here."""
        sent = 0
        for message in messages:
            if message not in self._bits:
                self._bits[message] = 1 << len(self._messages)
                self._messages.append(message)
            if self._packet(message).kind in (Kind.CONTRIBUTION, Kind.RESULT):
                sent |= self._bits[message]
        return sent

    def _packet(self, message: Message) -> Packet:
        if message.payload not in self._packets:
            self._packets[message.payload] = Packet.decode(message.payload)
        return self._packets[message.payload]


def _befall(made: dict[Node, InProcessSwitch], changes: tuple[Change, ...]) -> Iterator[tuple[Node, bool]]:
    """Makes the events happen in order. Yields each one's switch, and whether it restarts."""
    for name, epoch, workers in changes:
        if epoch:
            for _ in made[name].entering(epoch, workers):
                yield name, False
        else:
            made[name].start()
            yield name, True


def explore(job: Job) -> int:
    """Explores all reachable worlds. Returns their number."""
    here = Tree(job)
    start = here.start()
    found, open_worlds = {start}, [start]
    while open_worlds:
        world = open_worlds.pop()
        assert here.ends(world)
        here.queries(world)
        for after in here.after(world):
            if after not in found:
                found.add(after)
                open_worlds.append(after)
    here.late_messages(found)
    return len(found)


def one_switch(workers: int) -> Shape:
    return Shape({SPINE: None}, [SPINE] * workers)


def wide(shape: Shape, rounds: int, *changes: Change) -> Job:
    """A job with a block that is too large for an answer to a header, held by every other worker."""
    return Job(shape, rounds, wide=True, pad=tuple(range(len(shape.homes))) if shape.leaf else (), changes=changes)


def unpadded(shape: Shape, rounds: int) -> Job:
    """The same on switches that let packets grow to any size."""
    return Job(shape, rounds, wide=True, growth=MAX_PAYLOAD)


NEXT, THIRD = EPOCH + 1, EPOCH + 2
PAIR, TRIO, RACKS, LINKED, ROW = one_switch(2), one_switch(3), racks(1, 1), racks(1, top=1), tiers(1, 1, 1)


@pytest.mark.parametrize(
    ("job", "least"),
    [
        pytest.param(Job(one_switch(1), 6), 40, id="1 worker"),
        pytest.param(Job(one_switch(2), 6), 400, id="2 workers"),
        pytest.param(Job(one_switch(3), 4), 2000, id="3 workers"),
        pytest.param(Job(one_switch(4), 2), 1000, id="4 workers"),
        pytest.param(Job(one_switch(1), 3, lanes=2), 700, id="2 lanes"),
        pytest.param(Job(one_switch(2), 2, lanes=2), 4000, id="2 workers on 2 lanes"),
        pytest.param(Job(one_switch(3), 4, shards="scattered"), 2000, id="3 workers, each its own part"),
        pytest.param(
            Job(one_switch(2), 2, lanes=2, wide=True, pad=(0, 1), shards="scattered"), 4000, id="2 workers, wide parts"
        ),
        pytest.param(Job(racks(1, 1), 4), 700, id="2 racks of 1"),
        pytest.param(Job(racks(2, 1), 3, shards="scattered"), 2000, id="racks of 2 and 1, each its own part"),
        pytest.param(Job(racks(2, 1), 3), 2000, id="racks of 2 and 1"),
        pytest.param(Job(racks(2, 2), 3), 10000, id="2 racks of 2"),
        pytest.param(wide(LINKED, 6), 700, id="2 linked switches of 1"),
        pytest.param(Job(LINKED, 2, lanes=2, wide=True, pad=(0, 1)), 8000, id="2 linked switches on 2 lanes"),
        pytest.param(wide(racks(2, top=2), 3), 10000, id="2 linked switches of 2"),
        pytest.param(wide(racks(1, 1, top=1), 5), 7000, id="2 racks of 1, and 1 on the spine"),
        pytest.param(wide(ROW, 5), 5000, id="3 tiers of 1"),
        pytest.param(replace(wide(ROW, 4), shards="scattered"), 1000, id="3 tiers of 1, each its own part"),
        pytest.param(Job(one_switch(3), 4, shards="kept"), 2000, id="3 workers, each keeps its own part"),
        pytest.param(Job(racks(2, 1), 3, shards="kept"), 2000, id="racks of 2 and 1, each keeps its own part"),
        pytest.param(replace(unpadded(ROW, 4), shards="kept"), 1000, id="3 tiers of 1, each keeps its own part"),
        pytest.param(Job(one_switch(3), 4, shards="gathered"), 2000, id="3 workers, each gives its own part"),
        pytest.param(Job(racks(2, 1), 3, shards="gathered"), 2000, id="racks of 2 and 1, each gives its own part"),
        pytest.param(Job(ROW, 4, shards="gathered"), 1000, id="3 tiers of 1, each gives its own part"),
        pytest.param(unpadded(LINKED, 4), 300, id="2 linked switches that let packets grow"),
        pytest.param(
            replace(unpadded(racks(1, 1, top=1), 3), shards="scattered"), 1000, id="racks that let packets grow"
        ),
        pytest.param(unpadded(ROW, 4), 1000, id="3 tiers that let packets grow"),
        pytest.param(wide(tiers(0, 2, 1), 3), 1000, id="3 tiers of 0, 2 and 1"),
        pytest.param(wide(tiers(1, 0, 1, 1), 3), 3000, id="3 tiers of 1, 0 and 2 leaves"),
        pytest.param(wide(tiers(1, 1, 1, 1), 2), 3000, id="3 tiers of 1, 1 and 2 leaves"),
    ],
)
def test_no_order_of_events_gives_a_wrong_sum_or_a_dead_end(job: Job, least: int) -> None:
    assert explore(job) >= least, "so few states: was anything tried?"


def everywhere(epoch: int, *names: Node) -> tuple[Change, ...]:
    """A change of epoch on these switches, in the controller's order; by default, on two racks."""
    return tuple(Change(name, epoch) for name in names or (SPINE, "leaf0", "leaf1"))


@pytest.mark.parametrize(
    ("job", "least"),
    [
        pytest.param(Job(PAIR, 3, changes=everywhere(NEXT, SPINE)), 400, id="the same members"),
        pytest.param(Job(PAIR, 2, lanes=2, changes=everywhere(NEXT, SPINE)), 10000, id="2 lanes"),
        pytest.param(Job(TRIO, 3, changes=(Change(SPINE, NEXT, (0, 2)),)), 4000, id="one of 3 fewer"),
        pytest.param(Job(one_switch(4), 2, changes=(Change(SPINE, NEXT, (0, 1, 3)),)), 10000, id="one of 4 fewer"),
        pytest.param(
            Job(TRIO, 2, changes=(Change(SPINE, NEXT, (1, 2)), Change(SPINE, THIRD))),
            5000,
            id="one fewer, and back again",
        ),
        pytest.param(Job(TRIO, 3, changes=(Change(SPINE, 0), Change(SPINE, NEXT))), 3000, id="a switch starts anew"),
        pytest.param(Job(RACKS, 3, changes=everywhere(NEXT)), 3000, id="racks, the spine first"),
        pytest.param(Job(RACKS, 3, changes=everywhere(NEXT), shards="scattered"), 3000, id="racks, each its own part"),
        pytest.param(Job(RACKS, 3, changes=everywhere(NEXT), shards="kept"), 3000, id="racks, each keeps its own part"),
        pytest.param(
            Job(RACKS, 3, changes=everywhere(NEXT), shards="gathered"), 3000, id="racks, each gives its own part"
        ),
        pytest.param(
            Job(RACKS, 3, changes=everywhere(NEXT, "leaf0", "leaf1", SPINE)), 7000, id="racks, the spine last"
        ),
        pytest.param(Job(RACKS, 2, changes=(*everywhere(NEXT), *everywhere(THIRD))), 10000, id="racks, twice"),
        pytest.param(Job(racks(2, 2), 2, changes=everywhere(NEXT)), 20000, id="racks of 2"),
        pytest.param(
            Job(racks(2, 1), 2, changes=(Change(SPINE, NEXT), Change("leaf0", NEXT, (1,)), Change("leaf1", NEXT))),
            5000,
            id="racks, one member fewer",
        ),
        pytest.param(Job(RACKS, 2, changes=(Change(SPINE, 0), *everywhere(NEXT))), 1000, id="a spine starts anew"),
        pytest.param(Job(RACKS, 2, changes=(Change("leaf0", 0), *everywhere(NEXT))), 1000, id="a leaf starts anew"),
        pytest.param(
            Job(RACKS, 2, changes=(*everywhere(NEXT, SPINE, "leaf0"), Change(SPINE, 0), *everywhere(THIRD))),
            2000,
            id="a spine starts anew amidst a change",
        ),
        pytest.param(wide(LINKED, 3, *everywhere(NEXT, SPINE, "leaf0")), 1000, id="2 linked switches, the top first"),
        pytest.param(wide(LINKED, 3, *everywhere(NEXT, "leaf0", SPINE)), 1500, id="2 linked switches, the top last"),
        pytest.param(
            wide(racks(1, top=2), 2, Change(SPINE, NEXT, (0, 2)), Change("leaf0", NEXT)),
            2500,
            id="2 linked switches, one member fewer",
        ),
        pytest.param(wide(racks(1, 1, top=1), 2, *everywhere(NEXT)), 10000, id="racks, and 1 on the spine"),
        pytest.param(wide(ROW, 2, *everywhere(NEXT, SPINE, "middle", "leaf0")), 5000, id="3 tiers, the top first"),
        pytest.param(wide(ROW, 2, *everywhere(NEXT, "leaf0", "middle", SPINE)), 8000, id="3 tiers, the top last"),
        pytest.param(
            wide(ROW, 2, Change("middle", 0), *everywhere(NEXT, SPINE, "middle", "leaf0")),
            3500,
            id="3 tiers, the middle starts anew",
        ),
    ],
)
def test_no_new_epoch_or_restart_gives_a_wrong_sum_or_a_dead_end(job: Job, least: int) -> None:
    assert explore(job) >= least, "so few states: was anything tried?"


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(Job(PAIR, 3, changes=(Change(SPINE, EPOCH, (0,)),)), id="for other members"),
        pytest.param(Job(PAIR, 3, changes=(Change(SPINE, 0), Change(SPINE, EPOCH))), id="on a switch that starts anew"),
        pytest.param(
            Job(RACKS, 3, changes=(Change("leaf0", 0), Change("leaf0", EPOCH))), id="on a leaf that starts anew"
        ),
    ],
)
def test_reuse_of_an_epoch_is_detected(job: Job) -> None:
    """Shows that the search detects errors."""
    with pytest.raises(AssertionError):
        explore(job)


@pytest.mark.parametrize(
    ("shape", "pad"),
    [
        pytest.param(racks(1, top=2), (2,), id="at the top"),
        pytest.param(tiers(0, 2, 1), (2,), id="in the middle"),
        pytest.param(racks(2, 2), (0, 1), id="on a leaf"),
    ],
)
def test_a_worker_that_pads_too_little_is_detected(shape: Shape, pad: tuple[int, ...]) -> None:
    """A split result would reach a leaf, which takes the first part for all of it, or a share could not be sent."""
    with pytest.raises(AssertionError):
        explore(Job(shape, 2, wide=True, pad=pad))
