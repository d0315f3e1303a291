from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.compressors.adaptive import BlockCat, Cat, Dynamic
from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.sparsifiers import (
    CltK,
    Dgc,
    Everything,
    GaussianK,
    GTopK,
    PermK,
    RandK,
    Share,
    Sparsifier,
    Threshold,
    TopK,
)
from dropzero.compressors.vectors import Vector
from tests.compressors.vectors import blocks, densities, draws, gaussian, squared, vectors
from tests.support.compression_job import Job

ALL: list[Sparsifier] = [
    Everything(),
    TopK(0.1),
    TopK(0.1, 32),
    GaussianK(0.1),
    GaussianK(0.1, 32),
    RandK(0.1),
    RandK(0.1, 32),
    RandK(0.1, 7, shared=True, unscaled=True),
    PermK(),
    PermK(32),
    Threshold(0.5),
    Threshold(0.5, 32),
    Dgc(0.1),
    GTopK(0.1),
    CltK(0.1),
    CltK(0.1, 32),
    Cat(),
    Cat(signs=True),
    Cat(packets=True, overhead=2),
    Dynamic(),
    BlockCat(8, 2.0),
]


def counted(sparsifier: Sparsifier, x: Vector) -> int:
    return int(np.count_nonzero(sparsifier.compress(x, draws())))


@pytest.mark.parametrize("sparsifier", ALL, ids=lambda each: type(each).__name__)
@settings(max_examples=40)
@given(x=vectors)
def test_the_sent_part_is_a_new_finite_vector_of_the_same_shape(sparsifier: Sparsifier, x: Vector) -> None:
    before = x.copy()

    sent = sparsifier.compress(x, draws())

    assert sent.shape == x.shape
    assert sent.dtype == np.float32
    assert not np.shares_memory(sent, x)
    assert np.isfinite(sent).all()
    assert not sent[x == 0].any()
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("sparsifier", ALL, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_elements_are_refused_by_place(sparsifier: Sparsifier, bad: float) -> None:
    x = np.zeros(100, np.float32)
    x[[41, 73]] = bad

    with pytest.raises(FloatingPointError, match=f"gradient element 41 of 100 is {bad}"):
        sparsifier.compress(x, draws())


@given(vectors, densities, blocks)
def test_top_k_is_contractive(x: Vector, density: float, block: int) -> None:
    compressor = TopK(density, block)
    delta = compressor.delta(len(x))
    assert delta is not None

    error = squared(x - compressor.compress(x, draws()))

    assert error <= (1 - delta) * squared(x) * (1 + 1e-12)


@given(vectors, densities, blocks)
def test_gaussian_k_is_contractive_and_sends_at_most_twice_its_share(x: Vector, density: float, block: int) -> None:
    compressor = GaussianK(density, block)
    sent = compressor.compress(x, draws())
    pieces = [sent[i : i + block].any() for i in range(0, len(x), block)]

    assert squared(x - sent) <= (1 - compressor.delta(len(x))) * squared(x) * (1 + 1e-12)
    assert sum(pieces) <= 2 * compressor.kept(len(pieces))
    assert any(pieces) == x.any()


@given(vectors, densities, blocks)
def test_block_top_k_sends_whole_blocks_and_no_smaller_than_those_it_holds_back(
    x: Vector, density: float, block: int
) -> None:
    compressor = TopK(density, block)
    sent = compressor.compress(x, draws())

    pairs = [(x[i : i + block], sent[i : i + block]) for i in range(0, len(x), block)]
    assert all(np.array_equal(mine, theirs) or not theirs.any() for mine, theirs in pairs)
    held_back = [squared(mine) for mine, theirs in pairs if mine.any() and not theirs.any()]
    kept = [squared(mine) for mine, theirs in pairs if theirs.any()]
    assert len(kept) <= compressor.kept(len(pairs))
    if held_back:
        assert len(kept) == compressor.kept(len(pairs))
        assert max(held_back) <= min(kept) * (1 + 1e-12)


def test_ties_go_to_the_lower_index() -> None:
    x = np.ones(320, np.float32)
    x[128:160] = 2

    sent = TopK(0.3, 32).compress(x, draws())
    np.testing.assert_array_equal(np.flatnonzero(sent.reshape(10, 32).any(axis=1)), [0, 1, 4])


def test_the_last_block_may_be_shorter() -> None:
    x = np.array([1, 1, 1, 1, 5], np.float32)

    np.testing.assert_array_equal(TopK(0.3, 2).compress(x, draws()), [0, 0, 0, 0, 5])
    np.testing.assert_array_equal(TopK(0.7, 2).compress(x, draws()), [1, 1, 0, 0, 5])


@pytest.mark.parametrize(
    ("density", "blocks", "kept"),
    [(0.1, 539, 54), (0.1, 30, 3), (0.1, 1, 1), (1e-9, 1000, 1), (0.26, 10, 3), (0.24, 10, 2), (1.0, 10, 10)],
)
def test_the_number_of_blocks_is_rounded_at_least_one_and_at_most_all(density: float, blocks: int, kept: int) -> None:
    assert TopK(density).kept(blocks) == kept


@pytest.mark.parametrize("density", [0.0, -0.1, 1.1, float("nan")])
def test_a_density_outside_0_to_1_is_refused(density: float) -> None:
    with pytest.raises(ValueError, match=r"density must be in \(0, 1\]"):
        TopK(density)


@pytest.mark.parametrize("make", [lambda: TopK(0.5, 0), lambda: Everything(0), lambda: Threshold(1, 0)])
def test_a_block_without_elements_is_refused(make: type) -> None:
    with pytest.raises(ValueError, match="at least 1 element"):
        make()


Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

DISTRIBUTIONS: dict[str, Draw] = {
    "gaussian": lambda draw, d: draw.standard_normal(d),
    "laplace": lambda draw, d: draw.laplace(size=d),
    "t3": lambda draw, d: draw.standard_t(3, d),
    "uniform": lambda draw, d: draw.uniform(-1, 1, d),
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gaussian", [0.9875, 0.9160, 0.5610, 0.0725]),
        ("laplace", [0.968, 0.836, 0.402, 0.033]),
        ("t3", [0.847, 0.657, 0.298, 0.030]),
        ("uniform", [0.997, 0.970, 0.729, 0.124]),
    ],
)
def test_top_k_of_bell_shaped_vectors_obeys_the_square_bound(name: str, expected: list[float]) -> None:
    """|x - C(x)|^2 <= (1 - k/d)^2 |x|^2 ([GaussianK]). The tails of t3 make its numbers the roughest."""
    x = DISTRIBUTIONS[name](draws(5), 100_000).astype(np.float32)
    for density, value in zip([0.001, 0.01, 0.1, 0.5], expected, strict=True):
        ratio = squared(x - TopK(density).compress(x, draws())) / squared(x)
        assert ratio <= (1 - density) ** 2 * (1 + 1e-4)
        assert ratio == pytest.approx(value, rel=0.05 if name == "t3" else 0.01, abs=0.002)


