"""Compiles the deparser: it writes the valid headers in order, then the bytes that the parser did not extract."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.serialization import write_header
from dropzero.softswitch.native.emission import WORD, Body, word
from dropzero.softswitch.program.model import HeaderRef


def most_header_bytes(expressions: Expressions) -> int:
    """The size of all headers together, in bytes."""
    program = expressions.program
    return sum(program.headers[name].type.bits // 8 for name in program.deparser)


def write_packet(expressions: Expressions, target: ir.Value, payload: ir.Value, payload_length: ir.Value) -> ir.Value:
    """Writes the packet to `target`. Returns its size in bytes, i64."""
    body: Body = expressions.body
    builder = body.builder
    end = body.variable(WORD, word(0))
    for name in expressions.program.deparser:
        header = expressions.header(HeaderRef(name))
        with body.when(expressions.valid(header)):
            start = builder.load(end, typ=WORD)
            write_header(expressions, header, body.at(target, start))
            size = body.resized(expressions.bytes_of(header), 64)
            builder.store(builder.add(start, size), end)
    start = builder.load(end, typ=WORD)
    body.copy(body.at(target, start), payload, payload_length)
    return builder.add(start, payload_length)
