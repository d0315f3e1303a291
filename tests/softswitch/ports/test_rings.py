"""Rings in shared memory next to the interfaces: a program with rings, written from their description, at port 1."""

from __future__ import annotations

import errno
import os
import select
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import integers, lists
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from dropzero.linux.ring import (
    BYTES,
    DOWN,
    DOWN_SLOTS,
    FRAME,
    MAX_FRAME,
    READ,
    SLEEPS,
    SLOT_BYTES,
    SLOTS,
    SOCKET,
    UP,
    UP_SLOTS,
    WRITTEN,
    Request,
    Rings,
    counts,
)
from dropzero.softswitch.impairments.impairments import Impairments
from dropzero.softswitch.ports.gso import MAX_SEGMENTS_IN
from dropzero.softswitch.ports.pcap import read
from dropzero.softswitch.ports.ports import RECEIVE_SLOTS, Ports
from dropzero.softswitch.ports.shared import RING_FRAMES
from tests.softswitch.ports.running import Running, eventually, packet, sent
from tests.softswitch.ports.test_ports import Offloader, udp_packet
from tests.support.namespace import SECONDS, Namespace

IP_ADDRESS, PORT = "10.0.0.1", 4321
REQUEST = Request(1, socket.inet_aton(IP_ADDRESS), PORT.to_bytes(2, "big"))


