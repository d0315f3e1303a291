"""The papers' methods at small size, with fixed seeds: which ones converge, and where to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.methods import steps
from dropzero.methods.catalogue import (
    diana,
    ef21,
    gd,
    iasgd,
    ibgd,
    int_gd,
    isaga,
    isega,
    isgd,
    marina,
    sgd,
    variance_reduced,
    vr_diana,
)
from dropzero.methods.estimators import Minibatch, Svrg
from dropzero.methods.optimizers import Optimizer
from dropzero.problems.data import breast_cancer, conditioned, diabetes, interpolating
from dropzero.problems.linear import Linear, Ridge

WORKERS = 10
cancer = cache(partial(breast_cancer, WORKERS, 1e-3))
"""Not when the tests are collected: loading scikit-learn takes longer than all else of that."""
SHARED = interpolating(5, 40)


def after(optimizer: Optimizer, problem: Linear, count: int) -> float:
    """The gap after `count` steps, relative to the initial gap."""
    first = problem.gap(optimizer.x)
    for _ in range(count):
        optimizer.step()
    return problem.gap(optimizer.x) / first


def until(optimizer: Optimizer, problem: Linear, target: float = 1e-8, limit: int = 5000) -> int:
    """The number of steps to a gap of `target` times the initial one."""
    goal = target * problem.gap(optimizer.x)
    for step in range(limit):
        if problem.gap(optimizer.x) <= goal:
            return step
        optimizer.step()
    raise AssertionError(f"not after {limit} steps")


@pytest.mark.parametrize("made", [cancer, partial(diabetes, WORKERS, 0.1)], ids=["logistic", "ridge"])
def test_gradient_descent_converges_at_its_rate(made: Callable[[], Linear]) -> None:
    problem = made()
    rate = 1 - problem.convexity / problem.worker_smoothness
    assert after(gd(problem, InProcessNetwork(WORKERS)), problem, 40) <= rate**40


def test_momentum_is_faster_and_minibatches_leave_an_error_floor() -> None:
    problem, network = cancer(), InProcessNetwork(WORKERS)
    gamma = 1 / (2 * problem.sample_smoothness)
    plain = after(sgd(problem, network, gamma=gamma), problem, 300)
    heavy = after(sgd(problem, network, gamma=gamma, momentum=0.9), problem, 300)
    assert heavy < plain / 3
    assert after(sgd(problem, network, gamma=20 * gamma), problem, 1000) > 1e-6


@pytest.mark.parametrize("by_label", [False, True])
@pytest.mark.parametrize("quantizer", ["terngrad", "terngrad(own)", "qsgd(1)", "quant(2)"])
def test_diana_reaches_the_optimum_where_compression_without_shifts_stalls(quantizer: str, by_label: bool) -> None:
    problem, network = breast_cancer(WORKERS, 1e-3, by_label=by_label), InProcessNetwork(WORKERS)
    shifted = diana(problem, network, quantizer)
    assert after(gd(problem, network, quantizer, gamma=shifted.gamma), problem, 300) >= 1e-6
    # A scale common to all workers costs steps.
    assert after(shifted, problem, 200 if "own" in quantizer or "quant" in quantizer else 700) <= 1e-10


@pytest.mark.parametrize("sparsifier", ["topk(0.1)", "topk(0.2,block=4)", "randk(0.3,unscaled)"])
def test_ef21_reaches_the_optimum_where_error_feedback_stalls(sparsifier: str) -> None:
    """The workers' gradients differ at the optimum."""
    problem, network = breast_cancer(WORKERS, 1e-2, by_label=True), InProcessNetwork(WORKERS)
    optimizer = ef21(problem, network, sparsifier)
    assert after(optimizer, problem, 400) <= 1e-8
    assert after(gd(problem, network, f"{sparsifier}+ef", gamma=optimizer.gamma), problem, 400) >= 1e-7


def test_dianas_ternary_integers_reach_1e_12_and_sum_to_at_most_n() -> None:
    network = InProcessNetwork(WORKERS)
    optimizer = diana(cancer(), network, "terngrad")
    first = cancer().gap(optimizer.x)
    largest = 0.0
    for _ in range(600):
        aggregate = optimizer.step()
        assert aggregate.largest <= 1
        largest = max(largest, aggregate.largest_sum)
    assert cancer().gap(optimizer.x) <= 1e-12 * first
    assert 2 <= largest <= WORKERS