@pytest.mark.parametrize("levels", [(1.0, 1.0), (1.0, 0.9)])
def test_vectors_that_are_not_bell_shaped_violate_it_and_never_the_linear_one(levels: tuple[float, float]) -> None:
    x = np.array(levels * 5000, np.float32)
    for density in (0.001, 0.01, 0.1, 0.5):
        ratio = squared(x - TopK(density).compress(x, draws())) / squared(x)
        assert (1 - density) ** 2 < ratio <= 1 - density + 1e-12
        if levels == (1.0, 1.0):
            assert ratio == pytest.approx(1 - density, rel=1e-12)


@pytest.mark.parametrize(
    ("block", "density", "value"), [(16, 0.1, 0.829), (64, 0.1, 0.867), (256, 0.1, 0.885), (32, 0.01, 0.982)]
)
def test_blocks_of_gaussians_also_violate_it(block: int, density: float, value: float) -> None:
    x = gaussian(3, 256 * 1000)
    ratio = squared(x - TopK(density, block).compress(x, draws())) / squared(x)

    assert (1 - density) ** 2 < ratio < 1 - density
    assert ratio == pytest.approx(value, abs=0.004)


def test_large_blocks_of_heavy_tails_obey_it() -> None:
    x = DISTRIBUTIONS["t3"](draws(5), 256 * 1000).astype(np.float32)

    assert squared(x - TopK(0.1, 256).compress(x, draws())) <= 0.9**2 * squared(x)


