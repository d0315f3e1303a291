"""`python -m lab.bench.tables`: large tables in the embedded switch. Needs root.

Measures how fast P4Runtime inserts, modifies, reads and deletes entries, their memory, and the time of a lookup in the
pipeline and from port to port.
"""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import grpc
import numpy as np
import typer
from google.protobuf import text_format
from rich.table import Table

from dropzero.console import wide_console
from dropzero.linux.namespace import enter_new
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.p4runtime.pipeline.calls import fill_call
from dropzero.softswitch.p4runtime.pipeline.matches import fill_match
from dropzero.softswitch.p4runtime.pipeline.p4info import P4Info, TableInfo
from dropzero.softswitch.ports.ports import Port, Ports
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact, Lpm, Match, Range, Ternary
from lab.conformance.harness.switches import resident

PROGRAM = Path(__file__).parent / "programs" / "tables.json"
P4INFO = PROGRAM.with_suffix(".p4info.txtpb")
ACTION = "In.send_to"
BATCH = 1000
"""Updates in a write request."""

PACKETS = 10_000
REPETITIONS = 5
SECONDS = 600
INTERFACES = ("-i", "1@in", "-i", "0@out", "-i", "7@out")
"""Packets leave by port 7 if an entry matches, else by port 0."""
HITS = 7
BURST = 100
"""Packets in flight, from port to port."""
SILENCE = 10.0
"""Seconds to wait for packets."""
ROUNDS = 20
"""How often all packets are sent from port to port."""
Update = p4runtime_pb2.Update
Row = tuple[tuple[Match, ...], int]
"""An entry's match and priority."""


@dataclass(frozen=True)
class Result:
    """The measurements of one table.

    Attributes:
        entries: in the full table.
        insert, modify, read, delete: entries per second.
        cpu: CPU microseconds of the switch for an insert.
        megabytes: resident memory with this table full and the others empty.
        nanoseconds: time of a packet in the pipeline, without ports.
        microseconds: CPU time of the switch for a packet from port to port.
        empty_nanoseconds, empty_microseconds: the same, with an empty table.
    """

    name: str
    entries: int
    insert: float
    cpu: float
    modify: float
    read: float
    delete: float
    megabytes: float
    nanoseconds: float
    empty_nanoseconds: float
    microseconds: float
    empty_microseconds: float


@dataclass(frozen=True)
class Workload:
    """A table and its entries. kind: the number in a packet that selects the table."""

    name: str
    table: str
    kind: int
    rows: Callable[[random.Random, int], Iterator[Row]]
    hits: bool
    """Whether packets match entries."""


def prefix(length: int) -> int:
    """Return the mask of a 32-bit prefix."""
    return (1 << 32) - (1 << 32 - length)


def exact_rows(rng: random.Random, count: int) -> Iterator[Row]:
    for value in rng.sample(range(1 << 32), count):
        yield (Exact(value),), 0


def lpm_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """Prefixes with lengths as in a routing table."""
    seen: set[tuple[int, int]] = set()
    while len(seen) < count:
        length = rng.choices([8, 12, 16, 20, 22, 23, 24, 28, 32], [1, 2, 13, 40, 110, 100, 600, 20, 50])[0]
        value = rng.getrandbits(32) & prefix(length)
        if (value, length) not in seen:
            seen.add((value, length))
            yield (Lpm(value, length),), 0


def ternary_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """Rows as in an access list: pairs of prefixes, and a port or any port."""
    for _ in range(count):
        lengths = rng.choice([8, 16, 20, 24, 28, 32]), rng.choice([0, 8, 16, 20, 24, 28, 32])
        masks = [*map(prefix, lengths), rng.choice([0, 0xFFFF])]
        values = [rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(16)]
        match = tuple(Ternary(value & mask, mask) for value, mask in zip(values, masks, strict=True))
        yield match, rng.randrange(1, 1 << 16)


def scattered_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """The worst case: all masks differ. All rows have the lowest bit set, and no packet has."""
    for _ in range(count):
        masks = [rng.getrandbits(32) | 1, rng.getrandbits(32), rng.getrandbits(16)]
        values = [rng.getrandbits(32) | 1, rng.getrandbits(32), rng.getrandbits(16)]
        match = tuple(Ternary(value & mask, mask) for value, mask in zip(values, masks, strict=True))
        yield match, rng.randrange(1, 1 << 16)


def range_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """Rows with a prefix and a range of ports."""
    for _ in range(count):
        mask = prefix(rng.choice([8, 16, 24, 32]))
        low = rng.randrange(1 << 16)
        high = min(0xFFFF, low + rng.choice([0, 0, 10, 1000, 0xFFFF]))
        yield (Ternary(rng.getrandbits(32) & mask, mask), Range(low, high)), rng.randrange(1, 1 << 16)


