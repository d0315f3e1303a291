"""Structures of the kernel's ABI as numpy types, and libc's functions that take them: one system call per batch."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.libc import libc

IOVEC = np.dtype([("base", "u8"), ("length", "u8")])
MESSAGE = np.dtype(
    {
        "names": ["name", "name_length", "vectors", "vector_count", "control", "control_length", "flags", "length"],
        "formats": ["u8", "u4", "u8", "u8", "u8", "u8", "i4", "u4"],
        "offsets": [0, 8, 16, 24, 32, 40, 48, 56],
        "itemsize": 64,
    }
)
"""struct mmsghdr on 64-bit Linux. A packet socket needs no name in it; a UDP socket needs the peer's. `length`: the
bytes transferred."""

for _function, _arguments in {
    "writev": [ctypes.c_int, ctypes.c_void_p, ctypes.c_int],
    "sendmmsg": [ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int],
    "recvmmsg": [ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_void_p],
}.items():
    getattr(libc, _function).argtypes = _arguments
libc.writev.restype = ctypes.c_ssize_t


def addresses(array: NDArray[Any]) -> NDArray[np.uint64]:
    """The addresses of an array's elements or rows, shape (n,), uint64."""
    offsets = np.arange(len(array), dtype=np.uint64) * np.uint64(array.strides[0])
    return np.uint64(array.ctypes.data) + offsets
