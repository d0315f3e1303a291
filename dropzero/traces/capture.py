"""Captures of a switch's ports, as `--pcap` writes them: one file for each interface and direction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Literal

from scapy.utils import RawPcapReader

from dropzero.protocol.packet import MalformedPacket, Packet
from dropzero.protocol.wire import OUTER_BYTES, UDP_PORT

Direction = Literal["in", "out"]

_NAME = re.compile(r"(?P<interface>.+)_(?P<direction>in|out)\.pcap$")
_IPV4_UDP_AT, _TOS_AT, _ADDRESSES_AT, _UDP_AT, _JOB_AT = 12, 15, 26, 34, OUTER_BYTES + 4
_CE = 3


class CaptureError(Exception):
    """A file or folder has no valid captures; the message says which and why."""


@dataclass(frozen=True)
class Capture:
    """The frames in one direction through one interface of a switch, in order."""

    path: Path
    interface: str
    direction: Direction

    @property
    def switch(self) -> str:
        """The switch's name: the interface's, without the port."""
        return self.interface.rpartition("-")[0]

    def frames(self) -> Iterator[bytes]:
        """All frames, from the Ethernet header on.

        Raises:
            CaptureError: the file is not a capture, or is truncated.
        """
        return (frame for _, frame in self.timed())

    def timed(self) -> Iterator[tuple[int, bytes]]:
        """All frames, each with its time in microseconds since the Unix epoch."""
        try:
            with RawPcapReader(str(self.path)) as reader:
                for frame, seen in reader:
                    yield 1_000_000 * seen.sec + seen.usec, frame
        except Exception as error:  # scapy raises its own errors, EOFError and struct.error
            raise CaptureError(f"{self.path} is not a complete capture: {error}") from error

    def payloads(self) -> Iterator[bytes]:
        """The UDP payloads of all Dropzero packets."""
        for frame in filter(is_dropzero, self.frames()):
            yield frame[OUTER_BYTES:]

    def packets(self) -> Iterator[Packet]:
        """All Dropzero packets, decoded. A packet is also marked if its IP header is.

        Raises:
            CaptureError: the file is not a capture or is truncated, or a packet is malformed.
        """
        return (packet for _, packet in self.timed_packets())

    def timed_packets(self) -> Iterator[tuple[int, Packet]]:
        """The same, each with its time in microseconds since the Unix epoch."""
        for number, (time, frame) in enumerate(self.timed(), 1):
            if is_dropzero(frame):
                yield time, self._decoded(number, frame)

    def of_lane(self, job: int, lane: int) -> Iterator[tuple[int, tuple[IPv4Address, IPv4Address], Packet]]:
        """The packets of one lane of a job, each with its time and its addresses (sender, receiver)."""
        if max(job, lane) > 0xFFFF:
            return
        wanted = job.to_bytes(2) + lane.to_bytes(2)
        for number, (time, frame) in enumerate(self.timed(), 1):
            if frame[_JOB_AT : _JOB_AT + 4] == wanted and is_dropzero(frame):
                ends = frame[_ADDRESSES_AT : _ADDRESSES_AT + 4], frame[_ADDRESSES_AT + 4 : _ADDRESSES_AT + 8]
                yield time, (IPv4Address(ends[0]), IPv4Address(ends[1])), self._decoded(number, frame)

    def _decoded(self, number: int, frame: bytes) -> Packet:
        try:
            packet = Packet.decode(frame[OUTER_BYTES:])
        except MalformedPacket as error:
            raise CaptureError(f"{self.path}, packet {number}: {error}") from error
        return replace(packet, marked=packet.marked or frame[_TOS_AT] & 3 == _CE)


def is_dropzero(frame: bytes) -> bool:
    """Whether a frame is a Dropzero packet: IPv4 without options, and UDP from or to Dropzero's port."""
    if frame[_IPV4_UDP_AT : _IPV4_UDP_AT + 3] != b"\x08\x00\x45" or frame[23:24] != b"\x11":
        return False
    ports = frame[_UDP_AT : _UDP_AT + 4]
    return UDP_PORT.to_bytes(2, "big") in (ports[:2], ports[2:])


def captures(folder: Path) -> list[Capture]:
    """The captures in a folder, by interface.

    Raises:
        CaptureError: there are none.
    """
    # glob() ignores some errors, is_dir() raises some: which ones depends on the version of Python.
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        paths = []
    except OSError as error:
        raise CaptureError(f"cannot read {folder}: {error.strerror}") from error
    found = [
        Capture(path, match["interface"], "in" if match["direction"] == "in" else "out")
        for path in paths
        if (match := _NAME.match(path.name))
    ]
    if not found:
        if (inner := folder / "pcaps") in paths:
            raise CaptureError(f"no captures in {folder}: those of a run are in {inner}")
        raise CaptureError(f"no captures in {folder}, such as s1-eth1_in.pcap (run with --pcap)")
    return found
