"""Packets between interfaces, on the fast path and where it does not apply."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dropzero.softswitch.impairments.impairments import Impairments
from dropzero.softswitch.ports.fast_path import OUTPUT
from dropzero.softswitch.ports.pcap import read
from dropzero.softswitch.ports.ports import RECEIVE_SLOTS, Port
from dropzero.softswitch.ports.shared import SEND_EVERY
from tests.softswitch.ports.running import COPIES, GROUP, Running, eventually, packet, sending, sent
from tests.support.namespace import SECONDS, Host, Namespace


@pytest.fixture
def running(namespace: Namespace) -> Iterator[Running]:
    made = Running(namespace)
    yield made
    made.close()


def test_packets_pass_in_order_while_more_are_sent(running: Running) -> None:
    with running.loop():
        for begin in range(0, 3000, 500):
            packets = sent(running.hosts[0], [packet(begin + i, size=60 + i) for i in range(500)])
            back = sent(running.hosts[1], [packet(i, to=1) for i in range(10)])
            assert running.hosts[1].receive(500) == packets
            assert running.hosts[0].receive(10) == back


@pytest.mark.parametrize("before", [0, SEND_EVERY, SEND_EVERY + 7])
def test_packets_for_the_control_plane_get_there_and_the_others_are_forwarded(running: Running, before: int) -> None:
    packets = sent(running.hosts[0], [packet(i, to=255 if i >= before and i % 5 == 0 else 2) for i in range(200)])
    above = [each for each in packets if each[0] == 255]
    with running.loop():
        assert running.hosts[1].receive(200 - len(above)) == [each for each in packets if each[0] == 2]
        assert eventually(lambda: len(running.above) == len(above))
    assert running.above == above


@pytest.mark.parametrize("impaired", [None, "1/in:loss=0%"], ids=["fast", "impaired"])
def test_captures_have_each_packet_once_in_order_and_with_its_time(
    namespace: Namespace, tmp_path: Path, impaired: str | None
) -> None:
    running = Running(namespace, tmp_path)
    begin = time.time_ns()
    with closing(running), running.loop(Impairments([impaired]) if impaired else None):
        packets = [packet(i, to=(2, 2, 1, 255)[i % 4], digest=i % 50 == 7, size=60 + i) for i in range(900)]
        for first in range(0, len(packets), 300):
            sent(running.hosts[0], packets[first : first + 300])
            running.hosts[1].receive(150)
        assert eventually(lambda: len(running.above) == 225 + 18)
    end = time.time_ns()
    expected = {
        "sw1_in": packets,
        "sw1_out": [each for each in packets if each[0] == 1],
        "sw2_in": [],
        "sw2_out": [each for each in packets if each[0] == 2],
    }
    for name, content in expected.items():
        records = list(read(tmp_path / f"{name}.pcap"))
        assert [captured for _, captured in records] == content
        assert all(begin - 1000 <= when <= end for when, _ in records)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


@pytest.mark.parametrize("impaired", [None, "1/in:loss=0%"], ids=["fast", "impaired"])
def test_a_capture_ends_where_the_disk_is_full_and_packets_still_pass(
    namespace: Namespace, small_disk: Path, caplog: pytest.LogCaptureFixture, impaired: str | None
) -> None:
    running = Running(namespace, small_disk)
    with closing(running), running.loop(Impairments([impaired]) if impaired else None):
        for first in range(0, 100, 10):
            packets = sent(running.hosts[0], [packet(first + i, size=1400) for i in range(10)])
            assert running.hosts[1].receive(10) == packets
        assert eventually(lambda: caplog.text.count("No space left on device; the capture ends here") == 2)
    assert 0 < len(list(read(small_disk / "sw1_in.pcap"))) < 100


def test_digests_of_packets_reach_the_control_plane(running: Running) -> None:
    with running.loop():
        packets = sent(running.hosts[0], [packet(i, digest=i % 2 == 1) for i in range(200)])
        assert running.hosts[1].receive(200) == packets
        assert eventually(lambda: len(running.above) == 100)
    assert running.above == [(number,) for number in range(1, 200, 2)]


@pytest.mark.parametrize("size", [60, OUTPUT // (RECEIVE_SLOTS * COPIES) * 2])
def test_packets_may_multiply_beyond_the_output_buffer(running: Running, size: int) -> None:
    packets = sent(running.hosts[0], [packet(i, group=GROUP, size=size) for i in range(RECEIVE_SLOTS)])
    with running.loop():
        for each in packets:
            assert running.hosts[1].receive(COPIES) == [each] * COPIES


def test_ports_may_get_a_rate_while_packets_pass(running: Running) -> None:
    with running.loop():
        packets = sent(running.hosts[0], [packet(i) for i in range(30)])
        with running.engine.lock:
            running.switch.queues.set_bit_rate(10**7, port=2)
        packets += sent(running.hosts[0], [packet(30 + i) for i in range(30)])
        assert running.hosts[1].receive(60) == packets


def test_another_thread_gets_the_engine_while_the_switch_sleeps(running: Running) -> None:
    """The next packets see its changes."""
    with running.loop():
        for copies in range(1, 20):
            with running.engine.lock:
                running.engine.multicast.set(GROUP, [(2, each) for each in range(copies)])
            [each] = sent(running.hosts[0], [packet(copies, group=GROUP)])
            assert running.hosts[1].receive(copies) == [each] * copies


def test_another_program_takes_over_while_packets_pass(running: Running) -> None:
    with running.loop():
        packets = sent(running.hosts[0], [packet(i) for i in range(200)])
        with running.engine.lock:
            running.switch.engine = sending()
        packets += sent(running.hosts[0], [packet(200 + i) for i in range(200)])
        assert running.hosts[1].receive(400) == packets


def test_without_a_program_packets_are_dropped(running: Running) -> None:
    engine, running.switch.engine = running.switch.engine, None
    with running.loop() as loop:
        sent(running.hosts[0], [packet(0)])
        done = threading.Event()
        assert eventually(lambda: not running.hosts[0].pending())
        loop.submit(done.set)
        assert done.wait(SECONDS)
        running.switch.engine = engine
        packets = sent(running.hosts[0], [packet(1)])
        assert running.hosts[1].receive()[-1:] == packets


def test_an_interface_that_is_down_drops_its_packets(
    namespace: Namespace, running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    with running.loop():
        namespace.ip("link", "set", "sw2", "down")
        sent(running.hosts[0], [packet(0), packet(1)])
        assert eventually(lambda: "Port 2 (sw2): packets dropped: Network is down" in caplog.text)
        sent(running.hosts[0], [packet(2, to=1)])
        assert running.hosts[0].receive() == [packet(2, to=1)]


def test_an_interface_that_goes_away_leaves_the_others(
    namespace: Namespace, running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    with running.loop():
        namespace.ip("link", "del", "sw2")
        assert eventually(lambda: "Port 2 (sw2): the interface is gone" in caplog.text)
        sent(running.hosts[0], [packet(3), packet(4, to=1)])
        assert running.hosts[0].receive() == [packet(4, to=1)]


@pytest.mark.parametrize("impaired", [None, "1/in:loss=0%"], ids=["fast", "impaired"])
def test_an_interface_that_comes_back_is_served_again(
    namespace: Namespace, running: Running, impaired: str | None
) -> None:
    with running.loop(Impairments([impaired]) if impaired else None):
        for _ in range(3):
            namespace.ip("link", "del", "sw2")
            namespace.add_pair(2)
            with closing(namespace.host(2)) as host:
                assert eventually(lambda host=host: sent(running.hosts[0], [packet(1)]) == host.receive_now())  # type: ignore[misc]
                sent(host, [packet(2, to=1)])
                assert running.hosts[0].receive() == [packet(2, to=1)]


@pytest.mark.parametrize("impaired", [None, "1/in:loss=0%"], ids=["fast", "impaired"])
def test_ports_are_added_and_removed_while_packets_pass(
    namespace: Namespace, running: Running, impaired: str | None
) -> None:
    namespace.add_pair(3)
    with running.loop(Impairments([impaired]) if impaired else None) as loop:
        assert sent(running.hosts[0], [packet(1)]) == running.hosts[1].receive()
        with namespace.inside(), closing(Host("h3")) as host:
            loop.add(Port(3, "sw3"))
            assert sent(running.hosts[0], [packet(2, to=3)]) == host.receive()
            assert sent(host, [packet(3)]) == running.hosts[1].receive()
        loop.remove(2)
        with pytest.raises(KeyError):
            loop.remove(2)
        sent(running.hosts[0], [packet(4), packet(5, to=1)])
        assert running.hosts[0].receive() == [packet(5, to=1)]
        sent(running.hosts[1], [packet(6, to=1)])
        assert running.hosts[0].receive_now() == []
        with namespace.inside():
            loop.add(Port(2, "sw2"))
        assert sent(running.hosts[0], [packet(7)]) == running.hosts[1].receive()


def test_an_interface_that_was_down_is_served_while_another_one_is_flooded(
    namespace: Namespace, running: Running
) -> None:
    """Port 1 always has packets to receive: to process one takes longer than to send it."""
    running.engine.multicast.set(GROUP, [(1, each) for each in range(COPIES)])
    flooding = True

    def flood() -> None:
        while flooding:
            running.hosts[0].send(packet(0, group=GROUP))

    flooder = threading.Thread(target=flood)
    with running.loop():
        flooder.start()
        try:
            namespace.ip("link", "set", "sw2", "down")
            namespace.ip("link", "set", "sw2", "up")
            assert eventually(lambda: sent(running.hosts[1], [packet(1)]) == running.hosts[1].receive_now())
        finally:
            flooding = False
            flooder.join()


def test_an_impaired_port_duplicates_packets(running: Running) -> None:
    with running.loop(Impairments(["2/in:duplicate=100%"])):
        sent(running.hosts[1], [packet(0, to=1)])
        assert running.hosts[0].receive(2) == [packet(0, to=1)] * 2
