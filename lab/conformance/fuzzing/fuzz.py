"""Sends the same random packets and requests to the embedded switch and to another one, and compares all answers. Sends
malformed requests only to the embedded switch."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format
from google.rpc import code_pb2

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.offline.state import config_of
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal
from dropzero.softswitch.thrift.wire import i32, string
from lab.conformance.fuzzing.generator import Packets, Pools
from lab.conformance.fuzzing.malformed import ANSWERS, Requests, answer_to_garbage, answers
from lab.conformance.fuzzing.updates import Updates
from lab.conformance.harness.p4runtime import GONE, Client, primary
from lab.conformance.harness.switches import PacketStream, Restarted, Switch, SwitchEnded

CounterSpec = p4info_pb2.CounterSpec
Reader = Callable[[Any], Iterable[Any]]
"""Returns the entities that one selects. Raises grpc.RpcError; Refusal without a server."""
EXTRA_SECONDS = 0.001
"""Wait after the other switch's last packet, for packets that it should not send."""
DRAIN_SECONDS = 0.5
"""The same wait if no packet is expected."""
DEPTH = 1 << 14
"""Depth of the other switch's queues, so that a batch fits."""
UNORDERED = ("resubmit", "recirculate")
"""Operations that make packets overtake others."""
READS = 0.1
GARBAGE = 0.2
THRIFT_BITS = 64


@dataclass(frozen=True)
class Plan:
    """The traffic for one program.

    Attributes:
        requests: writes and reads that fit the program.
        malformed: malformed requests.
        batch: packets between two comparisons.
        leave: substrings of the names of tables that are not written.
    """

    program: Path
    seed: int = 0
    packets: int = 10_000
    requests: int = 500
    malformed: int = 0
    batch: int = 100
    ports: tuple[int, ...] = (1, 2, 3, 4)
    groups: tuple[int, ...] = (1, 2, 3)
    leave: tuple[str, ...] = ()
    most_differences: int = 10


@dataclass
class Report:
    """The results of a plan.

    Attributes:
        differences: the first ones, as texts.
        codes: pairs of answers to updates, counted.
        refused: whether both refused the program.
        repeated: how often the step was repeated.
    """

    packets_in: int = 0
    packets_out: int = 0
    packets_from_other: int = 0
    requests: int = 0
    malformed: int = 0
    refused: bool = False
    repeated: int = 0
    differences: list[str] = field(default_factory=list)
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def other_was_mute(self) -> bool:
        """Whether only the embedded switch sent packets."""
        return bool(self.packets_out and not self.packets_from_other)


class ReferenceEnded(SwitchEnded):
    """The other switch has ended."""


