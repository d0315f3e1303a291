"""A recommender: which of two kinds of ids, users and items, belong together.

Both are drawn by Zipf's law, as those of real logs, so a minibatch has the popular ones in it, and few of the others.
The model is that of `words`: a row of 32 numbers for each id, and logistic loss of their scalar product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.problems.words import Pairs
from dropzero.streams import stream

IDS = 750
"""Ids of each kind: the model has 48,000 parameters."""
EXPONENT = 1.1
TASTES = 4
PAIRS = 44_000
HELD_OUT = 4000


def pairs() -> tuple[Pairs, NDArray[np.int64]]:
    """Pairs of ids (n, 2), and labels (n,): 1 where the scalar product of the ids' hidden tastes is positive."""
    draw = stream(0, "clicks")
    odds = np.arange(1, IDS + 1) ** -EXPONENT
    found = draw.choice(IDS, (PAIRS, 2), p=odds / odds.sum())
    users, items = draw.standard_normal((2, IDS, TASTES))
    return found, (np.einsum("nt,nt->n", users[found[:, 0]], items[found[:, 1]]) > 0).astype(np.int64)
