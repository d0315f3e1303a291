"""The bytes of an experiment on the rack, from captures of the switch's ports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dropzero.experiments.trials.experiment import Row
from dropzero.traces.capture import captures, is_dropzero

WAYS = {"in": "up", "out": "down"}
"""A worker's direction by the switch's."""


def captured(rows: Sequence[Row], folder: Path) -> list[Row]:
    """Replaces the rows' `bytes up` and `bytes down` by those in the captures in the folder: a worker's average bytes
    of Dropzero frames, with Ethernet headers, between `began` and `ended` (seconds since the Unix epoch). The first
    worker's own counts become `counted up` and `counted down`.

    Raises:
        CaptureError: there are no captures, or one is truncated.
    """
    frames = [
        (WAYS[capture.direction], time / 1e6, len(frame) + missing)
        for capture in captures(folder)
        for time, frame, missing in capture.timed()
        if is_dropzero(frame)
    ]
    found = []
    for row in rows:
        new, began, ended = dict(row), float(row["began"]), float(row["ended"])
        for way in WAYS.values():
            sizes = [size for to, time, size in frames if to == way and began <= time <= ended]
            new |= {f"counted {way}": row[f"bytes {way}"], f"bytes {way}": sum(sizes) / float(row["workers"])}
        found.append(new)
    return found
