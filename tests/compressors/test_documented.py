"""The specs of docs/compression.md train an embedding model of 83,520 parameters."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from dropzero.compressors.compression import Compression, DivergenceWarning
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import Spec, SpecError
from dropzero.experiments.trials.training import load
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent
from dropzero.streams import stream

PAGE = Path(__file__).parents[2] / "docs/compression.md"
WORKERS, STEPS, RATE = 2, 25, 40.0
ONE_SCALE = "qsgd(1,bucket=0)"
"""The page names it because it diverges."""
REFUSED = "topk(0.1)+terngrad(2.5)+ef"
"""The page names it because it is refused."""


def documented() -> list[str]:
    """All specs between backticks, with a share for the t of IBGD and ISEGA."""
    found = []
    for text in dict.fromkeys(re.findall(r"`([^`\n]+)`", PAGE.read_text())):
        try:
            found.append(str(Spec.parse(text.replace("(t,", "(0.25,"))))
        except SpecError:
            continue
    return found


def test_the_page_names_the_specs_of_the_papers() -> None:
    assert {"qsgd(4)+diana", "terngrad+diana", "gtopk(0.001)+ef", "randk(0.25,block=32)+diana"} <= set(documented())


@pytest.mark.parametrize("spec", sorted(set(documented()) - {ONE_SCALE, REFUSED}))
def test_documented_specs_train_a_large_model(spec: str) -> None:
    task = load("words")
    assert task.model.size > 50_000
    compression = Compression(spec, InProcessNetwork(WORKERS), task.model.named_parameters)
    # Momentum makes steps ten times as long, and elements of a sign are larger than those of a gradient.
    rate = RATE / 10 if "momentum" in spec else 1e-3 if spec == "majority" else RATE
    estimator = Training(task, compression.ranks, WORKERS, task.batch)
    optimizer = Descent(task.model.initial(0), estimator, compression, WORKERS, rate)
    held_out = task.held_out[:2000]

    def loss() -> float:
        return task.model.loss(optimizer.x, held_out.images, held_out.labels)

    first = loss()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DivergenceWarning)
        for _ in range(STEPS):
            optimizer.step()
    assert loss() < first


def test_a_documented_spec_that_cannot_train_is_refused_before_the_first_step() -> None:
    assert REFUSED in documented()
    with pytest.raises(SpecError, match="needs a compressor whose error is never larger than the vector"):
        Compression(REFUSED, InProcessNetwork(WORKERS), load("words").model.size)


def test_a_run_that_diverges_is_named_with_its_omega() -> None:
    compression = Compression(f"{ONE_SCALE}+diana", InProcessNetwork(1), 1000)
    vector = stream(0, "vector").standard_normal((1, 1000)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DivergenceWarning)
        compression.aggregate(np.zeros_like(vector))
        with pytest.raises(FloatingPointError):
            compression.aggregate(np.nan * vector)
        compression.aggregate(vector)
        compression.aggregate(900 * vector)
    with pytest.warns(DivergenceWarning, match=r"diverges: in sum 3 .* omega of .* is 62.2: .* 374 times"):
        compression.aggregate(1100 * vector)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DivergenceWarning)
        compression.aggregate(1200 * vector)


def test_one_scale_for_a_large_vector_must_be_asked_for() -> None:
    network = InProcessNetwork(4)
    default, bucket, whole = (
        Compression(spec, network, 100_000).omega for spec in ("qsgd(1)", "qsgd(1,bucket=128)", ONE_SCALE)
    )
    assert default == bucket
    assert default is not None
    assert whole is not None
    assert whole > 20 * default
