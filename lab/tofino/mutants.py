"""Mutants of the Tofino program: each takes out one rule, and the schedules must notice."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.tofino.schedules import Difference, check

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "p4src"


@dataclass(frozen=True)
class Mutant:
    """A change of one file of the program: the first `old` becomes `new`."""

    name: str
    file: str
    old: str
    new: str

    def applied(self, text: str) -> str:
        """The file's text with the change. Raises ValueError if it has no such place."""
        if self.old not in text:
            raise ValueError(f"{self.file} has no {self.old!r} any more: the mutant {self.name!r} changes nothing")
        return text.replace(self.old, self.new, 1)

    def compiled(self, folder: Path) -> Path:
        """Compiles the mutant in an empty folder. Returns its JSON."""
        shutil.copytree(SOURCES, folder / "p4src")
        changed = folder / "p4src/tofino" / self.file
        changed.write_text(self.applied(changed.read_text()))
        subprocess.run([folder / "p4src/compile", "p4src/tofino"], check=True, capture_output=True)
        return folder / "dropzero/tofino_program/program.json"

    def noticed(self, folder: Path, schedules: int = 1000) -> int | None:
        """The first random schedule that notices the mutant, or None."""
        compiled = self.compiled(folder)
        for seed in range(schedules):
            try:
                check(range(seed, seed + 1), compiled)
            except Difference:
                return seed
        return None


_NEWER = "if (value.lo != hdr.dropzero.epoch || value.hi < hdr.dropzero.round) {"
_REACHED = "if (value.lo != hdr.dropzero.epoch || value.hi <= hdr.dropzero.round) {"

MUTANTS = (
    Mutant("a repeated round begins again", "half.p4", _NEWER, _NEWER.replace("value.hi <", "value.hi <=")),
    Mutant("a half keeps an old epoch", "half.p4", _NEWER, "if (value.hi < hdr.dropzero.round) {"),
    Mutant("a round ends with its first packet", "half.p4", _REACHED, _REACHED.replace("<=", "<")),
    Mutant("delayed packets are current", "half.p4", _REACHED, "if (true) {"),
    Mutant("both rounds share a half", "packet.p4", "hdr.dropzero.round[0:0]", "1w0"),
    Mutant("all lanes share a slot", "admission.p4", "first_slot[15:0] + hdr.dropzero.lane", "first_slot[15:0]"),
    Mutant("the first contributor is not counted", "half.p4", "value = meta.me; result = 0;", "value = 0; result = 0;"),
    Mutant(
        "every contribution is a repeated one",
        "half.p4",
        "result = value; value = value | meta.me;",
        "value = value | meta.me; result = value;",
    ),
    Mutant(
        "a repeated contribution is added again",
        "half.p4",
        "(SHAPE_BLOCK, _, _, 0): step_join();",
        "(SHAPE_BLOCK, _, _, _): step_join();",
    ),
    Mutant("a different call is not a conflict", "half.p4", "value.hi = value.hi | meta.me;", ""),
    Mutant(
        "a conflict stays",
        "half.p4",
        "value.lo = hdr.dropzero.workers; value.hi = 0;",
        "value.lo = hdr.dropzero.workers;",
    ),
    Mutant("the greatest next block", "half.p4", "hdr.column.next < value.hi", "hdr.column.next > value.hi"),
    Mutant("the last exponent", "half.p4", "LARGER(value.lo, meta.exponent)", "meta.exponent"),
    Mutant("the mark of the first contribution only", "half.p4", "value = value | meta.mine;", ""),
    Mutant("chunks are counted on in a new epoch", "half.p4", "value.lo == meta.epoch", "true"),
    Mutant(
        "a repeated result has a new chunk",
        "half.p4",
        "(STEP_READ, 0, 0, NO_BLOCK): recall();",
        "(STEP_READ, 0, 0, NO_BLOCK): assign();",
    ),
    Mutant("a conflict takes a chunk", "half.p4", "(STEP_JOIN, 0, 0, NO_BLOCK)", "(STEP_JOIN, 0, _, NO_BLOCK)"),
    Mutant("the sum of the round before last stays", "sum.p4", "value = 0; result = value;", "result = value;"),
    Mutant("the last block instead of the sum", "sum.p4", "value = value + hdr.block.w##I;", "value = hdr.block.w##I;"),
    Mutant("a former worker contributes", "admission.p4", "WORDS_0(OUTSIDE)", ""),
    Mutant(
        "other epochs are not told", "admission.p4", "0, 0, 0, 0, 0, _, _): admit();", "0, 0, 0, 0, _, _, _): admit();"
    ),
    Mutant(
        "a repeated result goes to all",
        "answer.p4",
        "meta.fate == FATE_COMPLETED",
        "meta.fate == FATE_COMPLETED || meta.fate == FATE_REPLAYED",
    ),
    Mutant("marks are not told", "answer.p4", "hdr.dropzero.congested = 1;", ""),
)
