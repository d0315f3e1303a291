"""JSON of older compilers, which leave out what has a default in BMv2, and call primitives of P4_14."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.program.model import Exact, Program, UnsupportedProgram
from dropzero.softswitch.state.tables.table_error import TableError
from dropzero.softswitch.state.tables.targets import Member
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    header,
    key,
    operation,
    parameter,
    primitive,
    run,
    standard,
)
from tests.support.p4runtime_client import PROGRAMS

MEANINGFUL = {"action_data", "entries", "selector", "update", "verify", "value"}
"""Attributes that mean something else if they are missing, than if they are empty or false."""


def parse(document: Json) -> Program:
    return parse_program(json.dumps(document))


def engine(document: Json) -> Engine:
    return Engine(parse(document), seed=1)


def forwarding(**headers: dict[str, int]) -> Bmv2Program:
    """A program that extracts the headers in order."""
    program = Bmv2Program(None, **headers)
    program.state("start", *map(extract, headers))
    return program


def without_defaults(part: Any) -> Any:
    """A copy of JSON without what is null, false or empty."""
    if isinstance(part, list):
        return [without_defaults(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        name: without_defaults(each)
        for name, each in part.items()
        if name in MEANINGFUL or name.startswith("__") or not (each is None or each is False or each in ([], {}))
    }


@pytest.mark.parametrize("name", ["probe", "kinds"])
def test_whatever_has_a_default_may_be_missing(name: str) -> None:
    document = json.loads((PROGRAMS / f"{name}.json").read_text())
    old = without_defaults(document)
    for pipeline in old["pipelines"]:
        for table in pipeline.get("tables", ()):
            if "entries" in table:
                del table["max_size"]
    for state in (state for parser in old["parsers"] for state in parser["parse_states"]):
        for transition in state.get("transitions", ()):
            if transition["type"] != "parse_vset":
                transition["value"] = "default" if transition.pop("type") == "default" else transition["value"]
    del old["__meta__"]
    assert len(json.dumps(old)) < len(json.dumps(document))
    assert replace(parse(old), digest="") == replace(parse(document), digest="")


def test_p4c_bm_writes_null_where_a_header_has_no_longest_length() -> None:
    program = forwarding(h={"x": 8})
    document = program.document()
    for declared in document["header_types"]:
        declared |= {"length_exp": None, "max_length": None}
    assert run(engine(document), b"\1") == [(0, b"\1")]


def test_a_varbit_needs_the_longest_length_of_its_header() -> None:
    program = forwarding()
    program.varbit("options", ("size", 8), ("content", "*"), most=4)
    document = program.document()
    document["header_types"][-1]["max_length"] = None
    with pytest.raises(UnsupportedProgram, match="'max_length' is None"):
        parse(document)


def test_a_table_may_only_name_its_actions() -> None:
    program = forwarding(h={"x": 8})
    program.action("other")
    program.action("mark", assign(field("h", "x"), constant(9)))
    program.table("t", ["mark", "other"], default="mark")
    document = program.document()
    del document["pipelines"][0]["tables"][0]["action_ids"]
    assert run(engine(document), b"\1") == [(0, b"\x09")]


def test_a_value_set_may_have_no_size() -> None:
    program = forwarding(h={"a": 8})
    program.value_set("set", 8)
    program.states[0]["transition_key"] = [field("h", "a")]
    program.states[0]["transitions"] = [{"type": "parse_vset", "value": "set", "mask": None, "next_state": None}]
    document = program.document()
    del document["parse_vsets"][0]["max_size"]
    values = engine(document).value_sets["set"]
    for value in range(256):
        values.insert(value)
    assert len(values) == 256


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("multicast", ["standard_metadata", "intrinsic_metadata", ""])
def test_drop_without_an_argument_drops(multicast: str, group: bool) -> None:
    program = forwarding(h={"a": 8})
    if multicast == "intrinsic_metadata":
        program._header(multicast, {"mcast_grp": 16}, metadata=True)
    fields = [assign(standard("egress_spec"), constant(3))]
    if group and multicast:
        fields.append(assign(field(multicast, "mcast_grp"), constant(1)))
    program.call("forward", *fields, following="judge")
    program.action("drop", primitive("drop"))
    program.action("keep", primitive("no_op"))
    program.table("judge", ["drop", "keep"], keys=(key(field("h", "a")),), default="drop")
    made = program.engine()
    made.multicast.set(1, [(4, 0)])
    assert run(made, b"\1") == []


def test_packets_are_multicast_by_the_group_of_p4_14() -> None:
    program = forwarding(h={"a": 8})
    program._header("intrinsic_metadata", {"mcast_grp": 16}, metadata=True)
    program.call("forward", primitive("modify_field", field("intrinsic_metadata", "mcast_grp"), constant(1)))
    document = program.document()
    standard_type = next(each for each in document["header_types"] if each["name"] == "standard_metadata_t")
    standard_type["fields"] = [each for each in standard_type["fields"] if each[0] != "mcast_grp"]
    made = engine(document)
    made.multicast.set(1, [(4, 0), (5, 0)])
    assert run(made, b"\1") == [(4, b"\1"), (5, b"\1")]


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "shift_left": operator.lshift,
    "shift_right": operator.rshift,
}


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic_of_p4_14(op: str) -> None:
    program = forwarding(h={"x": 8, "y": 8, "to": 8})
    program.call("node", primitive(op, field("h", "to"), field("h", "x"), field("h", "y")))
    for x, y in ((200, 3), (3, 200), (255, 255), (0, 1)):
        ((_, packet),) = run(program.engine(), bytes([x, y, 7]))
        assert packet == bytes([x, y, ARITHMETIC[op](x, y) & 0xFF])


@pytest.mark.parametrize(("op", "change"), [("add_to_field", 9), ("subtract_from_field", -9)])
def test_fields_change_in_place(op: str, change: int) -> None:
    program = forwarding(h={"x": 8})
    program.call("node", primitive(op, field("h", "x"), constant(9)))
    for x in (0, 5, 250):
        assert run(program.engine(), bytes([x])) == [(0, bytes([x + change & 0xFF]))]


def test_fields_and_headers_are_copied() -> None:
    program = forwarding(a={"x": 8}, b={"x": 8}, c={"x": 8})
    program.headers[-1]["header_type"] = "a_t"
    program.call(
        "node",
        primitive("modify_field", field("b", "x"), constant(9)),
        primitive("copy_header", header("c"), header("a")),
    )
    assert run(program.engine(), b"\1\2\3") == [(0, b"\1\x09\1")]


@pytest.mark.parametrize(("op", "sign"), [("+", 1), ("-", -1)])
def test_an_operation_with_one_operand_begins_with_zero(op: str, sign: int) -> None:
    program = forwarding(h={"x": 8})
    program.call("node", assign(field("h", "x"), operation(op, field("h", "x"))))
    assert run(program.engine(), b"\5") == [(0, bytes([5 * sign & 0xFF]))]


def test_a_parser_shifts_by_bytes() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", {"op": "shift", "parameters": [2]}, extract("h"))
    assert run(program.engine(), b"\1\2\3\4") == [(0, b"\3\4")]


def optional() -> Bmv2Program:
    """A program whose header has a varbit of as many words as the header's second byte says."""
    program = Bmv2Program()
    program.varbit("h", ("a", 8), ("words", 8), ("rest", "*"), ("last", 8), most=35)
    size = operation("<<", {"type": "local", "value": 1}, constant(5))
    program.types[-1]["length_exp"] = size
    program.state("start", extract("h"))
    program.call("node", primitive("modify_field", field("h", "last"), constant(0xEE)))
    return program


