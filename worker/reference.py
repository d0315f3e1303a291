"""The same training without a network: all replicas in one process, their contributions summed as floats."""

from __future__ import annotations

import numpy as np

from worker.digits import Digits
from worker.training import Replica, Settings


def train_in_process(size: int, settings: Settings, digits: Digits) -> list[Replica]:
    """The `size` replicas after training in lockstep; the sums are taken in float32, in the order of the ranks."""
    replicas = [Replica(rank, size, settings, digits) for rank in range(size)]
    for step in range(settings.steps):
        total = np.sum([replica.contribution()[1] for replica in replicas], axis=0)
        for replica in replicas:
            replica.apply(total, step)
    return replicas
