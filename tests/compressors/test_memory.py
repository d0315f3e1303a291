from __future__ import annotations

import math

import numpy as np
import pytest

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.memory import ErrorFeedback, Momentum, Shift
from dropzero.compressors.spec import SpecError
from dropzero.compressors.vectors import Rows
from dropzero.streams import stream
from tests.compressors.vectors import gaussian
from tests.support.compression_job import Job


@pytest.mark.parametrize("spec", ["none", "topk(0.1,block=4)", "topk(0.5,block=7)", "gtopk(0.1)", "threshold(100)"])
def test_sent_and_held_back_parts_add_up_to_all_gradients(spec: str) -> None:
    """Small integers add without rounding in float32, so the identity holds exactly."""
    steps: Rows = np.random.default_rng(1).integers(-1000, 1000, (30, 2, 50)).astype(np.float32)
    compression = Compression(f"{spec}+ef", InProcessNetwork(2), 50)
    sent = sum(compression.aggregate(rows).sent for rows in steps)

    assert isinstance(compression.memory, ErrorFeedback)
    np.testing.assert_array_equal(sent + compression.memory.residual, steps.sum(axis=0))


@pytest.mark.parametrize("spec", ["topk(0.1)+ef(0.3)", "cltk(0.1,block=5)+ef(beta=0.05)"])
def test_a_filtered_memory_sends_everything_in_the_end(spec: str) -> None:
    """Also where the step size changes, and in more than one part: what was sent leaves a rest."""
    compression = Compression(spec, InProcessNetwork(2), 50)
    sent, given = np.zeros((2, 2, 50))
    for step, rate in enumerate((1, 1, 0.5, 0.1, 0.1, 2)):
        rows = gaussian(step, 2, 50)
        given += rate * rows
        sent += rate * compression.aggregate(rows, rate=rate).sent
    memory = compression.memory
    assert isinstance(memory, ErrorFeedback)
    np.testing.assert_allclose(sent + rate * memory.residual / memory.beta, given, rtol=0, atol=1e-4)
    assert np.count_nonzero(memory.residual) == np.size(memory.residual)


@pytest.mark.parametrize("beta", [0, 1.5])
def test_a_filter_outside_0_to_1_is_refused(beta: float) -> None:
    with pytest.raises(SpecError, match=r"ef: beta must be in \(0, 1\], not"):
        Compression(f"topk(0.1)+ef({beta})", InProcessNetwork(2), 50)


def test_without_memory_nothing_is_remembered() -> None:
    compression = Compression("topk(0.1)", InProcessNetwork(1), 20)
    first, again = (compression.aggregate(gaussian(1, 1, 20)).total for _ in range(2))

    np.testing.assert_array_equal(first, again)


def counter_example(spec: str, steps: int) -> float:
    """The final distance from the optimum of three quadratics <a, x>^2 + |x|^2 / 4 whose top-1 gradients all point the
    wrong way ([Biased]); starts at distance 1."""
    slopes = np.array([[-3, 2, 2], [2, -3, 2], [2, 2, -3]], np.float64)
    point = np.ones(3)
    compression = Compression(spec, InProcessNetwork(3), 3)
    for _ in range(steps):
        point -= 0.01 * compression.aggregate(2 * (slopes @ point)[:, None] * slopes + point / 2).total / 3
    return float(np.linalg.norm(point) / np.sqrt(3))


def test_top_1_diverges_without_error_feedback_and_converges_with_it() -> None:
    growth = counter_example("topk(0.3333)", 100)
    assert growth == pytest.approx((1 + 11 * 0.01 / 6) ** 100, rel=1e-5)
    assert growth == pytest.approx(6.1517, abs=1e-3)

    assert counter_example("topk(0.3333)+ef", 1500) < 1e-3


@pytest.mark.parametrize(
    "spec", ["terngrad+diana", "qsgd(1,own)+diana", "randk(0.2,block=4)+diana", "natural+diana(0.7)"]
)
def test_all_workers_know_the_sum_of_the_shifts(spec: str) -> None:
    compression = Compression(spec, InProcessNetwork(5), 64)
    for step in range(20):
        compression.aggregate(gaussian(step, 5, 64).astype(np.float64))

    assert isinstance(compression.memory, Shift)
    shifts = np.asarray(compression.memory.shifts)
    np.testing.assert_allclose(compression.memory.total, shifts.sum(axis=0), atol=1e-4 * np.abs(shifts).max())


