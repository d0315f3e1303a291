"""Packets on the wire, in the order of their arrival."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.engine.frames import Frames, selected
from dropzero.softswitch.impairments.link import compact


@dataclass(order=True)
class _Held:
    """A batch, sorted by the times when the packets are due. Those before position `at` have been released."""

    due: int
    number: int
    times: NDArray[np.int64] = field(compare=False)
    frames: Frames = field(compare=False)
    at: int = field(default=0, compare=False)


class Timeline:
    """Holds packets until they are due."""

    def __init__(self) -> None:
        self._held: list[_Held] = []
        self._numbers = count()

    def hold(self, frames: Frames, due: NDArray[np.int64]) -> None:
        """Adds packets. due: the time of each, shape (n,), int64. Does not copy the packets."""
        if len(frames):
            order = np.argsort(due, kind="stable")
            times = due[order]
            held = _Held(int(times[0]), next(self._numbers), times, selected(frames, order))
            heapq.heappush(self._held, held)

    @property
    def next(self) -> int | None:
        """When the next packet is due; None if there is none."""
        return self._held[0].due if self._held else None

    def release(self, now: int) -> Frames:
        """Removes and returns the packets that are due by now, in the order of their times."""
        parts: list[Frames] = []
        times: list[NDArray[np.int64]] = []
        while self._held and self._held[0].due <= now:
            held = self._held[0]
            end = int(np.searchsorted(held.times, now, side="right"))
            parts.append(selected(held.frames, slice(held.at, end)))
            times.append(held.times[held.at : end])
            if end < len(held.times):
                held.at, held.due = end, int(held.times[end])
                heapq.heapreplace(self._held, held)
            else:
                heapq.heappop(self._held)
        if len(parts) <= 1:
            return Frames.joined(parts)
        order = np.argsort(np.concatenate(times), kind="stable")
        return selected(Frames.joined(compact(part) for part in parts), order)
