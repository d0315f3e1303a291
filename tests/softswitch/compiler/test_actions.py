"""Rarely used expressions and actions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.program.model import Program
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    header,
    meta,
    operation,
    primitive,
    run,
    standard,
)


@pytest.mark.parametrize("value", [-(1 << 20), -0x8001, -0x8000, -1, 0, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 1 << 20])
def test_a_saturating_field_takes_the_nearest_value(value: int) -> None:
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


def test_a_program_lists_its_profiles_meters_and_value_sets() -> None:
    program = Bmv2Program({"colour": 8})
    program.profile("p", 5, "crc16")
    program.meter("m", 6, "bytes")
    program.value_set("v", 17, 3)
    declared: Program = program.program()
    assert [(each.name, each.size) for each in declared.profiles] == [("p", 5)]
    assert [(each.name, each.unit, each.size) for each in declared.meters] == [("m", "bytes", 6)]
    assert [(each.name, each.width, each.size) for each in declared.value_sets] == [("v", 17, 3)]


@given(rows=st.integers(0, 12), columns=st.integers(0, 12), skipped=st.integers(0, 12), last=st.integers(0, 30))
def test_loops_nest_break_and_continue(rows: int, columns: int, skipped: int, last: int) -> None:
    """In the form in which newer compilers write "for" in an action, with "continue" and "break"."""
    expected = 0
    for row in range(rows):
        if row == skipped:
            continue
        for column in range(columns):
            if row + column == last:
                break
            expected += row * column + 1
    content = bytes([rows, columns, skipped, last])
    assert run(LOOPS, content) == [(0, content + (expected & 0xFFFF).to_bytes(2, "big"))]


def loops() -> Bmv2Program:
    program = Bmv2Program({"row": 8, "column": 8}, h={"rows": 8, "columns": 8, "skipped": 8, "last": 8}, sum={"x": 16})
    row, column, total = meta("row"), meta("column"), field("sum", "x")
    program.state("start", extract("h"))
    added = operation("+", operation("+", total, operation("*", row, column)), constant(1))
    program.call(
        "loops",
        primitive("add_header", header("sum")),
        assign(row, constant(0)),
        # 2: each row
        primitive("_jump_if_zero", operation("<", row, field("h", "rows")), constant(13)),
        primitive("_jump_if_zero", operation("!=", row, field("h", "skipped")), constant(11)),
        assign(column, constant(0)),
        # 5: each column
        primitive("_jump_if_zero", operation("<", column, field("h", "columns")), constant(11)),
        primitive("_jump_if_zero", operation("==", operation("+", row, column), field("h", "last")), constant(8)),
        primitive("_jump", constant(11)),
        assign(total, added),
        assign(column, operation("+", column, constant(1))),
        primitive("_jump", constant(5)),
        assign(row, operation("+", row, constant(1))),
        primitive("_jump", constant(2)),
    )
    return program


LOOPS = loops().engine()
