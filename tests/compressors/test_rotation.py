"""THC: rotated integers with a common scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.rotation import CLIPS, Thc, rotated
from dropzero.compressors.spec import SpecError
from dropzero.compressors.vectors import Rows
from tests.compressors.vectors import column, gaussian, squared, vectors

ELEMENTS = 3000
"""Not a multiple of a bucket."""
Z = np.linspace(0, 8, 8001)
WEIGHTS = 2 * np.exp(-np.square(Z) / 2) / np.sqrt(2 * np.pi) * Z[1]
"""The density of |N(0, 1)| at the magnitudes Z, times their distance."""


def expected_error(clip: float, levels: int) -> float:
    """The mean squared error of clipping and rounding N(0, 1)."""
    unit = clip / levels
    rest = Z / unit - np.floor(Z / unit)
    return float((WEIGHTS * np.where(clip > Z, unit**2 * rest * (1 - rest), np.square(Z - clip))).sum())


def clipped(clip: float) -> float:
    """That of clipping alone."""
    return float((WEIGHTS * np.square(np.maximum(0, Z - clip))).sum())


def errors(spec: str, rows: Rows, draws: int) -> tuple[float, float]:
    """The squared error of the sum, on average, and that of the average sum; over the squared norm of the sum."""
    compression = Compression(spec, InProcessNetwork(len(rows)), rows.shape[1])
    true = rows.astype(np.float64).sum(axis=0)
    found = [compression.aggregate(rows).total - true for _ in range(draws)]
    return float(np.mean([squared(each) for each in found])) / squared(true), squared(np.mean(found, axis=0)) / squared(
        true
    )


@pytest.mark.parametrize("size", [8, 16, 1024])
def test_a_rotation_is_a_hadamard_transform_after_signs_and_has_an_inverse(size: int) -> None:
    x, signs, same = gaussian(1, 3 * size - 5), np.sign(gaussian(2, size)), np.ones(size, np.float32)
    factors = np.array([1, 0.5, 2])
    there = rotated(x, factors, signs, same)
    buckets = np.pad(x, (0, 5)).reshape(3, size) * factors[:, None] * signs
    np.testing.assert_allclose(there.reshape(3, size), buckets @ hadamard(size), atol=1e-3)
    back = rotated(there, 1 / factors / size, same, signs)
    np.testing.assert_allclose(back[: len(x)], x, atol=1e-5)
    assert np.abs(back[len(x) :]).max() < 1e-5


@pytest.mark.parametrize("bits", CLIPS)
def test_the_clips_have_the_least_error_of_normal_elements(bits: int) -> None:
    levels = Thc(bits).levels
    least = min(expected_error(clip, levels) for clip in np.arange(0.8, 4.5, 0.01))
    assert expected_error(CLIPS[bits], levels) < 1.001 * least


@pytest.mark.parametrize("bits", CLIPS)
@pytest.mark.parametrize("law", ["normal", "log-normal", "few elements"])
def test_the_error_is_at_most_that_of_normal_elements_whatever_the_vector_is(bits: int, law: str) -> None:
    rows = gaussian(bits, 1, ELEMENTS)
    if law == "log-normal":
        rows = np.sign(rows) * np.exp(2 * np.abs(rows))
    elif law == "few elements":
        rows[:, np.arange(ELEMENTS) % 32 > 0] = 0
    error, _ = errors(f"thc({bits})", rows, 20)
    normal = expected_error(CLIPS[bits], Thc(bits).levels)
    assert (0.9 * normal if law == "normal" else 0) < error < 1.1 * normal


def test_only_clipping_is_biased() -> None:
    """Over draws, and so over workers with the same vector, rounding averages out."""
    x, draws = gaussian(3, 1, 1024), 400
    error, bias = errors("thc(4)", x, draws)
    # Fresh signs average some of the clipping, too.
    assert error / draws < bias < 1.5 * clipped(CLIPS[4])
    alone, together = (errors("thc(4)", np.repeat(x, workers, axis=0), 20)[0] for workers in (1, 16))
    assert together < clipped(CLIPS[4]) + 2 * alone / 16


@settings(deadline=None, max_examples=50)
@given(vectors, st.integers(2, 8), st.integers(1, 32))
def test_the_sum_is_exactly_that_of_the_messages(vector: Rows, bits: int, workers: int) -> None:
    """As DIANA needs it, also of denormals and of nearly the largest numbers."""
    scales = np.ldexp(1.0, -3 * np.arange(workers)).astype(np.float32)[:, None]
    result = Compression(f"thc({bits},bucket=64)", InProcessNetwork(workers), len(vector)).aggregate(vector * scales)
    assert np.isfinite(result.total).all()
    np.testing.assert_array_equal(result.total, result.sent.astype(np.float64).sum(axis=0))


def test_zeros_are_not_sent() -> None:
    rows = gaussian(4, 2, 4096) * column(1, 0)
    rows[:, 1024:2048] = 0
    sent = Compression("thc(4)", InProcessNetwork(2), 4096).aggregate(rows).sent
    assert sent[0, :1024].any()
    assert not sent[1].any()
    assert not sent[0, 1024:2048].any()


def test_every_sum_has_another_rotation_and_all_workers_the_same() -> None:
    """Otherwise the error would be the same in each step, or the sums wrong."""
    compression = Compression("thc(8)", InProcessNetwork(3), 1024)
    rows = np.repeat(gaussian(5, 1, 1024), 3, axis=0)
    first, second = (compression.aggregate(rows).total / 3 - rows[0] for _ in range(2))
    assert max(squared(each) for each in (first, second)) < 1e-3 * squared(rows[0])
    assert abs(np.dot(first, second)) < 0.5 * squared(first)


@pytest.mark.parametrize(("workers", "width"), [(4, 8), (16, 8), (32, 16)])
def test_the_sum_of_4_bits_takes_as_few_bits_as_hold_it(workers: int, width: int) -> None:
    network = InProcessNetwork(workers)
    Compression("thc(4)", network, 1 << 16).aggregate(np.ones((workers, 1 << 16), np.float32))
    payload = network.statistics["bytes_sent"] / workers / (1 << 16) * 8
    assert width < payload < 1.4 * width


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("thc(1)", "there must be 2 to 8 bits, not 1"),
        ("thc(4,bucket=100)", "a power of two from 8 to 4096 elements, not 100"),
        ("topk(0.1)+thc(4)", "thc sends every element: it can't follow topk"),
    ],
)
def test_wrong_arguments_are_named(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Compression(spec, InProcessNetwork(2), 10)


def test_error_feedback_takes_the_bits_that_contract() -> None:
    """With 2 bits, or 3 and 32 workers, the noise of small vectors may be larger than they are."""
    for spec, workers in (("thc(3)+ef", 16), ("thc(4)+ef", 32)):
        assert Compression(spec, InProcessNetwork(workers), ELEMENTS).delta
    for spec, workers in (("thc(2)+ef", 1), ("thc(3)+ef", 32)):
        with pytest.raises(SpecError, match="never larger than the vector"):
            Compression(spec, InProcessNetwork(workers), ELEMENTS)
