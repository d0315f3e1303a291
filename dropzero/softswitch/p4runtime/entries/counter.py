"""CounterEntry: the counters that the program indexes."""

from __future__ import annotations

from collections.abc import Iterator

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.p4info import CounterInfo, MeterInfo, RegisterInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid


def write(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.CounterEntry) -> None:
    """MODIFY sets a cell, DELETE resets it to 0; without an index, all cells."""
    info = pipeline.p4info.counters[entry.counter_id]
    cells = chosen(entry, info)
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("INSERT update type not supported for counters")
    data = entry.data if kind == p4runtime_pb2.Update.MODIFY else p4runtime_pb2.CounterData()
    packets, byte_count = counts(data)
    counter = pipeline.engine.counters[info.name]
    with pipeline.engine.lock:
        counter.packets[cells] = packets
        counter.bytes[cells] = byte_count


def read(pipeline: Pipeline, entry: p4runtime_pb2.CounterEntry) -> Iterator[p4runtime_pb2.Entity]:
    for info in pipeline.p4info.counters.asked(entry.counter_id):
        cells = chosen(entry, info)
        counter = pipeline.engine.counters[info.name]
        with pipeline.engine.lock:
            packets, byte_counts = counter.packets[cells].tolist(), counter.bytes[cells].tolist()
        for index, packet_count, byte_count in zip(range(info.size)[cells], packets, byte_counts, strict=True):
            read = p4runtime_pb2.CounterEntry(counter_id=info.id, index=p4runtime_pb2.Index(index=index))
            fill(read.data, info, packet_count, byte_count)
            yield p4runtime_pb2.Entity(counter_entry=read)


def chosen(
    entry: p4runtime_pb2.CounterEntry | p4runtime_pb2.MeterEntry | p4runtime_pb2.RegisterEntry,
    info: CounterInfo | MeterInfo | RegisterInfo,
) -> slice:
    """The cells that an entry selects: all of them if it has no index. Raises Refusal."""
    if not entry.HasField("index"):
        return slice(0, info.size)
    index = int(entry.index.index)
    if index < 0:
        raise invalid("A negative number is not a valid index value")
    if index >= info.size:
        raise Refusal(code_pb2.OUT_OF_RANGE, f"{info.name!r} has {info.size} cells, none with index {index}")
    return slice(index, index + 1)


def fill(data: p4runtime_pb2.CounterData, info: CounterInfo, packets: int, byte_count: int) -> None:
    """Fills a CounterData with the units that the counter counts."""
    data.packet_count = packets if info.packets else 0
    data.byte_count = byte_count if info.bytes else 0


def counts(data: p4runtime_pb2.CounterData) -> tuple[int, int]:
    """The packets and bytes of a CounterData."""
    if data.packet_count < 0 or data.byte_count < 0:
        raise invalid("A negative number is not a valid count")
    return int(data.packet_count), int(data.byte_count)
