"""Ports on real interfaces, in a network namespace."""

from __future__ import annotations

import logging
import select
import socket
from collections.abc import Iterator

import pytest

from softswitch.frames import Frames
from softswitch.ports import SLOTS, Port, Ports
from tests.namespace import SOL_PACKET, Host, Namespace

PACKET_VNET_HDR = 15


@pytest.fixture
def ports(namespace: Namespace) -> Iterator[Ports]:
    """Ports 1 and 2 on sw1 and sw2."""
    with namespace.inside():
        made = Ports()
        for number in (1, 2):
            made.add(Port(number, f"sw{number}"))
    yield made
    made.close()


@pytest.fixture
def hosts(namespace: Namespace) -> Iterator[tuple[Host, Host]]:
    ends = namespace.host(1), namespace.host(2)
    yield ends
    for end in ends:
        end.close()


def frame(number: int, length: int = 60) -> bytes:
    return b"\2" * 12 + b"\x88\xb5" + number.to_bytes(2, "big") + bytes(length - 16)


def receive(ports: Ports, count: int) -> list[tuple[int, bytes]]:
    """The next packets of all ports, fewer when they do not come."""
    found: list[tuple[int, bytes]] = []
    while len(found) < count:
        ready, _, _ = select.select(list(ports), [], [], 10)
        if not ready:
            break
        found += list(ports.receive(ready))
    return found


def test_packets_come_in_with_their_port(ports: Ports, hosts: tuple[Host, Host]) -> None:
    hosts[0].send(frame(1))
    hosts[1].send(frame(2, 1514))
    assert sorted(receive(ports, 2)) == [(1, frame(1)), (2, frame(2, 1514))]


def test_packets_leave_by_their_port_in_order(ports: Ports, hosts: tuple[Host, Host]) -> None:
    packets = [(1 + number % 2, frame(number, 60 + number % 7)) for number in range(2 * SLOTS + 100)]
    ports.send(Frames.of(packets))
    for number, host in enumerate(hosts, 1):
        expected = [packet for port, packet in packets if port == number]
        assert host.receive(len(expected)) == expected


def test_more_packets_than_there_is_room_for_come_in_turns(ports: Ports, hosts: tuple[Host, Host]) -> None:
    for number in range(SLOTS + 10):
        hosts[0].send(frame(number))
    assert receive(ports, SLOTS + 10) == [(1, frame(number)) for number in range(SLOTS + 10)]


def test_a_port_does_not_hear_what_it_sends(ports: Ports, hosts: tuple[Host, Host]) -> None:
    ports.send(Frames.of([(1, frame(1))]))
    hosts[0].receive()
    hosts[0].send(frame(2))
    assert receive(ports, 1) == [(1, frame(2))]


def test_packets_for_ports_that_are_not_there_are_dropped(ports: Ports, hosts: tuple[Host, Host]) -> None:
    ports.send(Frames.of([(7, frame(1)), (1, frame(2)), (511, frame(3))]))
    assert hosts[0].receive() == [frame(2)]
    ports.send(Frames.of([]))


def test_a_packet_that_is_too_long_for_its_interface_costs_only_itself(
    ports: Ports, hosts: tuple[Host, Host], caplog: pytest.LogCaptureFixture
) -> None:
    ports.send(Frames.of([(1, frame(1)), (1, frame(2, 9000)), (1, frame(3))]))
    assert hosts[0].receive(2) == [frame(1), frame(3)]
    assert "Port 1 (sw1): packets dropped: Message too long" in caplog.text


def test_a_vlan_tag_is_where_it_was_on_the_wire(ports: Ports, hosts: tuple[Host, Host]) -> None:
    tagged = b"\2" * 12 + b"\x81\x00\x60\x07" + b"\x88\xb5" + bytes(60)
    hosts[0].send(frame(1))
    hosts[0].send(tagged)
    hosts[0].send(frame(2))
    assert [packet for _, packet in receive(ports, 3)] == [frame(1), tagged, frame(2)]


def test_unfinished_checksums_are_warned_of_once(
    namespace: Namespace, ports: Ports, caplog: pytest.LogCaptureFixture
) -> None:
    namespace.command("ethtool", "-K", "h1", "tx", "on")
    with namespace.inside(), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as sender:
        sender.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        sender.bind(("h1", 0))
        # struct virtio_net_hdr: NEEDS_CSUM, no GSO, the checksum is 6 bytes into what starts at 34 (UDP over IPv4).
        offload = b"\1\0" + b"\0\0\0\0" + (34).to_bytes(2, "little") + (6).to_bytes(2, "little")
        udp = b"\2" * 12 + b"\x08\x00" + b"\x45\0\0\x2e" + bytes(5) + b"\x11" + bytes(50)
        sender.send(offload + udp)
        sender.send(offload + udp)
    with caplog.at_level(logging.WARNING):
        assert len(receive(ports, 2)) == 2
    assert caplog.text.count("Port 1 (sw1) receives packets with unfinished checksums") == 1


def test_an_interface_that_goes_away_is_reported_and_the_others_go_on(
    namespace: Namespace, ports: Ports, hosts: tuple[Host, Host], caplog: pytest.LogCaptureFixture
) -> None:
    first, _ = ports
    watch = select.epoll()
    watch.register(first, select.EPOLLIN)
    namespace.ip("link", "del", "sw1")
    ((_, event),) = watch.poll(10)
    assert event & select.EPOLLERR
    watch.close()
    with namespace.inside():
        assert ports.lost(first)
    assert "Port 1 (sw1): the interface is gone" in caplog.text
    ports.send(Frames.of([(1, frame(1)), (2, frame(2))]))
    assert hosts[1].receive() == [frame(2)]


def test_an_interface_that_is_down_drops_what_it_should_send(
    namespace: Namespace, ports: Ports, hosts: tuple[Host, Host], caplog: pytest.LogCaptureFixture
) -> None:
    namespace.ip("link", "set", "sw1", "down")
    ports.send(Frames.of([(1, frame(1)), (2, frame(2))]))
    assert hosts[1].receive() == [frame(2)]
    assert "Port 1 (sw1): packets dropped: Network is down" in caplog.text


def test_there_is_no_port_without_an_interface(namespace: Namespace) -> None:
    with namespace.inside(), pytest.raises(OSError, match=r"[Nn]o such device|no interface"):
        Port(1, "nothing")
