"""SwitchML's curves: aggregated elements per second over workers; time over slots; goodput over packet sizes; loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES, PACKET_ELEMENTS
from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.formulas import Scheme, efficiency
from dropzero.simulator.simulation import Plan
from dropzero.softswitch.engine.wire import SECOND
from lab.bench.papers.chart import Curve, Kind, Panel
from lab.bench.papers.runs import DELAY, GIGABIT, checked, links, run

FIGURE = "read off docs/img/benchmark.png of p4lang/p4app-switchML at b5c74a0, 100 Gbit/s RDMA, to about 10 million"
SWITCHML = ((4, 2830), (8, 2820), (16, 2810))
NCCL = ((4, 1380), (8, 1250), (16, 970))
"""(workers, million elements per second)."""
MPITOFINO = ((2, 1398), (3, 1382), (4, 1417))
OPENMPI = ((2, 408), (3, 211), (4, 187))
MPITOFINO_SOURCE = "evaluation/bandwidth_comparison.py of erbth/mpitofino at 67a91f1, 100 Gbit/s RDMA: bytes over 4"

HEADERS = "headers of p4lang/p4app-switchML at b5c74a0 (dev_root/p4/headers.p4): 52 bytes per packet"
GOODPUTS = tuple((elements, 4 * elements / (4 * elements + 52)) for elements in (64, 256))
"""(elements of a packet, their share of SwitchML's packet, from the Ethernet header on)."""
WORKERS = (2, 4, 8, 16, 32)
SLOTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LOSSES = (0.0, 1e-4, 1e-3, 1e-2)
SEEDS = 3
"""Random seeds for each loss rate. Timelines use the first."""
BIN = 0.002
"""The least time between two points of the timeline, seconds."""


def workers(size: int, counts: Sequence[int] = WORKERS) -> list[Panel]:
    """Million elements per second over workers, at 100 Gbit/s."""

    def rates(scheme: Scheme, *, formula: bool = False) -> list[tuple[float, float]]:
        results = [run(Plan(count, 1, links(100), size, scheme=scheme)) for count in counts]
        seconds = (each.formula_seconds if formula else each.seconds for each in results)
        return [(count, size / 4e6 / each) for count, each in zip(counts, seconds, strict=True)]

    curves = [
        Curve("Dropzero", Kind.SIMULATED, rates(Scheme.DROPZERO)),
        Curve("Dropzero, formula", Kind.FORMULA, rates(Scheme.DROPZERO, formula=True)),
        Curve("ring", Kind.SIMULATED, rates(Scheme.RING), 1),
        Curve("ring, formula", Kind.FORMULA, rates(Scheme.RING, formula=True), 1),
        Curve("SwitchML, RDMA", Kind.PUBLISHED, SWITCHML, 0, FIGURE),
        Curve("NCCL, RDMA", Kind.PUBLISHED, NCCL, 1, FIGURE),
        Curve("mpitofino, RDMA", Kind.PUBLISHED, MPITOFINO, 2, MPITOFINO_SOURCE),
        Curve("OpenMPI", Kind.PUBLISHED, OPENMPI, 3, MPITOFINO_SOURCE),
    ]
    return [Panel("100 Gbit/s", "workers", "million elements per second", curves, "x", counts)]


def slots(size: int, counts: Sequence[int] = SLOTS, rates: Sequence[int] = (10, 100)) -> list[Panel]:
    """Time over slots for 8 workers, as a multiple of the formula for unlimited slots."""
    curves = []
    for colour, rate in enumerate(rates):
        plan = Plan(8, 1, links(rate), size)
        packet = (OUTER_BYTES + MAX_PAYLOAD) * 8 / (rate * GIGABIT)
        round_trip = 2 * (DELAY / SECOND + packet)
        simulated = [(count, run(replace(plan, lanes=count)).seconds / plan.formula_seconds) for count in counts]
        packets = size / 4 / PACKET_ELEMENTS
        few = [(count, max(1.0, packets / count * round_trip / plan.formula_seconds)) for count in counts]
        curves += [
            Curve(f"{rate} Gbit/s", Kind.SIMULATED, simulated, colour),
            Curve(f"{rate} Gbit/s, formula", Kind.FORMULA, few, colour),
        ]
    return [Panel("8 workers, 1 us links", "slots", "time over the formula", curves, "xy", counts)]


def packets(size: int, blocks: Sequence[int] = (32, 64, 128, 256)) -> list[Panel]:
    """Goodput over the elements that share a header, for 8 workers at 10 Gbit/s."""
    plan = Plan(8, 1, links(10), size)
    least = size * 8 / plan.quality.rate
    simulated = [(block, least / run(replace(plan, block=block)).seconds) for block in blocks]
    curves = [
        Curve("Dropzero, blocks", Kind.SIMULATED, simulated),
        Curve("Dropzero, formula", Kind.FORMULA, [(block, efficiency(block)) for block in blocks]),
        Curve("SwitchML, packets", Kind.PUBLISHED, GOODPUTS, 1, HEADERS),
    ]
    share = "share of gradient in a link's bytes"
    return [Panel("8 workers, 10 Gbit/s", "elements of a block, or packet", share, curves, "x", blocks)]


def loss(size: int, losses: Sequence[float] = LOSSES) -> list[Panel]:
    """A worker's sending rate over time, for 8 workers at 10 Gbit/s; and the time over loss."""
    plan = Plan(8, 1, links(10), size)
    timelines = []
    times: dict[Scheme, list[list[float]]] = {Scheme.DROPZERO: [], Scheme.RING: []}
    for colour, share in enumerate(losses):
        lossy = replace(plan, quality=links(10, share))
        points, seconds = _timeline(lossy)
        timelines.append(Curve(f"{100 * share:g} % lost", Kind.SIMULATED, points, colour))
        for scheme, milliseconds in times.items():
            first = [seconds] if scheme is Scheme.DROPZERO else []
            # Without losses, all seeds take the same time.
            seeds = range(len(first), SEEDS if share else 1)
            others = (run(replace(lossy, scheme=scheme, seed=seed)).seconds for seed in seeds)
            milliseconds.append([1e3 * each for each in (*first, *others)])
    by_scheme = []
    for colour, (scheme, milliseconds) in enumerate(times.items()):
        medians = [(100 * share, median(each)) for share, each in zip(losses, milliseconds, strict=True)]
        spread = [(min(each), max(each)) for each in milliseconds]
        by_scheme.append(Curve(scheme.replace("drop", "Drop"), Kind.SIMULATED, medians, colour, spread=spread))
    title = f"8 workers, 10 Gbit/s: time until all have their sums; median and range of {SEEDS} seeds"
    return [
        Panel("8 workers, 10 Gbit/s: one worker's link over time", "ms (logarithmic)", "Gbit/s", timelines, "x"),
        Panel(title, "packets that each link loses, %", "ms", by_scheme),
    ]


def _timeline(plan: Plan) -> tuple[list[tuple[float, float]], float]:
    """Return (milliseconds, Gbit/s) points of the first worker's link, and the seconds of the all-reduce."""
    simulated = simulation(plan)
    network = simulated.network
    seen = [(0.0, 0)]

    def look() -> None:
        if network.time / SECOND >= seen[-1][0] + BIN:
            seen.append((network.time / SECOND, int(network.links("from hosts")["bytes"][0])))

    result = checked(simulated.run(look))
    seen.append((result.seconds, int(network.links("from hosts")["bytes"][0])))
    rates = [
        (1e3 * end, 8e-9 * (sent - before) / (end - begin))
        for (begin, before), (end, sent) in pairwise(seen)
        if end > begin
    ]
    return rates, result.seconds
