"""What expressions and actions do that only few programs need."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from softswitch.program import Program
from tests.softswitch.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    header,
    operation,
    primitive,
    run,
    standard,
)


@given(value=st.integers(-(1 << 20), 1 << 20))
def test_what_does_not_fit_a_saturating_field_becomes_the_nearest_value(value: int) -> None:
    program = Bmv2Program(None, h={"a": 16, "b": 16})
    program.types[-1]["fields"] = [["a", 16, False, True], ["b", 16, True, True]]
    program.call(
        "node",
        primitive("add_header", header("h")),
        assign(field("h", "a"), constant(value)),
        assign(field("h", "b"), constant(value)),
    )
    unsigned, signed = min(max(value, 0), 0xFFFF), min(max(value, -0x8000), 0x7FFF)
    expected = unsigned.to_bytes(2, "big") + signed.to_bytes(2, "big", signed=True)
    assert run(program.engine(), b"") == [(0, expected)]


def test_a_sum_saturates_with_all_its_bits() -> None:
    program = Bmv2Program(None, h={"a": 16})
    program.types[-1]["fields"] = [["a", 16, False, True]]
    program.state("start", extract("h"))
    program.call("node", assign(field("h", "a"), operation("-", operation("*", *[field("h", "a")] * 2), constant(9))))
    packets = [value.to_bytes(2, "big") for value in (2, 5, 300)]
    assert [left for _, left in run(program.engine(), *packets)] == [bytes(2), b"\0\x10", b"\xff\xff"]


def test_a_register_may_stand_in_an_expression() -> None:
    program = Bmv2Program(None, h={"x": 8, "y": 16})
    program.register("r", 12, 3)
    cell: Json = {"type": "register", "value": ["r", field("h", "x")]}
    program.state("start", extract("h"))
    program.call("node", assign(field("h", "y"), operation("+", cell, constant(1))))
    engine = program.engine()
    engine.registers["r"][2] = 0xABC
    assert run(engine, b"\x02\0\0", b"\x03\0\0") == [(0, b"\x02\x0a\xbd"), (0, b"\x03\0\x01")]


def test_an_action_may_be_a_node() -> None:
    program = Bmv2Program()
    number = program.action("send", assign(standard("egress_spec"), constant(3)))
    program.call("then", assign(standard("egress_spec"), operation("+", standard("egress_spec"), constant(1))))
    ingress = program.pipelines["ingress"]
    ingress["action_calls"] = [{"name": "first", "id": 0, "action_id": number, "next_node": "then"}]
    ingress["init_table"] = "first"
    assert run(program.engine(), b"x") == [(4, b"x")]


def test_exit_ends_the_control_after_a_node_that_is_an_action() -> None:
    program = Bmv2Program()
    number = program.action("leave", primitive("exit"))
    program.call("then", assign(standard("egress_spec"), constant(3)))
    ingress = program.pipelines["ingress"]
    ingress["action_calls"] = [{"name": "first", "id": 0, "action_id": number, "next_node": "then"}]
    ingress["init_table"] = "first"
    assert run(program.engine(), b"x") == [(0, b"x")]


def test_the_last_header_of_a_stack_may_be_copied() -> None:
    program = Bmv2Program(None, copy={"x": 8})
    program.stack("s", 3, x=8)
    program.headers[-4]["header_type"] = "s_t"
    last: Json = {"type": "expression", "value": {"type": "stack_field", "value": ["s", "last"]}}
    copied = {"op": "primitive", "parameters": [primitive("assign_header", header("copy"), last)]}
    program.state("start", extract("s", "stack"), extract("s", "stack"), copied)
    assert run(program.engine(), b"abc") == [(0, b"babc")]


def test_a_program_tells_what_it_has() -> None:
    program = Bmv2Program({"colour": 8})
    program.profile("p", 5, "crc16")
    program.meter("m", 6, "bytes")
    program.value_set("v", 17, 3)
    declared: Program = program.program()
    assert [(each.name, each.size) for each in declared.profiles] == [("p", 5)]
    assert [(each.name, each.unit, each.size) for each in declared.meters] == [("m", "bytes", 6)]
    assert [(each.name, each.width, each.size) for each in declared.value_sets] == [("v", 17, 3)]
