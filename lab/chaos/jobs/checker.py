"""Compare the records of a job's workers with the expected results, and with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from lab.chaos.jobs import expected
from lab.chaos.jobs.calls import Program
from lab.chaos.jobs.records import Record, Results, digest, read

DOCUMENTED = {
    *("Disagreement", "Stalled", "WorkerLost", "MembershipError", "Aborted", "Closed", "NotFinite", "ValueError"),
    *("KeyboardInterrupt", "Leaving", "Unusable"),
}
"""The errors of calls that are documented, by name. The last two are raised by the workers' program itself."""
SHARED = {"Aborted", "NotFinite"}
"""Errors with the same text on all workers."""
LOST_IN_CALL = "was lost in call"
"""Text of WorkerLost in a job that does not continue a call without the lost worker."""


@dataclass
class Verdict:
    """The findings about one or several jobs.

    Attributes:
        wrong: results that are not the sum over their contributors, and undocumented errors.
        differing: calls that ended differently for different workers.
        collectives: calls with a checked result, by kind.
        results: of all workers together.
        errors: by name.
    """

    wrong: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    collectives: Counter[str] = field(default_factory=Counter)
    results: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, other: Verdict) -> None:
        for name, found in vars(other).items():
            setattr(self, name, getattr(self, name) + found)


Outcomes = dict[int, list[Record]]
"""The records of one call by rank: the worker's, and those of its successors that made the call, too."""


def check(program: Program, folder: Path) -> Verdict:
    """Check a job whose workers wrote to `folder`."""
    verdict, results = Verdict(), Results(folder)
    calls: dict[int, Outcomes] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob(f"{program.job}-*.jsonl")):
        rank = int(path.stem.split("-")[1])
        records = [record for record in read(path) if record.ended is not None]
        verdict.differing += _gaps(program, path.stem, records)
        for record in records:
            who = f"{_at(program, record)}: worker {rank}"
            if record.error:
                verdict.errors[record.error] += 1
                # A host without a network cannot join.
                fine = {"OSError"} if record.kind == "connect" else set()
                if record.error not in DOCUMENTED | fine:
                    verdict.wrong.append(f"{who} got {record.error}: {record.text}")
                if record.error == "Stalled" and record.timeout is None:
                    # No fault lasts that long.
                    verdict.wrong.append(f"{who} waited in vain: {record.text}")
            if record.kind == "enter":
                if record.digest != digest([program.state(record.index)["weights"]]):
                    verdict.wrong.append(f"{who} has entered with a state that nobody gave")
            elif record.index >= 0:
                calls[record.index][rank].append(record)
    for _, outcomes in sorted(calls.items()):
        _check_call(program, outcomes, results, verdict)
    return verdict


def _gaps(program: Program, name: str, records: list[Record]) -> list[str]:
    """Return the calls between a worker's first and last one without a record."""
    made = [record.index for record in records if record.kind not in ("connect", "enter")]
    missing = sorted(set(range(min(made), max(made) + 1)) - set(made)) if made else []
    return [f"job {program.job}, call {index}: {name} has no record of it" for index in missing]


def _check_call(program: Program, outcomes: Outcomes, results: Results, verdict: Verdict) -> None:
    all_of_it = [(rank, record) for rank, records in sorted(outcomes.items()) for record in records]
    verdict.differing += _reasons(program, all_of_it)
    got = [(rank, record) for rank, record in all_of_it if not record.error]
    if not got:
        return
    _, first = got[0]
    call, at = program.call(first.index), _at(program, first)
    verdict.collectives[call.kind] += 1
    verdict.results += len(got)
    if len({record.contributors for _, record in got}) > 1:
        told = ", ".join(f"{rank}: {list(record.contributors)}" for rank, record in got)
        verdict.differing.append(f"{at}: not the same contributors: {told}")
    # Each worker gets a different part of what is scattered, and only the root gets what is reduced or gathered.
    own = call.kind in ("reduce_scatter", "scatter", "reduce", "gather")
    if not own and len({record.digest for _, record in got}) > 1:
        told = ", ".join(f"{rank}: {record.digest[:8]}" for rank, record in got)
        verdict.differing.append(f"{at}: not the same bits: {told}")
    # A call without elements needs no other worker.
    for rank in () if call.is_empty else first.contributors:
        for record in outcomes.get(rank, []):
            if record.error and not _concerns_one_worker(record):
                verdict.differing.append(f"{at}: worker {rank}, who is in it, got {record.error}: {record.text}")
    checked = set()
    for rank, record in got:
        key = record.digest, record.contributors, rank if own else 0
        if call.kind in ("barrier", "admit") or key in checked:
            continue
        checked.add(key)
        if problem := expected.problem(program, call, record.contributors, rank, results[record.digest]):
            verdict.wrong.append(f"{at}: worker {rank}: {problem}")


def _reasons(program: Program, outcomes: list[tuple[int, Record]]) -> list[str]:
    """Return a problem if an aborted call has different reasons on different workers."""
    texts: dict[str, int] = {}
    for rank, record in outcomes:
        if record.error in SHARED:
            texts.setdefault(record.text, rank)
    if len(texts) < 2:
        return []
    told = "; ".join(f"{rank}: {text}" for text, rank in texts.items())
    return [f"{_at(program, outcomes[0][1])}: not the same reason: {told}"]


def _at(program: Program, record: Record) -> str:
    return f"job {program.job}, call {record.index} ({record.kind})"


def _concerns_one_worker(record: Record) -> bool:
    """Return whether a worker may get this error while others get a result: it was removed from the job, or left it, or
    a signal or its own timeout ended its call."""
    if record.error == "WorkerLost":
        return LOST_IN_CALL not in record.text
    if record.error == "Stalled":
        return record.timeout is not None
    return record.error in ("Closed", "MembershipError", "KeyboardInterrupt", "Leaving")
