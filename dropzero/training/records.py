"""The files that a worker writes in `<out>/worker-<rank>/`.

`metrics.jsonl` gets a line after each step, with the fields of `Metrics`. At the end it writes `weights.npy`, the
parameters, shape (d,), float32, and `result.json`, the fields of `Result`.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from dropzero.training.replica import Metrics, Replica


@dataclass(frozen=True)
class Result:
    """A worker's result. training_loss: the mean cross-entropy (nats) of the final weights on all training images. The
    other fields are as in `Metrics` and `Settings`."""

    rank: int
    workers: int
    steps: int
    compress: str
    seed: int
    weights_sha256: str
    training_loss: float
    test_accuracy: float
    bytes_sent: int
    bytes_received: int
    packets_sent: int
    retransmissions: int
    seconds: float


class Records(AbstractContextManager["Records"]):
    """Writes the files; a context manager. Removes those of an earlier run."""

    def __init__(self, out: Path, rank: int) -> None:
        """Opens the files. Raises OSError if the folder cannot be created or written."""
        self.folder = out / f"worker-{rank}"
        self.rank = rank
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("result.json", "weights.npy"):
            (self.folder / name).unlink(missing_ok=True)
        # Line-buffered, for readers that follow the file.
        self._metrics = (self.folder / "metrics.jsonl").open("w", buffering=1)

    def add(self, metrics: Metrics) -> None:
        self._metrics.write(json.dumps(asdict(metrics)) + "\n")

    def finish(self, replica: Replica, last: Metrics) -> Result:
        """Writes the result of `replica`, whose last step was `last`."""
        # On a full disk, NumPy's own writing says only how many elements it has written.
        weights = BytesIO()
        np.save(weights, replica.parameters)
        (self.folder / "weights.npy").write_bytes(weights.getvalue())
        result = Result(
            rank=self.rank,
            workers=replica.size,
            steps=last.step,
            compress=replica.settings.compress,
            seed=replica.settings.seed,
            weights_sha256=replica.weights_sha256(),
            training_loss=replica.training_loss(),
            test_accuracy=replica.test_accuracy(),
            bytes_sent=last.bytes_sent,
            bytes_received=last.bytes_received,
            packets_sent=last.packets_sent,
            retransmissions=last.retransmissions,
            seconds=last.seconds,
        )
        (self.folder / "result.json").write_text(json.dumps(asdict(result), indent=2) + "\n")
        return result

    def __exit__(self, *_: object) -> None:
        self._metrics.close()
