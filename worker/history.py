"""The results of the latest collectives, for those workers that have not got them yet."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.controller.ending import Ending, Kind
from dropzero.protocol.tensor.arrays import Target

LIMIT = 1 << 28
"""Bytes of results that are kept for a worker that is away."""
SPARE = 1 << 14, 1 << 25
"""Bytes of memory that is used again, at least and at most: for less new memory is as good, and so much more than they
need programs have at hand."""


class Finished(NamedTuple):
    """What came of a collective: of which call (its digest), in which epoch, the workers whose contributions are in it,
    and the result. `ending`: there is no result; then `call` is the number of the call that comes next."""

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
        """What it is, as a number: 0 a result, from 1 on how it ended without one."""
        return 1 + self.ending.kind if self.ending is not None else 0

    @classmethod
    def shared(
        cls, number: int, form: int, call: int, epoch: int, members: tuple[int, ...], target: Target
    ) -> Finished:
        """What another worker has of call `number`."""
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
    """Results by their call's number, without gaps.

    Attributes:
        first: the number of the oldest that is still kept.
        end: the number that the next one will have.
        spare: the memory of a result that was forgotten, for another.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = self.end = first
        self.spare = Target.new(0)
        self._results: deque[Finished] = deque()
        self._size = 0

    def __getitem__(self, number: int) -> Finished:
        """Raises IndexError for one that is not there."""
        if not self.first <= number < self.end:
            raise IndexError(f"no result of call {number}: those of {self.first} to {self.end - 1} are kept")
        return self._results[number - self.first]

    def add(self, result: Finished) -> None:
        self._results.append(result)
        self.end += 1
        self._size += result.target.patterns.nbytes

    def end_by(self, ending: Ending) -> bool:
        """Adds the calls that ended so, if the next one is among them."""
        if not ending.call <= self.end < ending.end:
            return False
        while self.end < ending.end:
            self.add(Finished.without_result(ending))
        return True

    def pop(self) -> None:
        """Forgets the latest one."""
        self._size -= self._results.pop().target.patterns.nbytes
        self.end -= 1

    def trim(self, needed: int, wanted: int) -> None:
        """Forgets those numbered below `wanted`; and, down to `needed`, the oldest ones of what is over LIMIT."""
        while self.first < needed and (self.first < wanted or self._size > LIMIT):
            target = self._results.popleft().target
            self._size -= target.patterns.nbytes
            self.first += 1
            if max(self.spare.patterns.nbytes, SPARE[0]) <= target.patterns.nbytes <= SPARE[1]:
                self.spare = target

    def room(self, length: int) -> Target:
        """Memory for a result of so many words, whatever is in it: for new memory pages would have to be found."""
        if len(self.spare.patterns) != length:
            return Target.new(length)
        spare, self.spare = self.spare, Target.new(0)
        return spare
