"""The embedded switch and another, side by side: the same random packets and table writes, their answers compared."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2

from conformance.generator import Packets, Pools, Writes
from conformance.p4runtime import Client, load_p4info
from conformance.switches import EMBEDDED, PacketStream, Switch, SwitchEnded, running
from conformance.targets import by_port

CounterSpec = p4info_pb2.CounterSpec
EXTRA_SECONDS = 0.005
"""How long the other switch may take, after its last packet, to send one that it should not."""
DRAIN_SECONDS = 0.2
UNORDERED = ("resubmit", "recirculate")
"""A program that does this has packets overtake others."""


@dataclass(frozen=True)
class Plan:
    """What to send.

    batch: packets between two looks at what came out; the other switch's queues must hold them
    leave: nothing is written to a table whose name contains one of these
    """

    program: Path
    p4info: Path
    seed: int = 0
    packets: int = 10_000
    writes: int = 500
    batch: int = 20
    ports: tuple[int, ...] = (1, 2, 3, 4)
    groups: tuple[int, ...] = (1, 2, 3)
    leave: tuple[str, ...] = ()
    most_differences: int = 10


@dataclass
class Report:
    """differences: a text each, the first ones only; codes: how both switches answered updates, and how often."""

    packets_in: int = 0
    packets_out: int = 0
    packets_from_other: int = 0
    differences: list[str] = field(default_factory=list)
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    registers: int = 0


def run(plan: Plan, other: str, logs: Path) -> Report:
    """Runs the plan on the embedded switch and on the executable `other`. SwitchEnded when one does not survive it."""
    logs.mkdir(parents=True, exist_ok=True)
    report = _run(plan, other, logs)
    # BMv2, started without a program, sometimes never sends a packet; it does when it is started again.
    return report if report.packets_from_other or not report.packets_out else _run(plan, other, logs)


def _run(plan: Plan, other: str, logs: Path) -> Report:
    with ExitStack() as stack:
        ours = stack.enter_context(running(EMBEDDED, logs / "embedded.log"))
        theirs = stack.enter_context(running([other], logs / "other.log"))
        return _Comparison(plan, ours, theirs).run()


class _Comparison:
    def __init__(self, plan: Plan, ours: Switch, theirs: Switch) -> None:
        self._plan = plan
        self._ours, self._theirs = ours, theirs
        content = plan.program.read_bytes()
        program = json.loads(content)
        self._p4info = load_p4info(plan.p4info)
        pools = Pools(random.Random(plan.seed), list(plan.ports), list(plan.groups))
        self._random = pools.random
        self._packets = Packets(program, pools)
        self._writes = Writes(self._p4info, pools, plan.leave)
        operations = {each["op"] for action in program["actions"] for each in action["primitives"]}
        self._ordered = not operations.intersection(UNORDERED)
        self._report = Report()
        for switch in (ours, theirs):
            Client(switch.control).push(self._p4info, content)

    def run(self) -> Report:
        plan, report = self._plan, self._report
        stream = PacketStream(self._theirs.dataplane)
        try:
            self._write(list(self._writes.groups()))
            rounds = max(1, plan.packets // plan.batch)
            for at in range(rounds):
                count = plan.writes * (at + 1) // rounds - plan.writes * at // rounds
                self._write(list(self._writes.updates(count)))
                self._send(stream, at)
                if len(report.differences) >= plan.most_differences:
                    break
            late = stream.receive(0, DRAIN_SECONDS)
            if late:
                report.differences.append(f"at the end: {len(late)} more packets from the other switch")
        except grpc.RpcError as error:
            for switch in (self._ours, self._theirs):
                if switch.process.poll() is not None:
                    raise switch.ended() from None
            raise SwitchEnded(f"a switch no longer answers: {error}") from None
        finally:
            stream.close()
        self._compare_state()
        return report

    def _write(self, updates: list[Any]) -> None:
        if not updates:
            return
        ours, theirs = Client(self._ours.control).write(updates), Client(self._theirs.control).write(updates)
        self._report.codes.update(zip(ours, theirs, strict=True))
        for update, mine, other in zip(updates, ours, theirs, strict=True):
            # Afterwards the tables differ, and packets would.
            if (mine == "OK") != (other == "OK"):
                text = text_format.MessageToString(update, as_one_line=True)
                self._differ(f"update answered {mine}, by the other {other}: {text}")

    def _send(self, stream: PacketStream, number: int) -> None:
        plan, report = self._plan, self._report
        packets = [(self._random.choice(plan.ports), self._packets.packet()) for _ in range(plan.batch)]
        mine = self._ours.exchange(packets)
        for port, content in packets:
            stream.send(port, content)
        other = stream.receive(len(mine), EXTRA_SECONDS)
        report.packets_in += len(packets)
        report.packets_out += len(mine)
        report.packets_from_other += len(other)
        if len(other) < len(mine):
            if self._theirs.process.poll() is not None:
                raise self._theirs.ended()
            if stream.ended:
                raise SwitchEnded(f"no more packets from the other switch: {stream.ended}")
        for line in differences(mine, other, self._ordered):
            sent = " ".join(f"{port}:{content.hex()}" for port, content in packets)
            self._differ(f"batch {number}: {line}; sent: {sent}")

    def _compare_state(self) -> None:
        """Counters, and the tables' entries with their direct counters. Registers only the embedded switch reads."""
        units = _units(self._p4info)
        for entity in _readable(self._p4info):
            mine, other = (_answers(switch, entity, units) for switch in (self._ours, self._theirs))
            for text in sorted((mine - other).keys() | (other - mine).keys()):
                self._differ(f"read {mine[text]} times, from the other {other[text]} times: {text}")
        for register in self._p4info.registers:
            asked = p4runtime_pb2.Entity()
            asked.register_entry.register_id = register.preamble.id
            self._report.registers += len(Client(self._ours.control).read(asked))

    def _differ(self, text: str) -> None:
        if len(self._report.differences) < self._plan.most_differences:
            self._report.differences.append(text)


