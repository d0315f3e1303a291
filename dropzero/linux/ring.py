"""Rings of frames in memory that a switch and a program on a host share: a link between them without the kernel.

A ring carries frames in one direction. Its writer and its reader each own an index that only grows; slot `index %
SLOTS` holds the frame. A reader that finds nothing declares that it sleeps, and the writer then rings its doorbell, an
eventfd. A full ring drops frames, as the queue of a link does.

The switch has a folder with a socket, at which programs ask for rings, and with the counts of its ports.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import socket
import struct
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

SLOTS = 512
SLOT_BYTES = 1600
"""An odd number of cache lines, so that the slots' first lines do not compete for the same cache sets."""
FRAME = 22
"""Offset of a frame in its slot: its UDP payload begins with a cache line. The slot's first word is the frame's
length."""
MIN_FRAME, MAX_FRAME = 14, SLOT_BYTES - FRAME
"""Bytes of the shortest frame, an Ethernet header, and of the longest that fits."""

WRITTEN, READ, SLEEPS = 0, 8, 16
"""The indices of a ring's 64-bit words, each in a cache line of its own: the frames written and read so far; whether
the reader sleeps."""
UP, DOWN = 0, 24
"""The first words of the rings to the switch and to the host."""
UP_SLOTS = 4096
DOWN_SLOTS = UP_SLOTS + SLOTS * SLOT_BYTES
"""Offsets of their slots, in bytes."""
BYTES = DOWN_SLOTS + SLOTS * SLOT_BYTES

SOCKET, COUNTS = "socket", "counts"
"""The files in a switch's folder."""
PORTS = 512
"""Ports below this number may have rings."""
PORT_COUNTS = np.dtype(
    [(name, np.int64) for name in ("up_packets", "up_bytes", "down_packets", "down_bytes", "dropped")]
)
"""What has come and gone through the rings of a port, and what found them full; Ethernet headers included."""

PATIENCE = 1.0
"""Seconds within which a switch must answer a request."""
_REQUEST = struct.Struct("=I4s2s")
GRANTED = b"\0"
"""A switch's answer to a request that it grants, with the descriptors of the memory and the doorbells. Its answer to
others is an errno."""
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
"""Errors by which a switch says that it has no room for another ring."""


class Request(NamedTuple):
    """What a program asks of a switch.

    Attributes:
        port: of the switch.
        ip, udp_port: the program's address, as in packets. Frames to it leave through the ring instead of the port.
    """

    port: int
    ip: bytes
    udp_port: bytes


class Rings:
    """Both rings between a switch and a program, as one of the two has them.

    Attributes:
        memory: shape (BYTES,).
        doorbells: the two eventfds that wake the switch, for all of its rings, and the program.
        connection: to the other side; it hangs up when that ends.
    """

    def __init__(self, connection: socket.socket, memory: int, *doorbells: int) -> None:
        """Takes over the connection and the doorbells. memory: a descriptor, which the caller closes."""
        self.connection, self.doorbells = connection, doorbells
        self.memory: NDArray[np.uint8] = np.frombuffer(mmap.mmap(memory, BYTES), np.uint8)

    @classmethod
    def request(cls, folder: Path, wanted: Request) -> Self:
        """Asks the switch that has this folder for rings.

        Raises:
            BlockingIOError, ConnectionError, FileNotFoundError, TimeoutError: the switch does not run, or does not
                answer.
            OSError: there is no such folder, others may write to it, or the switch has no such port. With an errno of
                SCARCE: the switch or this process has no room for more rings.
        """
        check(folder)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as undo:
            undo.enter_context(connection)
            connection.settimeout(PATIENCE)
            connection.connect(str(folder / SOCKET))
            connection.send(_REQUEST.pack(*wanted))
            answer, descriptors, _, _ = socket.recv_fds(connection, 1, 3, socket.MSG_CMSG_CLOEXEC)
            for descriptor in descriptors:
                undo.callback(os.close, descriptor)
            if not answer:
                raise ConnectionResetError("the switch hung up")
            if len(descriptors) < 3:
                # The kernel leaves out those for which this process has no room.
                code = answer[0] or errno.EMFILE
                text = f"the switch has no port {wanted.port}" if code == errno.ENODEV else os.strerror(code)
                raise OSError(code, text)
            rings = cls(connection, *descriptors)
            undo.pop_all()
        os.close(descriptors[0])
        return rings

    @classmethod
    def grant(cls, connection: socket.socket, doorbell: int) -> Self:
        """Makes rings for the program at the other end of a connection. doorbell: the switch's. Raises OSError."""
        with ExitStack() as undo:
            memory = os.memfd_create("rings", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            undo.callback(os.close, memory)
            os.ftruncate(memory, BYTES)
            # Nobody can take the memory away from a side that maps it.
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            undo.callback(os.close, switch := os.dup(doorbell))
            undo.callback(os.close, program := new_doorbell())
            rings = cls(connection, memory, switch, program)
            rings.memory.view(np.int64)[[UP + SLEEPS, DOWN + SLEEPS]] = 1
            socket.send_fds(connection, [GRANTED], [memory, switch, program])
            undo.pop_all()
        os.close(memory)
        return rings

    def close(self) -> None:
        """Ends the connection, also where forked processes have it, too. The memory remains as long as arrays of it
        exist."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        for doorbell in self.doorbells:
            os.close(doorbell)


def new_doorbell() -> int:
    """Returns an eventfd."""
    return os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)


def check(folder: Path) -> None:
    """Raises NotADirectoryError if there is no such folder of a switch, and PermissionError if other users may write to
    it, where they could listen instead of the switch."""
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"there is no folder {folder}")
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o022:
        raise PermissionError(errno.EPERM, f"others may write to {folder}: use a folder of your own")


def requested(connection: socket.socket) -> Request:
    """Receives what the program at the other end of a connection asks for. Raises OSError if that is not rings."""
    received = connection.recv(_REQUEST.size + 1)
    if len(received) != _REQUEST.size:
        raise OSError(errno.EPROTO, "not a request for rings")
    return Request(*_REQUEST.unpack(received))


def counts(folder: Path, *, create: bool = False) -> NDArray[np.void]:
    """Returns the counts of a switch's ports, shape (PORTS,), dtype PORT_COUNTS. The switch changes them in place.

    create: make the file, unless an earlier switch has.

    Raises:
        OSError: the file cannot be opened or made.
    """
    size = PORTS * PORT_COUNTS.itemsize
    with (folder / COUNTS).open("a+b" if create else "rb") as file:
        if create:
            try:
                # Without room for it, writing to the memory would later end the switch by a signal.
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                raise OSError(error.errno, error.strerror, file.name) from None
        access = mmap.ACCESS_WRITE if create else mmap.ACCESS_READ
        return np.frombuffer(mmap.mmap(file.fileno(), size, access=access), PORT_COUNTS)
