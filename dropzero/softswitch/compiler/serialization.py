"""Compiles the conversion of headers between packed bits in network order and the fields of the packet vector, and the
deparser: it writes the valid headers in order, then the bytes that the parser did not extract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from llvmlite import ir

from dropzero.softswitch.compiler.expressions import Expressions, HeaderHandle
from dropzero.softswitch.native.emission import WORD, Body, integer, word
from dropzero.softswitch.program.model import FieldType, HeaderRef, HeaderType, UnsupportedProgram
from dropzero.softswitch.state.layout import BITS


@dataclass(frozen=True)
class Run:
    """Consecutive fields that together fill whole bytes: `size` bytes at byte `offset` of the header."""

    offset: int
    size: int
    fields: tuple[FieldType, ...]


def runs(kind: HeaderType) -> Iterator[Run]:
    """Splits a header's fields into the shortest runs of whole bytes."""
    if kind.bits % 8:
        raise UnsupportedProgram(f"header type {kind.name} is not supported: its {kind.bits} bits are not whole bytes")
    start = end = 0
    pending: list[FieldType] = []
    for field in kind.fields:
        pending.append(field)
        end += field.width
        if end % 8 == 0:
            yield Run(start // 8, (end - start) // 8, tuple(pending))
            start, pending = end, []


def read_header(expressions: Expressions, header: HeaderHandle, source: ir.Value) -> None:
    """Fills a header's fields from the bytes at `source`. Does not change its validity. Not for headers with a
    varbit."""
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
    if header.kind.variable is not None:
        _write_variable(expressions, header, target)
        return
    for run in runs(header.kind):
        width = 8 * run.size
        below = width
        value: ir.Value | None = None
        for field in run.fields:
            below -= field.width
            # As many bits as the field has, so that the sign is not extended.
            bits = body.resized(expressions.read(expressions.field_of(header, field.name), field.width), width)
            placed = body.builder.shl(bits, integer(width, below)) if below else bits
            value = placed if value is None else body.builder.or_(value, placed)
        assert value is not None
        body.store_network(value, body.at(target, run.offset))


def read_variable(expressions: Expressions, header: HeaderHandle, source: ir.Value, bits: ir.Value) -> None:
    """Fills the fields of a header with a varbit of `bits` bits (i32) from the bytes at `source`."""
    body, builder, kind = expressions.body, expressions.body.builder, header.kind
    expressions.write(expressions.field_of(header, BITS), bits)
    string, width = _buffer(body, kind)
    body.clear(string, width // 8)
    size = body.resized(expressions.bytes_of(header), 64)
    body.copy(body.at(string, builder.sub(word(width // 8), size)), source, size)
    value = body.load_network(string, width // 8)
    # From the last field to the first.
    below: ir.Value = integer(width, 0)
    for field in reversed(kind.fields):
        part = body.resized(builder.lshr(value, below), field.width)
        if field.variable:
            wide = body.resized(bits, max(field.width, 32))
            count = body.resized(builder.sub(integer(wide.type.width, field.width), wide), field.width)
            none = builder.icmp_unsigned("==", bits, integer(32, 0))
            mask = builder.lshr(integer(field.width, -1), count)
            part = builder.select(none, integer(field.width, 0), builder.and_(part, mask))
            below = builder.add(below, body.resized(bits, width))
        else:
            below = builder.add(below, integer(width, field.width))
        expressions.write(expressions.field_of(header, field.name), part)


def _write_variable(expressions: Expressions, header: HeaderHandle, target: ir.Value) -> None:
    body, builder, kind = expressions.body, expressions.body.builder, header.kind
    string, width = _buffer(body, kind)
    bits = expressions.read(expressions.field_of(header, BITS), 32)
    value: ir.Value = integer(width, 0)
    below: ir.Value = integer(width, 0)
    for field in reversed(kind.fields):
        part = body.resized(expressions.read(expressions.field_of(header, field.name), field.width), width)
        value = builder.or_(value, builder.shl(part, below))
        size = body.resized(bits, width) if field.variable else integer(width, field.width)
        below = builder.add(below, size)
    body.store_network(value, string)
    size = body.resized(expressions.bytes_of(header), 64)
    body.copy(target, body.at(string, builder.sub(word(width // 8), size)), size)


def _buffer(body: Body, kind: HeaderType) -> tuple[ir.Value, int]:
    """Local memory for a header of this type, and its width in bits: whole words, and one word more, so that a shift by
    the longest header stays in range."""
    width = -(-kind.bits // 64) * 64 + 64
    return body.room(width // 8), width


def write_packet(
    expressions: Expressions, order: Iterable[str], target: ir.Value, payload: ir.Value, payload_length: ir.Value
) -> ir.Value:
    """Writes the packet to `target`. order: the headers. Returns its size in bytes, i64."""
    body: Body = expressions.body
    builder = body.builder
    end = body.variable(WORD, word(0))
    for name in order:
        header = expressions.header(HeaderRef(name))
        with body.when(expressions.valid(header)):
            start = builder.load(end, typ=WORD)
            write_header(expressions, header, body.at(target, start))
            size = body.resized(expressions.bytes_of(header), 64)
            builder.store(builder.add(start, size), end)
    start = builder.load(end, typ=WORD)
    body.copy(body.at(target, start), payload, payload_length)
    return builder.add(start, payload_length)
