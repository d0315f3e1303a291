"""Parsing and deparsing headers, and parsing unexpected packets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.bmv2_program import (
    ERRORS,
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


def lookahead(offset: int, width: int) -> Json:
    return {"type": "lookahead", "value": [offset, width]}


def test_a_program_is_compiled_although_llvm_aborts_when_it_optimizes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its fields become one integer of 512 bits. The shift of the last 200 bits by 4 is extended from 256 bits."""
    program = Bmv2Program(None, h={"a": 12, "b": 200, "c": 96, "d": 200, "e": 4})
    program.state("start", extract("h"))
    program.call("node", assign(field("h", "a"), constant(0x123)))
    packet = bytes(range(64))
    # Nothing is compiled already.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run(program.engine(), packet) == [(0, b"\x12\x31" + packet[2:])]
    assert "LLVM aborts when it optimizes this program" in caplog.text


def with_report(program: Bmv2Program) -> Bmv2Program:
    """Puts the parser's error, in one byte, before the packet."""
    program._header("report", {"error": 8})
    program.order.insert(0, "report")
    program.call(
        "report", primitive("add_header", header("report")), assign(field("report", "error"), standard("parser_error"))
    )
    return program


@st.composite
def layouts(draw: st.DrawFn) -> list[int]:
    """Draws widths of fields that fill whole bytes."""
    widths = draw(st.lists(st.one_of(st.integers(1, 20), st.sampled_from([32, 48, 64, 128, 1024])), max_size=8))
    return [*widths, -sum(widths) % 8 or 8]


@settings(max_examples=20)
@given(widths=layouts(), data=st.data())
def test_what_is_parsed_is_deparsed_unchanged(widths: list[int], data: st.DataObject) -> None:
    program = Bmv2Program(None, h={f"f{at}": width for at, width in enumerate(widths)})
    program.state("start", extract("h"))
    size = sum(widths) // 8
    engine = program.engine()
    packets = data.draw(st.lists(st.binary(min_size=size, max_size=size + 40), min_size=1, max_size=5))
    assert run(engine, *packets) == [(0, packet) for packet in packets]


@settings(max_examples=20)
@given(widths=layouts(), data=st.data())
def test_each_field_holds_its_own_bits(widths: list[int], data: st.DataObject) -> None:
    size = sum(widths) // 8
    chosen = data.draw(st.integers(0, len(widths) - 1))
    program = Bmv2Program(None, h={f"f{at}": width for at, width in enumerate(widths)}, out={"x": 2048})
    program.state("start", extract("h"))
    program.call("report", primitive("add_header", header("out")), assign(field("out", "x"), field("h", f"f{chosen}")))
    packet = data.draw(st.binary(min_size=size, max_size=size))
    ((_, content),) = run(program.engine(), packet)
    below = sum(widths[chosen + 1 :])
    expected = int.from_bytes(packet, "big") >> below & (1 << widths[chosen]) - 1
    assert int.from_bytes(content[size:], "big") == expected


def test_a_packet_that_is_too_short_is_kept_with_its_header_invalid() -> None:
    program = Bmv2Program(None, one={"x": 16}, two={"y": 32})
    program.state("start", extract("one"), extract("two"))
    engine = with_report(program).engine()
    assert run(engine, b"abcdef", b"abcde", b"ab", b"a", b"") == [
        (0, b"\x00abcdef"),
        (0, b"\x01abcde"),
        (0, b"\x01ab"),
        (0, b"\x01a"),
        (0, b"\x01"),
    ]


def test_a_failed_verify_ends_the_parser_with_its_error() -> None:
    program = Bmv2Program(None, one={"x": 8}, two={"y": 8})
    odd = operation("==", operation("&", field("one", "x"), constant(1)), constant(1))
    verify = {"op": "verify", "parameters": [operation("not", odd), constant(ERRORS.index("Odd"))]}
    program.state("start", extract("one"), verify, extract("two"))
    program.order = ["two", "one"]
    engine = with_report(program).engine()
    assert run(engine, b"\x02\x05", b"\x03\x05") == [(0, b"\x00\x05\x02"), (0, b"\x07\x03\x05")]


def test_transitions_choose_the_first_case_that_matches_under_its_mask() -> None:
    program = Bmv2Program({"state": 8}, h={"x": 12, "y": 4}, out={"v": 8})
    # A key's fields are padded to whole bytes: 16 bits for x, 8 for y.
    cases = ((0x012303, "exact"), (0x010000, "masked", 0x0F0000), (None, "other"))
    program.state("start", extract("h"), by=(field("h", "x"), field("h", "y")), to=cases)
    for number, name in enumerate(["exact", "masked", "other"]):
        program.state(name, {"op": "set", "parameters": [meta("state"), constant(number)]})
    program.call("report", primitive("add_header", header("out")), assign(field("out", "v"), meta("state")))
    left = run(program.engine(), b"\x12\x33", b"\x12\x34", b"\x1f\xff", b"\x22\x33")
    assert [content[-1] for _, content in left] == [0, 1, 1, 2]


