"""Random numbers: no two things that draw share them."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from dropzero.compressors import pipeline
from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.methods import estimators
from dropzero.methods.catalogue import isaga, vr_diana
from dropzero.problems.data import breast_cancer, interpolating
from dropzero.streams import stream
from tests.support import ROOT
from tests.test_house import MODULES

NUMPYS_OWN = {
    "dropzero/streams.py": "it makes the streams",
    "dropzero/problems/digits.py": "the split that the accuracies in the documents belong to",
    "dropzero/softswitch/impairments/link.py": "unpredictable unless a seed is given; it has a domain of its own",
}
"""Who may seed NumPy, and why."""


def test_streams_differ_by_purpose_seed_and_numbers() -> None:
    names: list[tuple[int, str, tuple[int, ...]]] = [
        (seed, purpose, numbers)
        for seed in (0, 1, 2**32, 2**64)
        for purpose in ("samples", "compressor")
        for numbers in ((), (0,), (0, 0), (1,), (0, 1), (1, 0), (2**32,))
    ]
    first = {stream(seed, purpose, *numbers).integers(1 << 62) for seed, purpose, numbers in names}
    assert len(first) == len(names)
    assert stream(1, "samples", 2).random() == stream(1, "samples", 2).random()


def test_a_stream_is_the_same_for_all_types_of_integers() -> None:
    assert stream(3, "samples", 2).random() == stream(np.int64(3), "samples", np.int32(2)).random()  # type: ignore[arg-type]


def test_no_other_module_seeds_numpy() -> None:
    found = set()
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute | ast.Name):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                if name in ("default_rng", "SeedSequence", "RandomState"):
                    found.add(path.relative_to(ROOT).as_posix())
    assert found == NUMPYS_OWN.keys()


def test_every_stream_of_a_run_has_one_consumer(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[object, ...]] = []

    def recorded(*name: object) -> np.random.Generator:
        taken.append(name)
        return stream(*name)  # type: ignore[arg-type]

    for module in (estimators, pipeline):
        monkeypatch.setattr(module, "stream", recorded)
    optimizer = vr_diana(breast_cancer(3, 0.1), InProcessNetwork(3))
    for _ in range(3):
        optimizer.step()
    assert len(taken) == len(set(taken)) == 3 + 1 + 3 * 3


def test_a_workers_choice_of_blocks_is_independent_of_its_sample() -> None:
    """With one block in ten sent of one sample's gradient, the messages are on average a tenth of the mean gradient, on
    every worker: they are not if its block follows from its sample."""
    workers, draws = 3, 4000
    problem = breast_cancer(workers, 1e-3)
    shards = problem.shards(range(workers))
    x = np.ones(problem.size)
    sampler = estimators.Minibatch(shards, 1, seed=0)
    compression = Compression("randk(0.1,block=3)", InProcessNetwork(workers), problem.size)
    mean = sum(compression.aggregate(sampler.estimate(x)).sent for _ in range(draws)) / draws
    exact = shards.gradients(x)
    errors = np.linalg.norm(mean - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert errors.max() < 0.25


def test_isaga_with_one_block_a_worker_converges() -> None:
    problem = interpolating(1, 10, samples=20)
    optimizer = isaga(problem, InProcessNetwork(1), 0.1, block=1)
    first = problem.gap(optimizer.x)
    for _ in range(3000):
        optimizer.step()
    assert problem.gap(optimizer.x) < 0.5 * first
