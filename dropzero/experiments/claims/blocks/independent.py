"""Independent blocks of gradients against all of them ([IBGD])."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import Traffic, arrival
from dropzero.methods import steps
from dropzero.methods.catalogue import gd, ibgd
from dropzero.methods.optimizers import Descent
from dropzero.problems.data import interpolating
from dropzero.problems.linear import Ridge
from dropzero.streams import stream

TARGET = 1e-8
SLACK, WHOLE = 1.1, 1.001
GD, HALF_GD = "GD, 1/L", "GD, 1/2L"
TIGHT, PAPERS = "IBGD, tight step", "IBGD, paper's step"
SWEEP = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
SWEPT = 20
WIRE_BLOCK = 32
SAMPLES = 4
PENALTY = 0.1
WIRE_TARGET, WIRE_LIMIT = 1e-4, 400
PAUSE = 0.05
WHY = {
    "up": "a worker answers every block that another one sends, with a header",
    "down": "the switch returns every block that any worker sends, 1 - (1 - 1 / n)^n of them, in twice the iterations",
}
"""Why an independent draw of blocks may need more bytes, of each direction."""


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """In process, every coordinate is a block, as in the paper; on the rack, blocks are those that the switch skips.
    sent: the share of its elements that a worker sends, counted in its messages."""
    workers = network.size
    block, blocks = (1, 100) if isinstance(network, InProcessNetwork) else (32, 20)
    problem = interpolating(workers, blocks * block)
    smoothness = problem.worker_smoothness
    share = 1 / workers

    def row(series: str, share: float, optimizer: Descent) -> Row:
        found = arrival(optimizer, problem.gap, TARGET, 4000)
        sent = found.sent / problem.size
        return {"series": series, "tau": share, "gamma": optimizer.gamma, "iterations": found.steps, "sent": sent}

    def sparse(series: str, share: float, gamma: float, dense: Row, shared: bool = False) -> Row:
        """Adds `theory`: the iterations that the paper's formulas make of those of gradient descent."""
        found = row(series, share, ibgd(problem, network, share, block=block, gamma=gamma, shared=shared))
        variance = (1 / share - 1) / (1 if shared else workers) * (2 if dense is half else 1)
        return found | {"theory": float(dense["iterations"]) * (1 + variance)}

    # Plotted at the tau of the comparison.
    whole = row(GD, share, gd(problem, network, gamma=1 / smoothness))
    half = row(HALF_GD, share, gd(problem, network, gamma=1 / (2 * smoothness)))
    yield whole
    yield half
    yield sparse(TIGHT, share, steps.ibgd_interpolating(smoothness, workers, share), whole)
    yield sparse(PAPERS, share, steps.ibgd(smoothness, workers, share), half)
    if workers == SWEPT or block > 1:
        for each in SWEEP:
            if each * blocks >= 1:
                gamma = steps.ibgd_interpolating(smoothness, workers, each)
                yield sparse(f"tau sweep, n = {workers}", each, gamma, whole)
        # One draw for all workers: the variance is that of one worker.
        yield sparse("shared seed", share, steps.ibgd_interpolating(smoothness, 1, share), whole, shared=True)


def _judge(rows: Sequence[Row]) -> Verdict:
    ratios = [(row, float(row["iterations"]) / float(row["theory"])) for row in rows if "theory" in row]
    worst = max(ratio for _, ratio in ratios)
    conditions = [at_most("iterations over the theory's, worst", worst, SLACK)]
    together = [ratio for row, ratio in ratios if row["series"] == "shared seed"]
    conditions += [at_least("with one draw for all, over the theory's", ratio, 1 / SLACK) for ratio in together]
    told = []
    for workers in dict.fromkeys(row["workers"] for row in rows):
        of = {row["series"]: row for row in rows if row["workers"] == workers}
        tight, papers = (
            float(of[sparse]["iterations"]) / float(of[dense]["iterations"])
            for sparse, dense in ((TIGHT, GD), (PAPERS, HALF_GD))
        )
        told.append(f"n = {workers:.0f}: {tight:.2f} and {papers:.2f}")
        sent = tight * float(of[TIGHT]["sent"]) / float(of[GD]["sent"])
        share = max(float(of[series]["sent"]) for series in (TIGHT, PAPERS)) * float(workers)
        conditions.append(at_most(f"share of its elements that a worker sends, times n = {workers:.0f}", share, WHOLE))
        conditions.append(
            at_most(f"numbers sent over those of GD, n = {workers:.0f}", sent, 2 * SLACK / float(workers))
        )
    text = f"iterations against GD with the tight and the paper's step, {', '.join(told)}"
    return Verdict(f"{text}; with every tau at most {worst:.2f} times the theory's", conditions)