def test_terngrads_floor_is_below_its_bound_and_shrinks_with_the_step() -> None:
    """|x - x*|^2 stays below 2 gamma omega sigma^2 / (n mu)."""
    omega = (np.sqrt(cancer().size) - 1) / 2
    gamma = steps.diana(cancer().worker_smoothness, cancer().convexity, WORKERS, omega)

    def floor(factor: float) -> float:
        optimizer, distances = gd(cancer(), InProcessNetwork(WORKERS), "terngrad(own)", gamma=factor * gamma), []
        for step in range(900):
            optimizer.step()
            if step >= 600:
                distances.append(float(np.square(optimizer.x - cancer().optimum).sum()))
        return float(np.mean(distances))

    sigma = float(np.square(cancer().shards(range(WORKERS)).gradients(cancer().optimum)).sum(axis=1).mean())
    whole, half = floor(1.0), floor(0.5)
    assert whole <= 2 * gamma * omega * sigma / (WORKERS * cancer().convexity)
    assert 0.35 < half / whole < 0.65


def test_dianas_rate_matches_its_theory() -> None:
    """|x - x*|^2 and the shifts' distance from their optima, with the paper's weight, fall by 1 - gamma mu a step."""
    problem, quantizer = conditioned(4, 30, 20), "terngrad(own)"
    optimizer = diana(problem, InProcessNetwork(4), quantizer)
    omega, smoothness, convexity = (np.sqrt(30) - 1) / 2, 1.0, 1 / 20
    gamma, alpha = 2 / ((smoothness + convexity) * (1 + 2 * omega / 4)), 1 / (2 * (1 + omega))
    assert optimizer.gamma == pytest.approx(gamma)
    shifts = np.square(problem.shards(range(4)).gradients(problem.optimum)).sum(axis=1).mean()
    first = np.square(problem.optimum).sum() + 2 * omega / (4 * alpha) * gamma**2 * shifts
    for _ in range(150):
        optimizer.step()
    assert np.square(optimizer.x - problem.optimum).sum() <= first * (1 - gamma * convexity) ** 150


@pytest.mark.parametrize("reduction", ["svrg", "saga"])
def test_vr_diana_reaches_the_optimum_where_either_part_alone_stalls(reduction: str) -> None:
    problem, network = breast_cancer(WORKERS, 5e-2), InProcessNetwork(WORKERS)
    whole = vr_diana(problem, network, "terngrad(own)", reduction=reduction)  # type: ignore[arg-type]
    gamma = whole.gamma
    assert after(whole, problem, 1500) <= 1e-12
    assert after(diana(problem, network, "terngrad(own)", batch=1, gamma=gamma), problem, 500) >= 1e-6
    without_shifts = variance_reduced(problem, network, "terngrad(own)", reduction=reduction, gamma=gamma)  # type: ignore[arg-type]
    assert after(without_shifts, problem, 1000) >= 1e-6


def test_sharing_the_draw_of_blocks_loses_the_gain_of_independence() -> None:
    network, share = InProcessNetwork(5), 1 / 5
    gamma = steps.ibgd_interpolating(SHARED.worker_smoothness, 5, share)
    independent = until(ibgd(SHARED, network, share, block=1, gamma=gamma), SHARED)
    alone = steps.ibgd_interpolating(SHARED.worker_smoothness, 1, share)
    assert until(ibgd(SHARED, network, share, block=1, gamma=alone, shared=True), SHARED) > 2 * independent


def test_ibgd_has_an_error_floor_where_workers_differ_and_isega_does_not() -> None:
    network, share = InProcessNetwork(WORKERS), 1 / WORKERS

    def floor(factor: float) -> float:
        gamma = factor * steps.ibgd(cancer().worker_smoothness, WORKERS, share)
        optimizer = ibgd(cancer(), network, share, block=1, gamma=gamma)
        after(optimizer, cancer(), 500)
        return float(np.mean([after_one(optimizer) for _ in range(300)]))

    def after_one(optimizer: Optimizer) -> float:
        optimizer.step()
        return cancer().gap(optimizer.x)

    whole, half = floor(1.0), floor(0.5)
    sigma = float(np.square(cancer().shards(range(WORKERS)).gradients(cancer().optimum)).sum(axis=1).mean())
    gamma = steps.ibgd(cancer().worker_smoothness, WORKERS, share)
    bound = cancer().smoothness / 2 * 2 * gamma * (1 - share) * sigma / (WORKERS * cancer().convexity)
    assert 1e-7 < whole <= bound
    assert 0.35 < half / whole < 0.65
    assert after(isega(cancer(), network, share, block=1), cancer(), 1000) <= 1e-10


