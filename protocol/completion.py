"""When a round is complete: `p4src/completion.p4` once more. The tests hold the two together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Completion:
    """A rule of completion.

    Attributes:
        complete: given who has contributed and who the members are, one bit a worker, whether the round is complete.
        max_lag: how many rounds a worker may be behind and still get an answer, the last result.
    """

    complete: Callable[[int, int], bool]
    max_lag: int


ALL = Completion(lambda seen, members: seen == members, max_lag=1)
"""Every round waits for all members, so none is further behind than one round."""
