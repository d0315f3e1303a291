"""The errors between the controller and a switch. Their texts are for the user."""

from __future__ import annotations

from dataclasses import dataclass


class SwitchError(Exception):
    """The switch did not do what it was asked to do."""


class UnreachableError(SwitchError):
    """Nothing answers at the switch's address, or not in time."""


class NotPrimaryError(SwitchError):
    """Another controller is in charge of the switch: only reading is possible."""


class UnsupportedError(SwitchError):
    """The switch lacks a feature (BMv2: reading registers)."""


class NoProgramError(SwitchError):
    """The switch runs no program."""


class UnknownNameError(SwitchError):
    """The switch's program has no object of that name."""


@dataclass(frozen=True)
class Rejection:
    """An update that the switch refused: what it was, the name of gRPC's code, and the switch's text."""

    update: str
    code: str
    text: str


class WriteError(SwitchError):
    """Some updates of a write were refused; the others were done."""

    def __init__(self, address: str, rejections: tuple[Rejection, ...]) -> None:
        self.rejections = rejections
        reasons = "; ".join(f"{each.update}: {each.code} {each.text}".rstrip() for each in rejections)
        super().__init__(f"the switch at {address} refused {reasons}")
