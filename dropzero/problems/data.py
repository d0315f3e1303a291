"""Linear problems on data from scikit-learn's wheel, from a file, or generated. Nothing is downloaded.

breast_cancer (569 x 30) and digits (1797 x 64) are from the UCI repository, diabetes (442 x 10) is from [LARS].
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

import numpy as np

from dropzero.problems.digits import read
from dropzero.problems.linear import Array, Logistic, Ridge
from dropzero.streams import stream

FILE: ContextVar[Path | None] = ContextVar("file", default=None)
"""The data of `two_classes`, in svmlight's format; None: breast_cancer."""
FEWEST, LARGEST = 100, 50_000_000
"""The fewest samples that a file may have, and the most numbers."""


def two_classes(
    workers: int, penalty: float, *, by_label: bool = False, samples: int | None = None, seed: int = 0
) -> Logistic:
    """The classes of FILE, or breast_cancer; parameters as there."""
    file = FILE.get()
    features, targets = read_svmlight(file) if file else _breast_cancer()
    return _logistic(features, targets, workers, penalty, by_label, samples, seed)


@lru_cache(maxsize=1)
def read_svmlight(file: Path) -> tuple[Array, Array]:
    """Reads lines such as `1 3:0.5 7:1` (svmlight's format, which LIBSVM's data have): features, (m, d), and the two
    labels as -1 and 1, (m,).

    Raises OSError for a file that cannot be read, and ValueError for one of another format, with another number of
    labels, with fewer than FEWEST samples, or with more than LARGEST numbers.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        sparse, labels = load_svmlight_file(str(file))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{file} is not in svmlight's format: {error}") from None
    rows, columns = sparse.shape
    if rows < FEWEST:
        raise ValueError(f"{file} has {rows} samples; claims need at least {FEWEST}")
    if rows * columns > LARGEST:
        raise ValueError(f"{file} has {rows:,} samples of {columns:,} features, more than {LARGEST:,} numbers in all")
    features, classes = sparse.toarray(), np.unique(labels)
    if not np.isfinite(features).all() or not np.ptp(features, axis=0).any():
        raise ValueError(f"{file} has features that are not finite, or nothing but constant ones")
    if len(classes) != 2:
        raise ValueError(f"{file} must have two labels, not {len(classes)}")
    return features, np.where(labels == classes[1], 1.0, -1.0)


def breast_cancer(
    workers: int, penalty: float, *, by_label: bool = False, samples: int | None = None, seed: int = 0
) -> Logistic:
    """Malignant or benign.

    Args:
        by_label: divide the samples in the order of their labels, so that workers differ.
        samples: number for each worker; None: all.
    """
    return _logistic(*_breast_cancer(), workers, penalty, by_label, samples, seed)


def _breast_cancer() -> tuple[Array, Array]:
    from sklearn.datasets import load_breast_cancer

    features, labels = load_breast_cancer(return_X_y=True)
    return features, 2.0 * labels - 1


def _logistic(
    features: Array, targets: Array, workers: int, penalty: float, by_label: bool, samples: int | None, seed: int
) -> Logistic:
    features, targets = _share_out(_standard(features), targets, workers, by_label, seed)
    return Logistic(features[:, :samples], targets[:, :samples], penalty)


def digits(workers: int, penalty: float, *, by_label: bool = False, seed: int = 0) -> Logistic:
    """Even or odd. by_label: divide the samples in the order of the ten digits."""
    pixels, labels = read()
    features, targets = _share_out(_standard(pixels), labels.astype(float), workers, by_label, seed)
    return Logistic(features, 1 - 2 * (targets % 2), penalty)


def diabetes(workers: int, penalty: float, *, by_label: bool = False, seed: int = 0) -> Ridge:
    """The disease's progression after a year, standardised."""
    from sklearn.datasets import load_diabetes

    features, targets = load_diabetes(return_X_y=True)
    targets = (targets - targets.mean()) / targets.std()
    return Ridge(*_share_out(_standard(features), targets, workers, by_label, seed), penalty)


def interpolating(workers: int, size: int, *, samples: int | None = None, seed: int = 0) -> Ridge:
    """Least squares with one solution x* for all workers, grad f_i(x*) = 0: standard normal features, column j times
    linspace(0.3, 1)[j]. samples: number for each worker; None: twice `size`."""
    draw = stream(seed, "interpolating")
    features = draw.standard_normal((workers, samples or 2 * size, size)) * np.linspace(0.3, 1, size)
    return Ridge(features, features @ draw.standard_normal(size))


def conditioned(workers: int, size: int, condition: float, *, seed: int = 0) -> Ridge:
    """Least squares with L = 1 and mu = 1 / `condition` for every worker, `size` samples each, and optima that differ:
    all f_i have one Hessian, with eigenvalues in geometric progression and random eigenvectors, along each of which the
    mean of the optima, x*, is 1 away from 0."""
    draw = stream(seed, "conditioned")
    turn = np.linalg.qr(draw.standard_normal((size, size)))[0]
    root = np.sqrt(size * np.geomspace(1 / condition, 1, size))[:, None] * turn
    features = np.linalg.qr(draw.standard_normal((workers, size, size)))[0] @ root
    away = draw.standard_normal((workers, size))
    optima = (1 + away - away.mean(axis=0)) @ turn
    return Ridge(features, np.matmul(features, optima[:, :, None])[:, :, 0])


def zipf(workers: int, size: int, *, samples: int = 100, held: int = 60, penalty: float, seed: int = 0) -> Logistic:
    """Logistic regression on binary features as rare as words: a sample draws `held` features, feature j with
    probability proportional to j^-1.1 (Zipf's law); rows have norm 1. Labels come from a normal x; a tenth is
    flipped."""
    draw = stream(seed, "zipf")
    popularity = np.arange(1, size + 1) ** -1.1
    columns = draw.choice(size, (workers, samples, held), p=popularity / popularity.sum())
    features = np.zeros((workers, samples, size))
    np.put_along_axis(features, columns, 1.0, axis=2)
    features /= np.linalg.norm(features, axis=2, keepdims=True)
    labels = np.sign(features @ draw.standard_normal(size)) * np.where(draw.random((workers, samples)) < 0.1, -1, 1)
    return Logistic(features, labels, penalty)


def repeated(problem: Logistic, workers: int) -> Logistic:
    """The data of a problem's one worker, on each of `workers`."""
    features, targets = (np.repeat(each, workers, axis=0) for each in (problem.features, problem.targets))
    return Logistic(features, targets, problem.penalty)


def _standard(features: Array) -> Array:
    """Scales columns to mean 0 and deviation 1 (constant ones to 0), then all by the largest row's norm."""
    deviations = features.std(axis=0)
    columns = (features - features.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    scaled: Array = columns / np.linalg.norm(columns, axis=1).max()
    return scaled


def _share_out(features: Array, targets: Array, workers: int, by_label: bool, seed: int) -> tuple[Array, Array]:
    """Divides the samples among the workers, as (n, m, d) and (n, m); drops the rest.

    Raises ValueError when there are fewer samples than workers.
    """
    samples = len(targets) // workers
    if not samples:
        raise ValueError(f"{len(targets)} samples cannot be divided among {workers} workers")
    order = np.argsort(targets, kind="stable") if by_label else stream(seed, "shares").permutation(len(targets))
    used = order[: workers * samples]
    return features[used].reshape(workers, samples, -1), targets[used].reshape(workers, samples)
