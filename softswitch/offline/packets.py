"""Packets from hexadecimal digits or captures, and into captures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import pack, unpack_from

from dropzero.softswitch.ports.pcap import ETHERNET, FILE_HEADER, MAGIC_MICROSECONDS, RECORD_HEADER

MAGIC_NANOSECONDS = 0xA1B23C4D
MAGIC = {MAGIC_MICROSECONDS: 1000, MAGIC_NANOSECONDS: 1}
"""The first word of classic pcap files, and the unit of their times in nanoseconds."""


def from_hex(text: str) -> bytes:
    """Reads digits; blanks and colons may stand between them. Raises ValueError."""
    try:
        return bytes.fromhex(re.sub(r"[\s:]", "", text).removeprefix("0x"))
    except ValueError:
        raise ValueError(f"a packet is an even number of hexadecimal digits, not {text[:40]!r}") from None


def from_pcap(path: Path, number: int) -> bytes:
    """The packet with that number, from 1 on, of a classic pcap file. Raises ValueError, OSError."""
    packets = list(read(path))
    if number > len(packets):
        raise ValueError(f"{path} has only {len(packets)} packets, so none is number {number}")
    return packets[number - 1][1]


def read(path: Path) -> Iterator[tuple[int, bytes]]:
    """The packets of a classic pcap file, each with its time in nanoseconds; without one that is cut off at the end.
    Raises ValueError, OSError."""
    content = path.read_bytes()
    kinds = {pack(f"{order}I", magic): (order, unit) for order in "<>" for magic, unit in MAGIC.items()}
    if content[:4] not in kinds:
        raise ValueError(f"{path} is no pcap file (of a pcapng file, editcap -F pcap makes one)")
    order, unit = kinds[content[:4]]
    at = FILE_HEADER.itemsize
    while at + RECORD_HEADER.itemsize <= len(content):
        seconds, fraction, size, _ = unpack_from(f"{order}IIII", content, at)
        at += RECORD_HEADER.itemsize
        if at + size > len(content):
            return
        yield 10**9 * seconds + unit * fraction, content[at : at + size]
        at += size


def write(path: Path, packets: Iterable[tuple[int, bytes]]) -> None:
    """Writes a pcap file of Ethernet packets with their times in nanoseconds. Raises OSError."""
    with path.open("wb") as file:
        file.write(pack("<IHHIIII", MAGIC_NANOSECONDS, 2, 4, 0, 0, 1 << 18, ETHERNET))
        for time, packet in packets:
            file.write(pack("<IIII", *divmod(time, 10**9), len(packet), len(packet)) + packet)
