"""The README's table: the cost of each scheme on a rack of slow links."""

from __future__ import annotations

from collections.abc import Sequence

from rich.filesize import decimal

from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.training import trainings

STEPS = 200
LEARNED = 0.9
SCHEMES = {
    "dense": "none",
    "8 bits": "fixed8+ef",
    "TernGrad": "terngrad",
    "QSGD, 127 levels": "qsgd(127)",
    "1-bit SGD": "onebit+ef",
    "top 1 %": "topk(0.01)+ef",
    "GaussianK, 1 %": "gaussiank(0.01)+ef",
    "blocks, 10 %": "topk(0.1,block=32)+ef",
    "blocks, 10 %, 8 bits": "topk(0.1,block=64)+ef+fixed8",
    "blocks, 1 %": "topk(0.01,block=32)+ef",
    "Block-CAT": "blockcat+ef+fixed8",
}
SPARSE = ("top 1 %", "GaussianK, 1 %", "blocks, 10 %", "blocks, 10 %, 8 bits", "blocks, 1 %", "Block-CAT")


def _judge(rows: Sequence[Row]) -> Verdict:
    dense, *others = rows
    sparse = [row for row in others if row["series"] in SPARSE]
    text = ", ".join(f"{row['series']} {float(row['seconds']):.1f} s" for row in (dense, *sparse))
    times = {row["series"]: float(row["seconds"]) / float(dense["seconds"]) for row in sparse}
    conditions = [at_most(f"time of {series} over dense", each, 1) for series, each in times.items()]
    least = min(float(row["accuracy"]) for row in rows)
    return Verdict(text, [*conditions, at_least("least accuracy", least, LEARNED)])


def markdown(rows: Sequence[Row]) -> str:
    """The rows as Markdown; bytes are a worker's, all headers included."""
    lines = ["| scheme | `--compress` | accuracy | up | down | seconds |", "|---|---|---|---|---|---|"]
    for row in rows:
        up, down = decimal(round(float(row["bytes up"]))), decimal(round(float(row["bytes down"])))
        lines.append(
            f"| {row['series']} | `{row['spec']}` | {100 * float(row['accuracy']):.1f} % | {up} | {down} "
            f"| {float(row['seconds']):.1f} |"
        )
    return "\n".join(lines)


TABLE = Experiment(
    name="table",
    claim="What a worker does not send, it does not wait for: on links of 50 Mbit/s sparse training takes less time "
    "than dense training.",
    # As `dropzero run` trains: 32 images for each worker, step sizes from 0.5 down to 0.
    trials=trainings(SCHEMES, steps=STEPS, quick=STEPS // 2, falls=True, points=1),
    verdict=_judge,
    axes=Axes("step", "seconds", bars=True),
    workers=(4,),
    rate=50.0,
    table=markdown,
)
