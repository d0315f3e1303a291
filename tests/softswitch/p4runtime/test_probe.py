"""A long sequence of requests to the switch and to BMv2, compared line by line."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from lab.conformance.harness import record
from lab.conformance.harness.switches import EMBEDDED
from lab.conformance.probe import suite
from tests.support.p4runtime_client import PROGRAMS

BMV2_VERSION = "1.15.5"
COMPILER = "1.2.3.8"
"""The p4c version that made the committed program; others format the JSON differently."""


def test_the_switch_answers_like_bmv2_except_for_listed_differences(tmp_path: Path) -> None:
    intended = suite.answers(suite.DIFFERENCES)
    found = suite.run(EMBEDDED, tmp_path / "log")
    assert found
    for outcome in found:
        assert outcome.result == ("differ" if outcome.test in intended else "pass"), outcome


def test_bmv2_answers_as_recorded(tmp_path: Path) -> None:
    if shutil.which(suite.BMV2) is None:
        pytest.skip(f"there is no {suite.BMV2} on PATH: only its recorded answers were compared")
    if record.version(suite.BMV2) != BMV2_VERSION:
        pytest.skip(f"this {suite.BMV2} is not {BMV2_VERSION}")
    found = suite.run([suite.BMV2], tmp_path / "log")
    assert found
    for outcome in found:
        assert outcome.result == "pass", outcome


def test_an_answer_that_neither_gives_and_a_question_not_asked_fail() -> None:
    given = suite.answers(suite.ANSWERS)
    asked = len(given)
    intended = suite.answers(suite.DIFFERENCES)
    first, second = list(intended)[:2]
    given |= {first: intended[first], second: "neither", "new": "ok"}
    del given["insert"]
    found = {outcome.test: outcome.result for outcome in suite.compare(given)}
    assert (found[first], found[second], found["new"], found["insert"]) == ("differ", "fail", "fail", "fail")
    assert Counter(found.values()) == {"pass": asked - 3, "differ": 1, "fail": 3}


@pytest.mark.parametrize("name", ["kinds", "probe"])
def test_compiling_a_program_again_gives_the_same(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("p4c-bm2-ss")
    if compiler is None:
        pytest.skip("p4c is not installed: the compiled programs were not compared with their sources")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if COMPILER not in version.stdout + version.stderr:
        pytest.skip(f"this p4c is not {COMPILER}")
    # The compiled program contains the source's path.
    root = Path(__file__).parents[3]
    source = (PROGRAMS / f"{name}.p4").relative_to(root)
    outputs = ["-o", str(tmp_path / "json"), "--p4runtime-files", str(tmp_path / "p4info.txt")]
    command = [compiler, "--arch", "v1model", "--std", "p4-16", *outputs, str(source)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    assert digest(tmp_path / "json") == digest(PROGRAMS / f"{name}.json")
    assert digest(tmp_path / "p4info.txt") == digest(PROGRAMS / f"{name}.p4info.txtpb")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
