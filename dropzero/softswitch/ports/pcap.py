"""Reads classic pcap files, and writes captures of ports while the switch runs."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from struct import Struct, pack
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.abi import IOVEC
from dropzero.linux.libc import checked_call, libc
from dropzero.softswitch.engine.frames import Frames

MAGIC_MICROSECONDS, MAGIC_NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
UNITS = {MAGIC_MICROSECONDS: 1000, MAGIC_NANOSECONDS: 1}
"""The nanoseconds in a unit of a file's fractions of seconds, by the file's magic number."""
ETHERNET = 1
SNAPLEN = 65535
LONGEST = 1 << 18
"""The most bytes of a packet that read() accepts, as in libpcap (MAXIMUM_SNAPLEN)."""
FILE_HEADER = Struct("=IHHiIII")
"""The magic number, the version (major, minor), the time zone and accuracy, the longest capture, the kind of link."""
RECORD_HEADER = np.dtype([("seconds", "u4"), ("microseconds", "u4"), ("captured", "u4"), ("length", "u4")])
RECORDS = 512
"""Records in one system call: the kernel takes at most 1024 vectors, and a record is two, its header and its packet."""


class Capture:
    """Writes one pcap file. Each batch is one gathering write from the packets' memory, without a buffer, so a reader
    always sees whole records. Raises OSError if the file cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o644)
        os.write(self._fd, FILE_HEADER.pack(MAGIC_MICROSECONDS, 2, 4, 0, 0, SNAPLEN, ETHERNET))
        self._records = np.zeros(RECORDS, dtype=RECORD_HEADER)
        self._vectors = np.zeros((RECORDS, 2), dtype=IOVEC)
        first = self._records.ctypes.data
        self._vectors[:, 0]["base"] = first + RECORD_HEADER.itemsize * np.arange(RECORDS, dtype=np.uint64)
        self._vectors[:, 0]["length"] = RECORD_HEADER.itemsize

    def write(self, address: NDArray[np.uint64], length: NDArray[np.int32], microseconds: int) -> None:
        """Appends packets.

        address, length: of each packet in memory, shape (n,). microseconds: their time since the epoch.

        Raises:
            OSError: writing failed; the disk may be full.
        """
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

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        os.close(self._fd)


def of_port(frames: Frames, port: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The addresses and lengths of a port's packets, for Capture.write."""
    packets = frames.port == port
    return frames.start[packets].astype(np.uint64) + np.uint64(frames.data.ctypes.data), frames.length[packets]


def read(path: Path) -> Iterator[tuple[int, bytes]]:
    """Opens a file, and yields (nanoseconds, packet) pairs, without a last packet that is cut off. The file may be a
    FIFO: yields each packet as soon as it is written.

    Raises:
        ValueError: this is not a pcap file, or it is damaged.
        OSError: the file cannot be read.
    """
    file = path.open("rb")
    header = file.read(FILE_HEADER.size)
    kinds = {pack(f"{order}I", magic): (order, unit) for order in "<>" for magic, unit in UNITS.items()}
    if header[:4] not in kinds:
        file.close()
        raise ValueError(f"{path} is not a pcap file (editcap -F pcap converts a pcapng file)")
    return _packets(file, *kinds[header[:4]])


def _packets(file: BinaryIO, order: str, unit: int) -> Iterator[tuple[int, bytes]]:
    record = Struct(f"{order}IIII")
    with file:
        while len(head := file.read(record.size)) == record.size:
            seconds, fraction, size, _ = record.unpack(head)
            if size > LONGEST:
                raise ValueError(f"{file.name} is damaged: it has a packet of {size} bytes")
            content = file.read(size)
            if len(content) < size:
                return
            yield 10**9 * seconds + unit * fraction, content
