"""The proximal step and the optimum of problems with a regularizer that is not smooth."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.methods.catalogue import diana
from dropzero.problems.composite import Composite
from dropzero.problems.data import breast_cancer, conditioned

cancer = cache(partial(breast_cancer, 4, 1e-2))
"""Not when the tests are collected: loading scikit-learn takes longer than all else of that."""


@given(st.floats(-5, 5), st.floats(0.01, 3), st.floats(0, 2), st.floats(0, 2))
def test_the_proximal_step_is_the_minimum(x: float, gamma: float, l1: float, l2: float) -> None:
    (found,) = Composite(cancer(), l1=l1, l2=l2).proximal(np.array([x]), gamma)

    def costs(u: float) -> float:
        return gamma * (l1 * abs(u) + l2 / 2 * u * u) + (u - x) ** 2 / 2

    assert all(costs(found) <= costs(u) + 1e-12 for u in (0.0, x, found - 1e-3, found + 1e-3))


@pytest.mark.parametrize(("l1", "l2"), [(0, 0), (3e-3, 0), (0, 0.1), (3e-3, 0.1)])
def test_the_optimum_balances_gradient_and_regularizer(l1: float, l2: float) -> None:
    problem = Composite(cancer(), l1=l1, l2=l2)
    x = problem.optimum
    pull = cancer().gradient(x) + l2 * x
    np.testing.assert_allclose(pull[x != 0], -l1 * np.sign(x[x != 0]), atol=1e-12)
    assert (np.abs(pull[x == 0]) <= l1 + 1e-12).all()
    assert (x == 0).any() == (l1 > 0)
    assert problem.gap(x) == 0 < problem.gap(np.zeros(cancer().size))


@pytest.mark.parametrize("momentum", [0.0, 0.5])
@pytest.mark.parametrize(("l1", "l2"), [(3e-3, 0.0), (3e-3, 0.1)])
def test_diana_converges_to_the_composite_optimum(l1: float, l2: float, momentum: float) -> None:
    """Also with momentum, with which the gradient counts 1 / (1 - momentum) times at the optimum."""
    problem, network = Composite(cancer(), l1=l1, l2=l2), InProcessNetwork(4)
    gamma = diana(cancer(), network, "quant(inf,bucket=8)").gamma * (1 - momentum)
    optimizer = diana(
        cancer(), network, "quant(inf,bucket=8)", gamma=gamma, momentum=momentum, proximal=problem.proximal
    )
    for _ in range(300):
        optimizer.step()
    np.testing.assert_allclose(optimizer.x, problem.optimum, atol=1e-6)
    np.testing.assert_array_equal(optimizer.x == 0, problem.optimum == 0)


def test_negative_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative: l1=-1"):
        Composite(cancer(), l1=-1)


@pytest.mark.parametrize("condition", [5, 50])
def test_conditioned_problems_have_their_condition_number_and_differ_between_workers(condition: float) -> None:
    problem = conditioned(3, 12, condition)
    assert problem.smoothness == pytest.approx(problem.worker_smoothness) == pytest.approx(1)
    assert problem.convexity == pytest.approx(1 / condition)
    away = np.linalg.eigh(problem.hessian(problem.optimum))[1].T @ problem.optimum
    np.testing.assert_allclose(np.abs(away), 1, rtol=1e-6)
    assert np.abs(problem.shards(range(3)).gradients(problem.optimum)).max() > 0.1
