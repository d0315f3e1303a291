"""A switch program, running: packets go in and come out, and its tables, registers and counters can be changed."""

from __future__ import annotations

import ctypes
import hashlib
import secrets
import threading
from functools import cache
from pathlib import Path

import numpy as np

from softswitch.counters import Counter
from softswitch.frames import Frames
from softswitch.layout import Context, PacketVector
from softswitch.native import NativeModule, load_cached
from softswitch.program import Program
from softswitch.registers import Register
from softswitch.replication import Multicast
from softswitch.tables import Table

ALLOWANCE = 4096
"""Bytes that a batch's packets may grow by, or its copies take, before the output takes a second buffer."""


class Engine:
    """The whole pipeline of simple_switch, as native code over batches of packets; no sockets, no clock, no threads.

    One thread at a time: whoever calls process() or touches tables, registers, counters or multicast holds `lock` when
    there are others. process() lets go of Python's own lock while it runs.

    program:   what it runs
    tables:    by the program's full names, "Ingress.forward.station"
    registers, counters: likewise; a table's direct counter is in its entries
    multicast: the groups
    cpu_port:  the port whose packets are for, and from, the control plane; None when there is none
    drop_port: the egress_spec that drops a packet
    """

    def __init__(
        self, program: Program, *, cpu_port: int | None = None, drop_port: int = 511, seed: int | None = None
    ) -> None:
        """Compiles, or takes from the cache of compiled programs. UnsupportedProgram if it cannot be compiled.

        seed: of the program's random numbers; None takes one from the operating system.
        """
        self.program = program
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.lock = threading.Lock()
        self.tables: dict[str, Table] = {declared.name: Table(declared) for declared in program.tables}
        self.registers: dict[str, Register] = {
            declared.name: Register(declared.name, declared.width, declared.size) for declared in program.registers
        }
        self.counters: dict[str, Counter] = {
            declared.name: Counter(declared.name, declared.size) for declared in program.counters
        }
        self.multicast = Multicast()
        self._layout = Context(program)
        self._context = np.zeros(self._layout.words, dtype=np.uint64)
        self._context[self._layout.random] = secrets.randbits(64) if seed is None else seed & (1 << 64) - 1
        self._extents = [(table, self._layout.tables[name].extent) for name, table in self.tables.items() if table.keys]
        self._fill_context()
        vector = PacketVector(program)
        self._vector = np.zeros(vector.size // 8, dtype=np.uint64)
        self._aside = np.zeros(vector.size // 8, dtype=np.uint64)
        self._memory = tuple(int(each.ctypes.data) for each in (self._context, self._vector, self._aside))
        self._header_bytes = sum(program.headers[name].type.bits // 8 for name in program.deparser)
        self._module = _compiled(program, drop_port)
        self._process = _PROCESS(self._module.address("process"))

    def process(self, frames: Frames, now: int) -> Frames:
        """Runs the packets through the pipeline, in order, and returns those that leave, in the order they leave.

        A packet's `port` is the one it came in by, and of those returned the one to send it out of; packets for the
        control plane leave by `cpu_port` like any others. now: microseconds, what the program reads as timestamps.
        """
        self._update_context()
        copies = self.multicast.most_copies
        data = np.ascontiguousarray(frames.data, dtype=np.uint8)
        start = np.ascontiguousarray(frames.start, dtype=np.int64)
        length = np.ascontiguousarray(frames.length, dtype=np.int32)
        port = np.ascontiguousarray(frames.port, dtype=np.int32)
        addresses = data.ctypes.data, start.ctypes.data, length.ctypes.data, port.ctypes.data
        batches: list[Frames] = []
        at = 0
        while at < len(length):
            left = length[at:]
            # At least the next packet finds room for all that may become of it.
            next_size = (int(left[0]) + self._header_bytes) * copies
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
            batches.append(out.frames(int(self._context[self._layout.departed])))
        return Frames.joined(batches)

    def _fill_context(self) -> None:
        """The addresses that stay: arrays of registers, counters and tables never move."""
        for name, at in self._layout.registers.items():
            self._context[at] = self.registers[name].cells.ctypes.data
        for name, at in self._layout.counters.items():
            self._context[at] = self.counters[name].cells.ctypes.data
        for name, places in self._layout.tables.items():
            table = self.tables[name]
            self._context[places.rows] = table.rows.ctypes.data
            self._context[places.index] = table.index.ctypes.data
            self._context[places.default] = table.default_row.ctypes.data
        self._context[self._layout.groups] = self.multicast.index.ctypes.data

    def _update_context(self) -> None:
        """What the control plane may have changed since the last batch."""
        self._context[self._layout.replicas] = self.multicast.replicas.ctypes.data
        self._context[self._layout.most_copies] = self.multicast.most_copies
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


def _compiled(program: Program, drop_port: int) -> NativeModule:
    def assembly() -> str:
        # Only now: what writes LLVM's assembly takes a while to import, and most programs come from the cache.
        from softswitch.forwarding import ForwardingCode

        return str(ForwardingCode(program, drop_port))

    return load_cached(f"{program.digest} {drop_port} {_compiler_digest()}", assembly)


@cache
def _compiler_digest() -> str:
    """Of this package's sources: another compiler compiles to something else."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
