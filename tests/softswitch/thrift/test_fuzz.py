"""The Thrift server answers any call, or closes the connection, and continues. SOFTSWITCH_FUZZ is the number of calls;
SEED selects them."""

from __future__ import annotations

import os
import random
import socket
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.thrift import wire
from dropzero.softswitch.thrift.management import Management
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.server import INTERNAL_ERROR, schema_of
from dropzero.softswitch.thrift.services import program_services
from tests.softswitch.thrift.test_thrift import port as port  # a fixture
from tests.support.p4runtime_client import PROGRAMS

CALLS = int(os.environ.get("SOFTSWITCH_FUZZ", "3000"))
SEED = int(os.environ.get("SEED", "1"))
PROGRAM = PROGRAMS / "probe.json"
NUMBERS = 0, 1, 2, 3, 7, 255, 511, -1, 1 << 16, (1 << 31) - 1, -(1 << 31)


class Calls:
    """An endless supply of calls, equal for equal seeds: some right except for a detail, others nonsense."""

    def __init__(self, switch: Switch, program: Path, seed: int) -> None:
        self._random = random.Random(seed)
        services = program_services(switch, Replication(switch))
        services["standard"].append(Management.__new__(Management))
        self._functions = [
            (f"{service}:{name}".encode(), _kinds(provider, name))
            for service, providers in services.items()
            for provider in providers
            for name in dir(provider)
            if name.startswith(provider.prefixes)
        ]
        content = load_program(program)
        kinds = content.tables, content.actions, content.registers, content.counters, content.meters
        named = (kind.values() if isinstance(kind, dict) else kind for kind in kinds)
        self._names = [each.name.encode() for kind in named for each in kind]

    def next(self) -> tuple[bytes, bool]:
        """Returns a call, and whether some of its bytes are wrong."""
        draw = self._random
        name, kinds = draw.choice(self._functions)
        fields = {number: self._value(kind) for number, kind in enumerate(kinds, 1) if draw.random() < 0.97}
        content = bytearray(wire.message(wire.CALL, name, draw.randrange(1 << 31), fields))
        damaged = draw.random() < 0.1
        if damaged:
            for _ in range(draw.randrange(1, 5)):
                content[draw.randrange(len(content))] = draw.randrange(256)
        return bytes(content), damaged

    def _value(self, kind: str, depth: int = 0) -> wire.Value:
        draw = self._random
        if draw.random() < 0.08:
            kind = draw.choice(("int", "bool", "bytes", "list", "dict"))
        if kind == "bool":
            return wire.boolean(draw.random() < 0.5)
        if kind == "int":
            return draw.choice((wire.i32, wire.i32, wire.i64))(draw.choice(NUMBERS))
        if kind == "bytes":
            return wire.string(draw.choice((*self._names, b"", draw.randbytes(draw.choice((1, 2, 4, 6, 200))))))
        inner = ("int", "bytes", "list", "dict") if depth < 3 else ("int", "bytes")
        values = [self._value(draw.choice(inner), depth + 1) for _ in range(draw.randrange(4))]
        if kind == "list":
            first = draw.choice((wire.STRING, *(each.kind for each in values)))
            return wire.sequence(first, [each for each in values if each.kind == first])
        return wire.record(dict(enumerate(values, 1)))


def _kinds(provider: Any, name: str) -> list[str]:
    """The types of a function's arguments: int, bool, bytes, list or dict."""
    function = getattr(provider, name)
    types = get_type_hints(function, include_extras=True)
    schemas = [schema_of(types[each]) for each in signature(function).parameters]
    return [schema.__name__ if isinstance(schema, type) else type(schema).__name__ for schema in schemas]


def test_every_call_is_answered(switch: Switch, port: int) -> None:
    switch.engine = switch.compile(load_program(PROGRAM))
    calls, connection, answered = Calls(switch, PROGRAM, SEED), None, 0
    for number in range(CALLS):
        call, damaged = calls.next()
        if connection is None:
            connection = socket.create_connection(("127.0.0.1", port), timeout=600)
            stream = connection.makefile("rb")
        try:
            connection.sendall(call)
            if damaged:
                # Otherwise the server might wait for more.
                connection.shutdown(socket.SHUT_WR)
            answer = wire.read_message(stream)
            answered += 1
            assert answer.fields.get(2) != INTERNAL_ERROR or answer.kind != wire.EXCEPTION, (number, call, answer)
        except (wire.Malformed, ConnectionError):
            assert damaged, (number, call)
        if damaged:
            stream.close()
            connection.close()
            connection = None
    if connection is not None:
        stream.close()
        connection.close()
    assert answered > CALLS // 2
    with socket.create_connection(("127.0.0.1", port), timeout=600) as last, last.makefile("rb") as stream:
        last.sendall(wire.message(wire.CALL, b"standard:bm_mgmt_get_info", 1, {}))
        assert wire.read_message(stream).kind == wire.REPLY