@pytest.mark.parametrize(("block", "held"), [(32, 0.275), (256, 0.924)])
def test_one_element_in_a_hundred_leaves_few_blocks_zero(block: int, held: float) -> None:
    """A block of independent values is non-zero with probability 1 - (1 - density)^block; so select blocks, not
    elements."""
    sent = TopK(0.01).compress(gaussian(1, 256 * 2000), draws())

    assert sent.reshape(-1, block).any(axis=1).mean() == pytest.approx(held, abs=0.01)


@given(vectors, densities, blocks)
def test_rand_k_sends_k_blocks_nb_over_k_times_as_large(x: Vector, density: float, block: int) -> None:
    """All blocks are equally likely, so it is unbiased, and its variance is exactly omega |x|^2."""
    compressor = RandK(density, block)
    nb = compressor.blocks(len(x))
    drawn = RandK(density, block, unscaled=True).compress(np.ones_like(x), draws(3)) > 0

    sent = compressor.compress(x, draws(3)).astype(np.float64)

    limit = float(np.finfo(np.float32).max)
    scaled = x.astype(np.float64) * nb / max(1, compressor.kept(nb))
    np.testing.assert_allclose(sent, np.where(drawn, np.clip(scaled, -limit, limit), 0), rtol=1e-6, atol=2e-45)
    assert sum(drawn[i : i + block].any() for i in range(0, len(x), block)) == (compressor.kept(nb) if nb else 0)


@pytest.mark.parametrize("block", [1, 4])
@pytest.mark.parametrize("k", [10, 100])
def test_rand_k_is_unbiased_with_exactly_its_omega(block: int, k: int) -> None:
    x, draw, count = gaussian(1, 1000), draws(2), 4000
    compressor = RandK(k * block / 1000, block)
    omega = compressor.omega(1000)
    assert omega is not None
    assert omega == pytest.approx(1000 / block / k - 1)

    sent = np.array([compressor.compress(x, draw) for _ in range(count)])

    spread = squared(sent - x) / count
    assert spread == pytest.approx(omega * squared(x), rel=0.03)
    assert squared(sent.mean(axis=0, dtype=np.float64) - x) <= 16 * spread / count


@pytest.mark.parametrize("block", [1, 4])
def test_unscaled_rand_k_is_contractive_on_average(block: int) -> None:
    x, draw = gaussian(1, 1000), draws(2)
    compressor = RandK(0.2, block, unscaled=True)

    errors = [squared(x - compressor.compress(x, draw)) for _ in range(2000)]

    assert np.mean(errors) == pytest.approx((1 - 0.2) * squared(x), rel=0.01)


def test_rand_k_draws_a_block_as_often_as_another() -> None:
    x, draw = np.ones(10, np.float32), draws(4)
    counts = sum(RandK(0.3, unscaled=True).compress(x, draw) for _ in range(5000))

    np.testing.assert_allclose(counts, 1500, atol=4 * np.sqrt(5000 * 0.3 * 0.7))


@settings(max_examples=50)
@given(st.integers(1, 6), st.integers(0, 300), st.integers(1, 40), st.integers(0, 9))
def test_perm_k_sends_each_block_once_so_the_mean_of_equal_vectors_is_exact(
    workers: int, size: int, block: int, seed: int
) -> None:
    """Workers send as many blocks, or one more or less. An integer times n has no rounding."""
    vector = np.arange(1, size + 1, dtype=np.float32)
    compression = Compression(f"permk(block={block})", InProcessNetwork(workers), size, seed=seed)
    added = compression.aggregate(np.tile(vector, (workers, 1)))

    np.testing.assert_array_equal(added.sent.sum(axis=0), workers * vector)
    counts = [sum(row[i : i + block].any() for i in range(0, size, block)) for row in added.sent]
    assert max(counts) - min(counts) <= 1
    sparsifier = compression.spec.sparsifier
    assert np.count_nonzero(added.sent, axis=1).max() <= sparsifier.most(size) <= block * (1 + size / block / workers)


