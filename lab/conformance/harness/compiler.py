"""Compile programs for v1model with p4c."""

from __future__ import annotations

import subprocess
from pathlib import Path

EXECUTABLE = "p4c-bm2-ss"


def compiled(source: Path, json: Path) -> str:
    """Compile a program, with its P4Info, unless its JSON is newer. Returns p4c's error, or an empty string."""
    if json.exists() and json.stat().st_mtime > source.stat().st_mtime:
        return ""
    command = [EXECUTABLE, "--std", "p4-16", "-o", str(json), str(source)]
    command += ["--p4runtime-files", str(json.with_suffix(".p4info.txt"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and json.exists():
        return ""
    json.unlink(missing_ok=True)
    lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
    return next((line for line in lines if "error" in line or "Bug" in line), lines[-1])
