"""Targets of packet tests: the embedded switch in this process, or a switch process with BMv2's DataplaneInterface.
Verbs of simple_switch_CLI write the tables of both."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline.state import set_up
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact, Lpm, Range, Ternary
from dropzero.softswitch.runtime_cli.connection import Refused
from dropzero.softswitch.runtime_cli.declarations import Wrong
from dropzero.softswitch.runtime_cli.script import Script
from dropzero.softswitch.state.tables.tables import Table
from lab.conformance.harness import switches
from lab.conformance.stf.language import Add, Command, Packet, SetDefault
from lab.conformance.stf.matching import entry_match

GAP_MICROSECONDS = 100_000
"""Time between two packets of a test, on the clock of an in-process switch."""


class Unsupported(Exception):
    """The target does not support a command of a test."""


class Target(ABC):
    """A switch that runs a program."""

    def __init__(self, json: Path) -> None:
        self._json = json

    @abstractmethod
    def send(self, packet: Packet) -> None: ...

    @abstractmethod
    def received(self, count: int) -> list[tuple[int, bytes]]:
        """Return (port, bytes) of all output packets in order; `count` of them are expected."""

    @abstractmethod
    def carry_out(self, line: str) -> None:
        """Carry out a verb of simple_switch_CLI. Raises Unsupported."""

    def control(self, statement: Add | SetDefault | Command) -> None:
        """Carry out a statement for the control plane. Raises Unsupported."""
        self.carry_out(" ".join(statement.words) if isinstance(statement, Command) else self._line(statement))

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return {table.name: Table(table) for table in load_program(self._json).tables}

    def _line(self, statement: Add | SetDefault) -> str:
        table = self._tables[_resolved(statement.table, self._tables)]
        action, values = _call(table, statement.action, statement.arguments)
        arguments = " ".join(map(str, values))
        if isinstance(statement, SetDefault):
            return f"table_set_default {table.name} {action} {arguments}"
        match = " ".join(map(_cli_key, entry_match(table.keys, statement.keys)))
        # The lower number wins here.
        priority = f" {10_000 - (statement.priority or 1)}" if table.prioritized else ""
        return f"table_add {table.name} {action} {match} => {arguments}{priority}"


class EngineTarget(Target):
    """The embedded switch in this process, without sockets or clocks."""

    def __init__(self, json: Path) -> None:
        super().__init__(json)
        self._switch = Switch(seed=1)
        set_up(self._switch, json)
        self._cli = Script(self._switch)
        self._received: list[tuple[int, bytes]] = []
        self._now = 0

    def send(self, packet: Packet) -> None:
        assert self._switch.engine is not None
        self._now += GAP_MICROSECONDS
        self._received += self._switch.engine.process(Frames.of([(packet.port, packet.content)]), self._now)

    def received(self, count: int) -> list[tuple[int, bytes]]:
        return self._received

    def carry_out(self, line: str) -> None:
        try:
            self._cli.onecmd(line)
        except (Wrong, Refused) as error:
            raise Unsupported(f"{line}: {error}") from None


class SwitchTarget(Target):
    """A running switch, whose Thrift port simple_switch_CLI uses."""

    def __init__(self, switch: switches.Switch, json: Path) -> None:
        super().__init__(json)
        self._stream = switches.PacketStream(switch.dataplane)
        self._cli = ["simple_switch_CLI", "--thrift-port", str(switch.thrift)]

    def close(self) -> None:
        self._stream.close()

    def send(self, packet: Packet) -> None:
        self._stream.send(packet.port, packet.content)

    def received(self, count: int) -> list[tuple[int, bytes]]:
        return self._stream.receive(count)

    def carry_out(self, line: str) -> None:
        done = subprocess.run(self._cli, input=line + "\n", capture_output=True, text=True, timeout=30, check=False)
        complaint = next((text for text in done.stdout.splitlines() if "Error" in text or "Invalid" in text), "")
        if done.returncode or complaint:
            raise Unsupported(f"{line}: {complaint or done.stderr.strip()[-200:]}")


@contextmanager
def running_switch(executable: str, json: Path) -> Iterator[SwitchTarget]:
    """Run a switch with a program. Raises SwitchEnded if it does not start."""
    with (
        switches.running([executable], json.with_suffix(".log"), json) as switch,
        closing(SwitchTarget(switch, json)) as target,
    ):
        yield target


def by_port(packets: list[tuple[int, bytes]]) -> dict[int, list[bytes]]:
    """Return the packets of each port, in order."""
    found: dict[int, list[bytes]] = defaultdict(list)
    for port, packet in packets:
        found[port].append(packet)
    return found


def _resolved(name: str, known: Mapping[str, Any]) -> str:
    """Return the full name for `name`, which may lack its first parts. Raises ValueError."""
    if name in known:
        return name
    found = [full for full in known if full.endswith(name)]
    if len(found) != 1:
        raise ValueError(f"{name!r} is {'ambiguous' if found else 'not'} among {', '.join(known)}")
    return found[0]


def _call(table: Table, name: str, given: tuple[tuple[str, int], ...]) -> tuple[str, tuple[int, ...]]:
    action = _resolved(name, table.actions)
    values = dict(given)
    return action, tuple(values[parameter.name] for parameter in table.actions[action].parameters)


def _cli_key(part: Exact | Lpm | Ternary | Range) -> str:
    match part:
        case Exact():
            return str(part.value)
        case Lpm():
            return f"{part.value:#x}/{part.prefix_length}"
        case Ternary():
            return f"{part.value:#x}&&&{part.mask:#x}"
        case Range():
            return f"{part.low}->{part.high}"