@pytest.mark.parametrize(("strict", "name"), [(False, "second"), (True, "first")])
def test_of_several_defaults_bmv2_takes_the_last_after_all_cases(strict: bool, name: str) -> None:
    """p4c writes a case with a mask of 0 as a default."""
    names = ["one", "first", "two", "second"]
    program = Bmv2Program({"state": 8}, h={"x": 8}, out={"v": 8})
    cases = ((1, "one"), (None, "first"), (2, "two"), (None, "second"))
    program.state("start", extract("h"), by=(field("h", "x"),), to=cases)
    for number, each in enumerate(names):
        program.state(each, {"op": "set", "parameters": [meta("state"), constant(number)]})
    program.call("report", primitive("add_header", header("out")), assign(field("out", "v"), meta("state")))
    left = run(program.engine(strict=strict), b"\x01", b"\x02", b"\x03")
    assert [names[content[-1]] for _, content in left] == ["one", "first" if strict else "two", name]


def test_without_a_default_a_key_that_no_case_matches_is_accepted() -> None:
    program = Bmv2Program(None, h={"x": 8}, a={"v": 8})
    program.state("start", extract("h"), by=(field("h", "x"),), to=((1, "a"),))
    program.state("a", extract("a"))
    program.order = ["a", "h"]
    assert run(with_report(program).engine(), b"\x01\x09", b"\x02\x09") == [(0, b"\x00\x09\x01"), (0, b"\x00\x02\x09")]


class TestStacks:
    """Header stacks, extracted element by element."""

    def program(self) -> Bmv2Program:
        program = Bmv2Program()
        program.stack("s", 3, more=1, value=7)
        last = {"type": "stack_field", "value": ["s", "more"]}
        program.state("start", extract("s", "stack"), by=(last,), to=((1, "start"), (None, None)))
        return program

    def test_the_last_element_says_whether_another_follows(self) -> None:
        program = self.program()
        program.order = ["s[2]", "s[1]", "s[0]"]
        assert run(program.engine(), b"\x81\x82\x03rest", b"\x01\x82") == [(0, b"\x03\x82\x81rest"), (0, b"\x01\x82")]

    def test_a_full_stack_has_its_own_error(self) -> None:
        engine = with_report(self.program()).engine()
        assert run(engine, b"\x81\x82\x83\x04") == [(0, b"\x03\x81\x82\x83\x04")]

    def test_push_and_pop_move_the_headers(self) -> None:
        for op, expected in (("push", b"\x81\x02rest"), ("pop", b"\x02rest")):
            program = self.program()
            program.call("shift", primitive(op, {"type": "header_stack", "value": "s"}, constant(1)))
            assert run(program.engine(), b"\x81\x02rest") == [(0, expected)]


class TestLookahead:
    """Lookahead: bits read before they are extracted."""

    def test_it_consumes_nothing(self) -> None:
        program = Bmv2Program({"seen": 12}, h={"x": 8}, out={"v": 16})
        program.state("start", {"op": "set", "parameters": [meta("seen"), lookahead(4, 12)]}, extract("h"))
        program.call("report", primitive("add_header", header("out")), assign(field("out", "v"), meta("seen")))
        assert run(program.engine(), b"\x12\x34\x56") == [(0, b"\x12\x02\x34\x34\x56")]

    def test_a_transition_can_use_it(self) -> None:
        program = Bmv2Program(None, a={"v": 8}, b={"v": 16})
        program.state("start", by=(lookahead(0, 8),), to=((1, "a"), (None, "b")))
        program.state("a", extract("a"))
        program.state("b", extract("b"))
        program.call("cut", primitive("remove_header", header("a")), primitive("remove_header", header("b")))
        assert run(program.engine(), b"\x01\x02\x03", b"\x05\x02\x03") == [(0, b"\x02\x03"), (0, b"\x03")]

    def test_looking_beyond_the_packet_is_an_error(self) -> None:
        program = Bmv2Program(None, h={"x": 8})
        program.state("start", extract("h"), by=(lookahead(0, 9),), to=((None, None), (1, None)))
        assert run(with_report(program).engine(), b"\x05\x06") == [(0, b"\x01\x05\x06")]


def test_advance_skips_whole_bytes_only() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", extract("h"), {"op": "advance", "parameters": [field("h", "x")]})
    engine = with_report(program).engine()
    assert run(engine, b"\x10ab!", b"\x11ab!", b"\x20ab!") == [
        (0, b"\x00\x10!"),
        (0, b"\x06\x11ab!"),
        (0, b"\x01\x20ab!"),
    ]


def test_a_parser_that_loops_without_extracting_anything_ends() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", to=((None, "start"),))
    assert run(program.engine(), b"abc") == [(0, b"abc")]
