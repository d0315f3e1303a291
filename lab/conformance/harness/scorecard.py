"""Scorecards: compare the outcomes of a suite's tests with those expected."""

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
    """The outcome of one test. result: "pass", "fail", or another name, such as "crash". detail: the reason."""

    test: str
    result: str
    detail: str = ""


@dataclass
class Expectations:
    """The tests that are expected not to pass: test -> (result, reason)."""

    exceptions: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, suite: str) -> Expectations:
        """Read lab/conformance/expected/SUITE.txt. Raises ValueError for a malformed line."""
        path = EXPECTED / f"{suite}.txt"
        return cls.parse(path.read_text()) if path.exists() else cls()

    @classmethod
    def parse(cls, text: str) -> Expectations:
        """Parse lines of "TEST RESULT REASON". Raises ValueError for one without a reason."""
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
        """Return the unexpected outcomes, including better ones."""
        return [each for each in outcomes if each.result not in (self.expected(each.test), "not-applicable")]


def report(suite: str, outcomes: list[Outcome], expectations: Expectations, console: Console) -> bool:
    """Print the suite's table. console: without markup. Returns whether there are outcomes, all as expected."""
    if not outcomes:
        console.print(f"{suite}: no test was found")
        return False
    table = Table("result", "tests", title=suite, title_justify="left")
    for result, count in sorted(Counter(outcome.result for outcome in outcomes).items()):
        table.add_row(result, str(count))
    console.print(table)
    surprises = expectations.surprises(outcomes)
    for outcome in surprises:
        wanted = expectations.expected(outcome.test)
        console.print(f"{outcome.test}: {outcome.result}, expected {wanted}: {outcome.detail}")
    console.print(f"{suite}: {'as expected' if not surprises else f'{len(surprises)} not as expected'}")
    return not surprises
