"""The same training without a network: all replicas in one process."""

from __future__ import annotations

import numpy as np

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.problems.digits import Digits
from dropzero.training.replica import Replica, Settings


def train_in_process(
    size: int, settings: Settings, digits: Digits, network: InProcessNetwork | None = None
) -> list[Replica]:
    """Trains `size` replicas in lockstep, and returns them. The sums of an InProcessNetwork equal a switch's, to the
    last bit."""
    replicas = [Replica(rank, size, settings, digits) for rank in range(size)]
    compression = Compression(
        settings.compress, network or InProcessNetwork(size), replicas[0].model.named_parameters, seed=settings.seed
    )
    for step in range(settings.steps):
        gradients = np.stack([replica.loss_and_gradient(step)[1] for replica in replicas])
        total = compression.aggregate(gradients, rate=replicas[0].rate(step)).total
        for replica in replicas:
            replica.apply(total, step)
    return replicas
