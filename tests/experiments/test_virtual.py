from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.experiments.trials.virtual import VirtualNetwork
from dropzero.simulator.kernel.links import Quality

FAST, SLOW = Quality(100_000_000), Quality(20_000_000)
LOSSY, FAR = Quality(100_000_000, loss=0.05), Quality(100_000_000, 5_000_000)
ELEMENTS = 10_000


def gradients(seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((3, ELEMENTS), np.float32)


def spent(network: VirtualNetwork, spec: str = "none") -> list[float]:
    before = network.times
    Compression(spec, network, ELEMENTS).aggregate(gradients(1))
    return [now - then for now, then in zip(network.times, before, strict=True)]


@pytest.mark.filterwarnings("ignore::dropzero.compressors.compression.CompressionWarning")
@pytest.mark.parametrize("spec", ["none", "topk(0.1,block=128)+ef+fixed8", "thc(4)+ef", "onebit+ef", "gtopk(0.01)+ef"])
def test_sums_are_those_in_process(spec: str) -> None:
    """On all racks, whatever their packets go through; otherwise a call is an error."""
    one, other = (
        Compression(spec, network, ELEMENTS) for network in (InProcessNetwork(3), VirtualNetwork(3, [FAST, LOSSY, FAR]))
    )
    for step in range(3):
        rows = gradients(step)
        np.testing.assert_array_equal(one.aggregate(rows).total, other.aggregate(rows).total)


def test_seconds_are_those_of_the_links() -> None:
    """A dense sum takes the bytes of its packets, a few round trips, and what is lost."""
    fast, slow, lossy, far = spent(VirtualNetwork(3, [FAST, SLOW, LOSSY, FAR]))
    least = ELEMENTS * 32 / FAST.rate
    assert least < fast < 1.3 * least
    assert slow == pytest.approx(5 * fast, rel=0.05)
    assert lossy > fast
    assert far > fast + 2 * 0.01


def test_8_bits_cost_no_round_trip_more_than_32() -> None:
    """The exponents come with the sum."""
    blocks = "topk(0.1,block=128)+ef"
    few, all_bits = (spent(VirtualNetwork(3, [FAR]), spec)[0] for spec in (f"{blocks}+fixed8", blocks))
    assert few < all_bits


def test_the_same_calls_take_the_same_seconds() -> None:
    some, others = (spent(VirtualNetwork(3, [LOSSY], seed=seed)) for seed in (1, 1))
    assert some == others != spent(VirtualNetwork(3, [LOSSY], seed=2))


def test_a_rack_whose_links_change_is_as_slow_as_one_that_always_had_them() -> None:
    network = VirtualNetwork(3, [FAST, SLOW])
    spent(network)
    network.change(0, SLOW)
    changed, always = spent(network)
    assert changed == pytest.approx(always, rel=1e-3)


def test_computing_takes_its_time_on_every_rack() -> None:
    network = VirtualNetwork(3, [FAST, SLOW])
    before = network.times
    for _ in range(2):
        network.compute(0.25)
    assert network.times == pytest.approx([each + 0.5 for each in before])
    assert network.seconds == network.times[0]


def test_there_are_no_means() -> None:
    with pytest.raises(ValueError, match="there are no means in virtual time"):
        VirtualNetwork(2, [FAST]).all_reduce(np.ones((2, 3), np.float32), operation="mean")
