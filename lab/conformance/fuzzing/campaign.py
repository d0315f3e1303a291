"""Fuzz many programs in several rounds, on one embedded switch whose memory must not grow."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from dropzero.softswitch.offline.state import p4info_of
from lab.conformance.fuzzing.fuzz import Comparison, Plan, ReferenceEnded, Report
from lab.conformance.harness.scorecard import Expectations, Outcome
from lab.conformance.harness.switches import EMBEDDED, Restarted, SwitchEnded, resident

GROWTH = 1.1
"""The most memory that a switch may have after the last round, relative to the maximum in the first half of the rounds,
in which its heap settles."""
STEPS = "steps.jsonl"
"""The file in the build folder with each step and its findings."""
DETAIL = 200
"""The most characters of a difference to print."""


@dataclass(frozen=True)
class Campaign:
    """Everything to send; see fuzz.Plan. rounds: turns of each program. first: the step to begin with."""

    programs: tuple[Path, ...]
    packets: int
    requests: int
    malformed: int
    rounds: int = 2
    batch: int = 100
    seed: int = 0
    first: int = 0

    def __len__(self) -> int:
        return self.rounds * len(self.programs)

    def __iter__(self) -> Iterator[tuple[int, Plan]]:
        """Yield the remaining steps, with their numbers."""
        steps = len(self)
        for step in range(self.first, steps):
            round, at = divmod(step, len(self.programs))
            program = self.programs[at]
            packets, requests, malformed = (
                total * (step + 1) // steps - total * step // steps
                for total in (self.packets, self.requests, self.malformed)
            )
            digest = hashlib.sha256(f"{self.seed} {round} {program.stem}".encode()).digest()
            seed = int.from_bytes(digest[:4], "big")
            yield step, Plan(program, seed, packets, requests, malformed, self.batch)


@dataclass
class Tally:
    """Totals so far. memory: of the embedded switch after each round, bytes."""

    packets_in: int = 0
    packets_out: int = 0
    requests: int = 0
    malformed: int = 0
    repeated: int = 0
    updates: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def add(self, program: str, outcome: Outcome, report: Report) -> None:
        """Add a step, and keep the worst outcome of each program."""
        self.packets_in += report.packets_in
        self.packets_out += report.packets_out
        self.requests += report.requests
        self.malformed += report.malformed
        self.repeated += report.repeated
        for (mine, other), count in report.codes.items():
            self.updates[mine if mine == other else f"{mine}/{other}"] += count
        if program not in self.outcomes or self.outcomes[program].result in ("pass", "alone"):
            self.outcomes[program] = outcome

    @property
    def grew(self) -> bool:
        settling = self.memory[: (len(self.memory) + 1) // 2]
        return len(self.memory) > 1 and self.memory[-1] > GROWTH * max(settling)


def programs_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the programs in files and folders: JSON files with a P4Info next to them."""
    for path in paths:
        candidates = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        yield from (each for each in candidates if p4info_of(each) is not None)


def run(
    campaign: Campaign,
    other: str | None,
    expectations: Expectations,
    build: Path,
    tally: Tally,
) -> Iterator[tuple[int, Plan, Outcome]]:
    """Run every step in turn. Yields its number, plan and outcome, once it is in the tally. other: the executable to
    compare with, if there is one."""
    build.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack, (build / STEPS).open("a" if campaign.first else "w") as record:
        ours = stack.enter_context(Restarted(EMBEDDED, build / "embedded.log"))
        reference = None if other is None else stack.enter_context(Restarted([other], build / "other.log"))
        for step, plan in campaign:
            outcome, report = _step(plan, ours, reference, expectations)
            tally.add(plan.program.stem, outcome, report)
            memory = resident(ours.switch.process.pid)
            if (step + 1) % len(campaign.programs) == 0:
                tally.memory.append(memory)
            line = {"step": step, "program": str(plan.program), "seed": plan.seed, "result": outcome.result}
            line |= {"detail": outcome.detail, "differences": report.differences, "resident": memory}
            line |= {"repeated": report.repeated, "packets": report.packets_in, "requests": report.requests}
            record.write(json.dumps(line) + "\n")
            record.flush()
            yield step, plan, outcome


def _step(
    plan: Plan, ours: Restarted, reference: Restarted | None, expectations: Expectations
) -> tuple[Outcome, Report]:
    """Run a step; if the switches differ, repeat it after restarting the other switch. BMv2 has several threads, and
    sometimes sends no packets after a start without a program."""
    name = plan.program.stem
    left = tuple(test.partition(":")[2] for test in expectations.exceptions if test.startswith(f"{name}:"))
    plan = replace(plan, leave=plan.leave + left)
    theirs = None if expectations.expected(name) == "alone" else reference
    repeated = 0
    while True:
        try:
            report = Comparison(plan, ours.switch, theirs).run()
        except ReferenceEnded as error:
            assert theirs is not None
            theirs.close()
            if repeated:
                return Outcome(name, "other-crash", str(error)), Report()
        except SwitchEnded as error:
            ours.close()
            return Outcome(name, "crash", str(error)), Report()
        else:
            if theirs is None or repeated or not (report.other_was_mute or report.differences):
                break
            theirs.close()
        repeated += 1
    report.repeated = repeated
    if theirs is not None and (report.differences or report.refused):
        # After BMv2 has refused one program, it refuses all.
        theirs.close()
    if report.differences:
        return Outcome(name, "differ", report.differences[0][:DETAIL]), report
    if theirs is None:
        return Outcome(name, expectations.expected(name)), report
    return Outcome(name, "refused" if report.refused else "pass"), report
