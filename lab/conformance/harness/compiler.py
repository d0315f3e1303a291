"""Compile programs with p4c."""

from __future__ import annotations

from pathlib import Path

from lab.conformance.harness import commands

EXECUTABLE = "p4c-bm2-ss"
EXECUTABLES = {"v1model": EXECUTABLE, "psa": "p4c-bm2-psa"}
"""The compiler of each architecture."""


def compile_program(source: Path, json: Path, architecture: str = "v1model", language: str = "p4-16") -> str:
    """Compile a program unless its JSON is newer. Returns p4c's error, or an empty string.

    The P4Info is only made in P4_16 for v1model: p4c cannot make it of all
    other programs.
    """
    if json.exists() and json.stat().st_mtime > source.stat().st_mtime:
        return ""
    command = [EXECUTABLES[architecture], "--std", language, "-o", str(json), str(source)]
    if (architecture, language) == ("v1model", "p4-16"):
        command += ["--p4runtime-files", str(json.with_suffix(".p4info.txt"))]
    status, said = commands.output(command)
    if status == 0 and json.exists():
        return ""
    json.unlink(missing_ok=True)
    return commands.first_error(said)
