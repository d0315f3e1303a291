"""Compiled expressions follow BMv2's arithmetic: unbounded integers, truncated only when stored."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dropzero.softswitch.program.model import UnsupportedProgram
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    element,
    extract,
    field,
    header,
    meta,
    operation,
    run,
    stack,
)

FIELDS = {"a": 8, "b": 32, "c": 40, "d": 64, "e": 72, "f": 1024, "g": -16, "h": -128}
"""Name to width; negative for signed fields."""

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
COMPARISON = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def cut(value: int, width: int) -> int:
    return value & (1 << width) - 1


def signed(value: int, width: int) -> int:
    value = cut(value, width)
    return value - (1 << width) if value >> width - 1 else value


def clamped(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def number(expression: Json, fields: dict[str, int]) -> int:
    """The value of a data expression."""
    if expression["type"] == "field":
        return fields[expression["value"][1]]
    if expression["type"] == "hexstr":
        return int(expression["value"], 16)
    value = expression["value"]
    op, left, right = value["op"], value["left"], value["right"]
    if op == "?":
        return number(left if truth(value["cond"], fields) else right, fields)
    if op == "~":
        return ~number(right, fields)
    if op == "b2d":
        return int(truth(right, fields))
    first, second = number(left, fields), number(right, fields)
    match op:
        case "<<":
            return first << second
        case ">>":
            return first >> second
        case "/":
            return first // second if first >= 0 and second > 0 else 0
        case "%":
            return first % second if first >= 0 and second > 0 else 0
        case "two_comp_mod":
            return signed(first, second)
        case "sat_cast":
            return clamped(first, -(1 << second - 1), (1 << second - 1) - 1)
        case "usat_cast":
            return clamped(first, 0, (1 << second) - 1)
    return int(ARITHMETIC[op](first, second))


def truth(expression: Json, fields: dict[str, int]) -> bool:
    """The value of a boolean expression."""
    if expression["type"] == "bool":
        return bool(expression["value"])
    value = expression["value"]
    op, left, right = value["op"], value["left"], value["right"]
    match op:
        case "not":
            return not truth(right, fields)
        case "d2b":
            return number(right, fields) != 0
        case "and":
            return truth(left, fields) and truth(right, fields)
        case "or":
            return truth(left, fields) or truth(right, fields)
    return bool(COMPARISON[op](number(left, fields), number(right, fields)))


leaves = st.one_of(
    st.sampled_from([field("h", name) for name in FIELDS]),
    st.integers(-(1 << 70), 1 << 70).map(constant),
    st.integers(0, 3).map(constant),
)
amounts = st.one_of(st.integers(0, 80).map(constant), st.just(operation("&", field("h", "b"), constant(0x7F))))
widths = st.integers(2, 1100).map(constant)


def larger(data: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    conditions = st.one_of(
        st.builds(operation, st.sampled_from(list(COMPARISON)), data, data),
        st.builds(operation, st.just("d2b"), data),
        st.booleans().map(lambda value: {"type": "bool", "value": value}),
    )
    conditions = st.one_of(
        conditions,
        st.builds(operation, st.sampled_from(["and", "or"]), conditions, conditions),
        st.builds(operation, st.just("not"), conditions),
    )
    return st.one_of(
        st.builds(operation, st.sampled_from(list(ARITHMETIC)), data, data),
        st.builds(operation, st.sampled_from(["<<", ">>"]), data, amounts),
        st.builds(operation, st.sampled_from(["/", "%"]), data, data),
        st.builds(operation, st.sampled_from(["two_comp_mod", "sat_cast", "usat_cast"]), data, widths),
        st.builds(operation, st.just("~"), data),
        st.builds(operation, st.just("b2d"), conditions),
        st.builds(operation, st.just("?"), conditions, data, data),
    )


expressions = st.recursive(leaves, larger, max_leaves=8)


def packed(values: dict[str, int]) -> bytes:
    whole = 0
    for name, width in FIELDS.items():
        whole = whole << abs(width) | cut(values[name], abs(width))
    return whole.to_bytes(sum(map(abs, FIELDS.values())) // 8, "big")


def computed(results: list[tuple[Json, int]], values: dict[str, int]) -> list[int]:
    """The values of (expression, width) pairs, each stored in `width` bits, by the compiled program."""
    outs = {f"r{at}": width for at, (_, width) in enumerate(results)}
    outs["padding"] = -sum(outs.values()) % 8 or 8
    program = Bmv2Program(None, h=FIELDS, out=outs)
    program.state("start", extract("h"))
    program.call(
        "compute",
        {"op": "add_header", "parameters": [header("out")]},
        *(assign(field("out", f"r{at}"), expression) for at, (expression, _) in enumerate(results)),
    )
    ((_, content),) = run(program.engine(), packed(values))
    whole = int.from_bytes(content[len(packed(values)) :], "big")
    below = sum(outs.values())
    found = []
    for width in list(outs.values())[:-1]:
        below -= width
        found.append(cut(whole >> below, width))
    return found


def field_values() -> st.SearchStrategy[dict[str, int]]:
    def of(width: int) -> st.SearchStrategy[int]:
        bits = abs(width)
        edges = [0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1]
        raw = st.one_of(st.sampled_from(edges), st.integers(0, (1 << bits) - 1))
        return raw.map(lambda value: signed(value, bits)) if width < 0 else raw

    return st.fixed_dictionaries({name: of(width) for name, width in FIELDS.items()})


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    results=st.lists(st.tuples(expressions, st.sampled_from([1, 8, 13, 32, 64, 65, 300])), min_size=1, max_size=6),
    values=field_values(),
)
def test_expressions_are_those_of_unbounded_integers(results: list[tuple[Json, int]], values: dict[str, int]) -> None:
    expected = [cut(number(expression, values), width) for expression, width in results]
    assert computed(results, values) == expected


@settings(max_examples=10)
@given(left=st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=32, max_size=32), data=st.data())
def test_masked_wide_addition_adds_32_lanes_at_once(left: list[int], data: st.DataObject) -> None:
    right = data.draw(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=32, max_size=32))
    top = sum(1 << 32 * lane + 31 for lane in range(32))
    rest = top ^ (1 << 1024) - 1

    def joined(lanes: list[int]) -> int:
        return sum(cut(lane, 32) << 32 * at for at, lane in enumerate(lanes))

    a, b = field("h", "f"), constant(joined(right))
    low = operation("+", operation("&", a, constant(rest)), operation("&", b, constant(rest)))
    total = operation("^", low, operation("&", operation("^", a, b), constant(top)))
    values = {**dict.fromkeys(FIELDS, 0), "f": joined(left)}
    expected = joined([x + y for x, y in zip(left, right, strict=True)])
    assert computed([(total, 1024)], values) == [expected]


def test_an_unmasked_shift_by_a_wide_field_is_cut_when_stored() -> None:
    values = {**dict.fromkeys(FIELDS, 0), "a": 3, "b": 5}
    shifted = operation("<<", field("h", "a"), field("h", "b"))
    assert computed([(shifted, 32)], values) == [96]
    assert computed([(shifted, 32)], {**values, "b": 1 << 31}) == [0]


def test_a_result_too_wide_to_be_exact_is_refused() -> None:
    shifted = operation("<<", field("h", "a"), field("h", "b"))
    with pytest.raises(UnsupportedProgram, match=r"test\.p4:7: a value of \d+ bits or more is not supported"):
        computed([(operation("b2d", operation("==", shifted, constant(0))), 1)], dict.fromkeys(FIELDS, 0))


def test_a_number_in_the_place_of_a_boolean_is_refused() -> None:
    with pytest.raises(UnsupportedProgram, match="in the place of true or false"):
        computed([(operation("b2d", field("h", "a")), 1)], dict.fromkeys(FIELDS, 0))


class TestHeaders:
    """Expressions over headers, stacks and their validity."""

    def program(self, *results: Json) -> Bmv2Program:
        program = Bmv2Program(None, one={"x": 8}, two={"x": 8})
        program.types[-1]["name"] = "one_t"
        program.headers[-1]["header_type"] = "one_t"
        program.stack("s", 3, y=8)
        program._header("out", {f"r{at}": 8 for at in range(len(results))})
        program.order = ["out"]
        program.state("start", extract("one"), extract("s", "stack"), extract("s", "stack"))
        program.call(
            "compute",
            {"op": "add_header", "parameters": [header("out")]},
            *(assign(field("out", f"r{at}"), result) for at, result in enumerate(results)),
        )
        return program

    def results(self, *results: Json) -> list[int]:
        ((_, content),) = run(self.program(*results).engine(), bytes([7, 8, 9]))
        return list(content)

    def test_validity(self) -> None:
        valid = [operation("b2d", operation("valid", header(name))) for name in ("one", "two", "s[1]", "s[2]")]
        assert self.results(*valid, field("one", "$valid$"), field("two", "$valid$")) == [1, 0, 1, 0, 1, 0]

    def test_headers_are_equal_only_if_both_are_valid(self) -> None:
        pairs: list[tuple[Any, Any]] = [("one", "one"), ("one", "two"), ("two", "two")]
        same = [operation("b2d", operation("==", header(left), header(right))) for left, right in pairs]
        assert self.results(*same) == [1, 0, 0]

    def test_elements_of_a_stack_by_a_computed_index(self) -> None:
        first = operation("access_field", element("s", operation("-", field("one", "x"), constant(7))), 0)
        second = operation("access_field", element("s", constant(1)), 0)
        last = {"type": "stack_field", "value": ["s", "y"]}
        assert self.results(first, second, last) == [8, 9, 9]

    def test_an_index_outside_the_stack_reads_no_other_memory(self) -> None:
        beyond = operation("access_field", element("s", operation("*", field("one", "x"), constant(1 << 40))), 0)
        negative = operation("access_field", element("s", operation("-", constant(0), field("one", "x"))), 0)
        assert self.results(beyond, negative) == [0, 0]

    def test_the_last_index_and_size_of_a_stack(self) -> None:
        assert self.results(operation("last_stack_index", stack("s")), operation("size_stack", stack("s"))) == [1, 2]

    def test_a_header_chosen_by_a_condition(self) -> None:
        chosen = operation("?", {"type": "bool", "value": False}, header("one"), element("s", constant(1)))
        assert self.results(operation("access_field", chosen, 0)) == [9]


def test_metadata_starts_at_zero_for_every_packet() -> None:
    program = Bmv2Program({"count": 8}, h={"x": 8})
    program.state("start", extract("h"))
    program.call(
        "add", assign(meta("count"), operation("+", meta("count"), constant(1))), assign(field("h", "x"), meta("count"))
    )
    assert run(program.engine(), b"\x07", b"\x07") == [(0, b"\x01"), (0, b"\x01")]
