from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dropzero.problems import digits
from dropzero.problems.digits import Digits, Examples


@pytest.fixture(scope="module")
def data() -> Digits:
    return digits.load()


def test_every_digit_of_scikit_learn_occurs_once(data: Digits) -> None:
    assert (len(data.training), len(data.held_out)) == (1400, 397)
    labels = np.concatenate([data.training.labels, data.held_out.labels])
    images = np.concatenate([data.training.images, data.held_out.images])
    original = load_digits()
    np.testing.assert_array_equal(np.bincount(labels), np.bincount(original.target))
    # Standardizing keeps the order of each pixel's values, up to float32 rounding.
    ranks = np.sort(images, axis=0) - images.min(axis=0)
    originals = np.sort(original.data, axis=0) - original.data.min(axis=0)
    scale = np.maximum(ranks.max(axis=0), 1e-9) / np.maximum(originals.max(axis=0), 1)
    np.testing.assert_allclose(ranks, originals * scale, atol=1e-5)


def test_pixels_are_standardised_on_the_training_part(data: Digits) -> None:
    images = data.training.images
    assert images.dtype == np.float32
    assert np.isfinite(images).all()
    np.testing.assert_allclose(images.mean(axis=0), 0, atol=1e-5)
    assert images.std(axis=0).max() == pytest.approx(1, abs=1e-5)


def test_labels_belong_to_their_images(data: Digits) -> None:
    """The training image nearest to a held-out one nearly always shows the same digit."""
    some = data.held_out[:100]
    distances = np.square(some.images[:, None] - data.training.images[None]).sum(axis=2)
    nearest = data.training.labels[distances.argmin(axis=1)]
    assert (nearest == some.labels).mean() > 0.9


def test_every_load_gives_the_same_split(data: Digits) -> None:
    again = digits.load()
    np.testing.assert_array_equal(again.training.images, data.training.images)
    np.testing.assert_array_equal(again.held_out.labels, data.held_out.labels)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 32])
def test_shards_are_equal_and_disjoint(size: int) -> None:
    examples = Examples(np.zeros((1400, 64), np.float32), np.arange(1400))

    shards = [examples.shard(rank, size).labels for rank in range(size)]

    assert {len(shard) for shard in shards} == {1400 // size}
    assert len(np.unique(np.concatenate(shards))) == 1400 // size * size


@pytest.mark.parametrize(("rank", "size"), [(-1, 4), (4, 4), (0, 0), (0, 11)])
def test_an_unknown_shard_is_refused(rank: int, size: int) -> None:
    with pytest.raises(ValueError, match=f"no shard {rank} of {size} in 10 examples"):
        Examples(np.zeros((10, 64), np.float32), np.arange(10)).shard(rank, size)
