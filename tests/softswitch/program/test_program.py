"""Reading BMv2 programs; errors name unsupported features and their place."""

from __future__ import annotations

import json

import pytest

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.program.model import Constant, FieldRef, Operation, Program, UnsupportedProgram
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    extract,
    field,
    header,
    key,
    meta,
    operation,
    primitive,
    standard,
)


def parse(document: Json) -> Program:
    return parse_program(json.dumps(document))


def test_an_expression_keeps_its_shape() -> None:
    program = Bmv2Program({"x": 8})
    program.call("node", assign(meta("x"), operation("+", meta("x"), constant(3))))
    (action,) = program.program().ingress.tables["node"].actions
    assert action.primitives[0].arguments[1] == Operation("+", (FieldRef("scalars", "x"), Constant(3)))


def test_negative_constants() -> None:
    program = Bmv2Program({"x": 8})
    program.call("node", assign(meta("x"), {"type": "hexstr", "value": "-0x1"}))
    (action,) = program.program().ingress.tables["node"].actions
    assert action.primitives[0].arguments[1] == Constant(-1)


@pytest.mark.parametrize("minor", [0, 18, 23, 99])
def test_any_minor_version_is_accepted(minor: int) -> None:
    program = Bmv2Program()
    program.version = [2, minor]
    assert program.program().ingress.start is None


def test_another_major_version_is_refused() -> None:
    program = Bmv2Program()
    program.version = [3, 0]
    with pytest.raises(UnsupportedProgram, match="version 3 of the BMv2 JSON format is not supported"):
        program.program()


@pytest.mark.parametrize("content", ["", "[]", "{}", "null", '{"__meta__": {"version": [2, 23]}}'])
def test_json_that_is_not_a_program_is_refused(content: str) -> None:
    with pytest.raises(UnsupportedProgram):
        parse_program(content)


@pytest.mark.parametrize("op", ["shift", "modify_field_conditionally", "nop"])
def test_an_unknown_primitive_is_refused_with_its_place(op: str) -> None:
    program = Bmv2Program()
    program.call("node", primitive(op, constant(1)))
    with pytest.raises(UnsupportedProgram, match=rf"^test\.p4:7: the primitive {op} is not supported$"):
        program.program()


def test_an_unknown_operation_is_refused_with_its_place() -> None:
    program = Bmv2Program({"x": 8})
    program.call("node", assign(meta("x"), operation("exp", header("x"))))
    with pytest.raises(UnsupportedProgram, match=r"^test\.p4:7: the operation exp is not supported$"):
        program.program()


@pytest.mark.parametrize(
    ("part", "declared", "message"),
    [
        ("extern_instances", {"name": "e"}, r"an extern instance \(e\)"),
        ("header_types", {"name": "t", "fields": [["x", "*"], ["y", "*"]], "max_length": 4}, r"a second varbit in t"),
        ("meter_arrays", {"name": "m", "rate_count": 3}, r"meter m of 3 rates"),
    ],
)
def test_unknown_declarations_are_refused(part: str, declared: Json, message: str) -> None:
    document = Bmv2Program().document()
    source = {"filename": "test.p4", "line": 3}
    document[part] = [*document.get(part, []), {**declared, "source_info": source}]
    with pytest.raises(UnsupportedProgram, match=rf"^test\.p4:3: {message} is not supported$"):
        parse(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "direct"}, "table t's type direct"),
        ({"key": [key(meta("x"), "selector")]}, "the match kind selector of table t"),
    ],
)
def test_an_unknown_kind_of_table_is_refused(change: Json, message: str) -> None:
    program = Bmv2Program({"x": 8})
    program.action("NoAction")
    program.table("t", ["NoAction"], keys=(key(meta("x")),))
    document = program.document()
    document["pipelines"][0]["tables"][0].update(change)
    with pytest.raises(UnsupportedProgram, match=f"{message} is not supported"):
        parse(document)


def test_an_unknown_parser_operation_is_refused() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", {"op": "skip", "parameters": [constant(8)]})
    with pytest.raises(UnsupportedProgram, match="the parser operation skip in state start is not supported"):
        program.program()


def test_an_unknown_hash_algorithm_is_refused() -> None:
    program = Bmv2Program({"x": 16})
    program.checksum(meta("x"), meta("x"), algorithm="toeplitz")
    with pytest.raises(UnsupportedProgram, match="the hash algorithm toeplitz is not supported"):
        program.engine()


def test_parsed_headers_that_do_not_fill_whole_bytes_are_refused() -> None:
    program = Bmv2Program(None, h={"x": 7})
    program.state("start", extract("h"))
    with pytest.raises(UnsupportedProgram, match="header type h_t is not supported: its 7 bits are not whole bytes"):
        program.engine()


def test_aliases_lead_to_the_fields_of_standard_metadata() -> None:
    document = Bmv2Program().document()
    document["field_aliases"] = [["intrinsic_metadata.mcast_grp", ["standard_metadata", "egress_rid"]]]
    program = parse(document)
    assert program.standard("mcast_grp", "intrinsic_metadata.mcast_grp") == FieldRef("standard_metadata", "egress_rid")
    assert program.standard("egress_port") == FieldRef("standard_metadata", "egress_port")
    assert program.standard("no_such_field") is None


