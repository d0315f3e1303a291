"""A running program: processes packets, and holds the tables, registers and counters that the control plane uses."""

from __future__ import annotations

import ctypes
import logging
import secrets
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.compiler.forwarding.compile import compile_program
from dropzero.softswitch.compiler.forwarding.queued_packets import growth
from dropzero.softswitch.compiler.forwarding.recirculation import RING_SLOTS, ring_slot_bytes
from dropzero.softswitch.engine.context import ContextWords
from dropzero.softswitch.engine.fair_lock import FairLock
from dropzero.softswitch.engine.frames import Frames, selected
from dropzero.softswitch.engine.program_state import ProgramState
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.engine.trace import PIECE, Trace
from dropzero.softswitch.program.model import Program
from dropzero.softswitch.program.steps import Steps
from dropzero.softswitch.state.layout import CHOICE_WORDS, PSA_CPU_PORT, PacketVector
from dropzero.softswitch.state.reports import DIGEST, STEP, Digest, Report, Reports, message, messages

log = logging.getLogger(__name__)

_numbers = count()
"""Engines may share queues; numbers tell their packets apart."""
ALLOWANCE = 4096
"""Spare bytes in a batch's output for longer packets and copies. If they do not suffice, the batch takes two calls."""

MOST_CHOICES = 1024
"""The most choices of one packet that choose() can give."""


