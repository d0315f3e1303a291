"""The outcome of a run in which every sum is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from dropzero.ina.audit import Audit
from dropzero.ina.protocol import Protocol, Tensor, Worker
from dropzero.softswitch.engine.wire import SECOND
from dropzero.streams import stream

PATIENCE = 10 * SECOND
"""Nanoseconds without progress after which a run is given up, once all workers have started."""


def tensors(protocol: Protocol, elements: int, seed: int) -> list[Tensor]:
    """Random tensors, one for each worker. Sums of int32 wrap around, in the switch and in numpy."""
    bounds = np.iinfo(np.int32)
    return [
        stream(seed, "tensors", rank).integers(bounds.min, bounds.max, elements, np.int32, endpoint=True)
        for rank in range(protocol.workers)
    ]


@dataclass(frozen=True)
class Outcome:
    """What a run has shown.

    Attributes:
        seconds: from the start until all workers have their sums.
        packets: checked: those that hosts sent, and those that the switch sent to hosts.
        sums: those of them that claimed a sum of several workers.
        whole: the share of elements, of all workers, that are the sum of all workers' elements.
        identical: whether all workers have the same sum.
    """

    seconds: float
    packets: int
    sums: int
    whole: float
    identical: bool

    @classmethod
    def of(cls, workers: Sequence[Worker], protocol: Protocol, seconds: float, audit: Audit) -> Self:
        """Audits the sums of the workers that are left. Raises AuditError."""
        for worker in workers:
            audit.worker(worker)
        everyone = (1 << protocol.workers) - 1
        whole = float(np.mean([worker.contributors == everyone for worker in workers]))
        identical = all(np.array_equal(worker.total, workers[0].total) for worker in workers)
        return cls(seconds, audit.packets, audit.sums, whole, identical)
