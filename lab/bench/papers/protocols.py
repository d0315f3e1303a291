"""SwitchML's times by its own protocol, examples/protocols/switchml: over workers, slots of its pool, and loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import log, sqrt
from pathlib import Path

from dropzero.ina import virtual
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.window import CHUNK
from dropzero.protocol.wire import OUTER_BYTES
from dropzero.simulator.kernel.links import Quality
from dropzero.softswitch.engine.wire import SECOND
from lab.bench.papers.chart import Curve, Kind, Panel
from lab.bench.papers.runs import DELAY, GIGABIT, links
from lab.bench.papers.switchml import FIGURE, SWITCHML

FOLDER = Path(__file__).parents[3] / "examples" / "protocols" / "switchml"
PACKET = OUTER_BYTES + 9 + 4 * CHUNK
"""Bytes, from the Ethernet header on."""
WORKERS = (2, 4, 8, 16)
POOLS = (1, 2, 4, 8, 16, 32, 64, 128)
LOSSES = (0.0, 1e-4, 1e-3, 1e-2)
TIMEOUT = 0.001
"""Seconds, of SwitchML's timer."""


@cache
def simulated(quality: Quality, workers: int, size: int, pool: int) -> float:
    """Return the virtual time of an all-reduce of `size` bytes, in seconds. Raises AuditError if a sum is wrong."""
    folder = Folder(FOLDER)
    protocol = folder.protocol(workers, {"pool": str(pool), "timeout": f"{TIMEOUT}s"})
    return virtual.run(folder, protocol, size // 4, Conditions(quality)).seconds


def seconds(workers: int, gigabits: int, size: int, pool: int, loss: float = 0.0) -> float:
    """Return the same on links of a rate in Gbit/s."""
    return simulated(links(gigabits, loss), workers, size, pool)


def curves(
    size: int, counts: Sequence[int] = WORKERS, pools: Sequence[int] = POOLS, losses: Sequence[float] = LOSSES
) -> list[Panel]:
    """SwitchML by its own P4 program: elements a second over workers, time over slots, time over loss."""
    rates = [(count, size / 4e6 / seconds(count, 100, size, 512)) for count in counts]
    published = Curve("SwitchML, RDMA", Kind.PUBLISHED, SWITCHML, 1, FIGURE)
    workers = [Curve("its protocol", Kind.SIMULATED, rates), published]
    by_pool, by_loss = [], []
    for colour, gigabits in enumerate((10, 100)):
        by_pool += [
            Curve(f"{gigabits} Gbit/s", kind, [(pool, 1e3 * time(gigabits, size, pool)) for pool in pools], colour)
            for kind, time in ((Kind.SIMULATED, partial(seconds, 4)), (Kind.FORMULA, least))
        ]
    for colour, count in enumerate((2, 8)):
        for kind, over_loss in ((Kind.SIMULATED, seconds), (Kind.FORMULA, with_loss)):
            points = [(100 * loss, 1e3 * over_loss(count, 10, size, 128, loss)) for loss in losses]
            by_loss.append(Curve(f"{count} workers", kind, points, colour))
    return [
        Panel("SwitchML's protocol, 100 Gbit/s", "workers", "million elements per second", workers, "x", counts),
        Panel("4 workers, 1 us links", "slots", "ms", by_pool, "xy", pools),
        Panel("10 Gbit/s, 128 slots, a timer of 1 ms", "packets that each link loses, %", "ms", by_loss),
    ]


def least(gigabits: int, size: int, pool: int) -> float:
    """Return the seconds that the links take, or the slots: each has one packet in a round trip."""
    packet = 8 * PACKET / (gigabits * GIGABIT)
    packets = size / (4 * CHUNK)
    return max(packets * packet, packets / pool * (2 * DELAY / SECOND + 2 * packet))


def with_loss(workers: int, gigabits: int, size: int, pool: int, loss: float) -> float:
    """Return about the seconds of the slot that loses most: in a round, the packets of all workers must come through,
    up and down, or a timer goes off. Losses hit slots unevenly, and no slot helps another."""
    rounds = size / (4 * CHUNK) / pool
    hits = rounds * (1 - (1 - loss) ** (2 * workers))
    trip = 2 * DELAY / SECOND + 2 * 8 * PACKET / (gigabits * GIGABIT)
    return max(least(gigabits, size, pool), rounds * trip + TIMEOUT * (hits + sqrt(2 * hits * log(pool))))
