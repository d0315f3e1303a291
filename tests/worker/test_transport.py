"""Datagrams over the loopback."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import integers, lists, sampled_from
from numpy.typing import NDArray

from dropzero.protocol.wire import MAX_PAYLOAD
from dropzero.softswitch.ports.rings import RingPorts
from dropzero.worker.transport import MAX_SEGMENTS, MESSAGES, SO_NO_CHECK, Transport

SECONDS = 600.0


@pytest.fixture
def peer() -> Iterator[socket.socket]:
    """A plain socket."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        made.bind(("127.0.0.1", 0))
        made.settimeout(SECONDS)
        yield made


@pytest.fixture(params=[True, False], ids=["GSO", "single"])
def transport(request: pytest.FixtureRequest, peer: socket.socket) -> Iterator[Transport]:
    with closing(Transport(gso=request.param)) as made:
        made.connect(peer.getsockname())
        yield made


def rows_of(lengths: list[int]) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]:
    """Distinguishable payloads, in shuffled order."""
    payloads = np.random.default_rng(0).integers(0, 256, (len(lengths), MAX_PAYLOAD), np.uint8)
    return payloads, np.arange(len(lengths), dtype=np.int32)[::-1].copy(), np.array(lengths, np.int32)


def expected(payloads: NDArray[np.uint8], rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> list[bytes]:
    return [payloads[row, :length].tobytes() for row, length in zip(rows, lengths, strict=True)]


def received(transport: Transport, count: int) -> list[bytes]:
    """The next datagrams; fewer if no more arrive."""
    found: list[bytes] = []
    while len(found) < count:
        payloads, lengths = transport.receive(SECONDS)
        if not len(lengths):
            break
        found += [payload[:length].tobytes() for payload, length in zip(payloads, lengths, strict=True)]
    return found


LENGTHS = lists(
    sampled_from([1, 20, 71, 1095, 1095, 1095, MAX_PAYLOAD]) | integers(1, MAX_PAYLOAD), min_size=1, max_size=200
)


@given(lengths=LENGTHS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_row_arrives_as_a_datagram(transport: Transport, peer: socket.socket, lengths: list[int]) -> None:
    sent = rows_of(lengths)
    transport.send(*sent)
    assert [peer.recv(1 << 16) for _ in lengths] == expected(*sent)


@pytest.mark.parametrize("lengths", [[1095] * 300, [62] * 300, [1095, 1095, 700] * 50, [20], [MAX_PAYLOAD] * 5 + [1]])
def test_rows_arrive_as_they_were_sent(transport: Transport, lengths: list[int]) -> None:
    with closing(Transport()) as other:
        other.connect(("127.0.0.1", transport.port))
        transport.connect(("127.0.0.1", other.port))
        sent = rows_of(lengths)
        transport.send(*sent)
        assert received(other, len(lengths)) == expected(*sent)


def test_many_datagrams_of_one_length_are_one_message_for_the_kernel(peer: socket.socket) -> None:
    with closing(Transport()) as transport:
        transport.connect(peer.getsockname())
        peer.setsockopt(socket.IPPROTO_UDP, 104, 1)
        sent = rows_of([100] * MAX_SEGMENTS)
        transport.send(*sent)
        assert peer.recv(1 << 16) == b"".join(expected(*sent))


def test_without_gso_datagrams_are_sent_one_by_one(peer: socket.socket) -> None:
    with closing(Transport()) as transport:
        transport.connect(peer.getsockname())
        # Linux refuses to segment packets without a checksum.
        with socket.socket(fileno=transport.fileno()) as same:
            same.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
            same.detach()
        sent = rows_of([100] * (MESSAGES + 10))
        for _ in range(2):
            transport.send(*sent)
            assert [peer.recv(1 << 16) for _ in sent[1]] == expected(*sent)


def test_the_memory_of_a_closed_transport_serves_the_next_one_which_begins_anew(peer: socket.socket) -> None:
    with closing(Transport(gso=False)) as before:
        assert before.link.scratch["max_segments"][0] == 1
    before.close()
    with closing(Transport()) as after, closing(Transport()) as other:
        assert after.link.memory is before.link.memory
        assert other.link.memory is not before.link.memory
        assert after.link.scratch["max_segments"][0] == MAX_SEGMENTS
        after.connect(peer.getsockname())
        sent = rows_of([100] * 3)
        after.send(*sent)
        assert [peer.recv(1 << 16) for _ in sent[1]] == expected(*sent)


def test_receive_returns_nothing_after_its_timeout(transport: Transport) -> None:
    transport.send(*rows_of([]))
    payloads, lengths = transport.receive(0)
    assert payloads.shape == (0, MAX_PAYLOAD)
    assert len(lengths) == 0


def test_a_datagram_longer_than_any_packet_is_ignored(transport: Transport, peer: socket.socket) -> None:
    for content in (bytes(MAX_PAYLOAD + 1), b"", b"fine"):
        peer.sendto(content, ("127.0.0.1", transport.port))
    assert received(transport, 1) == [b"fine"]


@pytest.fixture
def neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loopback's address is that of a neighbour, as a switch's is."""
    path = tmp_path / "arp"
    path.write_text("IP address ...\n127.0.0.1 0x1 0x2 08:00:00:00:00:fe * lo\n")
    monkeypatch.setattr("dropzero.worker.ring.NEIGHBOURS", path)


@pytest.mark.usefixtures("neighbours")
def test_without_a_switch_that_answers_the_socket_remains_in_use(peer: socket.socket, tmp_path: Path) -> None:
    with closing(Transport(rings=(tmp_path, 1))) as transport:
        transport.connect(peer.getsockname())
        transport.attach()
        transport.send(np.full((1, 3), 65, np.uint8), np.zeros(1, np.int32), np.array([3], np.int32))
        assert peer.recv(10) == b"AAA"


@pytest.mark.usefixtures("neighbours")
def test_rings_take_over_until_the_switch_hangs_up(peer: socket.socket, tmp_path: Path) -> None:
    rows = np.full((1, 3), 65, np.uint8), np.zeros(1, np.int32), np.array([3], np.int32)
    with closing(RingPorts(tmp_path)) as switch, closing(Transport(rings=(tmp_path, 1))) as transport:
        transport.connect(peer.getsockname())
        granting = threading.Thread(target=grant, args=(switch,))
        granting.start()
        transport.attach()
        granting.join()
        assert len(switch) == 1
        transport.send(*rows)
        (descriptor,) = switch.at(1)
        switch.serve(descriptor, [1])
        assert not len(transport.receive(SECONDS)[1])
        transport.send(*rows)
        assert peer.recv(10) == b"AAA"


@pytest.mark.usefixtures("neighbours")
def test_packets_to_another_address_do_not_go_into_the_rings_to_the_first(peer: socket.socket, tmp_path: Path) -> None:
    with (
        closing(RingPorts(tmp_path)) as switch,
        closing(Transport(rings=(tmp_path, 1))) as transport,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host,
    ):
        host.bind(("127.0.0.1", 0))
        transport.connect(host.getsockname())
        granting = threading.Thread(target=grant, args=(switch,))
        granting.start()
        transport.attach()
        granting.join()
        transport.connect(peer.getsockname())
        transport.send(np.full((1, 3), 65, np.uint8), np.zeros(1, np.int32), np.array([3], np.int32))
        assert peer.recv(10) == b"AAA"


@pytest.mark.usefixtures("neighbours")
def test_a_worker_for_whose_rings_there_is_no_room_uses_the_socket(
    peer: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dropzero.softswitch.ports.rings.RING_FRAMES", 0)
    with closing(RingPorts(tmp_path)) as switch, closing(Transport(rings=(tmp_path, 1))) as transport:
        transport.connect(peer.getsockname())
        serving = threading.Thread(target=grant, args=(switch,))
        serving.start()
        transport.attach()
        serving.join()
        # It does not ask again.
        transport.attach()
        assert not select.select(switch.sockets, [], [], 0)[0]
        transport.send(np.full((1, 3), 65, np.uint8), np.zeros(1, np.int32), np.array([3], np.int32))
        assert peer.recv(10) == b"AAA"


def grant(switch: RingPorts) -> None:
    """Accepts a program, and grants it rings if there is room."""
    for _ in range(2):
        ready, _, _ = select.select(switch.sockets, [], [], SECONDS)
        switch.serve(ready[0], [1])
