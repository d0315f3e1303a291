"""Rules: specs for some of the parameters, by name and shape."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.rules import Parameter, Rules
from dropzero.compressors.sample import MOST
from dropzero.compressors.spec import SpecError
from dropzero.compressors.vectors import Rows
from tests.compressors.switch import Switch
from tests.compressors.vectors import gaussian
from tests.support.compression_job import Job

MODEL = [
    Parameter("embedding.weight", (20, 32)),
    Parameter("block.norm.weight", (32,)),
    Parameter("block.norm.bias", (32,)),
    Parameter("block.dense.weight", (32, 48)),
    Parameter("block.dense.bias", (48,)),
    Parameter("scale", ()),
]
ELEMENTS, WORKERS = sum(each.elements for each in MODEL), 3
RULES = "topk(0.1,block=32)+ef; bias,norm: none; embed: randk(0.25,block=32,shared)+diana"
SPECS = (
    RULES,
    "powersgd(2)+ef; 1d: none",
    "onebit+ef; <100: qsgd(4)+diana; embedding: powersgd(3,width=16)+ef",
    "topk(0.1)+momentum+fixed16; bias: int; dense: blockcat(32,overhead=8)+ef",
)


def parts(rows: Rows) -> dict[str, Rows]:
    """The parameters' columns."""
    ends = np.cumsum([each.elements for each in MODEL])[:-1]
    return dict(zip((each.name for each in MODEL), np.split(rows, ends, axis=-1), strict=True))


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ("bias", {"block.norm.bias", "block.dense.bias"}),
        ("norm,scale", {"block.norm.weight", "block.norm.bias", "scale"}),
        ("1d", {"block.norm.weight", "block.norm.bias", "block.dense.bias", "scale"}),
        ("2d", {"embedding.weight", "block.dense.weight"}),
        ("<33", {"block.norm.weight", "block.norm.bias", "scale"}),
        ("block.dense", {"block.dense.weight", "block.dense.bias"}),
    ],
)
def test_patterns_are_parts_of_names_and_shapes(patterns: str, names: set[str]) -> None:
    places = Rules.parse(f"none; {patterns}: int").places(MODEL)
    assert {each.name for each, place in zip(MODEL, places, strict=True) if place} == names


def test_the_first_rule_that_matches_counts_and_a_text_parses_to_the_same_rules() -> None:
    rules = Rules.parse("none ; norm : int; bias, 2d: natural")
    assert rules.places(MODEL) == [2, 1, 1, 2, 2, 0]
    assert str(rules) == "none;norm:int;bias,2d:natural"
    assert str(Rules.parse(str(rules))) == str(rules)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("none; bias", "'bias' in 'none; bias' is not a rule, such as bias,norm: none"),
        ("bias: none", "must begin with the spec of all other parameters"),
        ("none; : int", "'' in 'none; : int' is not a part of a name, nor a shape, such as 1d or <1000"),
        ("none; b*: int", "'b*' in"),
        ("none; bias: topkk(1)", "there is no 'topkk' in ' topkk(1)'; did you mean topk?"),
        ("none;", "'' in 'none;' is not a rule"),
        ("none; bais: int", "no parameter has 'bais' in its name; the nearest are block.norm.bias, block.dense.bias, "),
        ("none; bias: int; blok.dense: int", "no parameter has 'blok.dense' in its name; the nearest are block.dense."),
        ("none; bias: randk(0.1)+ef", "the memory of randk(0.1)+ef needs a compressor"),
    ],
)
def test_wrong_rules_are_named_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=re.escape(complaint)) as raised:
        Compression(text, InProcessNetwork(2), MODEL)
    assert "\n" not in str(raised.value)


def test_rules_need_the_parameters_and_enough_bits() -> None:
    with pytest.raises(SpecError, match="needs the names and shapes of the parameters, not only their number"):
        Compression(RULES, InProcessNetwork(2), ELEMENTS)
    with pytest.raises(SpecError, match="few_bits"):
        Compression("none; bias: ef+fixed8", InProcessNetwork(9), MODEL)