@pytest.mark.parametrize("spec", ["terngrad", "qsgd(1,own)", "quant(1)"])
def test_the_first_step_is_the_quantizers_alone(spec: str) -> None:
    """With zero shifts it equals QSGD and TernGrad, bit for bit."""
    rows = gaussian(1, 4, 100)
    plain = Compression(spec, InProcessNetwork(4), 100, seed=3).aggregate(rows)
    shifted = Compression(f"{spec}+diana", InProcessNetwork(4), 100, seed=3).aggregate(rows)

    np.testing.assert_array_equal(plain.total, shifted.total)


def test_shifts_with_alpha_1_give_gradient_descent() -> None:
    compression = Compression("diana(1)", InProcessNetwork(4), 100)
    for step in range(5):
        rows = gaussian(step, 4, 100)
        np.testing.assert_allclose(compression.aggregate(rows).total, rows.sum(axis=0), rtol=0, atol=1e-5)


def test_alpha_is_as_large_as_the_compressor_allows() -> None:
    compression = Compression("randk(0.05,block=2)+diana", InProcessNetwork(4), 200)

    assert isinstance(compression.memory, Shift)
    assert compression.omega == pytest.approx(19)
    assert compression.memory.alpha == pytest.approx(0.05)


def test_ef21_is_a_shift_with_alpha_1() -> None:
    named, shifts = (Compression(f"topk(0.2){memory}", InProcessNetwork(3), 40) for memory in ("+ef21", "+diana(1)"))
    for step in range(5):
        rows = gaussian(step, 3, 40)
        np.testing.assert_array_equal(named.aggregate(rows).total, shifts.aggregate(rows).total)


@pytest.mark.parametrize("memory", ["ef21", "ef21sgdm"])
@pytest.mark.parametrize("spec", ["threshold(1)", "gtopk(0.1)", "randk(0.1)", "terngrad"])
def test_ef21_refuses_compressors_that_are_not_contractive(spec: str, memory: str) -> None:
    with pytest.raises(SpecError, match="delta above 0"):
        Compression(f"{spec}+{memory}", InProcessNetwork(3), 40)


def test_ef21sgdm_averages_gradients_from_the_first_one_on() -> None:
    """Also where a worker enters: what it would have begun with, if it had been there, is not known."""
    job = Job("ef21sgdm(0.25)", 2, 3)
    job.workers.pop(1)

    def step(*values: float) -> list[float]:
        gradients = {rank: np.full(3, value, np.float32) for rank, value in enumerate(values)}
        return [float(result.total[0]) for result in job.step(gradients).values()]

    assert step(8) == [8]
    assert step(16) == [10]
    job.enter(1)
    assert step(10, 100) == [110, 110]
    assert step(10, 0) == [85, 85]


def test_ef21sgdm_with_eta_1_is_ef21() -> None:
    average, plain = (Compression(f"topk(0.2)+{memory}", InProcessNetwork(3), 40) for memory in ("ef21sgdm(1)", "ef21"))
    for step in range(5):
        rows = gaussian(step, 3, 40)
        np.testing.assert_array_equal(average.aggregate(rows).total, plain.aggregate(rows).total)


@pytest.mark.parametrize("eta", [0, 1.5])
def test_an_eta_outside_0_to_1_is_refused(eta: float) -> None:
    with pytest.raises(SpecError, match=r"ef21sgdm: eta must be in \(0, 1\], not"):
        Compression(f"topk(0.1)+ef21sgdm({eta})", InProcessNetwork(2), 50)


def noise_floor(memory: str, workers: int, eta: float) -> float:
    """The mean |grad f|^2 for f = |x|^2 / 2 with noise of variance 1, from the optimum on, with Top-1 of 2 elements and
    the step of [EF21-SGDM] theorem 3. The noise is that of the paper's theorem 1."""
    noise, draw = math.sqrt(0.3) * np.array([[2, 0], [0, 1], [-2, -1]]), stream(0, "noise")
    compression, x, squares = Compression(f"topk(0.5)+{memory}", InProcessNetwork(workers), 2), np.zeros(2), 0.0
    steps, gamma = 1200, min(0.5 / 20, eta / 7)
    for step in range(steps):
        x = x - gamma * compression.aggregate(x + noise[draw.integers(3, size=workers)]).total / workers
        squares += float(x @ x) if 2 * step >= steps else 0
    return 2 * squares / steps


