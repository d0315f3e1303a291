"""What can go wrong between the controller and its switch. The texts are meant for the person at the terminal."""

from __future__ import annotations

from dataclasses import dataclass


class SwitchError(Exception):
    """The switch did not do what was asked."""


class UnreachableError(SwitchError):
    """Nobody answers at the switch's address, or not in time."""


class NotPrimaryError(SwitchError):
    """Another controller is in charge of the switch: only reading is possible."""


class UnsupportedError(SwitchError):
    """The switch has no such feature (BMv2: registers)."""


class NoProgramError(SwitchError):
    """The switch runs no program."""


class UnknownNameError(SwitchError):
    """The switch's program has nothing of that name."""


@dataclass(frozen=True)
class Rejection:
    """An update that the switch refused: what it was, P4Runtime's canonical code by name, and the switch's own text."""

    update: str
    code: str
    text: str


class WriteError(SwitchError):
    """Some updates of a write were refused; the others were done."""

    def __init__(self, address: str, rejections: tuple[Rejection, ...]) -> None:
        self.rejections = rejections
        reasons = "; ".join(f"{each.update}: {each.code} {each.text}".rstrip() for each in rejections)
        super().__init__(f"the switch at {address} refused {reasons}")
