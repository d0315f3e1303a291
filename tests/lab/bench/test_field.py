"""The comparison of all protocols: what it asks, and that it continues where it was interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.field import DROPZERO, PROTOCOLS, QUESTIONS, Answer, Case, answer, answers, published
from lab.bench.papers.chart import Kind


def test_an_answer_is_simulated_once(tmp_path: Path) -> None:
    told: list[str] = []
    cases = [Case(who, workers=2, size=4000) for who in ("SwitchML", DROPZERO)]
    first = answers(cases[:1], tmp_path, 1, told.append)
    both = answers(cases, tmp_path, 1, told.append)
    assert [text for text in told if "are there" in text] == ["0 of 1 are there", "1 of 2 are there"]
    assert both.items() >= first.items()
    assert answers(cases, tmp_path, 1, told.append) == both
    assert told[-1] == "2 of 2 are there"


@pytest.mark.parametrize("who", PROTOCOLS)
def test_every_protocol_answers(who: str) -> None:
    found = answer(Case(who, workers=2, size=8000))
    assert 0 < found.average <= found.slowest
    assert found.whole == 1


def test_all_inputs_are_in_the_digest() -> None:
    case = Case("ATP")
    others = [Case("ESA"), Case("ATP", workers=4), Case("ATP", slots=8), Case("ATP", loss=0.1), Case("ATP", late=1)]
    assert len({each.digest for each in [case, *others]}) == 6


def test_a_plot_has_at_most_six_lines_and_squares_only_for_published_numbers() -> None:
    for question in QUESTIONS:
        cases = [case for who in question.who for value in question.values for case in question.cases(who, value)]
        found = dict.fromkeys(cases, Answer(1, 1, 1))
        panel = question.panel(found, published(question, found))
        assert sum(curve.kind is Kind.SIMULATED for curve in panel.curves) <= 6
        assert all(curve.source for curve in panel.curves if curve.kind is Kind.PUBLISHED)
