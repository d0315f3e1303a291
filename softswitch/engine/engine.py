"""A switch program, running: packets go in and come out, and its tables, registers and counters can be changed."""

from __future__ import annotations

import ctypes
import logging
import secrets
from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.compiler.compile import compile_program
from dropzero.softswitch.compiler.queued_packets import (
    DEPTH,
    DROPPED,
    EXPECTED,
    GOES,
    LEFT,
    QUEUE,
    WRITTEN,
    queued_packet_bytes,
)
from dropzero.softswitch.compiler.recirculation import RING_SLOTS, recirculates, ring_slot_bytes
from dropzero.softswitch.engine.context import ContextWords
from dropzero.softswitch.engine.fair_lock import FairLock
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.queues import Queues, Wire
from dropzero.softswitch.engine.trace import PIECE, Trace
from dropzero.softswitch.program.model import Program
from dropzero.softswitch.state.layout import PacketVector
from dropzero.softswitch.state.program_state import ProgramState
from dropzero.softswitch.state.reports import DIGEST, STEP, Digest, Reports, message, messages

log = logging.getLogger(__name__)

ALLOWANCE = 4096
"""Bytes that a batch's packets may grow by, or its copies take, before the output takes a second buffer."""


class QueuedPacket(NamedTuple):
    """A packet that waits in a queue. engine: whose program it goes on in. words: of the memory that it lies in. at:
    where in it, in words. address: where that is. size: bytes."""

    engine: Engine
    words: NDArray[np.int64]
    at: int
    address: int
    size: int


class _Leaving(NamedTuple):
    """A packet that leaves a queue. own: it waits for this program. time: when it leaves, nanoseconds; begin: when it
    does at the earliest, however long those before it turn out to be."""

    port: int
    item: QueuedPacket
    own: bool
    time: int
    begin: int


