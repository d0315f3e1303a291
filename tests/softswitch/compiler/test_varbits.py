"""Headers with a varbit: extracted, copied, compared and written with their actual length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    extract,
    field,
    header,
    operation,
    primitive,
    run,
    standard,
)

EIGHT = {"type": "hexstr", "value": "0x8"}


def extract_variable(name: str, bits: Json) -> Json:
    return {"op": "extract_VL", "parameters": [{"type": "regular", "value": name}, bits]}


def options(most: int = 12, unit: Json = EIGHT) -> Bmv2Program:
    """A program with a length byte n, and a header of 4 bits, n units, and 12 bits."""
    program = Bmv2Program(None, first={"length": 8})
    program.varbit("h", ("before", 4), ("options", "*"), ("after", 12), most=most)
    bits = operation("*", field("first", "length"), unit)
    program.state("start", extract("first"), extract_variable("h", bits))
    return program


@given(before=st.integers(0, 15), after=st.integers(0, 4095), content=st.binary(max_size=10), payload=st.binary())
def test_fields_are_found_on_either_side_of_a_varbit(before: int, after: int, content: bytes, payload: bytes) -> None:
    program = options()
    program.call(
        "node",
        assign(field("first", "length"), field("h", "before")),
        assign(standard("egress_spec"), operation(">>", field("h", "after"), {"type": "hexstr", "value": "0x4"})),
        assign(field("h", "after"), operation("+", field("h", "after"), {"type": "hexstr", "value": "0x1"})),
    )

    def wire(after: int) -> bytes:
        bits = f"{before:04b}" + "".join(f"{byte:08b}" for byte in content) + f"{after:012b}"
        return int(bits, 2).to_bytes(len(bits) // 8, "big")

    packet = bytes([len(content)]) + wire(after) + payload
    changed = bytes([before]) + wire((after + 1) % 4096) + payload
    port = after >> 4
    assert run(program.engine(), packet) == ([] if port == 511 else [(port, changed)])


def error(program: Bmv2Program, packet: bytes) -> int:
    program.call("node", assign(standard("egress_spec"), standard("parser_error")))
    ((port, left),) = run(program.engine(), packet)
    assert left == packet
    return port


def test_a_varbit_beyond_the_packet_is_too_short() -> None:
    assert error(options(), bytes([3]) + bytes(4)) == 1


def test_a_varbit_longer_than_declared_is_an_error() -> None:
    assert error(options(most=4), bytes([3]) + bytes(5)) == 4


def test_a_varbit_that_does_not_fill_whole_bytes_is_an_error() -> None:
    assert error(options(unit={"type": "hexstr", "value": "0x4"}), bytes([3]) + bytes(5)) == 6


def test_the_length_of_a_packet_counts_the_varbit() -> None:
    program = options()
    program.call("node", primitive("remove_header", header("h")))
    program.call("out", assign(field("first", "length"), standard("packet_length")), pipeline="egress")
    assert run(program.engine(), bytes([5]) + bytes(7) + b"1234") == [(0, bytes([5]) + b"1234")]


def test_copies_have_the_length_of_the_original() -> None:
    program = Bmv2Program(None, first={"length": 8})
    program.varbit("a", ("options", "*"), most=8)
    program.varbit("b", ("options", "*"), most=8)
    program.types[-1]["name"], program.headers[-1]["header_type"] = "unused", "a_t"
    bits = operation("*", field("first", "length"), EIGHT)
    program.state("start", extract("first"), extract_variable("a", bits))
    program.call("node", primitive("assign_header", header("b"), header("a")))
    assert run(program.engine(), b"\x03abcdef") == [(0, b"\x03abcabcdef")]


def test_a_varbit_is_assigned_with_its_length() -> None:
    program = Bmv2Program(None, first={"length": 8})
    program.varbit("a", ("options", "*"), most=8)
    program.varbit("b", ("x", 8), ("options", "*"), most=8)
    bits = operation("*", field("first", "length"), EIGHT)
    program.state("start", extract("first"), extract_variable("a", bits))
    program.call(
        "node",
        primitive("add_header", header("b")),
        primitive("assign_VL", field("b", "options"), field("a", "options")),
    )
    assert run(program.engine(), b"\x03abcdef") == [(0, b"\x03abc\x00abcdef")]


@given(one=st.binary(max_size=2), other=st.binary(max_size=2))
def test_headers_of_different_length_are_not_equal(one: bytes, other: bytes) -> None:
    program = Bmv2Program(None, first={"one": 8, "other": 8})
    program.varbit("a", ("options", "*"), most=2)
    program.varbit("b", ("options", "*"), most=2)
    program.types[-1]["name"], program.headers[-1]["header_type"] = "unused", "a_t"
    lengths = (operation("*", field("first", name), EIGHT) for name in ("one", "other"))
    extracts = [extract_variable(name, bits) for name, bits in zip("ab", lengths, strict=True)]
    program.state("start", extract("first"), *extracts)
    equal = operation("b2d", operation("==", header("a"), header("b")))
    program.call("node", assign(standard("egress_spec"), equal))
    ((port, _),) = run(program.engine(), bytes([len(one), len(other)]) + one + other)
    assert port == (one == other)


def test_checksums_cover_the_actual_bits() -> None:
    program = options()
    program.checksum(field("h", "after"), field("h", "before"), field("h", "options"), update=True)
    # 0x1, then 0xFFFE: 0x1FFF + 0xE000 = 0xFFFF.
    assert run(program.engine(), bytes([2, 0x1F, 0xFF, 0xE0, 0x00])) == [(0, bytes([2, 0x1F, 0xFF, 0xE0, 0x00]))]
