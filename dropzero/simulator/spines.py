"""Which of several spines carries what: flows by their hash (ECMP), and each group's sums where its tree is placed."""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2b


class Placement(StrEnum):
    """How the groups' trees are placed: each by its hash, one after the other in turn, or all on the first spine."""

    HASH = "hash"
    TURN = "turn"
    FIRST = "first"

    def spine(self, count: int, seed: int, number: int, group: str) -> int:
        """The spine, of `count`, of a group, which has a number and a name."""
        if self is Placement.HASH:
            return hashed(count, seed, group)
        return number % count if self is Placement.TURN else 0


def hashed(count: int, seed: int, *what: object) -> int:
    """A number below `count`: the same for the same seed and things."""
    digest = blake2b(repr((seed, *what)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count
