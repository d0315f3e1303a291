"""What is committed as compiled is compiled from what is committed as source."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

P4SRC = Path(__file__).parents[2] / "p4src"
COMPILER = "1.2.3.8"
"""The p4c that made the committed files; others lay out their JSON differently."""


def test_the_compiled_program_is_of_these_sources() -> None:
    lines = (P4SRC / "compiled" / "sources.sha256").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split("  ") for line in lines)}
    present = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in P4SRC.glob("*.p4")}
    assert recorded == present, "p4src/ has changed since it was compiled: run `make p4`"


def test_compiling_the_sources_again_gives_the_same(tmp_path: Path) -> None:
    compiler = shutil.which("p4c-bm2-ss")
    if compiler is None:
        pytest.skip("p4c is not installed: the digest of the sources was compared, the compiled program was not")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if COMPILER not in version.stdout + version.stderr:
        pytest.skip(f"this p4c is not {COMPILER}")
    shutil.copytree(P4SRC, tmp_path / "p4src", ignore=shutil.ignore_patterns("compiled"))
    subprocess.run([tmp_path / "p4src" / "compile"], check=True, capture_output=True)
    for name in ("dropzero.json", "dropzero.p4info.txtpb", "sources.sha256"):
        assert (tmp_path / "p4src" / "compiled" / name).read_bytes() == (P4SRC / "compiled" / name).read_bytes()
