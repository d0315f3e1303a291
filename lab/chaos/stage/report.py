"""The report of a run: its faults and results, and all problems."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.chaos.jobs.checker import Verdict


@dataclass
class Report:
    """The counts of a run, and a sentence for each problem.

    Attributes:
        forged: packets, by sender and receiver.
        hung: calls that did not end.
        lost: workers that lost their job although they were not killed and made no mistake.
        died: switches and controllers that ended without being killed.
        failed: second runs.
        tracebacks: in the logs of switches and controllers.
        left_behind: on the machine or on a switch.
    """

    seed: int
    seconds: float = 0.0
    stages: int = 0
    jobs: int = 0
    verdict: Verdict = field(default_factory=Verdict)
    faults: Counter[str] = field(default_factory=Counter)
    forged: Counter[str] = field(default_factory=Counter)
    hung: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    died: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)

    @property
    def wrongs(self) -> dict[str, list[str]]:
        """All problems by kind."""
        names = ("hung", "lost", "died", "failed", "tracebacks", "left_behind")
        found = {name: list(getattr(self, name)) for name in names}
        return {"wrong": self.verdict.wrong, "differing": self.verdict.differing, **found}

    @property
    def problems(self) -> list[str]:
        return [f"{name.replace('_', ' ')}: {text}" for name, found in self.wrongs.items() for text in found]

    @property
    def counts(self) -> dict[str, Counter[str]]:
        """What is counted by kind."""
        found = {"collectives": self.verdict.collectives, "faults": self.faults}
        return found | {"forged packets": self.forged, "errors": self.verdict.errors}

    def write(self, path: Path) -> None:
        """Write it as JSON: the numbers first, then the problems."""
        counts = {name.split()[0]: each for name, each in self.counts.items()}
        content: dict[str, Any] = {
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "stages": self.stages,
            "jobs": self.jobs,
            "results": self.verdict.results,
            **{name: each.total() for name, each in counts.items()},
            **{name: len(found) for name, found in self.wrongs.items()},
            **{f"{name}_by_kind": dict(each.most_common()) for name, each in counts.items()},
            "problems": self.problems,
        }
        path.write_text(json.dumps(content, indent=2) + "\n")
