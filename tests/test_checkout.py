"""Checkouts: wherever one is, and however it came there, `make` sets it up and its commands run its own code."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.test_package import LINKS
from tests.test_wheel import copy_sources, skip_without_package_index

COMMAND_LINE = "annotated-doc", "markdown-it-py", "mdurl", "Pygments", "rich", "setuptools", "shellingham", "typer"
"""What `dropzero --help` needs, of requirements.txt."""
OLD = """\
#!/bin/sh
# A Python 3.10 that is called as `python [-IS] -c PROGRAM [ARGUMENT]`.
[ "$1" != -IS ] || shift
exec python3 -c "import sys; sys.version_info = (3, 10, 12); $2" "$3"
"""


def make(checkout: Path, *words: str, status: int = 0) -> str:
    """Calls make in a checkout. Returns its output."""
    # A make that runs the tests hands its own settings down.
    inherited = ("VENV", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in inherited}
    command = ["make", "--no-print-directory", *words]
    done = subprocess.run(
        command, cwd=checkout, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == status, done.stdout
    return done.stdout


def copy_for_setup(checkout: Path, *requirements: str) -> None:
    """Copies what `make setup` looks at: what the Dockerfile copies before it. Keeps only these requirements."""
    copied = (ROOT / "Dockerfile").read_text().partition("RUN make setup\n")[0]
    for line in re.findall(r"^COPY (.*)$", copied, re.MULTILINE):
        *names, folder = line.split()
        for name in names:
            (checkout / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / folder)
    pins = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith(requirements)]
    (checkout / "requirements.txt").write_text("\n".join(pins))


def shell(script: str, folder: Path) -> str:
    return subprocess.run(["bash", "-euc", script], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that was set up, at a path with a space, a quote and an accent."""
    folder = tmp_path_factory.mktemp("checkouts")
    skip_without_package_index(folder)
    checkout = folder / "l'été à Cluj" / "dropzero"
    copy_for_setup(checkout, *COMMAND_LINE)
    shutil.copytree(ROOT / "dropzero", checkout / "dropzero", dirs_exist_ok=True)
    assert make(checkout, "setup").startswith("Setting up .venv (once")
    assert make(checkout, "setup") == "make: Nothing to be done for 'setup'.\n"
    return checkout


@pytest.fixture(scope="module")
def copy(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout and its environment, in which the help of `dropzero` was edited."""
    checkout = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(original, checkout, symlinks=True)
    file = checkout / "dropzero" / "cli.py"
    file.write_text(file.read_text().replace("Train with gradients added up", "Edited help"))
    return checkout


HELP = "--help | grep --only-matching --extended-regexp '(Train|Edited)[a-z ]*'"


@pytest.mark.parametrize(
    "command",
    [
        f"copy/.venv/bin/dropzero {HELP}",
        f"copy/.venv/bin/python -m dropzero {HELP}",
        f". copy/.venv/bin/activate; dropzero {HELP}",
        f"ln -s copy/.venv/bin/dropzero program; ./program {HELP}",
        "copy/.venv/bin/python -c 'from dropzero import cli; print(cli._dropzero.__doc__)'",
        """copy/.venv/bin/pip --version | grep -q "$PWD/copy"; echo Edited""",
    ],
)
def test_a_copied_or_moved_checkout_runs_its_own_code(copy: Path, command: str) -> None:
    assert shell(command, copy.parent).startswith("Edited")
    assert make(copy, "setup") == "make: Nothing to be done for 'setup'.\n"


def test_an_environment_of_another_python_or_checkout_is_made_again(original: Path, tmp_path: Path) -> None:
    copy_for_setup(tmp_path, "setuptools")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "old").touch()
    mine = (original / ".venv" / ".run").read_text()
    stamp = tmp_path / ".venv" / ".run"
    stamp.write_text(mine)
    os.utime(tmp_path / "requirements.txt", (0, 0))
    assert "Nothing to be done" in make(tmp_path, "--dry-run", "setup")
    for other in (mine.replace("../", "../../"), mine.replace("cpython-3", "cpython-2")):
        stamp.write_text(other)
        assert "Nothing to be done" not in make(tmp_path, "--dry-run", "setup")
    assert make(tmp_path, "setup").startswith("Setting up .venv again")
    assert not (tmp_path / ".venv" / "old").exists()
    assert stamp.read_text() == mine


def test_an_old_python_is_refused_before_anything_is_set_up(tmp_path: Path) -> None:
    copy_for_setup(tmp_path / "checkout")
    (tmp_path / "python3.10").write_text(OLD)
    (tmp_path / "python3.10").chmod(0o755)
    line, error = make(tmp_path / "checkout", "run", f"PYTHON={tmp_path}/python3.10", status=2).splitlines()
    assert line.startswith(f"Dropzero needs Python 3.11 or newer, which {tmp_path}/python3.10 is not")
    assert error.startswith("make: ***")
    assert not (tmp_path / "checkout" / ".venv").exists()


def test_a_read_only_checkout_is_set_up_elsewhere(original: Path, tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("needs root to mount a folder read-only")
    copy_for_setup(tmp_path / "checkout", "setuptools")
    lock = "mount --bind checkout checkout && mount -o remount,bind,ro checkout"
    imported = "../venv/bin/python -P -c 'import dropzero; print(dropzero.__file__)'"
    script = f"{lock}; cd checkout; make setup 2>&1 | grep ^VENV=; make setup VENV=../venv; {imported}"
    hint, *_, found = shell(f"unshare --mount bash -euc {shlex.quote(script)}", tmp_path).splitlines()
    assert hint == "VENV=~/dropzero-venv, for example, makes the environment elsewhere"
    assert found == f"{tmp_path}/checkout/dropzero/__init__.py"


def test_a_checkout_without_symbolic_links_and_git_simulates(tmp_path: Path) -> None:
    """As `git -c core.symlinks=false` or some unzip programs write it: files with the links' targets."""
    copy_sources(tmp_path)
    for link in LINKS:
        (tmp_path / link).write_text(f"dropzero/{link}")
    command = [sys.executable, "-m", "dropzero", "simulate", "--workers", "2", "--size", "4kB", "--json", "out.json"]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "out.json").stat().st_size
