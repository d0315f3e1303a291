"""What top-k leaves of the vectors of a real training, layer by layer, and how many elements GaussianK finds there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dropzero.compressors.compression import Compression, Workers
from dropzero.compressors.memory import ErrorFeedback
from dropzero.compressors.sparsifiers import GaussianK
from dropzero.compressors.vectors import Vector, keep_largest
from dropzero.experiments.trials.experiment import Axes, Condition, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.training import load
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent
from dropzero.streams import stream

MODELS = ("mlp", "cnn", "words", "characters")
DENSITIES = (0.001, 0.01, 0.1)
RECORDED = (1, 4, 15, 60)
"""Steps at which the vectors are measured."""
NEAR = 2
NOT_GAUSSIAN = (
    "tails are heavy in a first gradient and where most elements are zero, and thin once the largest were sent"
)
WHOLE = "whole"
LINEAR, SQUARE = "1 - k/d", "(1 - k/d)^2"
EDGES = np.linspace(-4.1, 4.1, 42)
"""Edges of the histograms' bins, in standard deviations; the middle bin is around 0."""
MIDDLE = "share nearer to the mean than a deviation"
HELD, HALF = "norm of the memory over that of the vector, least", 0.5
WITHIN = 0.63
"""More like a Gaussian vector, with 0.683, than a uniform one, with 0.577."""


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Trains with GaussianK and error feedback. Measures one worker's u: the gradient and what was not sent so far."""
    densities, recorded = (DENSITIES[1:], RECORDED[:-1]) if quick else (DENSITIES, RECORDED)
    for density in densities:
        yield {"series": LINEAR, "k / d": density, "error": 1 - density}
        yield {"series": SQUARE, "k / d": density, "error": (1 - density) ** 2}
    for model in MODELS:
        for density in densities:
            for step, part, x, held in _vectors(model, network, density, recorded):
                measured: Row = _measured(x, GaussianK(density)) | {HELD: held}
                yield {"series": f"{model}, {part}", "model": model, "density": density, "step": step, **measured}


def _vectors(
    model: str, network: Workers, density: float, steps: Sequence[int]
) -> Iterator[tuple[int, str, Vector, float]]:
    """Yields u of the whole model and of its parts in these steps, and how large a part of u comes from the memory:
    the norm of what was not sent before, over that of u."""
    task = load(model)
    compression = Compression(f"gaussiank({density})+ef", network, task.model.size)
    estimator = Training(task, compression.ranks, network.size, task.batch, 0)
    optimizer = Descent(task.model.initial(0), estimator, compression, network.size, task.learning_rate)
    memory = compression.memory
    assert isinstance(memory, ErrorFeedback)
    for step in range(1, max(steps) + 1):
        before = np.array(np.atleast_1d(memory.residual)[:1])
        sent = optimizer.step().sent
        if step in steps:
            # The memory holds what was not sent of u.
            u = (sent + memory.residual)[0]
            held = float(np.linalg.norm(before) / np.linalg.norm(u))
            yield step, WHOLE, u, held
            yield from ((step, f"part {number}", u[part], held) for number, part in enumerate(task.model.parts, 1))


def _measured(x: Vector, sparsifier: GaussianK) -> Row:
    """error: |x - top_k(x)|^2 / |x|^2. The k that GaussianK estimates and keeps, over k."""
    k = sparsifier.kept(len(x))
    left = np.square(x - keep_largest(x, k), dtype=np.float64).sum() / np.square(x, dtype=np.float64).sum()
    return {
        "k / d": k / len(x),
        "error": float(left),
        f"error over {LINEAR}": float(left) / (1 - k / len(x)),
        f"error over {SQUARE}": float(left) / (1 - k / len(x)) ** 2,
        "estimated k / k": np.count_nonzero(np.abs(x) > sparsifier.threshold(x)) / k,
        "kept k / k": np.count_nonzero(sparsifier.compress(x, stream(0, "unused"))) / k,
    }


def _from_memory(rows: Sequence[Row]) -> Condition:
    """The condition that vectors come from error feedback: those of the last step, where least is sent."""
    kept = [row for row in rows if HELD in row]
    last, fewest = max(float(row["step"]) for row in kept), min(float(row["density"]) for row in kept)
    held = min(float(row[HELD]) for row in kept if row["step"] == last and row["density"] == fewest)
    return at_least(HELD, held, HALF)


