"""Data-parallel SGD: the network adds the workers' compressed gradients, and all workers apply the same sum."""

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
from dropzero.problems.digits import CLASSES, PIXELS, Digits
from dropzero.problems.models import Mlp
from dropzero.protocol.wire import ELEMENTS
from dropzero.streams import stream

EVALUATE_EVERY = 10
"""Steps between two evaluations; one takes about as long as a gradient."""
MODEL = Mlp((PIXELS, 128, 64, CLASSES))
SECTIONS = 64
"""Sections of the tensor for which the density of blocks is measured."""


class Team(Protocol):
    """The methods of an elastic job's Communicator that training uses."""

    @property
    def state(self) -> Mapping[str, NDArray[Any]] | None:
        """The state that the others passed to `admit` when this worker entered; None if it was there from the start."""

    def admit(self, state: Mapping[str, ArrayLike], /) -> None:
        """Lets waiting workers in, with this state."""


@dataclass(frozen=True)
class Settings:
    """The settings that all workers of a run share.

    Attributes:
        steps: updates.
        seed: of the initial weights, the minibatches and the compression.
        compress: the compressor: see dropzero.compressors.spec and rules.
        batch: images per worker and step; None: 32, or all that a worker has.
        learning_rate: at the first step; it falls linearly to 0 over the run.
    """

    steps: int = 200
    seed: int = 0
    compress: str = density_spec(0.1)
    batch: int | None = None
    learning_rate: float = 0.5


@dataclass(frozen=True)
class Metrics:
    """One worker's measurements of one step.

    Attributes:
        step: updates applied, from 1.
        loss: mean cross-entropy (nats) of this worker's minibatch before the update.
        accuracy: on the held-out images after the update; None: not evaluated.
        bytes_sent, bytes_received, packets_sent, retransmissions: since the worker joined.
        congested: results with a congestion mark, since the worker joined.
        window: lanes that the worker keeps active.
        densities: of the worker's message; see `densities`.
        seconds: since training began.
    """

    step: int
    loss: float
    accuracy: float | None
    bytes_sent: int
    bytes_received: int
    packets_sent: int
    retransmissions: int
    congested: int
    window: int
    densities: str
    seconds: float


class Replica:
    """One worker's copy of the model, and its shard of the images.

    All replicas start with the same `parameters`, shape (d,), float32, and apply the same sums, so they stay equal.
    """

    def __init__(self, rank: int, size: int, settings: Settings, digits: Digits) -> None:
        """Takes the replica's shard. Raises ValueError if a setting is not possible with the others or the data."""
        self.size = size
        self.settings = settings
        self.digits = digits
        self.model = MODEL
        self.parameters = self.model.initial(settings.seed)
        self._shard = digits.training.shard(rank, size)
        self._batch = min(32, len(self._shard)) if settings.batch is None else settings.batch
        if not 1 <= self._batch <= len(self._shard):
            raise ValueError(f"batch of {self._batch} images, but each of {size} workers has {len(self._shard)}")
        self.rank = rank

    def rate(self, step: int) -> float:
        """The learning rate of step number `step`, from 0."""
        return self.settings.learning_rate * (1 - step / self.settings.steps)

    def loss_and_gradient(self, step: int) -> tuple[float, Vector]:
        """The mean cross-entropy (nats) of step `step`'s minibatch, and its gradient, shape (d,)."""
        draw = stream(self.settings.seed, "minibatches", self.rank, step)
        rows = draw.choice(len(self._shard), self._batch, replace=False)
        batch = self._shard[rows]
        return self.model.loss_and_gradient(self.parameters, batch.images, batch.labels)

    def apply(self, total: Vector, step: int) -> None:
        """Makes SGD step `step`, from 0. total: the sum of all replicas' gradients, shape (d,)."""
        self.parameters -= np.float32(self.rate(step) / self.size) * total

    def test_accuracy(self) -> float:
        """The fraction of held-out images that the model classifies correctly."""
        return self.model.accuracy(self.parameters, self.digits.held_out.images, self.digits.held_out.labels)

    def training_loss(self) -> float:
        """The mean cross-entropy (nats) over all workers' training images."""
        return self.model.loss(self.parameters, self.digits.training.images, self.digits.training.labels)

    def weights_sha256(self) -> str:
        """The hexadecimal SHA-256 of the parameters as little-endian float32."""
        return hashlib.sha256(self.parameters.astype("<f4").tobytes()).hexdigest()


def densities(message: Vector) -> str:
    """The share of blocks that a message, shape (d,), holds in each of SECTIONS equal sections of the tensor.

    Blocks have 32 elements; shorter tensors have a section for each block. Returns a byte for each section, in
    hexadecimal: 0 for no block, 255 for all of them.
    """
    held = np.logical_or.reduceat(message, np.arange(0, len(message), ELEMENTS))
    sections = min(SECTIONS, len(held))
    edges = np.arange(sections + 1) * len(held) // sections
    counts = np.add.reduceat(held, edges[:-1], dtype=np.int64)
    # Round up: a section that is not empty must not look empty.
    return np.ceil(255 * counts / np.diff(edges)).astype(np.uint8).tobytes().hex()


def train(replica: Replica, network: Collectives, team: Team | None = None) -> Iterator[Metrics]:
    """Trains a replica, and yields after each step.

    team: that of an elastic job. Workers enter it between two steps, and continue at the others' step.

    Raises:
        FloatingPointError: training has diverged.
        ValueError: the compressor's spec is wrong, or the job that this worker enters has other settings.
        ProtocolError: from the network.
    """
    settings = replica.settings
    compression = Compression(settings.compress, network, replica.model.named_parameters, seed=settings.seed)
    started = time.monotonic()
    steps = settings.steps
    described = np.array(str(settings))
    if team is not None and team.state is not None:
        if (theirs := str(team.state["settings"])) != str(described):
            raise ValueError(f"the job trains with {theirs}, this worker with {settings}")
        replica.parameters = team.state["weights"]
        compression.restore(team.state)
    for step in range(compression.step, steps):
        if team is not None:
            shared = compression.state(shared=True)
            team.admit({"weights": replica.parameters, "settings": described, **shared})
        loss, gradient = replica.loss_and_gradient(step)
        aggregate = compression.aggregate(gradient[np.newaxis], rate=replica.rate(step))
        replica.apply(aggregate.total, step)
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
            congested=counts["congested"],
            window=counts["window"],
            densities=densities(aggregate.sent[0]),
            seconds=time.monotonic() - started,
        )
