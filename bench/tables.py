"""Large tables in the embedded switch: how fast P4Runtime fills, changes, reads and empties them, what they take of the
process's memory, and what looking a packet up in them costs. `python -m bench.tables`."""

from __future__ import annotations

import json
import os
import random
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
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from rich.console import Console
from rich.table import Table

from softswitch.calls import fill_call
from softswitch.engine import Engine
from softswitch.frames import Frames
from softswitch.matches import fill_match
from softswitch.p4info import P4Info, TableInfo
from softswitch.program import Exact, Lpm, Match, Program, Range, Ternary

PROGRAM = Path(__file__).parent / "programs" / "tables.json"
P4INFO = PROGRAM.with_suffix(".p4info.txtpb")
ACTION = "In.send_to"
BATCH = 1000
"""Updates in a write."""

PACKETS = 10_000
REPETITIONS = 5
SECONDS = 600
Update = p4runtime_pb2.Update
Row = tuple[tuple[Match, ...], int]
"""What an entry matches, and its priority."""


@dataclass(frozen=True)
class Result:
    """Rates in entries a second. cpu: microseconds of the switch's processor time for an insert. megabytes: of resident
    memory with the table full, the others being empty. nanoseconds: for a packet in the pipeline, ports left out;
    `empty`: while the table was."""

    name: str
    entries: int
    insert: float
    cpu: float
    modify: float
    read: float
    delete: float
    megabytes: float
    nanoseconds: float
    empty: float


@dataclass(frozen=True)
class Workload:
    """A table's entries. kind: the number that has packets looked up in it."""

    name: str
    table: str
    kind: int
    rows: Callable[[random.Random, int], Iterator[Row]]
    hits: bool
    """Whether packets match entries, or none."""


def prefix(length: int) -> int:
    """The mask of a 32-bit prefix."""
    return (1 << 32) - (1 << 32 - length)


def exact_rows(rng: random.Random, count: int) -> Iterator[Row]:
    for value in rng.sample(range(1 << 32), count):
        yield (Exact(value),), 0


def lpm_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """Of lengths as in a routing table."""
    seen: set[tuple[int, int]] = set()
    while len(seen) < count:
        length = rng.choices([8, 12, 16, 20, 22, 23, 24, 28, 32], [1, 2, 13, 40, 110, 100, 600, 20, 50])[0]
        value = rng.getrandbits(32) & prefix(length)
        if (value, length) not in seen:
            seen.add((value, length))
            yield (Lpm(value, length),), 0


def ternary_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """As in an access list: pairs of prefixes, and a port or any."""
    for _ in range(count):
        lengths = rng.choice([8, 16, 20, 24, 28, 32]), rng.choice([0, 8, 16, 20, 24, 28, 32])
        masks = [*map(prefix, lengths), rng.choice([0, 0xFFFF])]
        values = [rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(16)]
        match = tuple(Ternary(value & mask, mask) for value, mask in zip(values, masks, strict=True))
        yield match, rng.randrange(1, 1 << 16)


def scattered_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """The worst case: no two with the same mask. All have the lowest bit, which no packet has."""
    for _ in range(count):
        masks = [rng.getrandbits(32) | 1, rng.getrandbits(32), rng.getrandbits(16)]
        values = [rng.getrandbits(32) | 1, rng.getrandbits(32), rng.getrandbits(16)]
        match = tuple(Ternary(value & mask, mask) for value, mask in zip(values, masks, strict=True))
        yield match, rng.randrange(1, 1 << 16)