@pytest.mark.parametrize(("workers", "block"), [(4, 1), (7, 4), (30, 4)])
def test_perm_k_is_unbiased_and_its_mean_has_exactly_the_variance_of_the_ab_inequality(
    workers: int, block: int
) -> None:
    """Mean |x_i|^2 - |mean x_i|^2: A = B = 1. That of one worker is omega |x|^2. Also with fewer blocks than workers,
    and with a number of blocks that is not a multiple of theirs."""
    size, count, network, compressor = 80, 1000, InProcessNetwork(workers), PermK(block)
    compressor.join(workers)
    rows = gaussian(1, workers, size) + gaussian(2, size)
    sent = np.array([compressor.select(rows, [draws(seed) for _ in rows], network, 0) for seed in range(count)])

    mean = rows.mean(axis=0, dtype=np.float64)
    expected = squared(rows) / workers - squared(mean)
    assert squared(sent.mean(axis=1, dtype=np.float64) - mean) / count == pytest.approx(expected, rel=0.05)
    assert compressor.omega(size) == workers - 1
    assert squared(sent - rows) / count == pytest.approx((workers - 1) * squared(rows), rel=0.05)
    assert squared(sent.mean(axis=0, dtype=np.float64) - rows) <= 2 * (workers - 1) * squared(rows) / count


SHAPES: dict[str, Draw] = {
    **DISTRIBUTIONS,
    "mostly zeros": lambda draw, d: draw.standard_normal(d) * (draw.random(d) < 0.1),
    "shifted": lambda draw, d: draw.standard_normal(d) + 1,
    "constant": lambda draw, d: np.ones(d),
}


