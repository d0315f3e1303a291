"""The packet to follow: from hexadecimal digits, or from a capture."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MAGIC = (0xA1B2C3D4, 0xA1B23C4D)
"""Of classic pcap files, with times in microseconds or nanoseconds."""
FILE_HEADER, RECORD_HEADER = 24, 16


def from_hex(text: str) -> bytes:
    """Reads digits; blanks and colons may stand between them. Raises ValueError."""
    try:
        return bytes.fromhex(re.sub(r"[\s:]", "", text).removeprefix("0x"))
    except ValueError:
        raise ValueError(f"a packet is an even number of hexadecimal digits, not {text[:40]!r}") from None


def from_pcap(path: Path, number: int) -> bytes:
    """The packet with that number, from 1 on, of a classic pcap file. Raises ValueError, OSError."""
    content = path.read_bytes()
    order = next((order for order in "<>" if content[:4] in [struct.pack(f"{order}I", magic) for magic in MAGIC]), None)
    if order is None:
        raise ValueError(f"{path} is no pcap file (of a pcapng file, editcap -F pcap makes one)")
    packet = next(islice(_packets(content, order), number - 1, None), None)
    if packet is None:
        raise ValueError(
            f"{path} has only {sum(1 for _ in _packets(content, order))} packets, so none is number {number}"
        )
    return packet


def _packets(content: bytes, order: str) -> Iterator[bytes]:
    at = FILE_HEADER
    while at + RECORD_HEADER <= len(content):
        *_, size, _ = struct.unpack_from(f"{order}IIII", content, at)
        at += RECORD_HEADER
        if at + size > len(content):
            return
        yield content[at : at + size]
        at += size
