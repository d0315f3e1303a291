"""Images a second over the workers, with float32 and with quantized integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Compression, Workers, group_of
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.experiments.claims.links.seconds import GOALS
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.training import load
from dropzero.experiments.trials.virtual import VirtualNetwork
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent
from dropzero.simulator.kernel.links import Quality

TASK = "cnn"
COUNTS = (1, 2, 4, 8)
"""Numbers of workers in virtual time."""
RATE = 10
"""The rate of each link, Mbit/s."""
LINKS = Quality(RATE * 1_000_000, 50_000)
STEPS, QUICK_STEPS = 300, 100
WARM = 5
"""Steps before the clock starts: the first calls compile, and open the windows."""
DENSE, TERNARY, LEVELS, GATHERED = "float32", "ternary", "4 levels", "ternary, gathered"
SPECS = {
    DENSE: "none",
    TERNARY: "terngrad+diana",
    LEVELS: "qsgd(4)+diana",
    GATHERED: "terngrad(own)+diana",
}
FASTER = 1.5
GROWTH = 0.95
FEW, MANY = 2, 8
"""Numbers of workers with which it is better to gather messages, and to add them."""
BEHIND = 0.03


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """In process: all COUNTS of workers, in virtual time, where computing a gradient takes as long as in `seconds`."""
    steps = QUICK_STEPS if quick else STEPS
    for series, spec in SPECS.items():
        if isinstance(network, InProcessNetwork):
            for workers in COUNTS:
                rack = VirtualNetwork(workers, [LINKS], lanes=network.lanes)
                yield _train(series, spec, rack, steps) | {"workers": workers}
        else:
            yield _train(series, spec, network, steps)


def _train(series: str, spec: str, network: Workers, steps: int) -> Row:
    """images a second: of all workers together; accuracy: on held-out images, after all steps."""
    task, group = load(TASK), group_of(network)
    compression = Compression(spec, network, task.model.named_parameters)
    estimator = Training(task, compression.ranks, network.size, task.batch)
    optimizer = Descent(task.model.initial(0), estimator, compression, network.size, task.learning_rate)
    start = group.seconds
    for step in range(steps):
        if step == WARM:
            start = group.seconds
        if isinstance(network, VirtualNetwork):
            network.compute(GOALS[TASK].computing)
        optimizer.step()
    images = (steps - WARM) * network.size * task.batch
    accuracy = task.model.accuracy(optimizer.x, task.held_out.images, task.held_out.labels)
    return {
        "series": series,
        "spec": spec,
        "images a second": images / (group.seconds - start),
        "accuracy": accuracy,
    }


def _judge(rows: Sequence[Row]) -> Verdict:
    found = {
        measure: {(str(row["series"]), float(row["workers"])): float(row[measure]) for row in rows}
        for measure in ("images a second", "accuracy")
    }
    rates, accuracies = found.values()
    counts = sorted({workers for _, workers in rates})
    faster = [rates[series, count] / rates[DENSE, count] for series in (TERNARY, LEVELS) for count in counts]
    behind = [accuracies[DENSE, count] - accuracies[series, count] for series in SPECS for count in counts]
    least, most = counts[0], counts[-1]
    conditions = [
        at_least("images a second of added integers over float32's, least", min(faster), FASTER),
        at_most("accuracy below float32's, most", max(behind), BEHIND),
    ]
    if most > least:
        growth = [rates[series, most] / rates[series, least] * least / most for series in (DENSE, TERNARY, LEVELS)]
        conditions += [
            at_least(
                f"images a second with n = {most:.0f} over {most / least:.0f} times those with one, least",
                min(growth),
                GROWTH,
            ),
            at_least(f"images a second gathered over added, n = {FEW}", rates[GATHERED, FEW] / rates[TERNARY, FEW], 1),
            at_most(
                f"images a second gathered over added, n = {MANY}", rates[GATHERED, MANY] / rates[TERNARY, MANY], 1
            ),
        ]
    told = "; ".join(
        f"{series} {' and '.join(f'{rates[series, count]:,.0f}' for count in dict.fromkeys((least, most)))}"
        for series in SPECS
    )
    who = " and ".join(f"{count:.0f}" for count in dict.fromkeys((least, most)))
    return Verdict(f"images a second with n = {who}: {told}", conditions)


IMAGES = Experiment(
    name="images",
    claim="On links of 10 Mbit/s workers train a small CNN on at least 1.5 times as many images a second with integers "
    "that the switch adds, TernGrad's or QSGD's, as with float32, and end within 3 points of its accuracy. Images a "
    "second grow in proportion to the workers, up to 8. Ternary messages that workers gather are faster with 2 "
    "workers, and slower with 8 ([DIANA]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("workers", "images a second", log="xy"),
    workers=(8,),
    rate=float(RATE),
)
