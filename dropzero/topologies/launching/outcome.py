"""The outcome of users' own programs, as summary.json and as text."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.filesize import decimal

_DIGEST = re.compile(r"\bsha256\W+([0-9a-f]{8,64})\b")


@dataclass(frozen=True)
class Outcome:
    """The keys of summary.json, together with `replicas_identical`.

    Attributes:
        parameters: the options of the network, and the launcher's additions to the environment.
        exit_statuses: of the hosts' programs, in order; minus the signal that killed it, if one did.
        seconds: from the first program's start to the last one's end.
        uplink_bytes, downlink_bytes, trunk_bytes: the kernel's counts on the links from the hosts, to the hosts, and
            from the leaves to the spine, with Ethernet headers.
        summed_bytes: of the packets that the switches added up, with Ethernet headers; None: a switch did not say.
        digests: the last digest of its parameters that each program printed, as `sha256 0123abcd...`; None: it printed
            none.
    """

    command: list[str]
    parameters: dict[str, Any]
    workers: int
    racks: int
    switch: str
    exit_statuses: list[int | None]
    seconds: float
    uplink_bytes: int
    downlink_bytes: int
    trunk_bytes: int
    summed_bytes: int | None
    digests: list[str | None]

    @property
    def replicas_identical(self) -> bool | None:
        """Whether all programs ended with the same parameters; None if not all printed a digest."""
        return None if None in self.digests else len(set(self.digests)) == 1

    def write(self, path: Path) -> None:
        """Writes summary.json."""
        content = asdict(self) | {"replicas_identical": self.replicas_identical}
        path.write_text(json.dumps(content, indent=2) + "\n")

    def __str__(self) -> str:
        identical = "" if self.replicas_identical is None else ", replicas identical"
        links = f"uplink {decimal(self.uplink_bytes)}, downlink {decimal(self.downlink_bytes)}"
        summed = "" if self.summed_bytes is None else f", added up in the switch {decimal(self.summed_bytes)}"
        return f"{self.workers} programs succeeded in {self.seconds:.1f} s: {links}{summed}{identical}"


def digest(log: Path) -> str | None:
    """Returns the last digest in a program's output; None if there is none."""
    found: list[str] = []
    with log.open(errors="replace") as lines:
        for line in lines:
            found = _DIGEST.findall(line) or found
    return found[-1] if found else None
