"""The specs of docs/compression.md train a recommender of 48,000 parameters, or say why they cannot."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dropzero.compressors.compression import Compression, CompressionWarning, DivergenceWarning
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import SpecError
from dropzero.experiments.claims.feedback.documented import DENSE, NEAR, behind, documented, told, trained
from dropzero.experiments.trials.experiment import Row
from dropzero.experiments.trials.training import load, train
from dropzero.streams import stream

WORKERS, STEPS = 2, 120
ONE_SCALE = "qsgd(1,bucket=0)"
"""The page names it because it diverges."""
REFUSED = "topk(0.1)+terngrad(2.5)+ef"
"""The page names it because it is refused."""


@pytest.fixture(scope="module")
def dense() -> Row:
    return trained(DENSE, InProcessNetwork(WORKERS), "clicks", STEPS)


def test_the_page_names_the_specs_of_the_papers() -> None:
    assert {"qsgd(4)+diana", "terngrad+diana", "gtopk(0.01)+ef", "randk(0.5,block=32)+diana"} <= set(documented())


def test_a_new_line_of_the_page_is_tested() -> None:
    page = "| a paper | `topk(0.2)+ef`, `topk(t,block=32)+ef`; `topk(DENSITY)` |\nfaster than `qsgd(3)` and `make run`"
    assert documented(page) == ["topk(0.2)+ef", "topk(0.5,block=32)+ef", "qsgd(3)"]


@pytest.mark.parametrize("spec", documented())
def test_a_documented_spec_trains_nearly_as_well_as_dense_or_says_why_not(spec: str, dense: Row) -> None:
    assert load("clicks").model.size >= 48_000
    network = InProcessNetwork(WORKERS)
    assert told(spec, network, "clicks") or behind(trained(spec, network, "clicks", STEPS), dense) <= NEAR


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (ONE_SCALE, "the omega of .* is 528: theory allows steps 1.58e.03 times as short"),
        ("qsgd(4)+diana", "the omega of .* is 6.83: theory allows steps 21.5 times"),
        ("topk(0.01)", "loses what it does not send"),
        ("onebit", "loses what it does not send"),
        ("topk(0.001)+ef", "one element in 1000: elements are about as many steps late"),
        ("cat+ef", "one element in 48000: elements are about as many steps late"),
        ("topk(0.1)+ef21", "the delta of .* is 0.1: theory allows steps 19.5 times as short"),
        ("topk(0.5)+ef21sgdm", "the delta of .* is 0.5: theory allows steps 70 times as short"),
        ("majority", "sends signs"),
    ],
)
def test_a_compression_that_theory_warns_of_says_why_before_the_first_step(spec: str, words: str) -> None:
    with pytest.warns(CompressionWarning, match=words):
        Compression(spec, InProcessNetwork(WORKERS), 48_000)


@pytest.mark.parametrize(
    "spec",
    [
        DENSE,
        "topk(0.01)+ef",
        "cat(packets,overhead=1)+ef",
        "qsgd(127)",
        "thc(4)+ef",
        "randk(0.5)+diana",
        "onebit+ef",
        "thc(4)+ef21",
        "int",
    ],
)
def test_others_say_nothing(spec: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompressionWarning)
        Compression(spec, InProcessNetwork(WORKERS), 48_000)
        Compression(spec, InProcessNetwork(WORKERS), 0)


def test_a_rehearsal_does_not_warn_of_its_own_tensor() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompressionWarning)
        Compression.rehearse("topk(0.1)+ef; bias: terngrad+diana")


def test_a_documented_spec_that_cannot_train_is_refused_before_the_first_step() -> None:
    assert REFUSED in documented()
    with pytest.raises(SpecError, match="needs a compressor whose error is never larger than the vector"):
        Compression(REFUSED, InProcessNetwork(WORKERS), 48_000)


def test_a_run_that_diverges_is_named_with_its_omega() -> None:
    with pytest.warns(CompressionWarning, match="the omega of"):
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


def test_a_diverging_training_is_named_within_its_first_20_steps() -> None:
    task = load("clicks")
    run = train("", InProcessNetwork(4), ONE_SCALE, task=task, steps=20, batch=task.batch, rate=task.learning_rate)
    with pytest.warns(DivergenceWarning, match=r"this run diverges: in sum 1?\d gradients .* theory allows steps"):
        list(run)


@pytest.mark.filterwarnings("ignore:the omega")
def test_one_scale_for_a_large_vector_must_be_asked_for() -> None:
    network = InProcessNetwork(4)
    default, bucket, whole = (
        Compression(spec, network, 100_000).omega for spec in ("qsgd(1)", "qsgd(1,bucket=128)", ONE_SCALE)
    )
    assert default == bucket
    assert default is not None
    assert whole is not None
    assert whole > 20 * default
