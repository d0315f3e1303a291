"""GaussianK: the number of elements it keeps, its speed, and its accuracy."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.compression import Workers
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import Spec
from dropzero.compressors.vectors import Vector
from dropzero.experiments.claims.feedback.digits import NEAR, OFF, POINT, distance, trials
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import final
from dropzero.streams import stream

DENSITIES = (0.001, 0.01, 0.05)
DRAWN = 100_000
TIMED = (100_000, 1_000_000, 25_000_000)
"""Elements of the vectors whose selection is timed; the last number is judged."""
FASTER = 2
ON_A_CPU = "on a CPU the exact selection takes few passes, too; the paper measures GPUs"

Draw = Callable[[np.random.Generator], NDArray[np.float64]]
DISTRIBUTIONS: dict[str, Draw] = {
    "Gaussian": lambda draw: draw.standard_normal(DRAWN),
    "Laplace": lambda draw: draw.laplace(size=DRAWN),
    "Student t, 3": lambda draw: draw.standard_t(3, DRAWN),
    "90 % zeros": lambda draw: draw.standard_normal(DRAWN) * (draw.random(DRAWN) < 0.1),
    "Gaussian, mean 1": lambda draw: 1 + draw.standard_normal(DRAWN),
    "uniform": lambda draw: draw.uniform(-1, 1, DRAWN),
}

_training = trials({"training, top-k": "topk(0.01)+ef", "training, GaussianK": "gaussiank(0.01)+ef"})


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    draw = stream(0, "distributions")
    for series, vector in DISTRIBUTIONS.items():
        for density in DENSITIES:
            kept = np.count_nonzero(_sparsify(f"gaussiank({density})", vector(draw).astype(np.float32)))
            yield {"series": series, "density": density, "kept / k": kept / (density * DRAWN)}
    if isinstance(network, InProcessNetwork):
        # Not on the rack, where the workers compete for cores.
        for elements in TIMED:
            elements = elements // 10 if quick else elements
            for name, faster in _speed(elements).items():
                yield {"series": "speed", "elements": elements, "exact": name, "times faster": faster}
    yield from _training(network, quick)


def _sparsify(spec: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
    return Spec.parse(spec).sparsifier.compress(x, stream(0, "sparsifier"))


def partitioned(x: Vector, count: int) -> Vector:
    """The `count` largest elements, as numpy finds them, and zeros."""
    chosen = np.argpartition(np.abs(x), len(x) - count)[len(x) - count :]
    kept = np.zeros_like(x)
    kept[chosen] = x[chosen]
    return kept


def _speed(elements: int) -> dict[str, float]:
    """The times of exact selections of the largest 1 %, by numpy and here, over that of GaussianK."""
    x = stream(0, "speed").standard_normal(elements, np.float32)

    def seconds(work: Callable[[], object]) -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    # In turn, so that a busy machine affects all of them.
    exact: dict[str, Callable[[], object]] = {
        "argpartition": lambda: partitioned(x, elements // 100),
        "the exact top-k here": lambda: _sparsify("topk(0.01)", x),
    }
    times: dict[str, list[float]] = {name: [] for name in exact}
    for _ in range(7):
        own = seconds(lambda: _sparsify("gaussiank(0.01)", x))
        for name, work in exact.items():
            times[name].append(seconds(work) / own)
    return {name: median(ratios) for name, ratios in times.items()}


def _judge(rows: Sequence[Row]) -> Verdict:
    counts = [(str(row["series"]), float(row["kept / k"])) for row in rows if "kept / k" in row]
    normal = [count for series, count in counts if series == "Gaussian"]
    trained = [row for row in rows if "accuracy" in row]
    found = final(trained)
    gaussian, exact = found["training, GaussianK"], found["training, top-k"]
    most = max(count for _, count in counts)
    text = f"of Gaussian values {min(normal):.2f} to {max(normal):.2f} k are kept, of any at most {most:.2f} k; "
    text += f"accuracy {100 * gaussian:.1f} %, with exact top-k {100 * exact:.1f} %"
    fewest = min(count for _, count in counts)
    conditions = [
        at_least("least kept of any values, k", fewest, 0.5),
        at_most("most kept of any values, k", most, 2),
        at_least("least kept of Gaussian values, k", min(normal), 0.8),
        at_most("most kept of Gaussian values, k", max(normal), 1.2),
        at_most("accuracy below exact top-k", exact - gaussian, POINT),
        at_most(OFF, distance(trained), NEAR),
    ]
    timed = [row for row in rows if "times faster" in row]
    for row in (row for row in timed if row["elements"] == timed[-1]["elements"]):
        conditions.append(at_least(f"times as fast as {row['exact']}", float(row["times faster"]), FASTER, ON_A_CPU))
        text += f"; {row['times faster']:.1f} times as fast as {row['exact']}"
    return Verdict(text, conditions)


GAUSSIAN = Experiment(
    name="gaussiank",
    claim="A threshold computed as if gradients were Gaussian keeps about k elements, trains as well as exact top-k, "
    "and takes less than half of its time ([GaussianK]). Where gradients are not Gaussian, exact selection takes over.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("density", "kept / k", log="x"),
    hosts=8,
)