WORKLOADS = (
    Workload("exact", "In.exact_table", 0, exact_rows, hits=True),
    Workload("longest prefix", "In.lpm_table", 2, lpm_rows, hits=True),
    Workload("ternary", "In.ternary_table", 1, ternary_rows, hits=True),
    Workload("ternary, worst case", "In.ternary_table", 1, scattered_rows, hits=False),
    Workload("range", "In.range_table", 3, range_rows, hits=True),
)


class Process:
    """A switch process; measures its time for prepared requests, and for packets."""

    def __init__(self, address: str, pid: int, config: Any) -> None:
        self._pid = pid
        self._channel = grpc.insecure_channel(address)
        stub = p4runtime_pb2_grpc.P4RuntimeStub(self._channel)
        request = p4runtime_pb2.SetForwardingPipelineConfigRequest(
            action=p4runtime_pb2.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT, config=config
        )
        stub.SetForwardingPipelineConfig(request, wait_for_ready=True, timeout=SECONDS)
        # Sends bytes, so that the measurement does not include the client's serialization.
        self._write: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary("/p4.v1.P4Runtime/Write")
        self._read: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream("/p4.v1.P4Runtime/Read")
        self._info = P4Info(config.p4info)
        self._ports = Ports()
        for number, interface in enumerate(("to_in", "to_out")):
            self._ports.add(Port(number, interface))

    def write(self, kind: int, table: str, rows: Sequence[Row], port: int) -> float:
        """Writes rows. Returns updates per second."""
        info = self._table(table)
        requests = [self._request(kind, info, rows[at : at + BATCH], port) for at in range(0, len(rows), BATCH)]
        begin = time.perf_counter()
        for request in requests:
            self._write(request, timeout=SECONDS)
        return len(rows) / (time.perf_counter() - begin)

    def read(self, table: str) -> float:
        """Reads a whole table. Returns entries per second."""
        asked = p4runtime_pb2.ReadRequest()
        asked.entities.add().table_entry.table_id = self._table(table).id
        begin = time.perf_counter()
        responses = list(self._read(asked.SerializeToString(), timeout=SECONDS))
        end = time.perf_counter()
        return sum(len(p4runtime_pb2.ReadResponse.FromString(each).entities) for each in responses) / (end - begin)

    def microseconds(self, frames: Frames) -> float:
        """The switch's CPU time for a packet from port to port."""
        before = self.cpu_seconds()
        for _ in range(ROUNDS):
            for at in range(0, len(frames), BURST):
                burst = slice(at, at + BURST)
                self._exchange(
                    Frames(frames.data, frames.start[burst], frames.length[burst], np.zeros(BURST, dtype=np.int32))
                )
        return (self.cpu_seconds() - before) / ROUNDS / len(frames) * 1e6

    def _exchange(self, frames: Frames) -> None:
        """Sends packets, and receives the same number."""
        self._ports.send(frames)
        _, out = self._ports
        came = 0
        while came < len(frames):
            ready, _, _ = select.select([out], [], [], SILENCE)
            assert ready, f"{len(frames) - came} packets did not come"
            came += len(self._ports.receive([out]))

    def megabytes(self) -> float:
        """Its resident memory."""
        return resident(self._pid) / 2**20

    def cpu_seconds(self) -> float:
        user, system = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self._ports.close()
        self._channel.close()

    def _table(self, name: str) -> TableInfo:
        return next(info for info in self._info.tables.values() if info.name == name)

    def _request(self, kind: int, info: TableInfo, rows: Sequence[Row], port: int) -> bytes:
        request = p4runtime_pb2.WriteRequest()
        for match, priority in rows:
            entry = request.updates.add(type=kind).entity.table_entry
            entry.table_id = info.id
            fill_match(entry, info, match, priority)
            if kind != Update.DELETE:
                fill_call(entry.action.action, info.actions_by_name[ACTION], (port,))
        return bytes(request.SerializeToString())