def test_step_sizes_follow_from_what_is_sent() -> None:
    """With two blocks, a worker cannot send a 32nd of them: it sends half, with the step size of that share."""
    workers = 32
    problem, network = interpolating(workers, 64), InProcessNetwork(workers)
    assert ibgd(problem, network, 1 / workers).gamma == steps.ibgd(problem.worker_smoothness, workers, 1 / 2)
    most = problem.sample_smoothness
    assert isgd(problem, network, 0.4, batch=2).gamma == steps.ibgd(most, workers, 1 / 2)
    assert isaga(problem, network, 0.4).gamma == steps.isaga(most, workers, 1 / 2)
    assert isega(problem, network, 0.4).gamma == steps.isega(problem.worker_smoothness, workers, 1 / 2)
    accelerated, half = (iasgd(problem, network, share) for share in (1 / workers, 1 / 2))
    for _ in range(3):
        accelerated.step()
        half.step()
    np.testing.assert_array_equal(accelerated.x, half.x)


@pytest.mark.parametrize("shared", [False, True])
def test_a_shared_draw_uses_the_step_size_of_one_worker(shared: bool) -> None:
    """Its errors do not average out: with the step size of many, the gap would grow a thousandfold and more."""
    workers = 32
    problem, network, draws = interpolating(workers, 64), InProcessNetwork(workers), 1 if shared else workers
    optimizer = ibgd(problem, network, 1 / workers, block=1, shared=shared)
    assert optimizer.gamma == steps.ibgd(problem.worker_smoothness, draws, 1 / workers)
    assert after(optimizer, problem, 200) < 1
    most, problem = 2 * workers, conditioned(workers, 64, 10)
    spec = f"randk({1 / most}{',shared' if shared else ''})"
    optimizer = diana(problem, network, spec)
    assert optimizer.gamma == steps.diana(problem.worker_smoothness, problem.convexity, draws, most - 1)
    assert after(optimizer, problem, 200) < 1
    sampled, reduced = diana(problem, network, spec, batch=1), vr_diana(problem, network, spec)
    assert sampled.gamma == steps.diana_stochastic(problem.sample_smoothness, draws, most - 1)
    assert reduced.gamma == steps.vr_diana(problem.sample_smoothness, draws, most - 1)


def test_the_errors_of_parts_that_do_not_overlap_average_out() -> None:
    """PermK's draw is shared, but its mean has a variance of at most the mean |x|^2: omega / (n - 1)."""
    problem, network = conditioned(8, 64, 10), InProcessNetwork(8)
    optimizer = diana(problem, network, "permk")
    assert optimizer.gamma == steps.diana(problem.worker_smoothness, problem.convexity, 7, 7)
    assert after(optimizer, problem, 300) <= 1e-4


def test_marina_falls_at_its_rate_and_with_equal_hessians_and_perm_k_at_gradient_descents() -> None:
    problem, network = conditioned(4, 32, 10), InProcessNetwork(4)
    plain = gd(problem, network)
    optimizer, perm = marina(problem, network, "randk(0.25)"), marina(problem, network, "permk", gamma=plain.gamma)
    assert optimizer.gamma == pytest.approx(1 / (1 + np.sqrt(2 * 0.75 * 3 / (0.25 * 4))))
    assert after(optimizer, problem, 150) <= (1 - optimizer.gamma * problem.convexity) ** 150
    assert after(perm, problem, 40) == pytest.approx(after(plain, problem, 40), rel=1e-3)


def test_marina_reaches_the_optimum_with_samples_of_the_differences() -> None:
    """Where the same samples' compressed gradients stall."""
    problem, network = conditioned(4, 16, 4), InProcessNetwork(4)
    sampled = marina(problem, network, "terngrad(own)", batch=4)
    assert after(sampled, problem, 2000) <= 1e-10
    assert after(sgd(problem, network, "terngrad(own)", batch=4, gamma=sampled.gamma), problem, 500) >= 1e-6


@pytest.mark.parametrize(
    ("spec", "odds", "words"), [("topk(0.1)", None, "unbiased quantizer"), ("randk(0.1)", 0, "odds must be in")]
)
def test_a_marina_that_cannot_converge_is_refused(spec: str, odds: float | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        marina(SHARED, InProcessNetwork(5), spec, odds=odds)


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="alpha must be in"):
        diana(cancer(), InProcessNetwork(WORKERS), alpha=0)
    with pytest.raises(ValueError, match="a rate must be a positive number, not 0"):
        gd(cancer(), InProcessNetwork(WORKERS), gamma=0).step()


def test_shifts_that_would_diverge_are_refused() -> None:
    network = InProcessNetwork(WORKERS)
    with pytest.raises(ValueError, match=r"alpha must be at most 0.1 for randk\(0.1,block=1\), not 0.5"):
        diana(cancer(), network, "randk(0.1,block=1)", alpha=0.5)
    diana(cancer(), network, "randk(0.1,block=1)", alpha=0.1)


