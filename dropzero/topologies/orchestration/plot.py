"""Plots a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dropzero.figures import BAD, COLOURS, MUTED, End, drawn, label_ends
from dropzero.topologies.orchestration.metrics import Standing

Kills = Sequence[tuple[int, str]]
"""(step, name) of each process killed."""
Spreads = Sequence[tuple[float, float]]
"""The least and the largest of the workers' losses, step by step."""


def plot(standings: Sequence[Standing], path: Path, title: str, spreads: Spreads, kills: Kills = ()) -> None:
    """Draws, as a PNG: the minibatch loss with the workers' range, the test accuracy, and the bytes sent next to those
    of dense training, by step."""
    steps = [standing.step for standing in standings]
    with drawn(path, (12, 4), 3) as (figure, (loss, accuracy, traffic)):
        figure.suptitle(title, x=0.01, ha="left")
        blue, orange, green, *_ = COLOURS
        least, largest = zip(*spreads, strict=True)
        loss.fill_between(steps, least, largest, color=blue, alpha=0.2, lw=0)
        loss.plot(steps, [each.loss for each in standings], color=blue)
        scale = "log" if min(least) > 0 else "linear"
        loss.set(title="minibatch loss, mean and range", xlabel="step", yscale=scale)
        ends = {loss: [End(f"{standings[-1].loss:.3g}", steps[-1], standings[-1].loss, blue)]}
        known = [(each.step, 100 * each.accuracy) for each in standings if each.accuracy is not None]
        accuracy.set(title="test accuracy, %", xlabel="step")
        if known:
            accuracy.plot(*zip(*known, strict=True), color=green)
            ends[accuracy] = [End(f"{known[-1][1]:.1f} %", *known[-1], green)]
        dense, sent = ([getattr(each, name) / 1e6 for each in standings] for name in ("dense", "sent"))
        traffic.plot(steps, dense, "--", color=MUTED)
        traffic.plot(steps, sent, color=orange)
        traffic.set(title="bytes on the uplinks so far, MB", xlabel="step", ylim=(0, None))
        ends[traffic] = [
            End(f"dense {dense[-1]:.3g}", steps[-1], dense[-1], MUTED),
            End(f"sent {sent[-1]:.3g}", steps[-1], sent[-1], orange),
        ]
        for axis in (loss, accuracy, traffic):
            axis.set_xlim(0, steps[-1])
            for step, killed in kills:
                axis.axvline(step, color=BAD, lw=1, ls=":")
                place = (step, 0.5)
                text = f"{killed} killed"
                axis.annotate(
                    text,
                    place,
                    xycoords=("data", "axes fraction"),
                    rotation="vertical",
                    color=BAD,
                    ha="right",
                    va="center",
                )
        label_ends(ends)
