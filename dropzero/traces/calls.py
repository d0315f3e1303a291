"""The times at which collective calls began and ended on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dropzero.protocol.wire import CONGESTED, HEADER, MARKED, OUTER_BYTES, Kind
from dropzero.traces.capture import captures, is_dropzero


@dataclass
class Span:
    """One call, from its first contribution's arrival at the switch to its last result's departure."""

    begin: int
    """Microseconds since the Unix epoch."""
    end: int


def spans(folder: Path) -> list[Span]:
    """The spans of all calls in the captures of a job's only switch, ordered by their beginning.

    Raises:
        CaptureError: there are no captures, or one is cut off.
    """
    calls: dict[tuple[int, int], Span] = {}
    rounds: dict[tuple[int, ...], Span] = {}
    results: list[tuple[int, tuple[int, ...]]] = []
    for capture in captures(folder):
        for time, frame, _ in capture.timed():
            if not is_dropzero(frame) or len(frame) < OUTER_BYTES + HEADER.itemsize:
                continue
            header = np.frombuffer(frame, HEADER, 1, OUTER_BYTES)[0].item()
            first, _, _, _, job, lane, epoch, number, workers, _ = header
            name: tuple[int, ...] = job, lane, epoch, number
            kind = first & ~(MARKED | CONGESTED)
            if kind == Kind.CONTRIBUTION.first_byte and capture.direction == "in":
                call = rounds[name] = calls.setdefault((job, workers), Span(time, time))
                call.begin = min(call.begin, time)
            elif kind == Kind.RESULT.first_byte and capture.direction == "out":
                results.append((time, name))
    for time, name in results:
        if name in rounds:
            rounds[name].end = max(rounds[name].end, time)
    return sorted(calls.values(), key=lambda call: call.begin)
