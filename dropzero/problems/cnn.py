"""A small convolutional network for 8 x 8 images."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from dropzero.problems.models import Floats, Layered, loss_and_delta, write_dense

SIDE = 8
KERNEL = 3
CLASSES = 10


class Cnn(Layered):
    """Two 3 x 3 convolutions (no padding, stride 1), each followed by tanh, a dense layer, softmax cross-entropy.

    A convolution's inputs are its channels by rows by columns of the kernel."""

    def __init__(self, channels: tuple[int, int] = (8, 16)) -> None:
        """channels: outputs of the two convolutions."""
        first, second = channels
        left = SIDE - 2 * (KERNEL - 1)
        super().__init__(
            [
                (KERNEL * KERNEL, first),
                (first * KERNEL * KERNEL, second),
                (second * left * left, CLASSES),
            ]
        )

    def loss_and_gradient(self, parameters: Floats, images: Floats, labels: NDArray[np.int64]) -> tuple[float, Floats]:
        """Mean cross-entropy (nats) of a batch of n `images` (n, 64), and its gradient in the parameters' shape."""
        patches, hidden, logits = self._forward(parameters, images)
        loss, delta = loss_and_delta(logits, labels)
        gradient = np.empty_like(parameters)
        views = self.layers(gradient)
        (_, _), (second, _), (dense, _) = self.layers(parameters)
        flat = hidden[1].transpose(0, 3, 1, 2).reshape(len(labels), -1)
        write_dense(views[2], flat, delta)
        channels, height, width = hidden[1].shape[3], *hidden[1].shape[1:3]
        back = (delta @ dense.T).reshape(-1, channels, height, width).transpose(0, 2, 3, 1)
        back = back * (1 - np.square(hidden[1]))
        write_dense(views[1], patches[1], back)
        back = _scatter(back @ second.T, hidden[0].shape) * (1 - np.square(hidden[0]))
        write_dense(views[0], patches[0], back)
        return loss, gradient

    def _forward(self, parameters: Floats, images: Floats) -> tuple[list[Floats], list[Floats], Floats]:
        """The convolutions' patches, their activations (n, rows, columns, channels), and the logits."""
        *convolutions, (dense, dense_biases) = self.layers(parameters)
        patches, hidden = [], [images.reshape(-1, SIDE, SIDE, 1)]
        for weights, biases in convolutions:
            patches.append(_patches(hidden[-1]))
            hidden.append(np.tanh(patches[-1] @ weights + biases))
        flat = hidden[-1].transpose(0, 3, 1, 2).reshape(len(images), -1)
        return patches, hidden[1:], flat @ dense + dense_biases


def _patches(images: Floats) -> Floats:
    """Every 3 x 3 window of (n, rows, columns, channels): (n, rows - 2, columns - 2, channels * 9)."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (KERNEL, KERNEL), axis=(1, 2))
    return windows.reshape(*windows.shape[:3], prod(windows.shape[3:]))


def _scatter(patches: Floats, shape: tuple[int, ...]) -> Floats:
    """The transpose of `_patches`: adds each window at its place in an array of that shape."""
    images = np.zeros(shape, patches.dtype)
    height, width = patches.shape[1:3]
    windows = patches.reshape(*patches.shape[:3], shape[3], KERNEL, KERNEL)
    for row in range(KERNEL):
        for column in range(KERNEL):
            images[:, row : row + height, column : column + width] += windows[..., row, column]
    return images
