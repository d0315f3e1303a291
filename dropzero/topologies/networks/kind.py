"""The kinds of switch, the embedded one and the real BMv2, and of the links to its hosts."""

from __future__ import annotations

import os
import re
import shutil
import sys
from enum import StrEnum
from typing import Annotated

from dropzero.help import NetworkOption
from dropzero.softswitch.launchers import is_launcher
from dropzero.topologies.processes.errors import SetupError

UDP_GSO_LINUX = (6, 2)
"""The first Linux version whose packet sockets accept UDP GSO packets."""
BMV2 = "simple_switch_grpc"


class PortKind(StrEnum):
    """What carries packets between hosts and switch: a veth pair, or rings in shared memory in addition to it."""

    VETH = "veth"
    SHM = "shm"


class SwitchKind(StrEnum):
    """What runs the P4 program."""

    AUTO = "auto"
    SOFTSWITCH = "softswitch"
    BMV2 = "bmv2"

    def resolve(self) -> SwitchKind:
        """Replaces AUTO by BMv2 if it is installed, else by the embedded switch. Raises SetupError if BMv2 was asked
        for and is not on PATH."""
        found = shutil.which(BMV2)
        installed = found is not None and not is_launcher(found)
        if self is SwitchKind.BMV2 and not installed:
            raise SetupError(f"{BMV2} is not on PATH; --switch=softswitch runs the embedded switch")
        if self is SwitchKind.AUTO:
            return SwitchKind.BMV2 if installed else SwitchKind.SOFTSWITCH
        return self

    @property
    def executable(self) -> list[str]:
        """The command that starts it; both kinds take the same arguments."""
        return [BMV2] if self is SwitchKind.BMV2 else [sys.executable, "-m", "dropzero.softswitch"]

    @property
    def supports_udp_gso(self) -> bool:
        """Whether the switch splits GSO packets and completes checksums for hosts."""
        version = re.match(r"(\d+)\.(\d+)", os.uname().release)
        accepted = version is not None and (int(version[1]), int(version[2])) >= UDP_GSO_LINUX
        return self is SwitchKind.SOFTSWITCH and accepted


SwitchOption = Annotated[
    SwitchKind,
    NetworkOption(
        help="The switch; auto: BMv2 if simple_switch_grpc is on PATH and these options allow it, else softswitch."
    ),
]
