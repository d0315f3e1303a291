"""Writes programs with BMv2's names that run the embedded switch, into a folder to put first on PATH."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from dropzero.linux import rootless
from dropzero.messages import complain
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
SUDO = """\
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec env "$@"
"""
"""In the place of sudo, where its caller is root already. The tutorials call it without options or with -E."""
REHEARSE = "from dropzero.softswitch.daemon import rehearse; rehearse()"
OWN = rootless.MARK.parent
TMP = Path("/tmp")
# The namespaces have the machine's /tmp: only the shell has its own, so that no other command's files are lost.
OWN_TMP = 'mount --bind "$0" "$1" && exec "${SHELL:-bash}"'

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
        _write_program(folder / name, LAUNCHER.format(python=python, name=name, program=program, options=options))


def _write_program(path: Path, text: str) -> None:
    """Replaces a program, which others may be starting."""
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(text)
    new.chmod(0o755)
    new.replace(path)


def shell(level: str | None = None) -> int:
    """Runs the user's shell in the user's namespaces, with a /tmp of the user's own, and the launchers and a program
    `sudo` first on PATH. Returns its exit status.

    level: see write().

    Raises:
        rootless.RefusedError: for root, in a folder below /tmp, or if the kernel refuses the namespaces.
    """
    if rootless.privileged():
        raise rootless.RefusedError("root has no network of its own: start the shell as the user who is to have one")
    if Path.cwd().is_relative_to(TMP):
        raise rootless.RefusedError(f"the shell has a {TMP} of its own: start it in another folder")
    rootless.enter()
    # Launchers wait for ten seconds for a switch: where many people start theirs at once, compiling takes longer.
    subprocess.run([sys.executable, "-P", "-c", REHEARSE], check=False)
    (OWN / "tmp").mkdir(exist_ok=True)
    write(OWN / "bin", level)
    _write_program(OWN / "bin" / "sudo", SUDO)
    own = {"PATH": f"{OWN / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(TMP)}
    command = ["unshare", "--mount", "sh", "-c", OWN_TMP, str(OWN / "tmp"), str(TMP)]
    return subprocess.call(command, env=os.environ | own)


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
    own: Annotated[
        bool,
        typer.Option("--shell", help="Start a shell with them, in a network and /tmp of the user's own, without root."),
    ] = False,
) -> None:
    """Run p4lang's tutorials, p4-utils and the like on the embedded switch: writes simple_switch, simple_switch_grpc
    and simple_switch_CLI into a folder, and prints what to set."""
    if log_level not in (None, *LEVELS):
        raise typer.BadParameter(f"it is one of {', '.join(LEVELS)}", param_hint="--log-level")
    try:
        if own:
            raise typer.Exit(shell(log_level))
        write(folder, log_level)
    except rootless.RefusedError as error:
        complain(str(error))
        raise typer.Exit(2) from None
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}; give another folder, or --shell" if error.strerror else error
        print(f"dropzero: {reason}", file=sys.stderr)
        raise typer.Exit(2) from None
    print("# In the shell that starts the tutorials. p4c must be installed, BMv2 need not be:")
    print(f'export PATH={shlex.quote(str(folder.resolve()))}:"$PATH"')
    print("# p4lang/tutorials, in the folder of an exercise:\nmake run")
    print("# p4-utils, and all else that is started with sudo, which changes PATH:")
    print('sudo env PATH="$PATH" python3 network.py')
    print("# Where several people use this machine, and without root: a shell with all of this set.")
    print("dropzero tutorials --shell")
