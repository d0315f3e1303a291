"""Hashes of the compiled program compared with bitwise references."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.engine.engine import Engine
from tests.support.bmv2_program import Bmv2Program, constant, extract, field, header, primitive, run, standard


def crc(width: int, polynomial: int, initial: int, *, reflected: bool) -> Callable[[bytes], int]:
    def over(content: bytes) -> int:
        state = initial
        for byte in content:
            bits = f"{byte:08b}"
            for bit in reversed(bits) if reflected else bits:
                top = state >> width - 1
                state = state << 1 & (1 << width) - 1
                if top != int(bit):
                    state ^= polynomial
        return int(f"{state:0{width}b}"[::-1], 2) if reflected else state

    return over


def words(content: bytes, size: int) -> list[int]:
    padded = content + bytes(-len(content) % size)
    return [int.from_bytes(padded[at : at + size], "big") for at in range(0, len(padded), size)]


def csum16(content: bytes) -> int:
    total = sum(words(content, 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def xor16(content: bytes) -> int:
    result = 0
    for word in words(content, 2):
        result ^= word
    return result


ALGORITHMS: dict[str, Callable[[bytes], int]] = {
    "crc16": crc(16, 0x8005, 0, reflected=True),
    "crc16_custom": crc(16, 0x8005, 0, reflected=True),
    "crcCCITT": crc(16, 0x1021, 0xFFFF, reflected=False),
    "crc32": zlib.crc32,
    "crc32_custom": zlib.crc32,
    "crc64_custom": crc(64, 0x1B, 0, reflected=True),
    "csum16": csum16,
    "xor16": xor16,
    "identity": lambda content: int.from_bytes(content[:8], "big"),
}


def program(algorithm: str, base: int = 0, size: int = (1 << 64) - 1) -> Bmv2Program:
    """A program that answers with the hash of a 4-bit constant, the fields of h, and those of o if it is valid."""
    program = Bmv2Program(None, h={"more": 8, "a": 3, "b": 45}, o={"c": 72}, result={"hash": 64})
    inputs = [{"type": "hexstr", "value": "0xa", "bitwidth": 4}]
    inputs += [field("h", "a"), field("o", "c"), field("h", "b")]
    calculation = program.calculation(algorithm, *inputs)
    hashed = primitive(
        "modify_field_with_hash_based_offset", field("result", "hash"), constant(base), calculation, constant(size)
    )
    program.state("start", extract("h"), by=(field("h", "more"),), to=((0, None), (None, "o")))
    program.state("o", extract("o"))
    program.call("node", primitive("add_header", header("result")), hashed)
    return program


@cache
def engine_of(algorithm: str) -> Engine:
    return program(algorithm).engine()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_hash_covers_the_concatenated_bits_of_the_valid_fields(algorithm: str) -> None:
    engine = program(algorithm).engine()

    @given(a=st.integers(0, 7), b=st.integers(0, (1 << 45) - 1), c=st.none() | st.integers(0, (1 << 72) - 1))
    def check(a: int, b: int, c: int | None) -> None:
        packet = bytes([c is not None]) + (a << 45 | b).to_bytes(6, "big")
        bits = f"{0xA:04b}{a:03b}"
        if c is not None:
            packet += c.to_bytes(9, "big")
            bits += f"{c:072b}"
        bits += f"{b:045b}"
        bits += "0" * (-len(bits) % 8)
        expected = ALGORITHMS[algorithm](int(bits, 2).to_bytes(len(bits) // 8, "big"))
        ((_, left),) = run(engine, packet)
        assert int.from_bytes(left[-8:], "big") == expected % ((1 << 64) - 1)

    check()


@given(
    st.sampled_from([("crc16_custom", 16), ("crc32_custom", 32)]),
    st.integers(1, (1 << 32) - 1),
    st.integers(0, (1 << 32) - 1),
    st.integers(0, (1 << 32) - 1),
    st.booleans(),
    st.booleans(),
    st.integers(0, (1 << 48) - 1),
)
def test_custom_crcs_have_the_given_parameters(
    kind: tuple[str, int], polynomial: int, initial: int, final: int, data: bool, result: bool, content: int
) -> None:
    algorithm, width = kind
    polynomial, initial, final = (number & (1 << width) - 1 for number in (polynomial, initial, final))
    engine = engine_of(algorithm)
    (custom,) = engine.crcs.values()
    custom.set(polynomial, initial, final, data_reflected=data, result_reflected=result)
    hashed = f"{0xA:04b}{content:048b}0000"
    # As BMv2's crc_custom, bit by bit.
    state = initial
    for at in range(0, len(hashed), 8):
        byte = hashed[at : at + 8]
        state ^= int(byte[::-1] if data else byte, 2) << width - 8
        for _ in range(8):
            state = (state << 1 ^ (polynomial if state >> width - 1 else 0)) & (1 << width) - 1
    expected = (int(f"{state:0{width}b}"[::-1], 2) if result else state) ^ final
    ((_, left),) = run(engine, b"\0" + content.to_bytes(6, "big"))
    assert int.from_bytes(left[-8:], "big") == expected


@pytest.mark.parametrize(("base", "size", "expected"), [(5, 10, 5 + 0x0A % 10), (7, 1, 7), (7, 0, 7)])
def test_a_hash_is_reduced_to_its_range(base: int, size: int, expected: int) -> None:
    program = Bmv2Program(None, h={"x": 8})
    calculation = program.calculation("identity", field("h", "x"))
    arguments = field("h", "x"), constant(base), calculation, constant(size)
    program.state("start", extract("h"))
    program.call("node", primitive("modify_field_with_hash_based_offset", *arguments))
    assert run(program.engine(), b"\x0a") == [(0, bytes([expected]))]


def test_a_random_hash_stays_in_its_range_and_varies() -> None:
    program = Bmv2Program(None, h={"x": 8})
    calculation = program.calculation("random", field("h", "x"))
    arguments = field("h", "x"), constant(3), calculation, constant(4)
    program.state("start", extract("h"))
    program.call("node", primitive("modify_field_with_hash_based_offset", *arguments))
    seen = {left for _, left in run(program.engine(), *[b"\0"] * 100)}
    assert seen == {bytes([value]) for value in range(3, 7)}


@pytest.mark.parametrize("algorithm", ["csum16", "crc16", "crc32"])
@given(fixed=st.binary(min_size=3, max_size=3), payload=st.binary(max_size=40))
def test_a_checksum_may_cover_the_payload(algorithm: str, fixed: bytes, payload: bytes) -> None:
    program = Bmv2Program(None, h={"a": 24, "sum": 32})
    program.state("start", extract("h"))
    inputs = field("h", "a"), {"type": "payload", "value": None}
    program.checksum(field("h", "sum"), *inputs, update=True, algorithm=algorithm)
    expected = ALGORITHMS[algorithm](fixed + payload).to_bytes(4, "big")
    assert run(program.engine(), fixed + bytes(4) + payload) == [(0, fixed + expected + payload)]


def test_a_wrong_checksum_of_the_payload_is_detected() -> None:
    program = Bmv2Program(None, h={"sum": 32})
    program.state("start", extract("h"))
    program.checksum(field("h", "sum"), {"type": "payload", "value": None}, algorithm="crc32")
    program.call("node", primitive("assign", standard("egress_spec"), standard("checksum_error")))
    engine = program.engine()
    good = zlib.crc32(b"payload").to_bytes(4, "big") + b"payload"
    assert [port for port, _ in run(engine, good, good[:-1] + b"D")] == [0, 1]