def differences(mine: list[tuple[int, bytes]], other: list[tuple[int, bytes]], ordered: bool) -> Iterator[str]:
    """A line for each port at which the two are not the same."""
    ours, theirs = by_port(mine), by_port(other)
    for port in sorted(ours.keys() | theirs.keys()):
        left, right = ours.get(port, []), theirs.get(port, [])
        if left != right and (ordered or sorted(left) != sorted(right)):
            at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
            if at is None:
                yield f"port {port}: {len(left)} packets, from the other {len(right)}"
            else:
                yield f"port {port}, packet {at}: {left[at].hex()}, from the other {right[at].hex()}"


def _readable(p4info: Any) -> Iterator[Any]:
    for counter in p4info.counters:
        entity = p4runtime_pb2.Entity()
        entity.counter_entry.counter_id = counter.preamble.id
        yield entity
    for table in p4info.tables:
        entity = p4runtime_pb2.Entity()
        entity.table_entry.table_id = table.preamble.id
        if any(each.direct_table_id == table.preamble.id for each in p4info.direct_counters):
            entity.table_entry.counter_data.SetInParent()
        yield entity


def _units(p4info: Any) -> dict[int, int]:
    """What counters count, by their id, or by their table's where they are direct."""
    units = {each.preamble.id: each.spec.unit for each in p4info.counters}
    return units | {each.direct_table_id: each.spec.unit for each in p4info.direct_counters}


def _answers(switch: Switch, entity: Any, units: dict[int, int]) -> Counter[str]:
    """What a read brings, as text; the code where it is refused. BMv2 also gives the unit that a counter does not count
    in, which is left out here."""
    try:
        found = Client(switch.control).read(entity)
    except grpc.RpcError as error:
        return Counter([str(error.code().name)])
    for each in found:
        direct = each.WhichOneof("entity") == "table_entry"
        data = each.table_entry.counter_data if direct else each.counter_entry.data
        unit = units.get(each.table_entry.table_id if direct else each.counter_entry.counter_id)
        if unit == CounterSpec.PACKETS:
            data.ClearField("byte_count")
        elif unit == CounterSpec.BYTES:
            data.ClearField("packet_count")
    return Counter(text_format.MessageToString(each, as_one_line=True) for each in found)