def range_rows(rng: random.Random, count: int) -> Iterator[Row]:
    """A prefix and some ports."""
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
    """A switch process without ports, and the time that it takes for requests that are made in advance."""

    def __init__(self, address: str, pid: int, config: Any) -> None:
        self._pid = pid
        self._channel = grpc.insecure_channel(address)
        self._stub = p4runtime_pb2_grpc.P4RuntimeStub(self._channel)
        request = p4runtime_pb2.SetForwardingPipelineConfigRequest(action="VERIFY_AND_COMMIT", config=config)
        self._stub.SetForwardingPipelineConfig(request, wait_for_ready=True, timeout=SECONDS)
        self._info = P4Info(config.p4info)

    def write(self, kind: int, table: str, rows: Sequence[Row], port: int) -> float:
        """Updates a second."""
        info = self._table(table)
        requests = [self._request(kind, info, rows[at : at + BATCH], port) for at in range(0, len(rows), BATCH)]
        begin = time.perf_counter()
        for request in requests:
            self._stub.Write(request, timeout=SECONDS)
        return len(rows) / (time.perf_counter() - begin)

    def read(self, table: str) -> float:
        """Entries a second, of a whole table."""
        asked = p4runtime_pb2.ReadRequest()
        asked.entities.add().table_entry.table_id = self._table(table).id
        begin = time.perf_counter()
        found = sum(len(response.entities) for response in self._stub.Read(asked, timeout=SECONDS))
        return found / (time.perf_counter() - begin)

    def megabytes(self) -> float:
        """Of resident memory."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu_seconds(self) -> float:
        user, system = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self._channel.close()

    def _table(self, name: str) -> TableInfo:
        return next(info for info in self._info.tables.values() if info.name == name)

    def _request(self, kind: int, info: TableInfo, rows: Sequence[Row], port: int) -> Any:
        request = p4runtime_pb2.WriteRequest()
        for match, priority in rows:
            entry = request.updates.add(type=kind).entity.table_entry
            entry.table_id = info.id
            fill_match(entry, info, match, priority)
            if kind != Update.DELETE:
                fill_call(entry.action.action, info.actions_by_name[ACTION], (port,))
        return request


@contextmanager
def process() -> Iterator[Process]:
    """A switch that runs the program."""
    config = p4runtime_pb2.ForwardingPipelineConfig(p4_device_config=PROGRAM.read_bytes())
    text_format.Parse(P4INFO.read_text(), config.p4info)
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/p4runtime"
        command = [sys.executable, "-m", "softswitch", "--no-p4", "--dp-grpc-server-addr", f"unix:{folder}/packets"]
        with subprocess.Popen([*command, "--", "--grpc-server-addr", address], stdout=subprocess.DEVNULL) as switch:
            try:
                client = Process(address, switch.pid, config)
                yield client
                client.close()
            finally:
                switch.terminate()


def packets(rng: random.Random, workload: Workload, rows: Sequence[Row]) -> Frames:
    """Packets that match entries drawn at random, and where a match leaves bits open, have these at random."""

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
    """For one packet, at best."""
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        out = engine.process(frames, 0)
        times.append(time.perf_counter() - begin)
        assert len(out) == len(frames)
    return min(times) / len(frames) * 1e9


def measure(workload: Workload, scale: float) -> Result:
    """Fills the workload's table to `scale` of its size."""
    rng = random.Random(1)
    engine = Engine(Program.load(PROGRAM))
    table = engine.tables[workload.table]
    rows = list(dict.fromkeys(workload.rows(rng, max(1, round(scale * table.size)))))
    frames = packets(rng, workload, rows)
    empty = nanoseconds(engine, frames)
    for match, priority in rows:
        table.insert(match, ACTION, (7,), priority)
    full = nanoseconds(engine, frames)
    hit = np.asarray(engine.process(frames, 0).port == 7)
    assert hit.all() if workload.hits else not hit.any()
    with process() as switch:
        before = switch.cpu_seconds()
        insert = switch.write(Update.INSERT, workload.table, rows, 7)
        cpu = (switch.cpu_seconds() - before) / len(rows) * 1e6
        modify = switch.write(Update.MODIFY, workload.table, rows, 8)
        read = switch.read(workload.table)
        megabytes = switch.megabytes()
        delete = switch.write(Update.DELETE, workload.table, rows, 0)
    return Result(workload.name, len(rows), insert, cpu, modify, read, delete, megabytes, full, empty)


def rates(results: Sequence[Result]) -> Table:
    table = _table("insert/s", "CPU us", "modify/s", "read/s", "delete/s", "MB")
    for each in results:
        numbers = each.entries, each.insert, each.cpu, each.modify, each.read, each.delete, each.megabytes
        table.add_row(each.name, *(f"{number:.0f}" for number in numbers))
    return table


def lookups(results: Sequence[Result]) -> Table:
    table = _table("ns/packet", "empty")
    for each in results:
        table.add_row(each.name, *(f"{number:.0f}" for number in (each.entries, each.nanoseconds, each.empty)))
    return table


def _table(*headings: str) -> Table:
    table = Table("table")
    for heading in ("entries", *headings):
        table.add_column(heading, justify="right")
    return table


def main(
    scale: Annotated[float, typer.Option(min=0.0001, max=1, help="Of the tables' size: 100,000 and 10,000.")] = 1,
    out: Annotated[Path, typer.Option(help="Where the numbers go, as JSON.")] = Path("runs/bench/tables.json"),
) -> None:
    """Measures large tables: P4Runtime's rates, memory, and what a packet costs."""
    console = Console()
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
