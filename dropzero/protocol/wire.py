"""The wire format of `p4src/headers.p4`, as constants and numpy dtypes.

A packet is Ethernet (14 B), IPv4 (20 B), UDP (8 B), and a payload: one HEADER, `columns` times a COLUMN, and for each
bit set in `mask`, lowest first, the DATA of that column.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np

VERSION = 3
UDP_PORT = 0xD020

COLUMNS = 8
"""Data columns that a packet can carry."""
ELEMENTS = 32
"""32-bit words in one data column."""
PACKET_ELEMENTS = COLUMNS * ELEMENTS
BLOCK_WORDS = (32, 64, 128, 256)
"""Block sizes in 32-bit words. A block of 32 k words takes k neighbouring data columns and one column descriptor."""

MAX_WORKERS = 32
"""Workers of a job on one switch: packets and slots have a bit for each."""
HEADROOM = 512
"""Bytes by which an answer may exceed the packet that causes it, unless the switch allows more: BMv2 does not. A result
that would be longer is split in two."""
NO_BLOCK = 0xFFFFFFFF
"""`next` of a column that has no block left; never in a result."""
ASSIGNED = 0x80000000
"""`next` of a column that is assigned a chunk: this bit and the chunk's number. ASSIGNED in headers.p4."""
EXPONENT_BIAS = 126
"""An exponent e is sent as e + 126, the exponent field of the block's largest float32. The least e is -126."""
NOT_FINITE = 255
"""The exponent of a block that holds a NaN or an infinity. It is the largest, so it is the result's, too."""

OUTER_BYTES = 14 + 20 + 8
"""Ethernet, IPv4 and UDP in front of the payload."""

HEADER = np.dtype(
    [
        ("version_marked_congested_kind", "u1"),
        ("mask", "u1"),
        ("columns_operation_width", "u1"),
        ("declines_worker", "u1"),
        ("job", ">u2"),
        ("lane", ">u2"),
        ("epoch", ">u4"),
        ("round", ">u4"),
        ("workers", ">u4"),
        ("secret", ">u4"),
    ]
)
COLUMN = np.dtype([("block", ">u4"), ("next", ">u4"), ("exponent", "u1")])
DATA = np.dtype((">i4", (ELEMENTS,)))

MARKED, CONGESTED = 0x10, 0x08
"""Bits of the header's first byte. MARKED: this packet met a long queue or, in a contribution, the last result did.
CONGESTED: some contribution to the round was marked."""
DECLINES = 0x80
"""The top bit of `declines_worker`. In a contribution or a query: the sender needs no data of the result. In a result:
it has no data for this reason."""

MAX_PAYLOAD = HEADER.itemsize + COLUMNS * (COLUMN.itemsize + DATA.itemsize)


class Kind(IntEnum):
    """The kind of a packet: the last three bits of the header's first byte."""

    CONTRIBUTION = 0
    RESULT = 1
    MISSING = 2
    EPOCH = 3
    CONFLICT = 4
    QUERY = 5
    WAITING = 6

    @property
    def first_byte(self) -> int:
        """The first byte of an unmarked packet of this kind."""
        return VERSION << 5 | self


ANSWERS = Kind.RESULT, Kind.CONFLICT
"""The kinds that all workers of a round get."""
REPORTS = Kind.MISSING, Kind.WAITING
"""The kinds that tell one worker what its round waits for."""


class Operation(IntEnum):
    """How two elements are combined: bits 2 and 3 of `columns_operation_width`."""

    SUM = 0
    MAX = 1
    MIN = 2
    OR = 3


class Width(IntEnum):
    """The width of an element: bits 0 and 1 of `columns_operation_width`."""

    BITS_32 = 0
    BITS_16 = 1
    BITS_8 = 2

    @property
    def bits(self) -> int:
        return 32 >> self

    @property
    def dtype(self) -> np.dtype[np.signedinteger[Any]]:
        """The elements' dtype, in the machine's byte order."""
        return np.dtype(f"i{self.bits // 8}")


class Fate(IntEnum):
    """The switch's decision about a packet: the index into its counter `fate`."""

    FORWARDED = 0
    FLOODED = 1
    ARP = 2
    PING = 3
    ABSORBED = 4
    COMPLETED = 5
    REPLAYED = 6
    MISSING = 7
    EPOCH = 8
    STALE = 9
    LOST = 10
    MALFORMED = 11
    VERSION = 12
    KIND = 13
    JOB = 14
    WORKER = 15
    PORT = 16
    ADDRESS = 17
    LANE = 18
    IP_CHECKSUM = 19
    PASSED_UP = 20
    RELAYED = 21
    NOT_PARENT = 22
    SHORT = 23
    UDP_PORT = 24
    SECRET = 25
    FORGED = 26


def payload_bytes(columns: int, data_columns: int) -> int:
    """The size of a UDP payload with `columns` column descriptors and `data_columns` data columns, in bytes."""
    return HEADER.itemsize + columns * COLUMN.itemsize + data_columns * DATA.itemsize


@cache
def block_sizes(width: Width) -> tuple[int, ...]:
    """The possible block sizes for elements of a width, in elements."""
    return tuple(words * 32 // width.bits for words in BLOCK_WORDS)


def block_for(words: int) -> int:
    """The block size for an array of 32-bit words without zero blocks: large ones take fewer bytes of headers. There
    are at least 8, so that few words of the last one are sent in vain."""
    return next((size for size in reversed(BLOCK_WORDS) if 8 * size <= words), BLOCK_WORDS[0])


def ranks(mask: int) -> tuple[int, ...]:
    """The workers whose bits are set in `mask`, ascending."""
    return tuple(rank for rank in range(mask.bit_length()) if mask >> rank & 1)


@cache
def blocks_per_packet(block: int, width: Width = Width.BITS_32, room: int = PACKET_ELEMENTS) -> int:
    """How many blocks of `block` elements a packet with room for `room` words carries: 8, 4, 2 or 1.

    Raises:
        ValueError: there is no such block size, or no room for one.
    """
    words = block * width.bits // 32
    if words not in BLOCK_WORDS:
        sizes = list(block_sizes(width))
        raise ValueError(f"a block of {width.bits}-bit elements has one of {sizes} elements, not {block}")
    if words > room:
        raise ValueError(f"a block of {words} words does not fit into a packet with room for {room}")
    return room // words
