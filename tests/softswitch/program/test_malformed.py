"""JSON that p4c would not write: each part is checked where it is read, so that it is either refused or compiled."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.softswitch.compiler.forwarding.forwarding import ForwardingCode
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.bmv2_json import load_program, parse_program
from dropzero.softswitch.program.model import Program, UnsupportedProgram
from lab.conformance.probe.client import Client, config
from tests.support.bmv2_program import Bmv2Program, Json, assign, constant, element, extract, meta, operation, stack
from tests.support.p4runtime_client import PROGRAMS

Path = tuple[str | int, ...]

JUNK: list[Any] = [
    *(None, True, 0, 1, -1, 3, 1 << 40, 1.5, "", "x", "0x1", [], {}, [1], ["a", "b"]),
    {"type": "hexstr", "value": "0x1"},
    {"type": "field", "value": ["a", "b"]},
    {"type": "runtime_data", "value": 7},
]


def paths(part: Any, at: Path = ()) -> Iterator[Path]:
    """Yields the path of each part of a document."""
    parts = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, each in parts:
        yield (*at, name)
        yield from paths(each, (*at, name))


def part_at(document: Any, path: Path) -> Any:
    for name in path:
        document = document[name]
    return document


def with_stacks() -> Json:
    program = Bmv2Program({"x": 8}, h={"a": 8, "b": 8})
    program.stack("s", 2, a=8)
    program.union("u", one={"a": 8}, two={"b": 16})
    program.union_stack("us", 2, one={"a": 8}, two={"b": 16})
    program.varbit("v", ("a", 8), ("rest", "*"), most=4)
    program.state("start", extract("h"), extract("s", "stack"))
    first = operation("access_field", element("s", constant(0)), 0)
    program.call("node", assign(meta("x"), operation("+", first, operation("last_stack_index", stack("s")))))
    return program.document()


DOCUMENTS = {name: json.loads((PROGRAMS / f"{name}.json").read_text()) for name in ("probe", "kinds")}
DOCUMENTS["stacks"] = json.loads(json.dumps(with_stacks()))
PATHS = {name: list(paths(document)) for name, document in DOCUMENTS.items()}


@settings(max_examples=100)
@given(st.data())
def test_a_program_with_any_change_is_compiled_or_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(DOCUMENTS)))
    document = copy.deepcopy(DOCUMENTS[name])
    *place, last = data.draw(st.sampled_from(PATHS[name]))
    changed = part_at(document, tuple(place))
    other = st.sampled_from(PATHS[name]).map(lambda path: copy.deepcopy(part_at(DOCUMENTS[name], path)))
    match data.draw(st.sampled_from(("remove", "replace", "exchange"))):
        case "remove":
            del changed[last]
        case "replace":
            changed[last] = data.draw(st.sampled_from(JUNK))
        case "exchange":
            changed[last] = data.draw(other)
    with suppress(UnsupportedProgram):
        ForwardingCode(parse_program(json.dumps(document)), 511, 1)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("headers", 0, "header_type"), "nowhere_t", "there is no header type 'nowhere_t'"),
        (("pipelines",), {}, "'pipelines' is {}"),
        (("actions", 0, "id"), "one", "'id' is 'one'"),
        (("parsers", 0, "init_state"), "nowhere", "there is no parser state nowhere"),
        (("register_arrays",), [], r"there is no register array In\.last_type"),
        (("pipelines", 0, "tables", 0, "default_entry", "action_data"), ["0xq"], "'0xq' in the place of a hexadecimal"),
    ],
)
def test_an_error_names_what_is_wrong(path: Path, value: object, message: str) -> None:
    document = copy.deepcopy(DOCUMENTS["kinds"])
    part_at(document, path[:-1])[path[-1]] = value
    with pytest.raises(UnsupportedProgram, match=message):
        parse_program(json.dumps(document))


def test_a_document_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UnsupportedProgram, match="nested too deeply"):
        parse_program(b"[" * 100_000)


def failing(*_: object, **__: object) -> Program:
    raise KeyError("a mistake of the compiler")


def test_a_mistake_of_the_compiler_is_not_called_one_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.softswitch.engine.switch.Engine", failing)
    with pytest.raises(KeyError, match="a mistake of the compiler"):
        Switch().compile(load_program(PROGRAMS / "kinds.json"))


def test_a_controller_hears_of_a_mistake_of_the_compiler_and_the_switch_continues(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("dropzero.softswitch.engine.switch.Engine", failing)
        with pytest.raises(grpc.RpcError) as failure:
            client.push(config("probe"))
    assert failure.value.code() is grpc.StatusCode.INTERNAL
    assert "a mistake of the compiler" in str(failure.value.details())
    client.push(config("probe"))
