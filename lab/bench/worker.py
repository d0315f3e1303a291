"""`python -m lab.bench.worker`: the CPU time of a worker's packets by stage, without a switch and without waiting."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from dropzero.console import wide_console
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.tensor.fixedpoint import biased_exponent, dequantize, magnitude_bits, quantize
from dropzero.protocol.wire import (
    ASSIGNED,
    BLOCK_WORDS,
    COLUMN,
    HEADER,
    MAX_PAYLOAD,
    NO_BLOCK,
    PACKET_ELEMENTS,
    Kind,
    blocks_per_packet,
)
from dropzero.streams import stream
from dropzero.worker.transport import Transport

WORKERS = 4
MEGABYTE = 1 << 20


class Stages:
    """CPU time of this thread by stage, in seconds, one number for each repetition."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    def begin(self) -> None:
        """Begin another repetition."""
        for times in self.seconds.values():
            times.append(0.0)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Add the time in the block to a stage."""
        times = self.seconds.setdefault(name, [0.0])
        begin = time.thread_time()
        try:
            yield
        finally:
            times[-1] += time.thread_time() - begin


def reduce(stages: Stages, gradient: NDArray[np.float32], block: int, lanes: int) -> None:
    """Reduce with a single worker: its packets over the loopback come back as results."""
    bits = magnitude_bits(32, WORKERS)
    exponent = biased_exponent(gradient.view(np.uint32))
    numbers, target = np.empty(len(gradient), np.int32), np.empty_like(gradient)
    with stages.of("quantize alone"):
        quantize(gradient, exponent, bits, numbers)
    with stages.of("dequantize alone"):
        dequantize(numbers, exponent, bits, target)
    worker = Lanes(job=0, worker=0, workers=WORKERS, epoch=0, lanes=lanes)
    with closing(Transport()) as transport:
        transport.connect(("127.0.0.1", transport.port))
        with stages.of("find exponents, open"):
            worker.begin(Call.of(gradient, block=block), Source.of(gradient), Target.around(target), 0.0)
        assigned = 0
        while not worker.done:
            with stages.of("send"):
                outgoing = worker.outgoing()
                transport.send(*outgoing)
            awaited = len(outgoing[1])
            while awaited:
                with stages.of("receive"):
                    payloads, lengths = transport.receive(1.0)
                assigned = assign_chunks(payloads, blocks_per_packet(block), assigned)
                with stages.of("unpack and pack"):
                    worker.receive(payloads, lengths, 0.0)
                awaited -= len(lengths) or awaited
    assert np.allclose(target, gradient, atol=2.0**-20)


def assign_chunks(payloads: NDArray[np.uint8], columns: int, assigned: int) -> int:
    """Turn contributions into results, like a switch: assign chunks, from number `assigned` on, to columns without a
    next block. Returns the next chunk's number."""
    payloads[:, 0] = Kind.RESULT.first_byte
    announced = np.ndarray((len(payloads), columns), COLUMN, payloads, HEADER.itemsize, (MAX_PAYLOAD, COLUMN.itemsize))
    done = announced["next"] == NO_BLOCK
    announced["next"][done] = ASSIGNED | np.arange(assigned, assigned + done.sum(), dtype=np.uint32)
    return assigned + int(done.sum())


def table(stages: Stages, packets: int, title: str) -> Table:
    result = Table(title=title, title_justify="left")
    result.add_column("")
    for heading in ("us per packet", "range", "Gbit/s of gradient"):
        result.add_column(heading, justify="right")
    all_of_it = [sum(times) for times in zip(*(s for n, s in stages.seconds.items() if "alone" not in n), strict=True)]
    for name, times in {**stages.seconds, "one packet sent and one received": all_of_it}.items():
        each = [1e6 * seconds / packets for seconds in times]
        median = statistics.median(each)
        gigabits = PACKET_ELEMENTS * 32 / median / 1e3
        result.add_row(name, f"{median:.3f}", f"{min(each):.3f} - {max(each):.3f}", f"{gigabits:.1f}")
    return result


def main(
    megabytes: Annotated[int, typer.Option(min=1, help="Gradient size.")] = 16,
    lanes: Annotated[int, typer.Option(min=1, help="Packets in flight.")] = 128,
    repetitions: Annotated[int, typer.Option(min=1, help="How often to time each stage.")] = 7,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/worker.json"),
) -> None:
    """Measure a worker alone."""
    Lanes.rehearse()
    gradient = stream(0, "gradient").standard_normal(megabytes * MEGABYTE // 4, dtype=np.float32)
    packets = len(gradient) // PACKET_ELEMENTS
    written = {}
    for block in (BLOCK_WORDS[-1], BLOCK_WORDS[0]):
        stages = Stages()
        for _ in range(repetitions):
            stages.begin()
            reduce(stages, gradient, block, lanes)
        wide_console().print(
            table(stages, packets, f"A worker alone: {megabytes} MB in blocks of {block}, {lanes} lanes")
        )
        written[block] = stages.seconds
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"packets": packets, "seconds by block": written}, indent=1) + "\n")


if __name__ == "__main__":
    typer.run(main)
