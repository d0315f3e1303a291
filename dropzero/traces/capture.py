"""Captures of a switch's ports, as `--pcap` writes them: one file for each interface and direction.

Other tools may have written them, in pcap or pcapng."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Literal, NamedTuple

from scapy.utils import RawPcapReader

from dropzero.protocol.packet import Column, MalformedPacket, Packet
from dropzero.protocol.wire import COLUMN, HEADER, OUTER_BYTES, UDP_PORT

Direction = Literal["in", "out"]

_NAME = re.compile(r"(?P<interface>.+)_(?P<direction>in|out)\.pcap(ng)?$")
_IPV4, VLAN_TAGS = b"\x08\x00", (b"\x81\x00", b"\x88\xa8")
_TYPE_AT, _LENGTH_AT = 12, 16
_IPV4_UDP_AT, _TOS_AT, _ADDRESSES_AT, _UDP_AT, _JOB_AT = 12, 15, 26, 34, OUTER_BYTES + 4
_CE = 3


class CaptureError(Exception):
    """A file or folder has no valid captures; the message says which and why."""


class Frame(NamedTuple):
    """A captured frame.

    Attributes:
        time: microseconds since the Unix epoch.
        content: from an Ethernet header on, without VLAN tags, padding, or frame check sequence.
        missing: the number of bytes at its end that were not captured (tcpdump's snap length).
    """

    time: int
    content: bytes
    missing: int


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
        """The contents of all frames. Raises CaptureError as timed() does."""
        return (frame.content for frame in self.timed())

    def timed(self) -> Iterator[Frame]:
        """All frames. Raises CaptureError if the file is not a capture, is truncated, or has another kind of link than
        Ethernet, IP, or Linux's "any"."""
        try:
            # If this is not a capture, scapy leaves a file open that it opened itself. (Its types know of paths only.)
            with self.path.open("rb") as file, RawPcapReader(file) as reader:  # type: ignore[arg-type]
                for content, seen in reader:
                    if getattr(seen, "caplen", 0) > len(content):
                        raise CaptureError(f"{self.path} is not a complete capture: its last packet is cut")
                    # A pcapng file has these for each packet, an older one for all.
                    link = getattr(seen, "linktype", None) or reader.linktype
                    if link not in LINKS:
                        known = ", ".join(f"{name} ({number})" for number, (name, _) in LINKS.items())
                        raise CaptureError(f"{self.path} has packets of link type {link}, instead of {known}")
                    yield _frame(_time(reader, seen), LINKS[link][1](content), seen.wirelen - len(content))
        except CaptureError:
            raise
        except Exception as error:  # scapy raises its own errors, EOFError and struct.error
            raise CaptureError(f"{self.path} is not a complete capture: {error}") from error

    def payloads(self) -> Iterator[bytes]:
        """The UDP payloads of all Dropzero packets."""
        for frame in filter(is_dropzero, self.frames()):
            yield frame[OUTER_BYTES:]

    def packets(self) -> Iterator[Packet]:
        """All Dropzero packets, decoded. A packet is also marked if its IP header is. Raises CaptureError: see timed();
        or a packet is malformed, or was captured in part."""
        for number, frame in enumerate(self.timed(), 1):
            if is_dropzero(frame.content):
                if frame.missing:
                    raise CaptureError(
                        f"{self.path}, packet {number}: {frame.missing} of its bytes were not captured; capture whole "
                        "packets (tcpdump -s 0)"
                    )
                yield self._decoded(number, frame)

    def timed_packets(self) -> Iterator[tuple[int, Packet, int]]:
        """The same, each with its time in microseconds since the Unix epoch, and the number of bytes that were not
        captured. Missing columns are empty, and missing elements 0."""
        for number, frame in enumerate(self.timed(), 1):
            if is_dropzero(frame.content):
                yield frame.time, self._decoded(number, frame), frame.missing

    def of_lane(self, job: int, lane: int) -> Iterator[tuple[int, tuple[IPv4Address, IPv4Address], Packet]]:
        """The packets of one lane of a job, each with its time and its addresses (sender, receiver)."""
        if max(job, lane) > 0xFFFF:
            return
        wanted = job.to_bytes(2) + lane.to_bytes(2)
        for number, frame in enumerate(self.timed(), 1):
            content = frame.content
            if content[_JOB_AT : _JOB_AT + 4] == wanted and is_dropzero(content):
                ends = content[_ADDRESSES_AT : _ADDRESSES_AT + 4], content[_ADDRESSES_AT + 4 : _ADDRESSES_AT + 8]
                yield frame.time, (IPv4Address(ends[0]), IPv4Address(ends[1])), self._decoded(number, frame)

    def _decoded(self, number: int, frame: Frame) -> Packet:
        payload = frame.content[OUTER_BYTES:]
        try:
            if frame.missing and len(payload) < HEADER.itemsize:
                raise MalformedPacket(f"{frame.missing} bytes were not captured, among them some of its header")
            packet = Packet.decode(payload + bytes(frame.missing))
        except MalformedPacket as error:
            raise CaptureError(f"{self.path}, packet {number}: {error}") from error
        whole = (len(payload) - HEADER.itemsize) // COLUMN.itemsize
        columns = (*packet.columns[:whole], *[Column()] * len(packet.columns[whole:]))
        return replace(packet, columns=columns, marked=packet.marked or frame.content[_TOS_AT] & 3 == _CE)


def _ethernet(content: bytes) -> bytes:
    while content[_TYPE_AT : _TYPE_AT + 2] in VLAN_TAGS:
        content = content[:_TYPE_AT] + content[_TYPE_AT + 4 :]
    return content


LINKS: dict[int, tuple[str, Callable[[bytes], bytes]]] = {
    1: ("Ethernet", _ethernet),
    101: ("IP", lambda content: bytes(_TYPE_AT) + _IPV4 + content),
    228: ("IPv4", lambda content: bytes(_TYPE_AT) + _IPV4 + content),
    113: ("Linux cooked", lambda content: bytes(_TYPE_AT) + content[14:]),
    276: ("Linux cooked v2", lambda content: bytes(_TYPE_AT) + content[:2] + content[20:]),
}
"""By the number of a link type: its name, and what makes an Ethernet frame without VLAN tags of its packets. Those of
`tcpdump -i any` are Linux cooked."""


def _time(reader: Any, seen: Any) -> int:
    """The time of a packet in microseconds since the Unix epoch; 0 if the capture has none."""
    if hasattr(seen, "tsresol"):
        return 0 if seen.tshigh is None else 1_000_000 * (seen.tshigh << 32 | seen.tslow) // seen.tsresol
    return int(1_000_000 * seen.sec + (seen.usec // 1000 if reader.nano else seen.usec))


def _frame(time: int, content: bytes, uncaptured: int) -> Frame:
    """Cuts off what comes after an IPv4 packet. uncaptured: the bytes on the wire that were not captured."""
    if content[_TYPE_AT : _TYPE_AT + 2] != _IPV4:
        return Frame(time, content, uncaptured)
    length = _TYPE_AT + 2 + int.from_bytes(content[_LENGTH_AT : _LENGTH_AT + 2], "big")
    return Frame(time, content[:length], max(0, min(uncaptured, length - len(content))))


def is_dropzero(frame: bytes) -> bool:
    """Whether a frame is a Dropzero packet: IPv4 without options, and UDP from or to Dropzero's port."""
    if frame[_IPV4_UDP_AT : _IPV4_UDP_AT + 3] != b"\x08\x00\x45" or frame[23:24] != b"\x11":
        return False
    ports = frame[_UDP_AT : _UDP_AT + 4]
    return UDP_PORT.to_bytes(2, "big") in (ports[:2], ports[2:])


def captures(folder: Path) -> list[Capture]:
    """The captures in a folder, by interface. Raises CaptureError if there are none."""
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
        raise CaptureError(f"no captures in {folder}: `make run PCAP=1` or `dropzero run --pcap` writes some")
    return found
