"""Keeps the results of the latest calls, for workers that lack them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.membership.ending import Ending, Kind
from dropzero.protocol.tensor.arrays import Target

LIMIT = 1 << 28
"""Bytes of results kept for a worker that is away."""
SPARE = 1 << 14, 1 << 25
"""Smallest and largest result, in bytes, whose memory is reused: a smaller one is as fast to allocate, and a larger one
would tie up the program's memory."""


class Finished(NamedTuple):
    """The outcome of a call: its digest, its epoch, the ranks of the contributors, and the result. If there is an
    `ending`, there is no result, and `call` is the number of the next call."""

    call: int
    epoch: int
    members: tuple[int, ...]
    target: Target
    ending: Ending | None = None

    @classmethod
    def without_result(cls, ending: Ending) -> Finished:
        return cls(ending.end, ending.epoch, (ending.rank,), Target.around(words_of(ending.cause)), ending=ending)

    @property
    def form(self) -> int:
        """0 for a result, else 1 + the kind of its ending."""
        return 1 + self.ending.kind if self.ending is not None else 0

    @classmethod
    def shared(
        cls, number: int, form: int, call: int, epoch: int, members: tuple[int, ...], target: Target
    ) -> Finished:
        """The outcome of call `number` as another worker shared it."""
        if not form:
            return cls(call, epoch, members, target)
        cause = target.patterns.tobytes().rstrip(b"\0").decode(errors="replace")
        ending = Ending(number, members[0], cause, Kind(form - 1), epoch, call - number)
        return cls(call, epoch, members, target, ending=ending)

    @property
    def words(self) -> NDArray[np.int32]:
        """The result as int32 words, shape (n,)."""
        return self.target.patterns.view(np.int32)


def words_of(text: str) -> NDArray[np.int32]:
    content = text.encode()
    return np.frombuffer(content + bytes(-len(content) % 4), np.int32).copy()


class History:
    """Results of consecutive calls, by the call's number.

    Attributes:
        first: the number of the oldest result kept.
        end: the number of the next one.
        spare: memory of a dropped result, for another one.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = self.end = first
        self.spare = Target.new(0)
        # By number, so that an exception between two of the statements below, such as KeyboardInterrupt, shifts none.
        self._results: dict[int, Finished] = {}
        self._size = 0

    def __getitem__(self, number: int) -> Finished:
        """Raises IndexError for a result that is not kept."""
        if not self.first <= number < self.end:
            raise IndexError(f"no result of call {number}: those of {self.first} to {self.end - 1} are kept")
        return self._results[number]

    def add(self, result: Finished) -> None:
        self._size += result.target.patterns.nbytes
        self._results[self.end] = result
        self.end += 1

    def end_by(self, ending: Ending) -> bool:
        """Adds the calls that `ending` ended, if the next call is one of them. Returns whether it is."""
        if not ending.call <= self.end < ending.end:
            return False
        while self.end < ending.end:
            self.add(Finished.without_result(ending))
        return True

    def pop(self) -> None:
        """Drops the latest result."""
        self.end -= 1
        self._size -= self._results.pop(self.end).target.patterns.nbytes

    def trim(self, needed: int, wanted: int) -> None:
        """Drops results below number `wanted`, and then the oldest ones while all exceed LIMIT bytes, but none from
        `needed` on."""
        while self.first < needed and (self.first < wanted or self._size > LIMIT):
            oldest, self.first = self.first, self.first + 1
            target = self._results.pop(oldest).target
            size = target.patterns.nbytes
            self._size -= size
            if SPARE[0] <= size <= SPARE[1] and size >= self.spare.patterns.nbytes:
                self.spare = target

    def room(self, length: int) -> Target:
        """Returns uninitialized memory for a result of `length` words. Reuses the spare one, which saves page
        faults."""
        if len(self.spare.patterns) != length:
            return Target.new(length)
        spare, self.spare = self.spare, Target.new(0)
        return spare
