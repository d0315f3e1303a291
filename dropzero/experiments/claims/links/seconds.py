"""Seconds until a model has learned: fixed compressions, and one that chooses what it sends.

In process, the seconds are those of racks in virtual time, on several kinds of links; on the rack, those of its own
links. The defaults of the one that chooses were found with two of the tasks, and the others are a test of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression, Workers, group_of
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import Traffic
from dropzero.experiments.trials.training import load
from dropzero.experiments.trials.virtual import VirtualNetwork
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent
from dropzero.simulator.kernel.links import Quality

EVERY = 5
"""Steps between two evaluations, whose time does not count."""
AVERAGED = 5
"""The number of evaluations whose mean is the loss."""
SEEDS = 5
SLACK, SLACK_AFTER_CHANGE = 1.05, 1.1
DENSE, TUNED = "dense", "tuned"
SCHEMES = {
    DENSE: "none",
    "8 bits": "fixed8+ef",
    "blocks, 10 %": "topk(0.1,block=32)+ef",
    "blocks, 3 %, 8 bits": "topk(0.03,block=128)+ef+fixed8",
    "blocks, 10 %, 8 bits": "topk(0.1,block=128)+ef+fixed8",
    "blocks, 30 %, 8 bits": "topk(0.3,block=128)+ef+fixed8",
    "GaussianK, 1 %": "gaussiank(0.01)+ef",
    "THC": "thc(4)+ef",
    "DIANA": "qsgd(7,bucket=128)+diana",
    TUNED: "blockcat+ef+fixed8",
}


class Goal(NamedTuple):
    """A task. target: the held-out loss, nats; limit: of the steps; middle: the step after which a link changes;
    computing: virtual seconds of a step."""

    target: float
    limit: int
    middle: int
    computing: float


CHARACTERS = "characters"
GOALS = {
    CHARACTERS: Goal(2.55, 400, 75, 3e-3),
    "mlp": Goal(0.06, 400, 60, 5e-4),
    "clicks": Goal(0.16, 400, 75, 1e-3),
    "cnn": Goal(0.065, 400, 60, 2e-3),
}
TARGET = GOALS[CHARACTERS].target


@dataclass(frozen=True)
class Links:
    """The links of a rack. after: what they change to in the middle of a run."""

    quality: Quality
    after: Quality | None = None


def _links(rate: int, milliseconds: float = 0.05, loss: float = 0.0) -> Quality:
    return Quality(rate * 1_000_000, round(milliseconds * 1e6), loss)


LINKS = {
    "20 Mbit/s": Links(_links(20)),
    "100 Mbit/s": Links(_links(100)),
    "1,000 Mbit/s": Links(_links(1000)),
    "100 Mbit/s, 1 % loss": Links(_links(100, loss=0.01)),
    "20 Mbit/s, 5 ms": Links(_links(20, 5)),
    "100, then 20 Mbit/s": Links(_links(100), _links(20)),
}
RACK = "the rack's"
QUICK = "mlp", "20 Mbit/s"


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    for seed in range(1 if quick else SEEDS):
        if not isinstance(network, InProcessNetwork):
            for series, spec in SCHEMES.items():
                yield until(series, spec, network, seed) | {"task": CHARACTERS, "links": RACK}
            continue
        tasks, links = ([QUICK[0]], {QUICK[1]: LINKS[QUICK[1]]}) if quick else (list(GOALS), LINKS)
        for task, (series, spec) in product(tasks, SCHEMES.items()):
            # What a fixed compression sends does not depend on the links.
            for some in [links] if series != TUNED else [{name: each} for name, each in links.items()]:
                yield from _virtual(series, spec, network.size, network.lanes, seed, task, some)


def _virtual(
    series: str, spec: str, workers: int, lanes: int, seed: int, task: str, links: dict[str, Links]
) -> Iterator[Row]:
    """Trains on a rack with each of these links, in virtual time."""
    goal = GOALS[task]
    network = VirtualNetwork(workers, [each.quality for each in links.values()], lanes=lanes, seed=seed)

    def before(step: int) -> None:
        network.compute(goal.computing)
        if step == goal.middle:
            for rack, each in enumerate(links.values()):
                if each.after:
                    network.change(rack, each.after)

    steps, arrived, times = _train(spec, network, seed, task, lambda: network.times, before)
    for name, seconds in zip(links, times, strict=True):
        row: Row = {"series": series, "spec": spec, "seed": seed, "task": task, "links": name, "step": steps}
        yield row | {"seconds" if arrived else "seconds so far": seconds}


def until(series: str, spec: str, network: Workers, seed: int) -> Row:
    """Trains CHARACTERS until the held-out loss is TARGET. seconds: until then; `seconds so far` if it is not after all
    steps. In one process they are those of the network alone, by its model; on the rack everything counts that a step
    does."""
    group, traffic = group_of(network), Traffic(network)
    steps, arrived, (seconds,) = _train(spec, network, seed, CHARACTERS, lambda: [group.seconds], lambda _: None)
    row = traffic.row() | {"series": series, "spec": spec, "seed": seed, "step": steps}
    return row | {"seconds" if arrived else "seconds so far": seconds}


def _train(
    spec: str,
    network: Workers,
    seed: int,
    name: str,
    clocks: Callable[[], Sequence[float]],
    before: Callable[[int], None],
) -> tuple[int, bool, list[float]]:
    """Trains a task until the mean of the last AVERAGED losses is its target. Returns the steps, whether it is, and the
    seconds by each clock, interpolated between two evaluations. before: called with the number of each step."""
    task, goal = load(name), GOALS[name]
    compression = Compression(spec, network, task.model.named_parameters, seed=seed)
    estimator = Training(task, compression.ranks, network.size, task.batch, seed)
    optimizer = Descent(task.model.initial(seed), estimator, compression, network.size, task.learning_rate)
    seconds: NDArray[np.float64] = np.zeros(len(clocks()))
    losses: list[float] = []
    last = inf
    for step in range(0, goal.limit, EVERY):
        start = np.array(clocks())
        for number in range(step, step + EVERY):
            before(number)
            optimizer.step()
        spent = np.array(clocks()) - start
        losses.append(task.model.loss(optimizer.x, task.held_out.images, task.held_out.labels))
        loss = fmean(losses[-AVERAGED:])
        if loss <= goal.target:
            share = (last - goal.target) / (last - loss) if last < inf else 1.0
            return step + EVERY, True, (seconds + share * spent).tolist()
        seconds, last = seconds + spent, loss
    return goal.limit, False, seconds.tolist()


def seconds(row: Row, own: str) -> float:
    """The seconds of a run of `until`. One that was given up would have taken longer: a lower bound, but a failure of
    the series `own`."""
    return float(row.get("seconds", inf if row["series"] == own else row.get("seconds so far", inf)))


class Comparison(NamedTuple):
    """The seconds of a task on some links. taken: of each series, by seed; best: the fixed one with the least
    median; ratios: the tuned one's over the best one's; dense: over dense's."""

    taken: dict[str, dict[float, float]]
    best: str
    ratios: list[float]
    dense: list[float]


