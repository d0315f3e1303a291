"""`dropzero precision`: measures how exact sums of floats are, with the real quantization of workers and switch.

Needs no network: quantizes each worker's elements into a packet, adds them up like the switch, and reads them back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.protocol.slot import combine
from dropzero.protocol.tensor.elements import get, put
from dropzero.protocol.tensor.fixedpoint import LEAST_BITS, biased_exponent, magnitude_bits, scale
from dropzero.protocol.wire import Operation, Width
from dropzero.streams import stream

BLOCK = 256
"""Elements in a block; a size that exists at all widths."""
BLOCKS = 64
WORKERS = (2, 4, 8, 16, 32)
RATIOS = tuple(10.0**power for power in range(3, 10))

app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Measurement:
    """The error of a sum of Gaussian vectors, one per worker.

    Attributes:
        width: bits of an element on the wire.
        bits: the bits of magnitude of one worker's element.
        ratio: an outlier in one worker's vector, divided by the standard deviation of the rest; 0: no outlier.
        error: the relative error in the Euclidean norm; with an outlier, that of the other elements.
        bound: the upper bound of the error.
    """

    width: int
    workers: int
    bits: int
    ratio: float
    error: float
    bound: float


def measure(width: Width, workers: int, ratio: float = 0.0) -> Measurement:
    """Measures one sum, always of the same numbers."""
    rows = stream(0, "precision").standard_normal((workers, BLOCKS, BLOCK)).astype(np.float32)
    counted = np.ones(BLOCK, np.bool_)
    if ratio:
        rows[0, :, 0] = ratio
        counted[0] = False
    bits = magnitude_bits(width.bits, workers, few_bits=True)
    total = np.empty((BLOCKS, BLOCK), np.float32)
    bound = np.empty(BLOCKS)
    for block in range(BLOCKS):
        exponent = max(biased_exponent(row.view(np.uint32)) for row in rows[:, block])
        total[block] = summed(rows[:, block], width, exponent, bits)
        # The error of a worker's element is half a unit, or a whole one at narrow widths, where clipping adds to it.
        bound[block] = workers * (0.5 if width is Width.BITS_32 else 1.0) / scale(exponent, bits)
    exact = rows.sum(0, dtype=np.float64)[:, counted]
    norm = float(np.linalg.norm(exact))
    error = float(np.linalg.norm(total[:, counted] - exact)) / norm
    # The sum is also rounded to float32.
    most = float(np.linalg.norm(bound)) * float(np.sqrt(counted.sum())) / norm + 2.0**-24
    return Measurement(width.bits, workers, bits, ratio, error, most)


def summed(rows: NDArray[np.float32], width: Width, exponent: int, bits: int) -> NDArray[np.float32]:
    """Sums a block of every worker, (n, BLOCK) to (BLOCK,), through packets and the switch's addition."""
    room = BLOCK * width.bits // 8
    held = None
    for row in rows:
        packet = np.zeros(room, np.uint8)
        put(packet, 0, room, row.view(np.uint32), 0, exponent, True, bits, width.bits)
        words = packet.view(">i4").astype(np.int32)
        held = words if held is None else combine(held, words, Operation.SUM, width)
    assert held is not None
    total = np.zeros(BLOCK, np.float32)
    get(held.astype(">i4").view(np.uint8), 0, room, total.view(np.uint32), 0, exponent, True, bits, width.bits)
    return total


@app.command()
def precision(as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False) -> None:
    """Measure how exact sums of floats are, at each width and for 2 to 32 workers, and next to a single large element.

    Errors are relative, in the Euclidean norm: of a sum of Gaussian vectors,
    and of the other elements of blocks with a single large one. In brackets:
    their upper bounds.
    """
    sums = [measure(width, workers) for width in Width for workers in WORKERS]
    outliers = [measure(Width.BITS_32, workers, ratio) for ratio in RATIOS for workers in WORKERS]
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in (*sums, *outliers)]))
        return
    console = wide_console()
    console.print(_table("Gaussian", "width", {f"{form.bits} bits": _of(sums, width=form.bits) for form in Width}))
    beside = {f"{ratio:.0e}": _of(outliers, ratio=ratio) for ratio in RATIOS}
    console.print(_table("next to an element this many times as large (32 bits)", "ratio", beside))


def _of(measured: Iterable[Measurement], **fields: float) -> list[Measurement]:
    return [each for each in measured if all(getattr(each, name) == value for name, value in fields.items())]


def _table(title: str, first: str, rows: dict[str, list[Measurement]]) -> Table:
    """A column for each number of workers."""
    lines = []
    for name, measured in rows.items():
        lines.append([name, *(f"{each.error:.1e} ({each.bound:.1e})" for each in measured)])
        if first == "width":
            lines.append(["", *(f"{each.bits} bits{', ask' if each.bits < LEAST_BITS else ''}" for each in measured)])
    return table_of([first, *(f"{workers} workers" for workers in WORKERS)], lines, title, names=0)
