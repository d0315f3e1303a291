"""Targets of packet tests: the embedded switch in this process, or a switch process with BMv2's DataplaneInterface."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact, Lpm, Range, Ternary
from dropzero.softswitch.state.meters import MeterRates
from dropzero.softswitch.state.tables.tables import Table
from lab.conformance.harness import switches
from lab.conformance.stf.language import Add, Command, Packet, SetDefault
from lab.conformance.stf.matching import entry_match

GAP_MICROSECONDS = 100_000
"""Time between two packets of a test, on the clock of an in-process switch."""


class Unsupported(Exception):
    """The target does not support a command of a test."""


class Target(Protocol):
    def control(self, statement: Add | SetDefault | Command) -> None: ...

    def send(self, packet: Packet) -> None: ...

    def received(self, count: int) -> list[tuple[int, bytes]]:
        """Return (port, bytes) of all output packets in order; `count` of them are expected."""
        ...


class EngineTarget:
    """The embedded switch in this process, without sockets or clocks."""

    def __init__(self, json: Path) -> None:
        self.engine = Engine(load_program(json), seed=1)
        self._received: list[tuple[int, bytes]] = []
        self._now = 0
        self._nodes: list[list[tuple[int, int]]] = []
        self._mirrored: dict[int, int] = {}
        """Clone session -> its multicast group."""

    def send(self, packet: Packet) -> None:
        self._now += GAP_MICROSECONDS
        self._received += self.engine.process(Frames.of([(packet.port, packet.content)]), self._now)

    def received(self, count: int) -> list[tuple[int, bytes]]:
        return self._received

    def control(self, statement: Add | SetDefault | Command) -> None:
        match statement:
            case Add():
                table = self.table(statement.table)
                action, values = _call(table, statement.action, statement.arguments)
                priority = (statement.priority or 1) if table.prioritized else 0
                table.insert(entry_match(table.keys, statement.keys), action, values, priority)
            case SetDefault():
                table = self.table(statement.table)
                table.set_default(*_call(table, statement.action, statement.arguments))
            case Command():
                self._command(*statement.words)

    def table(self, name: str) -> Table:
        return self.engine.tables[_resolved(name, self.engine.tables)]

    def _command(self, verb: str, *words: str) -> None:
        engine = self.engine
        match verb, words:
            case "mc_mgrp_create", (group,):
                engine.multicast.set(int(group), [])
            case "mc_node_create", (instance, *ports):
                self._nodes.append([(int(port), int(instance)) for port in ports])
            case "mc_node_associate", (group, node):
                replicas = engine.multicast.groups[int(group)]
                engine.multicast.set(int(group), [*replicas, *self._nodes[int(node)]])
                self._mirror()
            case "mirroring_add", (session, port):
                engine.clone_sessions.set(int(session), [(int(port), 0)])
            case "mirroring_add_mc", (session, group):
                self._mirrored[int(session)] = int(group)
                self._mirror()
            case "register_write", (name, index, value):
                engine.registers[name][int(index)] = int(value, 0)
            case "meter_set_rates", (name, index, *rates):
                engine.meters[name][int(index)] = _rates(rates)
            case "meter_array_set_rates", (name, *rates):
                for at in range(engine.meters[name].size):
                    engine.meters[name][at] = _rates(rates)
            case "register_reset", (name,):
                engine.registers[name].reset()
            case (("register_read" | "counter_read" | "mirroring_get" | "meter_get_rates"), _):
                pass
            case _:
                raise Unsupported(f"{verb} is not done in process")

    def _mirror(self) -> None:
        """Copy groups to clone sessions: sessions have their own replicas here, but name a group in BMv2."""
        for session, group in self._mirrored.items():
            self.engine.clone_sessions.set(session, self.engine.multicast.groups.get(group, []))


class SwitchTarget:
    """A running switch. Control-plane commands go through simple_switch_CLI to its Thrift port."""

    def __init__(self, switch: switches.Switch, json: Path) -> None:
        self._stream = switches.PacketStream(switch.dataplane)
        self._json = json
        self._cli = ["simple_switch_CLI", "--thrift-port", str(switch.thrift)]

    def close(self) -> None:
        self._stream.close()

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return {table.name: Table(table) for table in load_program(self._json).tables}

    def send(self, packet: Packet) -> None:
        self._stream.send(packet.port, packet.content)

    def received(self, count: int) -> list[tuple[int, bytes]]:
        return self._stream.receive(count)

    def control(self, statement: Add | SetDefault | Command) -> None:
        line = " ".join(statement.words) if isinstance(statement, Command) else self._line(statement)
        done = subprocess.run(self._cli, input=line + "\n", capture_output=True, text=True, timeout=30, check=False)
        complaint = next((text for text in done.stdout.splitlines() if "Error" in text or "Invalid" in text), "")
        if done.returncode or complaint:
            raise Unsupported(f"{line}: {complaint or done.stderr.strip()[-200:]}")

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


@contextmanager
def running_switch(executable: str, json: Path) -> Iterator[SwitchTarget]:
    """Run a switch with a program. Raises SwitchEnded if it does not start."""
    with switches.running([executable], json.with_suffix(".log"), json) as switch:
        target = SwitchTarget(switch, json)
        try:
            yield target
        finally:
            target.close()


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


def _rates(words: Sequence[str]) -> MeterRates:
    """Parse RATE:BURST of the committed and the peak rate."""
    (committed, committed_burst), (peak, peak_burst) = (word.split(":") for word in words)
    return MeterRates(float(committed), int(committed_burst), float(peak), int(peak_burst))


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
