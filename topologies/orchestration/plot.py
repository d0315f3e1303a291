"""Plot a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dropzero.topologies.orchestration.metrics import Standing


def plot(standings: Sequence[Standing], path: Path) -> None:
    """Draw loss, accuracy, and the bytes sent compared with dense training, step by step, as a PNG."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    steps = [standing.step for standing in standings]
    figure, (learning, traffic) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    learning.plot(steps, [standing.loss for standing in standings], color="tab:blue", label="loss")
    learning.set(xlabel="step", ylabel="loss (mean of the workers' minibatches)", ylim=(0, None))
    accuracy = learning.twinx()
    known = [standing for standing in standings if standing.accuracy is not None]
    accuracy.plot(
        [standing.step for standing in known],
        [standing.accuracy for standing in known],
        color="tab:green",
        label="accuracy",
    )
    accuracy.set(ylabel="accuracy on the held-out images", ylim=(0, 1))
    learning.legend(handles=[*learning.lines, *accuracy.lines], loc="center right")
    for label, values, style in (
        ("dense", [standing.dense for standing in standings], "--"),
        ("sent", [standing.sent for standing in standings], "-"),
    ):
        traffic.plot(steps, [value / 1e6 for value in values], style, label=label)
    traffic.set(xlabel="step", ylabel="uplink bytes so far, all workers (MB)", ylim=(0, None))
    traffic.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)
