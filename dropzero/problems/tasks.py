"""Training tasks by name: a model, training examples, and test examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.rules import Parameter
from dropzero.problems import clicks, digits, transformer, words
from dropzero.problems.cnn import Cnn
from dropzero.problems.digits import CLASSES, PIXELS, Examples
from dropzero.problems.models import Floats, Mlp


class Model(Protocol):
    """A function of a flat parameter vector of `size` elements; inputs and labels have a row per example."""

    size: int

    @property
    def named_parameters(self) -> list[Parameter]: ...
    @property
    def parts(self) -> list[slice]: ...
    def initial(self, seed: int) -> NDArray[np.float32]: ...
    def loss_and_gradient(self, parameters: Floats, inputs: Any, labels: NDArray[np.int64]) -> tuple[float, Floats]: ...
    def loss(self, parameters: Floats, inputs: Any, labels: NDArray[np.int64]) -> float: ...
    def accuracy(self, parameters: Floats, inputs: Any, labels: NDArray[np.int64]) -> float: ...


@dataclass(frozen=True)
class Task:
    """A training task. learning_rate: works well for plain SGD with minibatches of `batch` examples per worker."""

    model: Model
    training: Examples
    held_out: Examples
    learning_rate: float
    batch: int


def _mlp() -> Task:
    data = digits.load()
    return Task(Mlp((PIXELS, 128, 64, CLASSES)), data.training, data.held_out, 0.5, 32)


def _cnn() -> Task:
    data = digits.load()
    return Task(Cnn(), data.training, data.held_out, 0.5, 32)


def _words() -> Task:
    vocabulary, pairs, labels = words.text()
    examples = Examples(pairs, labels)
    model = words.Words(vocabulary)
    return Task(model, examples[words.HELD_OUT :], examples[: words.HELD_OUT], 200.0, 128)


def _clicks() -> Task:
    examples = Examples(*clicks.pairs())
    return Task(words.Words(clicks.IDS), examples[clicks.HELD_OUT :], examples[: clicks.HELD_OUT], 50.0, 128)


def _characters() -> Task:
    windows = Examples(*transformer.text())
    held_out = transformer.HELD_OUT
    return Task(transformer.Transformer(), windows[held_out:], windows[:held_out], 0.3, 8)


TASKS: dict[str, Callable[[], Task]] = {
    "mlp": _mlp,
    "cnn": _cnn,
    "words": _words,
    "clicks": _clicks,
    "characters": _characters,
}


def task(name: str) -> Task:
    """The task with a name. Raises ValueError, which lists all names."""
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}: {', '.join(TASKS)} can be trained")
    return TASKS[name]()
