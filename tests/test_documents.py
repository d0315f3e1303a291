"""The blocks of the Markdown files are executed, word for word; those of the tutorial in test_tutorial.py."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from dropzero.cli import COMMANDS as PROGRAMS
from dropzero.cli import build
from dropzero.training.options import TrainingOptions
from tests.support import ROOT
from tests.support.blocks import BLOCK, TUTORIAL, Block, Machine, blocks, documents

root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
BLOCKS = [block for file in documents() for block in blocks(file)]
STEPS = "docs/launching.md"
"""It starts a rack step by step."""
RUN = ("sh", "sh terminals", "console", "python")
COMMANDS = dict.fromkeys(
    " ".join(command.split())
    for file in documents()
    for command in re.findall(r"`make ([^`]*)`", BLOCK.sub("", (ROOT / file).read_text()))
)
"""The arguments of `make` in all sentences and tables."""
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def opened() -> list[Block]:
    """The block whose terminals are open, if any."""
    return []


@root
@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.kind in RUN and not block.file.startswith(TUTORIAL)], ids=str
)
def test_a_block_works_as_written(block: Block, machine: Machine, opened: list[Block]) -> None:
    if block.reason:
        pytest.skip(block.reason)
    wanted = terminals(block)
    if wanted is not None and opened != [wanted]:
        opened[:] = [wanted]
        machine.open(wanted.text)
    match block.kind:
        case "sh":
            machine.run(block.text)
        case "console":
            converse(block, machine)
        case "python":
            on_both_hosts(block, machine)


def terminals(block: Block) -> Block | None:
    """The block whose terminals are open for a block: in its file, or in STEPS for Python that needs a network."""
    above = [each for each in BLOCKS if each.file == block.file and each.line <= block.line]
    found = [each for each in above if each.kind == "sh terminals" and not each.reason]
    if not found and block.kind == "python":
        found = [each for each in BLOCKS if each.file == STEPS and each.kind == "sh terminals" and not each.reason]
    return found[-1] if found else None


def converse(block: Block, machine: Machine) -> None:
    """Types the input after each prompt."""
    command, *typed = block.text.splitlines()
    said = re.sub(r"^(P4Runtime sh >>>|RuntimeCmd:) ", "", "\n".join(typed), flags=re.MULTILINE)
    (machine.folder / "typed").write_text(said + "\n")
    answer = machine.run(f"{command.removeprefix('$ ')} <typed")
    assert not re.search(r"Traceback|Error", answer), answer


def on_both_hosts(block: Block, machine: Machine) -> None:
    """Runs a block after all earlier ones of its file, which it continues: so the last one runs them all."""
    parts = [each for each in BLOCKS if each.file == block.file and each.kind == "python" and not each.reason]
    if block != parts[-1]:
        pytest.skip(f"begins {parts[-1]}")
    (machine.folder / "loop.py").write_text("".join(part.text for part in parts))
    machine.run("dropzero exec h1 python loop.py & dropzero exec h2 python loop.py; wait $!")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_make_command_exists(command: str, tmp_path: Path) -> None:
    """And its options exist."""
    venv = tmp_path / "venv"
    venv.mkdir()
    for done in (".run", ".test"):
        (venv / done).touch()
    told = subprocess.run(
        ["bash", "-c", f"make --dry-run VENV={venv} SUDO= {command}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    run = re.search(rf"{venv}/bin/dropzero run (.*)$", told.stdout, re.MULTILINE)
    assert bool(run) == (command.split()[0] == "run")
    if run:
        program = get_command(build("run"))
        assert isinstance(program, TyperGroup)
        given = program.commands["run"].make_context("run", shlex.split(run[1])).params
        TrainingOptions(given["density"], given["compress"]).spec(given["workers"] or 4)


def test_the_page_of_commands_has_each_with_its_help() -> None:
    rows = dict(re.findall(r"^\| `dropzero (\S+)` \| (.*) \|$", (ROOT / "docs/commands.md").read_text(), re.MULTILINE))
    assert rows == {name: command.help for name, command in PROGRAMS.items()}


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.kind not in RUN], ids=str)
def test_every_block_names_its_language(block: Block) -> None:
    assert block.kind in ("text", "p4", "python"), f"{block}: sh, console, python or text?"


@pytest.mark.parametrize("file", list(documents()))
def test_links_and_paths_exist(file: str) -> None:
    text = BLOCK.sub("", (ROOT / file).read_text())
    folder = (ROOT / file).parent
    for target in LINK.findall(text):
        assert (folder / target).exists(), target
    for path in re.findall(r"`([a-z0-9_]+/[\w./-]*)`", text):
        if path.partition("/")[0] in {each.name for each in ROOT.iterdir()} - {"build", "runs"}:
            assert (ROOT / path).exists(), path
