"""Data-parallel SGD: every worker sends what its sparsifier leaves of its gradient, and all apply the same sum."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from worker.digits import CLASSES, PIXELS, Digits
from worker.memory import ErrorFeedback, Memory, NoMemory
from worker.models import Mlp
from worker.sparsifiers import BlockTopK, Dense, Sparsifier, Vector

# One evaluation takes about as long as one gradient.
EVALUATE_EVERY = 10


class Reducer(Protocol):
    """The network, as training sees it; `statistics` has the counts of `Metrics` by name."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def statistics(self) -> Mapping[str, int]: ...
    def all_reduce(self, x: Vector, /, *, block: int) -> Vector:
        """The sum of `x` (1-D float32, the same length everywhere) over the workers, bit for bit the same on each."""


@dataclass(frozen=True)
class Settings:
    """What all workers of a run agree on.

    `steps`: updates; `seed`: of the initial weights and the minibatches; `density`: fraction of the blocks that a
    worker sends in a step, 1 for all of them; `block`: elements; `batch`: images a worker and step; `learning_rate`: at
    the first step, from where it falls linearly towards 0 over the run.
    """

    steps: int = 200
    seed: int = 0
    density: float = 0.1
    block: int = 32
    batch: int = 32
    learning_rate: float = 0.5


@dataclass(frozen=True)
class Metrics:
    """One worker after one step.

    `step`: updates applied, from 1; `loss`: of this worker's minibatch, before the update; `accuracy`: on the held-out
    images, after it, None where it was not evaluated; the counts: totals since the reducer was opened; `seconds`: since
    training began.
    """

    step: int
    loss: float
    accuracy: float | None
    bytes_sent: int
    bytes_received: int
    packets_sent: int
    retransmissions: int
    seconds: float


class Replica:
    """One worker's copy of the model, its shard of the images and its memory.

    All replicas start from the same `parameters` ((d,) float32) and `apply` the same sums, so they stay identical.
    """

    def __init__(self, rank: int, size: int, settings: Settings, digits: Digits) -> None:
        """Raises ValueError, naming the setting, when `settings` do not fit each other or the data."""
        self.size = size
        self.settings = settings
        self.digits = digits
        self.model = Mlp((PIXELS, 128, 64, CLASSES))
        self.parameters = self.model.initial(settings.seed)
        self._shard = digits.training.shard(rank, size)
        if not 1 <= settings.batch <= len(self._shard):
            raise ValueError(f"batch of {settings.batch} images, but each of {size} workers has {len(self._shard)}")
        self._generator = np.random.default_rng([settings.seed, rank])
        self._sparsifier: Sparsifier = Dense()
        self._memory: Memory = NoMemory()
        if settings.density != 1:
            self._sparsifier = BlockTopK(settings.density, settings.block)
            self._memory = ErrorFeedback(self.model.size)

    def contribution(self) -> tuple[float, Vector]:
        """The loss of the next minibatch, and what to send of its gradient.

        Raises FloatingPointError when training has diverged.
        """
        rows = self._generator.choice(len(self._shard), self.settings.batch, replace=False)
        batch = self._shard[rows]
        loss, gradient = self.model.loss_and_gradient(self.parameters, batch.images, batch.labels)
        compensated = self._memory.compensate(gradient)
        sent = self._sparsifier.compress(compensated)
        self._memory.update(compensated, sent)
        return loss, sent

    def apply(self, total: Vector, step: int) -> None:
        """Takes SGD's step number `step`, from 0, along `total`, the sum of all replicas' contributions."""
        rate = self.settings.learning_rate * (1 - step / self.settings.steps)
        self.parameters -= np.float32(rate / self.size) * total

    def test_accuracy(self) -> float:
        """Fraction of the held-out images that the model names rightly."""
        return self.model.accuracy(self.parameters, self.digits.held_out.images, self.digits.held_out.labels)

    def training_loss(self) -> float:
        """Mean cross-entropy (nats) over all training images, those of the other workers too."""
        return self.model.loss(self.parameters, self.digits.training.images, self.digits.training.labels)

    def weights_sha256(self) -> str:
        """Hexadecimal digest of the parameters as little-endian float32."""
        return hashlib.sha256(self.parameters.astype("<f4").tobytes()).hexdigest()


def train(replica: Replica, reducer: Reducer) -> Iterator[Metrics]:
    """Trains `replica` for its settings' steps, yielding after each. What the reducer raises passes through."""
    started = time.monotonic()
    steps = replica.settings.steps
    for step in range(steps):
        loss, sent = replica.contribution()
        replica.apply(reducer.all_reduce(sent, block=replica.settings.block), step)
        due = (step + 1) % EVALUATE_EVERY == 0 or step + 1 == steps
        counts = reducer.statistics
        yield Metrics(
            step=step + 1,
            loss=loss,
            accuracy=replica.test_accuracy() if due else None,
            bytes_sent=counts["bytes_sent"],
            bytes_received=counts["bytes_received"],
            packets_sent=counts["packets_sent"],
            retransmissions=counts["retransmissions"],
            seconds=time.monotonic() - started,
        )
