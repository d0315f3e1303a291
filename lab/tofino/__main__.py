"""`python -m lab.tofino COMMAND`: checks of the Tofino program."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from lab.tofino import page
from lab.tofino.mutants import MUTANTS, SOURCES
from lab.tofino.schedules import Difference, check

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
SURVIVES = "**survives**"
COMPILED = SOURCES / "tofino/compiled/program.json"


@app.command()
def equal(
    schedules: Annotated[int, typer.Option(min=1)] = 1000, packets: Annotated[int, typer.Option(min=1)] = 100
) -> None:
    """Compare the program with the model of a slot, on random schedules of so many packets each."""
    try:
        fates = check(range(schedules), COMPILED, packets)
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


if __name__ == "__main__":
    app(prog_name="python -m lab.tofino")
