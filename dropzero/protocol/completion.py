"""The rule for when a round is complete, as in `p4src/completion.p4`. The tests compare the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Completion:
    """A completion rule.

    Attributes:
        complete: (contributors, members), each with one bit for each worker -> whether the round is complete.
        max_lag: how many rounds a worker may be behind and still get the last result.
    """

    complete: Callable[[int, int], bool]
    max_lag: int


ALL = Completion(lambda seen, members: seen == members, max_lag=1)
"""Every round waits for all members, so no member is more than one round behind."""
