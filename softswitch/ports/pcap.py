"""Classic pcap files, written while the switch runs."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.abi import IOVEC, checked_call, libc

MAGIC_MICROSECONDS = 0xA1B2C3D4
ETHERNET = 1
SNAPLEN = 65535
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
