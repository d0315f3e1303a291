"""An embedding model, whose gradient is zero except in the rows of the minibatch's words.

Skip-gram with negative sampling ([Skip-gram] section 2.2) of the next word, on real text: the pages of Python's
language reference that ship with CPython for `help()` (pydoc_data.topics, about 64 000 words). The vocabulary depends
on Python's version.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dropzero.compressors.rules import Parameter
from dropzero.problems.models import Floats
from dropzero.streams import stream

DIMENSION = 32
SELDOM = 5
NOISE_POWER = 0.75
HELD_OUT = 4000

Pairs = NDArray[np.int64]


class Words:
    """A word c follows w with probability sigmoid(u_w . v_c); logistic loss.

    The parameter vector holds the rows u_w, then the rows v_c, 32 elements each: one row is one block.
    """

    def __init__(self, vocabulary: int) -> None:
        """vocabulary: the number of words."""
        self.vocabulary = vocabulary
        self.size = 2 * vocabulary * DIMENSION

    @property
    def named_parameters(self) -> list[Parameter]:
        """What the vector consists of, in order."""
        return [Parameter(name, (self.vocabulary, DIMENSION)) for name in ("words", "others")]

    @property
    def parts(self) -> list[slice]:
        """The places in the vector of the rows u, and of the rows v."""
        return [slice(self.size // 2), slice(self.size // 2, self.size)]

    def initial(self, seed: int) -> NDArray[np.float32]:
        """Initial parameters: N(0, 0.05^2), small compared with a trained row."""
        return 0.05 * stream(seed, "weights").standard_normal(self.size, np.float32)

    def loss_and_gradient(self, parameters: Floats, pairs: Pairs, labels: NDArray[np.int64]) -> tuple[float, Floats]:
        """Mean logistic loss (nats) of n `pairs` (n, 2) with `labels` 1 for real ones and 0 for noise, and its
        gradient in the parameters' shape."""
        table = parameters.reshape(-1, DIMENSION)
        words, others = pairs[:, 0], pairs[:, 1] + self.vocabulary
        scores = self._scores(parameters, pairs)
        slopes = ((expit(scores) - labels) / len(labels)).astype(parameters.dtype)[:, None]
        gradient = np.zeros_like(table)
        np.add.at(gradient, words, slopes * table[others])
        np.add.at(gradient, others, slopes * table[words])
        return _loss(scores, labels), gradient.reshape(-1)

    def loss(self, parameters: Floats, pairs: Pairs, labels: NDArray[np.int64]) -> float:
        """Mean logistic loss (nats) over the `pairs` (n, 2)."""
        return _loss(self._scores(parameters, pairs), labels)

    def accuracy(self, parameters: Floats, pairs: Pairs, labels: NDArray[np.int64]) -> float:
        """Fraction of the `pairs` (n, 2) correctly classified as real or noise."""
        return float(((self._scores(parameters, pairs) > 0) == labels).mean())

    def _scores(self, parameters: Floats, pairs: Pairs) -> Floats:
        table = parameters.reshape(-1, DIMENSION)
        scores: Floats = np.einsum("nd,nd->n", table[pairs[:, 0]], table[pairs[:, 1] + self.vocabulary])
        return scores


def _loss(scores: Floats, labels: NDArray[np.int64]) -> float:
    return float(np.logaddexp(0, np.where(labels == 1, -scores, scores)).mean())


def pages() -> str:
    """The text of all pages, in small letters."""
    from pydoc_data.topics import topics

    return " ".join(topics[name] for name in sorted(topics)).lower()


def text(seldom: int = SELDOM) -> tuple[int, Pairs, NDArray[np.int64]]:
    """The size of the vocabulary; pairs (n, 2) of neighbours, each followed by a noise pair; labels (n,).

    Omits words that occur fewer than `seldom` times; draws noise with the frequency to the power 3/4.
    """
    found = re.findall(r"[a-z]+", pages())
    counts = Counter(found)
    numbers = {word: number for number, (word, count) in enumerate(counts.most_common()) if count >= seldom}
    kept = np.array([numbers[word] for word in found if word in numbers])
    draw = stream(0, "words")
    places = draw.permutation(len(kept) - 1)
    pairs = np.stack([kept[places], kept[places + 1]], axis=1)
    weights = np.array([counts[word] for word in numbers], float) ** NOISE_POWER
    noise = pairs.copy()
    noise[:, 1] = draw.choice(len(numbers), len(pairs), p=weights / weights.sum())
    both = np.stack([pairs, noise], axis=1).reshape(-1, 2)
    return len(numbers), both, np.tile([1, 0], len(pairs))
