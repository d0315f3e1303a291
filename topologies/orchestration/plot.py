"""Plot a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dropzero.topologies.orchestration.metrics import Standing

Kills = Sequence[tuple[int, str]]
"""(step, name) of each process killed."""


def plot(standings: Sequence[Standing], path: Path, title: str, kills: Kills = ()) -> None:
    """Draw loss, accuracy, and the bytes sent compared with dense training, step by step, as a PNG."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    steps = [standing.step for standing in standings]
    figure, (learning, traffic) = plt.subplots(1, 2, figsize=(12, 4.3), layout=ConstrainedLayoutEngine(wspace=0.06))
    figure.suptitle(title)
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
    for step, killed in kills:
        for axis in (learning, traffic):
            axis.axvline(step, color="tab:red", lw=1, ls=":")
            axis.annotate(
                f"{killed} killed",
                (step, 0.7),
                xycoords=("data", "axes fraction"),
                rotation="vertical",
                color="tab:red",
                ha="right",
                va="center",
            )
    figure.savefig(path, dpi=120)
    plt.close(figure)
