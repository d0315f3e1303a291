"""Errors between the controller and a switch. Their messages are for the user."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.p4.names import SwitchError as SwitchError


class UnreachableError(SwitchError):
    """Nothing answers in time at the switch's address."""


class NotPrimaryError(SwitchError):
    """Another controller is primary: this client may only read."""


class UnsupportedError(SwitchError):
    """The switch lacks a feature (BMv2: reading registers)."""


class NoProgramError(SwitchError):
    """The switch runs no program."""


@dataclass(frozen=True)
class Rejection:
    """An update that the switch refused: its description, the name of gRPC's code, and the switch's text."""

    update: str
    code: str
    text: str


class WriteError(SwitchError):
    """The switch refused some updates of a write, and carried out the others."""

    def __init__(self, address: str, rejections: tuple[Rejection, ...]) -> None:
        self.rejections = rejections
        reasons = "; ".join(f"{each.update}: {each.code} {each.text}".rstrip() for each in rejections)
        super().__init__(f"the switch at {address} refused {reasons}")
