"""Digests, log messages, failed assertions and idle entries."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.reports import WORDS, Digest
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    key,
    meta,
    operation,
    primitive,
    run,
    standard,
)


def digesting() -> Bmv2Program:
    program = Bmv2Program({"x": -8}, h={"kind": 8, "wide": 120})
    program.state("start", extract("h"))
    first = program.learn_list("first", field("h", "wide"), meta("x"), constant(3))
    second = program.learn_list("second")
    program.condition("which", operation("==", field("h", "kind"), constant(1)), "one", "two")
    digest = primitive("generate_digest", constant(1), first)
    program.call("one", assign(meta("x"), constant(-2)), digest, assign(meta("x"), constant(-3)))
    program.call("two", primitive("generate_digest", constant(1), second))
    return program


ENGINE = digesting().engine()


@given(st.lists(st.one_of(st.none(), st.integers(0, (1 << 120) - 1)), max_size=6))
def test_digests_have_the_values_of_the_end_of_ingress(packets: list[int | None]) -> None:
    contents = [bytes(16) if wide is None else b"\x01" + wide.to_bytes(15, "big") for wide in packets]
    assert len(run(ENGINE, *contents)) == len(packets)
    expected = [Digest("second", ()) if wide is None else Digest("first", (wide, -3, 3)) for wide in packets]
    assert ENGINE.take_digests() == expected
    assert ENGINE.take_digests() == []


def test_digests_beyond_the_limit_are_counted() -> None:
    engine = digesting().engine()
    # Three words each.
    run(engine, *[bytes(16)] * (WORDS // 3 + 10))
    assert len(engine.take_digests()) == WORDS // 3
    assert engine.reports_lost == 10
    run(engine, bytes(16))
    assert len(engine.take_digests()) == 1


def text(value: str) -> Json:
    return {"type": "string", "value": value}


def vector(*values: Json) -> Json:
    return {"type": "parameters_vector", "value": list(values)}


@pytest.mark.parametrize("nothing", [[], {}], ids=["list", "as p4c 1.2.5 writes it"])
def test_messages_go_to_the_log(nothing: Json, caplog: pytest.LogCaptureFixture) -> None:
    program = Bmv2Program({"x": -8}, h={"y": 8})
    program.state("start", extract("h"))
    program.call(
        "node",
        assign(meta("x"), constant(-5)),
        primitive("log_msg", text("x is {}, y {} and {}"), vector(meta("x"), field("h", "y"))),
        primitive("log_msg", text("bye"), {"type": "parameters_vector", "value": nothing}),
    )
    with caplog.at_level(logging.INFO, "dropzero.softswitch.engine.engine"):
        assert run(program.engine(), b"\xff") == [(0, b"\xff")]
    assert [record.getMessage() for record in caplog.records] == ["x is -5, y 255 and {}", "bye"]


@pytest.mark.parametrize(("op", "word"), [("assert", "assertion"), ("assume", "assumption")])
def test_a_failed_assertion_is_logged_and_the_packet_continues(
    op: str, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    program = Bmv2Program(None, h={"y": 8})
    program.state("start", extract("h"))
    program.call("node", primitive(op, operation("<", field("h", "y"), constant(3))))
    assert run(program.engine(), b"\x02", b"\x03") == [(0, b"\x02"), (0, b"\x03")]
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage() == f"test.p4:7: an {word} does not hold"


def test_idle_entries_are_those_that_no_packet_has_hit_for_their_timeout() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", extract("h"))
    program.action("send", assign(standard("egress_spec"), constant(1)))
    program.table("t", ["send"], keys=(key(field("h", "x")),), support_timeout=True)
    engine = program.engine()
    table = engine.tables["t"]
    for value, timeout in ((1, 100), (2, 200), (3, 0)):
        table.insert((Exact(value),), "send", timeout=timeout)

    def idle(now: int) -> list[tuple[int, int | None]]:
        return [(entry.match[0].value, entry.idle) for entry in table.idle(now) if isinstance(entry.match[0], Exact)]

    assert idle(1000) == []
    run(engine, b"\x01", now=1050)
    assert idle(1149) == []
    assert idle(1151) == [(1, 101)]
    assert idle(1200) == [(1, 150), (2, 200)]
    table.modify((Exact(1),), "send", timeout=0)
    run(engine, b"\x02", now=1200)
    assert idle(1300) == []
    assert [entry.timeout for entry in table.entries()] == [0, 200, 0]
