"""Run other projects' launchers unchanged, with the embedded switch first on PATH.

A launcher runs as root in its own network, process and mount namespaces: it may use any port and interface name, and
can only kill its own processes.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from dropzero.softswitch import launchers
from lab.conformance.harness import commands

COMPILERS = ("p4c", "p4c-bm2-ss", "p4c-bm2-psa")
NAMESPACES = ("unshare", "--net", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child")

# Compilers before 2024 do not support .txtpb.
COMPILER_SHIM = """\
#!/bin/bash
arguments=() wanted=
for argument; do
  [[ $argument == *.txtpb ]] && wanted=$argument && argument=${argument%pb}
  arguments+=("$argument")
done
@COMPILER@ "${arguments[@]}" || exit
[[ -z $wanted ]] || mv "${wanted%pb}" "$wanted"
"""
SUDO_SHIM = """\
#!/bin/bash
exec env "$@"
"""


def shims(folder: Path, *, embedded: bool) -> Path:
    """Make a folder for the front of PATH: the switch under BMv2's names if `embedded`, the compilers that there are,
    and sudo if it is missing. Raises FileNotFoundError without a compiler."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = {}
    for compiler in COMPILERS:
        if found := shutil.which(compiler):
            made[compiler] = COMPILER_SHIM.replace("@COMPILER@", shlex.quote(found))
    if not made:
        raise FileNotFoundError(f"there is none of {', '.join(COMPILERS)} on PATH")
    if embedded:
        launchers.write(folder)
    if shutil.which("sudo") is None:
        made["sudo"] = SUDO_SHIM
    for name, text in made.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def launch(
    command: str, log: Path, *, folder: Path, path: Sequence[Path], pairs: int = 0, text: str = "", seconds: float
) -> str:
    """Run a command of bash in a folder, with `path` before PATH, `text` as its input, and some pairs of interfaces
    (veth0 with veth1, veth2 with veth3, ...). Kill it after `seconds`. Returns its output, which is also in the log."""
    lines = ["set -e", "ip link set lo up"]
    for even in range(0, 2 * pairs, 2):
        lines.append(f"ip link add veth{even} type veth peer name veth{even + 1}")
        for name in (f"veth{even}", f"veth{even + 1}"):
            # Without IPv6, the kernel sends no packets of its own.
            lines.append(f"echo 1 >/proc/sys/net/ipv6/conf/{name}/disable_ipv6")
            lines.append(f"ethtool -K {name} tx off >/dev/null 2>&1 || true")
            lines.append(f"ip link set {name} up")
    lines += ["set +e", command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = ":".join([*map(str, path), os.environ["PATH"]])
    command_line = [*NAMESPACES, "bash", "-c", "\n".join(lines)]
    _, said = commands.output(command_line, seconds, folder=folder, environment=environment, text=text)
    log.write_text(said)
    return said
