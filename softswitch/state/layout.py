"""The memory layout of the compiled program: fields of the current packet, and state that outlives it."""

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
        """The smallest place that covers both."""
        start = min(self.offset, other.offset)
        return Place(start, max(self.offset + self.size, other.offset + other.size) - start)


PORT_NUMBERS = 1 << 16
"""Port numbers are below this."""

BITS = "$bits$"
"""A hidden field of headers with a varbit: the varbit's current width. Its value is in the lowest bits."""

REQUESTS = {
    "clone_session": ("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
    "clone_list": ("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
    "resubmit": ("resubmit",),
    "recirculate": ("recirculate",),
    "digest": ("generate_digest",),
    "truncation": ("truncate", "clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
}
"""The requests that primitives make for later, by primitive."""


class HeaderLayout:
    """The fields of one header type, each naturally aligned, after one byte for the hidden validity."""

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
    """The parsed packet: every header, all metadata, each stack's headers side by side, and the packet's length.

    A spare header behind each stack stands for every index out of range. The length is computed as in BMv2: the length
    on arrival, plus headers added, minus headers removed. A union's headers lie side by side, and those of a stack of
    unions union by union, including a spare union.

    requests: 4 bytes each, 0 for none; only those that the program has primitives for.
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
        """The place of a field of a header instance."""
        within = self.layout(self._program.headers[ref.header].type).fields[ref.field]
        return Place(self.headers[ref.header] + within.offset, within.size)


@dataclass(frozen=True)
class TableWords:
    """A table's words in the context."""

    rows: int
    index: int
    default: int
    trials: int
    count: int


class Context:
    """State that outlives a packet, as an array of 64-bit words: numbers, and addresses of arrays owned by Python.

    random: state of the generator. groups, replicas: see replication.py. most_copies: the most packets that one may
    become. departed: the number of packets that the last batch became. now: microseconds.
    sessions, session_replicas: see cloning.py.
    reports, reports_end, reports_lost: see reports.py.
    waiting, waiting_first, waiting_count, passes, wanted: see recirculation.py.
    queued: the address of one byte for each port, not 0 if the port has queues.
    Then come one address for each register, counter and meter, three for each action profile (rows, index, choices),
    two words for each value set (address, number of values), and five for each table: the addresses of its rows, index,
    default row and trials, and the number of trials. Last come the addresses of the custom CRCs.
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
        self.crcs = {name: at + number for number, name in enumerate(program.custom_crcs)}
        self.words = at + len(self.crcs)


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
