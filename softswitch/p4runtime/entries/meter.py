"""MeterEntry: the rates of the meters that the program indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import counter
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.p4info import MeterInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented
from dropzero.softswitch.state.meters import MeterRates

BURST = (1 << 32) - 1
# BMv2's meaning of -1: a rate that no packet exceeds.
UNLIMITED = (1 << 63) - 1


def write(pipeline: Pipeline, kind: int, entry: Any) -> None:
    """MODIFY sets a cell's rates; without a config, all packets are green. Without an index, sets all cells."""
    info = pipeline.p4info.meter(entry.meter_id)
    cells = range(info.size)[counter.chosen(entry, info)]
    check_kind(kind)
    config = entry.config if entry.HasField("config") else None
    rates = rates_of(config) if config is not None else None
    meter = pipeline.engine.meters[info.name]
    with pipeline.engine.lock:
        for index in cells:
            meter[index] = rates
            if config is None:
                pipeline.meters.pop((info.id, index), None)
            else:
                pipeline.meters[info.id, index] = kept(config)


def read(pipeline: Pipeline, entry: Any) -> Iterator[Any]:
    if entry.meter_id:
        yield from _read_one(pipeline, pipeline.p4info.meter(entry.meter_id), entry)
    else:
        for info in pipeline.p4info.meters.values():
            yield from _read_one(pipeline, info, entry)


def check_kind(kind: int) -> None:
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("INSERT update type not supported for meters")
    if kind == p4runtime_pb2.Update.DELETE:
        raise invalid("DELETE update type not supported for meters")


def rates_of(config: Any) -> MeterRates | None:
    """The rates of a p4.v1.MeterConfig, or None if it sets no limit. Raises Refusal."""
    for name, value in (
        ("CIR", config.cir),
        ("CBurst", config.cburst),
        ("PIR", config.pir),
        ("PBurst", config.pburst),
    ):
        if value < -1:
            raise invalid(f"Negative meter {name}")
    if config.cburst > BURST:
        raise unimplemented("CBurst too large")
    if config.pburst > BURST:
        raise unimplemented("Pburst too large")
    values = [config.cir, config.cburst, config.pir, config.pburst]
    if all(value == -1 for value in values):
        return None
    cir, cburst, pir, pburst = (UNLIMITED if value == -1 else int(value) for value in values)
    try:
        return MeterRates(cir, min(cburst, BURST), pir, min(pburst, BURST))
    except ValueError as error:
        raise invalid(str(error)) from None


def kept(config: Any) -> Any:
    """The fields of a p4.v1.MeterConfig that the switch supports."""
    return p4runtime_pb2.MeterConfig(cir=config.cir, cburst=config.cburst, pir=config.pir, pburst=config.pburst)


def _read_one(pipeline: Pipeline, info: MeterInfo, entry: Any) -> Iterator[Any]:
    for index in range(info.size)[counter.chosen(entry, info)]:
        entity = p4runtime_pb2.Entity()
        entity.meter_entry.meter_id = info.id
        entity.meter_entry.index.index = index
        config = pipeline.meters.get((info.id, index))
        if config is not None:
            entity.meter_entry.config.CopyFrom(config)
        yield entity
