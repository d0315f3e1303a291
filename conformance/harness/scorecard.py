"""Outcomes of a suite's tests, and how they compare with what is expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

EXPECTED = Path(__file__).parents[1] / "expected"


@dataclass(frozen=True)
class Outcome:
    """What became of one test: "pass", "fail", or what else the suite knows ("no-compile", "crash"); why."""

    test: str
    result: str
    detail: str = ""


@dataclass
class Expectations:
    """Tests that are not expected to pass: test -> result, reason. All others are."""

    exceptions: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, suite: str) -> Expectations:
        """From conformance/expected/SUITE.txt; ValueError."""
        path = EXPECTED / f"{suite}.txt"
        return cls.parse(path.read_text()) if path.exists() else cls()

    @classmethod
    def parse(cls, text: str) -> Expectations:
        """Lines of "TEST RESULT REASON"; ValueError for one without a reason."""
        exceptions = {}
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split(maxsplit=2)
            if not words:
                continue
            if len(words) < 3:
                raise ValueError(f"line {number} gives no reason: {line.strip()!r}")
            exceptions[words[0]] = (words[1], words[2])
        return cls(exceptions)

    def expected(self, test: str) -> str:
        return self.exceptions.get(test, ("pass", ""))[0]

    def surprises(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Those that came out otherwise than expected, better ones too."""
        return [outcome for outcome in outcomes if outcome.result != self.expected(outcome.test)]


def report(suite: str, outcomes: list[Outcome], expectations: Expectations, console: Console) -> bool:
    """Prints the suite's table; whether everything came out as expected."""
    table = Table(title=suite, title_justify="left")
    for heading in ("result", "tests"):
        table.add_column(heading)
    for result, count in sorted(Counter(outcome.result for outcome in outcomes).items()):
        table.add_row(result, str(count))
    console.print(table)
    surprises = expectations.surprises(outcomes)
    for outcome in surprises:
        console.print(
            f"{outcome.test}: {outcome.result}, expected {expectations.expected(outcome.test)}: {outcome.detail}",
            markup=False,
            highlight=False,
        )
    console.print(f"{suite}: {'as expected' if not surprises else f'{len(surprises)} not as expected'}")
    return not surprises
