from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.packing import bits_of, pack, unpack
from dropzero.compressors.quantizers import (
    Atomo,
    Dithering,
    FixedPoint,
    Integers,
    Natural,
    OneBit,
    Quantizer,
    probabilities,
)
from dropzero.compressors.spec import SpecError
from dropzero.compressors.vectors import Rows, Vector
from dropzero.protocol.tensor.fixedpoint import magnitude_bits
from tests.compressors.vectors import column, draws, gaussian, squared, vectors

TERNARY_INF = Dithering(norm=np.inf, own=True)
TERNARY_2 = Dithering(own=True)


def decoded(quantizer: Quantizer, x: Vector, draw: np.random.Generator) -> Vector:
    """The result of a single worker."""
    return quantizer.add(x[np.newaxis], 1, InProcessNetwork(1), [draw]).total


def samples(quantizer: Quantizer, x: Vector, count: int) -> Rows:
    draw = draws(1)
    return np.array([decoded(quantizer, x, draw) for _ in range(count)])


@pytest.mark.parametrize(
    "quantizer",
    [
        Dithering(1, own=True),
        Dithering(4, own=True),
        Dithering(16, own=True),
        Dithering(127, own=True),
        TERNARY_INF,
        Dithering(norm=1, own=True),
        Dithering(4),
        Dithering(norm=np.inf),
        Natural(),
        Atomo(3),
    ],
    ids=lambda each: type(each).__name__,
)
def test_unbiased_compressors_are_within_their_omega(quantizer: Quantizer) -> None:
    """The mean of N draws is within four standard errors of the vector."""
    x, count = gaussian(1, 1000), 1000
    omega = quantizer.omega(1000, 1)
    assert omega is not None

    drawn = samples(quantizer, x, count)

    spread = squared(drawn - x) / count
    assert spread <= omega * squared(x)
    assert squared(drawn.mean(axis=0, dtype=np.float64) - x) <= 16 * spread / count


LEAST = float(np.finfo(np.float32).smallest_subnormal)
"""Shared units are normal floats."""


class Stratum:
    """Random numbers that are all equal: averaging over the middles of equal strata gives an exact expectation."""

    def __init__(self, shown: float) -> None:
        self.shown = shown

    def random(self, size: int = 0, dtype: type = np.float64, out: Vector | None = None) -> NDArray[np.floating[Any]]:
        if out is None:
            return np.full(size, self.shown, dtype)
        out[:] = self.shown
        return out


def scaled_for(x: Vector) -> Integers:
    quantizer = Integers()
    quantizer.observe(x, 1)
    return quantizer


def norm(x: Vector, order: float) -> float:
    return float(np.linalg.norm(x.astype(np.float64), order)) if len(x) else 0.0


