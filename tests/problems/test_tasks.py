from __future__ import annotations

import numpy as np
import pytest

from dropzero.problems.cnn import Cnn
from dropzero.problems.tasks import TASKS, Task, task
from dropzero.problems.words import DIMENSION

LOADED = {name: task(name) for name in TASKS}
each = pytest.mark.parametrize("task", LOADED.values(), ids=LOADED)


@each
def test_the_gradient_is_that_of_the_loss(task: Task) -> None:
    model, batch = task.model, task.training[:20]
    parameters = model.initial(0).astype(np.float64)
    direction = np.random.default_rng(1).standard_normal(model.size)
    step = 1e-5
    ahead, behind = (model.loss(parameters + sign * step * direction, batch.images, batch.labels) for sign in (1, -1))

    loss, gradient = model.loss_and_gradient(parameters, batch.images, batch.labels)

    assert gradient @ direction == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)
    assert loss == pytest.approx(model.loss(parameters, batch.images, batch.labels))


@pytest.mark.parametrize(
    ("name", "accuracy", "steps"),
    [("mlp", 0.97, 100), ("cnn", 0.96, 100), ("words", 0.6, 100), ("clicks", 0.85, 100), ("characters", 0.2, 300)],
)
def test_plain_sgd_learns_the_task_in_float32(name: str, accuracy: float, steps: int) -> None:
    task = LOADED[name]
    model, draw = task.model, np.random.default_rng(0)
    parameters = model.initial(0)
    for step in range(steps):
        batch = task.training[draw.choice(len(task.training), 2 * task.batch, replace=False)]
        _, gradient = model.loss_and_gradient(parameters, batch.images, batch.labels)
        parameters -= np.float32(task.learning_rate * (1 - step / steps)) * gradient
    assert parameters.dtype == np.float32
    assert model.accuracy(parameters, task.held_out.images, task.held_out.labels) >= accuracy


@each
def test_the_parts_of_a_model_cover_it(task: Task) -> None:
    model = task.model

    assert np.concatenate([np.arange(model.size)[part] for part in model.parts]).tolist() == list(range(model.size))


def test_words_touch_only_the_rows_of_the_minibatch() -> None:
    task = LOADED["words"]
    batch = task.training[:50]
    _, gradient = task.model.loss_and_gradient(task.model.initial(0), batch.images, batch.labels)
    touched = np.flatnonzero(gradient.reshape(-1, DIMENSION).any(axis=1))
    words = task.model.size // DIMENSION // 2
    assert set(touched) == set(batch.images[:, 0]) | set(batch.images[:, 1] + words)


def test_a_convolution_sees_a_pattern_wherever_it_is() -> None:
    """Equal patches have equal activations, so shifting a pattern does not change the first layer's gradient."""
    model = Cnn()
    parameters = model.initial(0)
    _, gradient = model.loss_and_gradient(parameters, np.ones((1, 64), np.float32), np.array([3]))
    first = gradient[: 9 * 8].reshape(9, 8)
    np.testing.assert_allclose(first, np.tile(first[:1], (9, 1)), rtol=1e-4, atol=1e-7)


def test_a_character_does_not_depend_on_later_ones() -> None:
    task = LOADED["characters"]
    parameters, window = task.model.initial(0), task.training[:1]
    changed = window.images.copy()
    changed[0, 20:] = (changed[0, 20:] + 1) % 5
    for end, same in ((20, True), (21, False)):
        some, other = (
            task.model.loss(parameters, images[:, :end], window.labels[:, :end]) for images in (window.images, changed)
        )
        assert (some == other) is same


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(
        ValueError, match="there is no task 'resnet': mlp, cnn, words, clicks, characters can be trained"
    ):
        task("resnet")
