"""A switch program, running: packets go in and come out, and its tables, registers and counters can be changed."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import secrets
import threading
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softswitch.action_profiles import ActionProfile
from softswitch.cloning import CloneSessions
from softswitch.counters import Counter
from softswitch.digests import Digest
from softswitch.frames import Frames
from softswitch.layout import Context, PacketVector
from softswitch.meters import Meter
from softswitch.native import NativeModule, load_cached
from softswitch.program import Program
from softswitch.registers import Register
from softswitch.replication import Multicast
from softswitch.reports import DIGEST, STEP, Reports, message, messages
from softswitch.steps import Steps
from softswitch.tables import Table
from softswitch.turns import SLOTS, slot_bytes, takes_turns
from softswitch.value_sets import ValueSet

log = logging.getLogger(__name__)

ALLOWANCE = 4096
"""Bytes that a batch's packets may grow by, or its copies take, before the output takes a second buffer."""


class Engine:
    """The whole pipeline of simple_switch, as native code over batches of packets; no sockets, no clock, no threads.

    One thread at a time: whoever calls process() or touches tables, registers, counters or multicast holds `lock` when
    there are others. process() lets go of Python's own lock while it runs.

    program:   what it runs
    tables:    by the program's full names, "Ingress.forward.station"
    registers, counters, meters: likewise; a table's direct counter and meter are in its entries
    action_profiles: likewise; what entries of some tables lead to
    value_sets: likewise; what parser states compare with
    multicast: the groups
    clone_sessions: where clones go
    reports_lost: how many digests and messages found no room, because one batch of packets left too many
    cpu_port:  the port whose packets are for, and from, the control plane; None when there is none
    drop_port: the egress_spec that drops a packet

    What the program logs, and its assertions that do not hold, go to the log: "softswitch.engine", level INFO or ERROR.
    Idle timeouts are the tables': Table.idle(now).
    """

    def __init__(
        self,
        program: Program,
        *,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int | None = None,
        priority_queues: int = 1,
        traced: bool = False,
    ) -> None:
        """Compiles, or takes from the cache of compiled programs. UnsupportedProgram if it cannot be compiled.

        seed: of the program's random numbers; None takes one from the operating system. priority_queues: packets with
        a priority as high are dropped, for there is no queue for them. traced: every step of every packet goes to the
        log, level DEBUG, at a great cost.
        """
        self.program = program
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.lock = threading.RLock()
        self.action_profiles: dict[str, ActionProfile] = {
            declared.name: ActionProfile(
                declared.name,
                program.profile_actions(declared.name),
                declared.size,
                selector=declared.selector is not None,
            )
            for declared in program.profiles
        }
        self.tables: dict[str, Table] = {
            declared.name: Table(declared, self.action_profiles.get(declared.profile or ""))
            for declared in program.tables
        }
        self.registers: dict[str, Register] = {
            declared.name: Register(declared.name, declared.width, declared.size) for declared in program.registers
        }
        self.counters: dict[str, Counter] = {
            declared.name: Counter(declared.name, declared.size) for declared in program.counters
        }
        self.meters: dict[str, Meter] = {
            declared.name: Meter(declared.name, declared.size, declared.unit)
            for declared in program.meters
            if declared.table is None
        }
        self.value_sets: dict[str, ValueSet] = {
            declared.name: ValueSet(declared.name, declared.width, declared.size) for declared in program.value_sets
        }
        self.multicast = Multicast()
        self.clone_sessions = CloneSessions()
        # As they were when the context was filled last: any change replaces them.
        self._replicas: tuple[NDArray[np.int32] | None, NDArray[np.int32] | None] = (None, None)
        self._reports = Reports()
        self._messages = list(messages(program))
        self._digests: list[Digest] = []
        self._layout = Context(program)
        self._context = np.zeros(self._layout.words, dtype=np.uint64)
        self._context[self._layout.random] = secrets.randbits(64) if seed is None else seed & (1 << 64) - 1
        self._extents = [(table, self._layout.tables[name].extent) for name, table in self.tables.items() if table.keys]
        vector = PacketVector(program)
        # A clone has a vector beside that of the packet.
        self._vector = np.zeros(2 * vector.size // 8, dtype=np.uint64)
        self._waiting = np.zeros(SLOTS * slot_bytes(vector) // 8 if takes_turns(program) else 0, dtype=np.uint64)
        self._fill_context()
        self._aside = np.zeros(vector.size // 8, dtype=np.uint64)
        self._memory = tuple(int(each.ctypes.data) for each in (self._context, self._vector, self._aside))
        self._header_bytes = sum(program.headers[name].type.bits // 8 for name in program.deparser)
        self._steps = Steps(program) if traced else None
        self._module = _compiled(program, drop_port, priority_queues, traced)
        self._process = _PROCESS(self._module.address("process"))

    def process(self, frames: Frames, now: int) -> Frames:
        """Runs the packets through the pipeline, in order, and returns those that leave, in the order they leave.

        A packet's `port` is the one it came in by, and of those returned the one to send it out of; packets for the
        control plane leave by `cpu_port` like any others. now: microseconds, what the program reads as timestamps.

        What is cloned, resubmitted or recirculated goes through at once, right after the packet it came from, as often
        as turns.py allows. Digests are for take_digests().
        """
        if self._steps is None:
            return self._run(frames, now)
        return Frames.joined([self._traced(port, packet, now) for port, packet in frames])

    def _traced(self, port: int, packet: bytes, now: int) -> Frames:
        log.debug("Processing packet received on port %d", port)
        out = self._run(Frames.of([(port, packet)]), now)
        if not len(out):
            log.debug("Nothing leaves")
        for leaving, content in out:
            log.debug("Transmitting packet of size %d out of port %d", len(content), leaving)
        return out

    def _run(self, frames: Frames, now: int) -> Frames:
        self._update_context()
        context = self._context
        copies = int(context[self._layout.most_copies])
        data = np.ascontiguousarray(frames.data, dtype=np.uint8)
        start = np.ascontiguousarray(frames.start, dtype=np.int64)
        length = np.ascontiguousarray(frames.length, dtype=np.int32)
        port = np.ascontiguousarray(frames.port, dtype=np.int32)
        addresses = data.ctypes.data, start.ctypes.data, length.ctypes.data, port.ctypes.data
        batches: list[Frames] = []
        at = 0
        waiting = 0
        while at < len(length) or waiting:
            left = length[at:]
            # At least the next packet finds room for all that may become of it.
            next_size = int(context[self._layout.wanted]) if waiting else (int(left[0]) + self._header_bytes) * copies
            out = _Output(int(left.sum(dtype=np.int64)) + ALLOWANCE + next_size, len(left) + copies)
            at += self._process(
                *self._memory,
                addresses[0],
                addresses[1] + start.itemsize * at,
                addresses[2] + length.itemsize * at,
                addresses[3] + port.itemsize * at,
                *out.addresses,
                len(left),
                now,
                out.size,
                out.count,
            )
            batches.append(out.frames(int(context[self._layout.departed])))
            waiting = int(context[self._layout.waiting_count])
        if context[self._layout.reports_end]:
            self._read_reports()
        return Frames.joined(batches)

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
                assert self._steps is not None
                log.debug("%s", self._steps.text(report.number, report.values))
            else:
                primitive = self._messages[report.number]
                level = logging.INFO if primitive.op == "log_msg" else logging.ERROR
                log.log(level, "%s", message(primitive, report.values))

    def _fill_context(self) -> None:
        """The addresses that stay: arrays of registers, counters and tables never move."""
        for name, at in self._layout.registers.items():
            self._context[at] = self.registers[name].cells.ctypes.data
        for name, at in self._layout.counters.items():
            self._context[at] = self.counters[name].cells.ctypes.data
        for name, at in self._layout.meters.items():
            self._context[at] = self.meters[name].cells.ctypes.data
        for name, at in self._layout.profiles.items():
            self._context[at] = self.action_profiles[name].rows.ctypes.data
        for name, at in self._layout.value_sets.items():
            self._context[at] = self.value_sets[name].cells.ctypes.data
        for name, places in self._layout.tables.items():
            table = self.tables[name]
            self._context[places.rows] = table.rows.ctypes.data
            self._context[places.index] = table.index.ctypes.data
            self._context[places.default] = table.default_row.ctypes.data
        self._context[self._layout.groups] = self.multicast.index.ctypes.data
        self._context[self._layout.sessions] = self.clone_sessions.index.ctypes.data
        self._context[self._layout.reports] = self._reports.words.ctypes.data
        self._context[self._layout.waiting] = self._waiting.ctypes.data

    def _update_context(self) -> None:
        """What the control plane may have changed since the last batch."""
        replicas = self.multicast.replicas, self.clone_sessions.replicas
        if replicas[0] is not self._replicas[0] or replicas[1] is not self._replicas[1]:
            self._replicas = replicas
            self._context[self._layout.replicas] = replicas[0].ctypes.data
            self._context[self._layout.session_replicas] = replicas[1].ctypes.data
            self._context[self._layout.most_copies] = self.multicast.most_copies + self.clone_sessions.most_copies
        for name, at in self._layout.profiles.items():
            profile = self.action_profiles[name]
            profile.lay_out()
            self._context[at + 1] = profile.index.ctypes.data
            self._context[at + 2] = profile.choices.ctypes.data
        for name, at in self._layout.value_sets.items():
            self._context[at + 1] = len(self.value_sets[name])
        for table, at in self._extents:
            self._context[at] = table.extent


class _Output:
    """Room for `count` packets of `size` bytes together, all in one piece of memory."""

    def __init__(self, size: int, count: int) -> None:
        self.size = size
        self.count = count
        memory = np.empty(16 * count + size, dtype=np.uint8)
        self._start = memory[: 8 * count].view(np.int64)
        self._length = memory[8 * count : 12 * count].view(np.int32)
        self._port = memory[12 * count : 16 * count].view(np.int32)
        self._data = memory[16 * count :]
        base = memory.ctypes.data
        self.addresses = base + 16 * count, base, base + 8 * count, base + 12 * count
        """Of data, starts, lengths, ports."""

    def frames(self, departed: int) -> Frames:
        """The packets that are there."""
        return Frames(self._data, self._start[:departed], self._length[:departed], self._port[:departed])


_PROCESS = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    *[ctypes.c_void_p] * 11,  # context, vector, aside; packets in: data, starts, lengths, ports; and out likewise
    *[ctypes.c_int64] * 4,  # packets in, now, room for packets out: bytes, number
)
"""The compiled program. Returns how many packets it has taken: all, unless the next might not have found room."""


def _compiled(program: Program, drop_port: int, priority_queues: int, traced: bool) -> NativeModule:
    def assembly() -> str:
        # Only now: what writes LLVM's assembly takes a while to import, and most programs come from the cache.
        from softswitch.forwarding import ForwardingCode
        from softswitch.tracing import TracedForwarding

        code = TracedForwarding if traced else ForwardingCode
        return str(code(program, drop_port, priority_queues))

    kind = "traced" if traced else "plain"
    return load_cached(f"{program.digest} {drop_port} {priority_queues} {kind} {_compiler_digest()}", assembly)


@cache
def _compiler_digest() -> str:
    """Of this package's sources: another compiler compiles to something else."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
