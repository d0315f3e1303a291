"""A folder for the front of PATH, in which the embedded switch has the names of BMv2's programs."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

FOLDER = Path(sys.prefix) / "share" / "dropzero" / "bin"
PROGRAMS = {
    "simple_switch": "from dropzero.softswitch.cli import simple_switch as main",
    "simple_switch_grpc": "from dropzero.softswitch.cli import simple_switch_grpc as main",
    "simple_switch_CLI": "from dropzero.softswitch.runtime_cli.cli import main",
}
# exec keeps the process id, by which launchers stop a switch. -P keeps the working directory out of the imports.
LAUNCHER = """\
#!/bin/sh
exec {python} -P -c '{program}; main()' "$@"
"""

app = typer.Typer(add_completion=False)


def write(folder: Path) -> None:
    """Writes the launchers into a folder. Raises FileExistsError rather than overwrite another program."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        if (folder / name).exists() and not is_launcher(folder / name):
            raise FileExistsError(f"{folder / name} is another program: choose another folder")
    for name, program in PROGRAMS.items():
        (folder / name).write_text(LAUNCHER.format(python=shlex.quote(sys.executable), program=program))
        (folder / name).chmod(0o755)


def is_launcher(path: str | Path) -> bool:
    """Whether a program with one of BMv2's names is the embedded switch."""
    with open(path, "rb") as file:
        return b"dropzero.softswitch" in file.read(4096)


@app.command("tutorials")
def tutorials(
    folder: Annotated[Path, typer.Argument(help="Where to write the launchers.", show_default=False)] = FOLDER,
) -> None:
    """Run p4lang's tutorials, p4-utils and the like on the embedded switch: writes simple_switch, simple_switch_grpc
    and simple_switch_CLI into a folder, and prints what to set."""
    try:
        write(folder)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}; give another folder" if error.strerror else error
        print(f"dropzero: {reason}", file=sys.stderr)
        raise typer.Exit(2) from None
    print("# In a shell, for what is started from it. p4c must be installed, BMv2 need not be:")
    print(f'export PATH={shlex.quote(str(folder.resolve()))}:"$PATH"')
    print("# p4lang/tutorials, in the folder of an exercise:\nmake run")
    print("# p4-utils, and whatever else is started with sudo, which changes PATH:")
    print('sudo env PATH="$PATH" python3 network.py')
