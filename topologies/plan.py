"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from topologies.kind import Kind


@dataclass(frozen=True)
class Plan:
    """The options of `dropzero run`.

    `density`: fraction of the gradient's blocks that a worker sends in a step, 1 for all; `loss`: probability that a
    link loses a packet, in each direction; `rate`: of each link and direction in Mbit/s, None for no limit; `pcap`:
    capture every port of the switch; `out`: the folder that gets all files of the run.
    """

    out: Path
    workers: int = 4
    density: float = 0.1
    loss: float = 0.0
    rate: float | None = None
    switch: Kind = Kind.AUTO
    steps: int = 200
    seed: int = 0
    pcap: bool = False
