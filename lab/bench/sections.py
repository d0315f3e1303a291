"""The sections of `lab.bench.collectives`: which schemes to measure on which links."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

from dropzero.simulator.formulas import Kind, Overlap, Scheme
from dropzero.topologies.networks.kind import PortKind
from lab.bench.testbed.member import Case
from lab.bench.testbed.testbed import Measurement, Testbed

MEGABYTE = 1 << 20
RATE = 100.0
"""Rate of shaped links, Mbit/s."""

Section = Callable[[Path, int], Iterator[Measurement]]
"""(folder, bytes of the gradient) -> measurements, one after the other."""


def gloo() -> list[Scheme]:
    """Return Gloo if PyTorch is installed."""
    return [Scheme.GLOO] if importlib.util.find_spec("torch") else []


def measured(testbed: Testbed, cases: Sequence[Case], *schemes: Scheme) -> Iterator[Measurement]:
    """Measure schemes in a testbed, one after the other, and end it. schemes: by default Dropzero."""
    with testbed:
        for scheme in schemes or (Scheme.DROPZERO,):
            yield from testbed.measure(scheme, cases)


def dense(folder: Path, size: int) -> Iterator[Measurement]:
    """All schemes, no block zero, four workers."""
    schemes = (Scheme.DROPZERO, Scheme.RING, Scheme.HALVING_DOUBLING, Scheme.PARAMETER_SERVER, *gloo())
    return measured(Testbed(folder, 4, rate=RATE), [Case(size // 4)], *schemes)


def sparse(folder: Path, size: int) -> Iterator[Measurement]:
    """The schemes that skip zeros: 10 % and 1 % of the blocks, the same on all four workers."""
    cases = [Case(size // 4, 0.1), Case(size // 4, 0.01, repetitions=15)]
    return measured(Testbed(folder, 4, rate=RATE), cases, Scheme.DROPZERO, Scheme.AGSPARSE, Scheme.SPARCML)


def overlap(folder: Path, size: int) -> Iterator[Measurement]:
    """10 % of each worker's blocks: the same on all workers, at random, or disjoint."""
    return measured(Testbed(folder, 4, rate=RATE), [Case(size // 4, 0.1, where) for where in Overlap])


def workers(folder: Path, size: int) -> Iterator[Measurement]:
    """Two to eight workers, no block zero."""
    for count in (2, 4, 8):
        testbed = Testbed(folder, count, rate=RATE)
        yield from measured(testbed, [Case(size // 4)], Scheme.DROPZERO, Scheme.RING, *gloo())


def shards(folder: Path, size: int) -> Iterator[Measurement]:
    """Reduce-scatter, all-gather, and both at once, as in FSDP's backward pass."""
    calls = Kind.REDUCE_SCATTER, Kind.ALL_GATHER
    cases = [*(Case(size // 4, calls=(call,)) for call in calls), Case(size // 4, jobs=2, calls=calls)]
    for count in (4, 8):
        yield from measured(Testbed(folder, count, rate=RATE), cases, Scheme.DROPZERO, Scheme.RING, *gloo())


def small(folder: Path, size: int) -> Iterator[Measurement]:
    """Small tensors, one call after the other, four workers, with and without a rate, compared with Gloo."""
    cases = [Case(each // 4, repetitions=9, in_a_row=10) for each in (4 << 10, 64 << 10, MEGABYTE)]
    for rate in (RATE, None):
        yield from measured(Testbed(folder, 4, rate=rate), cases, *(Scheme.DROPZERO, *gloo()) * 3)


def loss(folder: Path, size: int) -> Iterator[Measurement]:
    """Links that lose packets, in each direction, compared with Gloo."""
    for count, probability in product((4, 8), (0.0, 0.001, 0.01, 0.05)):
        testbed = Testbed(folder, count, rate=RATE, loss=probability)
        yield from measured(testbed, [Case(size // 4)], Scheme.DROPZERO, *gloo())


def unshaped(folder: Path, size: int) -> Iterator[Measurement]:
    """Links without a rate."""
    with Testbed(folder, 4) as testbed:
        for lanes, in_place in ((0, False), (0, True), (256, False)):
            dense = Case(size // 4, repetitions=20, in_place=in_place, lanes=lanes)
            cases = [dense, *(dense._replace(density=0.01, block=block) for block in (32, 256))]
            yield from testbed.measure(Scheme.DROPZERO, cases)
        for scheme in gloo():
            yield from testbed.measure(scheme, [Case(size // 4, repetitions=20)])


def shm(folder: Path, size: int) -> Iterator[Measurement]:
    """Ports in shared memory, compared with veth pairs and Gloo."""
    dense = Case(size // 4, repetitions=20, in_place=True)
    cases = [dense, *(dense._replace(density=0.01, block=block) for block in (32, 256))]
    with Testbed(folder, 4, ports=PortKind.SHM) as shared, Testbed(folder, 4) as veth:
        for _ in range(3):
            for testbed in (shared, veth):
                yield from testbed.measure(Scheme.DROPZERO, cases)
            for scheme in gloo():
                yield from veth.measure(scheme, [dense])


def rates(folder: Path, size: int) -> Iterator[Measurement]:
    """Increasing link rates, compared with Gloo."""
    for rate in (100.0, 200.0, 400.0, 800.0):
        yield from measured(Testbed(folder, 4, rate=rate), [Case(size // 4)], Scheme.DROPZERO, *gloo())


def growth(folder: Path, size: int) -> Iterator[Measurement]:
    """Increasing sizes from 1 kB, four workers, links without a rate: time and memory."""
    sizes = [1 << 10, 16 << 10, 256 << 10, 4 * MEGABYTE, size, 4 * size]
    return measured(Testbed(folder, 4), [Case(each // 4) for each in sizes])


def memory(folder: Path, size: int) -> Iterator[Measurement]:
    """A worker's memory when the sum replaces its gradient."""
    cases = [Case(each * MEGABYTE // 4, repetitions=2, in_place=True) for each in (16, 100)]
    return measured(Testbed(folder, 4), cases)


def crowd(folder: Path, size: int) -> Iterator[Measurement]:
    """Two to 32 workers, links without a rate: the switch adds more, but each link carries the same."""
    for count in (2, 8, 32):
        yield from measured(Testbed(folder, count), [Case(MEGABYTE // 4, repetitions=2)])


def racks(folder: Path, size: int) -> Iterator[Measurement]:
    """2 and 32 workers on one switch, and 64 in racks of 8: 0.5 MB, at a rate for which two cores suffice."""
    for count, leaves in ((2, 1), (32, 1), (64, 8)):
        yield from measured(Testbed(folder, count, racks=leaves, rate=0.5), [Case(MEGABYTE // 8, repetitions=3)])


def jobs(folder: Path, size: int) -> Iterator[Measurement]:
    """1 to 64 jobs of two workers at once, links without a rate, 1 MB each."""
    return measured(Testbed(folder, 2), [Case(MEGABYTE // 4, jobs=count) for count in (1, 4, 16, 64)])


_ALL = (dense, sparse, overlap, workers, shards, small, loss, rates, unshaped, shm, growth, memory, crowd, racks, jobs)
SECTIONS: dict[str, Section] = {each.__name__: each for each in _ALL}
