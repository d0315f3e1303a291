"""GSO packets are split in place, and nothing is written outside their slots."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.linux.abi import MESSAGE
from dropzero.native.compilation import entry_point
from dropzero.softswitch.ports.gso import (
    AUXDATA,
    GSO_UDP,
    MAX_SEGMENTS_IN,
    NEEDS_CHECKSUM,
    PAYLOAD_OFFSET,
    SO_TIMESTAMPNS,
    TAG_BYTES,
    UDP_OFFSET,
    VLAN_VALID,
    VNET_HEADER,
)
from dropzero.softswitch.ports.gso_code import split
from dropzero.softswitch.ports.ports import MAX_TAGS, SLOT_BYTES
from dropzero.softswitch.ports.shared import SHARED

CANARY = 0xA5
BEYOND = 4096
LONGEST = 65536


class Slot:
    """One message in one slot of `size` bytes, with canaries after it."""

    def __init__(self, packet: bytes, headers: int, payload: int, *, beside: bool, size: int = SLOT_BYTES) -> None:
        """headers: bytes of the packet's headers. payload: bytes of a segment's. beside: whether the kernel removed a
        tag, and delivered it beside the packet."""
        self.memory: NDArray[np.uint8] = np.full(size + BEYOND, CANARY, np.uint8)
        self.memory[TAG_BYTES : TAG_BYTES + len(packet)] = np.frombuffer(packet, np.uint8)
        csum_start = headers - (PAYLOAD_OFFSET - UDP_OFFSET)
        status = VLAN_VALID if beside else 0
        self._arrays: dict[str, NDArray[Any]] = {
            "slots": self.memory,
            "vnet_headers": np.array([(NEEDS_CHECKSUM, GSO_UDP, headers, payload, csum_start, 6)], VNET_HEADER),
            "auxdata": np.array([(status, 7, 0x8100, SO_TIMESTAMPNS, 0, 0)], AUXDATA),
            "messages_in": np.zeros(1, MESSAGE),
            "message_ports": np.zeros(1, np.int32),
            "starts": np.zeros(MAX_SEGMENTS_IN, np.int64),
            "lengths": np.zeros(MAX_SEGMENTS_IN, np.int32),
            "ingress_ports": np.zeros(MAX_SEGMENTS_IN, np.int32),
            "arrivals": np.zeros(MAX_SEGMENTS_IN, np.int64),
            "packet_counts": np.zeros(1, np.int32),
        }
        self._arrays["messages_in"]["length"] = VNET_HEADER.itemsize + len(packet)
        self._size = size

    def split(self) -> list[bytes]:
        """Splits the message, and checks the canaries. Returns the packets."""
        shared = np.zeros((), SHARED)
        for name, array in self._arrays.items():
            shared[name] = array.ctypes.data
        shared["slot_bytes"] = self._size
        made = entry_point(split)(shared.ctypes.data, 1)
        assert (self.memory[self._size :] == CANARY).all()
        places = zip(self._arrays["starts"][:made].tolist(), self._arrays["lengths"][:made].tolist(), strict=True)
        return [self.memory[start : start + length].tobytes() for start, length in places]


def gso_packet(tags: int, payloads: int) -> bytes:
    """A GSO packet. payloads: bytes of all payloads."""
    ip = struct.pack("!BBHHHBBH8x", 0x45, 0, 0, 0, 0x4000, 64, 17, 0)
    packet = bytes(12) + b"\x81\x00\x00\x07" * tags + b"\x08\x00" + ip + bytes(8)
    return packet + (np.arange(payloads) % 251).astype(np.uint8).tobytes()


@pytest.mark.parametrize("beside", [False, True], ids=["inside", "beside"])
@pytest.mark.parametrize("tags", range(MAX_TAGS))
def test_a_slot_has_room_for_the_longest_gso_packet(tags: int, beside: bool) -> None:
    headers = PAYLOAD_OFFSET + TAG_BYTES * tags
    payload = (LONGEST - headers) // MAX_SEGMENTS_IN
    packet = gso_packet(tags, payload * MAX_SEGMENTS_IN)
    packets = Slot(packet, headers, payload, beside=beside).split()
    all_headers = headers + TAG_BYTES * beside
    assert {len(each) for each in packets} == {all_headers + payload}
    assert b"".join(each[all_headers:] for each in packets) == packet[headers:]
    assert len(packets) == MAX_SEGMENTS_IN


@pytest.mark.parametrize("headers", [PAYLOAD_OFFSET + TAG_BYTES * tags for tags in (9, 20, 100, 1000, 8000)])
def test_a_gso_packet_that_would_not_fit_is_dropped(headers: int) -> None:
    packet = gso_packet((headers - PAYLOAD_OFFSET) // TAG_BYTES, LONGEST - headers)
    payload = -(-(LONGEST - headers) // MAX_SEGMENTS_IN)
    assert Slot(packet, headers, payload, beside=False).split() == []


@pytest.mark.parametrize("left", [-1, 0])
def test_a_gso_packet_may_fill_its_slot_to_the_last_byte(left: int) -> None:
    packet = gso_packet(0, 1000)
    size = TAG_BYTES + 1000 + 10 * PAYLOAD_OFFSET + left
    assert len(Slot(packet, PAYLOAD_OFFSET, 100, beside=False, size=size).split()) == (10 if left == 0 else 0)
