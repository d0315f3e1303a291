"""All-reduce over shaped links: Dropzero beside what needs no switch program."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.baselines.formulas import Overlap, Scheme
from bench.testbed.member import Case
from bench.testbed.testbed import Measurement, Testbed

MEGABYTE = 1 << 20
RATE = 100.0
"""Mbit/s, of the shaped links."""

Section = Callable[[Path, int], Iterator[Measurement]]
"""(folder, bytes of gradient) -> what was measured, one after the other."""


def dense_schemes() -> list[Scheme]:
    """Those that send zeros as well. Gloo only where PyTorch is installed."""
    schemes = [Scheme.DROPZERO, Scheme.RING, Scheme.HALVING_DOUBLING, Scheme.PARAMETER_SERVER]
    return schemes + [Scheme.GLOO] * (importlib.util.find_spec("torch") is not None)


def dense(folder: Path, size: int) -> Iterator[Measurement]:
    """Every scheme, nothing zero, four workers."""
    with Testbed(folder, 4, rate=RATE) as testbed:
        for scheme in dense_schemes():
            yield from testbed.measure(scheme, [Case(size // 4)])


def sparse(folder: Path, size: int) -> Iterator[Measurement]:
    """The schemes that leave out zeros, at 10 % and 1 % of the blocks, the same on all four workers."""
    cases = [Case(size // 4, 0.1), Case(size // 4, 0.01, repetitions=15)]
    with Testbed(folder, 4, rate=RATE) as testbed:
        for scheme in (Scheme.DROPZERO, Scheme.AGSPARSE, Scheme.SPARCML):
            yield from testbed.measure(scheme, cases)


def overlap(folder: Path, size: int) -> Iterator[Measurement]:
    """Where the workers' non-zero blocks are, 10 % each."""
    with Testbed(folder, 4, rate=RATE) as testbed:
        yield from testbed.measure(Scheme.DROPZERO, [Case(size // 4, 0.1, where) for where in Overlap])


def workers(folder: Path, size: int) -> Iterator[Measurement]:
    """Two to eight workers, nothing zero."""
    schemes = [Scheme.DROPZERO, Scheme.RING] + [Scheme.GLOO] * (Scheme.GLOO in dense_schemes())
    for count in (2, 4, 8):
        with Testbed(folder, count, rate=RATE) as testbed:
            for scheme in schemes:
                yield from testbed.measure(scheme, [Case(size // 4)])


def loss(folder: Path, size: int) -> Iterator[Measurement]:
    """Links that lose packets, each way."""
    for probability in (0.0, 0.001, 0.01):
        with Testbed(folder, 4, rate=RATE, loss=probability) as testbed:
            yield from testbed.measure(Scheme.DROPZERO, [Case(size // 4)])


def unshaped(folder: Path, size: int) -> Iterator[Measurement]:
    """Links as fast as this machine makes them."""
    with Testbed(folder, 4) as testbed:
        for lanes, in_place in ((0, False), (0, True), (256, False)):
            dense = Case(size // 4, repetitions=20, in_place=in_place, lanes=lanes)
            cases = [dense, *(dense._replace(density=0.01, block=block) for block in (32, 256))]
            yield from testbed.measure(Scheme.DROPZERO, cases)
        if Scheme.GLOO in dense_schemes():
            yield from testbed.measure(Scheme.GLOO, [Case(size // 4, repetitions=20)])


def rates(folder: Path, size: int) -> Iterator[Measurement]:
    """Ever faster links: up to which the switch is ahead of Gloo."""
    for rate in (100.0, 200.0, 400.0, 800.0):
        with Testbed(folder, 4, rate=rate) as testbed:
            for scheme in [Scheme.DROPZERO] + [Scheme.GLOO] * (Scheme.GLOO in dense_schemes()):
                yield from testbed.measure(scheme, [Case(size // 4)])


def growth(folder: Path, size: int) -> Iterator[Measurement]:
    """From 1 kB on, four workers, unshaped: time and memory."""
    sizes = [1 << 10, 16 << 10, 256 << 10, 4 * MEGABYTE, size, 4 * size]
    with Testbed(folder, 4) as testbed:
        yield from testbed.measure(Scheme.DROPZERO, [Case(each // 4) for each in sizes])


def memory(folder: Path, size: int) -> Iterator[Measurement]:
    """What a worker needs, its gradient included, when the sum replaces that."""
    with Testbed(folder, 4) as testbed:
        cases = [Case(each * MEGABYTE // 4, repetitions=2, in_place=True) for each in (16, 100)]
        yield from testbed.measure(Scheme.DROPZERO, cases)


def crowd(folder: Path, size: int) -> Iterator[Measurement]:
    """Two to 32 workers, unshaped: the switch has to add more, the links carry as much as before."""
    for count in (2, 8, 32):
        with Testbed(folder, count) as testbed:
            yield from testbed.measure(Scheme.DROPZERO, [Case(MEGABYTE // 4, repetitions=2)])


def jobs(folder: Path, size: int) -> Iterator[Measurement]:
    """1 to 64 jobs of two workers at once, unshaped, 1 MB each."""
    with Testbed(folder, 2) as testbed:
        yield from testbed.measure(Scheme.DROPZERO, [Case(MEGABYTE // 4, jobs=count) for count in (1, 4, 16, 64)])


SECTIONS: dict[str, Section] = {
    "dense": dense,
    "sparse": sparse,
    "overlap": overlap,
    "workers": workers,
    "loss": loss,
    "rates": rates,
    "unshaped": unshaped,
    "growth": growth,
    "memory": memory,
    "crowd": crowd,
    "jobs": jobs,
}
