"""The count sketch against a reference that is written from its papers, and its properties."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

import numpy as np
import pytest

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import SpecError
from dropzero.streams import stream
from tests.compressors.vectors import gaussian

MASK = (1 << 64) - 1
ELEMENTS, WORKERS = 600, 3


def splitmix(key: int) -> int:
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & MASK
    key = (key ^ key >> 27) * 0x94D049BB133111EB & MASK
    return key ^ key >> 31


class Reference:
    """FetchSGD's server in Python's own numbers: a table of cells by (row, column)."""

    def __init__(self, density: float, share: float, rows: int) -> None:
        self.count = -int(-density * ELEMENTS // 1)
        columns = round(share * ELEMENTS / rows)
        seeds = [int(seed) for seed in stream(0, "sketch").integers(0, 2**64, rows, np.uint64)]
        mixed = [[splitmix((index + seed) & MASK) for seed in seeds] for index in range(ELEMENTS)]
        self.cells = [[(row, (key >> 32) * columns >> 32) for row, key in enumerate(keys)] for keys in mixed]
        self.signs = [[-1 if key & 1 else 1 for key in keys] for keys in mixed]
        self.table: dict[tuple[int, int], float] = {}

    def step(self, gradient: Sequence[float]) -> list[float]:
        for value, cells, signs in zip(gradient, self.cells, self.signs, strict=True):
            for cell, sign in zip(cells, signs, strict=True):
                self.table[cell] = self.table.get(cell, 0.0) + sign * value
        estimates = [
            median(sign * self.table[cell] for cell, sign in zip(cells, signs, strict=True))
            for cells, signs in zip(self.cells, self.signs, strict=True)
        ]
        largest = sorted(range(ELEMENTS), key=lambda index: -abs(estimates[index]))[: self.count]
        for index in largest:
            self.table.update(dict.fromkeys(self.cells[index], 0.0))
        return [estimate if index in largest else 0.0 for index, estimate in enumerate(estimates)]


@pytest.mark.parametrize(("density", "share", "rows"), [(0.05, 0.3, 3), (0.01, 0.5, 5), (0.2, 0.2, 1)])
def test_it_equals_the_papers_algorithm(density: float, share: float, rows: int) -> None:
    """Up to fixed point; gradients are dyadic, so that no two estimates differ by rounding alone."""
    ours = Compression(f"sketch({density},share={share},rows={rows})", InProcessNetwork(WORKERS), ELEMENTS)
    reference = Reference(density, share, rows)
    for step in range(5):
        gradients = np.round(gaussian(step, WORKERS, ELEMENTS) * 2**10) / 2**10 + np.arange(ELEMENTS) * 2.0**-20
        found = ours.aggregate(gradients.astype(np.float32)).total
        expected = np.array(reference.step(gradients.astype(np.float32).sum(axis=0, dtype=np.float64).tolist()))
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_sums_of_sketches_are_sketches_of_sums() -> None:
    gradients = gaussian(1, WORKERS, ELEMENTS)
    (one, many) = (
        Compression("sketch(0.1)", InProcessNetwork(len(rows)), ELEMENTS).aggregate(rows).total
        for rows in (gradients.sum(axis=0, keepdims=True), gradients)
    )
    np.testing.assert_allclose(one, many, atol=1e-5)


def test_it_finds_the_elements_that_stand_out() -> None:
    """Those above the error of the estimates, |x| / sqrt(columns) or so, with their values."""
    vector = gaussian(2, 1, 10_000)
    large = stream(0, "large").choice(10_000, 20, replace=False)
    vector[0, large] += 60 * np.sign(vector[0, large])
    found = Compression("sketch(0.002,share=0.5,rows=5)", InProcessNetwork(1), 10_000).aggregate(vector).total
    assert set(np.flatnonzero(found)) == set(large)
    np.testing.assert_allclose(found[large], vector[0, large], atol=12)


def test_what_is_not_returned_is_returned_later() -> None:
    """60 equal elements, of which a step returns 20."""
    ours = Compression("sketch(0.01,share=0.5,rows=5)", InProcessNetwork(1), 2000)
    vector = np.zeros((1, 2000), np.float32)
    vector[0, :1200:20] = 1
    returned = np.array([ours.aggregate(each).total for each in (vector, *np.zeros((3, 1, 2000), np.float32))])
    assert np.count_nonzero(returned[0]) == 20
    assert np.count_nonzero(returned.sum(axis=0)[vector[0] > 0]) > 50


def test_a_newcomer_continues_with_the_others_table() -> None:
    ours, copy = (Compression("sketch(0.05)", InProcessNetwork(WORKERS), ELEMENTS) for _ in range(2))
    for step in range(3):
        ours.aggregate(gaussian(step, WORKERS, ELEMENTS))
    copy.restore(ours.state(shared=True))
    last = gaussian(3, WORKERS, ELEMENTS)
    np.testing.assert_array_equal(ours.aggregate(last).total, copy.aggregate(last).total)


def test_the_bytes_do_not_depend_on_where_the_elements_are() -> None:
    def sent(rows: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> int:
        network = InProcessNetwork(WORKERS)
        Compression("sketch(0.05,share=0.3,width=8)", network, 32_000).aggregate(rows)
        return network.statistics["bytes_sent"]

    dense = gaussian(4, WORKERS, 32_000)
    few = np.where(np.abs(dense) > 3, dense, np.float32(0))
    assert sent(few) == pytest.approx(sent(dense), rel=0.05)
    assert sent(dense) < 0.12 * dense.nbytes


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("sketch(0)", "the density must be in (0, 1], not 0"),
        ("sketch(0.1,share=2)", "the share must be in (0, 1], not 2"),
        ("sketch(0.1,rows=4)", "there must be an odd number of rows, at most 15, not 4"),
        ("sketch(0.1,width=4)", "cells must have 8, 16 or 32 bits, not 4"),
        ("sketch(0.1)+ef", "sketch keeps what it does not send in its table: it takes no ef"),
        ("topk(0.1)+sketch(0.1)", "sketch sends every element: it can't follow topk"),
    ],
)
def test_bad_settings_are_refused(spec: str, problem: str) -> None:
    with pytest.raises(SpecError, match=re.escape(problem)):
        Compression(spec, InProcessNetwork(2), 100)


def test_a_nan_is_named_and_changes_nothing() -> None:
    ours = Compression("sketch(0.1)", InProcessNetwork(1), 100)
    good, bad = gaussian(5, 1, 100), gaussian(6, 1, 100)
    bad[0, 7] = np.nan
    ours.aggregate(good)
    before = ours.state()["quantizer.table"].copy()
    with pytest.raises(FloatingPointError, match="element 7"):
        ours.aggregate(bad)
    np.testing.assert_array_equal(ours.state()["quantizer.table"], before)
