"""BMv2's deviations from the specifications: the default behaviour, and that with --strict."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.rpc import code_pb2

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.p4runtime.server import Listener, Server
from dropzero.softswitch.p4runtime.service import Service
from dropzero.softswitch.program.model import UnsupportedProgram
from tests.softswitch.compiler.test_parsing import with_report
from tests.support.bmv2_program import (
    ERRORS,
    Bmv2Program,
    Json,
    assign,
    constant,
    element,
    extract,
    field,
    header,
    operation,
    primitive,
    run,
    standard,
)
from tests.support.p4runtime_client import Client, open_stream

Packets = list[tuple[int, bytes]]


def both(program: Bmv2Program, *packets: bytes) -> tuple[Packets, Packets]:
    """The packets that leave as in BMv2, and those with --strict."""
    return run(program.engine(), *packets), run(program.engine(strict=True), *packets)


def union(name: str) -> Json:
    return {"type": "header_union", "value": name}


@pytest.mark.parametrize("op", ["==", "!="])
def test_two_invalid_headers_are_equal(op: str) -> None:
    program = Bmv2Program(None, a={"x": 8}, b={"x": 8}, c={"x": 8})
    for name in "abc":
        next(each for each in program.headers if each["name"] == name)["header_type"] = "a_t"
    program.state("start", extract("c"))
    program.condition("same", operation(op, header("a"), header("b")), "yes", None)
    program.call("yes", assign(standard("egress_spec"), constant(1)))
    expected = [(0, b"z")], [(1, b"z")]
    assert both(program, b"z") == (expected if op == "==" else expected[::-1])


def test_a_valid_and_an_invalid_header_always_differ() -> None:
    program = Bmv2Program(None, a={"x": 8}, b={"x": 8})
    next(each for each in program.headers if each["name"] == "b")["header_type"] = "a_t"
    program.state("start", extract("a"))
    program.condition("same", operation("==", header("a"), header("b")), "yes", None)
    program.call("yes", assign(standard("egress_spec"), constant(1)))
    assert both(program, b"\0") == ([(0, b"\0")], [(0, b"\0")])


def test_unions_are_equal_when_all_their_headers_are() -> None:
    program = Bmv2Program()
    program.union("u", a={"x": 8}, b={"x": 8})
    program.union("v", a={"x": 8}, b={"x": 8})
    for name in ("v.a", "v.b"):
        declared = next(each for each in program.headers if each["name"] == name)
        declared["header_type"] = declared["header_type"].replace("v_u", "u_u")
    program.unions[1]["union_type"] = "u_u"
    program.state("start", extract("u.a"))
    program.condition("same", operation("==", union("u"), union("v")), "yes", "no")
    program.call("yes", assign(standard("egress_spec"), constant(1)))
    program.call("no", primitive("remove_header", header("u.a")), following="again")
    program.condition("again", operation("==", union("u"), union("v")), "yes", None)
    assert both(program, b"z") == ([(0, b"")], [(1, b"")])


def test_a_field_of_an_invalid_header_is_0() -> None:
    program = Bmv2Program(None, a={"x": 8}, b={"x": 8})
    program.state("start", extract("a"))
    program.call(
        "node",
        primitive("remove_header", header("a")),
        primitive("add_header", header("b")),
        assign(field("b", "x"), field("a", "x")),
    )
    assert both(program, b"z") == ([(0, b"z")], [(0, b"\0")])


def test_a_field_of_an_invalid_header_of_a_stack_is_0_for_a_computed_index() -> None:
    program = Bmv2Program(None, a={"x": 8}, b={"x": 8})
    program.stack("s", 2, x=8)
    program.state("start", extract("a"), extract("s", "stack"))
    read = operation("access_field", element("s", field("a", "x")), 0)
    program.call("node", primitive("add_header", header("b")), assign(field("b", "x"), read))
    assert both(program, b"\0z")[1] == [(0, b"\0zz")]
    assert both(program, b"\1z")[1] == [(0, b"\1\0z")]


def test_a_key_that_no_case_matches_is_an_error() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", extract("h"), by=(field("h", "x"),), to=((1, None),))
    program = with_report(program)
    none, no_match = (bytes([ERRORS.index(name)]) for name in ("NoError", "NoMatch"))
    assert both(program, b"\1") == ([(0, none + b"\1")], [(0, none + b"\1")])
    assert both(program, b"\2") == ([(0, none + b"\2")], [(0, no_match + b"\2")])


def test_with_a_default_such_a_key_is_no_error() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", extract("h"), by=(field("h", "x"),), to=((1, None), (None, None)))
    assert both(with_report(program), b"\2") == ([(0, b"\0\2")], [(0, b"\0\2")])


def test_the_last_element_of_an_empty_stack_is_an_error() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.stack("s", 2, x=8)
    last: Json = {"type": "stack_field", "value": ["s", "x"]}
    program.state("start", extract("h"), by=(field("h", "x"),), to=((1, "more"), (None, "look")))
    program.state("more", extract("s", "stack"), to=((None, "look"),))
    program.state("look", by=(last,), to=((7, None), (None, None)))
    program = with_report(program)
    out_of_bounds = bytes([ERRORS.index("StackOutOfBounds")])
    assert both(program, b"\1z") == ([(0, b"\0\1z")], [(0, b"\0\1z")])
    assert both(program, b"\2z") == ([(0, b"\0\2z")], [(0, out_of_bounds + b"\2z")])


def test_a_program_that_divides_negative_numbers_is_refused() -> None:
    program = Bmv2Program(None, h={"x": -8, "y": 8})
    program.state("start", extract("h"))
    program.call("node", assign(field("h", "y"), operation("/", field("h", "x"), constant(2))))
    assert run(program.engine(), b"\x80\1") == [(0, b"\x80\0")]
    with pytest.raises(UnsupportedProgram, match=r"test.p4:7: strictly, to divide negative numbers"):
        program.engine(strict=True)


def test_no_stream_takes_over_from_a_primary_that_leaves(tmp_path: Path) -> None:
    switch = Switch(strict=True)
    address = f"unix:{tmp_path}/p4runtime"
    server = Server(Listener(address, Service(switch, lambda packet: True).attach))
    client = Client(address)
    try:
        backup, primary = open_stream(client, 3), None
        assert backup.standing()[1] == code_pb2.OK
        primary = open_stream(client, 5)
        assert primary.standing()[1] == code_pb2.OK
        assert backup.standing()[:2] == (5, code_pb2.ALREADY_EXISTS)
        primary.close()
        assert backup.standing() == (5, code_pb2.NOT_FOUND, "There is no primary")
        backup.bid(4)
        assert backup.standing()[:2] == (5, code_pb2.NOT_FOUND)
        backup.bid(5)
        assert backup.standing()[:2] == (5, code_pb2.OK)
    finally:
        client.close()
        server.close()
