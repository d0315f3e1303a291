"""The command `dropzero`, as a whole."""

from __future__ import annotations

import subprocess
import sys

from typer.core import TyperGroup
from typer.main import get_command

from dropzero.cli import ROOMS, build


def commands(command: str = "") -> dict[str, str | None]:
    """With what each says that it does."""
    program = get_command(build(command))
    assert isinstance(program, TyperGroup)
    return {name: each.help for name, each in program.commands.items()}


def test_a_room_that_is_loaded_alone_has_the_commands_that_it_has_with_all() -> None:
    everything = commands()
    assert list(everything) == list(ROOMS)
    for name in ROOMS:
        alone = commands(name)
        assert name in alone
        assert alone.items() <= everything.items()


def test_a_command_loads_no_other_room() -> None:
    """Every worker is a process, and reading captures or the switch's tables is not its business."""
    code = "import sys, dropzero.cli; dropzero.cli.build('worker'); print(*{'scapy', 'p4', 'grpc'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
