"""Reads the rates, depths and priorities of queues from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dropzero.json_schema import WrongForm, parsed
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.impairments.link import rate

QUEUE = {"packets_per_second": int, "depth": int}
PORT = {**QUEUE, "rate": str, "priorities": {"": QUEUE}}
FILE = {"priority_queues": int, "ports": {"": PORT}}
ALL_PORTS = "*"
MOST_PRIORITIES = 256


@dataclass(frozen=True)
class QueueFile:
    """The settings of a switch's queues.

    priority_queues: of each port; None: not given
    ports: the settings of each port, by its number or "*" for all others
    """

    path: Path
    priority_queues: int | None
    ports: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path) -> QueueFile:
        """Reads a file. Raises ValueError or OSError."""
        try:
            content = parsed(path.read_bytes(), FILE)
            if not isinstance(content, dict):
                raise WrongForm(f"it is {content!r:.40}")
            _know(content, FILE)
            file = cls(path, content.get("priority_queues"), content.get("ports", {}))
            if file.priority_queues is not None and not 1 <= file.priority_queues <= MOST_PRIORITIES:
                raise WrongForm(f"'priority_queues' is {file.priority_queues}, not from 1 to {MOST_PRIORITIES}")
        except WrongForm as error:
            raise ValueError(f"{path} does not describe queues: {error}") from None
        return file

    def apply(self, queues: Queues) -> None:
        """Sets rates and depths. Raises ValueError."""
        # The setting for all ports comes first, because it would overwrite others.
        for name, port in sorted(self.ports.items(), key=lambda each: each[0] != ALL_PORTS):
            try:
                _know(port, PORT)
                number = None if name == ALL_PORTS else _number(name)
                if "rate" in port:
                    queues.set_bit_rate(rate(port["rate"]), number)
                _apply(queues, port, number, None)
                for priority, settings in port.get("priorities", {}).items():
                    _know(settings, QUEUE)
                    _apply(queues, settings, number, _number(priority))
            except ValueError as error:
                raise ValueError(f"{self.path}: port {name}: {error}") from None


def _apply(queues: Queues, settings: Mapping[str, Any], port: int | None, priority: int | None) -> None:
    if "packets_per_second" in settings:
        if settings["packets_per_second"] < 1:
            raise ValueError("packets_per_second must be at least 1; leave it out for no limit")
        queues.set_rate(settings["packets_per_second"], port, priority)
    if "depth" in settings:
        queues.set_depth(settings["depth"], port, priority)


def _know(given: Iterable[str], known: Mapping[str, Any]) -> None:
    for name in given:
        if name not in known:
            raise WrongForm(f"there is no {name!r}; there are {', '.join(known)}")


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{text!r} is not a number")
    return int(text)
