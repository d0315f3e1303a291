"""The memory layout of the compiled program: the fields of the current packet, and the state that outlives it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from dropzero.softswitch.program.locals import local_fields
from dropzero.softswitch.program.model import VALID, FieldRef, HeaderType, Program
from dropzero.softswitch.state.arrays import storage_bytes


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

PSA_CPU_PORT = 0xFFFFFFFD
"""PSA_PORT_CPU, by which programs for PSA know the port of the control plane."""

BITS = "$bits$"
"""A hidden field of headers with a varbit: the varbit's current width. The varbit's value is in its lowest bits."""

REQUESTS = {
    "clone_session": ("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
    "clone_list": ("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
    "resubmit": ("resubmit",),
    "recirculate": ("recirculate",),
    "digest": ("generate_digest",),
    "truncation": ("truncate", "clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"),
}
"""Requests that are carried out after a control, and the primitives that make them."""


class HeaderLayout:
    """The layout of a header type: a byte for the hidden validity, then the fields, each naturally aligned."""

    def __init__(self, kind: HeaderType, without: Container[str] = ()) -> None:
        """without: the names of fields that are not in memory."""
        self.kind = kind
        self.fields: dict[str, Place] = {VALID: Place(0, 1)}
        end = 1
        for field in kind.fields:
            if field.name in without:
                continue
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
    """The layout of a parsed packet: its length, all headers and all metadata, except what is local to a control.

    The headers of a stack are adjacent, followed by a spare header that stands for every index out of range. So are the
    headers of a union, and the unions of a stack of unions, followed by a spare union.

    headers:  the offset of each header
    next:     the index of the next element of each stack
    length:   the packet's length as in BMv2: on arrival, plus headers added, minus headers removed
    requests: 4 bytes for each kind of REQUESTS that the program can make; 0: not requested
    siblings: the other headers of each header's union
    locals:   the fields that are local to a control, and its name
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.locals = local_fields(program)
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

    def layout(self, kind: HeaderType) -> HeaderLayout:
        """The layout of a header type."""
        if kind.name not in self._layouts:
            without = {ref.field for ref in self.locals if self._program.headers[ref.header].type is kind}
            self._layouts[kind.name] = HeaderLayout(kind, without)
        return self._layouts[kind.name]

    def place(self, ref: FieldRef) -> Place:
        """The place of a field of a header instance."""
        within = self.layout(self._program.headers[ref.header].type).fields[ref.field]
        return Place(self.headers[ref.header] + within.offset, within.size)


CHOICE_WORDS = 2
"""Words before the choices that are given."""


@dataclass(frozen=True)
class TableWords:
    """The positions of a table's words in the context: four addresses, and the number of trials."""

    rows: int
    index: int
    default: int
    trials: int
    count: int


class Context:
    """The layout of the state that outlives a packet: 64-bit words with numbers, and with addresses of Python's arrays.

    random:      the state of the random number generator
    groups, replicas: see replication.py
    most_copies: the most packets that are written for one that arrives
    departed:    the number of packets that left in the last call
    now:         microseconds
    sessions, session_replicas: see replication.py
    reports, reports_end, reports_lost: see reports.py
    waiting, waiting_first, waiting_count, passes, wanted: see recirculation.py
    queued:      the address of one byte for each port, which is not 0 if the port has queues
    choices:     the address of what a traced program chooses: the number of choices so far, the number of choices that
                 are given, and these
    cpu_port:    the port of the control plane, or PSA_CPU_PORT if there is none

    These are followed by:
    registers, counters, meters: one address each
    profiles:    the addresses of rows, index and choices
    value_sets:  the address of the values, and their number
    tables:      see TableWords
    crcs:        the address of each custom CRC
    """

    random, groups, replicas, most_copies, departed, now = range(6)
    sessions, session_replicas = range(6, 8)
    reports, reports_end, reports_lost = range(8, 11)
    waiting, waiting_first, waiting_count, passes, wanted = range(11, 16)
    queued, choices, cpu_port = range(16, 19)
    _fixed = 19

    def __init__(self, program: Program) -> None:
        self.words = self._fixed
        self.registers = self._placed(register.name for register in program.registers)
        self.counters = self._placed(counter.name for counter in program.counters)
        self.meters = self._placed(meter.name for meter in program.meters if meter.table is None)
        self.profiles = self._placed((profile.name for profile in program.profiles), 3)
        self.value_sets = self._placed((value_set.name for value_set in program.value_sets), 2)
        tables = self._placed((table.name for table in program.tables), 5)
        self.tables = {name: TableWords(*range(at, at + 5)) for name, at in tables.items()}
        self.crcs = self._placed(program.custom_crcs)

    def _placed(self, names: Iterable[str], words: int = 1) -> dict[str, int]:
        """Appends `words` words for each name; returns the first one of each."""
        places = {name: self.words + number * words for number, name in enumerate(names)}
        self.words += len(places) * words
        return places


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
