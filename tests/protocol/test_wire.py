"""The packet format is described three times; these tests compare the descriptions."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.protocol import wire
from dropzero.protocol.packet import Column, MalformedPacket, Packet
from dropzero.traces.layers import Dropzero

P4 = (Path(__file__).parents[2] / "p4src" / "headers.p4").read_text()

BITS = {"u1": 8, ">u2": 16, ">u4": 32}


def p4_fields(header: str) -> list[tuple[str, int]]:
    """The (name, bits) of a P4 header's fields."""
    body = re.search(rf"header {header} {{(.*?)}}", P4, re.S)
    assert body
    return [(name, int(bits)) for bits, name in re.findall(r"bit<(\d+)>\s+(\w+);", body[1])]


def dtype_fields(dtype: np.dtype[np.void]) -> list[tuple[str, int]]:
    assert dtype.names
    return [(name, dtype[name].itemsize * 8) for name in dtype.names]


def elements() -> st.SearchStrategy[np.ndarray]:
    return st.integers(0, 2**32 - 1).map(
        lambda seed: np.random.default_rng(seed).integers(-(2**31), 2**31, 32, np.int32)
    )


def uint(bits: int) -> st.SearchStrategy[int]:
    return st.integers(0, 2**bits - 1)


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    columns = draw(st.sampled_from([0, 1, 2, 4, 8]))
    column = st.builds(
        Column, uint(32), uint(32), st.integers(-wire.EXPONENT_BIAS, wire.NOT_FINITE - wire.EXPONENT_BIAS)
    )
    return Packet(
        kind=draw(st.sampled_from(list(wire.Kind))),
        job=draw(uint(16)),
        lane=draw(uint(16)),
        epoch=draw(uint(32)),
        round=draw(uint(32)),
        worker=draw(uint(7)),
        workers=draw(uint(32)),
        operation=draw(st.sampled_from(list(wire.Operation))),
        width=draw(st.sampled_from(list(wire.Width))),
        columns=tuple(draw(st.lists(column, min_size=columns, max_size=columns))),
        data=draw(st.dictionaries(st.integers(0, 7), elements())),
        marked=draw(st.booleans()),
        congested=draw(st.booleans()),
        declines=draw(st.booleans()),
    )


def test_the_p4_header_and_the_dtype_have_the_same_fields() -> None:
    """numpy has no fields of less than a byte: neighbours share a byte, and its name joins theirs."""
    joined: list[tuple[str, int]] = []
    for name, bits in p4_fields("dropzero_h"):
        if joined and joined[-1][1] % 8:
            name, bits = f"{joined[-1][0]}_{name}", joined[-1][1] + bits
            joined.pop()
        joined.append((name, bits))
    assert joined == dtype_fields(wire.HEADER)
    assert p4_fields("column_h") == dtype_fields(wire.COLUMN)
    assert p4_fields("data_h") == [("elements", wire.DATA.itemsize * 8)]


@pytest.mark.parametrize(
    ("prefix", "enumeration"), [("KIND", wire.Kind), ("FATE", wire.Fate), ("OPERATION", wire.Operation)]
)
def test_p4_and_python_number_kinds_fates_and_operations_the_same(prefix: str, enumeration: type[IntEnum]) -> None:
    constants = {name: int(value) for name, value in re.findall(rf"{prefix}_(\w+)\s*=\s*(\d+);", P4)}
    assert constants == {member.name: member.value for member in enumeration}


def test_p4_and_python_agree_on_the_constants() -> None:
    assert int(re.findall(r"DROPZERO_PORT\s*=\s*(\w+)", P4)[0], 16) == wire.UDP_PORT
    assert int(re.findall(r"VERSION\s*=\s*(\d+)", P4)[0]) == wire.VERSION
    assert int(re.findall(r"NO_BLOCK = (\w+)", P4)[0], 16) == wire.NO_BLOCK
    assert int(re.findall(r"ASSIGNED = (\w+)", P4)[0], 16) == wire.ASSIGNED
    assert int(re.findall(r"#define COLUMNS (\d+)", P4)[0]) == wire.COLUMNS
    assert int(re.findall(r"#define ELEMENTS (\d+)", P4)[0]) == wire.ELEMENTS
    assert int(re.findall(r"#define FATES (\d+)", P4)[0]) == len(wire.Fate)


@given(packets())
def test_a_packet_survives_the_wire(packet: Packet) -> None:
    payload = packet.encode()
    assert len(payload) == wire.payload_bytes(len(packet.columns), len(packet.data))
    read = Packet.decode(payload)
    assert read.encode() == payload
    assert replace(read, data={}) == replace(packet, data={})


@given(packets())
def test_scapy_reads_the_same_packet(packet: Packet) -> None:
    payload = packet.encode()
    seen = Dropzero(payload)
    assert (seen.kind, seen.marked, seen.congested, seen.declines, int(seen.mask), seen.worker, seen.lane) == (
        packet.kind, packet.marked, packet.congested, packet.declines, packet.mask, packet.worker, packet.lane,
    )  # fmt: skip
    assert [(c.block, c.next, c.exponent - wire.EXPONENT_BIAS) for c in seen.column] == [
        (c.block, c.next, c.exponent) for c in packet.columns
    ]
    assert seen.data == [int(x) for column in sorted(packet.data) for x in packet.data[column]]
    assert bytes(seen) == payload


@given(packets(), st.integers(1, 40))
def test_a_payload_of_the_wrong_length_is_refused(packet: Packet, some: int) -> None:
    payload = packet.encode()
    for wrong in (payload[:-some], payload + bytes(some)):
        with pytest.raises(MalformedPacket, match="bytes"):
            Packet.decode(wrong)


def test_an_unknown_version_kind_or_width_is_refused() -> None:
    payload = Packet(wire.Kind.RESULT, 0, 0, 0, 0, 0).encode()
    with pytest.raises(MalformedPacket, match="version 4"):
        Packet.decode(bytes([0x80]) + payload[1:])
    with pytest.raises(MalformedPacket, match="kind 7"):
        Packet.decode(bytes([0x67]) + payload[1:])
    with pytest.raises(MalformedPacket, match="width 3"):
        Packet.decode(payload[:2] + bytes([0x03]) + payload[3:])


def test_a_block_size_that_packets_cannot_carry_is_refused() -> None:
    for width in wire.Width:
        sizes = [words * 32 // width.bits for words in wire.BLOCK_WORDS]
        assert [wire.blocks_per_packet(size, width) for size in sizes] == [8, 4, 2, 1]
    with pytest.raises(ValueError, match="not 48"):
        wire.blocks_per_packet(48)
