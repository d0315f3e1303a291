"""omega and delta of whole compressions, measured on vectors that are hard for them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import PARTS, WHOLE, SpecError
from dropzero.compressors.vectors import Rows
from tests.compressors.test_switch import EXAMPLES
from tests.compressors.vectors import column, gaussian

WORKERS, ELEMENTS, DRAWS = 3, 96, 50


def hard_cases() -> dict[str, Rows]:
    """(n, d) each."""
    one = np.zeros((WORKERS, ELEMENTS), np.float32)
    one[0, 5] = 1000
    spike = np.full((WORKERS, ELEMENTS), 1 / (1 + ELEMENTS**0.5), np.float32)
    spike[:, 0] = 1
    return {
        "Gaussian": gaussian(1, WORKERS, ELEMENTS),
        "equal": np.ones((WORKERS, ELEMENTS), np.float32),
        "a large one among equals": spike,
        "one worker's is large": one + 1e-3 * gaussian(2, WORKERS, ELEMENTS),
        "workers differ": gaussian(3, WORKERS, ELEMENTS) * column(1, 0.1, 0.01),
        "heavy tails": np.random.default_rng(4).standard_t(2, (WORKERS, ELEMENTS)).astype(np.float32),
    }


def measured(spec: str, rows: Rows) -> tuple[float, float]:
    """The mean and the standard error of sum |C(x) - x|^2 / sum |x|^2."""
    compression = Compression(spec, InProcessNetwork(WORKERS), ELEMENTS)
    whole = np.square(rows, dtype=np.float64).sum()
    errors: list[float] = []
    # Deterministic results are the same each time.
    while len(errors) < 3 or (len(errors) < DRAWS and len(set(errors)) > 1):
        sent = compression.aggregate(rows).sent.astype(np.float64)
        errors.append(float(np.square(sent - rows).sum() / whole))
    return float(np.mean(errors)), float(np.std(errors) / len(errors) ** 0.5)


COMPOSED = [
    f"{EXAMPLES.get(sparsifier, sparsifier)}+{EXAMPLES.get(quantizer, quantizer)}"
    for sparsifier, quantizer in product(PARTS["sparsifier"], [*PARTS["quantizer"], "qsgd(127)", "qsgd(127,own)"])
    if sparsifier == "none" or quantizer not in WHOLE
] + [
    "randk(0.6,block=4)",
    "randk(0.1,unscaled)+natural",
    "topk(0.02)+qsgd(32)",
    "cat(signs)+fixed8",
    "randcat(count=30,contractive)",
    "terngrad(2.5)",
]


@pytest.mark.parametrize("spec", COMPOSED)
def test_error_feedback_accepts_only_contractive_compressors(spec: str) -> None:
    plain = Compression(spec, InProcessNetwork(WORKERS), ELEMENTS)
    try:
        delta = Compression(f"{spec}+ef", InProcessNetwork(WORKERS), ELEMENTS).delta
    except SpecError:
        assert plain.delta is None
        return
    assert delta is not None
    for name, rows in hard_cases().items():
        mean, off = measured(spec, rows)
        assert mean <= 1 - delta + 4 * off + 1e-6, name


@pytest.mark.parametrize(
    "spec", ["topk(0.1,block=32)+qsgd(1)", "topk(0.5,block=4)+terngrad", "terngrad(2.5)", "qsgd(4)", "randk(0.1)"]
)
@pytest.mark.parametrize("memory", ["ef", "momentum"])
def test_error_feedback_refuses_compressors_that_expand(spec: str, memory: str) -> None:
    assert max(measured(spec, rows)[0] for rows in hard_cases().values()) > 1
    with pytest.raises(SpecError, match="needs a compressor whose error is never larger than the vector"):
        Compression(f"{spec}+{memory}", InProcessNetwork(WORKERS), ELEMENTS)


def test_a_stage_of_a_schedule_that_expands_is_refused() -> None:
    """Few elements have a small omega; the first stage sends all."""
    Compression("topk(0.01)+qsgd(127,bucket=0)+ef", InProcessNetwork(WORKERS), 10_000)
    with pytest.raises(SpecError, match="never larger"):
        Compression("topk(0.01)+qsgd(127,bucket=0)+ef+warmup(1,every=5)", InProcessNetwork(WORKERS), 10_000)


@pytest.mark.parametrize(
    "spec",
    [
        *("terngrad", "qsgd(1)", "qsgd(4)", "qsgd(127,bucket=0)", "quant(1)", "quant(2)", "natural", "atomo(3)"),
        *("quant(2,bucket=10)", "quant(1,bucket=2)", "terngrad(bucket=16)", "qsgd(4,bucket=40)"),
    ],
)
@pytest.mark.parametrize(
    "sparsifier", ["none", "randk(0.25,block=8)", "permk(block=8)", "randcat(packets,overhead=1,count=24)"]
)
def test_omega_holds_for_all_workers_vectors_together(spec: str, sparsifier: str) -> None:
    whole = f"{sparsifier}+{spec}" if spec != "atomo(3)" else spec
    omega = Compression(whole, InProcessNetwork(WORKERS), ELEMENTS).omega
    assert omega is not None
    for name, rows in hard_cases().items():
        mean, off = measured(whole, rows)
        assert mean <= omega + 4 * off + 1e-6, name


def test_omega_of_a_shared_scale_grows_with_the_workers_as_their_noise_does() -> None:
    """Where one worker's largest element sets everybody's scale, the others have a noise of about sqrt(n d)."""
    workers, elements = 16, 100
    compression = Compression("terngrad", InProcessNetwork(workers), elements)
    omega = (workers * elements) ** 0.5
    assert compression.omega == pytest.approx(omega)
    # A little more than a power of two, so that the scale is nearly twice the largest.
    rows = np.full((workers, elements), 1.01 / (1 + (workers * elements) ** 0.5), np.float32)
    rows[0, 0] = 1.01
    errors = [np.square(compression.aggregate(rows).sent - rows).sum() for _ in range(30)]
    assert 0.9 * omega < np.mean(errors) / np.square(rows).sum() < 1.05 * omega
