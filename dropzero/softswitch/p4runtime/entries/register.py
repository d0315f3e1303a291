"""RegisterEntry: reads and writes one cell or a whole register, and reads all registers."""

from __future__ import annotations

from collections.abc import Iterator

from dropzero.p4.v1 import p4data_pb2, p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import counter
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.p4info import decode, encode
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented


def write(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.RegisterEntry) -> None:
    if kind != p4runtime_pb2.Update.MODIFY:
        raise invalid("Only MODIFY is possible for registers")
    info = pipeline.p4info.registers[entry.register_id]
    if entry.data.WhichOneof("data") != "bitstring":
        raise unimplemented(f"Register {info.name!r} takes a bitstring")
    register = pipeline.engine.registers[info.name]
    value = decode(entry.data.bitstring, register.width)
    cells = counter.chosen(entry, info)
    with pipeline.engine.lock:
        for index in range(info.size)[cells]:
            register[index] = value


def read(pipeline: Pipeline, entry: p4runtime_pb2.RegisterEntry) -> Iterator[p4runtime_pb2.Entity]:
    for info in pipeline.p4info.registers.asked(entry.register_id):
        register = pipeline.engine.registers[info.name]
        cells = counter.chosen(entry, info)
        with pipeline.engine.lock:
            values = register.snapshot() if not entry.HasField("index") else [register[cells.start]]
        for index, value in zip(range(info.size)[cells], values, strict=True):
            data = p4data_pb2.P4Data(bitstring=encode(value))
            read = p4runtime_pb2.RegisterEntry(register_id=info.id, index=p4runtime_pb2.Index(index=index), data=data)
            yield p4runtime_pb2.Entity(register_entry=read)
