"""Data-parallel SGD: the workers' gradients are added up, compressed, and all apply the same sum."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.network import Collectives
from dropzero.compressors.spec import density_spec
from dropzero.compressors.vectors import Vector
from dropzero.worker.digits import CLASSES, PIXELS, Digits
from dropzero.worker.models import Mlp

# One evaluation takes about as long as one gradient.
EVALUATE_EVERY = 10


class Team(Protocol):
    """A job that workers may enter while it runs: an elastic one's Communicator."""

    @property
    def state(self) -> Mapping[str, NDArray[Any]] | None:
        """What the others gave when this worker entered; None for one of the first."""

    def admit(self, state: Mapping[str, ArrayLike], /) -> None:
        """Lets those in that wait for it, and gives them this."""


@dataclass(frozen=True)
class Settings:
    """What all workers of a run agree on.

    `steps`: updates; `seed`: of the initial weights, the minibatches and the compression; `compress`: the spec of that
    (see `dropzero.compressors.spec`); `batch`: images a worker and step; `learning_rate`: at the first step, from
    where it falls linearly towards 0 over the run.
    """

    steps: int = 200
    seed: int = 0
    compress: str = density_spec(0.1)
    batch: int = 32
    learning_rate: float = 0.5


@dataclass(frozen=True)
class Metrics:
    """One worker after one step.

    `step`: updates applied, from 1; `loss`: of this worker's minibatch, before the update; `accuracy`: on the held-out
    images, after it, None where it was not evaluated; the counts: totals since the network was joined; `seconds`: since
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
    """One worker's copy of the model, and its shard of the images.

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

    def loss_and_gradient(self) -> tuple[float, Vector]:
        """Of the next minibatch."""
        rows = self._generator.choice(len(self._shard), self.settings.batch, replace=False)
        batch = self._shard[rows]
        return self.model.loss_and_gradient(self.parameters, batch.images, batch.labels)

    def apply(self, total: Vector, step: int) -> None:
        """Takes SGD's step number `step`, from 0, along `total`, the sum of all replicas' gradients."""
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


def train(replica: Replica, network: Collectives, team: Team | None = None) -> Iterator[Metrics]:
    """Trains `replica` for its settings' steps, yielding after each. In an elastic job, whose `team` it is of, workers
    are let in between two steps, and one that was goes on from where the others are.

    Raises FloatingPointError when training has diverged, ValueError for a wrong spec; what the network raises passes
    through.
    """
    settings = replica.settings
    compression = Compression(settings.compress, network, replica.model.size, seed=settings.seed)
    started = time.monotonic()
    steps = settings.steps
    if team is not None and team.state is not None:
        replica.parameters, compression.step = team.state["weights"], int(team.state["step"])
    for step in range(compression.step, steps):
        if team is not None:
            team.admit({"weights": replica.parameters, "step": step})
        loss, gradient = replica.loss_and_gradient()
        replica.apply(compression.aggregate(gradient[np.newaxis]).total, step)
        due = (step + 1) % EVALUATE_EVERY == 0 or step + 1 == steps
        counts = network.statistics
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
