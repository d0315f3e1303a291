"""The times of a training step, as `python -m lab.bench.torch` measures them."""

from __future__ import annotations

from typing import NamedTuple


class StepTimes(NamedTuple):
    """Medians over steps, of the slowest rank in each, in seconds.

    Attributes:
        way: the name of the way in which gradients are added up.
        parameters: of the model.
        sent, received: by rank 0 in a step, MB, including all headers.
        step: forward and backward pass, all-reduces, and the optimizer. A model whose parameters are sharded has only
            this time.
        backward, alone: a backward pass with and without all-reduces.
        long_backward, long_alone: the same, when each layer's backward pass sleeps, as if another device computed it;
            in total, for as long as the all-reduces take.
    """

    way: str
    parameters: int
    sent: float
    received: float
    step: float
    backward: float = 0.0
    alone: float = 0.0
    long_backward: float = 0.0
    long_alone: float = 0.0

    @property
    def hidden(self) -> float:
        """The share of the all-reduces' time that overlaps with the longer backward pass. Their time is taken to be
        what they add to the short backward pass, so the real share is slightly larger."""
        return 1 - (self.long_backward - self.long_alone) / (self.backward - self.alone)
