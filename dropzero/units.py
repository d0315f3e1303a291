"""Numbers with units, as people write them: 100G, 1us, 1MB."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

RATES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
"""Bits a second."""
TIMES = {"": 10**9, "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
"""Nanoseconds."""
SIZES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
"""Bytes."""


def parse(text: str, units: Mapping[str, int]) -> int:
    """Reads a number with one of the units, or without. Raises ValueError if it is not such a number."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)", text.strip(), re.ASCII)
    if found is None or found[2] not in units:
        names = ", ".join(unit for unit in units if unit)
        raise ValueError(f"{text!r} is not a number with one of the units {names}")
    return round(float(found[1]) * units[found[2]])


def span(seconds: float) -> str:
    """A time, as people write it."""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3f} {unit}"
    return f"{seconds * 1e6:.3f} us"


def intervals(numbers: Iterable[int]) -> list[str]:
    """Formats ascending numbers as intervals: 3, 5-9."""
    ends: list[list[int]] = []
    for number in numbers:
        if ends and number == ends[-1][-1] + 1:
            ends[-1][1:] = [number]
        else:
            ends.append([number])
    return ["-".join(map(str, each)) for each in ends]


def bits(rate: float) -> str:
    """Formats bits per second: 12.3 Mbit/s."""
    for unit in ("", "k", "M"):
        if rate < 1000:
            return f"{rate:.3g} {unit}bit/s"
        rate /= 1000
    return f"{rate:.3g} Gbit/s"
