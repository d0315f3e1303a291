"""MeterEntry: the rates of the meters that the program indexes."""

from __future__ import annotations

from collections.abc import Iterator

from dropzero.p4.config.v1.p4info_pb2 import MeterSpec
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import counter
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.p4info import MeterInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented
from dropzero.softswitch.state.meters import ColourCounts, MeterRates

COLOURS = "green", "yellow", "red"
BURST = (1 << 32) - 1
# BMv2's meaning of -1: a rate that no packet exceeds.
UNLIMITED = (1 << 63) - 1


def write(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.MeterEntry) -> None:
    """MODIFY sets a cell's rates; without a config, all packets are green. Without an index, sets all cells."""
    info = pipeline.p4info.meters[entry.meter_id]
    cells = range(info.size)[counter.chosen(entry, info)]
    check_kind(kind)
    config = entry.config if entry.HasField("config") else None
    rates = rates_of(config, info) if config is not None else None
    colours = counts(entry.counter_data) if entry.HasField("counter_data") else None
    meter = pipeline.engine.meters[info.name]
    with pipeline.engine.lock:
        for index in cells:
            meter[index] = rates
            if colours is not None:
                meter.set_counts(index, colours)
            if config is None:
                pipeline.meters.pop((info.id, index), None)
            else:
                pipeline.meters[info.id, index] = kept(config)


def read(pipeline: Pipeline, entry: p4runtime_pb2.MeterEntry) -> Iterator[p4runtime_pb2.Entity]:
    for info in pipeline.p4info.meters.asked(entry.meter_id):
        meter = pipeline.engine.meters[info.name]
        for index in range(info.size)[counter.chosen(entry, info)]:
            with pipeline.engine.lock:
                rates, colours = meter[index], meter.counts(index)
            config = config_of(rates, info, pipeline.meters.get((info.id, index)))
            read = p4runtime_pb2.MeterEntry(meter_id=info.id, index=p4runtime_pb2.Index(index=index), config=config)
            if entry.HasField("counter_data"):
                fill(read.counter_data, colours)
            yield p4runtime_pb2.Entity(meter_entry=read)


def check_kind(kind: Kind) -> None:
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("INSERT update type not supported for meters")
    if kind == p4runtime_pb2.Update.DELETE:
        raise invalid("DELETE update type not supported for meters")


def rates_of(config: p4runtime_pb2.MeterConfig, info: MeterInfo) -> MeterRates | None:
    """The rates of a p4.v1.MeterConfig, or None if it sets no limit. Raises Refusal.

    A single-rate meter [RFC2697] equals one of two rates whose peak rate is the committed rate, and whose peak burst
    is the committed burst plus the excess burst.
    """
    for name, value in (
        ("CIR", config.cir),
        ("CBurst", config.cburst),
        ("PIR", config.pir),
        ("PBurst", config.pburst),
        ("EBurst", config.eburst),
    ):
        if value < -1:
            raise invalid(f"Negative meter {name}")
    if config.cburst > BURST:
        raise unimplemented("CBurst too large")
    if config.pburst > BURST:
        raise unimplemented("Pburst too large")
    if config.eburst and info.type != MeterSpec.SINGLE_RATE_THREE_COLOR:
        raise invalid("EBurst is for meters of one rate and three colors")
    values = [config.cir, config.cburst, config.pir, config.pburst]
    if info.type != MeterSpec.TWO_RATE_THREE_COLOR:
        if config.pir not in (0, config.cir) or config.pburst not in (0, config.cburst):
            raise invalid("A meter of one rate has no other PIR than CIR, and no other PBurst than CBurst")
        unlimited = -1 in (config.cburst, config.eburst)
        values[2:] = config.cir, -1 if unlimited else config.cburst + config.eburst
    if all(value == -1 for value in values):
        return None
    cir, cburst, pir, pburst = (UNLIMITED if value == -1 else int(value) for value in values)
    try:
        return MeterRates(cir / 1e6, min(cburst, BURST), pir / 1e6, min(pburst, BURST))
    except ValueError as error:
        raise invalid(str(error)) from None


def config_of(
    rates: MeterRates | None, info: MeterInfo, written: p4runtime_pb2.MeterConfig | None
) -> p4runtime_pb2.MeterConfig | None:
    """The MeterConfig of a meter: the one last written over P4Runtime, unless Thrift has set other rates since."""
    if rates == (None if written is None else rates_of(written, info)):
        return written
    if rates is None:
        return None
    cir, pir = round(rates.committed_rate * 1e6), round(rates.peak_rate * 1e6)
    return p4runtime_pb2.MeterConfig(cir=cir, cburst=rates.committed_burst, pir=pir, pburst=rates.peak_burst)


def kept(config: p4runtime_pb2.MeterConfig) -> p4runtime_pb2.MeterConfig:
    """The fields of a p4.v1.MeterConfig that the switch supports."""
    return p4runtime_pb2.MeterConfig(
        cir=config.cir, cburst=config.cburst, pir=config.pir, pburst=config.pburst, eburst=config.eburst
    )


def counts(data: p4runtime_pb2.MeterCounterData) -> ColourCounts:
    """The counts of a p4.v1.MeterCounterData. Raises Refusal."""
    return counter.counts(data.green), counter.counts(data.yellow), counter.counts(data.red)


def fill(data: p4runtime_pb2.MeterCounterData, colours: ColourCounts) -> None:
    """Fills a MeterCounterData."""
    for name, (packets, byte_count) in zip(COLOURS, colours, strict=True):
        colour = getattr(data, name)
        colour.packet_count, colour.byte_count = packets, byte_count
