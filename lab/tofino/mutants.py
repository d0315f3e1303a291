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

_CHANGES = {
    "half.p4": {
        "a repeated round begins again": (_NEWER, _NEWER.replace("value.hi <", "value.hi <=")),
        "a half keeps an old epoch": (_NEWER, "if (value.hi < hdr.dropzero.round) {"),
        "a round ends with its first packet": (_REACHED, _REACHED.replace("<=", "<")),
        "delayed packets are current": (_REACHED, "if (true) {"),
        "the first contributor is not counted": ("value = meta.me; result = 0;", "value = 0; result = 0;"),
        "every contribution is a repeated one": (
            "result = value; value = value | meta.me;",
            "value = value | meta.me; result = value;",
        ),
        "a repeated contribution is added again": (
            "(SHAPE_BLOCK, _, _, 0): step_join();",
            "(SHAPE_BLOCK, _, _, _): step_join();",
        ),
        "a different call is not a conflict": ("value.hi = value.hi | meta.me;", ""),
        "a conflict stays": ("value.lo = hdr.dropzero.workers; value.hi = 0;", "value.lo = hdr.dropzero.workers;"),
        "the greatest next block": ("hdr.column.next < value.hi", "hdr.column.next > value.hi"),
        "the last exponent": ("LARGER(value.lo, meta.exponent)", "meta.exponent"),
        "the mark of the first contribution only": ("value = value | meta.mine;", ""),
        "chunks are counted on in a new epoch": ("value.lo == meta.epoch", "true"),
        "a repeated result has a new chunk": (
            "(STEP_READ, 0, 0, NO_BLOCK): recall();",
            "(STEP_READ, 0, 0, NO_BLOCK): assign();",
        ),
        "a conflict takes a chunk": ("(STEP_JOIN, 0, 0, NO_BLOCK)", "(STEP_JOIN, 0, _, NO_BLOCK)"),
    },
    "packet.p4": {"both rounds share a half": ("hdr.dropzero.round[0:0]", "1w0")},
    "admission.p4": {
        "all lanes share a slot": ("first_slot[15:0] + hdr.dropzero.lane", "first_slot[15:0]"),
        "a former worker contributes": ("WORDS_0(OUTSIDE)", ""),
        "other epochs are not told": ("0, 0, 0, 0, 0, _, _): admit();", "0, 0, 0, 0, _, _, _): admit();"),
    },
    "sum.p4": {
        "the sum of the round before last stays": ("value = 0; result = value;", "result = value;"),
        "the last block instead of the sum": ("value = value + hdr.block.w##I;", "value = hdr.block.w##I;"),
    },
    "answer.p4": {
        "a repeated result goes to all": (
            "meta.fate == FATE_COMPLETED",
            "meta.fate == FATE_COMPLETED || meta.fate == FATE_REPLAYED",
        ),
        "marks are not told": ("hdr.dropzero.congested = 1;", ""),
    },
}
MUTANTS = [Mutant(name, file, *change) for file, changes in _CHANGES.items() for name, change in changes.items()]
