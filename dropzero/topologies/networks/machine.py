"""Checks that this machine can run emulated networks."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from dropzero.linux import rootless
from dropzero.topologies.processes.errors import SetupError

TOOLS = {"ip": "iproute2", "tc": "iproute2", "ethtool": "ethtool", "mnexec": "mininet", "ifconfig": "net-tools"}
"""The programs that a network needs, and their Debian packages."""


def check_machine() -> None:
    """Makes an ordinary user root in namespaces of its own. Call it before the process has threads. Raises SetupError
    if the kernel refuses the namespaces, or a program is missing."""
    try:
        rootless.enter()
    except rootless.RefusedError as refused:
        raise SetupError(f"{refused}; or try again with sudo") from refused
    missing = {package for tool, package in TOOLS.items() if shutil.which(tool) is None}
    if missing:
        raise SetupError(f"programs are missing: apt-get install {' '.join(sorted(missing))}")
    if find_spec("mininet") is None:
        raise SetupError(
            "this Python does not find Debian's Mininet: "
            "create the environment with /usr/bin/python3 -m venv --system-site-packages"
        )
