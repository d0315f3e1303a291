"""The sdist and the wheel: their contents, and that the wheel works outside the checkout with only its declared
dependencies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.processes.errors import SetupError
from tests.support import ROOT
from tests.support.loopback import at_once, loopback

SUM = """
import sys

import dropzero
import numpy as np

controller, rank = sys.argv[1], int(sys.argv[2])
mine = np.arange(5000, dtype=np.int32)
with dropzero.connect(controller, 1, 2, rank=rank, ip="127.0.0.1") as network:
    assert (network.all_reduce(mine + rank) == 2 * mine + 1).all()
print(dropzero.__file__)
"""

MESSAGES = """
from importlib import import_module

import p4runtime_sh.shell

for name in ("p4.config.v1.p4types_pb2", "p4.config.v1.p4info_pb2", "p4.v1.p4data_pb2", "p4.v1.p4runtime_pb2"):
    ours, theirs = import_module(f"dropzero.{name}"), import_module(name)
    assert ours.__file__ != theirs.__file__
    assert ours.DESCRIPTOR.serialized_pb == theirs.DESCRIPTOR.serialized_pb, name
"""


def called(*command: str | Path, cwd: Path) -> str:
    """Runs a command without this process's import paths. Returns its output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for installing packages. Skips the tests if the package index cannot be reached."""
    folder = tmp_path_factory.mktemp("wheel")
    skip_without_package_index(folder)
    return folder


def skip_without_package_index(folder: Path) -> None:
    probe = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder / "probe"), "setuptools>=66"]
    found = subprocess.run(probe, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"no package index can be reached: {found.stderr.strip().splitlines()[-1]}")


def copy_sources(folder: Path) -> None:
    """Copies what the package is built from. In the checkout, setuptools would add earlier builds."""
    shutil.copytree(ROOT / "dropzero", folder / "dropzero", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    copy_sources(folder / "source")
    called(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, folder / "source", cwd=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(folder: Path, wheel: Path) -> Path:
    """An environment with only the base package; returns its folder of programs."""
    programs = folder / "venv" / "bin"
    called(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    pip(programs, "install", wheel)
    # Two workers would both compile the same code.
    called(programs / "python", "-c", "from dropzero.worker.pump import rehearse; rehearse()", cwd=folder)
    return programs


def pip(programs: Path, command: str, *words: str | Path) -> None:
    """Runs pip on an environment. Bytecode is written when a module is imported: few of those installed are."""
    options = ["--no-compile"] * (command == "install")
    interpreter = programs / "python"
    called(sys.executable, "-m", "pip", "--python", interpreter, command, *options, *words, cwd=programs.parent)


def packages(programs: Path) -> Path:
    """An environment's folder of packages."""
    (found,) = programs.parent.glob("lib/python*/site-packages")
    return found


def test_the_wheel_has_every_module_and_the_switch_programs(wheel: Path) -> None:
    brought = {name for name in ZipFile(wheel).namelist() if not name.startswith("dropzero-")}
    wanted = {str(path.relative_to(ROOT)) for path in (ROOT / "dropzero").rglob("*.py")}
    assert {name for name in brought if name.endswith(".py")} == wanted
    folders = ("switch_program", "tofino_program", "page/browser")
    files = [path for folder in folders for path in (ROOT / "dropzero" / folder).iterdir()]
    assert {str(path.relative_to(ROOT)) for path in files} | {"dropzero/py.typed"} <= brought


def test_the_sdist_has_every_file_of_a_clone(tmp_path: Path) -> None:
    listed = subprocess.run(["sh", "-c", "git ls-files -z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this checkout is not a clone")
    files = {name for name in listed.stdout.split("\0") if (ROOT / name).is_file()}
    assert len(files) > 1000
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    called(sys.executable, "-c", "from setuptools import build_meta; build_meta.build_sdist('dist')", cwd=tmp_path)
    (sdist,) = (tmp_path / "dist").iterdir()
    with tarfile.open(sdist) as archive:
        brought = {member.name.partition("/")[2]: member.mode for member in archive}
    assert files <= brought.keys()
    assert {name: brought[name] & 0o100 for name in files} == {
        name: os.stat(ROOT / name).st_mode & 0o100 for name in files
    }


@pytest.mark.parametrize("protobuf", ["protobuf", "protobuf==3.20.3"])
def test_the_embedded_switch_works_with_the_newest_and_an_old_protobuf(
    protobuf: str, environment: Path, wheel: Path, tmp_path: Path
) -> None:
    pip(environment, "install", protobuf, wheel)
    pip(environment, "check")
    with loopback(tmp_path, python=str(environment / "python")) as controller:

        def work(rank: str) -> str:
            return called(environment / "python", "-c", SUM, controller, rank, cwd=tmp_path)

        for imported in at_once(partial(work, "0"), partial(work, "1")):
            assert Path(imported).is_relative_to(environment.parent)


def test_its_messages_are_those_of_p4runtime_shell(environment: Path, wheel: Path, tmp_path: Path) -> None:
    """protobuf accepts two files with one name in a process only if they are equal."""
    pip(environment, "install", f"dropzero[shell] @ {wheel.as_uri()}")
    pip(environment, "check")
    called(environment / "python", "-c", MESSAGES, cwd=tmp_path)


def test_a_missing_extra_is_named_and_with_it_a_rack_trains(environment: Path, wheel: Path, tmp_path: Path) -> None:
    program = str(environment / "dropzero")
    run = (program, "run", "--switch", "softswitch", "--workers", "2", "--steps", "3", "--out", "run")
    refused = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "pip install 'dropzero[train]'" in refused.stderr
    try:
        check_machine()
    except SetupError as error:
        pytest.skip(f"no rack here: {error}")
    pip(environment, "install", f"dropzero[train] @ {wheel.as_uri()}")
    # Debian's packages, as in an environment with access to the system's packages.
    mininet = find_spec("mininet")
    assert mininet is not None
    assert mininet.origin is not None
    (packages(environment) / "mininet").symlink_to(Path(mininet.origin).parent)
    called(*run, cwd=tmp_path)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["replicas_identical"]
