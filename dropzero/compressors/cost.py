"""What a step costs on this network, measured while it trains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Line(NamedTuple):
    """The seconds of a step, `fixed` + `each` times the blocks of its sum.

    Attributes:
        fixed: for computing, round trips and headers.
        each: for a block.
        sure: how well `each` is known, from 0 (not at all) to 1: 1 / (1 + its variance over its square).
    """

    fixed: float
    each: float
    sure: float


class Cost:
    """Fits a line to the steps of a run by least squares. A step counts FORGET times as much as the next one, so that a
    link that changes is soon known.

    A step's seconds are those from the end of a sum to the end of the next one. They include the wait for the slowest
    worker, so all workers measure the same, up to the noise of their clocks.

    Attributes:
        sums: the weighted sums of 1, the blocks, the seconds, and the squares of the blocks, their products with the
            seconds, and the squares of the seconds; shape (6,).
    """

    FORGET = 0.96
    PAUSE = 4.0
    """A step counts as at most PAUSE average ones: programs sometimes evaluate or save between two sums."""

    def __init__(self) -> None:
        self.sums: NDArray[np.float64] = np.zeros(6)

    def observe(self, blocks: int, seconds: float) -> None:
        """Learns the blocks of a sum that are not zero on some worker, and the seconds of its step."""
        weight, _, past = self.sums[:3].tolist()
        if past:
            seconds = min(seconds, self.PAUSE * past / weight)
        step = (1, blocks, seconds, blocks * blocks, blocks * seconds, seconds * seconds)
        self.sums = self.FORGET * self.sums + np.array(step, np.float64)

    def line(self) -> Line:
        """The line, neither of whose parts is negative. If steps say nothing about a block, `each` and `sure` are 0."""
        weight, blocks, seconds, squares, products, durations = self.sums.tolist()
        if weight < 2:
            return Line(0.0, 0.0, 0.0)
        spread = squares - blocks * blocks / weight
        common = products - blocks * seconds / weight
        if spread <= 1e-9 * squares or common <= 0:
            return Line(seconds / weight, 0.0, 0.0)
        each = min(common / spread, seconds / blocks)
        rest = max(0.0, durations - seconds * seconds / weight - common * common / spread)
        variance = rest / (weight - 1) / spread
        return Line(max(0.0, seconds - each * blocks) / weight, each, each**2 / (each**2 + variance))
