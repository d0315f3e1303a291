"""PowerSGD against a reference that is written from its paper, PyTorch's hook, and its theory."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.low_rank import PowerSgd
from dropzero.compressors.memory import ErrorFeedback
from dropzero.compressors.rules import Parameter
from dropzero.compressors.spec import SpecError
from dropzero.compressors.vectors import Floats, Rows
from dropzero.streams import stream
from tests.compressors.vectors import gaussian, squared

SHAPES = {"matrix": (30, 20), "bias": (20,), "kernel": (8, 3, 3, 3), "tiny": (2, 2)}
MODEL = [Parameter(name, shape) for name, shape in SHAPES.items()]
ELEMENTS, WORKERS = sum(each.elements for each in MODEL), 3
Matrix = NDArray[np.float64]


def compression(spec: str, workers: int = WORKERS) -> Compression:
    return Compression(spec, InProcessNetwork(workers), MODEL)


def matrix_of(vector: Floats) -> Matrix:
    """The first parameter."""
    return vector[:600].reshape(30, 20).astype(np.float64)


def kernel_of(vector: Floats) -> Matrix:
    return vector[620:836].reshape(8, 27).astype(np.float64)


def decaying(seed: int, *, ratio: float = 0.6) -> Rows:
    """Workers' gradients whose sum has the singular values 1, ratio, ratio^2, ..."""
    rows = gaussian(seed, WORKERS, ELEMENTS)
    for place, shape in ((slice(600), (30, 20)), (slice(620, 836), (8, 27))):
        left, values, right = np.linalg.svd(rows[:, place].sum(axis=0).reshape(shape), full_matrices=False)
        wanted = (left * ratio ** np.arange(len(values))) @ right
        rows[0, place] += (wanted - rows[:, place].sum(axis=0).reshape(shape)).ravel()
    return rows


def first_factor(number: int, columns: int, rank: int) -> Matrix:
    """The Gaussian Q of a matrix's first step."""
    return stream(0, "factor", number).standard_normal((columns, rank))


class Reference:
    """Algorithms 1 and 2 of the paper for one matrix, in float64: means of the workers' matrices, and errors."""

    def __init__(self, factor: Matrix) -> None:
        self.factor, self.errors = factor, np.zeros((1, 1, 1))

    def step(self, matrices: Matrix) -> Matrix:
        """matrices: (workers, n, m). Returns the decompressed mean."""
        updates = matrices + self.errors
        basis, _ = np.linalg.qr(np.mean([update @ self.factor for update in updates], axis=0))
        self.factor = np.mean([update.T @ basis for update in updates], axis=0)
        # Each worker decompresses its own message.
        self.errors = updates - np.array([basis @ (update.T @ basis).T for update in updates])
        mean: Matrix = basis @ self.factor.T
        return mean


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_it_equals_the_papers_algorithm(rank: int) -> None:
    """With its first factors."""
    ours = compression(f"powersgd({rank})+ef")
    references = Reference(first_factor(0, 20, rank)), Reference(first_factor(1, 27, rank))
    for step in range(6):
        rows = decaying(step)
        mean = ours.aggregate(rows).total / WORKERS
        matrices = np.stack([matrix_of(row) for row in rows]), np.stack([kernel_of(row) for row in rows])
        for found, reference, some in zip((matrix_of(mean), kernel_of(mean)), references, matrices, strict=True):
            np.testing.assert_allclose(found, reference.step(some), atol=1e-4)
        np.testing.assert_allclose(mean[600:620], rows[:, 600:620].mean(axis=0), atol=1e-6)
        np.testing.assert_allclose(mean[836:], rows[:, 836:].mean(axis=0), atol=1e-6)


def test_it_equals_the_algorithm_of_pytorchs_hook() -> None:
    """Its functions for one matrix, in the order of powerSGD_hook, with the workers' sums made by hand."""
    torch = pytest.importorskip("torch")
    hook = pytest.importorskip("torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook")
    model = [Parameter("matrix", (30, 20))]
    ours = Compression("powersgd(2)+ef", InProcessNetwork(WORKERS), model)
    factor = torch.from_numpy(first_factor(0, 20, 2))
    errors = torch.zeros(WORKERS, 30, 20, dtype=torch.float64)
    assert hook._should_compress(30, 20, 2, 1)[0]
    for step in range(5):
        rows = decaying(step)[:, :600]
        updates = torch.from_numpy(rows.reshape(WORKERS, 30, 20).astype(np.float64)) + errors
        hook._orthogonalize(factor[None])
        basis = (updates @ factor).sum(0)
        hook._orthogonalize(basis[None])
        factor = (updates.transpose(1, 2) @ basis).sum(0) / WORKERS
        mean = basis @ factor.T
        # The hook keeps the difference from the mean; the errors' sum is the same.
        errors = updates - mean
        found = ours.aggregate(rows.astype(np.float32)).total.reshape(30, 20) / WORKERS
        np.testing.assert_allclose(found, mean.numpy(), atol=1e-4)


def test_repeated_steps_of_a_constant_gradient_come_to_the_best_approximation() -> None:
    """At the rate of subspace iteration: the error shrinks by (s_3 / s_2)^2 a step."""
    rows, ours = decaying(0), compression("powersgd(2)")
    left, values, right = np.linalg.svd(matrix_of(rows.sum(axis=0)))
    best = (left[:, :2] * values[:2]) @ right[:2]
    away = [np.linalg.norm(matrix_of(ours.aggregate(rows).total) - best) for _ in range(30)]
    assert away[-1] < 1e-5
    assert away[8] / away[4] == pytest.approx((values[2] / values[1]) ** 8, rel=0.25)


