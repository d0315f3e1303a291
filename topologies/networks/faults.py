"""Faults of emulated links."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.topologies.processes.errors import SetupError


@dataclass(frozen=True)
class Faults:
    """Faults of every link in each direction, except loss: the P4 program drops packets.

    Attributes:
        delay: ms.
        duplicate: probability that a packet arrives twice.
        reorder: probability that a packet skips the delay, and so overtakes others.
    """

    delay: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0

    def __post_init__(self) -> None:
        if self.reorder and not self.delay:
            raise SetupError("packets overtake others by skipping a delay: --reorder needs --delay")

    def __bool__(self) -> bool:
        return self != NO_FAULTS

    @property
    def keys(self) -> list[str]:
        """The keys of the embedded switch's --impair."""
        given = {
            "delay": f"{round(self.delay * 1e6)}ns",
            "duplicate": f"{self.duplicate:f}",
            "reorder": f"{self.reorder:f}",
        }
        return [f"{name}={value}" for name, value in given.items() if getattr(self, name)]


NO_FAULTS = Faults()
