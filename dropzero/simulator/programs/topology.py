"""Topology files of p4lang's tutorials: hosts, switches with their programs and entries, and links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dropzero.json_schema import WrongForm, parsed
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs.fabric import Fabric, Port
from dropzero.softswitch.offline.state import set_up
from dropzero.units import TIMES, parse

_PORT = re.compile(r"(?P<switch>.+)-p(?P<port>\d+)")
FILE: dict[str, Any] = {
    "hosts": ({}, [str]),
    "switches": {
        "": {
            "program": (str, None),
            "runtime_json": str,
            "cli_input": str,
            "cpu_port": (int, None),
            "priority_queues": int,
        }
    },
    "links": [[(str, int, float, None)]],
}
ENTRIES = {"bmv2_json": str, "p4info": str}
"""What a file of entries says of the program."""


def build(fabric: Fabric, path: Path, quality: Quality, program: Path | None = None) -> dict[str, Port]:
    """Builds what a file describes. Returns the port of each host.

    Files that it names are looked for in the current folder, then in the file's own folder and those above it.

    Args:
        quality: of links for which the file gives no latency or bandwidth.
        program: p4c's JSON for switches for which the file names none.

    Raises:
        ValueError, OSError: of whatever is wrong in a file.
    """
    try:
        return _build(fabric, path, parsed(path.read_bytes(), FILE), quality, program)
    except WrongForm as error:
        raise ValueError(f"{path} is not a topology as p4lang's tutorials have them: {error}") from None


def _build(
    fabric: Fabric, path: Path, content: Mapping[str, Any], quality: Quality, program: Path | None
) -> dict[str, Port]:
    for name, options in content["switches"].items():
        switch = fabric.add(name, cpu_port=options.get("cpu_port"), priority_queues=options.get("priority_queues", 1))
        entries = [_found(path, options["runtime_json"])] if "runtime_json" in options else []
        told = _told(entries[0]) if entries else {}
        given = options.get("program") or (None if program else told.get("bmv2_json"))
        json_file = program if given is None else _found(path, given)
        if json_file is None:
            raise ValueError(f"{path} names no program for {name}: give one")
        p4info = _found(path, told["p4info"]) if given is not None and "p4info" in told else None
        commands = [_found(path, options["cli_input"])] if "cli_input" in options else []
        set_up(switch, json_file, entries, commands, p4info)
    hosts: dict[str, Port] = {}
    for link in content["links"]:
        one, other, latency, bandwidth = (*link, None, None, None, None)[:4]
        ends = [_port(content, name) for name in (one, other)]
        links = [end for end in ends if end is not None]
        if not links:
            raise ValueError(f"{path}: no end of the link from {one} to {other} is a switch")
        fabric.link(links[0], links[1] if len(links) > 1 else None, _quality(quality, latency, bandwidth))
        hosts |= {name: links[0] for name, end in zip((one, other), ends, strict=True) if end is None}
    return hosts


def _told(entries: Path) -> Mapping[str, Any]:
    """The ENTRIES of a file."""
    try:
        told: Mapping[str, Any] = parsed(entries.read_bytes(), ENTRIES)
    except WrongForm as error:
        raise ValueError(f"{entries} is not in the format of p4lang's tutorials: {error}") from None
    return told


def _port(content: Mapping[str, Any], name: Any) -> Port | None:
    """The port that an end of a link names, such as s1-p2; None: a host."""
    found = _PORT.fullmatch(name) if isinstance(name, str) else None
    if found is not None and found["switch"] in content["switches"]:
        return found["switch"], int(found["port"])
    if name in content["hosts"]:
        return None
    raise ValueError(f"the end {name!r} of a link is neither a host nor a port of a switch, such as s1-p1")


def _quality(quality: Quality, latency: str | float | None, bandwidth: str | float | None) -> Quality:
    """The quality of a link. latency: a number with a unit, or milliseconds. bandwidth: Mbit/s. None: as others."""
    if latency is not None:
        text = str(latency)
        quality = replace(quality, delay=parse(text if text[-1:].isalpha() else f"{text}ms", TIMES))
    if bandwidth is None:
        return quality
    rate = 1e6 * float(bandwidth)
    if not 1 <= rate < float("inf"):
        raise ValueError(f"{bandwidth} is not a rate in Mbit/s")
    return replace(quality, rate=round(rate))


def _found(path: Path, name: str) -> Path:
    """The file of that name."""
    for folder in (Path(), *path.resolve().parents):
        if (folder / name).exists():
            return folder / name
    raise ValueError(f"there is no {name}, which {path} names")
