"""The expectations of a suite."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from lab.conformance.harness.scorecard import EXPECTED, Expectations, Outcome, report

EXPECTATIONS = Expectations.parse("# comment\none  fail  it is broken # or not\ntwo no-compile too new\n")


def test_a_test_that_is_not_listed_must_pass() -> None:
    assert [EXPECTATIONS.expected(test) for test in ("one", "two", "three")] == ["fail", "no-compile", "pass"]


def test_every_exception_has_a_reason() -> None:
    with pytest.raises(ValueError, match="line 1 gives no reason: 'one fail'"):
        Expectations.parse("one fail")


@pytest.mark.parametrize("path", sorted(EXPECTED.glob("*.txt")), ids=lambda path: path.stem)
def test_committed_expectations_can_be_read(path: Path) -> None:
    Expectations.load(path.stem)


@pytest.mark.parametrize(
    ("outcomes", "fine"),
    [
        ([Outcome("one", "fail"), Outcome("three", "pass")], True),
        ([Outcome("one", "pass")], False),
        ([Outcome("three", "fail", "because")], False),
    ],
)
def test_a_better_result_than_expected_is_a_surprise_too(outcomes: list[Outcome], fine: bool) -> None:
    assert report("suite", outcomes, EXPECTATIONS, Console(file=io.StringIO())) is fine


def test_a_suite_without_tests_is_not_as_expected() -> None:
    """As with a checkout that lacks them."""
    output = io.StringIO()
    assert not report("suite", [], EXPECTATIONS, Console(file=output))
    assert output.getvalue() == "suite: no test was found\n"


def test_a_surprise_is_printed_with_its_reason() -> None:
    output = io.StringIO()
    report("suite", [Outcome("three", "fail", "because")], EXPECTATIONS, Console(file=output, width=200))
    assert "three: fail, expected pass: because" in output.getvalue()
    assert "suite: 1 not as expected" in output.getvalue()