def test_dianas_step_needs_no_strong_convexity() -> None:
    assert steps.diana(2.0, 0.0, 4, 6.0) == 2 / (2 * (1 + 2 * 6 / 4))
    assert steps.diana(2.0, 1.0, 1000, 9.0) == 1 / 20, "no faster than its shifts"


def test_isega_is_diana_with_random_blocks() -> None:
    share = 1 / WORKERS
    one = isega(cancer(), InProcessNetwork(WORKERS), share, block=1)
    other = diana(cancer(), InProcessNetwork(WORKERS), f"randk({share},block=1)", gamma=one.gamma, alpha=share)
    for _ in range(20):
        one.step()
        other.step()
    np.testing.assert_array_equal(one.x, other.x)


def test_isgd_and_isaga_converge_as_in_theory_with_a_fifth_of_the_blocks() -> None:
    problem, network, share = interpolating(5, 10), InProcessNetwork(5), 1 / 5
    dense = until(sgd(problem, network), problem, 1e-2)
    assert until(isgd(problem, network, share, block=1), problem, 1e-2) <= 1.1 * (3 - 2 * share) * dense
    full = until(isaga(problem, network, 1.0, block=1), problem, 1e-2)
    # A step of 1 / (3 / n + tau) instead of 1 / (3 / n + 1), on a share tau.
    ratio = (3 / 5 + share) / (3 / 5 + 1) / share
    assert until(isaga(problem, network, share, block=1), problem, 1e-2) <= 1.2 * ratio * full


def test_isaga_reaches_the_optimum_with_all_blocks_and_stalls_with_few() -> None:
    problem, network = breast_cancer(WORKERS, 2e-2), InProcessNetwork(WORKERS)
    assert after(isaga(problem, network, 1.0, block=1), problem, 1200) <= 1e-12
    assert after(isaga(problem, network, 0.1, block=1), problem, 1000) >= 1e-7


def test_iasgd_is_faster_than_ibgd_and_than_gradient_descent() -> None:
    draw = np.random.default_rng(0)
    scales = np.linspace(0.05, 1, 20) * (0.8 + 0.4 * draw.random((5, 20)))
    features = np.sqrt(20) * scales[:, :, None] * np.eye(20)
    problem, network = Ridge(features, features @ draw.standard_normal(20)), InProcessNetwork(5)
    gamma = steps.ibgd_interpolating(problem.worker_smoothness, 5, 0.2)
    dense = until(gd(problem, network), problem)
    fast = until(iasgd(problem, network, 0.2, block=1), problem)
    assert problem.worker_smoothness / problem.convexity > 500
    assert 5 * fast < dense < until(ibgd(problem, network, 0.2, block=1, gamma=gamma), problem, limit=10_000)


def test_integers_overflow_without_shifts_and_fit_5_bits_with_them() -> None:
    problem, network = breast_cancer(WORKERS, 1e-3, by_label=True), InProcessNetwork(WORKERS)
    plain, shifted = int_gd(problem, network), int_gd(problem, network, shifts=True)
    first = problem.gap(plain.x)
    grown = [plain.step() for _ in range(750)]
    kept = [shifted.step() for _ in range(500)]
    assert max(each.largest for each in grown) > 2**32
    assert max(each.largest_sum for each in grown) < 2**5, "which is why it converges all the same: words wrap"
    assert max(each.largest for each in kept) < 2**4
    assert problem.gap(plain.x) <= 1e-12 * first
    assert problem.gap(shifted.x) <= 1e-12 * first


def test_a_workers_draws_do_not_depend_on_the_others() -> None:
    """So an experiment gives the same bits in one process and on a rack."""
    x = np.random.default_rng(0).standard_normal((cancer().size,))
    for estimator in (Minibatch, Svrg):
        together, alone = (estimator(cancer().shards(ranks), seed=3) for ranks in (range(WORKERS), [4]))
        for _ in range(3):
            np.testing.assert_array_equal(together.estimate(x)[4], alone.estimate(x)[0])


def test_a_biased_quantizer_is_refused() -> None:
    with pytest.raises(ValueError, match="diana"):
        diana(cancer(), InProcessNetwork(WORKERS), "topk(0.1)")


@pytest.mark.parametrize("method", [gd, partial(iasgd, share=0.5), vr_diana, marina])
@pytest.mark.parametrize("workers", [4, 6])
def test_a_network_of_another_number_of_workers_is_refused(method: Callable[..., Optimizer], workers: int) -> None:
    """It would find the optimum of other data."""
    with pytest.raises(ValueError, match=f"the problem has 5 workers, the network {workers}"):
        method(SHARED, InProcessNetwork(workers))


def test_an_option_that_a_method_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="no option batch, momentun"):
        gd(SHARED, InProcessNetwork(5), momentun=0.9, batch=4)  # type: ignore[call-arg]
