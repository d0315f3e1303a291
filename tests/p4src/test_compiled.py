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
COMPILED = ("dropzero.json", "dropzero.p4info.txtpb")


def test_the_compiled_program_is_of_these_sources_and_as_it_was_made() -> None:
    lines = (P4SRC / "compiled" / "sources.sha256").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = [*P4SRC.glob("*.p4"), *(P4SRC / "compiled" / name for name in COMPILED)]
    present = {str(path.relative_to(P4SRC)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert recorded == present, "p4src/, or what was compiled from it, has changed since: run `make p4`"


def test_compiling_the_sources_again_gives_the_same(tmp_path: Path) -> None:
    compiler = shutil.which("p4c-bm2-ss")
    if compiler is None:
        pytest.skip("p4c is not installed: the digest of the sources was compared, the compiled program was not")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if COMPILER not in version.stdout + version.stderr:
        pytest.skip(f"this p4c is not {COMPILER}")
    shutil.copytree(P4SRC, tmp_path / "p4src", ignore=shutil.ignore_patterns("compiled"))
    subprocess.run([tmp_path / "p4src" / "compile"], check=True, capture_output=True)
    for name in (*COMPILED, "sources.sha256"):
        assert (tmp_path / "p4src" / "compiled" / name).read_bytes() == (P4SRC / "compiled" / name).read_bytes()
