"""Workers leave, are late, return and enter while a method runs: replicas stay equal, and reach the optimum."""

from __future__ import annotations

import numpy as np
import pytest

from dropzero.compressors.spec import PARTS
from dropzero.methods.catalogue import independent
from dropzero.problems.data import conditioned
from dropzero.problems.linear import Ridge
from dropzero.streams import stream
from tests.support.compression_job import Job

WORKERS, SIZE, CONDITION = 4, 16, 2
LEAVE, ENTER = {4: 1, 12: 3}, {8: 1, 20: 3}
"""Who leaves before a step, and who enters: once with the rank of one who left, and once the last of them."""
LATE: dict[int, set[int]] = {2: {0}, 6: {2}, 7: {2}, 14: {0, 1}, 21: {3}}
"""Who is late for the calls of a step."""

DIFFERENCES = [
    "diana(1)",
    "randk(0.5,block=4)+diana",
    "randk(0.5,shared)+diana",
    "randcat(count=8)+diana",
    "permk(block=4)+diana",
    "fixed16+diana(1)",
    "fixed8+diana(1)",
    "qsgd(4)+diana",
    "qsgd(4,own)+diana",
    "terngrad+diana",
    "terngrad(own,bucket=4)+diana",
    "quant(2)+diana",
    "int+diana(1)",
    "natural+diana",
    "atomo(2)+diana",
    "topk(0.3)+ef21",
    "thc+ef21",
    "topk(0.3)+ef21sgdm(0.5)",
]
FEEDBACK = [
    "ef",
    "topk(0.25)+ef",
    "topk(0.25,block=4)+ef+fixed8",
    "gaussiank(0.25)+ef",
    "randk(0.25,unscaled)+ef",
    "dgc(0.25)+ef",
    "dgc(0.5)+momentum(0.5)+warmup(0.75,every=3)",
    "gtopk(0.25)+ef",
    "cltk(0.25)+ef",
    "cat+ef",
    "cat(signs)+ef",
    "randcat(contractive)+ef",
    "dynamic+ef",
    "blockcat(4,overhead=2)+ef",
    "blockcat(4,delay=0.05)+ef+fixed16",
    "onebit+ef",
    "topk(0.5)+natural+ef",
    "powersgd(1)+ef",
]
ABSOLUTE = {
    "threshold": "it sends nothing below its value, so it comes near the optimum only",
    "majority": "all its steps have the same length",
    "sketch": "the cells that it clears hold parts of other elements",
}


def one_optimum() -> Ridge:
    """Least squares whose workers share one optimum, with Hessians that differ by a tenth. There, the delayed parts of
    error feedback vanish; otherwise it would stop at a distance proportional to the step."""
    draw = stream(1, "one optimum")
    turns = np.linalg.qr(draw.standard_normal((SIZE, SIZE)))[0]
    scales = np.sqrt(SIZE * np.geomspace(1 / CONDITION, 1, SIZE)) * (0.9 + 0.1 * draw.random((WORKERS, SIZE)))
    features = scales[:, :, None] * turns
    return Ridge(features, features @ draw.standard_normal(SIZE))


def run(spec: str, problem: Ridge, gamma: float | None, steps: int) -> float:
    """The gap at the end over that at the start. All workers have the same bits after each step."""
    job = Job(spec, WORKERS, SIZE)
    omega, draws = job.workers[0].omega or 0.0, independent(job.workers[0], job.network)
    gamma = gamma or 1 / (problem.worker_smoothness * (1 + 2 * omega / draws))
    shards = [problem.shards([rank]) for rank in range(WORKERS)]
    x = {rank: np.zeros(SIZE) for rank in job.workers}
    for step in range(steps):
        if step in LEAVE:
            del job.workers[LEAVE[step]], x[LEAVE[step]]
        if step in ENTER:
            job.enter(ENTER[step])
            x[ENTER[step]] = x[0]
        gradients = {rank: shards[rank].gradients(x[rank])[0] for rank in job.workers}
        for rank, result in job.step(gradients, [LATE.get(step, set())] * 20).items():
            x[rank] = x[rank] - gamma * result.total / WORKERS
        assert len({each.tobytes() for each in x.values()}) == 1, f"step {step}"
        if problem.gap(x[0]) <= 1e-13 * problem.gap(np.zeros(SIZE)) and step > max(LATE):
            break
    return problem.gap(x[0]) / problem.gap(np.zeros(SIZE))


def test_every_part_is_tested() -> None:
    """Each sparsifier and quantizer, except those that cannot reach an optimum."""
    text = " ".join(DIFFERENCES + FEEDBACK)
    for kind in ("sparsifier", "quantizer", "memory"):
        defaults = {next(iter(PARTS[kind])), "fixed32"}
        assert {part for part in PARTS[kind] if part not in text} - defaults == ABSOLUTE.keys() & PARTS[kind].keys()


@pytest.mark.parametrize("spec", DIFFERENCES)
def test_differences_reach_the_optimum_of_workers_that_differ(spec: str) -> None:
    assert run(spec, conditioned(WORKERS, SIZE, CONDITION), None, 400) <= 1e-12


@pytest.mark.parametrize("spec", FEEDBACK)
def test_error_feedback_reaches_the_optimum_that_workers_share(spec: str) -> None:
    assert run(spec, one_optimum(), 0.25, 400) <= 1e-12
