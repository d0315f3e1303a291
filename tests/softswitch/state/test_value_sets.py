"""Value sets: parser transitions set by the control plane."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.engine.engine import Engine
from tests.support.bmv2_program import Bmv2Program, extract, field, run


def engine(mask: int | None = None) -> Engine:
    """An engine that looks up h.a (3 bits) joined with h.b (13 bits), and shortens packets that match by one byte."""
    program = Bmv2Program(None, h={"a": 3, "b": 13}, skipped={"x": 8})
    program.order.remove("skipped")
    program.value_set("s", 16, 4)
    to = ((1 << 16 | 1, None), (None, None))
    program.state("start", extract("h"), by=(field("h", "a"), field("h", "b")), to=to)
    masked = None if mask is None else hex(mask)
    chosen = {"type": "parse_vset", "value": "s", "mask": masked, "next_state": "skip"}
    program.states[0]["transitions"].insert(0, chosen)
    program.state("skip", extract("skipped"))
    return program.engine()


ENGINE = engine()


@given(st.lists(st.integers(0, 5), max_size=8), st.integers(0, 5))
def test_a_packet_matches_the_values_in_the_set(changes: list[int], looked_up: int) -> None:
    values = ENGINE.value_sets["s"]
    values.clear()
    model: set[int] = set()
    for value in changes:
        if value in model:
            values.delete(value)
            model.remove(value)
        elif len(model) < values.size:
            values.insert(value)
            model.add(value)
    assert (len(values), looked_up in values) == (len(model), looked_up in model)
    packet = looked_up.to_bytes(2, "big") + b"xy"
    assert run(ENGINE, packet) == [(0, packet[:2] + packet[2 + (looked_up in model) :])]


def test_a_mask_selects_the_compared_bits() -> None:
    it = engine(mask=0xFF00)
    it.value_sets["s"].insert(0x1234)
    assert run(it, b"\x12\xffxy", b"\x13\x34xy") == [(0, b"\x12\xffy"), (0, b"\x13\x34xy")]


def test_a_value_set_refuses_values_that_do_not_fit() -> None:
    values = engine().value_sets["s"]
    for value in range(4):
        values.insert(value)
    values.insert(3)
    with pytest.raises(ValueError, match="room for 4"):
        values.insert(4)
    with pytest.raises(ValueError, match="16 bits"):
        values.insert(1 << 16)
    with pytest.raises(KeyError):
        values.delete(9)
