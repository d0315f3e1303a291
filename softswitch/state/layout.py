"""Where the compiled program finds things in memory: the fields of the packet in hand, and all that outlives it."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.softswitch.program.model import VALID, FieldRef, HeaderType, Program
from dropzero.softswitch.state.registers import storage_bytes


@dataclass(frozen=True)
class Place:
    """Bytes `offset` to `offset + size` of the packet vector."""

    offset: int
    size: int

    def joined(self, other: Place) -> Place:
        """All bytes from the first to the last of both."""
        start = min(self.offset, other.offset)
        return Place(start, max(self.offset + self.size, other.offset + other.size) - start)


PORT_NUMBERS = 1 << 16
"""Ports are numbered below this."""

BITS = "$bits$"
"""A hidden field of headers with a varbit: how many bits of the varbit there are. They are its lowest."""

REQUESTS = {
    "clone_session": ("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
    "clone_list": ("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
    "resubmit": ("resubmit",),
    "recirculate": ("recirculate",),
    "digest": ("generate_digest",),
    "truncation": ("truncate", "clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
}
"""What primitives ask for that happens later, by the primitives that do."""


class HeaderLayout:
    """The fields of one header type, each in its own naturally aligned bytes; first a byte for the hidden validity."""

    def __init__(self, kind: HeaderType) -> None:
        self.kind = kind
        self.fields: dict[str, Place] = {VALID: Place(0, 1)}
        end = 1
        for field in kind.fields:
            size = storage_bytes(field.width)
            offset = _aligned(end, min(size, 8))
            self.fields[field.name] = Place(offset, size)
            end = offset + size
        if kind.variable is not None:
            offset = _aligned(end, 4)
            self.fields[BITS] = Place(offset, 4)
            end = offset + 4
        self.size = _aligned(end, 8)


class PacketVector:
    """The parsed packet: every header and all metadata, each stack's headers side by side, and how long the packet is.

    Behind a stack's headers lies a spare one, which stands for all that an index outside the stack names. The length is
    kept as BMv2 keeps it: as it was received, plus the headers that were added, less those that were removed. A union's
    headers lie side by side, and those of a stack of unions union by union, the spare one included.

    requests: 4 bytes each, 0 when nothing is asked for; only those that the program has primitives for.
    siblings: the other headers of a header's union.
    """

    def __init__(self, program: Program) -> None:
        self.headers: dict[str, int] = {}
        self.next: dict[str, Place] = {}
        self.length = Place(0, 4)
        end = 8
        self._layouts: dict[str, HeaderLayout] = {}
        for stack in program.stacks.values():
            self.next[stack.name] = Place(end, 4)
            end += 8
            for name in stack.headers:
                self.headers[name] = end
                end += self.layout(stack.type).size
            end += self.layout(stack.type).size
        for union_stack in program.union_stacks.values():
            self.next[union_stack.name] = Place(end, 4)
            end += 8
            for name in (*union_stack.unions, union_stack.unions[0]):
                for member in program.unions[name].headers:
                    self.headers.setdefault(member, end)
                    end += self.layout(program.headers[member].type).size
        self.siblings = {
            name: tuple(other for other in union.headers if other != name)
            for union in program.unions.values()
            for name in union.headers
        }
        self.requests: dict[str, Place] = {}
        for request, primitives in REQUESTS.items():
            if not program.operations.isdisjoint(primitives):
                self.requests[request] = Place(end, 4)
                end += 8
        for header in program.headers.values():
            if header.name not in self.headers:
                self.headers[header.name] = end
                end += self.layout(header.type).size
        self.size = end
        self._program = program

    def layout(self, kind: HeaderType) -> HeaderLayout:
        """The layout of a header type."""
        if kind.name not in self._layouts:
            self._layouts[kind.name] = HeaderLayout(kind)
        return self._layouts[kind.name]

    def place(self, ref: FieldRef) -> Place:
        """Of a field of a header instance."""
        within = self.layout(self._program.headers[ref.header].type).fields[ref.field]
        return Place(self.headers[ref.header] + within.offset, within.size)


@dataclass(frozen=True)
class TableWords:
    """The words of the context that are one table's."""

    rows: int
    index: int
    default: int
    trials: int
    count: int


class Context:
    """What outlives a packet, as an array of 64-bit words: numbers, and addresses of the arrays that Python keeps.

    random: state of the generator. groups, replicas: see replication.py. most_copies: how many packets one may become.
    departed: how many packets the last batch became. now: microseconds.
    sessions, session_replicas: see cloning.py.
    reports, reports_end, reports_lost: see reports.py.
    waiting, waiting_first, waiting_count, passes, wanted: see recirculation.py.
    queued: the address of a byte for every port, not 0 where packets wait in queues.
    Then an address for every register, counter and meter, three for every action profile (its rows, index and choices),
    two words for every value set (its address, how many values) and five for every table: the addresses of its rows,
    index, default's row and trials, and how many trials there are.
    """

    random, groups, replicas, most_copies, departed, now = range(6)
    sessions, session_replicas = range(6, 8)
    reports, reports_end, reports_lost = range(8, 11)
    waiting, waiting_first, waiting_count, passes, wanted = range(11, 16)
    queued = 16

    def __init__(self, program: Program) -> None:
        at = 17
        self.registers: dict[str, int] = {}
        for register in program.registers:
            self.registers[register.name] = at
            at += 1
        self.counters: dict[str, int] = {}
        for counter in program.counters:
            self.counters[counter.name] = at
            at += 1
        self.meters: dict[str, int] = {}
        for meter in program.meters:
            if meter.table is None:
                self.meters[meter.name] = at
                at += 1
        self.profiles: dict[str, int] = {}
        for profile in program.profiles:
            self.profiles[profile.name] = at
            at += 3
        self.value_sets: dict[str, int] = {}
        for value_set in program.value_sets:
            self.value_sets[value_set.name] = at
            at += 2
        self.tables: dict[str, TableWords] = {}
        for table in program.tables:
            self.tables[table.name] = TableWords(at, at + 1, at + 2, at + 3, at + 4)
            at += 5
        self.words = at


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
