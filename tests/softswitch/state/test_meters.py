"""Meters, compared with a token-bucket reference, and their use by programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.meters import MeterRates
from tests.support.bmv2_program import (
    Bmv2Program,
    assign,
    extract,
    field,
    key,
    meta,
    primitive,
    run,
    standard,
)


def metered(unit: str = "packets") -> Engine:
    """An engine that sends a packet to the port of its colour; its first byte selects the meter."""
    program = Bmv2Program({"colour": 8}, h={"index": 8})
    meter = program.meter("m", 4, unit)
    program.state("start", extract("h"))
    program.call(
        "node",
        assign(meta("colour"), {"type": "hexstr", "value": "0x9"}),
        primitive("execute_meter", meter, field("h", "index"), meta("colour")),
        assign(standard("egress_spec"), meta("colour")),
    )
    return program.engine()


def colour(engine: Engine, now: int, packet: bytes = b"\0") -> int:
    ((port, _),) = run(engine, packet, now=now)
    return port


def test_a_meter_without_rates_is_green() -> None:
    engine = metered()
    assert [colour(engine, now) for now in range(20)] == [0] * 20


def test_a_missing_meter_leaves_the_field_unchanged() -> None:
    assert colour(metered(), 0, b"\x04") == 9


@pytest.mark.parametrize("now", [1, 2_000_000, 10**9, 10**12])
def test_a_meter_with_an_unlimited_rate_stays_green(now: int) -> None:
    engine = metered("bytes")
    engine.meters["m"][0] = MeterRates(0, 5000, (1 << 63) / 1e6, 1000)
    # Two packets a microsecond, and more in all than the burst.
    assert [colour(engine, now + at // 2, bytes(500)) for at in range(10)] == [0] * 10


@given(
    st.integers(0, 3000),
    st.integers(0, 3000),
    st.tuples(st.integers(0, 6), st.integers(0, 6)),
    st.lists(st.integers(0, 2000), min_size=1, max_size=40),
)
def test_two_rates_and_three_colours(one: int, other: int, bursts: tuple[int, int], gaps: list[int]) -> None:
    committed, peak = sorted((one, other))
    engine = metered()
    engine.meters["m"][0] = MeterRates(committed / 1e6, bursts[0], peak / 1e6, bursts[1])
    now = 0
    tokens, before = {peak: bursts[1], committed: bursts[0]}, dict.fromkeys((peak, committed), 0)
    if peak == committed:
        return
    for gap in gaps:
        now += gap
        expected = 0
        for rate, burst, exceeded in ((peak, bursts[1], 2), (committed, bursts[0], 1)):
            come = int(now * (rate / 1e6))
            tokens[rate] = min(burst, tokens[rate] + come - before[rate])
            before[rate] = come
            if tokens[rate] < 1:
                expected = exceeded
                break
            tokens[rate] -= 1
        assert colour(engine, now) == expected


def test_a_meter_of_bytes_counts_the_length_of_arrival() -> None:
    engine = metered("bytes")
    engine.meters["m"][0] = MeterRates(0, 10, 0, 25)
    assert [colour(engine, 0, bytes(10)) for _ in range(3)] == [0, 1, 2]
    assert colour(engine, 0, bytes([1]) + bytes(9)) == 0


def test_rates_can_be_read_and_removed() -> None:
    engine = metered()
    meter = engine.meters["m"]
    rates = MeterRates(4.7e-7, 1, 10_000.000019, 2)
    meter[2] = rates
    assert (meter[2], meter[1]) == (rates, None)
    meter[2] = None
    assert meter[2] is None
    with pytest.raises(IndexError):
        meter[4] = rates


def test_a_peak_below_the_committed_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="peak"):
        MeterRates(2, 1, 1, 1)


def test_each_entry_has_its_own_direct_meter() -> None:
    program = Bmv2Program({"colour": 8}, h={"x": 8})
    program.meter("m", 4, binding="t", result_target=["scalars", "colour"])
    program.state("start", extract("h"))
    program.action("send", assign(standard("egress_spec"), meta("colour")))
    program.table("t", ["send"], keys=(key(field("h", "x")),), direct_meters="m", with_counters=True, default="send")
    engine = program.engine()
    table = engine.tables["t"]
    for value in (1, 2):
        table.insert((Exact(value),), "send")
    table.set_meter((Exact(1),), 0, MeterRates(0, 1, 0, 2))
    assert [colour(engine, 0, bytes([value])) for value in (1, 1, 1, 2, 2, 2, 3)] == [0, 1, 2, 0, 0, 0, 0]
    one, two = table.entries()
    assert (one.meter, one.packets, two.meter) == (MeterRates(0, 1, 0, 2), 3, None)
    table.set_meter((Exact(1),), 0, None)
    assert colour(engine, 0, b"\x01") == 0