def test_the_digest_distinguishes_programs() -> None:
    one, two = Bmv2Program({"x": 8}), Bmv2Program({"x": 9})
    assert one.program().digest == one.program().digest != two.program().digest


def test_a_field_that_does_not_exist_is_refused() -> None:
    program = Bmv2Program({"x": 8})
    program.call("node", assign(field("scalars", "y"), standard("egress_spec")))
    with pytest.raises(UnsupportedProgram, match=r"there is no field scalars\.y"):
        program.program()


def test_the_validity_of_anything_but_a_header_is_refused() -> None:
    program = Bmv2Program()
    hidden: Json = {"type": "field", "value": [{"op": "dereference_header_stack"}, "$valid$"]}
    program.call("node", assign(standard("egress_spec"), hidden))
    with pytest.raises(UnsupportedProgram, match="not a program that p4c wrote for BMv2"):
        program.program()


@pytest.mark.parametrize("name", ["mcast_grp", "egress_spec", "egress_port", "ingress_port"])
def test_numbers_wider_than_the_switchs_are_refused(name: str) -> None:
    document = Bmv2Program().document()
    (declared,) = (each for each in document["header_types"][0]["fields"] if each[0] == name)
    declared[1] = 64
    with pytest.raises(UnsupportedProgram, match=rf"standard_metadata\.{name} has 64 bits, more than the 16"):
        parse(document)


def test_ports_may_have_as_many_bits_as_the_switchs() -> None:
    document = Bmv2Program().document()
    for declared in document["header_types"][0]["fields"]:
        if declared[0] in ("egress_spec", "egress_port", "ingress_port"):
            declared[1] = 16
    assert parse(document).ingress.start is None


def test_another_architecture_is_refused_by_name() -> None:
    document = Bmv2Program().document()
    document["parsers"] = [{**document["parsers"][0], "name": "main_parser"}]
    with pytest.raises(
        UnsupportedProgram, match=r"PNA, for pna_nic, is not supported: .* \(p4c --arch v1model or psa\)"
    ):
        parse(document)


def test_a_psa_program_without_the_architectures_metadata_is_refused() -> None:
    document = Bmv2Program().document()
    for section, kind in (("parsers", "parser"), ("deparsers", "deparser")):
        document[section] = [{**document[section][0], "name": f"{name}_{kind}"} for name in ("ingress", "egress")]
    with pytest.raises(UnsupportedProgram, match=r"there is no field psa_\S+, which psa needs"):
        parse(document)


def test_a_control_that_does_not_end_is_refused() -> None:
    program = Bmv2Program({"x": 8})
    program.call("one", assign(meta("x"), constant(1)), following="two")
    program.call("two", assign(meta("x"), constant(2)), following="one")
    with pytest.raises(UnsupportedProgram, match="ingress does not end: one is in or after a cycle"):
        program.program()


def test_a_stack_of_other_headers_is_refused() -> None:
    program = Bmv2Program(None, wide={"x": 512})
    program.stack("small", 2, x=8)
    program.stacks[0]["header_ids"][1] = 2
    with pytest.raises(UnsupportedProgram, match="the stack small is not of headers of the type small_t"):
        program.program()


def test_a_header_in_two_stacks_is_refused() -> None:
    program = Bmv2Program(None)
    program.stack("one", 2, x=8)
    program.stacks.append({**program.stacks[0], "name": "two"})
    with pytest.raises(UnsupportedProgram, match=r"two stacks or unions with one\[0\] are not supported"):
        program.program()


@pytest.mark.parametrize("size", [4, 8])
def test_duplicate_declarations_are_refused(size: int) -> None:
    program = Bmv2Program(None)
    program.register("r", 8, 4)
    program.register("r", 8, size)
    with pytest.raises(UnsupportedProgram, match="two declarations of the register r are not supported"):
        program.program()


@pytest.mark.parametrize("size", [-4, 1 << 32, 1 << 70])
def test_an_impossible_size_is_refused(size: int) -> None:
    program = Bmv2Program(None)
    program.register("r", 8, size)
    with pytest.raises(UnsupportedProgram, match=f"r with room for {size} is not supported"):
        program.program()


def test_a_program_too_large_for_memory_is_refused() -> None:
    program = Bmv2Program()
    program.register("r", 1 << 15, 1 << 31)
    with pytest.raises(UnsupportedProgram, match="there is no memory for its tables and arrays"):
        Switch().compile(program.program())


def test_a_negative_lookahead_is_refused() -> None:
    program = Bmv2Program({"x": 8})
    program.state("start", by=({"type": "lookahead", "value": [-64, 64]},), to=((None, None),))
    with pytest.raises(UnsupportedProgram, match="parser state start has a lookahead of 64 bits at offset -64"):
        program.program()


@pytest.mark.parametrize("width", [0, -8, 1 << 17])
def test_fields_that_have_no_bits_or_too_many_are_refused(width: int) -> None:
    document = Bmv2Program(None, h={"x": 8}).document()
    document["header_types"][-1]["fields"] = [["x", width]]
    with pytest.raises(UnsupportedProgram, match=rf"h_t\.x of {width} bits is not supported"):
        parse(document)
