"""Random streams by name, so that different purposes never share random numbers."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from numpy.random import Generator, default_rng


def stream(seed: int, purpose: str, *numbers: int) -> Generator:
    """Returns a separate generator for each seed, purpose and list of integers, such as a rank and a step.

    NumPy itself does not distinguish seeds that end with zeros: 5, [5, 0] and [5, 0, 0] give the same numbers.
    """
    name = repr((purpose, int(seed), *map(int, numbers)))
    # The digest as a number, its lowest word first: NumPy takes arrays faster than such numbers.
    return default_rng(np.frombuffer(sha256(name.encode()).digest()[::-1], "<u4"))
