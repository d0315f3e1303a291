"""`python -m lab.tofino COMMAND`: checks of the Tofino program."""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from dropzero.files import TOFINO
from lab.tofino import page
from lab.tofino.mutants import MUTANTS, SOURCES
from lab.tofino.resources import STAGES, DoesNotCompile, place
from lab.tofino.schedules import Difference, check
from lab.tofino.times import HEAD, rows

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
SURVIVES = "**survives**"


@app.command()
def equal(
    schedules: Annotated[int, typer.Option(min=1)] = 1000, packets: Annotated[int, typer.Option(min=1)] = 100
) -> None:
    """Compare the program with the model of a slot, on random schedules."""
    try:
        fates = check(range(schedules), TOFINO, packets)
    except Difference as difference:
        sys.exit(str(difference))
    counted = ", ".join(f"{count:,} {fate.name}" for fate, count in fates.most_common())
    print(f"{fates.total():,} packets, all answers and registers equal ({counted})")


@app.command()
def mutants() -> None:
    """Compile each mutant with p4c-bm2-ss, and write the first schedule that notices it into docs/hardware.md."""
    lines = ["| mutant | noticed by |", "|---|---|"]
    for mutant in MUTANTS:
        with tempfile.TemporaryDirectory() as folder:
            seed = mutant.noticed(Path(folder))
        lines.append(f"| {mutant.name} | {SURVIVES if seed is None else f'schedule {seed}'} |")
        print(lines[-1], flush=True)
    page.write("mutants", "\n".join(lines) + "\n")
    if any(SURVIVES in line for line in lines):
        sys.exit("The schedules do not test what the survivors take out.")


@app.command()
def times() -> None:
    """Simulate all-reduces through both programs, and write their times into docs/hardware.md."""
    lines = page.table(HEAD, rows())
    print(*lines, sep="\n")
    page.write("times", "\n".join(lines) + "\n")


@app.command()
def resources(target: str = "tofino2", words: int = 32, slot_bits: int = 12) -> None:
    """Place the program with Intel's compiler, write what it holds into docs/hardware.md, and draw it. P4C_TOFINO: the
    command of p4c-barefoot, with -I and its p4include."""
    compiler = os.environ.get("P4C_TOFINO")
    if not compiler:
        sys.exit("P4C_TOFINO must name p4c-barefoot (github.com/p4lang/p4c, with -DENABLE_TOFINO=ON)")
    if target not in STAGES:
        sys.exit(f"{target} is not a target: choose {' or '.join(STAGES)}")
    source = SOURCES / "tofino/program.p4"
    with tempfile.TemporaryDirectory() as folder:
        try:
            placed = place(compiler, source, target, Path(folder), WORDS=words, SLOT_BITS=slot_bits)
        except DoesNotCompile as refusal:
            sys.exit(str(refusal))
    verdict = "It fits." if placed.fits else "It does not fit."
    record = (
        f"{placed.target}, blocks of {words} words, {1 << slot_bits:,} slots: {verdict} Compiled by p4c-barefoot "
        f"{placed.compiler} on {date.today():%Y-%m-%d}."
    )
    lines = [*placed.rows(), "", *placed.packet_rows(), "", record]
    print(*lines, sep="\n")
    page.write("resources", "\n".join(lines) + "\n")
    placed.draw(page.PAGE.parent / "stages.svg")


if __name__ == "__main__":
    app(prog_name="python -m lab.tofino")
