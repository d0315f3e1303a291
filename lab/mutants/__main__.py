"""`python -m lab.mutants [CLAIM...]`: applies the mutants of claims, in process, and writes docs/claims.md.

A mutant is caught when another condition breaks than without it, or one that breaks without it holds. Rows of claims
that are not named stay as they are.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from dropzero.experiments.catalogue import EXPERIMENTS
from dropzero.experiments.places import in_process
from dropzero.experiments.trials.experiment import Experiment
from lab.mutants.mutant import Mutant
from lab.mutants.mutants import MUTANTS

PAGE = Path(__file__).parents[2] / "docs/claims.md"
SURVIVES = "**survives**"


def broken(experiment: Experiment, mutant: Mutant | None = None) -> list[str]:
    """The names of the conditions that break in a quick trial."""
    with tempfile.TemporaryDirectory() as folder, mutant.applied() if mutant else nullcontext():
        return [each.name for each in experiment.judge(list(in_process(experiment, True, Path(folder)))).broken]


def rows(name: str) -> list[str]:
    """The lines of a claim for the table: one for each mutant, with the first condition that catches it."""
    experiment, lines = EXPERIMENTS[name], []
    recorded = set(broken(experiment))
    for mutant in MUTANTS[name]:
        found = broken(experiment, mutant)
        caught = [each for each in found if each not in recorded]
        caught += [f"holds: {each}" for each in recorded.difference(found)]
        lines.append(f"| `{name}` | {mutant.name} | {caught[0] if caught else SURVIVES} |")
        print(lines[-1], flush=True)
    return lines


def write(found: dict[str, list[str]], page: Path) -> None:
    """Replaces the rows of these claims, and orders all as the catalogue does."""
    text = page.read_text()
    kept: dict[str, list[str]] = {}
    for line in re.findall(r"^\| `.*$", text, re.MULTILINE):
        kept.setdefault(line.split("`")[1], []).append(line)
    table = [line for name in EXPERIMENTS for line in (kept | found).get(name, [])]
    head, _, _ = text.partition("\n| `")
    page.write_text("\n".join([head.rstrip("\n"), *table]) + "\n")


def main(names: Sequence[str]) -> None:
    if unknown := set(names) - EXPERIMENTS.keys():
        sys.exit(f"there is no claim {', '.join(sorted(unknown))}; there are {', '.join(EXPERIMENTS)}")
    survivors = False
    for name in names or EXPERIMENTS:
        found = rows(name)
        survivors |= any(SURVIVES in line for line in found)
        write({name: found}, PAGE)
    if survivors:
        sys.exit("A claim whose mutant survives says more than its conditions test.")


if __name__ == "__main__":
    main(sys.argv[1:])
