"""Faults of emulated links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dropzero.help import FaultOption, NetworkOption
from dropzero.topologies.processes.errors import SetupError


@dataclass(frozen=True)
class Faults:
    """Faults of every link in each direction, except loss, for which the P4 program drops packets."""

    delay: Annotated[float, NetworkOption(min=0, help="Delay of each link and direction, ms.")] = 0.0
    duplicate: Annotated[float, FaultOption(min=0, max=1, help="Probability that a link delivers a packet twice.")] = (
        0.0
    )
    reorder: Annotated[
        float, FaultOption(min=0, max=1, help="Probability that a packet skips a link's delay and overtakes others.")
    ] = 0.0

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
