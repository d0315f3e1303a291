"""The data: scikit-learn's hand-written digits, 1797 images of 8 x 8 pixels in 10 classes.

They come from the UCI Machine Learning Repository (Alpaydin and Kaynak, 1998) and ship inside the scikit-learn wheel.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIXELS = 64
CLASSES = 10
# 1400 is divisible by 1, 2, 4, 5, 7 and 8 workers.
TRAINING = 1400
# The split is the same for all seeds, so that accuracies are comparable.
SPLIT_SEED = 0


@dataclass(frozen=True)
class Examples:
    """`images`: (n, 64) float32; `labels`: (n,) int64 in 0..9. Other data may have other inputs and labels."""

    images: NDArray[Any]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> Examples:
        return Examples(self.images[rows], self.labels[rows])

    def shard(self, rank: int, size: int) -> Examples:
        """Part `rank` of `size` disjoint parts of n // size examples each; the n % size at the end go unused.

        Raises ValueError unless 0 <= rank < size <= n.
        """
        if not 0 <= rank < size <= len(self):
            raise ValueError(f"no shard {rank} of {size} in {len(self)} examples")
        length = len(self) // size
        return self[rank * length : (rank + 1) * length]


@dataclass(frozen=True)
class Digits:
    """Disjoint examples for training (1400) and for testing (397)."""

    training: Examples
    held_out: Examples


def load() -> Digits:
    """Reads, shuffles and splits the digits; every pixel has mean 0 and at most unit variance over the training part.

    Raises ModuleNotFoundError without scikit-learn.
    """
    pixels, labels = read()
    # Not a named stream: the accuracies in the documents belong to this split.
    order = np.random.default_rng(SPLIT_SEED).permutation(len(labels))
    pixels, labels = pixels[order], labels[order]
    seen = pixels[:TRAINING]
    # Pixels are 0..16. Dividing a nearly blank pixel by its tiny deviation would blow it up, so at least 1 is used.
    images = (pixels - seen.mean(axis=0)) / np.maximum(seen.std(axis=0), 1)
    examples = Examples(images.astype(np.float32), labels)
    return Digits(examples[:TRAINING], examples[TRAINING:])


def read() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Reads the digits: pixels from 0 to 16, shape (1797, 64), and labels, shape (1797,).

    Raises ModuleNotFoundError without scikit-learn.
    """
    # Importing sklearn.datasets loads SciPy and takes ten times as long as reading the file, in each of the workers.
    package = find_spec("sklearn")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the digits ship with scikit-learn, which is not installed")
    with gzip.open(Path(package.origin).parent / "datasets" / "data" / "digits.csv.gz", "rt") as csv:
        table = np.loadtxt(csv, delimiter=",")
    return table[:, :PIXELS], table[:, PIXELS].astype(np.int64)
