"""The switches that a simulation can have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from dropzero.files import COMPILED, TOFINO
from dropzero.protocol.wire import BLOCK_WORDS, PACKET_ELEMENTS


class SwitchTarget(StrEnum):
    """A switch, by the program that runs on it."""

    V1MODEL = "v1model"
    TOFINO2 = "tofino2"

    @property
    def compiled(self) -> Path:
        """The program, as p4c-bm2-ss compiles it."""
        return COMPILED if self is SwitchTarget.V1MODEL else TOFINO

    @property
    def room(self) -> int:
        """Words for which the switch has room in a packet."""
        return PACKET_ELEMENTS if self is SwitchTarget.V1MODEL else BLOCK_WORDS[0]
