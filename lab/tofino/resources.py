"""What the Tofino program takes of each stage, as Intel's compiler (p4c-barefoot) places it."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STAGES = {"tofino": 12, "tofino2": 20}
"""The stages of each of the compiler's targets."""
_ARCHITECTURES = {"tofino": "tna", "tofino2": "t2na"}


class DoesNotCompile(Exception):
    """The compiler refuses the program; the message has its errors."""


@dataclass(frozen=True)
class Stage:
    """What one stage holds. alus: stateful ALUs, of 4; srams: of 80; tcams: of 24; tables: of 16."""

    alus: int
    srams: int
    tcams: int
    tables: int


@dataclass(frozen=True)
class Placement:
    """A program in the stages of a target. The compiler numbers further stages if it finds no place."""

    target: str
    stages: tuple[Stage, ...]
    compiler: str

    @property
    def fits(self) -> bool:
        return len(self.stages) <= STAGES[self.target]

    def rows(self) -> list[str]:
        """Lines of a Markdown table: a column for each stage."""
        head = [f"stages: {len(self.stages)} of {STAGES[self.target]}", *(str(at) for at in range(len(self.stages)))]
        lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        for name, label in (("alus", "stateful ALUs"), ("srams", "SRAMs"), ("tcams", "TCAMs"), ("tables", "tables")):
            values = [str(getattr(stage, name) or "") for stage in self.stages]
            lines.append("| " + " | ".join([label, *values]) + " |")
        return lines


def place(compiler: str, source: Path, target: str, folder: Path, **macros: int) -> Placement:
    """Compiles a program into a folder. compiler: the command of p4c-barefoot, with its options. Raises
    DoesNotCompile."""
    generation = list(STAGES).index(target) + 1
    defines = [f"-D{name}={value}" for name, value in {"__TARGET_TOFINO__": generation, **macros}.items()]
    command = [*shlex.split(compiler), *defines, "--target", target, "--arch", _ARCHITECTURES[target], "-g"]
    done = subprocess.run([*command, "-o", str(folder), str(source)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DoesNotCompile("\n".join(line for line in done.stderr.splitlines() if "error" in line))
    return read(json.loads((folder / "pipe/logs/resources.json").read_text()), target)


def read(report: Mapping[str, Any], target: str) -> Placement:
    """The placement in the compiler's resources.json."""
    stages = tuple(
        Stage(
            len(each["meter_alus"]["meters"]),
            len(each["rams"]["srams"]),
            len(each["tcams"]["tcams"]),
            len(each["logical_tables"]["ids"]),
        )
        for each in report["resources"]["mau"]["mau_stages"]
    )
    used = max((at + 1 for at, stage in enumerate(stages) if stage.tables), default=0)
    return Placement(target, stages[:used], report["compiler_version"])
