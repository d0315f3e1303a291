"""Reads the workers' metrics while they are written."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from dropzero.topologies.processes.follower import Follower

_OF_WORKERS = "window", "congested", "retransmissions"


@dataclass(frozen=True)
class Standing:
    """The progress of a run.

    Attributes:
        step: the last step that all workers have finished.
        loss: the minibatch loss: the mean over the workers' minibatches, in nats.
        accuracy: the latest one; None: none was evaluated yet.
        sent: bytes on the uplinks so far, as the workers count them, with those of lost workers.
        dense: bytes that dense training would have sent in the same steps.
        retransmissions: of all workers, with those of lost ones.
        densities: the mean of the workers' dropzero.training.replica.densities, in the same form.
    """

    step: int
    loss: float
    accuracy: float | None
    sent: int
    dense: int
    retransmissions: int
    densities: str = ""


class Metrics:
    """The metrics of all workers, step by step."""

    def __init__(self, folder: Path, workers: int, dense_per_step: int) -> None:
        """Follows `worker-<rank>/metrics.jsonl` in `folder`. dense_per_step: bytes of one worker's dense step."""
        self._followers = {rank: Follower(folder / f"worker-{rank}" / "metrics.jsonl") for rank in range(workers)}
        self._lines: dict[int, list[dict[str, Any]]] = {rank: [] for rank in range(workers)}
        self._lost: list[list[dict[str, Any]]] = []
        self._dense_per_step = dense_per_step

    def update(self) -> None:
        """Reads new metrics."""
        for rank in self._followers:
            self._update(rank)

    def _update(self, rank: int) -> None:
        self._lines[rank].extend(map(json.loads, self._followers[rank].new()))

    def lose(self, rank: int) -> None:
        """Stops waiting for a worker that has ended. Its traffic still counts."""
        self._update(rank)
        del self._followers[rank]
        self._lost.append(self._lines.pop(rank))

    @property
    def steps(self) -> int:
        """The number of steps that all workers have finished."""
        return min(map(len, self._lines.values()))

    def standings(self) -> list[Standing]:
        """Returns a standing for every step that all workers have finished."""
        return [self._standing(list(rows)) for rows in zip(*self._lines.values(), strict=False)]

    def spreads(self) -> list[tuple[float, float]]:
        """Returns the least and the largest loss of a worker's minibatch, for every step of `standings`."""
        losses = ([row["loss"] for row in rows] for rows in zip(*self._lines.values(), strict=False))
        return [(min(each), max(each)) for each in losses]

    def latest(self) -> Standing | None:
        """Returns the latest standing; None before the first step."""
        return self.standing(self.steps) if self.steps else None

    def standing(self, step: int) -> Standing:
        """Returns the standing after a step that all workers have finished. Steps count from 1."""
        return self._standing([lines[step - 1] for lines in self._lines.values()])

    def _standing(self, rows: list[dict[str, Any]]) -> Standing:
        step = rows[0]["step"]
        lines = next(iter(self._lines.values()))
        accuracies = (lines[index]["accuracy"] for index in range(step - 1, -1, -1))
        everybody = rows + [lines[min(step, len(lines)) - 1] for lines in self._lost if lines]
        return Standing(
            step=step,
            loss=sum(row["loss"] for row in rows) / len(rows),
            accuracy=next((accuracy for accuracy in accuracies if accuracy is not None), None),
            sent=sum(row["bytes_sent"] for row in everybody),
            dense=sum(row["step"] for row in everybody) * self._dense_per_step,
            retransmissions=sum(row["retransmissions"] for row in everybody),
            densities=_mean([row["densities"] for row in rows]),
        )

    def workers(self) -> list[list[int]]:
        """[rank, window, congested results, retransmissions] of each worker that has finished a step and is not
        lost."""
        last = {rank: lines[-1] for rank, lines in self._lines.items() if lines}
        return [[rank, *(line[name] for name in _OF_WORKERS)] for rank, line in last.items()]


def _mean(densities: list[str]) -> str:
    """The mean of densities, section by section, in the same form."""
    sections = zip(*map(bytes.fromhex, densities), strict=True)
    return bytes(math.ceil(fmean(levels)) for levels in sections).hex()
