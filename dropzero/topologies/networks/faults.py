"""Faults of emulated links."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.topologies.processes.errors import SetupError


@dataclass(frozen=True)
class Faults:
    """Faults of every link in each direction, except loss, for which the P4 program drops packets.

    Attributes:
        delay: ms.
        duplicate: the probability that a packet arrives twice.
        reorder: the probability that a packet skips the delay and so overtakes others.
    """

    delay: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0

    def __post_init__(self) -> None:
        if self.reorder and not self.delay:
            raise SetupError("--reorder needs --delay: packets overtake others by skipping the delay")

    def __bool__(self) -> bool:
        return self != NO_FAULTS

    @property
    def keys(self) -> list[str]:
        """The faults as keys of the embedded switch's option --impair."""
        given = {
            "delay": f"{round(self.delay * 1e6)}ns",
            "duplicate": f"{self.duplicate:f}",
            "reorder": f"{self.reorder:f}",
        }
        return [f"{name}={value}" for name, value in given.items() if getattr(self, name)]


NO_FAULTS = Faults()
