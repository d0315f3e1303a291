"""Reads packets from hexadecimal digits and captures, and writes captures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from struct import pack

from dropzero.softswitch.ports.pcap import ETHERNET, FILE_HEADER, LONGEST, MAGIC_NANOSECONDS, read


def from_hex(text: str) -> bytes:
    """Reads hexadecimal digits, possibly with blanks and colons. Raises ValueError."""
    try:
        return bytes.fromhex(re.sub(r"[\s:]", "", text).removeprefix("0x"))
    except ValueError:
        raise ValueError(f"a packet is an even number of hexadecimal digits, not {text[:40]!r}") from None


def from_pcap(path: Path, number: int) -> bytes:
    """Reads one packet from a classic pcap file. number: from 1 on. Raises ValueError or OSError."""
    packets = list(read(path))
    if number > len(packets):
        raise ValueError(f"{path} has {len(packets)} packets, so there is no packet {number}")
    return packets[number - 1][1]


def write(path: Path, packets: Iterable[tuple[int, bytes]]) -> None:
    """Writes Ethernet packets to a pcap file. packets: (nanoseconds, content). Raises OSError."""
    with path.open("wb") as file:
        file.write(FILE_HEADER.pack(MAGIC_NANOSECONDS, 2, 4, 0, 0, LONGEST, ETHERNET))
        for time, packet in packets:
            file.write(pack("=IIII", *divmod(time, 10**9), len(packet), len(packet)) + packet)