def test_without_a_warm_start_it_stays_away_from_it() -> None:
    rows, ours = decaying(0), compression("powersgd(2)")
    left, values, right = np.linalg.svd(matrix_of(rows.sum(axis=0)))
    best = (left[:, :2] * values[:2]) @ right[:2]
    quantizer = ours.spec.quantizer
    assert isinstance(quantizer, PowerSgd)
    for _ in range(30):
        quantizer.factors = np.zeros(0, np.float32)
        total = ours.aggregate(rows).total
    assert np.linalg.norm(matrix_of(total) - best) > 0.05


@pytest.mark.parametrize("spec", ["powersgd(2)+ef", "powersgd(3,width=16)+ef", "powersgd(2,width=8)+ef"])
def test_what_is_not_sent_is_kept(spec: str) -> None:
    """The sums so far, and what all workers hold back, are the gradients so far."""
    ours, sums, given = compression(spec), np.zeros(ELEMENTS), np.zeros(ELEMENTS)
    for step in range(8):
        rows = gaussian(step, WORKERS, ELEMENTS)
        sums += ours.aggregate(rows).total
        given += rows.sum(axis=0, dtype=np.float64)
    assert isinstance(ours.memory, ErrorFeedback)
    np.testing.assert_allclose(sums + np.asarray(ours.memory.residual).sum(axis=0), given, atol=1e-3)


def test_the_sum_over_workers_is_that_of_the_sum_of_their_gradients() -> None:
    """It is linear, which a switch needs."""
    many, one = compression("powersgd(2)+ef"), compression("powersgd(2)+ef", 1)
    for step in range(4):
        rows = decaying(step)
        together = many.aggregate(rows).total
        np.testing.assert_allclose(one.aggregate(rows.sum(axis=0, keepdims=True)).total, together, atol=1e-4)


@pytest.mark.parametrize("spec", ["powersgd(1)", "powersgd(4)", "powersgd(2,width=8)"])
def test_it_never_expands_and_its_sums_are_those_of_what_was_sent(spec: str) -> None:
    for scale in (1e-38, 1.0, 1e30, 3e37):
        ours = compression(spec)
        assert (ours.omega, ours.delta) == (None, 0.0)
        rows = (gaussian(1, WORKERS, ELEMENTS) * scale).clip(-3e38, 3e38).astype(np.float32)
        result = ours.aggregate(rows)
        assert np.isfinite(result.total).all()
        scaled = rows.astype(np.float64) / scale
        assert squared(result.sent / scale - scaled) <= squared(scaled) * (1 + 1e-6)
        np.testing.assert_allclose(result.total / scale, result.sent.sum(axis=0, dtype=np.float64) / scale, atol=0.02)


def test_a_matrix_that_was_zero_is_found_when_it_is_not() -> None:
    ours = compression("powersgd(2)")
    for _ in range(3):
        assert not ours.aggregate(np.zeros((WORKERS, ELEMENTS), np.float32)).total.any()
    rows = np.zeros((WORKERS, ELEMENTS), np.float32)
    rows[:, :600] = np.outer(gaussian(0, 30), gaussian(1, 20)).ravel()
    for _ in range(2):
        total = ours.aggregate(rows).total
    np.testing.assert_allclose(total, rows.sum(axis=0), atol=1e-4)


def test_two_dense_sums_carry_the_factors_and_what_is_too_small() -> None:
    network, plain = InProcessNetwork(WORKERS), InProcessNetwork(WORKERS)
    ours = Compression("powersgd(2)", network, MODEL)
    ours.aggregate(gaussian(0, WORKERS, ELEMENTS))
    for elements in (2 * (30 + 8), 2 * (20 + 27) + 20 + 4):
        plain.all_reduce(np.ones((WORKERS, elements), np.float32))
    assert network.statistics == plain.statistics
    numbers = {each.name: each.bytes for each in ours.report()}
    assert sum(numbers.values()) == pytest.approx(network.statistics["bytes_sent"])
    assert numbers["matrix"] / numbers["bias"] == pytest.approx(2 * 50 / 20)
    assert numbers["kernel"] / numbers["tiny"] == pytest.approx(2 * 35 / 4)


def test_a_vector_of_unknown_shapes_is_one_nearly_square_matrix() -> None:
    square, unknown = np.outer(gaussian(0, 24), gaussian(1, 24)), Compression("powersgd(1)", InProcessNetwork(1), 576)
    for _ in range(2):
        total = unknown.aggregate(square.reshape(1, -1)).total
    np.testing.assert_allclose(total, square.ravel(), atol=1e-4)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("powersgd(0)", "powersgd: the rank must be at least 1, not 0"),
        ("powersgd(2,width=12)", "powersgd: elements must have 8, 16 or 32 bits, not 12"),
        ("powersgd", "it is powersgd(RANK,width=32)"),
        ("topk(0.1)+powersgd(2)", "powersgd sends every element: it can't follow topk"),
        ("powersgd(2)+ef21", "with a delta above 0"),
    ],
)
def test_wrong_arguments_and_neighbours_are_refused(spec: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=re.escape(complaint)):
        compression(spec)