INDEPENDENT = Experiment(
    name="independent",
    claim="With tau = 1/n of the blocks from each of n workers, drawn independently, gradient descent needs at most "
    "2 - 1/n times the iterations (3 - 2/n with the paper's step): 100 workers can leave out 99 % of what they send "
    "([IBGD]). With fewer blocks it needs 1 + (1 / tau - 1) / n times the iterations, and with one draw for all "
    "workers 1 / tau times.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("tau", "iterations", log="xy"),
    workers=(5, 10, 20, 50, 100),
    hosts=5,
)


def _wire_trials(network: Workers, quick: bool) -> Iterator[Row]:
    """As many blocks as workers, of the size that packets carry, and one block from each worker. began, ended: of the
    row's packets, in seconds since the Unix epoch."""
    workers = network.size
    features = stream(0, "wire").standard_normal((workers, SAMPLES, WIRE_BLOCK * workers)) / sqrt(WIRE_BLOCK * workers)
    problem = Ridge(features, np.zeros((workers, SAMPLES)), PENALTY)
    gamma = steps.ibgd_interpolating(problem.worker_smoothness, workers, 1 / workers)
    for series, optimizer in (
        (GD, gd(problem, network)),
        (TIGHT, ibgd(problem, network, 1 / workers, block=WIRE_BLOCK, gamma=gamma)),
    ):
        # The optimum is 0.
        optimizer.x = np.ones(problem.size)
        began = _silence()
        traffic = Traffic(network)
        found = arrival(optimizer, problem.gap, WIRE_TARGET, WIRE_LIMIT)
        row: Row = {"series": series, "n": workers, "iterations": found.steps, **traffic.row()}
        row["sent"] = found.sent / problem.size
        yield row | {"began": began, "ended": _silence()}


def _silence() -> float:
    """Pauses, and returns the time in the middle, by which captures count bytes. The workers are within one call of
    each other, so all have finished what is before, and none has begun what comes next."""
    time.sleep(PAUSE)
    middle = time.time()
    time.sleep(PAUSE)
    return middle


def _wire_judge(rows: Sequence[Row]) -> Verdict:
    conditions = []
    for workers in dict.fromkeys(float(row["workers"]) for row in rows):
        of = {str(row["series"]): row for row in rows if row["workers"] == workers}
        for way, why in WHY.items():
            ratio = float(of[TIGHT][f"bytes {way}"]) / float(of[GD][f"bytes {way}"])
            conditions.append(at_most(f"bytes {way} over those of GD, n = {workers:.0f}", ratio, 1, why))
        share = float(of[TIGHT]["sent"]) * workers
        conditions.append(at_most(f"share of its elements that a worker sends, times n = {workers:.0f}", share, WHOLE))
        most = max(float(row["iterations"]) for row in of.values())
        conditions.append(at_most(f"iterations to the same gap, n = {workers:.0f}", most, WIRE_LIMIT))
    told = (f"{each.name} {each.measured:.2f}" for each in conditions if each.name.startswith("bytes"))
    return Verdict("; ".join(told), conditions)


def _wire_table(rows: Sequence[Row]) -> str:
    """A worker's bytes, and in brackets how many times those of gradient descent these are."""
    lines = ["| n | method | iterations | up | down |", "|---|---|---|---|---|"]
    for row in rows:
        (dense,) = (each for each in rows if each["workers"] == row["workers"] and each["series"] == GD)
        cells = [
            f"{float(row[key]):,.0f} ({float(row[key]) / float(dense[key]):.2f})" for key in ("bytes up", "bytes down")
        ]
        lines.append(f"| {row['n']} | {row['series']} | {row['iterations']} | {' | '.join(cells)} |")
    return "\n".join(lines)


WIRE = Experiment(
    name="independent-bytes",
    claim="Independent blocks, 1 / n of them from each of n workers, take fewer bytes than gradient descent in both "
    "directions, headers included. (The paper counts the numbers that workers send; [IBGD].)",
    trials=_wire_trials,
    verdict=_wire_judge,
    axes=Axes("n", "bytes up", log="xy"),
    workers=(5, 20, 100),
    hosts=5,
    table=_wire_table,
    captured=True,
    refuted="; ".join(WHY.values()),
)
