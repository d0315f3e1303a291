"""Ports on real interfaces, in a network namespace."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import binary, builds, integers, lists, one_of, sampled_from
from scapy.layers.inet import IP, TCP, UDP, IPOption
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt
from scapy.layers.l2 import Dot1Q, Ether

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.gso import GSO_NONE, GSO_UDP, MAX_SEGMENTS_IN, NEEDS_CHECKSUM, VNET_HEADER
from dropzero.softswitch.ports.ports import MAX_TAGS, RECEIVE_SLOTS, Port, Ports
from tests.softswitch.ports.tcp_segments import SEGMENTS, Segment, packets_of, without_identification
from tests.support.namespace import SOL_PACKET, Host, Namespace

PACKET_VNET_HDR = 15
TCP_TRAIN, TCP6_TRAIN = 1, 4
UDP_PAYLOAD = 42
PAUSE = 0.05
"""Seconds."""
MAX_IP_PAYLOAD = 65535 - 28


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


def udp_packet(payload: bytes, *, wrong: str = "", sport: int = 7, **ip: Any) -> bytes:
    """An Ethernet frame. wrong: the wrong checksum, "ip" or "udp"; "none": no UDP checksum."""
    udp = UDP(sport=sport, dport=9) if wrong != "none" else UDP(sport=sport, dport=9, chksum=0)
    made = bytearray(
        bytes(
            Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
            / IP(src="10.0.0.1", dst="10.0.0.2", **ip)
            / udp
            / payload
        )
    )
    if wrong in ("ip", "udp"):
        made[{"ip": 24, "udp": 40}[wrong]] ^= 0x5A
    return bytes(made)


class Offloader:
    """Sends raw packets from h1, with checksums and segmentation left to the receiver."""

    def __init__(self, namespace: Namespace) -> None:
        namespace.command("ethtool", "-K", "h1", "tx", "on")
        with namespace.inside():
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self._socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
            self._socket.bind(("h1", 0))

    def send(self, packet: bytes, size: int = 0, *, tag: bytes = b"") -> None:
        """Sends a UDP packet without its checksum, with `tag` after its addresses.

        size: bytes of payload in each segment; 0 for no segmentation."""
        words = [packet[at : at + 2] for at in range(26, 34, 2)]
        pseudo = sum(int.from_bytes(word, "big") for word in words) + 17 + len(packet) - 34
        checksum = (pseudo & 0xFFFF) + (pseudo >> 16)
        unfinished = packet[:12] + tag + packet[12:40] + checksum.to_bytes(2, "big") + packet[42:]
        self.send_raw(unfinished, GSO_UDP if size else GSO_NONE, size, 34 + len(tag), 6)

    def send_raw(self, packet: bytes, kind: int, size: int, summed: int, checksum: int) -> None:
        offload = np.array((NEEDS_CHECKSUM, kind, summed + checksum + 2, size, summed, checksum), VNET_HEADER)
        self._socket.send(offload.tobytes() + packet)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def offloader(namespace: Namespace) -> Iterator[Offloader]:
    made = Offloader(namespace)
    yield made
    made.close()


def receive(ports: Ports, count: int) -> list[tuple[int, bytes]]:
    """Receives packets from all ports; fewer than `count` if no more arrive."""
    found: list[tuple[int, bytes]] = []
    while len(found) < count:
        ready, _, _ = select.select(list(ports), [], [], 10)
        if not ready:
            break
        found += list(ports.receive(ready))
    return found


def test_packets_arrive_with_their_port(ports: Ports, hosts: tuple[Host, Host]) -> None:
    hosts[0].send(frame(1))
    hosts[1].send(frame(2, 1514))
    assert sorted(receive(ports, 2)) == [(1, frame(1)), (2, frame(2, 1514))]


def test_an_arrival_is_not_earlier_because_the_scheduler_came_between_two_clocks(
    ports: Ports, hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, pauses = time.time_ns, [PAUSE]

    def delayed() -> int:
        time.sleep(pauses.pop() if pauses else 0)
        return real()

    for port in ports:
        port.set_timestamps(True)
    begin = time.monotonic_ns() - 10**9
    sent = time.monotonic_ns() - begin
    hosts[0].send(frame(1))
    ready, _, _ = select.select(list(ports), [], [], 10)
    monkeypatch.setattr(time, "time_ns", delayed)
    arrival = ports.receive(ready, begin).arrival
    assert arrival is not None
    assert not pauses
    assert arrival[0] > sent / 1e3 - PAUSE * 1e6 / 2


def test_packets_leave_by_their_port_in_order(ports: Ports, hosts: tuple[Host, Host]) -> None:
    packets = [(1 + number % 2, frame(number, 60 + number % 7)) for number in range(2 * RECEIVE_SLOTS + 100)]
    ports.send(Frames.of(packets))
    for number, host in enumerate(hosts, 1):
        expected = [packet for port, packet in packets if port == number]
        assert host.receive(len(expected)) == expected


def test_more_packets_than_the_buffer_holds_arrive_in_several_reads(ports: Ports, hosts: tuple[Host, Host]) -> None:
    for number in range(RECEIVE_SLOTS + 10):
        hosts[0].send(frame(number))
    assert receive(ports, RECEIVE_SLOTS + 10) == [(1, frame(number)) for number in range(RECEIVE_SLOTS + 10)]


def test_a_port_does_not_receive_its_own_packets(ports: Ports, hosts: tuple[Host, Host]) -> None:
    ports.send(Frames.of([(1, frame(1))]))
    hosts[0].receive()
    hosts[0].send(frame(2))
    assert receive(ports, 1) == [(1, frame(2))]


def test_packets_for_missing_ports_are_dropped(ports: Ports, hosts: tuple[Host, Host]) -> None:
    ports.send(Frames.of([(7, frame(1)), (1, frame(2)), (511, frame(3))]))
    assert hosts[0].receive() == [frame(2)]
    ports.send(Frames.of([]))


def test_a_packet_that_is_too_long_for_its_interface_is_dropped_alone(
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


def test_the_longest_packets_that_interfaces_take_pass_whole(namespace: Namespace, ports: Ports) -> None:
    for interface in ("h1", "sw1", "h2", "sw2"):
        namespace.ip("link", "set", interface, "mtu", "65535")
    first, second = namespace.host(1), namespace.host(2)
    try:
        longest = frame(1, 65535 + 14)
        first.send(longest)
        assert receive(ports, 1) == [(1, longest)]
        ports.send(Frames.of([(2, longest)]))
        assert second.receive() == [longest]
    finally:
        first.close()
        second.close()


def test_partial_checksums_are_completed(ports: Ports, offloader: Offloader) -> None:
    whole = udp_packet(b"odd")
    offloader.send(whole)
    assert receive(ports, 1) == [(1, whole)]


@pytest.mark.parametrize("tag", [b"", b"\x81\x00\x60\x07"], ids=["plain", "tagged"])
@given(payload=binary(min_size=1, max_size=5000), size=integers(1, 1400), flags=sampled_from(["", "DF"]))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_gso_packet_is_split_into_its_segments(
    ports: Ports, offloader: Offloader, tag: bytes, payload: bytes, size: int, flags: str
) -> None:
    size = max(size, -(-len(payload) // MAX_SEGMENTS_IN))
    parts = [payload[at : at + size] for at in range(0, len(payload), size)]
    packets = [udp_packet(part, flags=flags, id=(65530 + number) % 65536) for number, part in enumerate(parts)]
    offloader.send(udp_packet(payload, flags=flags, id=65530), size, tag=tag)
    expected = [(1, packet[:12] + tag + packet[12:]) for packet in packets]
    assert receive(ports, len(expected)) == expected


@pytest.mark.parametrize("tags", range(1, MAX_TAGS))
def test_the_longest_gso_packets_do_not_overwrite_the_next_packet(
    ports: Ports, offloader: Offloader, tags: int
) -> None:
    tag = b"".join(b"\x81\x00" + number.to_bytes(2, "big") for number in range(tags))
    parts = [bytes([number]) * (MAX_IP_PAYLOAD // MAX_SEGMENTS_IN) for number in range(MAX_SEGMENTS_IN)]
    offloader.send(udp_packet(b"".join(parts), flags="DF"), len(parts[0]), tag=tag)
    offloader.send(udp_packet(b"behind"))
    expected = [udp_packet(part, flags="DF", id=1 + number) for number, part in enumerate(parts)]
    tagged = [(1, packet[:12] + tag + packet[12:]) for packet in expected]
    assert receive(ports, len(expected) + 1) == [*tagged, (1, udp_packet(b"behind"))]


FORMS: list[tuple[Any, Any]] = [
    (IP(src="10.0.0.1", dst="10.0.0.2", id=65530, options=IPOption(b"\x01" * 8)), UDP(sport=7, dport=9)),
    (IPv6(src="2001:db8::1", dst="2001:db8::2"), UDP(sport=7, dport=9)),
    (IPv6(src="2001:db8::1", dst="2001:db8::2") / IPv6ExtHdrDestOpt(), UDP(sport=7, dport=9)),
    (
        IP(src="10.0.0.1", dst="10.0.0.2", id=65530),
        TCP(dport=9, seq=(1 << 32) - 1000, flags="CEAPF", options=[("Timestamp", (1, 2))]),
    ),
    (IPv6(src="2001:db8::1", dst="2001:db8::2"), TCP(seq=7, flags="A")),
]


@pytest.mark.parametrize("tags", [0, 1, 3])
@pytest.mark.parametrize(("network", "transport"), FORMS, ids=["options", "udp6", "extension", "tcp", "tcp6"])
@pytest.mark.parametrize(("size", "payloads"), [(1000, 1), (1000, 900), (999, 5001), (13, 127 * 13 + 1), (480, 60000)])
def test_each_kind_of_gso_packet_is_split(
    ports: Ports, offloader: Offloader, network: Any, transport: Any, tags: int, size: int, payloads: int
) -> None:
    link = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    for number in range(tags):
        link /= Dot1Q(vlan=number)
    payload = bytes(number % 251 for number in range(payloads))
    expected = []
    for number, at in enumerate(range(0, payloads, size)):
        ip, own = network.copy(), transport.copy()
        if IP in ip:
            ip.id = (ip.id + number) % 65536
        if TCP in own:
            own.seq = (own.seq + at) % (1 << 32)
            own.flags = str(own.flags).replace("C" if number else "", "")
            own.flags = str(own.flags).translate({} if at + size >= payloads else {ord("F"): None, ord("P"): None})
        expected.append((1, bytes(link / ip / own / payload[at : at + size])))

    whole = bytearray(bytes(link / network / transport / payload))
    summed = len(link / network)
    checksum = 16 if TCP in transport else 6
    kind = (TCP_TRAIN if IP in network else TCP6_TRAIN) if TCP in transport else GSO_UDP
    # The sum so far, of the pseudo header, is the complement of what the whole checksum adds to the rest.
    whole[summed + checksum : summed + checksum + 2] = bytes(2)
    finished = bytes(link / network / transport / payload)[summed + checksum : summed + checksum + 2]
    rest = sum(int.from_bytes(whole[at : at + 2].ljust(2, b"\0"), "big") for at in range(summed, len(whole), 2))
    pseudo = (0xFFFF - int.from_bytes(finished, "big") - rest) % 0xFFFF
    whole[summed + checksum : summed + checksum + 2] = pseudo.to_bytes(2, "big")
    offloader.send_raw(bytes(whole), kind, size, summed, checksum)
    assert receive(ports, len(expected)) == expected


def test_an_oversized_packet_without_gso_is_dropped_with_one_warning(
    ports: Ports, offloader: Offloader, caplog: pytest.LogCaptureFixture
) -> None:
    tcp = bytes(Ether(dst="02:00:00:00:00:02") / IP() / TCP() / bytes(3000))
    for _ in range(2):
        offloader.send_raw(tcp, TCP_TRAIN, 3000 // MAX_SEGMENTS_IN - 1, 34, 16)
    offloader.send(udp_packet(b"one"))
    assert receive(ports, 1) == [(1, udp_packet(b"one"))]
    assert caplog.text.count("Port 1 (sw1): dropped a packet that is too long") == 1


def test_packets_are_coalesced_only_after_a_gso_packet_has_arrived(
    namespace: Namespace, ports: Ports, offloader: Offloader, hosts: tuple[Host, Host]
) -> None:
    namespace.command("ethtool", "-K", "sw2", "tx", "on")
    packets = [udp_packet(bytes([number] * 100), flags="DF") for number in range(3)]
    ports.send(Frames.of((2, packet) for packet in packets))
    assert hosts[1].receive(3) == packets
    offloader.send(udp_packet(bytes(300)), 100)
    receive(ports, 3)
    ports.send(Frames.of((2, packet) for packet in packets))
    (gso_packet,) = hosts[1].receive(1)
    assert gso_packet[UDP_PAYLOAD:] == b"".join(packet[UDP_PAYLOAD:] for packet in packets)


MEDLEY = builds(
    udp_packet,
    one_of(sampled_from([b"a" * 200, b"b" * 200, b"c" * 150, b"d"]), binary(min_size=1, max_size=300)),
    flags=sampled_from(["DF", "DF", "DF", ""]),
    sport=sampled_from([7, 7, 7, 8]),
    id=sampled_from([1, 2]),
    ttl=sampled_from([64, 64, 64, 63]),
    wrong=sampled_from(["", "", "", "", "ip", "udp", "none"]),
)


@given(packets=lists(MEDLEY, min_size=1, max_size=150))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_coalesced_packets_are_unchanged_on_the_wire(
    ports: Ports, offloader: Offloader, hosts: tuple[Host, Host], packets: list[bytes]
) -> None:
    """The kernel splits the GSO packets, because offloading is off at sw2."""
    offloader.send(udp_packet(bytes(300)), 100)
    receive(ports, 3)
    ports.send(Frames.of((2, packet) for packet in packets))
    for packet, seen in zip(packets, hosts[1].receive(len(packets)), strict=True):
        if IP(packet[14:]).flags == "DF":
            # A packet may get two things on its way: an identification without meaning, and a missing checksum.
            seen = seen[:18] + packet[18:20] + seen[20:24] + packet[24:26] + seen[26:]
            seen = seen[:40] + (packet[40:42] if packet[40:42] == bytes(2) else seen[40:42]) + seen[42:]
        assert seen == packet


def send_tcp_train(offloader: Offloader) -> None:
    """Sends a GSO packet of three TCP segments."""
    (packet,) = packets_of([Segment(payload=300)])
    offloader.send_raw(packet, TCP_TRAIN, 100, 34, 16)


def test_tcp_is_coalesced_only_after_a_gso_packet_of_tcp_has_arrived(
    namespace: Namespace, ports: Ports, offloader: Offloader, hosts: tuple[Host, Host]
) -> None:
    namespace.command("ethtool", "-K", "sw2", "tx", "on")
    packets = packets_of([Segment()] * 3)
    offloader.send(udp_packet(bytes(300)), 100)
    receive(ports, 3)
    ports.send(Frames.of((2, packet) for packet in packets))
    assert hosts[1].receive(3) == packets
    send_tcp_train(offloader)
    receive(ports, 3)
    ports.send(Frames.of((2, packet) for packet in packets))
    (gso_packet,) = hosts[1].receive(1)
    assert gso_packet[54:] == b"".join(packet[54:] for packet in packets)


@given(segments=SEGMENTS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_coalesced_segments_are_unchanged_on_the_wire(
    ports: Ports, offloader: Offloader, hosts: tuple[Host, Host], segments: list[Segment]
) -> None:
    """The kernel splits the GSO packets, because offloading is off at sw2."""
    send_tcp_train(offloader)
    receive(ports, 3)
    packets = packets_of(segments)
    ports.send(Frames.of((2, packet) for packet in packets))
    seen = hosts[1].receive(len(packets))
    assert list(map(without_identification, seen)) == list(map(without_identification, packets))


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


def test_an_interface_that_is_down_drops_its_packets(
    namespace: Namespace, ports: Ports, hosts: tuple[Host, Host], caplog: pytest.LogCaptureFixture
) -> None:
    namespace.ip("link", "set", "sw1", "down")
    ports.send(Frames.of([(1, frame(1)), (2, frame(2))]))
    assert hosts[1].receive() == [frame(2)]
    assert "Port 1 (sw1): packets dropped: Network is down" in caplog.text


def test_a_port_without_an_interface_is_refused(namespace: Namespace) -> None:
    with namespace.inside(), pytest.raises(OSError, match=r"[Nn]o such device|no interface"):
        Port(1, "nothing")
