from __future__ import annotations

import numpy as np
import pytest

from dropzero.problems.models import Mlp


def test_the_digits_model_has_its_parameters() -> None:
    model = Mlp((64, 128, 64, 10))
    parameters = model.initial(seed=0)

    assert parameters.shape == (17226,)
    assert parameters.dtype == np.float32
    np.testing.assert_array_equal(parameters, model.initial(seed=0))
    assert not np.array_equal(parameters, model.initial(seed=1))
    for (weights, biases), inputs in zip(model.layers(parameters), (64, 128, 64), strict=True):
        assert weights.std() == pytest.approx(np.sqrt(1 / inputs), rel=0.1)
        assert not biases.any()


def test_layers_are_views_that_cover_the_vector() -> None:
    model = Mlp((3, 4, 2))
    parameters = np.zeros(model.size, np.float32)
    for number, (weights, biases) in enumerate(model.layers(parameters)):
        weights[:] = 2 * number + 1
        biases[:] = 2 * number + 2

    np.testing.assert_array_equal(parameters, [1] * 12 + [2] * 4 + [3] * 8 + [4] * 2)


def test_the_gradient_agrees_with_finite_differences() -> None:
    generator = np.random.default_rng(7)
    model = Mlp((5, 7, 6, 4))
    parameters = generator.standard_normal(model.size)
    images = generator.standard_normal((9, 5))
    labels = generator.integers(0, 4, 9)

    loss, gradient = model.loss_and_gradient(parameters, images, labels)

    assert loss == pytest.approx(model.loss(parameters, images, labels), rel=1e-14)
    width = 1e-6
    numerical = [
        (model.loss(parameters + width * axis, images, labels) - model.loss(parameters - width * axis, images, labels))
        / (2 * width)
        for axis in np.eye(model.size)
    ]
    np.testing.assert_allclose(gradient, numerical, atol=1e-8)


def test_the_gradient_has_the_dtype_of_the_parameters() -> None:
    model = Mlp((3, 4, 2))
    images, labels = np.ones((2, 3), np.float32), np.array([0, 1])

    assert model.loss_and_gradient(model.initial(0), images, labels)[1].dtype == np.float32


def test_huge_logits_give_the_right_loss_without_overflow() -> None:
    model = Mlp((1, 2))
    parameters = np.array([1e4, -1e4, 0, 0], np.float32)
    images, labels = np.array([[1], [1]], np.float32), np.array([0, 1])

    loss, gradient = model.loss_and_gradient(parameters, images, labels)

    assert loss == 1e4
    np.testing.assert_array_equal(gradient, [0.5, -0.5, 0.5, -0.5])
    assert model.accuracy(parameters, images, labels) == 0.5
