"""Headers on the wire: between packed bits in network order and the fields of the packet vector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llvmlite import ir

from softswitch.emission import Body, integer
from softswitch.expressions import Expressions, HeaderHandle
from softswitch.program import FieldType, HeaderType, UnsupportedProgram


@dataclass(frozen=True)
class Run:
    """Fields that together fill whole bytes: `size` bytes from byte `offset` of the header."""

    offset: int
    size: int
    fields: tuple[FieldType, ...]


def runs(kind: HeaderType) -> Iterator[Run]:
    """A header's fields, in the shortest runs of whole bytes."""
    if kind.bits % 8:
        raise UnsupportedProgram(f"header type {kind.name} of {kind.bits} bits, not whole bytes, is not supported")
    start = end = 0
    pending: list[FieldType] = []
    for field in kind.fields:
        pending.append(field)
        end += field.width
        if end % 8 == 0:
            yield Run(start // 8, (end - start) // 8, tuple(pending))
            start, pending = end, []


def read_header(expressions: Expressions, header: HeaderHandle, source: ir.Value) -> None:
    """Fills a header's fields from the bytes at `source`; its validity stays as it is."""
    body: Body = expressions.body
    for run in runs(header.kind):
        value = body.load_network(body.at(source, run.offset), run.size)
        below = 8 * run.size
        for field in run.fields:
            below -= field.width
            part = body.builder.lshr(value, integer(8 * run.size, below)) if below else value
            expressions.write(expressions.field_of(header, field.name), body.resized(part, field.width))


def write_header(expressions: Expressions, header: HeaderHandle, target: ir.Value) -> None:
    """Writes a header's fields to the bytes at `target`."""
    body: Body = expressions.body
    for run in runs(header.kind):
        width = 8 * run.size
        below = width
        value: ir.Value | None = None
        for field in run.fields:
            below -= field.width
            # A signed field's bits are what is stored, whatever its sign.
            bits = body.resized(expressions.read(expressions.field_of(header, field.name), field.width), width)
            placed = body.builder.shl(bits, integer(width, below)) if below else bits
            value = placed if value is None else body.builder.or_(value, placed)
        assert value is not None
        body.store_network(value, body.at(target, run.offset))