def test_each_rule_gives_the_bits_of_a_compression_of_its_own() -> None:
    """The default has the seed itself; random numbers of other rules differ from it."""
    whole = Compression(RULES, InProcessNetwork(WORKERS), MODEL, seed=7)
    alone = Compression("topk(0.1,block=32)+ef", InProcessNetwork(WORKERS), 32 * 48 + 1, seed=7)
    for step in range(4):
        rows = gaussian(step, WORKERS, ELEMENTS)
        given, found = parts(rows), parts(whole.aggregate(rows, rate=1 / (1 + step)).total)
        dense = np.concatenate([given["block.dense.weight"], given["scale"]], axis=1)
        expected = alone.aggregate(dense, rate=1 / (1 + step)).total
        np.testing.assert_array_equal(found["block.dense.weight"], expected[:-1])
        np.testing.assert_array_equal(found["scale"], expected[-1:])
        np.testing.assert_allclose(found["block.norm.bias"], given["block.norm.bias"].sum(axis=0), rtol=1e-5, atol=1e-5)


def test_omega_and_delta_are_those_of_the_worst_rule() -> None:
    def constants(spec: str) -> tuple[float | None, float | None]:
        found = Compression(spec, InProcessNetwork(WORKERS), MODEL)
        return found.omega, found.delta

    assert constants("randk(0.5,block=32); bias: none; embed: randk(0.25,block=32)") == (3.0, None)
    assert constants("topk(0.5,block=32); bias: none")[0] is None
    assert constants("topk(0.5,block=32)+ef; 1d: topk(1)")[1] == 0.5


@pytest.mark.parametrize("spec", SPECS)
def test_the_switch_gives_the_same_bits_as_one_process(spec: str) -> None:
    networks = Switch(WORKERS, 2, 0.3), InProcessNetwork(WORKERS, lanes=2)
    there, here = (Compression(spec, network, MODEL, seed=5) for network in networks)
    for step in range(3):
        rows = gaussian(step, WORKERS, ELEMENTS)
        through, expected = (each.aggregate(rows) for each in (there, here))
        np.testing.assert_array_equal(through.total, expected.total)
        np.testing.assert_array_equal(through.sent, expected.sent)


@pytest.mark.parametrize("spec", SPECS)
def test_training_continues_from_a_file_as_if_it_had_never_stopped(spec: str) -> None:
    steady = Compression(spec, InProcessNetwork(WORKERS), MODEL, seed=2)
    for step in range(2):
        steady.aggregate(gaussian(step, WORKERS, ELEMENTS))
    saved: dict[str, Any] = steady.state()
    np.savez(file := io.BytesIO(), **saved)
    file.seek(0)
    resumed = Compression(spec, InProcessNetwork(WORKERS), MODEL)
    with np.load(file, allow_pickle=False) as loaded:
        resumed.restore(loaded)
    for step in range(2, 4):
        rows = gaussian(step, WORKERS, ELEMENTS)
        some, others = (each.aggregate(rows, rate=0.5) for each in (steady, resumed))
        np.testing.assert_array_equal(some.total, others.total)
    for name, value in steady.state().items():
        if name.endswith("sparsifier.between"):
            # The seconds between two steps are a difference, of a clock that begins anew.
            assert value == pytest.approx(resumed.state()[name], rel=1e-12)
        else:
            np.testing.assert_array_equal(value, resumed.state()[name], err_msg=name)


def test_the_state_of_other_rules_or_of_a_model_that_they_divide_differently_is_refused() -> None:
    state = Compression("none; bias: int", InProcessNetwork(1), MODEL).state()
    with pytest.raises(ValueError, match=r"is of spec none;bias:int, not none;norm:int"):
        Compression("none; norm: int", InProcessNetwork(1), MODEL).restore(state)
    other = [Parameter("bias", (ELEMENTS - 1,)), Parameter("weight", (1,))]
    with pytest.raises(ValueError, match="is of elements"):
        Compression("none; bias: int", InProcessNetwork(1), other).restore(state)


@pytest.mark.parametrize("spec", SPECS)
def test_workers_leave_enter_and_are_late(spec: str) -> None:
    job = Job(spec, WORKERS, MODEL)
    job.workers.pop(1)
    for step, late in enumerate(([], [{0}] * 30, [])):
        if step == 2:
            job.enter(1)
        results = job.step(dict(enumerate(gaussian(step, WORKERS, ELEMENTS))), late)
        assert len({result.total.tobytes() for result in results.values()}) == 1
    shared = [each.state(shared=True) for each in job.workers.values()]
    for name, value in shared[0].items():
        np.testing.assert_array_equal(value, shared[-1][name], err_msg=name)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["embedding.weight", "block.dense.bias", "scale"])
