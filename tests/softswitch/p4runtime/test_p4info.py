"""P4Info's ids, names and widths, and the bytestrings of P4Runtime."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.p4runtime.packet_io import frame_of, message_of
from dropzero.softswitch.p4runtime.pipeline.p4info import Bits, P4Info, decode, encode
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal
from tests.support.p4runtime_client import kinds


@given(st.integers(0, 2**1100), st.integers(0, 5))
def test_a_value_survives_its_bytestring_however_it_is_padded(value: int, zeros: int) -> None:
    canonical = encode(value)
    assert len(canonical) == 1 or canonical[0] != 0
    assert decode(bytes(zeros) + canonical, 1101) == value


@given(st.integers(1, 300), st.data())
def test_a_value_that_is_too_wide_is_refused(width: int, data: st.DataObject) -> None:
    value = data.draw(st.integers(2**width, 2 ** (width + 9)))
    with pytest.raises(Refusal, match=f"Bytestring provided does not fit within {width} bits"):
        decode(encode(value), width)


def test_tables_know_their_fields_actions_and_counters() -> None:
    info = P4Info(kinds().p4info)
    tables = {table.name: table for table in info.tables.values()}
    rule = tables["In.rule"]
    assert [(field.kind, field.width) for field in rule.fields] == [("ternary", 48), ("range", 16), ("optional", 9)]
    assert rule.prioritized
    assert not tables["In.station"].prioritized
    assert tables["In.station"].counter is not None
    assert tables["In.fixed_default"].has_const_default
    assert tables["In.fixed_entries"].is_const
    assert {register.width for register in info.registers.values()} == {32, 256}
    assert [field.width for field in info.packet_in] == [9, 7]


@pytest.mark.parametrize("kind", ["action", "profile"])
def test_an_action_or_a_profile_that_is_not_defined_is_refused(kind: str) -> None:
    message = kinds().p4info
    if kind == "action":
        message.tables[0].action_refs[0].id = 5
    else:
        message.tables[0].implementation_id = 5
    with pytest.raises(Refusal, match="P4Info refers to id 5, which it does not define"):
        P4Info(message)


@given(st.lists(st.integers(1, 40), max_size=6), st.binary(max_size=20), st.data())
def test_controller_headers_are_packed_bit_by_bit(widths: list[int], payload: bytes, data: st.DataObject) -> None:
    header = tuple(Bits(number, f"field{number}", width) for number, width in enumerate(widths, 1))
    values = [data.draw(st.integers(0, 2**width - 1)) for width in widths]
    bits = "".join(f"{value:0{width}b}" for value, width in zip(values, widths, strict=True))
    bits += "0" * (-len(bits) % 8)
    packet = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)) + payload

    response = message_of(packet, header)
    assert response is not None
    assert response.packet.payload == payload
    assert [decode(metadata.value, 64) for metadata in response.packet.metadata] == values
    assert frame_of(response.packet, header) == packet


def test_a_packet_shorter_than_its_header_is_no_packet_in() -> None:
    assert message_of(b"\0", (Bits(1, "port", 9),)) is None
