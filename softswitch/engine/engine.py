"""A running switch program: processes packets, and lets tables, registers and counters be read and changed."""

from __future__ import annotations

import ctypes
import logging
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.compiler.compile import compile_program
from dropzero.softswitch.compiler.queued_packets import (
    DEPTH,
    DROPPED,
    ENQUEUED,
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
from dropzero.softswitch.program.steps import Steps
from dropzero.softswitch.state.layout import PacketVector
from dropzero.softswitch.state.program_state import ProgramState
from dropzero.softswitch.state.reports import DIGEST, STEP, Digest, Report, Reports, message, messages

log = logging.getLogger(__name__)

ALLOWANCE = 4096
"""Spare bytes in a batch's output for packets that grow and for copies; beyond it, a second buffer is needed."""


@dataclass(slots=True)
class QueuedPacket:
    """A packet in a queue. engine: the engine that resumes it. words: the memory that holds it. at: its position there,
    in words. address: its address. size: bytes."""

    engine: Engine
    words: NDArray[np.int64]
    at: int
    address: int
    size: int

    def move(self) -> None:
        """Copies it into memory of its own."""
        self.words = self.words[self.at : self.at - (-self.size // 8)].copy()
        self.at, self.address = 0, self.words.ctypes.data


class _Leaving(NamedTuple):
    """A packet that leaves a queue. own: it belongs to this program. time: when it leaves, in nanoseconds; begin: the
    earliest time at which it could leave, whatever the lengths of the packets before it."""

    port: int
    item: QueuedPacket
    own: bool
    time: int
    begin: int


class Engine(ProgramState):
    """The whole pipeline of simple_switch, as native code over batches of packets; no sockets, no clock, no threads.

    Not thread-safe: with several threads, hold `lock` while calling process() or touching tables, registers, counters
    or multicast groups. process() releases Python's GIL while it runs.

    Besides the program's state:
    queues:    where packets wait between ingress and egress; engines may share them
    reports_lost: the number of digests and messages lost because one batch left too many
    cpu_port:  the port whose packets are for, and from, the control plane; None when there is none
    drop_port: the egress_spec that drops a packet
    growth:    the most bytes by which a packet gets longer, in a queue or by headers

    The program's log messages go to this module's logger, level INFO, and its failed assertions, level ERROR.
    For idle timeouts, see Table.idle().
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
        follow: Callable[[Report], object] | None = None,
    ) -> None:
        """Compiles the program, or loads it from the cache. Raises UnsupportedProgram if it cannot be compiled.

        seed: seeds the program's random numbers; None takes a seed from the operating system. queues: None makes one
        queue for each port; a packet with a priority that has no queue is dropped. traced: log every step of every
        packet, level DEBUG; this is slow. follow: called instead with each step, in detail, and with all other reports.
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
        # A second vector, for a clone.
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
        self.growth = max(header_bytes, queued_packet_bytes(vector))
        self._expansion = 1.0
        """The largest recent number of copies of one packet; sizes the next batch's output."""
        self._left: list[tuple[Frames, NDArray[np.int64]]] = []
        self._follow = follow
        steps = Steps(program, detailed=follow is not None) if traced or follow is not None else None
        self._trace = Trace(steps) if steps is not None and follow is None else None
        self._module = compile_program(program, drop_port, self.queues.priorities, steps)
        address = self._module.address("process")
        self._process = _BATCH(address)
        self.places = dict(zip(("process", "context", "vector", "aside"), (address, *self._memory), strict=True))
        """The addresses of its program and memory, for native code."""
        self.place_of_resume = self._module.address("resume")
        """The same of the rest of the program, for packets that leave their queues."""
        self._resume = _BATCH(self.place_of_resume)

    def process(self, frames: Frames, now: int) -> Frames:
        """Runs the packets through the pipeline, in order, and returns those that leave, in the order they leave.

        `port` is the ingress port of each packet in `frames`, and the egress port of each packet returned; packets for
        the control plane leave by `cpu_port`. now: the time in microseconds, which the program reads as timestamps.

        Cloned, resubmitted and recirculated packets are processed right after their original, as often as
        recirculation.py allows. take_digests() returns the digests.

        Packets for ports that have queues wait there until release().
        """
        # What leaves after the first has come, release() lets go: it leaves the others behind.
        self._serve(1000 * (now if frames.arrival is None or not len(frames) else int(frames.arrival.min())))
        data, arrays = self._flat(frames, now)
        if self._trace is None:
            return self._run(self._process, data, arrays, 1000 * now)
        pieces = [slice(at, at + PIECE) for at in range(0, len(frames), PIECE)]
        return Frames.joined(
            [self._run(self._process, data, tuple(array[each] for array in arrays), 1000 * now) for each in pieces]
        )

    def process_at(
        self, address: NDArray[np.int64], length: NDArray[np.int32], port: NDArray[np.int32], time: int
    ) -> Frames:
        """process() of packets that lie anywhere in memory, at `time` in nanoseconds. Does not log steps.

        address, length, port: of each packet, shape (n,)."""
        self._serve(time)
        return self._run(self._process, 0, (address, length, port, np.full(len(port), time // 1000)), time)

    def update_context(self) -> None:
        """Makes the control plane's changes since the last batch visible to the compiled program."""
        self._words.update(self)

    @property
    def timed(self) -> bool:
        """Whether it matters when each packet of a batch arrived."""
        return self.queues.used or self.program.arrival in self.program.fields

    @property
    def counts_behind(self) -> bool:
        """Whether the program reads how many packets each one leaves behind in its queue."""
        return self.program.standard("deq_qdepth", "queueing_metadata.deq_qdepth") in self.program.fields

    @property
    def direct(self) -> bool:
        """Whether packets need only the compiled program: no queues, and no trace."""
        return self._trace is None and self._follow is None and not self.queues.used and not self._left

    def go_on(self, frames: Frames, taken: int, output: Output, time: int) -> Frames:
        """Continues process() after native code has run the first `taken` packets, at `time` in nanoseconds, and put
        the results into `output`. Returns the packets that leave, of the whole batch."""
        return self._run(self._process, *self._flat(frames, time // 1000), time, taken, output)

    @property
    def next(self) -> int | None:
        """When release() next has something to do, in microseconds; None while nothing waits."""
        if self._left:
            return 0
        due = self.queues.next
        return None if due is None else -(-due // 1000)

    def release(self, now: int) -> tuple[Frames, NDArray[np.int64]]:
        """Returns the packets that left their queues since the last call, up to now, and when the port has sent each
        one, shape (n,), in nanoseconds; for the last packet of a port that may be after now.

        now: microseconds; may be a little ahead of the next process(), which then counts these packets as queued.

        Each went through egress at the time it left. Packets queued by an earlier program are dropped.
        """
        return self.release_at(1000 * now)

    def release_at(self, time: int) -> tuple[Frames, NDArray[np.int64]]:
        """release() up to `time` in nanoseconds."""
        self._serve(time)
        left, self._left = self._left, []
        sent = [times for _, times in left]
        return Frames.joined([frames for frames, _ in left]), np.concatenate([np.zeros(0, dtype=np.int64), *sent])

    def _serve(self, until: int) -> None:
        """Runs packets that leave their queues by `until` nanoseconds through egress, in one batch: their sizes on the
        wire are known before, unless egress changes headers. If egress may clone, a batch has only packets that leave
        together."""
        queues = self.queues
        leaving: list[_Leaving] = []
        wires: dict[int, Wire] = {}
        while True:
            time, departures = queues.leave(until)
            for number, item, left in departures:
                wire = queues.wire(number)
                wires.setdefault(number, wire)
                item.words[item.at + LEFT], item.words[item.at + GOES] = left, time // 1000
                own = item.engine is self
                queues.sent(number, time, int(item.words[item.at + EXPECTED]) if own else 0)
                # A packet that waits only for the wire leaves as soon as the wire is free.
                leaving.append(_Leaving(number, item, own, time, 0 if wire.free == time else time))
            if not leaving:
                return
            if self._waiting.size or not departures:
                self._resume_all(leaving, wires)
                leaving, wires = [], {}

    def _resume_all(self, leaving: list[_Leaving], wires: dict[int, Wire]) -> None:
        """Runs packets through egress. wires: the state of their ports' wires before."""
        own = [each for each in leaving if each.own]
        start = np.array([each.item.address for each in own], dtype=np.int64)
        length = np.array([each.item.size for each in own], dtype=np.int32)
        port = np.array([each.port for each in own], dtype=np.int32)
        # `resume` takes no arrivals.
        frames = self._run(self._resume, 0, (start, length, port, start), leaving[0].time)
        for number, wire in wires.items():
            self.queues.rewind(number, wire)
        sent: dict[int, deque[int]] = {number: deque() for number in wires}
        for each in leaving:
            written = int(each.item.words[each.item.at + WRITTEN]) if each.own else DROPPED
            end = self.queues.sent(each.port, each.begin, max(written, 0))
            if written >= 0:
                sent[each.port].append(end)
        if len(frames):
            # Clones may leave by a port without a queue.
            ends = [sent[number].popleft() if number in sent else leaving[0].time for number in frames.port.tolist()]
            self._left.append((frames, np.array(ends, dtype=np.int64)))

    def _flat(self, frames: Frames, now: int) -> tuple[int, tuple[NDArray[Any], ...]]:
        """The data's address, and starts, lengths, ports and arrivals, by default now, each contiguous."""
        data = np.ascontiguousarray(frames.data, dtype=np.uint8)
        start = np.ascontiguousarray(frames.start, dtype=np.int64)
        length = np.ascontiguousarray(frames.length, dtype=np.int32)
        port = np.ascontiguousarray(frames.port, dtype=np.int32)
        arrival = np.full(len(frames), now) if frames.arrival is None else frames.arrival
        return data.ctypes.data, (start, length, port, np.ascontiguousarray(arrival, dtype=np.int64))

    def _run(
        self,
        batch: Any,
        data: int,
        arrays: tuple[NDArray[Any], ...],
        time: int,
        at: int = 0,
        out: Output | None = None,
    ) -> Frames:
        """Runs the packets at address `data` through process or resume, at `time` in nanoseconds. Returns those that
        leave; those for ports with queues are queued. out: the results of the first `at` packets."""
        self.update_context()
        context = self._context
        copies = int(context[self._layout.most_copies])
        length = arrays[1]
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
            # Room for at least the next packet and all its copies.
            next_size = int(context[self._layout.wanted]) if waiting else (int(left[0]) + self.growth) * copies
            size = int(self._expansion * int(left.sum(dtype=np.int64))) + ALLOWANCE + next_size
            out = Output(size, int(self._expansion * len(left)) + copies)
            at += batch(
                *self._memory,
                data,
                *(array.ctypes.data + array.itemsize * at for array in arrays),
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
        """Puts the queued packets of an output into their queues; returns the others. time: nanoseconds, of those that
        arrived in its microsecond."""
        queued = frames.length < 0
        base = words.ctypes.data
        entered: list[QueuedPacket] = []
        # Ports are read in turn: the first to come is the first in the queue.
        order = np.flatnonzero(queued)
        order = order[np.argsort(words[frames.start[order] // 8 + ENQUEUED], kind="stable")]
        for start, length, port in zip(
            frames.start[order].tolist(), frames.length[order].tolist(), frames.port[order].tolist(), strict=True
        ):
            at = start // 8
            item = QueuedPacket(self, words, at, base + start, -length)
            came, expected = int(words[at + ENQUEUED]), int(words[at + EXPECTED])
            came = time if came == time // 1000 else 1000 * came
            depth = self.queues.enter(port, int(words[at + QUEUE]), item, came, expected)
            if depth is not None:
                words[at + DEPTH] = depth
                entered.append(item)
        if sum(item.size for item in entered) < words.nbytes // 2:
            # The packets that wait must not keep the memory of a whole batch each.
            for item in entered:
                item.move()
        rest = ~queued
        return Frames(frames.data, frames.start[rest], frames.length[rest], frames.port[rest])

    def take_digests(self) -> list[Digest]:
        """Returns and forgets the digests since the last call, the oldest first."""
        digests, self._digests = self._digests, []
        return digests

    @property
    def reports_lost(self) -> int:
        return int(self._context[self._layout.reports_lost])

    def _read_reports(self) -> None:
        end = int(self._context[self._layout.reports_end])
        self._context[self._layout.reports_end] = 0
        for report in self._reports.read(end):
            if self._follow is not None:
                self._follow(report)
            if report.kind == DIGEST:
                self._digests.append(Digest(self.program.digests[report.number].name, report.values))
            elif report.kind == STEP:
                if self._trace is not None:
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
        """The addresses of data, starts, lengths, ports."""

    def frames(self, departed: int) -> Frames:
        """The first `departed` packets."""
        return Frames(self._data, self._start[:departed], self._length[:departed], self._port[:departed])


_BATCH = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    *[ctypes.c_void_p] * 8,  # context, vector, aside; data, starts, lengths, ports, arrivals of packets in
    *[ctypes.c_void_p] * 4,  # data, starts, lengths, ports of packets out
    *[ctypes.c_int64] * 4,  # packets in, now, room for packets out: bytes, number
)
"""The compiled program: `process` takes packets from the wire, `resume` queued ones (queued_packets.py). Returns the
number of packets taken: all, unless the next might not have fitted in the output."""
