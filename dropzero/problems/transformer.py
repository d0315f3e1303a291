"""A small transformer that predicts the next character of real text.

The text is that of `words`: the pages of Python's language reference that ship with CPython for `help()`. It is reduced
to small letters, commas, full stops and spaces, so the vocabulary does not depend on Python's version.
"""

from __future__ import annotations

import re
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from dropzero.problems.models import Floats, Layered, loss_and_delta, write_dense
from dropzero.problems.words import pages
from dropzero.streams import stream

SYMBOLS = " abcdefghijklmnopqrstuvwxyz,."
CONTEXT = 32
"""Characters that the model sees at most."""
WINDOWS = 4480
HELD_OUT = 128
_LEAST = 1e-5
"""Added to variances."""

Characters = NDArray[np.int64]


class Transformer(Layered):
    """Blocks of causal self-attention and of a dense layer with tanh, each after a layer normalization without
    parameters and next to a residual connection ([Transformer] section 3, normalized first); softmax cross-entropy of
    each next character.

    The layers are the embedding of characters and then places; those of each block, which are queries, keys and values,
    their output, and the two dense layers; and the output."""

    def __init__(self, width: int = 32, heads: int = 2, blocks: int = 2) -> None:
        """width: of the residual connections, a multiple of `heads`."""
        self.width, self.heads = width, heads
        block = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
        symbols = len(SYMBOLS)
        names = [
            f"block{number}.{layer}"
            for number in range(1, blocks + 1)
            for layer in ("attention", "projection", "up", "down")
        ]
        super().__init__(
            [(symbols + CONTEXT, width), *(block * blocks), (width, symbols)], ["embedding", *names, "output"]
        )

    def loss_and_gradient(
        self, parameters: Floats, characters: Characters, following: Characters
    ) -> tuple[float, Floats]:
        """Mean cross-entropy (nats) of the `following` characters of n windows of `characters`, both (n, t) with t at
        most CONTEXT, and its gradient in the parameters' shape."""
        kept, last, last_scale, logits = self._forward(parameters, characters)
        loss, delta = loss_and_delta(logits, following)
        gradient = np.zeros_like(parameters)
        _, *layers, (output, _) = self.layers(parameters)
        (to_embedding, to_offset), *views, to_output = self.layers(gradient)
        back = _back(_dense(to_output, last, delta, output), last, last_scale)
        for number, own in reversed(list(enumerate(kept))):
            part = slice(4 * number, 4 * number + 4)
            back = self._block_back(back, layers[part], own, views[part])
        np.add.at(to_embedding, characters, back)
        to_embedding[len(SYMBOLS) : len(SYMBOLS) + characters.shape[1]] = back.sum(axis=0)
        to_offset[:] = back.sum(axis=(0, 1))
        return loss, gradient

    def _forward(self, parameters: Floats, characters: Characters) -> tuple[list[_Kept], Floats, Floats, Floats]:
        """What the blocks' derivatives need; the last normalized x and its deviations; the logits (n, t, symbols)."""
        (embedding, offset), *layers, (output, output_bias) = self.layers(parameters)
        x: Floats = embedding[characters] + embedding[len(SYMBOLS) : len(SYMBOLS) + characters.shape[1]] + offset
        kept = []
        for at in range(0, len(layers), 4):
            x, own = self._block(x, layers[at : at + 4])
            kept.append(own)
        last, deviations = _normalized(x)
        return kept, last, deviations, last @ output + output_bias

    def _block(self, x: Floats, layers: list[tuple[Floats, Floats]]) -> tuple[Floats, _Kept]:
        """A block's result, and what its derivative needs."""
        (mixed, mixed_bias), (joined, joined_bias), (up, up_bias), (down, down_bias) = layers
        first, first_scale = _normalized(x)
        queries, keys, values = self._split(first @ mixed + mixed_bias)
        scores = queries @ keys.swapaxes(2, 3) / x.dtype.type(sqrt(queries.shape[3]))
        scores[:, :, *np.triu_indices(x.shape[1], 1)] = -np.inf
        weights = softmax(scores, axis=3)
        heads = self._join(weights @ values)
        x = x + heads @ joined + joined_bias
        second, second_scale = _normalized(x)
        hidden = np.tanh(second @ up + up_bias)
        kept = _Kept(first, first_scale, queries, keys, values, weights, heads, second, second_scale, hidden)
        return x + hidden @ down + down_bias, kept

    def _block_back(
        self, back: Floats, layers: list[tuple[Floats, Floats]], kept: _Kept, to: list[tuple[Floats, Floats]]
    ) -> Floats:
        """Writes the gradients of a block's layers to `to`, and returns that of its input, from that of its result."""
        (mixed, _), (joined, _), (up, _), (down, _) = layers
        hidden = _dense(to[3], kept.hidden, back, down) * (1 - np.square(kept.hidden))
        back = back + _back(_dense(to[2], kept.second, hidden, up), kept.second, kept.second_scale)
        (heads,) = self._split(_dense(to[1], kept.heads, back, joined), 1)
        weights = heads @ kept.values.swapaxes(2, 3)
        scores = kept.weights * (weights - (weights * kept.weights).sum(axis=3, keepdims=True))
        scores = scores / back.dtype.type(sqrt(kept.queries.shape[3]))
        parts = scores @ kept.keys, scores.swapaxes(2, 3) @ kept.queries, kept.weights.swapaxes(2, 3) @ heads
        delta = np.concatenate([self._join(part) for part in parts], axis=2)
        return back + _back(_dense(to[0], kept.first, delta, mixed), kept.first, kept.first_scale)

    def _split(self, x: Floats, parts: int = 3) -> list[Floats]:
        """(n, t, parts * width) as `parts` arrays (n, heads, t, width / heads)."""
        n, t, _ = x.shape
        return list(x.reshape(n, t, parts, self.heads, self.width // self.heads).transpose(2, 0, 3, 1, 4))

    def _join(self, x: Floats) -> Floats:
        """(n, heads, t, width / heads) as (n, t, width)."""
        return x.transpose(0, 2, 1, 3).reshape(len(x), -1, self.width)


class _Kept(NamedTuple):
    """What a block's derivative needs of its computation."""

    first: Floats
    first_scale: Floats
    queries: Floats
    keys: Floats
    values: Floats
    weights: Floats
    heads: Floats
    second: Floats
    second_scale: Floats
    hidden: Floats


def _normalized(x: Floats) -> tuple[Floats, Floats]:
    """x with mean 0 and variance 1 in its last dimension, and the deviations it was divided by."""
    centred = x - x.mean(axis=-1, keepdims=True)
    deviations = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + x.dtype.type(_LEAST))
    return centred / deviations, deviations


def _back(delta: Floats, normalized: Floats, deviations: Floats) -> Floats:
    """The gradient of what was normalized, from that of the result."""
    along = (delta * normalized).mean(axis=-1, keepdims=True)
    back: Floats = (delta - delta.mean(axis=-1, keepdims=True) - normalized * along) / deviations
    return back


def _dense(to: tuple[Floats, Floats], inputs: Floats, delta: Floats, weights: Floats) -> Floats:
    """Writes a dense layer's gradients to `to`, and returns that of its inputs, from that of its outputs."""
    write_dense(to, inputs, delta)
    back: Floats = delta @ weights.T
    return back


def text() -> tuple[Characters, Characters]:
    """WINDOWS windows of the text in random order, and the characters that follow each of theirs, both (n, CONTEXT)."""
    plain = re.sub(r"[^a-z,.]+", " ", pages())
    numbers = {symbol: number for number, symbol in enumerate(SYMBOLS)}
    codes = np.array([numbers[symbol] for symbol in plain])
    starts = stream(0, "windows").permutation(len(codes) // CONTEXT - 1)[:WINDOWS] * CONTEXT
    at = starts[:, None] + np.arange(CONTEXT)
    return codes[at], codes[at + 1]
