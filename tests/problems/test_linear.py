from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from dropzero.problems import data
from dropzero.problems.linear import Array, Linear, Logistic, Ridge

PROBLEMS = {
    "breast_cancer": data.breast_cancer(5, 1e-3),
    "breast_cancer by label": data.breast_cancer(5, 1e-3, by_label=True),
    "digits": data.digits(4, 1e-2),
    "diabetes": data.diabetes(3, 1e-2),
    "interpolating": data.interpolating(4, 20),
    "zipf": data.zipf(2, 256, penalty=1e-2),
}
each = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def point(problem: Linear) -> Array:
    x: Array = np.random.default_rng(1).standard_normal((problem.size,))
    return x


@each
def test_the_gradient_is_that_of_the_loss(problem: Linear) -> None:
    x = point(problem)
    assert check_grad(problem.loss, problem.gradient, x, direction="random", rng=0) < 1e-4 * np.linalg.norm(x)


@each
def test_the_gradient_vanishes_at_the_optimum(problem: Linear) -> None:
    assert np.linalg.norm(problem.gradient(problem.optimum)) < 1e-12
    assert problem.gap(problem.optimum) == 0
    assert problem.gap(point(problem)) > 0


@each
def test_samples_average_to_the_workers_gradient_and_workers_to_the_full_one(problem: Linear) -> None:
    x = point(problem)
    everyone = problem.shards(range(problem.workers))
    np.testing.assert_allclose(everyone.gradients(x).mean(axis=0), problem.gradient(x), atol=1e-12)
    some = problem.shards([1, 0])
    rows = np.tile(np.arange(some.samples), (2, 1))
    np.testing.assert_allclose(some.gradients(x), everyone.gradients(x)[[1, 0]], atol=1e-12)
    np.testing.assert_allclose(some.sample_gradients(x, rows).mean(axis=1), some.gradients(x), atol=1e-12)


@each
def test_the_curvature_lies_between_the_constants(problem: Linear) -> None:
    values = np.linalg.eigvalsh(problem.hessian(problem.optimum))
    assert problem.convexity <= values[0] * (1 + 1e-9)
    assert values[-1] <= problem.smoothness * (1 + 1e-9)
    assert problem.smoothness <= problem.worker_smoothness <= problem.sample_smoothness


@each
def test_the_gap_is_the_difference_of_the_losses(problem: Linear) -> None:
    x = point(problem)
    assert problem.gap(x) == pytest.approx(problem.loss(x) - problem.loss(problem.optimum), rel=1e-9)


def test_with_interpolation_all_gradients_vanish_at_the_optimum() -> None:
    problem = PROBLEMS["interpolating"]
    gradients = problem.shards(range(4)).gradients(problem.optimum)
    assert np.abs(gradients).max() < 1e-12
    x = point(problem)
    ratio = np.square(problem.shards(range(4)).gradients(x)).sum(axis=1).mean() / np.square(problem.gradient(x)).sum()
    assert 1 <= ratio <= problem.growth


def test_label_sorted_workers_differ_more() -> None:
    def spread(problem: Linear) -> float:
        return float(np.square(problem.shards(range(5)).gradients(problem.optimum)).sum())

    assert spread(PROBLEMS["breast_cancer by label"]) > 2 * spread(PROBLEMS["breast_cancer"])


def test_zipf_features_are_rare_and_of_norm_1() -> None:
    features = PROBLEMS["zipf"].features
    np.testing.assert_allclose(np.linalg.norm(features, axis=2), 1)
    held = (features > 0).mean(axis=(0, 1))
    assert held[0] > 0.9
    assert held[-100:].mean() < 0.15


def test_invalid_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="442 samples cannot be divided among 500 workers"):
        data.diabetes(500, 0.1)
    with pytest.raises(ValueError, match="a penalty must not be negative"):
        Ridge(np.zeros((1, 2, 3)), np.zeros((1, 2)), -1.0)
    with pytest.raises(ValueError, match=r"features must have shape \(n, m, d\)"):
        Logistic(np.zeros((2, 3)), np.zeros(2))