def _compared(rows: Sequence[Row]) -> dict[tuple[str, str], Comparison]:
    """By task and links."""
    found: dict[tuple[str, str], dict[str, dict[float, float]]] = {}
    for row in rows:
        taken = found.setdefault((str(row["task"]), str(row["links"])), {})
        taken.setdefault(str(row["series"]), {})[float(row["seed"])] = seconds(row, TUNED)
    compared = {}
    for where, taken in found.items():
        own = taken[TUNED]
        fixed = [series for series in taken if series != TUNED]
        best = min(fixed, key=lambda series: median(taken[series].values()))
        ratios, dense = ([own[seed] / each for seed, each in taken[series].items()] for series in (best, DENSE))
        compared[where] = Comparison(taken, best, ratios, dense)
    return compared


def _judge(rows: Sequence[Row]) -> Verdict:
    conditions, told = [], []
    for (task, links), each in _compared(rows).items():
        slack = SLACK_AFTER_CHANGE if links == RACK or LINKS[links].after else SLACK
        for ratios, other, limit in ((each.ratios, "the best fixed one", slack), (each.dense, "dense", 1.0)):
            name = f"{task}, {links}: seconds over {other}'s, median of the seeds"
            conditions.append(at_most(name, median(ratios), limit))
        told.append(f"{median(each.ratios):.2f} times {each.best} with {task} on {links}")
    return Verdict(f"the tuned one takes the seconds of the best fixed one, {'; '.join(told)}", conditions)


def markdown(rows: Sequence[Row]) -> str:
    """The seconds on each network, medians of the seeds, and the tuned one's over the best fixed one's."""
    lines = [f"| task | links | {' | '.join(SCHEMES)} | over the best |", "|---" * (len(SCHEMES) + 3) + "|"]
    for (task, links), each in _compared(rows).items():
        medians = [median(each.taken[series].values()) for series in SCHEMES]
        ratios = f"{median(each.ratios):.2f} ({min(each.ratios):.2f} to {max(each.ratios):.2f})"
        lines.append(f"| {task} | {links} | {' | '.join(f'{taken:.3g}' for taken in medians)} | {ratios} |")
    return "\n".join(lines)


SECONDS = Experiment(
    name="seconds",
    claim="Workers that measure in each step what a block costs on their network, and choose by that how many to send, "
    "train four models in at most 1.05 times the seconds of the best of nine fixed compressions in hindsight, and "
    "never slower than dense: on links of 20, 100 and 1,000 Mbit/s, of 100 Mbit/s with 1 % loss, and of 20 Mbit/s with "
    "5 ms; in at most 1.1 times these on links that change from 100 to 20 Mbit/s, and on a rack ([CAT]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("workers", "seconds", bars=True),
    workers=(4,),
    rate=100.0,
    table=markdown,
)
