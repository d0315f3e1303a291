"""Which fields of metadata are local variables of a control, and that nothing shows it."""

from __future__ import annotations

import pytest

from dropzero.softswitch.program.locals import local_fields
from dropzero.softswitch.program.model import FieldRef
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
)

WIDE = 256


def program(fields: Json | None = None) -> Bmv2Program:
    """A program whose ingress uses the metadata `a`."""
    made = Bmv2Program(fields or {"a": WIDE, "b": 32}, h={"x": WIDE})
    made.state("start", extract("h"))
    made.call("node", assign(meta("a"), operation("+", meta("a"), field("h", "x"))), assign(field("h", "x"), meta("a")))
    return made


def found(made: Bmv2Program) -> dict[str, str]:
    return {ref.field: control for ref, control in local_fields(made.program()).items() if ref.header == "scalars"}


def test_a_wide_field_that_one_control_uses_is_its_local_variable() -> None:
    made = program({"a": WIDE, "b": WIDE, "c": WIDE, "d": WIDE - 1})
    made.call("more", assign(meta("b"), constant(1)), pipeline="egress")
    made.call("last", assign(meta("c"), meta("d")))
    assert found(made) == {"a": "ingress", "b": "egress", "c": "ingress"}
    assert FieldRef("h", "x") not in local_fields(made.program())


@pytest.mark.parametrize("place", ["parser", "egress", "field list", "digest", "hash", "checksum", "whole header"])
def test_a_field_that_is_used_elsewhere_is_none(place: str) -> None:
    made = program()
    match place:
        case "parser":
            made.states[0]["parser_ops"].append({"op": "set", "parameters": [meta("a"), constant(1)]})
        case "egress":
            made.call("more", assign(field("h", "x"), meta("a")), pipeline="egress")
        case "field list":
            made.call("again", primitive("resubmit", made.field_list(meta("a"))))
        case "digest":
            made.call("learn", primitive("generate_digest", constant(0), made.learn_list("l", meta("a"))))
        case "hash":
            made.calculation("crc32", meta("a"))
        case "checksum":
            made.checksum(field("h", "x"), field("h", "x"), condition=operation("==", meta("a"), constant(0)))
        case "whole header":
            made.call("valid", primitive("add_header", header("scalars")))
    assert found(made) == {}


def test_it_is_0_for_each_packet_at_first() -> None:
    one, two = ((7 << at).to_bytes(WIDE // 8, "big") for at in (0, 200))
    assert run(program().engine(), one, two, one) == [(0, one), (0, two), (0, one)]


def test_it_keeps_its_value_from_node_to_node() -> None:
    made = Bmv2Program({"a": WIDE, "b": WIDE}, h={"x": WIDE})
    made.state("start", extract("h"))
    made.call("set", assign(meta("a"), field("h", "x")), assign(meta("b"), operation("~", meta("a"))), following="test")
    made.condition("test", operation(">", field("h", "x"), constant(9)), "large", "small")
    made.call("large", assign(field("h", "x"), operation("-", meta("b"), constant(1))))
    made.call("small", assign(field("h", "x"), operation("^", meta("a"), meta("b"))))
    full = (1 << WIDE) - 1
    large, small = (value.to_bytes(WIDE // 8, "big") for value in (full - (1 << 99) - 1, full))
    packets = [(value).to_bytes(WIDE // 8, "big") for value in (1 << 99, 3)]
    assert run(made.engine(), *packets) == [(0, large), (0, small)]
