"""A packet as a Python object, for tools and tests. The hot path works on bytes instead: see lanes/rounds.py."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.wire import (
    COLUMN,
    COLUMNS,
    CONGESTED,
    DATA,
    DECLINES,
    ELEMENTS,
    EXPONENT_BIAS,
    HEADER,
    MARKED,
    NO_BLOCK,
    VERSION,
    Kind,
    Operation,
    Width,
    payload_bytes,
)

_KINDS, _OPERATIONS, _WIDTHS = set(Kind), set(Operation), set(Width)


def datagram_headers(source: int, destination: int, ports: tuple[int, int], length: int, ecn: int = 0) -> bytes:
    """The IPv4 and UDP headers of a datagram, without a UDP checksum.

    Args:
        source, destination: IPv4 addresses.
        ports: of source and destination.
        length: of the payload, bytes.
        ecn: bits of the IP header.
    """
    words = [0x4500 | ecn, length + 28, 0, 0, 0x4011, 0, *divmod(source, 65536), *divmod(destination, 65536)]
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    words[5] = total ^ 0xFFFF
    return struct.pack("!14H", *words, *ports, length + 8, 0)


class MalformedPacket(ValueError):
    """The bytes are not a Dropzero payload; the message says why."""


@dataclass(frozen=True)
class Column:
    """The descriptor of one column of blocks in a packet."""

    block: int = NO_BLOCK
    """The column's block in this round."""
    next: int = NO_BLOCK
    """The next non-zero block: the sender's; in a result, that of all workers, or ASSIGNED | a chunk's number."""
    exponent: int = -EXPONENT_BIAS
    """The exponent of block `next`: the magnitude of each of its elements is below 2^exponent."""


@dataclass(frozen=True)
class Packet:
    """A UDP payload.

    `data` maps a data column (0 to 7) to its words, shape (32,), int32. A word holds one element of 32 bits, or several
    narrower ones, the first in the topmost bits.
    """

    kind: Kind
    job: int
    lane: int
    epoch: int
    round: int
    worker: int
    workers: int = 0
    """In an answer, one bit for each worker; in a contribution, the digest of its call."""
    secret: int = 0
    """The worker's secret, in its packets and in the answers to them."""
    operation: Operation = Operation.SUM
    width: Width = Width.BITS_32
    columns: tuple[Column, ...] = ()
    data: Mapping[int, NDArray[np.int32]] = field(default_factory=dict)
    marked: bool = False
    """The packet met a long queue; in a contribution, also: its sender's last result did."""
    congested: bool = False
    """In a result or a rack's share: some contribution to the round was marked."""
    declines: bool = False
    """The sender needs no data of the result; in a result: it has no data for this reason."""

    @property
    def mask(self) -> int:
        """One bit for each data column in the packet."""
        return sum(1 << column for column in self.data)

    def encode(self) -> bytes:
        """The payload's bytes."""
        first = self.kind.first_byte | (MARKED if self.marked else 0) | (CONGESTED if self.congested else 0)
        form = len(self.columns) << 4 | self.operation << 2 | self.width
        worker = self.worker | (DECLINES if self.declines else 0)
        address = worker, self.job, self.lane, self.epoch, self.round, self.workers, self.secret
        header = np.array((first, self.mask, form, *address), HEADER)
        columns = np.array([(each.block, each.next, each.exponent + EXPONENT_BIAS) for each in self.columns], COLUMN)
        data = [np.asarray(self.data[column], ">i4").tobytes() for column in sorted(self.data)]
        return header.tobytes() + columns.tobytes() + b"".join(data)

    @classmethod
    def decode(cls, payload: bytes) -> Packet:
        """Reads a payload.

        Raises:
            MalformedPacket: the payload is too short or too long, of another version, or has an unknown kind, operation
                or width.
        """
        if len(payload) < HEADER.itemsize:
            raise MalformedPacket(f"{len(payload)} bytes are shorter than a header ({HEADER.itemsize} bytes)")
        header = np.frombuffer(payload, HEADER, 1).item()
        first, mask, counted, worker, job, lane, epoch, round_, workers, secret = header
        version, kind = first >> 5, first & 7
        if version != VERSION:
            raise MalformedPacket(f"version {version} instead of {VERSION}")
        if kind not in _KINDS:
            raise MalformedPacket(f"unknown kind {kind}")
        count, form = divmod(counted, 16)
        operation, width = divmod(form, 4)
        if operation not in _OPERATIONS or width not in _WIDTHS:
            raise MalformedPacket(f"unknown operation {operation} or width {width}")
        present = [column for column in range(COLUMNS) if mask >> column & 1]
        if len(payload) != payload_bytes(count, len(present)):
            raise MalformedPacket(
                f"{len(payload)} bytes, but {count} columns with {len(present)} of data take "
                f"{payload_bytes(count, len(present))}"
            )
        columns = np.frombuffer(payload, COLUMN, count, HEADER.itemsize).tolist()
        data = np.frombuffer(payload, DATA, len(present), payload_bytes(count, 0)).reshape(-1, ELEMENTS)
        return cls(
            Kind(kind),
            *(job, lane, epoch, round_, worker & ~DECLINES, workers, secret),
            operation=Operation(operation),
            width=Width(width),
            columns=tuple([Column(block, next_, exponent - EXPONENT_BIAS) for block, next_, exponent in columns]),
            data=dict(zip(present, data.astype(np.int32), strict=True)),
            marked=bool(first & MARKED),
            congested=bool(first & CONGESTED),
            declines=bool(worker & DECLINES),
        )
