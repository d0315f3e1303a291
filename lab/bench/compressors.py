"""`python -m lab.bench.compressors`: speed and memory of the compressors, on one core.

Times are CPU times. Every round times each compressor once, so that a busy machine slows all of them alike. The best
round counts; ratios are of times in the same round. There is no GPU version to measure.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from dropzero.compressors.packing import pack
from dropzero.compressors.quantizers import dithered
from dropzero.compressors.rotation import rotated
from dropzero.compressors.sparsifiers import GaussianK, RandK, TopK
from dropzero.compressors.vectors import Vector
from dropzero.console import table_of, wide_console
from dropzero.experiments.claims.feedback.gaussian import partitioned
from dropzero.native.compilation import compiled
from dropzero.protocol.tensor.elements import put
from dropzero.protocol.tensor.fixedpoint import biased_exponent, magnitude_bits, quantize
from dropzero.protocol.wire import COLUMNS
from dropzero.streams import stream
from lab.bench.report import save

DENSITY = 0.01
BLOCK = 32
BASELINE = "top-k, numpy's argpartition"
GOALS = {
    "block top-k": 1.0,
    "GaussianK": 0.5,
    "GaussianK on blocks": 0.5,
    "quantize to shared exponents": 1.0,
    "quantize to ternary values": 1.0,
    "rotate": 1.0,
    "pack into packets": 1.0,
    "pack ternary values": 1.0,
}
"""The least GB/s of gradient."""
MEMORY = 2.0
"""The most memory, in sizes of the gradient, including the gradient and the result."""


def jobs(x: Vector) -> dict[str, Callable[[], object]]:
    """Return the functions to time, by name. Each processes the whole gradient."""
    draw = stream(0, "codes")
    codes = draw.integers(-1, 2, len(x), np.int8)
    signs = draw.choice(np.array([-1, 1], np.float32), 1024)
    patterns = x.view(np.uint32)
    bits, unit = magnitude_bits(32, 8), np.abs(x).max(keepdims=True)
    exponents = np.full(-(-len(x) // BLOCK), biased_exponent(patterns))
    return {
        BASELINE: lambda: partitioned(x, round(DENSITY * len(x))),
        "top-k": lambda: TopK(DENSITY).compress(x, draw),
        "block top-k": lambda: TopK(DENSITY, BLOCK).compress(x, draw),
        "GaussianK": lambda: GaussianK(DENSITY).compress(x, draw),
        "GaussianK on blocks": lambda: GaussianK(DENSITY, BLOCK).compress(x, draw),
        "block rand-k": lambda: RandK(DENSITY, BLOCK).compress(x, draw),
        "quantize to shared exponents": lambda: _quantize(x, BLOCK, bits, np.empty(len(x), np.int32)),
        "quantize to ternary values": lambda: dithered(x, unit, 1, draw),
        "rotate": lambda: rotated(x, np.ones(-(-len(x) // len(signs))), signs, np.ones_like(signs)),
        "pack into packets": lambda: _pack(patterns, BLOCK, exponents, bits, np.empty(4 * BLOCK * COLUMNS, np.uint8)),
        "pack ternary values": lambda: pack(codes, 1),
    }


@compiled
def _quantize(x: Vector, block: int, bits: int, integers: NDArray[np.int32]) -> None:
    """Find every block's exponent, and quantize its elements with it."""
    for start in range(0, len(x), block):
        part = x[start : start + block]
        exponent = biased_exponent(part.view(np.uint32))
        if exponent:
            quantize(part, exponent, bits, integers[start : start + block])


@compiled
def _pack(
    patterns: NDArray[np.uint32], block: int, exponents: NDArray[np.int64], bits: int, row: NDArray[np.uint8]
) -> None:
    """Fill packets as a worker does: scale the elements and write them as big-endian integers."""
    size = 4 * block
    for index in range(len(exponents)):
        put(row, index * size % len(row), size, patterns, index * block, exponents[index], True, bits, 32)


def measure(megabytes: int, rounds: int) -> dict[str, dict[str, float]]:
    """Time all jobs in turn.

    Returns:
        By name: `seconds` of the best round; `rate`, GB/s of gradient; `memory` in sizes of the gradient, including
        the gradient and the result; `ratio`, the median over the rounds of the speed-up over the baseline.
    """
    x = stream(0, "gradient").standard_normal(megabytes * 250_000, np.float32)
    timed = jobs(x)
    taken: dict[str, list[float]] = {name: [] for name in timed}
    memory = {}
    for name, job in timed.items():
        # Compiles.
        job()
        tracemalloc.start()
        job()
        memory[name] = 1 + tracemalloc.get_traced_memory()[1] / x.nbytes
        tracemalloc.stop()
    for _ in range(rounds):
        for name, job in timed.items():
            start = time.process_time()
            job()
            taken[name].append(time.process_time() - start)
    return {
        name: {
            "seconds": min(seconds),
            "rate": x.nbytes / min(seconds) / 1e9,
            "memory": memory[name],
            "ratio": median(base / own for base, own in zip(taken[BASELINE], seconds, strict=True)),
        }
        for name, seconds in taken.items()
    }


def table(results: dict[str, dict[str, float]], megabytes: int) -> Table:
    rows = []
    for name, result in results.items():
        goal = GOALS.get(name)
        slow = (goal or 0) > result["rate"]
        large = goal is not None and round(result["memory"], 2) > MEMORY
        shown = "" if goal is None else f"{goal:g}{' missed' if slow else ''}"
        memory = f"{result['memory']:.2f}{' missed' if large else ''}"
        times = f"{1000 * result['seconds']:.1f}", f"{result['rate']:.2f}", shown, f"{result['ratio']:.1f}"
        rows.append([name, *times, memory])
    title = f"{megabytes} MB of float32, one core, density {DENSITY:g}, blocks of {BLOCK}"
    return table_of(("", "ms", "GB/s", "goal", "times argpartition", "memory"), rows, title)


def main(
    megabytes: Annotated[int, typer.Option(min=1, help="Gradient size.")] = 100,
    rounds: Annotated[int, typer.Option(min=1, help="How often to time each.")] = 7,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/compressors.json"),
) -> None:
    """Time the compressors on one core."""
    results = measure(megabytes, rounds)
    save({"megabytes": megabytes, "rounds": rounds, "results": results}, out)
    console = wide_console()
    console.print(table(results, megabytes))
    console.print(f"memory: in sizes of the gradient, including the gradient and the result. {out}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
