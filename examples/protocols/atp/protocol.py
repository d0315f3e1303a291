"""ATP (Lao et al., NSDI'21) in one rack: aggregators by hash, and a parameter server for what collides."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.ina.fallback import Fallback


@dataclass(frozen=True)
class ATP(Fallback):
    """aggregators: of all jobs. window: packets of a worker in flight. timeout: until a worker sends one again."""

    port = 0xA790
