"""Every compressor on the compiled switch program gives the same bits as in one process, on any network."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import wire_block
from dropzero.compressors.spec import PARTS, WHOLE
from dropzero.compressors.vectors import Rows
from dropzero.protocol.wire import COLUMNS, OUTER_BYTES, payload_bytes
from tests.compressors.switch import Switch
from tests.compressors.vectors import gaussian

EXAMPLES = {
    "topk": "topk(0.1,block=32)",
    "gaussiank": "gaussiank(0.1,block=64)",
    "randk": "randk(0.1,block=32)",
    "permk": "permk(block=32)",
    "threshold": "threshold(2.5,block=32)",
    "dgc": "dgc(0.02)",
    "gtopk": "gtopk(0.02)",
    "cltk": "cltk(0.1,block=32)",
    "randcat": "randcat(count=40)",
    "blockcat": "blockcat(block=32,overhead=2)",
    "qsgd": "qsgd(4)",
    "quant": "quant(2)",
    "atomo": "atomo(3)",
    "powersgd": "powersgd(2)",
    "sketch": "sketch(0.1)",
}
"""Arguments of parts that need some."""


def example(part: str) -> str:
    return EXAMPLES.get(part, part)


COMPOSED = [
    *(
        f"{example(quantizer)}+diana(0.3)"
        for quantizer in PARTS["quantizer"]
        if quantizer not in ("majority", "sketch")
    ),
    *(f"{example(each)}+ef" for each in PARTS["sparsifier"] if each not in ("randk", "permk", "randcat")),
    "randk(0.1,block=32,unscaled)+ef",
    "randk(0.1,block=32,shared)",
    "randk(0.1,block=32)+diana",
    "permk+diana",
    "randcat(packets,overhead=1)+diana",
    "randcat(contractive)+ef",
    "topk(0.1,block=128)+ef+fixed16",
    "topk(0.02)+ef",
    "cltk(0.02)+ef(0.3)+fixed8",
    "gaussiank(0.05)+momentum+fixed8",
    "dgc(0.02)+momentum(0.9)+warmup(0.1,every=1)",
    "cat(packets,signs)",
    "qsgd(127)",
    "qsgd(4,own)",
    "terngrad(2.5)",
    "terngrad(2.5,own)",
    "quant(2)+diana",
    "terngrad+diana",
    "int(8)",
    "int+diana(1)",
    "onebit+ef",
    "majority",
    "topk(0.1)+ef21",
    "topk(0.1,block=128)+ef21sgdm+fixed8",
    "powersgd(4,width=16)+ef",
    "sketch(0.05,share=0.3,rows=5,width=8)",
]
"""Every part, and compositions of more than two."""
SPECS = [
    # Every sparsifier with every quantizer, except those that send every element.
    *(
        f"{example(sparsifier)}+{example(quantizer)}"
        for sparsifier, quantizer in product(PARTS["sparsifier"], PARTS["quantizer"])
        if sparsifier == "none" or quantizer not in WHOLE
    ),
    *COMPOSED,
]
WORKERS, ELEMENTS, LANES = 3, 2400, 2
HEADERS = OUTER_BYTES + payload_bytes(COLUMNS, 0)


def gradients(step: int) -> Rows:
    """Some blocks of some workers are zero."""
    rows = gaussian(step, WORKERS, ELEMENTS) * np.repeat(gaussian(step + 50, WORKERS, ELEMENTS // 40), 40, axis=1)
    rows[0, 100:300] = 0
    rows[:, 600:700] = 0
    return rows


@pytest.mark.parametrize("trouble", [0.0, 0.3], ids=["good network", "bad network"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_switch_and_the_in_process_network_give_the_same_sums(spec: str, trouble: float) -> None:
    """Bit for bit, also when packets are lost, duplicated and reordered; and with the same bytes on a good network."""
    reckoned, switch = InProcessNetwork(WORKERS, lanes=LANES), Switch(WORKERS, LANES, trouble)
    there, here = (Compression(spec, network, ELEMENTS, seed=5) for network in (switch, reckoned))
    for step in range(2):
        through, expected = (each.aggregate(gradients(step)) for each in (there, here))
        np.testing.assert_array_equal(through.total, expected.total)
        np.testing.assert_array_equal(through.sent, expected.sent)
        assert through.largest == expected.largest
    if trouble:
        assert switch.statistics["retransmissions"] + switch.statistics["ignored"] > 0
        return
    counted, formula = switch.statistics, reckoned.statistics
    assert counted["packets_sent"] == formula["packets_sent"]
    assert counted["bytes_sent"] == formula["bytes_sent"]
    assert counted["packets_received"] == formula["packets_received"]
    assert counted["bytes_received"] == formula["bytes_received"]


@pytest.mark.parametrize("sparsifier", PARTS["sparsifier"])
def test_sums_are_those_of_integers_in_numpy(sparsifier: str) -> None:
    """Blocks are scaled by hand to the power of two with room for three workers, and added as int64."""
    compression = Compression(example(sparsifier), Switch(WORKERS, LANES, 0.0), ELEMENTS, seed=2)
    block = wire_block(compression.spec.sparsifier.block, 32)
    result = compression.aggregate(gradients(1))

    blocks = np.pad(result.sent.astype(np.float64), ((0, 0), (0, -ELEMENTS % block))).reshape(WORKERS, -1, block)
    _, exponents = np.frexp(np.abs(blocks).max(axis=(0, 2)))
    units = np.ldexp(1.0, exponents - 29)[:, None]
    total = np.rint(blocks / units).astype(np.int64).sum(axis=0) * units
    np.testing.assert_array_equal(result.total, total.ravel()[:ELEMENTS].astype(np.float32))


def test_shared_random_blocks_are_those_of_all_workers() -> None:
    compression = Compression("randk(0.1,block=32,shared)", InProcessNetwork(WORKERS), ELEMENTS)
    for _ in range(3):
        sent = compression.aggregate(np.ones((WORKERS, ELEMENTS), np.float32)).sent
        np.testing.assert_array_equal(sent, np.tile(sent[0], (WORKERS, 1)))


def test_every_part_is_tested() -> None:
    used = {part for spec in SPECS for part in re.findall(r"(?:^|\+)([a-z0-9]+)", spec)}

    assert used | {"forget", "fixed"} == {part for parts in PARTS.values() for part in parts}


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("spec", SPECS)
def test_gradients_that_are_not_finite_are_refused_by_place_and_leave_no_trace(spec: str, bad: float) -> None:
    warned, fresh = (Compression(spec, InProcessNetwork(WORKERS), ELEMENTS, seed=5) for _ in range(2))
    for step in range(2):
        wrong = gradients(step)
        wrong[0, [41, 73]] = bad
        with pytest.raises(FloatingPointError, match=f"gradient element 41 of {ELEMENTS} is {bad}"):
            warned.aggregate(wrong)
        np.testing.assert_array_equal(warned.aggregate(gradients(step)).total, fresh.aggregate(gradients(step)).total)


@pytest.mark.parametrize("spec", [example(quantizer) for quantizer in PARTS["quantizer"]] + ["momentum(clip=1)"])
def test_doubles_that_are_no_float32_are_refused_by_place(spec: str) -> None:
    wrong = gradients(1).astype(np.float64)
    wrong[0, 41] = -1e39
    with pytest.raises(FloatingPointError, match=re.escape("gradient element 41 of 2400 is -1e+39, too large for")):
        Compression(spec, InProcessNetwork(WORKERS), ELEMENTS).aggregate(wrong)


@pytest.mark.parametrize("spec", SPECS)
def test_a_vector_without_elements_has_a_sum(spec: str) -> None:
    compression = Compression(spec, InProcessNetwork(WORKERS), 0)
    for _ in range(2):
        assert compression.aggregate(np.zeros((WORKERS, 0), np.float32)).total.shape == (0,)


def test_diana_reaches_the_optimum_through_the_switch_with_ternary_integers() -> None:
    """With workers that differ and 8-bit elements; sums stay within the number of workers."""
    network = Switch(WORKERS, 1, 0.0)
    compression = Compression("terngrad+diana(0.4)", network, 8)
    targets = gaussian(1, WORKERS, 8).astype(np.float64)
    point = np.zeros(8)
    for _ in range(260):
        aggregate = compression.aggregate(point - targets)
        point -= 0.3 * aggregate.total / WORKERS
        assert aggregate.largest <= 1
        assert aggregate.largest_sum <= WORKERS

    assert np.abs(point - targets.mean(axis=0)).max() < 1e-12
