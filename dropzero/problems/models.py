"""Models: functions of one flat parameter vector, so that a gradient is one vector to reduce."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.rules import Parameter
from dropzero.streams import stream

# float32 in training; float64 in tests that need the precision.
Floats = NDArray[np.floating[Any]]


class Layered(ABC):
    """A classifier of layers in one vector of `size` elements, each of weights (inputs, outputs) in row-major order and
    then biases. All methods compute in the dtype of the parameters. A label is the number of a class."""

    def __init__(self, shapes: list[tuple[int, int]], names: list[str] | None = None) -> None:
        """shapes: of the weights. names: of the layers; None: layer1, layer2, ..."""
        self.shapes = shapes
        self._names = names or [f"layer{number}" for number in range(1, len(shapes) + 1)]
        self.size = self.parts[-1].stop

    def initial(self, seed: int) -> NDArray[np.float32]:
        """Parameters to start from: weights N(0, 1 / inputs) ([BackProp] section 4.6), biases 0."""
        generator = stream(seed, "weights")
        parameters = np.zeros(self.size, np.float32)
        for weights, _ in self.layers(parameters):
            weights[:] = generator.standard_normal(weights.shape) * np.sqrt(1 / len(weights))
        return parameters

    @property
    def named_parameters(self) -> list[Parameter]:
        """What the vector consists of, in order."""
        return [
            parameter
            for name, shape in zip(self._names, self.shapes, strict=True)
            for parameter in (Parameter(f"{name}.weight", shape), Parameter(f"{name}.bias", shape[1:]))
        ]

    @property
    def parts(self) -> list[slice]:
        """The layers' places in the vector."""
        ends = list(accumulate((inputs * outputs + outputs for inputs, outputs in self.shapes), initial=0))
        return [slice(start, end) for start, end in pairwise(ends)]

    def layers(self, parameters: Floats) -> list[tuple[Floats, Floats]]:
        """Views (weights, biases) of `parameters`, one pair a layer: writing to them writes to the vector."""
        views = []
        for shape, part in zip(self.shapes, self.parts, strict=True):
            weights, biases = np.split(parameters[part], [prod(shape)])
            views.append((weights.reshape(shape), biases))
        return views

    def loss(self, parameters: Floats, inputs: NDArray[Any], labels: NDArray[np.int64]) -> float:
        """Mean cross-entropy (nats) of the labels."""
        return loss_and_delta(self._forward(parameters, inputs)[-1], labels)[0]

    def accuracy(self, parameters: Floats, inputs: NDArray[Any], labels: NDArray[np.int64]) -> float:
        """Fraction of the labels that are the most likely class."""
        return float((self._forward(parameters, inputs)[-1].argmax(axis=-1) == labels).mean())

    @abstractmethod
    def _forward(self, parameters: Floats, inputs: Any) -> Any:
        """What the gradient needs, and last the logits (*labels.shape, classes)."""


class Mlp(Layered):
    """Multi-layer perceptron: tanh between the layers, softmax cross-entropy on top.

    Uses tanh because it is smooth: at ReLU's kink, the last bit of a sum decides whether a unit passes a gradient or
    none, so runs that differ only in rounding could diverge."""

    def __init__(self, widths: tuple[int, ...] = (64, 128, 64, 10)) -> None:
        """widths: units of every layer, from the inputs to the classes."""
        super().__init__(list(pairwise(widths)))

    def loss_and_gradient(self, parameters: Floats, images: Floats, labels: NDArray[np.int64]) -> tuple[float, Floats]:
        """Mean cross-entropy (nats) of a batch of n `images` (n, inputs), and its gradient in the parameters' shape."""
        activations = self._forward(parameters, images)
        loss, delta = loss_and_delta(activations[-1], labels)
        gradient = np.empty_like(parameters)
        layers = zip(self.layers(parameters), self.layers(gradient), activations[:-1], strict=True)
        for (weights, _), views, inputs in reversed(list(layers)):
            write_dense(views, inputs, delta)
            # Not needed below the first layer, where `inputs` are the images, but cheap.
            delta = (delta @ weights.T) * (1 - np.square(inputs))
        return loss, gradient

    def _forward(self, parameters: Floats, images: Floats) -> list[Floats]:
        """The images, the activations of every hidden layer, and the logits."""
        activations = [images]
        *hidden, (weights, biases) = self.layers(parameters)
        for hidden_weights, hidden_biases in hidden:
            activations.append(np.tanh(activations[-1] @ hidden_weights + hidden_biases))
        activations.append(activations[-1] @ weights + biases)
        return activations


def loss_and_delta(logits: Floats, labels: NDArray[np.int64]) -> tuple[float, Floats]:
    """Mean cross-entropy (nats), and its gradient in the shape of `logits` (*labels.shape, classes)."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    likelihood = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    at = labels[..., np.newaxis]
    delta = np.exp(likelihood) - (at == np.arange(logits.shape[-1]))
    return -float(np.take_along_axis(likelihood, at, -1).mean()), delta / labels.size


def write_dense(views: tuple[Floats, Floats], inputs: Floats, delta: Floats) -> None:
    """Writes the gradients of a layer's weights and biases, from its inputs and the outputs' gradient, (..., units)."""
    rows = delta.reshape(-1, delta.shape[-1])
    np.matmul(inputs.reshape(len(rows), -1).T, rows, out=views[0])
    np.sum(rows, axis=0, out=views[1])
