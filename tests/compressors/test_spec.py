from __future__ import annotations

import re

import numpy as np
import pytest

from dropzero.compressors.adaptive import BlockCat
from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.memory import ErrorFeedback, Memory, Momentum, Shift
from dropzero.compressors.quantizers import Dithering, FixedPoint, Integers
from dropzero.compressors.schedule import Schedule, Warmup
from dropzero.compressors.sparsifiers import Dgc, Everything, RandK, TopK
from dropzero.compressors.spec import BUCKET, Spec, SpecError, density_spec


def test_parts_are_found_in_any_order_and_spacing() -> None:
    for text in ("topk(0.01,block=32)+ef+fixed16", "fixed16 + ef+topk( 0.01 , block = 32 )"):
        spec = Spec.parse(text)
        assert spec.sparsifier == TopK(0.01, 32)
        assert isinstance(spec.memory, ErrorFeedback)
        assert spec.quantizer == FixedPoint(16)
        assert type(spec.schedule) is Schedule


def test_parts_that_are_left_out_do_nothing() -> None:
    spec = Spec.parse("fixed32")

    assert spec.sparsifier == Everything()
    assert type(spec.memory) is Memory


def test_arguments_are_given_by_position_by_name_and_as_words() -> None:
    assert Spec.parse("randk(0.1,7,unscaled,shared)").sparsifier == RandK(0.1, 7, shared=True, unscaled=True)
    assert Spec.parse("terngrad(2.5,own)").quantizer == Dithering(norm=float("inf"), clip=2.5, own=True, bucket=BUCKET)
    assert Spec.parse("quant(inf)").quantizer == Dithering(norm=float("inf"), own=True, bucket=BUCKET)
    assert Spec.parse("topk(1e-05)").sparsifier == TopK(1e-5)
    assert Spec.parse("threshold(1e+3)+ef").sparsifier.block == 1
    spec = Spec.parse("dgc(0.001)+momentum(0.5)+warmup(0.25,0.063,every=10)")
    assert spec.sparsifier == Dgc(0.001)
    assert isinstance(spec.memory, Momentum)
    assert spec.memory.factor == 0.5
    assert spec.schedule == Warmup((0.25, 0.063), 10)


def test_a_specs_text_parses_to_the_same_spec() -> None:
    text = "blockcat(block=64)+ diana(alpha=0.5) +int(8)"
    spec = Spec.parse(str(Spec.parse(text)))

    assert isinstance(spec.sparsifier, BlockCat)
    assert isinstance(spec.memory, Shift)
    assert isinstance(spec.quantizer, Integers)
    assert (spec.sparsifier.block, spec.memory.alpha, spec.quantizer.width) == (64, 0.5, 8)


@pytest.mark.parametrize("density", [1e-5, 0.1, 0.3, 1, np.float64(0.25)])
def test_a_density_is_short_for_block_top_k_with_error_feedback(density: float) -> None:
    spec = Spec.parse(density_spec(density))

    assert spec.sparsifier == (Everything() if density == 1 else TopK(density, 32))
    assert isinstance(spec.memory, ErrorFeedback) == (density != 1)