def test_a_gradient_that_is_not_finite_is_refused_by_name_and_leaves_no_trace(spec: str, name: str) -> None:
    """Also in rules whose sums have been made before."""
    warned, fresh = (Compression(spec, InProcessNetwork(WORKERS), MODEL) for _ in range(2))
    rows = gaussian(0, WORKERS, ELEMENTS)
    for each in (warned, fresh):
        each.aggregate(rows)
    broken = rows.copy()
    parts(broken)[name][1, -1] = np.nan
    with pytest.raises(FloatingPointError, match=rf"gradient element \d+ of {ELEMENTS} is nan: element \d+ of {name}"):
        warned.aggregate(broken)
    for step in (1, 2):
        rows = gaussian(step, WORKERS, ELEMENTS)
        np.testing.assert_array_equal(warned.aggregate(rows).total, fresh.aggregate(rows).total)


class Broken(InProcessNetwork):
    """Its collectives fail from a given one on."""

    left = 10**9

    def all_reduce(self, *given: Any, **options: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise ConnectionError
        return super().all_reduce(*given, **options)


@pytest.mark.parametrize("spec", SPECS)
def test_a_sum_that_fails_in_the_network_leaves_no_trace(spec: str) -> None:
    network, rows = Broken(WORKERS), [gaussian(step, WORKERS, ELEMENTS) for step in range(2)]
    steady = Compression(spec, InProcessNetwork(WORKERS), MODEL)
    expected = [steady.aggregate(each).total for each in rows]
    for calls in range(12):
        failing = Compression(spec, network, MODEL)
        network.left = 10**9
        np.testing.assert_array_equal(failing.aggregate(rows[0]).total, expected[0])
        network.left = calls
        try:
            failing.aggregate(rows[1])
        except ConnectionError:
            network.left = 10**9
            np.testing.assert_array_equal(failing.aggregate(rows[1]).total, expected[1], err_msg=str(calls))
    assert network.left > 0


def test_the_report_has_each_parameters_error_bytes_and_omega() -> None:
    network = InProcessNetwork(WORKERS)
    compression = Compression(RULES, network, MODEL)
    before = compression.report()
    assert [each.name for each in before] == [each.name for each in MODEL]
    assert all(np.isnan(each.error) and each.bytes == 0 for each in before)
    rows = gaussian(0, WORKERS, ELEMENTS)
    sent = network.statistics["bytes_sent"]
    result = compression.aggregate(rows)
    spent = network.statistics["bytes_sent"] - sent
    report = compression.report()
    away, squares = parts(np.square(result.sent.astype(np.float64) - rows)), parts(np.square(rows, dtype=np.float64))
    for each in report:
        # The first vector is that of all memories, too.
        assert each.error == pytest.approx(away[each.name].sum() / squares[each.name].sum())
    assert sum(each.bytes for each in report) == pytest.approx(spent)
    by_name = {each.name: each for each in report}
    assert by_name["block.norm.bias"].omega == 0
    assert by_name["embedding.weight"].omega == 3
    assert by_name["block.dense.weight"].omega is None
    assert by_name["block.dense.weight"].spec == "topk(0.1,block=32)+ef"
    # Each worker sends 15 to 30 times as many blocks of a dense bias as of the top tenth.
    assert by_name["block.norm.bias"].bytes * 48 > by_name["block.dense.weight"].bytes


def test_the_report_of_a_large_model_looks_at_a_sample() -> None:
    model = [Parameter("large", (20 * MOST, 1)), Parameter("small", (32,))]
    compression = Compression("topk(0.25,block=32)+ef; small: none", InProcessNetwork(1), model)
    rows = gaussian(0, 1, 20 * MOST + 32)
    result = compression.aggregate(rows)
    large, small = compression.report()
    whole = np.square(result.sent - rows).sum() / np.square(rows[:, :-32]).sum()
    assert large.error == pytest.approx(whole, rel=0.05)
    assert small.error == 0
    assert large.bytes > 900 * small.bytes
