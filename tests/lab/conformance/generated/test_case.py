"""Cases: programs with what the control plane writes and packets, and BMv2's recorded answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.conformance.generated.case import ANSWERS, Answers, Case
from lab.conformance.generated.embedded import run

CASES = Path(__file__).parent / "cases"
MINE = Answers([True, False], [(1, b"a"), (2, b"b"), (2, b"c")], ["entry", "entry"])
TWO = Case("", packets=((1, b"a"),))


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_the_embedded_switch_answers_as_bmv2_did(folder: Path) -> None:
    case, other = Case.read(folder), Answers.from_json((folder / ANSWERS).read_text())
    assert other.packets or other.state
    assert list(case.differences(run(folder), other)) == []


def test_answers_survive_a_file() -> None:
    assert Answers.from_json(MINE.to_json()) == MINE
