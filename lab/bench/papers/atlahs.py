"""All-reduces in atlahs-inc, another simulator of aggregation in switches, and here, on the same links."""

from __future__ import annotations

from dropzero.simulator.formulas import Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from lab.bench.papers import protocols
from lab.bench.papers.chart import Curve, Kind, Panel
from lab.bench.papers.runs import run

HOSTS = 16
SOURCE = (
    "sim/htsim-backend/sim/datacenter/allreduce_ab/results_crossbar_msgsweep.csv of miharulidze/atlahs-inc at 57f2016"
)
SIZES = (4, 16, 64, 256, 1024, 4096)
PUBLISHED = {
    "INC": (1417, 1442, 1542, 1941, 3539, 9929),
    "ring": (78507, 78507, 78507, 79256, 84754, 316806),
    "halving-doubling": (20936, 20952, 21119, 24655, 63409, 242367),
}
"""Nanoseconds at these sizes, in KiB."""
LINKS = Quality(round(492.3 * 8e9), 650)
"""Its bytes in a nanosecond, and half of its way from host to host, with the switch."""
POOL = 512


def curves(size: int) -> list[Panel]:
    """Time of 16 hosts' all-reduces of up to `size` bytes, on links of 3.9 Tbit/s."""
    sizes = [each for each in SIZES if 1024 * each <= size]
    times = {
        scheme.replace("drop", "Drop"): [
            run(Plan(HOSTS, 1, LINKS, 1024 * each, scheme=scheme)).seconds for each in sizes
        ]
        for scheme in (Scheme.DROPZERO, Scheme.RING, Scheme.HALVING_DOUBLING)
    }
    times["SwitchML"] = [protocols.simulated(LINKS, HOSTS, 1024 * each, POOL) for each in sizes]
    colours = {"Dropzero": 0, "ring": 1, "halving-doubling": 2, "SwitchML": 3, "INC": 4}
    found = [
        Curve(name, Kind.SIMULATED, [(each, 1e6 * time) for each, time in zip(sizes, mine, strict=True)], colours[name])
        for name, mine in times.items()
    ]
    for name, theirs in PUBLISHED.items():
        points = [(each, time / 1000) for each, time in zip(sizes, theirs, strict=False)]
        found.append(Curve(f"{name}, atlahs-inc", Kind.PUBLISHED, points, colours[name], SOURCE))
    return [Panel(f"{HOSTS} hosts, 3.9 Tbit/s, 1.3 us from host to host", "KiB", "us", found, "xy", sizes)]