@contextmanager
def process() -> Iterator[Process]:
    """Runs a switch with the program."""
    config = p4runtime_pb2.ForwardingPipelineConfig(p4_device_config=PROGRAM.read_bytes())
    text_format.Parse(P4INFO.read_text(), config.p4info)
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/p4runtime"
        command = [
            sys.executable,
            "-m",
            "dropzero.softswitch",
            "--no-p4",
            *INTERFACES,
            "--",
            "--grpc-server-addr",
            address,
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as switch:
            try:
                client = Process(address, switch.pid, config)
                yield client
                client.close()
            finally:
                switch.terminate()


def make_interfaces() -> None:
    """Moves this process into a new network namespace with two pairs of interfaces."""
    enter_new()
    # Without IPv6, the kernel sends no packets of its own.
    Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
    for name in ("in", "out"):
        subprocess.run(["ip", "link", "add", name, "type", "veth", "peer", "name", f"to_{name}"], check=True)
        for end in (name, f"to_{name}"):
            subprocess.run(["ip", "link", "set", end, "up"], check=True)


def packets(rng: random.Random, workload: Workload, rows: Sequence[Row]) -> Frames:
    """Packets that match random entries; bits that the match leaves open are random."""

    def value(part: Match, width: int) -> int:
        match part:
            case Exact():
                return part.value
            case Lpm():
                return part.value | rng.getrandbits(32) & ~prefix(part.prefix_length)
            case Ternary():
                return part.value | rng.getrandbits(width) & ~part.mask
            case Range():
                return rng.randint(part.low, part.high)

    contents = []
    for _ in range(PACKETS):
        match, _ = rng.choice(rows)
        destination, source, port = rng.getrandbits(31) << 1, rng.getrandbits(32), rng.getrandbits(16)
        if workload.hits:
            destination = value(match[0], 32)
            if len(match) == 3:
                source = value(match[1], 32)
            if len(match) > 1:
                port = value(match[-1], 16)
        contents.append(
            (1, bytes([workload.kind]) + destination.to_bytes(4) + source.to_bytes(4) + port.to_bytes(2) + bytes(53))
        )
    return Frames.of(contents)


def nanoseconds(engine: Engine, frames: Frames) -> float:
    """The best time for one packet."""
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        out = engine.process(frames, 0)
        times.append(time.perf_counter() - begin)
        assert len(out) == len(frames)
    return min(times) / len(frames) * 1e9


def measure(workload: Workload, scale: float) -> Result:
    """Measures the workload's table, filled to `scale` of its size."""
    rng = random.Random(1)
    engine = Engine(load_program(PROGRAM))
    table = engine.tables[workload.table]
    rows = list(dict.fromkeys(workload.rows(rng, max(1, round(scale * table.size)))))
    frames = packets(rng, workload, rows)
    empty = nanoseconds(engine, frames)
    for match, priority in rows:
        table.insert(match, ACTION, (HITS,), priority)
    full = nanoseconds(engine, frames)
    hit = np.asarray(engine.process(frames, 0).port == HITS)
    assert hit.all() if workload.hits else not hit.any()
    with process() as switch:
        empty_path = switch.microseconds(frames)
        before = switch.cpu_seconds()
        insert = switch.write(Update.INSERT, workload.table, rows, HITS)
        cpu = (switch.cpu_seconds() - before) / len(rows) * 1e6
        path = switch.microseconds(frames)
        modify = switch.write(Update.MODIFY, workload.table, rows, 8)
        read = switch.read(workload.table)
        megabytes = switch.megabytes()
        delete = switch.write(Update.DELETE, workload.table, rows, 0)
    return Result(workload.name, len(rows), insert, cpu, modify, read, delete, megabytes, full, empty, path, empty_path)


def rates(results: Sequence[Result]) -> Table:
    table = _table("insert/s", "CPU us", "modify/s", "read/s", "delete/s", "MB")
    for each in results:
        numbers = each.entries, each.insert, each.cpu, each.modify, each.read, each.delete, each.megabytes
        table.add_row(each.name, *(f"{number:.0f}" for number in numbers))
    return table


def lookups(results: Sequence[Result]) -> Table:
    table = _table("pipeline, ns", "empty", "port to port, us", "empty", "ratio")
    for each in results:
        numbers = each.entries, each.nanoseconds, each.empty_nanoseconds
        path = each.microseconds, each.empty_microseconds, each.microseconds / each.empty_microseconds
        table.add_row(each.name, *(f"{number:.0f}" for number in numbers), *(f"{number:.2f}" for number in path))
    return table


def _table(*headings: str) -> Table:
    table = Table("table")
    for heading in ("entries", *headings):
        table.add_column(heading, justify="right")
    return table


def main(
    scale: Annotated[
        float, typer.Option(min=0.0001, max=1, help="Share of the tables' size (100,000 or 10,000) to fill.")
    ] = 1,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/tables.json"),
) -> None:
    """Measure large tables: the rates of P4Runtime, memory, and the time of a packet."""
    if os.geteuid():
        raise typer.BadParameter("emulated networks need root")
    make_interfaces()
    console = wide_console()
    results = []
    for workload in WORKLOADS:
        with console.status(workload.name):
            results.append(measure(workload, scale))
    console.print(rates(results), lookups(results))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n")
    console.print(f"[dim]{out}[/dim]")


if __name__ == "__main__":
    typer.run(main)
