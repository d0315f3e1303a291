"""Keeps the results of the latest calls for workers that lack them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.membership.ending import Ending, Kind
from dropzero.protocol.tensor.arrays import Target

LIMIT = 1 << 28
"""Bytes of results kept for workers that are benched."""
SPARE = 1 << 14, 1 << 25
"""The smallest and the largest result, in bytes, whose memory is reused. Smaller ones are as fast to allocate; larger
ones would tie up memory that the program may need."""


class Finished(NamedTuple):
    """The outcome of a call.

    Attributes:
        call: the call's digest. If there is an `ending`: the number of the next call.
        epoch: the epoch in which the call ended.
        members: the ranks of the contributors.
        target: the result. If there is an `ending`: its cause, as text.
        ending: why the call has no result; None if it has one.
    """

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
    """The outcomes of consecutive calls, by number.

    Attributes:
        first: the number of the oldest outcome kept.
        end: the number of the next call.
        spare: the memory of a dropped result, for reuse.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = self.end = first
        self.spare = Target.new(0)
        # By number, not in a list: an exception between two statements below, such as KeyboardInterrupt, must not shift
        # the others.
        self._results: dict[int, Finished] = {}
        self._size = 0

    def __getitem__(self, number: int) -> Finished:
        """The outcome of call `number`. Raises IndexError if it is not kept."""
        if not self.first <= number < self.end:
            raise IndexError(f"the result of call {number} is not kept, only those of {self.first} to {self.end - 1}")
        return self._results[number]

    def add(self, result: Finished) -> None:
        self._size += result.target.patterns.nbytes
        self._results[self.end] = result
        self.end += 1

    def end_by(self, ending: Ending) -> bool:
        """Adds the calls that `ending` ended without a result, if the next call is one of them. Returns whether it
        is."""
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
        """Drops the results of calls before `wanted`; then the oldest ones, until the rest takes at most LIMIT bytes.
        Keeps all from call `needed` on."""
        while self.first < needed and (self.first < wanted or self._size > LIMIT):
            oldest, self.first = self.first, self.first + 1
            target = self._results.pop(oldest).target
            size = target.patterns.nbytes
            self._size -= size
            if SPARE[0] <= size <= SPARE[1] and size >= self.spare.patterns.nbytes:
                self.spare = target

    def room(self, length: int) -> Target:
        """Returns memory for a result of `length` words, with any content. Reuses the spare memory, which saves page
        faults."""
        if len(self.spare.patterns) != length:
            return Target.new(length)
        spare, self.spare = self.spare, Target.new(0)
        return spare