@pytest.mark.filterwarnings("ignore:the delta of")
def test_ef21sgdm_averages_noise_out_where_ef21_does_not() -> None:
    """[EF21-SGDM] theorem 3: the noise that stays is at most of the order of eta^3 / delta^2 + eta^2 / delta + eta / n,
    so it falls with eta and with more workers."""
    eta, wide = 0.02, 0.2
    few, many = (noise_floor(f"ef21sgdm({eta})", workers, eta) for workers in (1, 8))
    assert many <= few / 4
    assert many <= noise_floor("ef21", 8, eta) / 3
    assert many <= noise_floor(f"ef21sgdm({wide})", 8, wide) / 5
    assert few <= eta**3 * 4 + eta**2 * 2 + eta


def test_a_leaving_workers_shift_leaves_the_sum() -> None:
    job = Job("diana(0.5)", 3, 10)
    gradients = {rank: np.full(10, value, np.float32) for rank, value in enumerate((1, 2, 4))}
    for _ in range(4):
        np.testing.assert_allclose(job.step(gradients)[0].total, 7)
    job.workers.pop(2)
    for _ in range(4):
        np.testing.assert_allclose(job.step(gradients)[0].total, 3)


def test_held_back_parts_keep_the_step_size_of_their_own_time() -> None:
    """[Mem-SGD] algorithm 1: m += rate g, x -= top(m), m -= top(m), by hand."""
    compression = Compression("topk(0.5)+ef", InProcessNetwork(1), 2)
    x, memory, by_hand = np.zeros(2), np.zeros(2), np.zeros(2)
    for rate, gradient in ((1.0, (1, 0.6)), (0.1, (0.2, 0.6)), (0.1, (1, 2)), (0.01, (5, 1))):
        g = np.array([gradient], np.float32)
        x -= rate * compression.aggregate(g, rate=rate).total
        memory += rate * g[0]
        sent = np.where(np.abs(memory) == np.abs(memory).max(), memory, 0)
        by_hand, memory = by_hand - sent, memory - sent
    np.testing.assert_allclose(x, by_hand, rtol=1e-6)
    assert by_hand[1] < -0.6, "the first step's second element came with the first step's rate"


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf])
def test_a_rate_is_positive(rate: float) -> None:
    with pytest.raises(ValueError, match="a rate must be a positive number"):
        Compression("ef", InProcessNetwork(1), 2).aggregate(np.ones((1, 2)), rate=rate)


def test_momentum_accumulates_velocity_and_clears_it_where_it_was_sent() -> None:
    """Computed by hand from the paper: the larger element is sent."""
    compression = Compression("topk(0.5)+momentum(0.5)", InProcessNetwork(1), 2)
    gradient = np.array([[1, 4]], np.float32)

    totals = [compression.aggregate(gradient).total.tolist() for _ in range(4)]

    # Velocity of the first element: 1, 1.5, 1.75; accumulated: 1, 2.5, 4.25. The second is reset each time.
    assert totals == [[0, 4], [0, 4], [4.25, 0], [0, 10]]
    assert isinstance(compression.memory, Momentum)
    np.testing.assert_array_equal(compression.memory.residual, [[1, 0]])


def test_momentum_clips_each_workers_gradient_before_it_is_added() -> None:
    gradients = np.array([[30, 40], [1, 2]], np.float32)
    compression = Compression("none+momentum(0.5,clip=5)", InProcessNetwork(2), 2)

    # All is sent, so no velocity is left for the second sum.
    for _ in range(2):
        np.testing.assert_allclose(compression.aggregate(gradients).sent, [[3, 4], [1, 2]], rtol=1e-6)
    assert gradients.tolist() == [[30, 40], [1, 2]]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_clipping_keeps_the_place_of_an_element_that_is_not_finite(bad: float) -> None:
    gradients = np.ones((2, 50), np.float32)
    gradients[0, 41] = bad
    with pytest.raises(FloatingPointError, match=f"gradient element 41 of 50 is {bad}"):
        Compression("none+momentum(0.5,clip=5)", InProcessNetwork(2), 50).aggregate(gradients)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spec", ["topk(0.1)+ef", "terngrad+diana", "topk(0.1)+momentum(0.9)", "int", "onebit"])
def test_sums_have_the_gradients_dtype(spec: str, dtype: type) -> None:
    compression = Compression(spec, InProcessNetwork(2), 50)
    for _ in range(2):
        aggregate = compression.aggregate(gaussian(1, 2, 50).astype(dtype))
        assert aggregate.total.dtype == dtype
        assert aggregate.sent.dtype == np.float32