@pytest.mark.parametrize("density", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("block", [1, 32])
def test_gaussian_k_finds_between_one_and_twice_its_share(name: str, density: float, block: int) -> None:
    """For any values; for Gaussian ones, nearly the share itself."""
    x = SHAPES[name](draws(6), 320_000).astype(np.float32)
    compressor = GaussianK(density, block)
    k = compressor.kept(320_000 // block)

    kept = compressor.compress(x, draws()).reshape(-1, block).any(axis=1)

    assert 1 <= np.count_nonzero(kept) <= 2 * k
    norms = np.square(x.reshape(-1, block), dtype=np.float64).sum(axis=1)
    assert norms[kept].min() >= norms[~kept].max() * (1 - 1e-6)
    if name == "gaussian" and block == 1:
        assert np.count_nonzero(kept) == pytest.approx(k, rel=0.1)


def test_gaussian_k_falls_back_where_the_estimate_fails() -> None:
    """No uniform value reaches a Gaussian's 0.1 % quantile, and constant ones are all equal to the mean."""
    for x in (DISTRIBUTIONS["uniform"](draws(1), 100_000).astype(np.float32), np.ones(100_000, np.float32)):
        assert counted(GaussianK(0.001), x) == counted(TopK(0.001), x) == 100


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("block", [1, 32])
def test_gaussian_k_takes_the_memory_of_its_result_however_often_it_corrects(name: str, block: int) -> None:
    x = SHAPES[name](draws(6), 2**21).astype(np.float32)
    compressor = GaussianK(0.01, block)
    compressor.compress(x, draws())

    tracemalloc.start()
    compressor.compress(x, draws())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Histograms of half words do not grow with x.
    assert peak <= 1.01 * x.nbytes + 2**20


def test_a_threshold_compares_magnitudes() -> None:
    x = np.array([-3, -2, -1, 0, 0.5, -0.5, 0, 0], np.float32)

    np.testing.assert_array_equal(Threshold(1).compress(x, draws()), [-3, -2, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(Threshold(1, 4).compress(x, draws()), [-3, -2, -1, 0, 0, 0, 0, 0])
    assert counted(Threshold(0), x) == 5


@pytest.mark.parametrize("density", [0.001, 0.01, 0.1])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_dgc_finds_about_its_share(name: str, density: float) -> None:
    x = DISTRIBUTIONS[name](draws(7), 200_000).astype(np.float32)

    assert 0.8 * 200_000 * density <= counted(Dgc(density), x) <= 1.3 * 200_000 * density


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 8])
def test_gtop_k_keeps_the_largest_of_the_sum_along_the_tree(workers: int) -> None:
    rows = np.stack([GTopK(0.02).compress(row, draws()) for row in gaussian(workers, workers, 500)])

    kept = GTopK(0.02).select(rows, [draws()] * workers, InProcessNetwork(workers), 0)

    indices = np.flatnonzero(kept.any(axis=0))
    assert len(indices) == 10
    np.testing.assert_array_equal(kept[:, indices], rows[:, indices])

    def top(x: Vector) -> Vector:
        return TopK(0.02).compress(x, draws())

    level = list(rows)
    while len(level) > 1:
        pairs = [top(a + b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(pairs) * 2 :]
    np.testing.assert_array_equal(indices, np.flatnonzero(level[0]))


@given(st.integers(1, 5), st.integers(1, 40))
def test_gtop_k_of_vectors_with_hardly_a_value_keeps_them(workers: int, size: int) -> None:
    rows = np.zeros((workers, size), np.float32)
    rows[:, 0] = 1

    kept = GTopK(0.5).select(rows, [draws()] * workers, InProcessNetwork(workers), 0)

    np.testing.assert_array_equal(kept, rows)


@settings(max_examples=50)
@given(st.integers(1, 5), st.integers(0, 1500), densities, st.sampled_from([1, 4, 32]), st.integers(0, 9))
def test_clt_k_sends_the_blocks_that_the_leader_of_the_step_would_send_as_top_k(
    workers: int, size: int, density: float, block: int, step: int
) -> None:
    """So its error obeys the bound of top-k."""
    rows = gaussian(step, workers, size)
    rows[:, size // 2 :: 3] = 0

    sent = CltK(density, block).select(rows, [draws()] * workers, InProcessNetwork(workers), step)

    leader = step % workers
    np.testing.assert_array_equal(sent[leader], TopK(density, block).compress(rows[leader], draws()))
    chosen = np.repeat([sent[leader, i : i + block].any() for i in range(0, size, block)], block)[:size]
    np.testing.assert_array_equal(sent, np.where(chosen, rows, 0))


@pytest.mark.parametrize(("arguments", "words"), [("0.02,block=32", 20), ("0.3,block=32", 32), ("0.01", 320)])
@pytest.mark.parametrize("workers", [2, 8])
def test_clt_k_has_a_union_of_k_blocks_and_costs_that_and_the_leaders_choice(
    workers: int, arguments: str, words: int
) -> None:
    """However many workers there are; top-k's union grows with them. The choice is k numbers or a bit for each block,
    in one more call."""
    elements, received = 32 * 1000, []
    for name in ("cltk", "topk"):
        network, calls = InProcessNetwork(workers), InProcessNetwork(workers)
        compression = Compression(f"{name}({arguments})+ef", network, elements)
        added, sparsifier = compression.aggregate(gaussian(1, workers, elements)), compression.spec.sparsifier
        assert isinstance(sparsifier, Share)
        union = sum(added.total[i : i + sparsifier.block].any() for i in range(0, elements, sparsifier.block))
        assert (union == sparsifier.kept(elements // sparsifier.block)) == (name == "cltk")
        if name == "cltk":
            calls.all_reduce(np.eye(workers, 1, dtype=np.int32) * np.ones(words, np.int32))
        calls.all_reduce(added.sent)
        assert network.statistics == calls.statistics
        assert compression.report()[0].bytes == pytest.approx(calls.statistics["bytes_sent"])
        received.append(network.statistics["bytes_received"] / workers)
    assert received[1] / received[0] > (1.4 if workers == 2 else 2.7)


@pytest.mark.parametrize("missing", ["late", "gone"])
def test_the_next_worker_leads_where_the_leader_of_clt_k_is_missing(missing: str) -> None:
    """All make the same calls, and keep what they have not sent."""
    rows = gaussian(1, 3, 40)
    job = Job("cltk(0.1)+ef", 3, 40)
    if missing == "gone":
        del job.workers[0]

    results = job.step(dict(enumerate(rows)), [{0} if missing == "late" else ()] * 9)

    for result in results.values():
        np.testing.assert_array_equal(
            np.flatnonzero(result.total), np.flatnonzero(TopK(0.1).compress(rows[1], draws()))
        )
