"""Classic pcap files: captures of ports, written while the switch runs, and packets to read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from struct import Struct, pack
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.abi import IOVEC, checked_call, libc
from dropzero.softswitch.engine.frames import Frames

MAGIC_MICROSECONDS, MAGIC_NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
UNITS = {MAGIC_MICROSECONDS: 1000, MAGIC_NANOSECONDS: 1}
"""The unit of a file's times in nanoseconds, by the file's first word."""
ETHERNET = 1
SNAPLEN = 65535
LONGEST = 1 << 18
"""Bytes of a packet in a file that is read, as in libpcap."""
FILE_HEADER = np.dtype(
    [
        ("magic", "u4"),
        ("major", "u2"),
        ("minor", "u2"),
        ("zone", "i4"),
        ("accuracy", "u4"),
        ("snaplen", "u4"),
        ("link", "u4"),
    ]
)
RECORD_HEADER = np.dtype([("seconds", "u4"), ("microseconds", "u4"), ("captured", "u4"), ("length", "u4")])
# The kernel takes at most 1024 vectors a call, and a record is two: its header and its packet.
RECORDS = 512


class Capture:
    """One pcap file. A batch is one gathering write straight from the packets' memory, so nothing is held back: a
    reader sees whole records whenever it opens the file.

    Raises OSError when the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o644)
        header = np.array((MAGIC_MICROSECONDS, 2, 4, 0, 0, SNAPLEN, ETHERNET), dtype=FILE_HEADER)
        os.write(self._fd, header.tobytes())
        self._records = np.zeros(RECORDS, dtype=RECORD_HEADER)
        self._vectors = np.zeros((RECORDS, 2), dtype=IOVEC)
        first = self._records.ctypes.data
        self._vectors[:, 0]["base"] = first + RECORD_HEADER.itemsize * np.arange(RECORDS, dtype=np.uint64)
        self._vectors[:, 0]["length"] = RECORD_HEADER.itemsize

    def write(self, address: NDArray[np.uint64], length: NDArray[np.int32], microseconds: int) -> None:
        """Appends packets, given by their (n,) addresses in memory and (n,) lengths, all seen at the same moment since
        the epoch. Raises OSError (a full disk, say)."""
        for at in range(0, len(length), RECORDS):
            lengths = length[at : at + RECORDS]
            count = len(lengths)
            records, vectors = self._records[:count], self._vectors[:count]
            records["seconds"], records["microseconds"] = divmod(microseconds, 1_000_000)
            records["length"] = lengths
            records["captured"] = np.minimum(lengths, SNAPLEN)
            vectors[:, 1]["base"] = address[at : at + RECORDS]
            vectors[:, 1]["length"] = records["captured"]
            written = checked_call(libc.writev, self._fd, vectors.ctypes.data, 2 * count)
            if written < int(vectors["length"].sum()):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        os.close(self._fd)


def of_port(frames: Frames, port: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The addresses and lengths of a port's packets, for Capture.write."""
    packets = frames.port == port
    return frames.start[packets].astype(np.uint64) + np.uint64(frames.data.ctypes.data), frames.length[packets]


def read(path: Path) -> Iterator[tuple[int, bytes]]:
    """Opens a file, and yields its packets, each with its time in nanoseconds, but not one that is cut off at the end.
    The file may be a FIFO: each packet is yielded once it is written. Raises ValueError, OSError."""
    file = path.open("rb")
    header = file.read(FILE_HEADER.itemsize)
    kinds = {pack(f"{order}I", magic): (order, unit) for order in "<>" for magic, unit in UNITS.items()}
    if header[:4] not in kinds:
        file.close()
        raise ValueError(f"{path} is no pcap file (of a pcapng file, editcap -F pcap makes one)")
    return _packets(file, *kinds[header[:4]])


def _packets(file: BinaryIO, order: str, unit: int) -> Iterator[tuple[int, bytes]]:
    record = Struct(f"{order}IIII")
    with file:
        while len(head := file.read(record.size)) == record.size:
            seconds, fraction, size, _ = record.unpack(head)
            if size > LONGEST:
                raise ValueError(f"{file.name}: a packet of {size} bytes is none: the file is damaged")
            content = file.read(size)
            if len(content) < size:
                return
            yield 10**9 * seconds + unit * fraction, content