class Engine(ProgramState):
    """The whole pipeline of simple_switch, as native code over batches of packets; no sockets, no clock, no threads.

    One thread at a time: whoever calls process() or touches tables, registers, counters or multicast holds `lock` when
    there are others. process() lets go of Python's own lock while it runs.

    Beside the program's state:
    queues:    where packets wait between ingress and egress; engines may share them
    reports_lost: how many digests and messages found no room, because one batch of packets left too many
    cpu_port:  the port whose packets are for, and from, the control plane; None when there is none
    drop_port: the egress_spec that drops a packet

    What the program logs, and its assertions that do not hold, go to the log of this module, level INFO or ERROR.
    Idle timeouts are the tables': Table.idle(now).
    """

    def __init__(
        self,
        program: Program,
        *,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int | None = None,
        queues: Queues[QueuedPacket] | None = None,
        traced: bool = False,
    ) -> None:
        """Compiles, or takes from the cache of compiled programs. UnsupportedProgram if it cannot be compiled.

        seed: of the program's random numbers; None takes one from the operating system. queues: None makes one a port,
        and a packet whose priority has none is dropped. traced: every step of every packet goes to the log, level
        DEBUG, at a great cost.
        """
        super().__init__(program)
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.lock = FairLock()
        self.queues = Queues[QueuedPacket]() if queues is None else queues
        self._reports = Reports()
        self._messages = list(messages(program))
        self._digests: list[Digest] = []
        vector = PacketVector(program)
        # A clone has a vector beside that of the packet.
        self._vector = np.zeros(2 * vector.size // 8, dtype=np.uint64)
        ring_bytes = RING_SLOTS * ring_slot_bytes(vector) if recirculates(program) else 0
        self._waiting = np.zeros(ring_bytes // 8, dtype=np.uint64)
        self._aside = np.zeros(vector.size // 8, dtype=np.uint64)
        self._words = ContextWords(self)
        self._layout, self._context = self._words.layout, self._words.words
        self._context[self._layout.random] = secrets.randbits(64) if seed is None else seed & (1 << 64) - 1
        self._context[self._layout.reports] = self._reports.words.ctypes.data
        self._context[self._layout.waiting] = self._waiting.ctypes.data
        self._context[self._layout.queued] = self.queues.queued.ctypes.data
        self._memory = tuple(int(each.ctypes.data) for each in (self._context, self._vector, self._aside))
        header_bytes = sum(program.headers[name].type.bits // 8 for name in program.deparser)
        self._growth = max(header_bytes, queued_packet_bytes(vector))
        self._expansion = 1.0
        """Packets that became of one, in the batch of late with most: what a batch is given room for."""
        self._left: list[tuple[Frames, NDArray[np.int64]]] = []
        self._trace = Trace(program) if traced else None
        self._module = compile_program(program, drop_port, self.queues.priorities, traced=traced)
        address = self._module.address("process")
        self._process = _BATCH(address)
        self.places = dict(zip(("process", "context", "vector", "aside"), (address, *self._memory), strict=True))
        """Where its program and memory are, for native code."""
        self._resume = _BATCH(self._module.address("resume"))

    def process(self, frames: Frames, now: int) -> Frames:
        """Runs the packets through the pipeline, in order, and returns those that leave, in the order they leave.

        A packet's `port` is the one it came in by, and of those returned the one to send it out of; packets for the
        control plane leave by `cpu_port` like any others. now: microseconds, what the program reads as timestamps.

        What is cloned, resubmitted or recirculated goes through at once, right after the packet it came from, as often
        as recirculation.py allows. Digests are for take_digests().

        Packets for ports that have queues wait there until release().
        """
        self._serve(now)
        data, start, length, port = self._flat(frames)
        if self._trace is None:
            return self._run(self._process, data, start, length, port, 1000 * now)
        pieces = [slice(at, at + PIECE) for at in range(0, len(frames), PIECE)]
        return Frames.joined(
            [self._run(self._process, data, start[each], length[each], port[each], 1000 * now) for each in pieces]
        )

    def update_context(self) -> None:
        """Lets the compiled program see what the control plane has changed since the last batch."""
        self._words.update(self)

    @property
    def direct(self) -> bool:
        """Whether packets go through the compiled program and nothing else: there are no queues, and no trace."""
        return self._trace is None and not self.queues.used and not self._left

    def go_on(self, frames: Frames, taken: int, output: Output, time: int) -> Frames:
        """Like process(), when native code has had the program take so many of the packets, at `time` in nanoseconds;
        what became of these is in the output. Returns what leaves of all."""
        return self._run(self._process, *self._flat(frames), time, taken, output)

    @property
    def next(self) -> int | None:
        """When release() will have something to do, in microseconds; None: nothing waits."""
        if self._left:
            return 0
        due = self.queues.next
        return None if due is None else -(-due // 1000)

    def release(self, now: int) -> tuple[Frames, NDArray[np.int64]]:
        """The packets that have left their queues by now, and since the last time, and (n,) when each has been sent by
        its port, in nanoseconds; for the last one of a port that may be after now.

        now: may be a little ahead of the next process(), which then counts these packets as still waiting.

        Each has gone through egress at the time it left. What waited for another program than this is dropped then.
        """
        self._serve(now)
        left, self._left = self._left, []
        sent = [times for _, times in left]
        return Frames.joined([frames for frames, _ in left]), np.concatenate([np.zeros(0, dtype=np.int64), *sent])

    def _serve(self, now: int) -> None:
        """Runs what leaves its queue by now through egress: all at once, because how long each is under way is known
        before, unless egress changes its headers. Where one may become several, those that leave at the same time."""
        queues = self.queues
        leaving: list[_Leaving] = []
        wires: dict[int, Wire] = {}
        while True:
            time, departures = queues.leave(1000 * now)
            for number, item, left in departures:
                wire = queues.wire(number)
                wires.setdefault(number, wire)
                item.words[item.at + LEFT], item.words[item.at + GOES] = left, time // 1000
                own = item.engine is self
                queues.sent(number, time, int(item.words[item.at + EXPECTED]) if own else 0)
                # What goes as soon as the wire is free goes then, whenever that is.
                leaving.append(_Leaving(number, item, own, time, 0 if wire.free == time else time))
            if not leaving:
                return
            if self._waiting.size or not departures:
                self._resume_all(leaving, wires)
                leaving, wires = [], {}

    def _resume_all(self, leaving: list[_Leaving], wires: dict[int, Wire]) -> None:
        """Runs packets through egress. wires: of their ports, before."""
        own = [each for each in leaving if each.own]
        start = np.array([each.item.address for each in own], dtype=np.int64)
        length = np.array([each.item.size for each in own], dtype=np.int32)
        port = np.array([each.port for each in own], dtype=np.int32)
        frames = self._run(self._resume, 0, start, length, port, leaving[0].time)
        for number, wire in wires.items():
            self.queues.rewind(number, wire)
        sent: dict[int, deque[int]] = {number: deque() for number in wires}
        for each in leaving:
            written = int(each.item.words[each.item.at + WRITTEN]) if each.own else DROPPED
            end = self.queues.sent(each.port, each.begin, max(written, 0))
            if written >= 0:
                sent[each.port].append(end)
        if len(frames):
            # Clones may leave by a port that has no queue.
            ends = [sent[number].popleft() if number in sent else leaving[0].time for number in frames.port.tolist()]
            self._left.append((frames, np.array(ends, dtype=np.int64)))

    def _flat(self, frames: Frames) -> tuple[int, NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The data's address, starts, lengths and ports, each in one piece."""
        data = np.ascontiguousarray(frames.data, dtype=np.uint8)
        start = np.ascontiguousarray(frames.start, dtype=np.int64)
        length = np.ascontiguousarray(frames.length, dtype=np.int32)
        return data.ctypes.data, start, length, np.ascontiguousarray(frames.port, dtype=np.int32)

    def _run(
        self,
        batch: Any,
        data: int,
        start: NDArray[np.int64],
        length: NDArray[np.int32],
        port: NDArray[np.int32],
        time: int,
        at: int = 0,
        out: Output | None = None,
    ) -> Frames:
        """Packets at the address `data`, through process or resume, at `time` in nanoseconds. Of what becomes of them,
        those that leave; those for ports with queues have entered them. `out` has what the first `at` became."""
        self.update_context()
        context = self._context
        copies = int(context[self._layout.most_copies])
        addresses = start.ctypes.data, length.ctypes.data, port.ctypes.data
        batches: list[Frames] = []
        departed = waiting = 0
        while True:
            if out is not None:
                frames = out.frames(int(context[self._layout.departed]))
                departed += len(frames)
                batches.append(self._enter(frames, out.words, time) if self.queues.used else frames)
                waiting = int(context[self._layout.waiting_count])
            if at == len(length) and not waiting:
                break
            left = length[at:]
            # At least the next packet finds room for all that may become of it.
            next_size = int(context[self._layout.wanted]) if waiting else (int(left[0]) + self._growth) * copies
            size = int(self._expansion * int(left.sum(dtype=np.int64))) + ALLOWANCE + next_size
            out = Output(size, int(self._expansion * len(left)) + copies)
            at += batch(
                *self._memory,
                data,
                addresses[0] + start.itemsize * at,
                addresses[1] + length.itemsize * at,
                addresses[2] + port.itemsize * at,
                *out.addresses,
                len(left),
                time // 1000,
                out.size,
                out.count,
            )
        if context[self._layout.reports_end]:
            self._read_reports()
        self._expansion = max(1.0, departed / max(len(length), 1), 0.9 * self._expansion)
        return Frames.joined(batches)

    def _enter(self, frames: Frames, words: NDArray[np.int64], time: int) -> Frames:
        """Puts the queued packets of an output into their queues; returns the others."""
        queued = frames.length < 0
        base = words.ctypes.data
        for start, length, port in zip(
            frames.start[queued].tolist(), frames.length[queued].tolist(), frames.port[queued].tolist(), strict=True
        ):
            at = start // 8
            item = QueuedPacket(self, words, at, base + start, -length)
            depth = self.queues.enter(port, int(words[at + QUEUE]), item, time)
            if depth is not None:
                words[at + DEPTH] = depth
        rest = ~queued
        return Frames(frames.data, frames.start[rest], frames.length[rest], frames.port[rest])

    def take_digests(self) -> list[Digest]:
        """The digests since the last time, the oldest first; they are no longer kept here."""
        digests, self._digests = self._digests, []
        return digests

    @property
    def reports_lost(self) -> int:
        return int(self._context[self._layout.reports_lost])

    def _read_reports(self) -> None:
        end = int(self._context[self._layout.reports_end])
        self._context[self._layout.reports_end] = 0
        for report in self._reports.read(end):
            if report.kind == DIGEST:
                self._digests.append(Digest(self.program.digests[report.number].name, report.values))
            elif report.kind == STEP:
                assert self._trace is not None
                self._trace.add(report)
            else:
                self._tell_trace()
                primitive = self._messages[report.number]
                level = logging.INFO if primitive.op == "log_msg" else logging.ERROR
                log.log(level, "%s", message(primitive, report.values))
        self._tell_trace()

    def _tell_trace(self) -> None:
        if self._trace is not None and (entries := self._trace.take(self.reports_lost)):
            log.debug(entries)


class Output:
    """Room for `count` packets of `size` bytes together, all in one piece of memory."""

    def __init__(self, size: int, count: int) -> None:
        self.size = size
        self.count = count
        memory = np.empty(-(-(16 * count + size) // 8) * 8, dtype=np.uint8)
        self._start = memory[: 8 * count].view(np.int64)
        self._length = memory[8 * count : 12 * count].view(np.int32)
        self._port = memory[12 * count : 16 * count].view(np.int32)
        self._data = memory[16 * count :]
        self.words: NDArray[np.int64] = self._data.view(np.int64)
        base = memory.ctypes.data
        self.addresses = base + 16 * count, base, base + 8 * count, base + 12 * count
        """Of data, starts, lengths, ports."""

    def frames(self, departed: int) -> Frames:
        """The packets that are there."""
        return Frames(self._data, self._start[:departed], self._length[:departed], self._port[:departed])


_BATCH = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    *[ctypes.c_void_p] * 11,  # context, vector, aside; packets in: data, starts, lengths, ports; and out likewise
    *[ctypes.c_int64] * 4,  # packets in, now, room for packets out: bytes, number
)
"""The compiled program: `process` takes packets from the wire, `resume` queued ones (queued_packets.py). Returns how
many it has taken: all, unless the next might not have found room."""
