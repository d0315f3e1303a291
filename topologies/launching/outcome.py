"""What came of people's own programs, as summary.json and in words."""

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
    """The keys of summary.json, beside `replicas_identical`.

    `parameters`: the options of the network, and what the launcher adds to the environment; `exit_statuses`: of the
    hosts' programs in turn, minus the signal where one killed it; `seconds`: from the first one's start to the last
    one's end; `uplink_bytes`, `downlink_bytes` and `trunk_bytes`: what the kernel counted on the links from and to the
    hosts and from the leaves to the spine, Ethernet headers included; `digests`: what each program said last of its
    parameters, as `sha256 0123abcd...`, None where it said nothing.
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
    digests: list[str | None]

    @property
    def replicas_identical(self) -> bool | None:
        """Whether all programs ended with the same parameters; None if not all said which."""
        return None if None in self.digests else len(set(self.digests)) == 1

    def write(self, path: Path) -> None:
        """Write summary.json."""
        content = asdict(self) | {"replicas_identical": self.replicas_identical}
        path.write_text(json.dumps(content, indent=2) + "\n")

    def __str__(self) -> str:
        identical = "" if self.replicas_identical is None else ", replicas identical"
        links = f"uplink {decimal(self.uplink_bytes)}, downlink {decimal(self.downlink_bytes)}"
        return f"{self.workers} programs ended well in {self.seconds:.1f} s: {links}{identical}"


def digest(log: Path) -> str | None:
    """Return the last digest in a program's output; None if there is none."""
    found: list[str] = []
    with log.open(errors="replace") as lines:
        for line in lines:
            found = _DIGEST.findall(line) or found
    return found[-1] if found else None