def _judge(rows: Sequence[Row]) -> Verdict:
    told, conditions = [], []
    for model in MODELS:
        worst = max(float(row[f"error over {SQUARE}"]) for row in rows if row.get("model") == model)
        conditions.append(at_most(f"error over {SQUARE}, worst, {model}", worst, 1))
        told.append(f"of {model} top-k leaves at most {worst:.3f} {SQUARE}")
    conditions.append(_from_memory(rows))
    return Verdict("; ".join(told), conditions)


CONTRACTION = Experiment(
    name="contraction",
    claim="The vectors that error feedback gives to top-k in training are bell-shaped, in the whole model and in every "
    "part of it: without the largest k of d elements, at most (1 - k/d)^2 of the squared norm remains, not only "
    "1 - k/d ([GaussianK]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("k / d", "error", log="x"),
    workers=(4,),
)


def _judge_estimates(rows: Sequence[Row]) -> Verdict:
    told, conditions = [], []
    for density in sorted({float(row["density"]) for row in rows if "density" in row}):
        whole = [row for row in rows if row.get("density") == density and str(row["series"]).endswith(WHOLE)]
        estimated, kept = ([float(row[f"{name} k / k"]) for row in whole] for name in ("estimated", "kept"))
        at = f"{100 * density:g} %"
        conditions += [
            at_least(f"least estimated k over k, at {at}", min(estimated), 1 / NEAR, NOT_GAUSSIAN),
            at_most(f"most estimated k over k, at {at}", max(estimated), NEAR, NOT_GAUSSIAN),
            at_least(f"least kept k over k, at {at}", min(kept), 1 / NEAR, NOT_GAUSSIAN),
        ]
        told.append(
            f"at {at} GaussianK estimates {min(estimated):.2f} to {max(estimated):.2f} k, and keeps {min(kept):.2f} to "
            f"{max(kept):.2f} k"
        )
    return Verdict("; ".join(told), conditions)


ESTIMATES = Experiment(
    name="estimates",
    claim="In training, too, a threshold computed as if vectors were Gaussian selects k elements of the whole model to "
    "within a factor of 2, and GaussianK's corrections keep at least half of k ([GaussianK]).",
    trials=_trials,
    verdict=_judge_estimates,
    axes=Axes("step", "estimated k / k", log="x"),
    workers=(4,),
    refuted=NOT_GAUSSIAN,
)


def _histograms(network: Workers, quick: bool) -> Iterator[Row]:
    """Turns the vectors of _vectors into histograms: in each bin, the `share` of elements, and how many standard
    `deviations` the bin is from the mean."""
    density, recorded = DENSITIES[1], RECORDED[:-1] if quick else RECORDED
    for model in MODELS:
        for step, part, x, held in _vectors(model, network, density, recorded):
            if part == WHOLE:
                away = (x - x.mean(dtype=np.float64)) / x.std(dtype=np.float64)
                counts, _ = np.histogram(away, EDGES)
                series, middle = f"{model}, step {step}", float((np.abs(away) < 1).mean())
                for center, count in zip((EDGES[1:] + EDGES[:-1]) / 2, counts, strict=True):
                    bar: Row = {"series": series, "deviations": float(center), "share": count / len(x)}
                    yield bar | {MIDDLE: middle, "density": density, "step": step, HELD: held}


def _judge_histograms(rows: Sequence[Row]) -> Verdict:
    middles = {str(row["series"]): float(row[MIDDLE]) for row in rows}
    peaks = []
    for series in middles:
        peak = max((row for row in rows if row["series"] == series), key=lambda row: float(row["share"]))
        peaks.append(abs(float(peak["deviations"])))
    least = min(middles, key=lambda series: middles[series])
    return Verdict(
        f"at least {100 * middles[least]:.0f} % of the elements are nearer to the mean than a deviation ({least}), "
        f"of a Gaussian 68 %; the fullest bin is at most {max(peaks):.1f} deviations away",
        [
            at_least(f"{MIDDLE}, least", middles[least], WITHIN),
            at_most("deviations from the mean to the fullest bin, most", max(peaks), 1),
            _from_memory(rows),
        ],
    )


HISTOGRAMS = Experiment(
    name="histograms",
    claim="The elements of the vectors that error feedback gives to the compressor in training are densest at their "
    "mean, with more of them near it than without a peak. That is why the largest few hold most of the squared norm "
    "([GaussianK] section 3).",
    trials=_histograms,
    verdict=_judge_histograms,
    axes=Axes("deviations", "share", log="y"),
    workers=(4,),
)