def test_a_varbit_may_be_as_wide_as_the_headers_fields_say() -> None:
    made = optional().engine()
    for count in (0, 1, 5, 8):
        content = bytes([9, count, *range(4 * count)])
        assert run(made, content + b"\1\2") == [(0, content + b"\xee\2")]


@pytest.mark.parametrize("packet", [b"\1", b"\1\1\2", b"\1\x09" + bytes(40)])
def test_a_varbit_that_does_not_fit_is_an_error_of_the_parser(packet: bytes) -> None:
    assert run(optional().engine(), packet) == [(0, packet)]


def test_a_varbit_without_a_width_is_refused() -> None:
    program = optional()
    del program.types[-1]["length_exp"]
    with pytest.raises(UnsupportedProgram, match=r"the width of h_t\.rest is missing"):
        program.program()


def test_a_key_may_be_the_validity_of_a_header() -> None:
    program = Bmv2Program(None, h={"x": 8}, more={"x": 8})
    program.state("start", extract("h"), by=(field("h", "x"),), to=((1, "more"), (None, None)))
    program.state("more", extract("more"))
    program.action("send", assign(standard("egress_spec"), parameter(0)), port=9)
    validity = {"match_type": "valid", "target": "more"}
    number = program.actions[-1]["id"]
    entries = [
        {
            "match_key": [{"match_type": "valid", "key": valid}],
            "action_entry": {"action_id": number, "action_data": [hex(port)]},
        }
        for valid, port in ((True, 7), (False, 3))
    ]
    program.table("t", ["send"], keys=(validity,), entries=entries)
    assert run(program.engine(), b"\1\2", b"\5\6") == [(7, b"\1\2"), (3, b"\5\6")]


