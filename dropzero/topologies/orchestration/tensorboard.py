"""Logs for TensorBoard.

Written by the parts of tensorboardX's SummaryWriter, without its thread, which would keep a full disk to itself.
"""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager
from pathlib import Path

from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.record_writer import RecordWriter

from dropzero.topologies.orchestration.metrics import Metrics, Standing


class Logs(AbstractContextManager["Logs"]):
    """Appends a job's standings to a file of events. Leaves out numbers that are not finite."""

    def __init__(self, folder: Path) -> None:
        """Creates a file in `folder`. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file = RecordWriter(str(folder / f"events.out.tfevents.{time.time():.0f}.dropzero"))
        self._steps = 0
        self._write(Event(file_version="brain.Event:2"))

    def follow(self, metrics: Metrics) -> None:
        """Appends the steps since the last call. Raises OSError."""
        for step in range(self._steps + 1, metrics.steps + 1):
            self._add(metrics.standing(step))
        if metrics.steps > self._steps:
            self._steps = metrics.steps
            # It waits for the disk: once, not for each event.
            self._file.flush()

    def _add(self, standing: Standing) -> None:
        density = bytes.fromhex(standing.densities)
        values = {
            "minibatch loss": standing.loss,
            "accuracy": standing.accuracy,
            "bytes/sent": standing.sent,
            "bytes/dense": standing.dense,
            "bytes/share of dense": standing.sent / standing.dense,
            "retransmissions": standing.retransmissions,
            "blocks sent": sum(density) / (255 * len(density)) if density else None,
        }
        known = {tag: value for tag, value in values.items() if value is not None and math.isfinite(value)}
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=value) for tag, value in known.items()])
        self._write(Event(step=standing.step, summary=summary))

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        self._file.write(event.SerializeToString())

    def __exit__(self, *_: object) -> None:
        self._file.close()
