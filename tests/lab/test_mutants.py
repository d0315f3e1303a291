"""Mutants of the claims."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dropzero.experiments.catalogue import EXPERIMENTS
from lab.mutants.__main__ import PAGE, SURVIVES, broken, main, write
from lab.mutants.mutant import Mutant
from lab.mutants.mutants import MUTANTS


def test_every_claim_has_two_mutants() -> None:
    assert MUTANTS.keys() == EXPERIMENTS.keys()
    assert {name for name, mutants in MUTANTS.items() if len({each.name for each in mutants}) < 2} == set()


def test_the_page_lists_all_mutants_and_each_is_caught() -> None:
    """Claims that the page names as not run yet have no rows."""
    page = PAGE.read_text()
    (waiting,) = re.findall(r"^Not run yet[^:]*: (.*)\.$", page, re.MULTILINE) or [""]
    run = [name for name in EXPERIMENTS if f"`{name}`" not in waiting]
    expected = [f"| `{name}` | {mutant.name} | " for name in run for mutant in MUTANTS[name]]
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(lines) == len(expected)
    assert [line for line, start in zip(lines, expected, strict=True) if not line.startswith(start)] == []
    assert [line for line in lines if SURVIVES in line] == []


@pytest.mark.parametrize("mutant", MUTANTS["counterexample"], ids=lambda mutant: mutant.name)
def test_a_mutant_breaks_its_claim_and_leaves_no_trace(mutant: Mutant) -> None:
    experiment = EXPERIMENTS["counterexample"]
    assert broken(experiment, mutant)
    assert not broken(experiment)


def test_a_mutant_that_changes_nothing_survives() -> None:
    assert not broken(EXPERIMENTS["counterexample"], Mutant("nothing", []))


def test_rows_of_other_claims_stay(tmp_path: Path) -> None:
    page = tmp_path / "claims.md"
    page.write_text(
        "# Claims\n\n| claim | mutant | caught by |\n|---|---|---|\n| `table` | a | b |\n| `memory` | c | d |\n"
    )
    write({"memory": ["| `memory` | e | f |"], "feedback": ["| `feedback` | g | h |"]}, page)
    assert page.read_text().splitlines()[4:] == [
        "| `feedback` | g | h |",
        "| `memory` | e | f |",
        "| `table` | a | b |",
    ]


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(SystemExit, match="there is no claim perpetuum; there are feedback, "):
        main(["perpetuum"])