def buckets(x: Vector, size: int, order: float) -> NDArray[np.float64]:
    """The norm of each element's bucket."""
    return np.array([norm(x[i // size * size :][:size], order) for i in range(len(x))])


def shared(unit: float) -> float:
    """The largest power of two that the shared unit can be."""
    return max(2 * unit, LEAST)


@pytest.mark.parametrize("spec", ["qsgd(127)", "qsgd(127,own)", "qsgd(127,own,bucket=7)"])
def test_multiples_of_the_smallest_float_arrive_unchanged(spec: str) -> None:
    """That is the unit, because none is smaller."""
    rows = np.random.default_rng(0).integers(-9, 10, (2, 20)) * np.float32(2.0**-149)
    np.testing.assert_array_equal(Compression(spec, InProcessNetwork(2), 20).aggregate(rows).sent, rows)


@pytest.mark.parametrize(
    ("make", "gap"),
    [
        (lambda x: Dithering(norm=1, own=True), lambda x: norm(x, 1)),
        (lambda x: TERNARY_2, lambda x: norm(x, 2)),
        (lambda x: TERNARY_INF, lambda x: norm(x, np.inf)),
        (lambda x: Dithering(5, own=True), lambda x: norm(x, 2) / 5),
        (lambda x: Dithering(), lambda x: shared(norm(x, 2))),
        (lambda x: Dithering(norm=np.inf), lambda x: shared(norm(x, np.inf))),
        (lambda x: Dithering(127), lambda x: shared(norm(x, 2) / 127)),
        (lambda x: Dithering(norm=np.inf, own=True, bucket=7), lambda x: buckets(x, 7, np.inf)),
        (lambda x: Dithering(3, own=True, bucket=1), lambda x: buckets(x, 1, 2) / 3),
        (lambda x: Dithering(norm=np.inf, bucket=7), lambda x: np.maximum(2 * buckets(x, 7, np.inf), LEAST)),
        (lambda x: Natural(), lambda x: np.abs(x, dtype=np.float64)),
        (scaled_for, lambda x: 1 / (scaled_for(x).scale or np.inf)),
    ],
    ids=[
        "l1",
        "l2",
        "inf",
        "5 levels",
        "shared l2",
        "shared inf",
        "shared 127 levels",
        "buckets",
        "buckets of 1",
        "shared buckets",
        "natural",
        "int",
    ],
)
@settings(max_examples=20)
@given(x=vectors)
def test_unbiased_quantizers_are_within_their_omega_for_any_vector(
    make: Callable[[Vector], Quantizer], gap: Callable[[Vector], float | NDArray[np.float64]], x: Vector
) -> None:
    """For any length, with zeros and the smallest floats. gap: between the two values that an element may get."""
    x, strata = x[np.abs(x) < 1e15], 32
    quantizer = make(x)
    dice: list[Any] = [Stratum((i + 0.5) / strata) for i in range(strata)]
    drawn = np.array([decoded(quantizer, x, each) for each in dice], np.float64)

    # Ignore rounding to float32.
    rounding = 1e-6 * norm(x, np.inf) + 1e-44
    off = np.abs(drawn.mean(axis=0) - x)
    np.testing.assert_array_less(off, gap(x) / strata + rounding)
    omega = quantizer.omega(len(x), 1)
    # The vector may be too small for a matching unit.
    if omega is not None and not np.array_equal(gap(x), LEAST):
        slack = squared(np.full(len(x), gap(x))) / strata + rounding * norm(x, 1)
        assert squared(drawn - x) / strata <= omega * squared(x) + slack


@pytest.mark.parametrize(("levels", "most"), [(1, 31.6), (4, 7.91), (16, 1.98), (127, 0.062)])
def test_qsgds_variance_and_non_zeros(levels: int, most: float) -> None:
    """For d = 1000 Gaussians: a variance of at most min(d/s^2, sqrt(d)/s), and at most s (s + sqrt d) non-zeros."""
    x = gaussian(1, 1000)
    drawn = samples(Dithering(levels, own=True), x, 1000)

    assert squared(drawn - x) / 1000 / squared(x) <= most
    assert np.count_nonzero(drawn) / 1000 <= levels * (levels + 1000**0.5)


@pytest.mark.parametrize(
    ("quantizer", "norm"), [(TERNARY_2, 2), (TERNARY_INF, np.inf), (Dithering(norm=1, own=True), 1)]
)
def test_one_level_has_exactly_the_variance_of_its_formula(quantizer: Dithering, norm: float) -> None:
    """E|Q(x) - x|^2 = |x|_1 |x|_p - |x|^2."""
    x = gaussian(2, 1000)
    wide = x.astype(np.float64)
    expected = float(np.abs(wide).sum() * np.linalg.norm(wide, norm) - squared(x))

    assert squared(samples(quantizer, x, 2000) - x) / 2000 == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("own", [False, True])
def test_each_bucket_is_quantized_as_a_separate_vector(own: bool) -> None:
    """Its elements are multiples of its own unit, whatever the other buckets have; a last one may be shorter."""
    rows = gaussian(7, 4, 50) * np.repeat(np.array([1, 1e-6, 1e6, 0], np.float32), [16, 16, 16, 2])
    network, streams = InProcessNetwork(4), [draws(i) for i in range(4)]
    whole = Dithering(norm=np.inf, own=own, bucket=16).add(rows, 1, network, streams)
    for start in range(0, 50, 16):
        part, sent = (each[:, start : start + 16] for each in (rows, whole.sent))
        most = np.abs(part).max(axis=None if not own else 1, keepdims=True)
        assert (np.abs(sent) <= (1 if own else 2) * most * (1 + 1e-6)).all()
        assert sent.any() == part.any()
    np.testing.assert_allclose(whole.total, whole.sent.sum(axis=0), rtol=1e-6)


def test_the_bounds_are_attained() -> None:
    """All ones for l2, and (1, t, ..., t) with t = 1 / (1 + sqrt d) for the largest magnitude."""
    root = 100**0.5
    for quantizer, norm, x in (
        (TERNARY_2, 2, np.ones(100)),
        (TERNARY_INF, np.inf, np.append(1, np.full(99, 1 / (1 + root)))),
    ):
        variance = np.abs(x).sum() * np.linalg.norm(x, norm) - squared(x)
        assert variance == pytest.approx((quantizer.omega(100, 1) or 0) * squared(x), rel=1e-12)


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_a_shared_scale_makes_small_integers_of_exact_sums(workers: int) -> None:
    """All workers' values are 0 or plus or minus one power of two, and their sum is exact to the last bit."""
    rows = gaussian(workers, workers, 500) * np.arange(1, workers + 1, dtype=np.float32)[:, None]
    result = Dithering(norm=np.inf).add(rows, 1, InProcessNetwork(workers), [draws(i) for i in range(workers)])

    unit = np.abs(result.sent).max()
    assert np.log2(unit) % 1 == 0
    assert unit / 2 < np.abs(rows).max() <= unit
    np.testing.assert_array_equal(result.total, result.sent.sum(axis=0, dtype=np.float64))
    assert np.abs(result.total).max() <= workers * unit


@pytest.mark.parametrize("workers", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("quantizer", [Dithering(norm=np.inf), Dithering(4), Dithering(127)])
def test_a_shared_scale_has_room_for_all_workers_largest_integers(quantizer: Dithering, workers: int) -> None:
    """All workers send the same single value, which is their norm."""
    rows = np.zeros((workers, 40), np.float32)
    rows[:, 7] = -0.999

    result = quantizer.add(rows, 1, InProcessNetwork(workers), [draws(i) for i in range(workers)])

    assert result.largest >= quantizer.levels / 2
    assert result.largest_sum > (workers - 1) * (result.largest - 1)
    np.testing.assert_array_equal(result.total, result.sent.sum(axis=0, dtype=np.float64))


def test_a_shared_scale_is_unbiased_for_each_worker() -> None:
    """E|Q(x) - x|^2 = s |x|_1 - |x|^2 with the common s."""
    rows, count = gaussian(1, 4, 300) * column(1, 0.1, 3, 2), 3000
    streams = [draws(i) for i in range(4)]
    results = [Dithering(norm=np.inf).add(rows, 1, InProcessNetwork(4), streams) for _ in range(count)]

    sent = np.array([result.sent for result in results])
    unit = np.abs(sent).max()
    spreads = np.square(sent - rows).sum(axis=2, dtype=np.float64).mean(axis=0)
    np.testing.assert_allclose(spreads, unit * np.abs(rows).sum(axis=1) - [squared(row) for row in rows], rtol=0.05)
    errors = [squared(mean) for mean in sent.mean(axis=0, dtype=np.float64) - rows]
    assert np.all(errors <= 16 * spreads / count)


def test_clipping_is_in_standard_deviations() -> None:
    x = gaussian(1, 10_000)
    x[7] = 100

    assert np.abs(decoded(Dithering(norm=np.inf, own=True, clip=2.5), x, draws())).max() == pytest.approx(
        2.5 * x.std(dtype=np.float64), rel=1e-5
    )
    assert Dithering(clip=2.5).omega(100, 1) is None


def test_messages_with_own_scales_are_added_up_by_every_worker() -> None:
    rows = gaussian(4, 5, 333) * column(1, 10, 0.1, 5, 0)
    for quantizer in (TERNARY_2, Dithering(7, own=True), OneBit()):
        result = quantizer.add(rows, 1, InProcessNetwork(5), [draws(i) for i in range(5)])
        np.testing.assert_allclose(result.total, result.sent.sum(axis=0), rtol=1e-5, atol=1e-5)
        assert not result.sent[4].any()


@given(st.integers(1, 127), st.lists(st.integers(-127, 127), max_size=70))
def test_packed_integers_come_out_again(levels: int, values: list[int]) -> None:
    codes = np.clip(np.array(values, np.int8), -levels, levels)
    words = pack(codes, levels)

    assert len(words) == -(-len(codes) // (32 // bits_of(levels)))
    np.testing.assert_array_equal(unpack(words, levels, len(codes)), codes)


def test_a_ternary_value_takes_two_bits() -> None:
    assert bits_of(1) == 2
    assert bits_of(127) == 8


@given(vectors)
def test_one_bit_keeps_the_means_of_both_signs(x: Vector) -> None:
    """The error is orthogonal to the result."""
    x = x[(np.abs(x) < 1e30) & ((np.abs(x) > 1e-30) | (x == 0))]
    sent = decoded(OneBit(), x, draws())

    assert len(np.unique(sent)) <= 2
    for side in (x < 0, x >= 0):
        if side.any():
            np.testing.assert_allclose(sent[side], x[side].mean(dtype=np.float64), rtol=1e-6)
    assert squared(x - sent) == pytest.approx(squared(x) - squared(sent), rel=1e-5, abs=1e-5 * squared(x))


@given(vectors)
def test_natural_goes_to_a_neighbouring_power_of_two(x: Vector) -> None:
    x = x[np.abs(x) < 1e38]
    sent = _natural_of(x)

    powers = np.abs(sent[sent != 0]).astype(np.float64)
    assert not np.any(np.log2(powers) % 1)
    magnitudes = np.abs(x[x != 0]).astype(np.float64)
    assert np.all((powers <= 2 * magnitudes) & (magnitudes < 2 * powers))
    np.testing.assert_array_equal(sent[x == 0], 0)
    np.testing.assert_array_equal(np.sign(sent), np.sign(x))


def _natural_of(x: Vector) -> Vector:
    """The decoded vector, before the switch's fixed point."""
    sent: Vector = Natural().add(x[np.newaxis], 1, InProcessNetwork(1), [draws()]).sent[0]
    return sent


@pytest.mark.parametrize("atoms", [1, 3, 5, 40])
def test_atomo_keeps_about_the_given_number_of_atoms(atoms: int) -> None:
    values = np.sort(np.abs(gaussian(1, 30)))[::-1].astype(np.float64) ** 3
    values[25:] = 0

    odds = probabilities(values, atoms)

    assert odds.sum() == pytest.approx(min(atoms, 25))
    assert odds.min() >= 0
    assert odds.max() <= 1
    unsure = (odds < 1) & (odds > 0)
    if unsure.any():
        assert np.ptp(odds[unsure] / values[unsure]) <= 1e-12 * (odds[unsure] / values[unsure]).max()


def test_atomos_variance_is_that_of_its_probabilities() -> None:
    """Sum lambda^2 / p - |lambda|^2, which for s-balanced values is |lambda|_1^2 / s - |lambda|^2."""
    x, count = gaussian(2, 400), 1500
    values = np.linalg.svd(x.reshape(20, 20), compute_uv=False).astype(np.float64)
    variance = (values**2 / probabilities(values, 3)).sum() - squared(x)
    assert variance == pytest.approx(values.sum() ** 2 / 3 - squared(x))

    assert squared(samples(Atomo(3), x, count) - x) / count == pytest.approx(variance, rel=0.05)


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("workers", [2, 8, 32])
def test_fixed_point_is_as_exact_as_its_bits(width: int, workers: int) -> None:
    rows = gaussian(width, workers, 256 * 4)
    result = FixedPoint(width, few_bits=True).add(rows, 256, InProcessNetwork(workers), [])

    units = 2.0 ** (
        np.ceil(np.log2(np.abs(rows).reshape(workers, 4, 256).max(axis=(0, 2))))
        - magnitude_bits(width, workers, few_bits=True)
    )
    errors = np.abs(result.total - rows.sum(axis=0, dtype=np.float64)).reshape(4, 256).max(axis=1)
    # Rounding by half a unit (one element of a block by up to a whole one), and rounding of the sum to float32.
    assert np.all(errors <= workers * units + 1e-5)
    if width < 32:
        np.testing.assert_allclose(result.total, result.sent.sum(axis=0, dtype=np.float64), rtol=1e-6, atol=1e-6)
        assert np.all(np.abs(result.sent - rows).reshape(workers, 4, 256).max(axis=(0, 2)) <= units)


@pytest.mark.parametrize(("workers", "error"), [(2, 0.017), (8, 0.05), (32, 0.33)])
def test_8_bits_are_too_few_for_many_workers(workers: int, error: float) -> None:
    """Scales that are powers of two cost up to one bit compared with the reference."""
    rows = gaussian(3, workers, 256 * 20)
    total = FixedPoint(8, few_bits=True).add(rows, 256, InProcessNetwork(workers), []).total

    exact = rows.sum(axis=0, dtype=np.float64)
    assert error / 4 <= np.sqrt(squared(total - exact) / squared(exact)) <= 2 * error


def test_an_exact_total_is_the_sum_of_what_was_sent() -> None:
    """Though the workers' values have all sizes."""
    rows = gaussian(0, 3, 256) * np.float32(2) ** np.arange(-12, 12).repeat(32)[:768].reshape(3, 256)
    added = FixedPoint().add(rows.astype(np.float32), 32, InProcessNetwork(3), (), exact=True)
    np.testing.assert_array_equal(added.total, added.sent.sum(axis=0, dtype=np.float64))
    np.testing.assert_allclose(added.sent, rows, rtol=0, atol=np.abs(rows).max() * 2.0**-20)


def test_error_feedback_recovers_the_rounding_errors() -> None:
    """Rounding errors of 8 bits are sent in later steps."""
    network = InProcessNetwork(8)
    compression = Compression("ef+fixed8", network, 512)
    rows = gaussian(1, 8, 512)
    total = sum(compression.aggregate(rows).total.astype(np.float64) for _ in range(50))

    exact = 50 * rows.sum(axis=0, dtype=np.float64)
    assert np.sqrt(squared(total - exact) / squared(exact)) < 0.01


def test_integers_are_unbiased_with_the_error_of_their_scale() -> None:
    """E|error|^2 <= d / (4 a^2)."""
    x, count = gaussian(1, 500), 2000
    quantizer = Integers()
    quantizer.observe(x, 1)
    assert 0.5 < quantizer.scale * np.sqrt(2 * squared(x) / 500) <= 2

    drawn = samples(quantizer, x, count)

    spread = squared(drawn - x) / count
    assert spread <= 500 / (4 * quantizer.scale**2)
    assert squared(drawn.mean(axis=0, dtype=np.float64) - x) <= 16 * spread / count


@pytest.mark.parametrize("width", [8, 16, 32])
def test_integers_add_up_exactly(width: int) -> None:
    rows = gaussian(1, 6, 500)
    quantizer = Integers(width)
    quantizer.observe(rows.sum(axis=0), 6)

    result = quantizer.add(rows, 1, InProcessNetwork(6), [draws(i) for i in range(6)])

    np.testing.assert_array_equal(result.total, result.sent.sum(axis=0, dtype=np.float64))
    assert result.largest == np.abs(result.sent * quantizer.scale).max()
    assert not np.any(result.sent * quantizer.scale % 1)


def test_integers_wrap_and_only_their_sum_has_to_fit() -> None:
    """Two workers' integers of 34 bits, which cancel."""
    quantizer = Integers()
    quantizer.observe(np.full(10, 1e-10, np.float32), 2)
    rows = np.array([np.full(10, 5.0), np.full(10, -4.5)], np.float32)
    rows[1, 5:] = -5

    result = quantizer.add(rows, 1, InProcessNetwork(2), [draws(0), draws(1)])

    assert result.largest > 2**33
    np.testing.assert_array_equal(result.total[5:], 0)
    assert not np.allclose(result.total[:5], 0.5), "a sum of 2^31 and more does not fit"


def heterogeneous(spec: str, steps: int) -> tuple[list[float], NDArray[np.float64]]:
    """Gradient descent on quadratics whose gradients do not vanish at the common optimum. Returns the largest integer
    of each step, and the final distance from the optimum."""
    workers, size = 8, 40
    targets = 10 * gaussian(1, workers, size).astype(np.float64)
    curvatures = np.linspace(0.6, 1, size)
    point = np.zeros(size)
    compression = Compression(spec, InProcessNetwork(workers), size)
    largest = []
    for _ in range(steps):
        aggregate = compression.aggregate(curvatures * (point - targets))
        point -= 0.5 * aggregate.total / workers
        largest.append(aggregate.largest)
    return largest, point - targets.mean(axis=0)


def test_integers_of_gradients_grow_and_those_of_differences_do_not() -> None:
    """IntGD against IntDIANA on workers that differ."""
    gradients, _ = heterogeneous("int(beta=0)", 450)
    differences, _ = heterogeneous("int(beta=0)+diana(1)", 450)

    assert max(gradients) > 2**32
    assert max(differences) < 2**5


def test_ternary_differences_reach_the_optimum_and_ternary_gradients_do_not() -> None:
    """DIANA against TernGrad; the switch adds -1, 0 and 1."""
    shifted, error = heterogeneous("terngrad+diana(0.15)", 600)
    plain, floor = heterogeneous("terngrad", 600)

    assert set(shifted) == set(plain) == {1.0}
    assert np.abs(error).max() < 1e-12
    assert np.abs(floor).max() > 1e-2


@pytest.mark.parametrize("elements", [0, 1, 5])
@pytest.mark.parametrize(
    "quantizer",
    [FixedPoint(), FixedPoint(8), Dithering(), Dithering(own=True), Integers(), OneBit(), Natural(), Atomo(2)],
    ids=lambda quantizer: type(quantizer).__name__,
)
def test_short_and_zero_vectors_work(quantizer: Quantizer, elements: int) -> None:
    zeros = np.zeros((3, elements), np.float32)
    for _ in range(2):
        result = quantizer.add(zeros, 1, InProcessNetwork(3), [draws(i) for i in range(3)])
        quantizer.observe(result.total, 3)
        np.testing.assert_array_equal(result.total, np.zeros(elements))
        np.testing.assert_array_equal(result.sent, zeros)


@pytest.mark.parametrize(
    "quantizer",
    [FixedPoint(), FixedPoint(8), Dithering(4), Dithering(4, own=True), OneBit(), Natural(), Atomo(2)],
    ids=lambda quantizer: type(quantizer).__name__,
)
@settings(max_examples=50)
@given(x=vectors)
def test_finite_vectors_give_finite_ones(quantizer: Quantizer, x: Vector) -> None:
    """From the smallest to nearly the largest float32, for one worker and for two."""
    rows = x * column(0.25, -0.125)
    result = quantizer.add(rows, 1, InProcessNetwork(2), [draws(0), draws(1)])

    assert np.isfinite(result.total).all()
    assert np.isfinite(result.sent).all()


@pytest.mark.parametrize("workers", [1, 2, 31, 32])
def test_values_divided_by_small_probabilities_have_a_finite_sum(workers: int) -> None:
    row = draws(0).choice([-3e38, 3e38], 300).astype(np.float32)
    result = Atomo(1).add(np.tile(row, (workers, 1)), 1, InProcessNetwork(workers), [draws(1) for _ in range(workers)])
    assert result.sent.max() == np.nextafter(np.float32(np.finfo(np.float32).max / workers), np.float32(0))
    assert np.isfinite(result.total).all()


@pytest.mark.parametrize("workers", [1, 2, 5, 100])
def test_a_majority_decides_each_sign(workers: int) -> None:
    rows = gaussian(workers, workers, 301)
    rows[:, :40] = 0
    compression = Compression("majority", InProcessNetwork(workers), 301)
    aggregate = compression.aggregate(rows)
    np.testing.assert_array_equal(aggregate.total / workers, np.sign(np.sign(rows).sum(axis=0)))
    np.testing.assert_array_equal(aggregate.sent, np.sign(rows))
    assert aggregate.largest_sum <= workers


@pytest.mark.parametrize("memory", ["ef", "diana(1)", "ef21", "momentum"])
def test_a_majority_takes_no_memory(memory: str) -> None:
    with pytest.raises(SpecError, match="majority takes no memory"):
        Compression(f"majority+{memory}", InProcessNetwork(2), 10)
