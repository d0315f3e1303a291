"""Digests: what a program tells the control plane about a packet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Digest:
    """One message. name: the program's name of its list; values: one for each of the list's fields."""

    name: str
    values: tuple[int, ...]
