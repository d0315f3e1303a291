"""Cases: programs with what the control plane writes and packets, and BMv2's recorded answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropzero.p4.v1 import p4runtime_pb2
from lab.conformance.generated.campaign import caught
from lab.conformance.generated.case import ANSWERS, Answers, Case
from lab.conformance.generated.embedded import run
from lab.conformance.generated.mutants import MUTANTS
from lab.mutants.mutant import Mutant

CASES = Path(__file__).parent / "cases"
Update = p4runtime_pb2.Update
MINE = Answers([True, False], [(1, b"a"), (2, b"b"), (2, b"c")], ["entry", "entry"])


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_the_embedded_switch_answers_as_bmv2_did(folder: Path) -> None:
    case, other = Case.read(folder), Answers.from_json((folder / ANSWERS).read_text())
    assert other.packets or other.state
    assert list(case.differences(run(folder), other)) == []


def test_a_mutant_is_found_and_without_one_nothing_is() -> None:
    (mutant,) = (each for each in MUTANTS if each.name == "|+| and |-| wrap")
    tried, difference = caught(mutant, CASES)
    assert (tried, difference[:4]) == (1, "port")
    assert caught(Mutant("nothing", []), CASES) == (len(list(CASES.iterdir())), "")


def test_differences_name_the_port_the_update_and_the_state() -> None:
    other = Answers([False, False], [(1, b"a"), (2, b"c"), (2, b"b")], ["entry", "other"])
    case = Case("", tuple(Update(type=kind) for kind in (Update.INSERT, Update.MODIFY)))
    found = list(case.differences(MINE, other))
    assert [each.split(":")[0] for each in found] == [
        "update accepted, by the other refused",
        "port 2, packet 0",
        "only here",
        "only on the other",
    ]
    unordered = Case("recirculate", case.updates)
    assert not any(each.startswith("port") for each in unordered.differences(MINE, other))


def test_answers_survive_a_file() -> None:
    assert Answers.from_json(MINE.to_json()) == MINE
