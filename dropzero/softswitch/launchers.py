"""Writes programs with BMv2's names that run the embedded switch, into a folder to put first on PATH."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from dropzero.softswitch.logs import LEVELS

FOLDER = Path(sys.prefix) / "share" / "dropzero" / "bin"
CLI = "simple_switch_CLI"
PROGRAMS = {
    "simple_switch": "from dropzero.softswitch.cli import simple_switch as main",
    "simple_switch_grpc": "from dropzero.softswitch.cli import simple_switch_grpc as main",
    "psa_switch": "from dropzero.softswitch.cli import simple_switch as main",
    CLI: "from dropzero.softswitch.runtime_cli.cli import main",
    "psa_switch_CLI": "from dropzero.softswitch.runtime_cli.cli import main",
}
# `exec` keeps the process id, by which launchers stop a switch. -P excludes the working directory from imports. The
# name in /proc lets pkill and killall find the switch under BMv2's name.
LAUNCHER = """\
#!/bin/sh
'''exec' {python} -P "$0" "$@"
' '''
import contextlib, pathlib, sys
{program}
if __name__ == "__main__":
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/self/comm").write_text("{name}")
    sys.argv[1:1] = {options}
    main()
"""

app = typer.Typer(add_completion=False)


def write(folder: Path, level: str | None = None) -> None:
    """Writes the launchers into a folder.

    level: the log level of switches whose command line has none.

    Raises:
        FileExistsError: the folder has another program of such a name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        if (folder / name).exists() and not is_launcher(folder / name):
            raise FileExistsError(f"{folder / name} is another program: choose another folder")
    for name, program in PROGRAMS.items():
        options = (
            [] if name.endswith("_CLI") else ["--link-rates", *(["--log-level", level] if level is not None else [])]
        )
        python = shlex.quote(sys.executable)
        (folder / name).write_text(LAUNCHER.format(python=python, name=name, program=program, options=options))
        (folder / name).chmod(0o755)


def is_launcher(path: str | Path) -> bool:
    """Whether a program with one of BMv2's names is the embedded switch."""
    with open(path, "rb") as file:
        return b"dropzero.softswitch" in file.read(4096)


@app.command("tutorials")
def tutorials(
    folder: Annotated[Path, typer.Argument(help="Where to write the launchers.", show_default=False)] = FOLDER,
    log_level: Annotated[
        str | None,
        typer.Option(
            "--log-level",
            "-L",
            help="Log level of switches that are started without one. debug logs every packet, as BMv2 does.",
            show_default="info",
        ),
    ] = None,
) -> None:
    """Run p4lang's tutorials, p4-utils and the like on the embedded switch: writes simple_switch, simple_switch_grpc
    and simple_switch_CLI into a folder, and prints what to set."""
    if log_level not in (None, *LEVELS):
        raise typer.BadParameter(f"it is one of {', '.join(LEVELS)}", param_hint="--log-level")
    try:
        write(folder, log_level)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}; give another folder" if error.strerror else error
        print(f"dropzero: {reason}", file=sys.stderr)
        raise typer.Exit(2) from None
    print("# In the shell that starts the tutorials. p4c must be installed, BMv2 need not be:")
    print(f'export PATH={shlex.quote(str(folder.resolve()))}:"$PATH"')
    print("# p4lang/tutorials, in the folder of an exercise:\nmake run")
    print("# p4-utils, and all else that is started with sudo, which changes PATH:")
    print('sudo env PATH="$PATH" python3 network.py')
