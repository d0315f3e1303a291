"""What a training step takes, as `python -m bench.torch` measures it."""

from __future__ import annotations

from typing import NamedTuple


class StepTimes(NamedTuple):
    """Medians over steps, of the slowest rank in each, in seconds.

    Attributes:
        way: its name.
        parameters: of the model.
        sent, received: by rank 0 in a step, MB, with all headers.
        step: forward and backward pass, sums, and the optimizer.
        backward, alone: a backward pass with and without sums; it computes as fast as it can.
        long_backward, long_alone: the same where layers wait, as if they were computed elsewhere, so that the backward
            pass takes about as much longer as the sums take.
    """

    way: str
    parameters: int
    sent: float
    received: float
    step: float
    backward: float
    alone: float
    long_backward: float
    long_alone: float

    @property
    def hidden(self) -> float:
        """The share of the sums' time in which the longer backward pass went on. What the sums take is what they add to
        the short one; what little of them is hidden there is left aside, so the share is rather larger."""
        return 1 - (self.long_backward - self.long_alone) / (self.backward - self.alone)
