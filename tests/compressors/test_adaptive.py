from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.adaptive import PACKET_BITS, BlockCat, Cat, Dynamic, RandCat
from dropzero.compressors.compression import Compression
from dropzero.compressors.cost import Cost
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.quantizers import probabilities
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.vectors import Vector
from tests.compressors.vectors import draws, gaussian, squared


def sent(compressor: Sparsifier, x: Vector) -> Vector:
    return compressor.compress(x, draws())


def count(x: Vector) -> int:
    return int(np.count_nonzero(x))


def best(x: Vector, compressor: Cat | RandCat) -> int:
    """The number of elements with the largest gain per cost, by trying all."""
    magnitudes = np.sort(np.abs(x.astype(np.float64)))[::-1]
    costs = compressor.costs(len(x))

    def worth(t: int) -> float:
        if isinstance(compressor, RandCat):
            return float(1 / np.divide(magnitudes**2, probabilities(magnitudes, t)).sum() / costs[t - 1])
        gain = magnitudes[:t].sum() ** 2 / t if compressor.signs else np.square(magnitudes[:t]).sum()
        return float(gain / costs[t - 1])

    return max(range(1, len(x) + 1), key=worth)


@pytest.mark.parametrize(
    "compressor",
    [
        Cat(),
        Cat(signs=True),
        Cat(packets=True),
        Cat(packets=True, overhead=3),
        Cat(signs=True, packets=True, overhead=0.5),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_cat_takes_as_many_as_pay_best(compressor: Cat, seed: int) -> None:
    x = gaussian(seed, 700) ** 3

    assert count(sent(compressor, x)) == best(x, compressor)


@pytest.mark.parametrize("compressor", [RandCat(packets=True), RandCat(packets=True, overhead=3)])
@pytest.mark.parametrize("seed", range(5))
def test_random_elements_are_as_many_as_pay_best(compressor: RandCat, seed: int) -> None:
    """How many are sent is random; how large the others are, |g_j| / p_j = |g|_1 / T, is not."""
    x = gaussian(seed, 700) ** 3
    same = replace(compressor, count=best(x, compressor))

    np.testing.assert_array_equal(sent(compressor, x), sent(same, x))
    assert not np.array_equal(sent(compressor, x), sent(replace(compressor, count=same.count + 1), x))


def test_in_bits_random_elements_are_worth_the_same_until_one_is_certain() -> None:
    x = gaussian(5, 1000)
    magnitudes = np.sort(np.abs(x.astype(np.float64)))[::-1]
    most = int(magnitudes.sum() / magnitudes[0])

    worth = RandCat().gains(magnitudes) / RandCat().costs(1000)
    np.testing.assert_allclose(worth[:most], worth[0], rtol=1e-12)
    assert (np.diff(worth[most:]) < 0).all()
    np.testing.assert_array_equal(sent(RandCat(), x), sent(RandCat(count=most), x))


@pytest.mark.parametrize("power", [1, 3])
def test_no_other_probabilities_of_random_elements_gain_more(power: int) -> None:
    x = gaussian(6, 300).astype(np.float64) ** power
    magnitudes, others = np.sort(np.abs(x))[::-1], np.random.default_rng(6)
    gains = RandCat().gains(magnitudes)
    for t in (1, 10, 100, 299):
        odds = probabilities(magnitudes, t)
        assert gains[t - 1] == pytest.approx(squared(x) / (magnitudes**2 / odds).sum(), rel=1e-9)
        assert gains[t - 1] >= t / len(x)
        for _ in range(20):
            share = others.random() * 0.1
            other = odds * (1 - share) + share * probabilities(others.random(len(x)) + 0.01, t)
            assert other.sum() == pytest.approx(t)
            assert squared(x) / (magnitudes**2 / other).sum() <= gains[t - 1] * (1 + 1e-9)


@pytest.mark.parametrize("contractive", [False, True])
def test_random_elements_have_the_mean_and_square_of_theory(contractive: bool) -> None:
    x, compressor, draw = gaussian(7, 100) ** 3, RandCat(count=20, contractive=contractive), draws()
    (gain,) = compressor.gains(np.sort(np.abs(x.astype(np.float64)))[::-1])[[19]]
    factor = gain if contractive else 1

    drawn = np.stack([compressor.compress(x, draw) for _ in range(4000)]).astype(np.float64)
    odds = probabilities(np.abs(x.astype(np.float64)), 20)
    deviation = factor * np.abs(x) * np.sqrt((1 / odds - 1) / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - factor * x) <= 5 * deviation + 1e-6 * np.abs(x)).all()
    assert np.square(drawn).sum(axis=1).mean() == pytest.approx(factor**2 * squared(x) / gain, rel=0.03)


def test_random_elements_of_huge_vectors_stay_finite() -> None:
    x = np.full(1000, np.finfo(np.float32).max)

    assert np.isfinite(sent(RandCat(count=3), x)).all()


def test_every_worker_chooses_its_own_number() -> None:
    rows = np.stack([gaussian(8, 3000) ** 9, gaussian(8, 3000)])

    messages = Compression("cat(packets,overhead=1)+ef", InProcessNetwork(2), 3000).aggregate(rows).sent
    assert [count(row) for row in messages] == [best(row, Cat(packets=True, overhead=1)) for row in rows]
    assert count(messages[0]) < count(messages[1])


@pytest.mark.parametrize("signs", [False, True])
def test_a_fixed_count_is_kept(signs: bool) -> None:
    for t in (1, 7, 700, 10_000):
        assert count(sent(Cat(signs=signs, count=t), gaussian(1, 700))) == min(t, 700)


@pytest.mark.parametrize("seed", range(10))
def test_when_every_element_costs_the_same_one_is_best(seed: int) -> None:
    assert count(sent(Cat(), gaussian(seed, 1000))) == 1


def test_when_packets_cost_a_full_one_is_best() -> None:
    """An element takes ceil(log2 65536) + 32 bits."""
    assert count(sent(Cat(packets=True), gaussian(1, 65536))) == PACKET_BITS // (16 + 32)


def test_signs_come_with_the_mean_magnitude() -> None:
    x = gaussian(3, 1000)
    result = sent(Cat(signs=True), x)

    chosen = np.flatnonzero(result)
    np.testing.assert_allclose(result[chosen], np.sign(x[chosen]) * np.abs(x[chosen]).mean(), rtol=1e-6)


def descend(compressor: Cat | Dynamic, steps: int) -> list[int]:
    """Gradient descent on a quadratic with L = 1; checks the guaranteed decrease of every step. Returns the numbers of
    elements sent."""
    curvature = np.linspace(1, 0.01, 400)
    point: NDArray[np.float64] = gaussian(4, 400).astype(np.float64) / np.arange(1, 401)
    counts = []
    for _ in range(steps):
        gradient = curvature * point
        step = sent(compressor, gradient.astype(np.float32)).astype(np.float64)
        chosen = gradient[step != 0]
        signs = isinstance(compressor, Dynamic) or compressor.signs
        gain = np.abs(chosen).sum() ** 2 / len(chosen) if signs else squared(chosen)
        after = point - step
        lower = 0.5 * (curvature * point**2).sum() - gain / 2
        assert 0.5 * (curvature * after**2).sum() <= lower + 1e-6 * gain
        point = after
        counts.append(len(chosen))
    return counts


@pytest.mark.parametrize("compressor", [Cat(), Cat(signs=True), Cat(packets=True), Dynamic()])
def test_every_step_descends_by_the_gain(compressor: Cat | Dynamic) -> None:
    descend(compressor, 200)


def test_random_elements_descend_by_the_gain_on_average() -> None:
    curvature = np.linspace(1, 0.01, 400)
    point = gaussian(4, 400).astype(np.float64)
    gradient, draw = curvature * point, draws()
    magnitudes = np.sort(np.abs(gradient))[::-1]
    for t in (1, 20, 200):
        steps = [RandCat(count=t, contractive=True).compress(gradient.astype(np.float32), draw) for _ in range(300)]
        after = np.array([0.5 * curvature @ (point - step) ** 2 for step in steps])
        guaranteed = RandCat().gains(magnitudes)[t - 1] * squared(gradient) / 2
        assert 0.5 * curvature @ point**2 - after.mean() >= guaranteed - 4 * after.std() / len(after) ** 0.5


def test_how_much_is_sent_adapts_within_a_run() -> None:
    counts = descend(Cat(signs=True), 200)

    assert max(counts) >= 5 * min(counts)


@pytest.mark.parametrize("size", [1, 2, 100, 8192])
def test_the_dynamic_rule_takes_at_most_the_root(size: int) -> None:
    for seed in range(20):
        x = gaussian(seed, size)
        t = count(sent(Dynamic(), x))
        magnitudes = np.sort(np.abs(x.astype(np.float64)))[::-1]
        assert t <= np.ceil(np.sqrt(size))
        assert magnitudes[:t].sum() >= np.sqrt(squared(x)) * (1 - 1e-9)
        assert magnitudes[: t - 1].sum() < np.sqrt(squared(x))
    assert count(sent(Dynamic(), np.ones(size, np.float32))) == np.ceil(np.sqrt(size))


def test_block_cat_takes_as_many_blocks_as_pay_best() -> None:
    x = gaussian(5, 64 * 100) * np.repeat(np.arange(1, 101), 64).astype(np.float32)
    norms = np.sort(np.square(x.reshape(-1, 64), dtype=np.float64).sum(axis=1))[::-1]
    for overhead in (0.0, 1.0, 20.0, 1000.0):
        kept = sent(BlockCat(64, overhead, 1.0), x).reshape(-1, 64).any(axis=1)
        assert kept.sum() == max(range(1, 101), key=lambda k: norms[:k].sum() / (overhead + k))


def sizes(compression: Compression, network: InProcessNetwork, steps: int, seconds: float = 0.0) -> list[int]:
    """Makes sums of vectors whose blocks have ever smaller norms, after computing for some seconds each. Returns the
    blocks that worker 0 sends."""
    found, blocks = [], compression.elements // 32
    for step in range(steps):
        network.seconds += seconds
        rows = gaussian(step, network.size, blocks * 32) * np.exp(-np.arange(blocks) / 100).repeat(32).astype(
            np.float32
        )
        found.append(count(compression.aggregate(rows).sent[0].reshape(blocks, 32).any(axis=1)))
    return found


def block_cat(network: InProcessNetwork, spec: str = "blockcat(32)") -> tuple[Compression, BlockCat]:
    compression = Compression(spec, network, 32 * 400)
    assert isinstance(compression.spec.sparsifier, BlockCat)
    return compression, compression.spec.sparsifier


def test_the_cost_of_a_step_is_the_line_of_its_seconds() -> None:
    cost, draw = Cost(), draws()
    assert cost.line() == (0.0, 0.0, 0.0)
    for blocks in draw.integers(10, 100, 40).tolist():
        cost.observe(blocks, 2.0 + 0.25 * blocks)
    assert cost.line() == pytest.approx((2.0, 0.25, 1.0))
    for blocks in draw.integers(10, 100, 500).tolist():
        cost.observe(blocks, 5.0 + 0.01 * blocks)
    assert cost.line() == pytest.approx((5.0, 0.01, 1.0), rel=1e-3)


def test_a_cost_that_drowns_in_noise_is_not_sure() -> None:
    sure = []
    for noise in (0.0, 0.1, 1.0, 10.0):
        cost, draw = Cost(), draws()
        for blocks in draw.integers(10, 20, 60).tolist():
            cost.observe(blocks, 20 + 0.1 * blocks + noise * draw.random())
        sure.append(cost.line().sure)
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > 0.999 > 0.5 > sure[-1]


def test_a_pause_between_two_steps_hardly_counts() -> None:
    cost, draw = Cost(), draws()
    for step, blocks in enumerate(draw.integers(10, 100, 100).tolist()):
        cost.observe(blocks, 2.0 + 0.25 * blocks + (1e6 if step == 80 else 0))
    fixed, each, _ = cost.line()
    assert fixed + 50 * each < 30


def test_if_all_steps_send_the_same_a_tenth_of_the_blocks_is_sent() -> None:
    cost = Cost()
    for _ in range(30):
        cost.observe(7, 1.0)
    assert tuple(cost.line()) == pytest.approx((1.0, 0.0, 0.0))

    first, *_ = sizes(block_cat(network := InProcessNetwork(2))[0], network, 1)
    assert first == round(0.1 * 400 / BlockCat.UNSURE)


@pytest.mark.parametrize("rate", [20e6, 1e9])
def test_block_cat_measures_what_its_network_costs(rate: float) -> None:
    """A block of 32 elements is 133 bytes; all workers send the same blocks, and compute for 10 ms."""
    network = InProcessNetwork(2, rate=rate, latency=0.0)
    compression, sparsifier = block_cat(network)
    sizes(compression, network, 40, 0.01)

    fixed, each, sure = sparsifier.cost.line()
    assert each == pytest.approx(133 * 8 / rate, rel=0.1)
    assert fixed == pytest.approx(0.01, rel=0.2)
    assert sure > 0.9
    assert 1 <= sparsifier.overlap <= 2


def test_block_cat_adapts_when_the_link_changes() -> None:
    """Where bytes cost more, less is sent, and back: as much as on a link that has always been like that."""
    network = InProcessNetwork(2, rate=1e9, latency=0.0)
    compression, _ = block_cat(network)
    found = []
    for rate in (1e9, 10e6, 1e9):
        network.rate = rate
        found.append(np.mean(sizes(compression, network, 200, 0.01)[-20:]))
    slow = InProcessNetwork(2, rate=10e6, latency=0.0)
    alone = np.mean(sizes(block_cat(slow)[0], slow, 200, 0.01)[-20:])

    assert found[1] < found[0] / 1.5
    assert found[1] == pytest.approx(alone, rel=0.3)
    assert found[2] == pytest.approx(found[0], rel=0.3)


def test_measuring_makes_no_sums_of_its_own() -> None:
    counts = []
    for spec in ("blockcat(32)", "blockcat(32,overhead=3)"):
        network = InProcessNetwork(2)
        compression = Compression(spec, network, 64)
        for _ in range(5):
            compression.aggregate(np.ones((2, 64), np.float32))
        counts.append(network.statistics["packets_sent"])
    assert counts[0] == counts[1]


def test_if_the_rest_is_only_late_less_is_sent() -> None:
    """The number of blocks that takes the least time, counted by hand: 8 blocks with norms 128, 64, ..., 1."""
    x = np.sqrt(2.0 ** np.arange(8)).astype(np.float32)
    for delay, kept in ((1.0, 2), (0.1, 1)):
        found = sent(BlockCat(1, 2.0, delay), x)
        gains = np.cumsum(2.0 ** np.arange(7, -1, -1)) / 255
        seconds = [(2 + k) * (1 + delay * (1 / gain - 1)) for k, gain in enumerate(gains, 1)]
        assert np.count_nonzero(found) == 1 + int(np.argmin(seconds)) == kept


def test_where_computing_takes_longest_it_pays_to_send_more() -> None:
    """At most a fifth of the blocks, unless what is not sent is lost."""
    network = InProcessNetwork(2, rate=20e6)
    longest, shorter, lost = (
        sizes(block_cat(network, spec)[0], network, 60, seconds)[-2:]
        for spec, seconds in (("blockcat(32)", 60.0), ("blockcat(32)", 1e-4), ("blockcat(32,delay=1)", 60.0))
    )
    assert max(shorter) < min(longest)
    assert max(longest) <= round(0.2 * 400 * BlockCat.DITHER) < min(lost)


def test_the_cost_of_a_delay_is_in_0_to_1() -> None:
    for delay in (0.0, 1.5):
        with pytest.raises(ValueError, match=r"the cost of a step's delay must be in \(0, 1\]"):
            BlockCat(32, None, delay)
