"""A worker's end of rings, and what it writes there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import integers, lists
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from dropzero.linux.ring import (
    DOWN,
    DOWN_SLOTS,
    FRAME,
    READ,
    SLEEPS,
    SLOT_BYTES,
    SLOTS,
    UP,
    UP_SLOTS,
    WRITTEN,
    Rings,
    new_doorbell,
)
from dropzero.protocol.wire import MAX_PAYLOAD
from dropzero.worker.ring import BATCH, Ends, put, rest, size, start, take, wake

OWN, SWITCH = ("10.0.0.1", 4000), ("10.0.0.254", 5000)
HEADERS = bytes(
    Ether(src="08:00:00:00:00:01", dst="08:00:00:00:00:fe")
    / IP(src=OWN[0], dst=SWITCH[0], flags="DF", tos=2, len=0, chksum=0, id=0)
    / UDP(sport=OWN[1], dport=SWITCH[1], len=0, chksum=0)
)


@pytest.fixture
def rings() -> Iterator[Rings]:
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with closing(ends[1]), closing(Rings.grant(ends[0], new_doorbell())) as made:
        yield made


@pytest.fixture
def ends(rings: Rings) -> Ends:
    return Ends.of(rings.memory, rings.doorbells, HEADERS)


def deliver(ends: Ends, payload: bytes, source: tuple[str, int] = SWITCH) -> None:
    """Does what the switch does for a packet to the worker."""
    packet = Ether() / IP(src=source[0], dst=OWN[0]) / UDP(sport=source[1], dport=OWN[1]) / payload
    content = np.frombuffer(bytes(packet), np.uint8)
    slot = DOWN_SLOTS + int(ends.words[DOWN + WRITTEN]) % SLOTS * SLOT_BYTES
    ends.words[slot // 8] = len(content)
    ends.memory[slot + FRAME : slot + FRAME + len(content)] = content
    ends.words[DOWN + WRITTEN] += 1


def batch(ends: Ends) -> list[bytes]:
    """The next datagrams."""
    return [ends.memory[start(ends, number) :][: size(ends, number)].tobytes() for number in range(take(ends))]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lists(integers(1, MAX_PAYLOAD), min_size=1, max_size=SLOTS))
def test_datagrams_are_whole_packets_for_the_switch(ends: Ends, lengths: list[int]) -> None:
    payloads = np.random.default_rng(0).integers(0, 256, (len(lengths), MAX_PAYLOAD), np.uint8)
    rows = np.arange(len(lengths), dtype=np.int32)[::-1].copy()
    begin = int(ends.words[UP + WRITTEN])
    put(ends, payloads.ctypes.data, payloads.strides[0], rows, np.array(lengths, np.int32))
    assert ends.words[UP + WRITTEN] == begin + len(lengths)
    for index, (row, length) in enumerate(zip(rows, lengths, strict=True), begin):
        slot = UP_SLOTS + index % SLOTS * SLOT_BYTES
        packet = Ether(ends.memory[slot + FRAME :][: ends.words[slot // 8]].tobytes())
        assert bytes(packet[UDP].payload) == payloads[row, :length].tobytes()
        # scapy computes the lengths and the checksum itself.
        again = packet.copy()
        del again[IP].len, again[IP].chksum, again[UDP].len
        assert bytes(again) == bytes(packet)
        assert (packet[IP].src, packet[UDP].sport, packet[IP].dst, packet[UDP].dport) == (*OWN, *SWITCH)
    ends.words[UP + READ] = ends.words[UP + WRITTEN]


def test_datagrams_for_which_there_is_no_room_are_lost(ends: Ends) -> None:
    payloads = np.zeros((1, MAX_PAYLOAD), np.uint8)
    rows, lengths = np.zeros(SLOTS + 10, np.int32), np.full(SLOTS + 10, 100, np.int32)
    for _ in range(2):
        put(ends, payloads.ctypes.data, payloads.strides[0], rows, lengths)
        assert ends.words[UP + WRITTEN] == SLOTS


def test_datagrams_arrive_in_batches_and_in_order(ends: Ends) -> None:
    sent = [bytes([number % 256]) * (number % MAX_PAYLOAD + 1) for number in range(3 * SLOTS)]
    received = []
    for each in sent:
        deliver(ends, each)
        if int(ends.words[DOWN + WRITTEN] - ends.words[DOWN + READ]) > BATCH + 20:
            received += batch(ends)
    while more := batch(ends):
        received += more
    assert received == sent


def test_a_batch_stays_in_its_slots_until_the_next_one(ends: Ends) -> None:
    deliver(ends, b"first")
    assert take(ends) == 1
    assert ends.words[DOWN + READ] == 0
    assert take(ends) == 0
    assert ends.words[DOWN + READ] == 1


@pytest.mark.parametrize("source", [("10.0.0.9", SWITCH[1]), (SWITCH[0], 1)])
def test_a_packet_that_is_not_from_the_switch_is_empty(ends: Ends, source: tuple[str, int]) -> None:
    deliver(ends, b"forged", source)
    deliver(ends, b"genuine")
    assert batch(ends) == [b"", b"genuine"]


def test_a_worker_sleeps_only_if_there_is_nothing(rings: Rings, ends: Ends) -> None:
    assert not rest(ends)
    assert ends.words[DOWN + SLEEPS] == 1
    wake(ends)
    assert ends.words[DOWN + SLEEPS] == 0
    deliver(ends, b"first")
    assert rest(ends)
