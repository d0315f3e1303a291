"""The committed compiled programs match the committed sources."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import ROOT

COMPILER = "1.2.3.8"
"""The p4c version that made the committed files; others format the JSON differently."""
COMPILED = ("dropzero.json", "dropzero.p4info.txtpb")
FOLDERS = {"p4src": "dropzero/switch_program", "examples/k_of_n": "examples/k_of_n/compiled"}
"""The sources of the program and its variants, and where they are compiled to."""


def copied(folder: str, to: Path) -> None:
    """Copies p4src/ and `folder`, with what is committed of their compiled programs."""
    for each in {"p4src", FOLDERS["p4src"], folder}:
        shutil.copytree(ROOT / each, to / each, ignore=shutil.ignore_patterns("__pycache__"))
    if folder != "p4src":
        for name in COMPILED:
            (to / FOLDERS[folder] / name).unlink(missing_ok=True)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_committed_program_is_unchanged_and_of_these_sources(folder: str, tmp_path: Path) -> None:
    copied(folder, tmp_path)
    changed = f"p4src/ or {folder}/, or what was compiled from it, has changed since: run `make p4`"
    if folder != "p4src":
        derived = subprocess.run([tmp_path / "p4src" / "compile", folder], capture_output=True, text=True)
        assert (derived.returncode, derived.stdout) == (0, ""), changed
    lines = (tmp_path / FOLDERS[folder] / "sources.sha256").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split("  ") for line in lines)}
    sources = {path for each in ("p4src", folder) for path in (tmp_path / each).glob("*.p4")}
    files = [*sources, *(tmp_path / FOLDERS[folder] / name for name in COMPILED)]
    present = {str(path.relative_to(tmp_path)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert recorded == present, changed


@pytest.mark.parametrize("folder", FOLDERS)
def test_compiling_the_sources_again_gives_the_same(folder: str, tmp_path: Path) -> None:
    compiler = shutil.which("p4c-bm2-ss")
    if compiler is None:
        pytest.skip("p4c is not installed: the digest of the sources was compared, the compiled program was not")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if COMPILER not in version.stdout + version.stderr:
        pytest.skip(f"this p4c is not {COMPILER}")
    copied(folder, tmp_path)
    committed = {path.name: path.read_bytes() for path in (tmp_path / FOLDERS[folder]).iterdir()}
    (tmp_path / FOLDERS[folder] / "sources.sha256").unlink()
    subprocess.run([tmp_path / "p4src" / "compile", folder], check=True, capture_output=True)
    assert committed
    for name, content in committed.items():
        assert (tmp_path / FOLDERS[folder] / name).read_bytes() == content