class Engine(ProgramState):
    """The whole pipeline of simple_switch, as native code over batches of packets. It has no sockets, no clock and no
    threads.

    Not thread-safe: with several threads, hold `lock` while calling process(), or using tables, registers, counters or
    multicast groups. process() releases the GIL while native code runs.

    Logs the program's log messages with level INFO, and its failed assertions with level ERROR. For idle timeouts, see
    Table.idle().

    Attributes, in addition to the program's state:
        queues: between ingress and egress; engines may share them
        reports_lost: digests and messages lost because a batch produced too many
        number: tells its packets in the queues from other engines'
        cpu_port: the port of the control plane; None if there is none
        drop_port: the egress_spec that drops a packet
        growth: the most bytes by which a packet can get longer, by added headers or in a queue
    """

    def __init__(
        self,
        program: Program,
        *,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int | None = None,
        queues: Queues | None = None,
        traced: bool = False,
        follow: Callable[[Report], object] | None = None,
    ) -> None:
        """Compiles the program, or loads it from the cache.

        seed:   of the program's random numbers; None: from the operating system
        queues: None: one queue for each port. Packets with a priority that has no queue are dropped
        traced: log every step of every packet with level DEBUG, which is slow
        follow: called with each step, in detail, and with all other reports; steps are then not logged

        Raises:
            UnsupportedProgram: the program cannot be compiled.
        """
        super().__init__(program)
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.lock = FairLock()
        self.number = next(_numbers)
        self.queues = Queues() if queues is None else queues
        self._reports = Reports()
        self._messages = list(messages(program))
        self._digests: list[Digest] = []
        vector = PacketVector(program)
        # A second vector, for a clone.
        self._vector = np.zeros(2 * vector.size // 8, dtype=np.uint64)
        ring_bytes = RING_SLOTS * ring_slot_bytes(vector) if program.recirculates else 0
        self._waiting = np.zeros(ring_bytes // 8, dtype=np.uint64)
        self._aside = np.zeros(vector.size // 8, dtype=np.uint64)
        self._words = ContextWords(self)
        self._layout, self._context = self._words.layout, self._words.words
        self._context[self._layout.random] = secrets.randbits(64) if seed is None else seed & (1 << 64) - 1
        self._context[self._layout.reports] = self._reports.words.ctypes.data
        self._context[self._layout.waiting] = self._waiting.ctypes.data
        self._context[self._layout.cpu_port] = PSA_CPU_PORT if cpu_port is None else cpu_port
        self._context[self._layout.queued] = self.queues.queued.ctypes.data
        self._choices = np.zeros(CHOICE_WORDS if follow is None else CHOICE_WORDS + MOST_CHOICES, dtype=np.uint64)
        self._context[self._layout.choices] = self._choices.ctypes.data
        self._memory = tuple(int(each.ctypes.data) for each in (self._context, self._vector, self._aside))
        self.growth = growth(program, vector)
        self._expansion = 1.0
        """The largest recent ratio of packets out to packets in, by which the next batch's output is sized."""
        self._left: list[tuple[Frames, NDArray[np.int64]]] = []
        self._follow = follow
        steps = Steps(program, detailed=follow is not None) if traced or follow is not None else None
        self._trace = Trace(steps) if steps is not None and follow is None else None
        self._module = compile_program(program, drop_port, self.queues.priorities, steps)
        address = self._module.address("process")
        self._process = _BATCH(address)
        self.places = dict(zip(("process", "context", "vector", "aside"), (address, *self._memory), strict=True))
        """The addresses of the compiled program and its memory, for native callers."""
        self.resume_address = self._module.address("resume")
        """The address of the compiled program for packets that leave their queues, for native callers."""
        self._resume = _BATCH(self.resume_address)

    def process(self, frames: Frames, now: int) -> Frames:
        """Runs packets through the pipeline, in order. Returns those that leave, in the order they leave.

        frames: their ports are the ingress ports. The ports of the packets returned are the egress ports, `cpu_port`
            for the control plane.
        now: the time in microseconds, which the program reads as timestamps.

        Cloned, resubmitted and recirculated packets are processed right after their original, as often as
        recirculation.py allows. take_digests() returns the digests. Packets for ports that have queues wait there until
        release().
        """
        # Only packets that leave their queues before this batch arrives. The others count its packets as queued.
        self._serve(1000 * (now if frames.arrival is None or not len(frames) else int(frames.arrival.min())))
        data, arrays = self._flat(frames, now)
        if self._trace is None:
            return self._run(self._process, data, arrays, 1000 * now)
        pieces = [slice(at, at + PIECE) for at in range(0, len(frames), PIECE)]
        return Frames.joined(
            [self._run(self._process, data, tuple(array[each] for array in arrays), 1000 * now) for each in pieces]
        )

    def choose(self, indices: Sequence[int]) -> None:
        """Gives a followed program the first choices of its next packet, which it otherwise makes by its selectors,
        hashes and random numbers."""
        given = [0, min(len(indices), MOST_CHOICES), *indices[:MOST_CHOICES]]
        self._choices[: len(given)] = given

    def snapshot(self) -> Callable[[], None]:
        """Returns a function that restores what packets have changed since: arrays, direct counters and meters, and the
        random numbers. Queues must be empty, and the control plane must have changed nothing."""
        self.update_context()
        kept = [(array, array.copy()) for array in (*self.arrays(), self._context)]

        def restore() -> None:
            for array, content in kept:
                array[...] = content

        return restore

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
    def alone(self) -> bool:
        """Whether egress handles packets that leave their queues at different times one time after another."""
        return bool(self._waiting.size)

    @property
    def direct(self) -> bool:
        """Whether the compiled program alone can process packets: there are no queues, and no steps to log."""
        return self._trace is None and self._follow is None and not self.queues.used and not self._left

    def continue_batch(self, frames: Frames, processed: int, output: Output, time: int) -> Frames:
        """Continues a batch whose first `processed` packets native code has processed into `output`, at `time` in
        nanoseconds. Returns the packets of the whole batch that leave."""
        return self._run(self._process, *self._flat(frames, time // 1000), time, processed, output)

    @property
    def next(self) -> int | None:
        """When release() next returns packets, in microseconds; None if no packets wait."""
        if self._left:
            return 0
        due = self.queues.next
        return None if due is None else -(-due // 1000)

    def release(self, now: int) -> tuple[Frames, NDArray[np.int64]]:
        """Returns the packets that have left their queues since the last call, and when each has been sent.

        now: microseconds. It may be a little ahead of the time of the next process(), which then still counts these
            packets as queued.

        Returns (frames, sent). sent: (n,) int64, nanoseconds, for the last packet of a port possibly after `now`. Each
        packet passes egress at the time it leaves its queue. Packets queued by an earlier program are dropped.
        """
        self._serve(1000 * now)
        left, self._left = self._left, []
        sent = [times for _, times in left]
        return Frames.joined([frames for frames, _ in left]), np.concatenate([np.zeros(0, dtype=np.int64), *sent])

    def _serve(self, until: int) -> None:
        """Runs packets that leave their queues by `until` nanoseconds through egress.

        They form one batch, which assumes that egress does not change their sizes. If egress may clone, a batch has
        only packets that leave at the same time.
        """
        while len(departures := self.queues.serve(until, self.number, alone=self.alone)):
            own = departures[departures["owner"] == self.number]
            address, length, port = own["packet"].copy(), own["size"].astype(np.int32), own["port"].astype(np.int32)
            # `resume` ignores the last array, the arrivals.
            frames = self._run(self._resume, 0, (address, length, port, address), int(departures["time"][0]))
            sent = self.queues.settle(departures, self.number, frames.port)
            if len(frames):
                self._left.append((frames, sent))

    def _flat(self, frames: Frames, now: int) -> tuple[int, tuple[NDArray[Any], ...]]:
        """The address of the data, and the starts, lengths, ports and arrivals as contiguous arrays. The default of
        arrivals is `now`."""
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
        """Runs packets through `process` or `resume`. Returns those that leave; queues those for ports with queues.

        batch: the compiled function. data: the address that starts count from. arrays: starts, lengths, ports and
        arrivals. time: nanoseconds. at, out: the number of packets already processed, and their results.
        """
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
                if self.queues.used and (queued := frames.length < 0).any():
                    self.queues.enter(selected(frames, queued), time, self.number)
                    frames = selected(frames, ~queued)
                batches.append(frames)
                waiting = int(context[self._layout.waiting_count])
            if at == len(length) and not waiting:
                break
            left = length[at:]
            # Room for at least the next packet and all its copies.
            next_size = int(context[self._layout.wanted]) if waiting else (int(left[0]) + self.growth) * copies
            expected = int(left.sum(dtype=np.int64)) + (self.growth * len(left) if self.queues.used else 0)
            size = int(self._expansion * expected) + ALLOWANCE + next_size
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
            self.read_reports()
        self._expansion = max(1.0, departed / max(len(length), 1), 0.9 * self._expansion)
        return Frames.joined(batches)

    def take_digests(self) -> list[Digest]:
        """Removes and returns the digests since the last call, the oldest first."""
        digests, self._digests = self._digests, []
        return digests

    @property
    def reports_lost(self) -> int:
        return int(self._context[self._layout.reports_lost])

    def read_reports(self) -> None:
        """Handles what the last batches have reported."""
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
                self._log_trace()
                primitive = self._messages[report.number]
                level = logging.INFO if primitive.op == "log_msg" else logging.ERROR
                log.log(level, "%s", message(primitive, report.values))
        self._log_trace()

    def _log_trace(self) -> None:
        if self._trace is not None and (entries := self._trace.take(self.reports_lost)):
            log.debug(entries)


class Output:
    """Memory for the packets that leave in one call: `count` packets of `size` bytes in total."""

    def __init__(self, size: int, count: int) -> None:
        self.size = size
        self.count = count
        memory = np.empty(-(-(16 * count + size) // 8) * 8, dtype=np.uint8)
        self._start = memory[: 8 * count].view(np.int64)
        self._length = memory[8 * count : 12 * count].view(np.int32)
        self._port = memory[12 * count : 16 * count].view(np.int32)
        self._data = memory[16 * count :]
        base = memory.ctypes.data
        self.addresses = base + 16 * count, base, base + 8 * count, base + 12 * count
        """The addresses of data, starts, lengths and ports."""

    def frames(self, departed: int) -> Frames:
        """The first `departed` packets."""
        return Frames(self._data, self._start[:departed], self._length[:departed], self._port[:departed])


_BATCH = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    *[ctypes.c_void_p] * 8,  # context, vector, aside; data, starts, lengths, ports, arrivals of packets in
    *[ctypes.c_void_p] * 4,  # data, starts, lengths, ports of packets out
    *[ctypes.c_int64] * 4,  # packets in; now; bytes and packets that the output holds
)
"""The compiled program: `process` for packets from the wire, `resume` for queued packets (queued_packets.py). Returns
the number of packets processed: all, unless the next one might not fit in the output."""
