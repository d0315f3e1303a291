"""Random streams by name, so that no two things that draw share their numbers."""

from __future__ import annotations

from hashlib import sha256

from numpy.random import Generator, default_rng


def stream(seed: int, purpose: str, *numbers: int) -> Generator:
    """A generator of its own for each seed, purpose and numbers, such as a rank and a step; all integers.

    NumPy's own seeds are not told apart where one ends with zeros: 5, [5, 0] and [5, 0, 0] give the same numbers.
    """
    name = repr((purpose, int(seed), *map(int, numbers)))
    return default_rng(int.from_bytes(sha256(name.encode()).digest()))