def test_a_table_may_declare_its_action_profile() -> None:
    program = forwarding(h={"x": 8})
    program.action("send", assign(standard("egress_spec"), parameter(0)), port=9)
    selector = {"algo": "crc16", "input": [field("h", "x")]}
    keys = (key(field("h", "x")),)
    program.table("one", ["send"], keys=keys, following="many", type="indirect", act_prof_name="one_profile")
    profile = "many_profile"
    program.table("many", ["send"], keys=keys, type="indirect_ws", act_prof_name=profile, selector=selector)
    made = program.engine()
    assert {name: profile.selector for name, profile in made.action_profiles.items()} == {
        "one_profile": False,
        "many_profile": True,
    }
    made.action_profiles["one_profile"].add_member(0, "send", (6,))
    made.tables["one"].insert((Exact(1),), Member(0))
    assert run(made, b"\1") == [(6, b"\1")]


def test_an_ipv4_checksum_is_over_the_header() -> None:
    fields = {"version": 4, "ihl": 4, "tos": 8, "length": 16, "id": 16, "fragment": 16, "ttl": 8, "protocol": 8}
    fields |= {"checksum": 16, "source": 32, "destination": 32}
    packet = bytes.fromhex("450000730000400040110000c0a80001c0a800c7")
    for update in (True, False):
        program = forwarding(ip=fields)
        checksum = {"name": "c", "id": 0, "target": ["ip", "checksum"], "type": "ipv4", "update": update}
        program.checksums.append(checksum | {"verify": not update})
        program.call("node", assign(field("ip", "tos"), standard("checksum_error")))
        right = packet[:10] + b"\xb8\x61" + packet[12:]
        expected = right if update else packet[:1] + b"\1" + packet[2:]
        assert run(program.engine(), packet) == [(0, expected)]
        if not update:
            assert run(program.engine(), right) == [(0, right)]


def test_a_default_without_action_data_is_none_but_may_be_fixed() -> None:
    program = forwarding(h={"x": 8})
    for name, value in (("a", 1), ("b", 2)):
        program.action(name, assign(field("h", "x"), constant(value)))
    program.table("t", ["a", "b"], default="a", const=True)
    document = program.document()
    del document["pipelines"][0]["tables"][0]["default_entry"]["action_data"]
    made = engine(document)
    assert run(made, b"\5") == [(0, b"\5")]
    with pytest.raises(TableError, match="constant"):
        made.tables["t"].set_default("b")
    made.tables["t"].set_default("a")
    assert run(made, b"\5") == [(0, b"\1")]
