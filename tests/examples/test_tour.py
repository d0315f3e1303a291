"""The notebook: it runs, and its outputs are those that are committed."""

from __future__ import annotations

from pathlib import Path

from tests.examples.notebook import code, execute, read, text

TOUR = Path(__file__).parents[2] / "examples" / "tour.ipynb"
MOST_BYTES = 150_000


def test_the_committed_outputs_are_those_of_its_cells() -> None:
    notebook = read(TOUR)
    for cell, outputs in zip(code(notebook), execute(notebook), strict=True):
        assert text(outputs) == text(cell["outputs"]), "".join(cell["source"])
        kinds = [[each["output_type"] for each in both] for both in (outputs, cell["outputs"])]
        assert kinds[0] == kinds[1]


def test_it_is_small() -> None:
    assert TOUR.stat().st_size < MOST_BYTES
