"""The precision of float sums, as in `dropzero precision` and docs/guarantees.md."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dropzero.experiments.precision import BLOCK, RATIOS, WORKERS, app, measure, summed
from dropzero.protocol.tensor.arrays import Tensor
from dropzero.protocol.tensor.fixedpoint import biased_exponent, magnitude_bits
from dropzero.protocol.wire import Width
from tests.support.network import all_reduce, members, model

PAGE = Path(__file__).parents[2] / "docs" / "guarantees.md"


@pytest.mark.parametrize("width", Width)
def test_measured_errors_are_those_of_workers(width: Width) -> None:
    rows: list[Tensor] = list(np.random.default_rng(1).standard_normal((5, BLOCK)).astype(np.float32))
    exponent = max(biased_exponent(row.view(np.uint32)) for row in rows)
    (got, *_) = all_reduce(members(5, 1), model(5, 1), rows, width=width, block=BLOCK)
    assert np.array_equal(summed(np.stack(rows), width, exponent, magnitude_bits(width.bits, 5)), got)


@pytest.mark.parametrize("workers", WORKERS)
def test_errors_are_within_and_near_their_bounds(workers: int) -> None:
    measured = [measure(width, workers) for width in Width]
    measured += [measure(Width.BITS_32, workers, ratio) for ratio in RATIOS]
    assert measured
    for each in measured:
        assert each.bound / 60 < each.error <= each.bound


def test_the_page_shows_what_the_command_prints() -> None:
    printed = CliRunner().invoke(app, [])
    assert printed.exit_code == 0
    page = PAGE.read_text().splitlines()
    for line in map(str.rstrip, printed.stdout.splitlines()):
        assert line in page


def test_json_has_all_numbers() -> None:
    measured = json.loads(CliRunner().invoke(app, ["--json"]).stdout)
    assert len(measured) == (len(Width) + len(RATIOS)) * len(WORKERS)
    (few,) = (each for each in measured if (each["width"], each["workers"]) == (8, 32))
    assert few["bits"] == 2
    assert few["error"] == measure(Width.BITS_8, 32).error
