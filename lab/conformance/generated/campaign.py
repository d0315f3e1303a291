"""Runs random programs on the embedded switch and on BMv2, and reduces those whose answers differ."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import grpc

from lab.conformance.generated import embedded
from lab.conformance.generated.bmv2 import Bmv2
from lab.conformance.generated.case import ANSWERS, Answers, Case, CompilerRefused
from lab.conformance.generated.reduction import reduced
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.harness.switches import SwitchEnded
from lab.mutants.mutant import Mutant

DETAIL = 300
"""The most characters of a difference to print."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Refused(Exception):
    """Both switches refuse the program."""


def run(seeds: range, executable: str, build: Path, jobs: int, *, keep: bool) -> Iterator[Outcome]:
    """Yield the outcome of each seed's case, in order. keep: keep the cases that pass, too, with BMv2's answers."""
    yield from spread(seeds, lambda seed, bmv2: _outcome(seed, build / str(seed), bmv2, keep), executable, build, jobs)


def spread(
    items: Iterable[Item], work: Callable[[Item, Bmv2], Result], executable: str, build: Path, jobs: int
) -> Iterator[Result]:
    """Yield the result of the work on each item, in order. Each of `jobs` threads has its own BMv2."""
    idle: SimpleQueue[Bmv2] = SimpleQueue()

    def result(item: Item) -> Result:
        bmv2 = idle.get()
        try:
            return work(item, bmv2)
        finally:
            idle.put(bmv2)

    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for number in range(jobs):
            idle.put(stack.enter_context(Bmv2(executable, build, number)))
        yield from pool.map(result, items)


def _outcome(seed: int, folder: Path, bmv2: Bmv2, keep: bool) -> Outcome:
    try:
        case = Case.generate(seed, folder)
    except CompilerRefused as error:
        return Outcome(str(seed), "no-compile", str(error)[:DETAIL])
    outcome = judged(str(seed), case, folder, bmv2)
    if outcome.result == "pass" and not keep:
        shutil.rmtree(folder)
    return outcome


def judged(test: str, case: Case, folder: Path, bmv2: Bmv2, cache: Path | None = None) -> Outcome:
    """Return the outcome of a case, which is in the folder: see differences."""
    try:
        found = differences(case, folder, bmv2, cache=cache)
    except Refused as error:
        return Outcome(test, "refused", str(error)[:DETAIL])
    except (SwitchEnded, grpc.RpcError, OSError) as error:
        bmv2.close()
        return Outcome(test, "other-crash", str(error)[:DETAIL])
    return Outcome(test, "differ", found[0][:DETAIL]) if found else Outcome(test, "pass")


def differences(case: Case, folder: Path, bmv2: Bmv2, tries: int = 2, cache: Path | None = None) -> list[str]:
    """Return how the answers to a case, which is in the folder, differ; BMv2's stay there. A difference counts if it is
    there in all tries, each with a new BMv2, whose threads are sometimes late. cache: see embedded.answers. Raises
    Refused; SwitchEnded, grpc.RpcError, OSError for BMv2."""
    try:
        mine: Answers | None = embedded.answers(folder, cache=cache)
        failure = ""
    except embedded.Failed as error:
        mine, failure = None, str(error)
    found: list[str] = []
    for left in reversed(range(tries)):
        try:
            other = bmv2.answers(folder, 0 if mine is None else len(mine.packets))
        except ValueError as error:
            if mine is None:
                raise Refused(failure) from None
            return [f"only BMv2 refuses it: {error}"]
        except (SwitchEnded, grpc.RpcError, OSError):
            # An earlier program may have corrupted its memory.
            bmv2.close()
            if not left:
                raise
            continue
        (folder / ANSWERS).write_text(other.to_json())
        found = [failure] if mine is None else list(case.differences(mine, other))
        if not found:
            break
        if left:
            bmv2.close()
    return found


def repeat(folder: Path, executable: str, build: Path) -> list[str]:
    """Return how the answers to the case in a folder differ. Raises CompilerRefused, Refused, SwitchEnded."""
    with Bmv2(executable, build) as bmv2:
        case = Case.read(folder)
        case.write(folder)
        return differences(case, folder, bmv2)


def reduce(folder: Path, into: Path, executable: str) -> None:
    """Write the reduced case of one that differs into another folder."""
    with Bmv2(executable, into) as bmv2:

        def differs(case: Case) -> bool:
            try:
                case.write(into)
                return bool(differences(case, into, bmv2, tries=1))
            except (CompilerRefused, Refused):
                return False
            except (SwitchEnded, grpc.RpcError, OSError):
                bmv2.close()
                return False

        # The answers of the last try are not those of the result.
        differs(reduced(Case.read(folder), differs))


def caught(mutant: Mutant, cases: Path) -> tuple[int, str]:
    """Return how many of the kept cases were tried until one found a mutant, and the difference; empty if none did."""
    folders = [path.parent for path in cases.glob(f"*/{ANSWERS}")]
    for tried, folder in enumerate(sorted(folders, key=lambda each: (len(each.name), each)), 1):
        other = Answers.from_json((folder / ANSWERS).read_text())
        try:
            found = next(Case.read(folder).differences(embedded.answers(folder, mutant.name), other), "")
        except embedded.Failed as error:
            found = str(error)
        if found:
            return tried, found[:DETAIL]
    return len(folders), ""
