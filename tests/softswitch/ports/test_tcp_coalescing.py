"""TCP segments are joined only into what a receiver that splits them sees as the same segments, in order."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, sampled_from

from dropzero.linux.abi import IOVEC, MESSAGE
from dropzero.native.compilation import entry_point
from dropzero.softswitch.ports.gso import GSO_NONE, GSO_TCPV4, NEEDS_CHECKSUM, SENDS_TCP, SENDS_UDP, VNET_HEADER
from dropzero.softswitch.ports.gso_code import coalesce
from dropzero.softswitch.ports.ports import Ports
from tests.softswitch.ports.tcp_segments import (
    ACK,
    ECE,
    FIN,
    PSH,
    SEGMENTS,
    TIMESTAMPS,
    Segment,
    packets_of,
    segments_of,
    without_identification,
)

PORTS = 1, 2
PORT = 2


@pytest.fixture(scope="module")
def ports() -> Ports:
    return Ports()


def messages_of(ports: Ports, packets: list[bytes], of_port: list[int], port: int, kinds: int) -> list[bytes]:
    """What would be sent by `port`: a virtio_net_hdr and a packet each."""
    memory = np.frombuffer(b"".join(packets), np.uint8)
    lengths = np.array([len(packet) for packet in packets], np.int32)
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    numbers = np.array(of_port, np.int32)
    ports.shared["coalesce"] = kinds
    places = memory.ctypes.data, starts.ctypes.data, lengths.ctypes.data, numbers.ctypes.data
    count = entry_point(coalesce)(ports.shared.ctypes.data, *places, len(packets), port)
    at = int(ports.shared["messages_out"])
    messages = np.frombuffer(ctypes.string_at(at, count * MESSAGE.itemsize), MESSAGE)
    made = []
    for message in messages:
        size = int(message["vector_count"]) * IOVEC.itemsize
        vectors = np.frombuffer(ctypes.string_at(int(message["vectors"]), size), IOVEC)
        made.append(b"".join(ctypes.string_at(int(each["base"]), int(each["length"])) for each in vectors))
    return made


def split(message: bytes) -> list[bytes]:
    """The packets that a receiver gets from a message."""
    offload, packet = np.frombuffer(message, VNET_HEADER, 1)[0], message[VNET_HEADER.itemsize :]
    if offload["gso_type"] == GSO_NONE:
        assert not any(offload.tolist())
        return [packet]
    headers = 34 + 4 * (packet[46] >> 4)
    assert offload.tolist()[:3] == (NEEDS_CHECKSUM, GSO_TCPV4, headers)
    assert offload.tolist()[4:] == (34, 16)
    payload = int(offload["gso_size"])
    assert 0 < payload < len(packet) - headers
    return segments_of(packet, payload)


def joined(ports: Ports, *segments: Segment, kinds: int = SENDS_TCP) -> int:
    """The number of messages that the segments make."""
    return len(messages_of(ports, packets_of(segments), [PORT] * len(segments), PORT, kinds))


@given(segments=SEGMENTS, draw=data())
@settings(max_examples=500)
def test_what_leaves_is_what_would_have_left_one_by_one(
    ports: Ports, segments: list[Segment], draw: DataObject
) -> None:
    packets = packets_of(segments)
    of_port = [draw.draw(sampled_from([1, 2, 2, 2])) for _ in packets]
    for port in PORTS:
        messages = messages_of(ports, packets, of_port, port, SENDS_TCP | SENDS_UDP)
        left = [without_identification(packet) for message in messages for packet in split(message)]
        expected = [packet for packet, number in zip(packets, of_port, strict=True) if number == port]
        assert left == [without_identification(packet) for packet in expected]


@pytest.mark.parametrize("options", [b"", TIMESTAMPS[0], bytes([1]) * 40])
def test_segments_of_a_flow_are_joined_up_to_the_longest_ip_packet(ports: Ports, options: bytes) -> None:
    assert joined(ports, *[Segment(payload=1448, options=options)] * 45) == 1
    assert joined(ports, *[Segment(payload=1448, options=options)] * 46) == 2


def test_the_last_segment_may_be_shorter_and_end_the_data(ports: Ports) -> None:
    for flags in (ACK, ACK | PSH, ACK | FIN, ACK | PSH | FIN):
        assert joined(ports, Segment(), Segment(), Segment(payload=1, flags=flags)) == 1
        assert joined(ports, Segment(), Segment(flags=flags), Segment()) == (1 if flags == ACK else 2)
    assert joined(ports, Segment(), Segment(payload=99), Segment(payload=99)) == 2


def test_segments_with_ece_are_joined_with_their_kind(ports: Ports) -> None:
    assert joined(ports, *[Segment(flags=ACK | ECE)] * 3) == 1
    assert joined(ports, Segment(flags=ACK | ECE), Segment()) == 2


def test_tcp_and_udp_are_joined_only_for_receivers_of_their_kind(ports: Ports) -> None:
    assert joined(ports, *[Segment()] * 3, kinds=SENDS_UDP) == 3
    assert joined(ports, *[Segment()] * 3, kinds=0) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"port": 8},
        {"distance": 1},
        {"distance": -100},
        {"payload": 101},
        {"payload": 0},
        {"options": TIMESTAMPS[1]},
        {"options": b""},
        {"acknowledgment": 6},
        {"window": 501},
        {"urgent": 1},
        {"tos": 3},
        {"ttl": 63},
        {"fragment": 0},
        {"padding": 3},
        {"wrong": 24},
        {"wrong": 80},
    ],
    ids=str,
)
def test_a_segment_that_differs_is_sent_alone(ports: Ports, change: dict[str, object]) -> None:
    usual = Segment(options=TIMESTAMPS[0])
    assert joined(ports, usual, replace(usual, **change)) == 2  # type: ignore[arg-type]
