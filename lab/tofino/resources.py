"""What the Tofino program takes of each stage, as Intel's compiler (p4c-barefoot) places it."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dropzero.figures import COLOURS, drawn
from lab.tofino.page import table

STAGES = {"tofino": 12, "tofino2": 20}
"""The stages of each of the compiler's targets."""
_ARCHITECTURES = {"tofino": "tna", "tofino2": "t2na"}
OF_A_STAGE = {"alus": ("stateful ALUs", 4), "srams": ("SRAMs", 80), "tcams": ("TCAMs", 24), "tables": ("tables", 16)}
"""What each stage has, by the names of Stage: its label, and how many."""


class DoesNotCompile(Exception):
    """The compiler refuses the program; the message has its errors."""


@dataclass(frozen=True)
class Stage:
    """What one stage holds: see OF_A_STAGE. sums: those of the stateful ALUs that add up the block."""

    alus: int
    sums: int
    srams: int
    tcams: int
    tables: int


@dataclass(frozen=True)
class Placement:
    """A program in the stages of a target. The compiler numbers further stages if it finds no place.

    containers: of packets' headers and metadata (PHV), taken and in all, by kind and bits.
    states: of the parsers, taken and in all, by ingress and egress.
    """

    target: str
    stages: tuple[Stage, ...]
    containers: Mapping[tuple[str, int], tuple[int, int]]
    states: Mapping[str, tuple[int, int]]
    compiler: str

    @property
    def fits(self) -> bool:
        return len(self.stages) <= STAGES[self.target]

    def rows(self) -> list[str]:
        """Lines of a Markdown table: a column for each stage."""
        head = [f"stages: {len(self.stages)} of {STAGES[self.target]}", *(str(at) for at in range(len(self.stages)))]
        held = {label: [getattr(stage, name) for stage in self.stages] for name, (label, _) in OF_A_STAGE.items()}
        return table(head, ([label, *(str(each or "") for each in counts)] for label, counts in held.items()))

    def packet_rows(self) -> list[str]:
        """Lines of a Markdown table: PHV containers by kind and bits, and the parsers' states."""
        widths = sorted({bits for _, bits in self.containers})
        kinds = dict.fromkeys(kind for kind, _ in self.containers)
        rows = ([kind, *(_of(self.containers[kind, bits]) for bits in widths)] for kind in kinds)
        lines = table(["PHV containers", *(f"{bits} bits" for bits in widths)], rows)
        states = ", ".join(f"{_of(counts)} in {way}" for way, counts in sorted(self.states.items(), reverse=True))
        return [*lines, "", f"States of the parsers: {states}."]

    def draw(self, path: Path) -> None:
        """Draws what each stage holds, as a share of what it has."""
        with drawn(path, (9, 6), rows=len(OF_A_STAGE), sharex=True) as (_, all_axes):
            stages = range(len(self.stages))
            for axes, (name, (label, most)) in zip(all_axes, OF_A_STAGE.items(), strict=True):
                axes.bar(stages, [getattr(stage, name) for stage in self.stages], color=COLOURS[0])
                axes.set(ylim=(0, most), yticks=(0, most), title=f"{label}, of {most}")
            top, bottom = all_axes[0], all_axes[-1]
            top.bar(stages, [stage.sums for stage in self.stages], color=COLOURS[1])
            top.set_title("stateful ALUs, of 4: those of a slot (blue), those of the block's words (orange)")
            bottom.set_xticks(range(max(len(stages), STAGES[self.target])))
            bottom.set_xlabel("stage")


def _of(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}"


def place(compiler: str, source: Path, target: str, folder: Path, **macros: int) -> Placement:
    """Compiles a program into a folder. compiler: the command of p4c-barefoot, with its options. Raises
    DoesNotCompile."""
    generation = list(STAGES).index(target) + 1
    defines = [f"-D{name}={value}" for name, value in {"__TARGET_TOFINO__": generation, **macros}.items()]
    command = [*shlex.split(compiler), *defines, "--target", target, "--arch", _ARCHITECTURES[target], "-g"]
    done = subprocess.run([*command, "-o", str(folder), str(source)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DoesNotCompile("\n".join(line for line in done.stderr.splitlines() if "error" in line))
    logs = folder / "pipe/logs"
    report, phv = (json.loads((logs / name).read_text()) for name in ("resources.json", "phv.json"))
    return read(report, phv, target)


def read(report: Mapping[str, Any], phv: Mapping[str, Any], target: str) -> Placement:
    """The placement in the compiler's resources.json and phv.json."""
    resources = report["resources"]
    stages = tuple(
        Stage(
            len(each["meter_alus"]["meters"]),
            sum(".block." in meter["usages"][0]["used_by"] for meter in each["meter_alus"]["meters"]),
            len(each["rams"]["srams"]),
            len(each["tcams"]["tcams"]),
            len(each["logical_tables"]["ids"]),
        )
        for each in resources["mau"]["mau_stages"]
    )
    used = max((at + 1 for at, stage in enumerate(stages) if stage.tables), default=0)
    taken = Counter((each["container_type"], each["bit_width"]) for each in phv["containers"])
    containers = {
        (kind, each["width"]): (taken[kind, each["width"]], each["units"])
        for kind in ("normal", "tagalong", "mocha", "dark")
        for each in resources["phv_containers"].get(kind, ())
    }
    states = {each["gress"]: (len(each["states"]), each["nStates"]) for each in resources["parser"]["parsers"]}
    return Placement(target, stages[:used], containers, states, report["compiler_version"])