class Comparison:
    """Runs a plan on the embedded switch and, if there is one, on the other switch."""

    def __init__(self, plan: Plan, ours: Switch, reference: Restarted | None) -> None:
        self._plan = plan
        self._ours = ours
        self._reference = reference
        self._theirs = None if reference is None else reference.switch
        self._stream: PacketStream | None = None
        self._clients = [Client(switch.control) for switch in (ours, self._theirs) if switch is not None]
        self._config = config_of(plan.program)
        program, p4info = json.loads(self._config.p4_device_config), self._config.p4info
        pools = Pools(random.Random(plan.seed), list(plan.ports), list(plan.groups))
        self._random = pools.random
        self._packets = Packets(program, pools)
        self._updates = Updates(p4info, pools, plan.leave)
        self._questions = list(self._updates.questions())
        self._units = units_of(p4info)
        self._widths = {register["name"]: register["bitwidth"] for register in program["register_arrays"]}
        operations = {each["op"] for action in program["actions"] for each in action["primitives"]}
        self._ordered = not operations.intersection(UNORDERED)
        self._report = Report()
        self._written: list[Any] = []

    def run(self) -> Report:
        """Run it. Raises SwitchEnded if a switch ends."""
        plan, report = self._plan, self._report
        try:
            pushed = [client.load(self._config) for client in self._clients]
            if any(pushed):
                report.refused = True
                if not all(pushed):
                    self._differ(f"the program is answered {' and '.join(text or 'OK' for text in pushed)}")
                return report
            if self._reference is not None and self._theirs is not None:
                self._stream = self._reference.stream
                deepen(self._theirs)
            self._write(list(self._updates.first()))
            rounds = max(1, plan.packets // plan.batch)
            for at in range(rounds):
                for _ in range(plan.requests * (at + 1) // rounds - plan.requests * at // rounds):
                    self._request()
                self._send(plan.packets * (at + 1) // rounds - plan.packets * at // rounds, at)
                if len(report.differences) >= plan.most_differences:
                    break
            if self._stream is not None:
                late = self._stream.receive(0, DRAIN_SECONDS)
                if late:
                    self._differ(f"at the end: {len(late)} more packets from the other switch")
            for question in self._questions:
                self._read(question)
            self._compare_registers()
            self._confuse()
        except (grpc.RpcError, OSError) as error:
            self._look_after_theirs()
            if self._ours.process.status is not None:
                raise self._ours.ended() from None
            if self._theirs is not None and self._clients[0].answers:
                raise ReferenceEnded(f"it no longer answers: {error}") from None
            raise SwitchEnded(f"the embedded switch no longer answers: {error}") from None
        return report

    def _request(self) -> None:
        self._report.requests += 1
        if self._random.random() < READS:
            self._read(self._random.choice(self._questions))
        else:
            self._write(self._updates.some())

    def _write(self, updates: list[Any]) -> None:
        self._written += [update.entity for update in updates[: 50 - len(self._written)]]
        ours, *theirs = (client.codes(updates) for client in self._clients)
        for update, code in zip(updates, ours, strict=True):
            self._updates.answered(update, code == "OK")
        for other in theirs:
            self._report.codes.update(zip(ours, other, strict=True))
            for update, mine, its in zip(updates, ours, other, strict=True):
                # From here on the tables differ, and so would packets.
                if (mine == "OK") != (its == "OK"):
                    text = text_format.MessageToString(update, as_one_line=True)
                    self._differ(f"update answered {mine}, by the other {its}: {text}")

    def _read(self, entity: Any) -> None:
        mine, *theirs = (Counter(texts(client.entities, entity, self._units)) for client in self._clients)
        for other in theirs:
            for text in sorted((mine - other).keys() | (other - mine).keys()):
                self._differ(f"read {mine[text]} times, from the other {other[text]} times: {text}")

    def _send(self, count: int, number: int) -> None:
        plan, report = self._plan, self._report
        packets = [(self._random.choice(plan.ports), self._packets.packet()) for _ in range(count)]
        mine, last = self._ours.exchange(packets)
        if last is not None:
            # Send it again: when it leaves the other switch, that one has dropped all earlier packets that it drops.
            packets.append(packets[last])
            mine += self._ours.exchange(packets[-1:])[0]
        if self._stream is not None:
            for port, content in packets:
                self._stream.send(port, content)
        report.packets_in += len(packets)
        report.packets_out += len(mine)
        if self._theirs is None or self._stream is None:
            return
        other = self._stream.receive(len(mine), EXTRA_SECONDS if last is not None else DRAIN_SECONDS)
        report.packets_from_other += len(other)
        if len(other) < len(mine):
            self._look_after_theirs()
        for line in differences(mine, other, self._ordered):
            sent = " ".join(f"{port}:{content.hex()}" for port, content in packets)
            self._differ(f"batch {number}: {line}; sent: {sent}")

    def _look_after_theirs(self) -> None:
        if self._theirs is not None and self._theirs.process.status is not None:
            raise ReferenceEnded(str(self._theirs.ended()))
        if self._stream is not None and self._stream.ended:
            raise ReferenceEnded(f"no more packets: {self._stream.ended}")

    def _compare_registers(self) -> None:
        """Compare registers, read over P4Runtime here and over Thrift there, where values have 64 bits and a sign."""
        for register in self._config.p4info.registers:
            mine = cells_of(register, self._clients[0].entities)
            name = register.preamble.name
            if self._theirs is not None and self._widths[name] < THRIFT_BITS:
                for at, (left, right) in enumerate(zip(mine, thrift_cells(self._theirs, name), strict=True)):
                    if left != right:
                        self._differ(f"register {name}[{at}] is {left}, of the other {right}")

    def _confuse(self) -> None:
        """Send malformed requests, as the primary client."""
        ours = self._ours.control
        requests = Requests(self._config, self._written, self._plan.seed)
        with primary(ours):
            for _ in range(self._plan.malformed):
                self._report.malformed += 1
                if self._random.random() < GARBAGE:
                    method, content = requests.garbage()
                    code = answer_to_garbage(ours, method, content)
                    if code not in ANSWERS:
                        self._differ(f"{method} of {content.hex()} was answered {code}")
                else:
                    request = requests.next()
                    codes = answers(ours, request)
                    if not codes <= ANSWERS:
                        self._differ(f"answered {codes}: {text_format.MessageToString(request, as_one_line=True)}")

    def _differ(self, text: str) -> None:
        if len(self._report.differences) < self._plan.most_differences:
            self._report.differences.append(text)


def differences(mine: list[tuple[int, bytes]], other: list[tuple[int, bytes]], ordered: bool) -> Iterator[str]:
    """Yield a line for each port whose packets differ."""
    for port in sorted({port for port, _ in (*mine, *other)}):
        left, right = ([packet for at, packet in packets if at == port] for packets in (mine, other))
        if left != right and (ordered or sorted(left) != sorted(right)):
            at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
            if at is None:
                yield f"port {port}: {len(left)} packets, from the other {len(right)}"
            else:
                again = "; the same in another order" if sorted(left) == sorted(right) else ""
                yield f"port {port}, packet {at}: {left[at].hex()}, from the other {right[at].hex()}{again}"


def units_of(p4info: Any) -> dict[int, int]:
    """Return the units of counters by id; of direct ones by their table's id."""
    units = {each.preamble.id: each.spec.unit for each in p4info.counters}
    return units | {each.direct_table_id: each.spec.unit for each in p4info.direct_counters}


def normalize(entity: Any, units: dict[int, int]) -> None:
    """Remove what two switches may answer differently: the order of replicas, units that a counter does not count,
    which BMv2 also returns, and is_const, which its P4Runtime does not have yet."""
    replication = entity.packet_replication_engine_entry
    kind = replication.WhichOneof("type")
    if kind is not None:
        getattr(replication, kind).replicas.sort(key=lambda replica: (replica.instance, replica.egress_port))
    direct = entity.WhichOneof("entity") == "table_entry"
    if direct:
        entity.table_entry.is_const = False
    data = entity.table_entry.counter_data if direct else entity.counter_entry.data
    unit = units.get(entity.table_entry.table_id if direct else entity.counter_entry.counter_id)
    if unit == CounterSpec.PACKETS:
        data.ClearField("byte_count")
    elif unit == CounterSpec.BYTES:
        data.ClearField("packet_count")


def texts(read: Reader, entity: Any, units: dict[int, int]) -> Iterator[str]:
    """Yield the entities of a read, normalized, as texts, or the code of its refusal."""
    try:
        for each in read(entity):
            normalize(each, units)
            yield text_format.MessageToString(each, as_one_line=True)
    except Refusal as refusal:
        yield f"a read was refused: {code_pb2.Code.Name(refusal.code)}"
    except grpc.RpcError as error:
        if error.code() in GONE:
            raise
        yield f"a read was refused: {error.code().name}"


def cells_of(register: Any, read: Reader) -> list[int]:
    """Return the values of a P4Info's register, read over P4Runtime, which BMv2 does not offer."""
    asked = p4runtime_pb2.Entity()
    asked.register_entry.register_id = register.preamble.id
    return [int.from_bytes(cell.register_entry.data.bitstring, "big") for cell in read(asked)]


def thrift_cells(switch: Switch, register: str) -> list[int]:
    """Return the same over Thrift, where values have 64 bits and a sign."""
    (cells,) = switch.call("standard:bm_register_read_all", {1: i32(0), 2: string(register)}).values()
    return list(cells)


def deepen(switch: Switch) -> None:
    """Make BMv2's queues as deep as a batch needs."""
    switch.call("simple_switch:set_all_egress_queue_depths", {1: i32(DEPTH)})