class Program:
    """A program with rings."""

    def __init__(self, folder: Path, request: Request = REQUEST) -> None:
        self.rings = Rings.request(folder, request)
        self.words = self.rings.memory.view(np.int64)

    def send(self, frames: list[bytes]) -> list[bytes]:
        for frame in frames:
            assert eventually(lambda: bool(self.words[UP + WRITTEN] - self.words[UP + READ] < SLOTS))
            slot = UP_SLOTS + int(self.words[UP + WRITTEN]) % SLOTS * SLOT_BYTES
            self.words[slot // 8] = len(frame)
            self.rings.memory[slot + FRAME : slot + FRAME + len(frame)] = np.frombuffer(frame, np.uint8)
            self.words[UP + WRITTEN] += 1
            if self.words[UP + SLEEPS]:
                os.eventfd_write(self.rings.doorbells[0], 1)
        return frames

    def receive(self, count: int) -> list[bytes]:
        """The next frames; fewer if no more arrive."""
        frames: list[bytes] = []
        while len(frames) < count:
            self.words[DOWN + SLEEPS] = 1
            if self.words[DOWN + WRITTEN] == self.words[DOWN + READ]:
                if not select.select([self.rings.doorbells[1]], [], [], SECONDS)[0]:
                    break
                os.eventfd_read(self.rings.doorbells[1])
                continue
            slot = DOWN_SLOTS + int(self.words[DOWN + READ]) % SLOTS * SLOT_BYTES
            frames.append(self.rings.memory[slot + FRAME :][: self.words[slot // 8]].tobytes())
            self.words[DOWN + READ] += 1
        return frames

    def close(self) -> None:
        self.rings.close()


def frame(number: int, *, to: int = 2, ip: str = IP_ADDRESS, port: int = PORT, size: int = 60) -> bytes:
    """A UDP packet that the switch sends to port `to`."""
    mac = ":".join(f"{byte:02x}" for byte in packet(number, to=to)[:6])
    headers = bytes(Ether(dst=mac) / IP(dst=ip, len=size - 14) / UDP(sport=1, dport=port))
    return headers + bytes(max(size - len(headers), 0))


@pytest.fixture(params=[None, "1/in:loss=0%"], ids=["fast", "impaired"])
def running(request: pytest.FixtureRequest, namespace: Namespace, tmp_path: Path) -> Iterator[Running]:
    (tmp_path / "pcaps").mkdir()
    made = Running(namespace, tmp_path / "pcaps", tmp_path / "rings")
    with closing(made), made.loop(Impairments([request.param]) if request.param else None):
        yield made


@pytest.fixture
def program(running: Running, tmp_path: Path) -> Iterator[Program]:
    with closing(Program(tmp_path / "rings")) as made:
        yield made


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lists(integers(60, 1514), min_size=1, max_size=300))
def test_frames_pass_both_ways_in_order(running: Running, program: Program, sizes: list[int]) -> None:
    up = program.send([frame(number, size=size) for number, size in enumerate(sizes)])
    assert running.hosts[1].receive(len(up)) == up
    down = sent(running.hosts[1], [frame(number, to=1, size=size) for number, size in enumerate(sizes)])
    assert program.receive(len(down)) == down


def test_packets_for_others_leave_by_the_interface(running: Running, program: Program) -> None:
    others = [frame(1, to=1, ip="10.0.0.2"), frame(2, to=1, port=PORT + 1), packet(3, to=1), packet(4, to=1, size=20)]
    own = frame(5, to=1)
    sent(running.hosts[1], [*others, own])
    assert running.hosts[0].receive(len(others)) == others
    assert program.receive(1) == [own]


def test_two_programs_at_a_port_get_their_own_packets(running: Running, program: Program, tmp_path: Path) -> None:
    with closing(Program(tmp_path / "rings", REQUEST._replace(udp_port=b"\0\7"))) as other:
        frames = sent(running.hosts[1], [frame(number, to=1, port=(7, PORT)[number % 2]) for number in range(100)])
        assert other.receive(50) == frames[::2]
        assert program.receive(50) == frames[1::2]
        up = other.send([frame(1)])
        assert running.hosts[1].receive(1) == up


def test_a_full_ring_drops_frames_and_counts_them(running: Running, program: Program, tmp_path: Path) -> None:
    frames = sent(running.hosts[1], [frame(number, to=1) for number in range(SLOTS + 10)])
    found = counts(tmp_path / "rings")
    assert eventually(lambda: bool(found["dropped"][1] == 10))
    assert program.receive(SLOTS) == frames[:SLOTS]
    program.send([frame(1, size=100)])
    assert running.hosts[1].receive(1)
    assert found[1].tolist() == (1, 100, SLOTS, 60 * SLOTS, 10)


def test_counts_continue_after_a_restart_of_the_switch(namespace: Namespace, tmp_path: Path) -> None:
    running = Running(namespace, rings=tmp_path / "rings")
    with closing(running), running.loop(), closing(Program(tmp_path / "rings")) as program:
        program.send([frame(1)])
        assert running.hosts[1].receive(1)
    with closing(Ports(tmp_path / "rings")):
        assert counts(tmp_path / "rings")["up_packets"][1] == 1


def test_a_switch_whose_counts_have_no_room_says_so(tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", tmp_path], check=True)
    try:
        (tmp_path / "full").write_bytes(bytes(60_000))
        with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/counts'"):
            Ports(tmp_path)
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_second_switch_leaves_the_folder_of_the_first_alone(running: Running, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"another switch offers rings in .*/rings"):
        Ports(tmp_path / "rings")
    with closing(Program(tmp_path / "rings")) as program:
        [up] = program.send([frame(1)])
        assert running.hosts[1].receive(1) == [up]


def test_a_switch_replaces_the_socket_that_a_killed_one_has_left(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as killed:
        killed.bind(str(tmp_path / SOCKET))
    with closing(Ports(tmp_path)), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(str(tmp_path / SOCKET))


def test_captures_have_the_frames_of_rings(running: Running, program: Program, tmp_path: Path) -> None:
    up = program.send([frame(number) for number in range(100)])
    assert running.hosts[1].receive(100) == up
    down = sent(running.hosts[1], [frame(number, to=1) for number in range(100)])
    assert program.receive(100) == down
    assert [content for _, content in read(tmp_path / "pcaps" / "sw1_in.pcap")] == up
    assert [content for _, content in read(tmp_path / "pcaps" / "sw1_out.pcap")] == down


def test_packets_of_a_program_that_ended_leave_by_the_interface(
    running: Running, program: Program, tmp_path: Path
) -> None:
    [first] = program.send([frame(1)])
    assert running.hosts[1].receive(1) == [first]
    program.rings.connection.shutdown(socket.SHUT_RDWR)
    assert eventually(lambda: not len(running.ports.rings))
    [second] = sent(running.hosts[1], [frame(2, to=1)])
    assert running.hosts[0].receive(1) == [second]
    with closing(Program(tmp_path / "rings")) as next_one:
        [third] = sent(running.hosts[1], [frame(3, to=1)])
        assert next_one.receive(1) == [third]


def test_the_rings_of_a_program_end_though_a_process_that_it_has_forked_lives_on(
    running: Running, program: Program
) -> None:
    [up] = program.send([frame(1)])
    assert running.hosts[1].receive(1) == [up]
    with closing(os.fdopen(os.dup(program.rings.connection.fileno()))):
        program.close()
        program.rings.close = lambda: None  # type: ignore[method-assign]
        assert eventually(lambda: not len(running.ports.rings))


def test_the_switch_can_sleep_after_a_program_without_rings_has_rung(running: Running, program: Program) -> None:
    doorbell = running.ports.rings.doorbell
    [up] = program.send([frame(1)])
    assert running.hosts[1].receive(1) == [up]
    program.rings.connection.shutdown(socket.SHUT_RDWR)
    assert eventually(lambda: not len(running.ports.rings))
    os.eventfd_write(program.rings.doorbells[0], 1)
    assert eventually(lambda: not select.select([doorbell], [], [], 0)[0])


def test_frames_shorter_than_an_ethernet_header_take_no_others_along(running: Running, program: Program) -> None:
    """An interface refuses them, and then all that the switch sends with them."""
    frames = [frame(number)[:size] for number in range(100) for size in (13, 60)]
    program.send(frames)
    assert running.hosts[1].receive(100) == frames[1::2]


def test_a_program_that_writes_nonsense_harms_only_itself(running: Running, program: Program, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    with closing(Program(tmp_path / "rings", REQUEST._replace(udp_port=b"\0\7"))) as other:
        for _ in range(50):
            program.rings.memory[:] = random.integers(0, 256, BYTES, np.uint8)
            program.words[[UP + WRITTEN, UP + READ]] = random.integers(-(1 << 62), 1 << 62, 2)
            os.eventfd_write(program.rings.doorbells[0], 1)
            sent(running.hosts[1], [frame(1, to=1), frame(2, to=1, port=7)])
            assert other.receive(1) == [frame(2, to=1, port=7)]
        # What it has written may still leave, but the switch serves others.
        program.close()
        program.rings.close = lambda: None  # type: ignore[method-assign]
        assert eventually(lambda: len(running.ports.rings) == 1)
        assert other.send([frame(3, size=77)])
        assert eventually(lambda: running.hosts[1].receive(1) == [frame(3, size=77)])


def test_the_rings_of_a_removed_port_end(namespace: Namespace, tmp_path: Path) -> None:
    running = Running(namespace, rings=tmp_path / "rings")
    with closing(running), running.loop() as loop, closing(Program(tmp_path / "rings")) as program:
        loop.remove(1)
        program.rings.connection.settimeout(SECONDS)
        assert program.rings.connection.recv(1) == b""
        assert not len(running.ports.rings)


def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for attempt in (lambda: Ports(tmp_path / "open"), lambda: Rings.request(tmp_path / "open", REQUEST)):
        with pytest.raises(PermissionError, match=r"others may write to .*/open: use a folder of your own"):
            attempt()


def test_a_folder_without_a_switch_that_answers_is_told_from_none(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="there is no folder"):
        Rings.request(tmp_path / "none", REQUEST)
    with pytest.raises(FileNotFoundError):
        Rings.request(tmp_path, REQUEST)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(tmp_path / SOCKET))
        with pytest.raises(ConnectionRefusedError):
            Rings.request(tmp_path, REQUEST)
        listener.listen()
        with pytest.raises(TimeoutError):
            Rings.request(tmp_path, REQUEST)


@pytest.mark.parametrize("asked", [b"nonsense", b"", REQUEST._replace(port=3), REQUEST._replace(port=100_000)])
def test_who_asks_for_anything_else_is_refused(
    running: Running, program: Program, tmp_path: Path, asked: bytes | Request, caplog: pytest.LogCaptureFixture
) -> None:
    if isinstance(asked, Request):
        with pytest.raises(OSError, match=f"the switch has no port {asked.port}"):
            Rings.request(tmp_path / "rings", asked)
    else:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.connect(str(tmp_path / "rings" / SOCKET))
            connection.send(asked)
            assert connection.recv(1) == bytes([errno.EPROTO])
    assert "A program got no rings" in caplog.text
    up = program.send([frame(1)])
    assert running.hosts[1].receive(1) == up


def test_no_more_programs_have_rings_than_the_switch_can_serve(
    running: Running, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dropzero.softswitch.ports.rings.RING_FRAMES", 2)
    with closing(Program(tmp_path / "rings", REQUEST._replace(udp_port=b"\0\7"))):
        with pytest.raises(OSError, match="No space left"):
            Rings.request(tmp_path / "rings", REQUEST._replace(udp_port=b"\0\1"))
        [up] = program.send([frame(1)])
        assert running.hosts[1].receive(1) == [up]


@pytest.mark.parametrize("failing", ["dropzero.linux.ring.new_doorbell", "mmap.mmap", "socket.send_fds"])
def test_a_switch_without_free_descriptors_leaks_none(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with closing(Program(tmp_path / "rings")) as program:
        [up] = program.send([frame(1)])
        assert running.hosts[1].receive(1) == [up]
        before = len(os.listdir("/proc/self/fd"))
        with monkeypatch.context() as patch:
            patch.setattr(failing, fail)
            with pytest.raises(OSError, match="Too many open files"):
                Rings.request(tmp_path / "rings", REQUEST._replace(udp_port=b"\0\7"))
        # The switch has closed its end before it serves the next frame.
        [up] = program.send([frame(2)])
        assert running.hosts[1].receive(1) == [up]
        assert len(os.listdir("/proc/self/fd")) == before


def test_frames_of_rings_have_room_behind_the_most_segments(namespace: Namespace, tmp_path: Path) -> None:
    running, offloader = Running(namespace, rings=tmp_path / "rings"), Offloader(namespace)
    with closing(running), closing(offloader):
        with running.loop():
            program = Program(tmp_path / "rings")
            [up] = program.send([frame(1)])
            assert running.hosts[1].receive(1) == [up]
        for _ in range(RECEIVE_SLOTS):
            offloader.send(udp_packet(bytes(MAX_SEGMENTS_IN)), 1)
        sent = program.send([frame(number) for number in range(RING_FRAMES)])
        received = list(running.ports.receive(list(running.ports)[:1]))
        program.close()
    assert len(received) == RECEIVE_SLOTS * MAX_SEGMENTS_IN + RING_FRAMES
    assert [content for _, content in received[-RING_FRAMES:]] == sent


def test_frames_have_room_for_an_ethernet_frame_with_a_tag() -> None:
    assert MAX_FRAME >= 1518
    assert SLOT_BYTES % 64 == 0
    assert (FRAME + 42) % 64 == 0
