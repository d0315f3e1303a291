"""Header unions: at most one header of each is valid."""

from __future__ import annotations

import pytest

from tests.support.bmv2_program import (
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


def union(name: str) -> Json:
    return {"type": "header_union", "value": name}


def union_stack(name: str) -> Json:
    return {"type": "header_union_stack", "value": name}


def member(of: Json, position: int) -> Json:
    return operation("access_union_header", of, position)


def element(name: str, index: Json) -> Json:
    return operation("dereference_union_stack", union_stack(name), index)


def one_union() -> Bmv2Program:
    """A program that parses a byte, and by its value u.x of one byte, u.y of two, or neither."""
    program = Bmv2Program(None, first={"kind": 8})
    program.union("u", x={"a": 8}, y={"b": 16})
    program.union("v", x={"a": 8}, y={"b": 16})
    program.unions[1]["union_type"] = "u_u"
    for at, kind in ((-2, "u_u_x"), (-1, "u_u_y")):
        program.headers[at]["header_type"] = kind
    program.state("start", extract("first"), by=(field("first", "kind"),), to=((1, "x"), (2, "y"), (None, None)))
    program.state("x", extract("u.x"))
    program.state("y", extract("u.y"))
    return program


def test_a_header_that_becomes_valid_makes_the_others_invalid() -> None:
    program = one_union()
    program.call("node", primitive("add_header", header("u.y")), assign(field("u.y", "b"), constant(0x4142)))
    assert run(program.engine(), b"\x01x!", b"\x02yy!", b"\x00!") == [(0, b"\x01AB!"), (0, b"\x02AB!"), (0, b"\0AB!")]


def test_a_copied_header_makes_the_others_invalid() -> None:
    program = one_union()
    program.call(
        "node", primitive("add_header", header("v.y")), primitive("assign_header", header("v.x"), header("u.x"))
    )
    assert run(program.engine(), b"\x01x!", b"\x00!") == [(0, b"\x01xx!"), (0, b"\x00\0\0!")]


def test_a_header_copied_to_another_of_its_union_is_the_valid_one() -> None:
    """On BMv2, it leaves with the packet, but isValid() is false: the field $valid$ is copied, too."""
    program = Bmv2Program(None, first={"kind": 8})
    program.union("u", x={"a": 8}, y={"a": 8})
    program.headers[-1]["header_type"] = program.headers[-2]["header_type"]
    program.state("start", extract("first"), extract("u.x"))
    both = operation("+", field("u.x", "$valid$"), operation("*", field("u.y", "$valid$"), constant(2)))
    copied = primitive("assign_header", header("u.y"), header("u.x"))
    program.call("node", copied, assign(standard("egress_spec"), both))
    assert run(program.engine(), b"\x01x!") == [(2, b"\x01x!")]


def test_a_union_is_valid_when_one_of_its_headers_is() -> None:
    program = one_union()
    valid = operation("b2d", operation("valid_union", union("u")))
    program.call("node", assign(standard("egress_spec"), valid))
    assert [port for port, _ in run(program.engine(), b"\x01x", b"\x02yy", b"\0")] == [1, 1, 0]


def test_a_union_is_assigned_header_by_header() -> None:
    program = one_union()
    program.call("node", primitive("add_header", header("v.x")), primitive("assign_union", union("v"), union("u")))
    expected = [(0, b"\x01xx!"), (0, b"\x02yyyy!"), (0, b"\0!")]
    assert run(program.engine(), b"\x01x!", b"\x02yy!", b"\0!") == expected


@pytest.mark.parametrize(("packet", "equal"), [(b"\x01x", 1), (b"\x02yy", 0), (b"\0", 0)])
def test_unions_are_equal_when_the_same_header_is_valid_in_both_and_equal(packet: bytes, equal: int) -> None:
    program = one_union()
    same = operation("b2d", operation("==", union("u"), union("v")))
    program.call(
        "node",
        primitive("add_header", header("v.x")),
        assign(field("v.x", "a"), constant(ord("x"))),
        assign(standard("egress_spec"), same),
    )
    ((port, _),) = run(program.engine(), packet)
    assert port == equal


def stacked() -> Bmv2Program:
    """A program that parses a stack of two unions: a byte before each element selects x of one byte, y of two, or the
    end."""
    program = Bmv2Program(None, index={"i": 8})
    program.union_stack("s", 2, x={"tag": 8, "a": 8}, y={"tag": 8, "b": 16})
    kinds = [{"type": "lookahead", "value": [0, 8]}]
    to = ((1, "x"), (2, "y"), (None, None))
    program.state("start", extract("index"), by=tuple(kinds), to=to)
    program.state(
        "x", {"op": "extract", "parameters": [{"type": "union_stack", "value": ["s", "x"]}]}, to=((None, "more"),)
    )
    program.state(
        "y", {"op": "extract", "parameters": [{"type": "union_stack", "value": ["s", "y"]}]}, to=((None, "more"),)
    )
    program.state("more", by=tuple(kinds), to=to)
    return program


def test_a_stack_of_unions_is_extracted_until_it_is_full() -> None:
    program = stacked()
    program.call("node", assign(standard("egress_spec"), standard("parser_error")))
    packets = b"\0\x01a!", b"\0\x02bb\x01a!", b"\0\x01a\x01b\x01c"
    assert run(program.engine(), *packets) == [(0, packets[0]), (0, packets[1]), (3, packets[2])]


def test_a_header_of_a_union_in_a_stack_is_found_by_index() -> None:
    program = stacked()
    target = operation("access_field", member(element("s", field("index", "i")), 0), 1)
    program.call("node", assign(target, constant(ord("Z"))))
    packets = [bytes([at]) + b"\x01a\x01b!" for at in range(3)]
    assert [left for _, left in run(program.engine(), *packets)] == [
        b"\0\x01Z\x01b!",
        b"\x01\x01a\x01Z!",
        b"\x02\x01a\x01b!",
    ]


@pytest.mark.parametrize(
    ("op", "packet", "left"),
    [("push", b"\0\x01a\x02bb!", b"\0\x01a!"), ("pop", b"\0\x01a\x02bb!", b"\0\x02bb!")],
)
def test_unions_move_in_their_stack(op: str, packet: bytes, left: bytes) -> None:
    program = stacked()
    program.call("node", primitive(op, union_stack("s"), constant(1)))
    assert run(program.engine(), packet) == [(0, left)]


def test_the_last_index_of_a_stack_of_unions() -> None:
    program = stacked()
    program.call("node", assign(standard("egress_spec"), operation("size_stack", union_stack("s"))))
    assert [port for port, _ in run(program.engine(), b"\0", b"\0\x01a", b"\0\x01a\x01b")] == [0, 1, 2]
