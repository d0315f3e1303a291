"""Models: functions of one flat parameter vector, so that a gradient is one vector to reduce."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.streams import stream

# float32 in training; float64 in tests that need the precision.
Floats = NDArray[np.floating[Any]]


class Layered:
    """Layers in one vector of `size` elements, each of weights (inputs, outputs) in row-major order and then biases."""

    def __init__(self, shapes: list[tuple[int, int]]) -> None:
        self.shapes = shapes
        self.size = sum(inputs * outputs + outputs for inputs, outputs in shapes)

    def initial(self, seed: int) -> NDArray[np.float32]:
        """Parameters to start from: weights N(0, 1 / inputs) ([BackProp] section 4.6), biases 0."""
        generator = stream(seed, "weights")
        parameters = np.zeros(self.size, np.float32)
        for weights, _ in self.layers(parameters):
            weights[:] = generator.standard_normal(weights.shape) * np.sqrt(1 / len(weights))
        return parameters

    @property
    def parts(self) -> list[slice]:
        """The layers' places in the vector."""
        ends = list(accumulate((inputs * outputs + outputs for inputs, outputs in self.shapes), initial=0))
        return [slice(start, end) for start, end in pairwise(ends)]

    def layers(self, parameters: Floats) -> list[tuple[Floats, Floats]]:
        """Views (weights, biases) of `parameters`, one pair a layer: writing to them writes to the vector."""
        views, start = [], 0
        for inputs, outputs in self.shapes:
            middle = start + inputs * outputs
            end = middle + outputs
            views.append((parameters[start:middle].reshape(inputs, outputs), parameters[middle:end]))
            start = end
        return views


class Mlp(Layered):
    """Multi-layer perceptron: tanh between the layers, softmax cross-entropy on top.

    Uses tanh because it is smooth: at ReLU's kink, the last bit of a sum decides whether a unit passes a gradient or
    none, so runs that differ only in rounding could diverge.

    The parameter vector holds, layer by layer, the weights (inputs, outputs) in row-major order and then the biases.
    All methods compute in the dtype of the parameters.
    """

    def __init__(self, widths: tuple[int, ...] = (64, 128, 64, 10)) -> None:
        """widths: units of every layer, from the inputs to the classes."""
        super().__init__(list(pairwise(widths)))

    def loss_and_gradient(self, parameters: Floats, images: Floats, labels: NDArray[np.int64]) -> tuple[float, Floats]:
        """Mean cross-entropy (nats) of a batch of n `images` (n, inputs), and its gradient in the parameters' shape."""
        activations = self._forward(parameters, images)
        log_likelihood = _log_softmax(activations[-1])
        rows = np.arange(len(labels))
        loss = -float(log_likelihood[rows, labels].mean())

        gradient = np.empty_like(parameters)
        delta = np.exp(log_likelihood)
        delta[rows, labels] -= 1
        delta /= len(labels)
        layers = zip(self.layers(parameters), self.layers(gradient), activations[:-1], strict=True)
        for (weights, _), (weights_gradient, biases_gradient), inputs in reversed(list(layers)):
            np.matmul(inputs.T, delta, out=weights_gradient)
            np.sum(delta, axis=0, out=biases_gradient)
            # Not needed below the first layer, where `inputs` are the images, but cheap.
            delta = (delta @ weights.T) * (1 - np.square(inputs))
        return loss, gradient

    def loss(self, parameters: Floats, images: Floats, labels: NDArray[np.int64]) -> float:
        """Mean cross-entropy (nats) over the `images` (n, inputs)."""
        log_likelihood = _log_softmax(self._forward(parameters, images)[-1])
        return -float(log_likelihood[np.arange(len(labels)), labels].mean())

    def accuracy(self, parameters: Floats, images: Floats, labels: NDArray[np.int64]) -> float:
        """Fraction of the `images` (n, inputs) whose most likely class is their label."""
        return float((self._forward(parameters, images)[-1].argmax(axis=1) == labels).mean())

    def _forward(self, parameters: Floats, images: Floats) -> list[Floats]:
        """The images, the activations of every hidden layer, and the logits."""
        activations = [images]
        *hidden, (weights, biases) = self.layers(parameters)
        for hidden_weights, hidden_biases in hidden:
            activations.append(np.tanh(activations[-1] @ hidden_weights + hidden_biases))
        activations.append(activations[-1] @ weights + biases)
        return activations


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result