def test_a_warm_up_ends_with_the_density_itself() -> None:
    schedule = Warmup((0.5, 0.25), 2)

    densities = [schedule.at(step, TopK(0.1)) for step in range(6)]
    assert densities == [TopK(each) for each in (0.5, 0.5, 0.25, 0.25, 0.1, 0.1)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("topkk(1)", "there is no 'topkk' in 'topkk(1)'; did you mean topk?"),
        ("zip", "sparsifier: none, topk, gaussiank"),
        ("topk", "topk: missing a required argument: 'density'; it is topk(DENSITY,block=1)"),
        ("topk(2)", "topk: density must be in (0, 1], not 2"),
        ("topk(nan)", "topk: density must be in (0, 1], not nan"),
        ("topk(0.1,blok=3)", "topk takes no 'blok': topk(DENSITY,block=1)"),
        ("topk(0.1,block=2.5)", "topk: block must be a whole number below 2^31, not 2.5"),
        ("topk(0.1,block=9999999999)", "topk: block must be a whole number below 2^31, not 1e+10"),
        ("topk(0.1,block=2,block=3)", "topk has two block"),
        ("randk(0.1,shared,shared)", "randk has two shared"),
        ("topk(0.1,,3)", "topk: '' is not a number"),
        ("topk(0.1,)", "topk: '' is not a number"),
        ("dgc(0.1,block=32)", "dgc takes no 'block': dgc(DENSITY)"),
        ("gtopk(0.1,block=32)", "gtopk takes no 'block': gtopk(DENSITY)"),
        ("topk(0.1,block=0)", "topk: a block must have at least 1 element, not 0"),
        ("topk(0.1,3,4)", "topk: too many positional arguments"),
        ("topk(0.1,density=0.2)", "topk: multiple values for argument 'density'"),
        ("topk(x)", "topk: 'x' is not a number"),
        ("topk(0.1)+randk(0.1)", "two sparsifiers, topk and randk"),
        ("topk(0.1", "'topk(0.1' in 'topk(0.1' is not a part"),
        ("", "'' in '' is not a part"),
        ("+ef", "'' in '+ef' is not a part"),
        ("ef ef", "'ef ef' in 'ef ef' is not a part"),
        ("topk(0.1)+onebit", "onebit sends every element: it can't follow topk"),
        ("warmup(0.1,every=2)", "warmup needs a sparsifier with a density"),
        ("topk(0.1)+warmup(every=2)", "warmup: the stages' densities"),
        (
            "topk(0.1)+warmup(0.3)",
            "warmup: missing a required argument: 'every'; it is warmup(DENSITIES,...,every=EVERY)",
        ),
        ("topk(0.1)+warmup(0.3,every=0)", "warmup: a stage must have at least 1 step"),
        ("fixed32(1)", "fixed32: too many positional arguments; it is fixed32()"),
        ("fixed24", "there is no 'fixed24'"),
        ("quant(3)", "quant: the norm must be 1, 2 or inf, not 3"),
        ("qsgd(0)", "qsgd: there must be 1 to 127 levels, not 0"),
        ("terngrad(-1)", "terngrad: clip must be a number of standard deviations"),
        ("int(24)", "int: integers must have 8, 16 or 32 bits, not 24"),
        ("int(beta=1)", "int: beta must be in [0, 1), not 1"),
        ("atomo(0)", "atomo: at least 1 atom must be kept, not 0"),
        ("diana(2)", "diana: alpha must be in (0, 1], not 2"),
        ("momentum(clip=-1)", "momentum: clip must be a norm, 0 or larger, not -1"),
        ("momentum(1)", "momentum: the momentum factor must be in [0, 1), not 1"),
        ("threshold(-1)", "threshold: the threshold must be a magnitude, 0 or larger, not -1"),
        ("cat(overhead=-1)", "cat: the overhead must be a number of packets"),
        ("blockcat(overhead=-1)", "blockcat: the overhead must be a number of blocks"),
        ("randk(0.1,shared=1)", "randk: shared is switched on by its name alone"),
    ],
)
def test_a_wrong_spec_names_the_part_and_what_is_possible_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=re.escape(complaint)) as raised:
        Spec.parse(text)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("randk(0.1)+ef", "an omega of 9"),
        ("qsgd(1,own)+ef", "an omega of 10.3"),
        ("qsgd(1,own,bucket=0)+ef", "an omega of 30.6"),
        ("topk(0.1)+diana", "needs alpha="),
        ("int+diana", "needs alpha="),
    ],
)
def test_incompatible_parts_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint):
        Compression(text, InProcessNetwork(2), 1000)


def test_8_bits_for_more_than_8_workers_must_be_asked_for() -> None:
    Compression("ef+fixed8", InProcessNetwork(8), 1000)
    with pytest.raises(SpecError, match=r"ef\+fixed8: elements of 8 bits have only 3 bits .* with few_bits"):
        Compression("ef+fixed8", InProcessNetwork(9), 1000)
    Compression("ef+fixed8(few_bits)", InProcessNetwork(9), 1000)


@pytest.mark.parametrize(("text", "workers"), [("int(8)", 65), ("fixed8(few_bits)", 65), ("int(16)", 16385)])
def test_integers_without_a_bit_for_each_worker_are_refused_before_the_first_sum(text: str, workers: int) -> None:
    with pytest.raises(SpecError, match=re.escape(f"{text}: the sum of {workers} workers' elements does not fit")):
        Spec.parse(text).check(workers)
    Spec.parse(text).check(workers - 1)


@pytest.mark.parametrize("text", ["terngrad", "qsgd(3)", "int(8)"])
def test_exact_integers_need_no_more_bits_than_they_have(text: str) -> None:
    rows = np.random.default_rng(0).standard_normal((32, 256)).astype(np.float32)
    compression = Compression(text, InProcessNetwork(32), 256)
    for _ in range(2):
        compression.aggregate(rows)
