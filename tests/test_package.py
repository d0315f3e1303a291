"""The package `dropzero`: every module has one address, its folder's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support import ROOT

LINKS = {"controller", "topologies", "worker"}
"""At the top, for people who look for these packages there."""
EVERYTHING = """
import pkgutil, sys
from importlib import import_module
from importlib.util import find_spec

import dropzero

OPTIONAL = {"dropzero.torch.": "torch", "dropzero.simulator.commands.cluster": "ray"}

for module in pkgutil.walk_packages(dropzero.__path__, "dropzero."):
    missing = any(module.name.startswith(name) and find_spec(needed) is None for name, needed in OPTIONAL.items())
    if not module.name.endswith("__main__") and not missing:
        import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.skipif((ROOT / "PKG-INFO").exists(), reason="an sdist has no links")
def test_links_at_the_top_point_into_the_package_and_are_banned_as_imports() -> None:
    assert {name: os.readlink(ROOT / name) for name in LINKS} == {name: f"dropzero/{name}" for name in LINKS}
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert set(ruff["flake8-tidy-imports"]["banned-api"]) == LINKS | {"p4"}


def test_the_package_has_no_links() -> None:
    assert not [path for path in (ROOT / "dropzero").rglob("*") if path.is_symlink()]


def test_no_module_is_imported_under_its_own_name() -> None:
    """In the checkout this would work, and load the module twice."""
    done = subprocess.run([sys.executable, "-c", EVERYTHING], cwd=ROOT, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "dropzero" in imported
    assert not imported & LINKS


@pytest.mark.parametrize("hack", ["", "def remove_shim():\n    print('removed')\n"])
def test_networks_are_imported_with_setuptools_of_every_python(hack: str, tmp_path: Path) -> None:
    """setuptools has `remove_shim` only before Python 3.12. If it is there, it is called: distutils stays Python's."""
    (tmp_path / "_distutils_hack.py").write_text(hack)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", "import dropzero.topologies"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "removed\n" if hack else ""), done.stderr


def test_make_refuses_an_unknown_setting() -> None:
    done = subprocess.run(["make", "-n", "run", "WORKES=8"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "WORKES is not a setting (did you mean WORKERS?)" in done.stderr


def test_make_help_explains_every_setting_of_a_run() -> None:
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    explained = set(re.findall(r"^  ([A-Z_]+)=\S* +\S", told, re.MULTILINE))
    names = re.findall(r"^([A-Z_]+) +\?=", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert explained == {*names} - {"TORCH", "VENV", "PARTS"}
    assert max(map(len, told.splitlines())) <= 120
