"""Packets from and to files: --use-files, as p4c's test driver starts the switch."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pytest
from scapy.utils import rdpcap

from dropzero.softswitch import launchers
from dropzero.softswitch.offline.packets import write
from dropzero.softswitch.ports.pcap import read
from lab.conformance.harness.switches import free_port, wait_until
from tests.softswitch.test_cli import SECONDS, refused, switch
from tests.support.p4runtime_client import PROGRAMS

KINDS = str(PROGRAMS / "kinds.json")


def packet(number: int) -> bytes:
    """A packet that the program sends to port 2 without entries."""
    return bytes(12) + b"\x77\x77" + bytes([number]) + bytes(45)


def holds(path: Path, packets: Sequence[bytes]) -> bool:
    """Whether a capture has these packets by now, and no others."""
    try:
        return [bytes(each) for each in rdpcap(str(path))] == list(packets)
    except (OSError, EOFError):
        return False


def test_packets_come_from_files_in_the_order_of_their_times(tmp_path: Path) -> None:
    day = 86400 * 10**9
    write(tmp_path / "one_in.pcap", [(1 * day, packet(1)), (4 * day, packet(4))])
    write(tmp_path / "two_in.pcap", [(2 * day, packet(2)), (3 * day, packet(3)), (4 * day, packet(5))])
    thrift = free_port()
    arguments = ("--use-files", "0", "-i", "2@two", "-i", "1@one", "--thrift-port", str(thrift), KINDS)
    with switch(tmp_path, *arguments) as running:
        expected = [packet(number) for number in (1, 2, 3, 4, 5)]
        assert wait_until(partial(holds, tmp_path / "two_out.pcap", expected), SECONDS)
        assert holds(tmp_path / "one_out.pcap", [])
        verbs = subprocess.run(
            [sys.executable, "-c", f"{launchers.PROGRAMS[launchers.CLI]}; main()", "--thrift-port", str(thrift)],
            input="show_ports\nport_add three 3\nport_remove 1\nshow_ports\n",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number, name in ((1, "one"), (2, "two")):
            assert verbs.count(f"{number:^10}{name:^20}{'UP':^10}") == 2
        assert "three" not in verbs
        assert running.stop() == 0
        assert "Adding interface one as port 1 (files)" in running.output.read_text()


@contextmanager
def fifo(path: Path, order: str) -> Iterator[BinaryIO]:
    """Makes a FIFO with a pcap header. order: "<" or ">", the byte order. Closes it after the block."""
    os.mkfifo(path)
    # Opened for reading, too: open() would wait for the switch otherwise.
    with open(os.open(path, os.O_RDWR), "wb", buffering=0) as file:
        file.write(struct.pack(f"{order}IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 0))
        yield file


def test_packets_come_from_fifos_as_they_are_written(tmp_path: Path) -> None:
    with (
        fifo(tmp_path / "pcap1_in.pcap", "<") as first,
        fifo(tmp_path / "pcap2_in.pcap", ">") as second,
        # An option and its value in one argument.
        switch(tmp_path, "--use-files", "0", "-i 1@pcap1", "-i 2@pcap2", "--log-flush", KINDS) as running,
    ):
        expected: list[bytes] = []
        for number in range(3):
            first.write(struct.pack("<IIII", number, 0, 60, 60) + packet(number))
            second.write(struct.pack(">IIII", number, 1, 60, 60) + packet(9))
            # The second file's packet waits: the first file's next one could be earlier.
            expected += [packet(9)] * (number > 0) + [packet(number)]
            assert wait_until(partial(holds, tmp_path / "pcap2_out.pcap", tuple(expected)), SECONDS)
        first.close()
        assert wait_until(partial(holds, tmp_path / "pcap2_out.pcap", (*expected, packet(9))), SECONDS)
        # The switch now waits for the second file.
        assert running.stop() == 0


def test_a_missing_file_and_one_that_is_not_a_capture_are_refused(tmp_path: Path) -> None:
    arguments = ("--no-p4", "--use-files", "0", "-i", f"1@{tmp_path}/one")
    assert refused(*arguments) == f"softswitch: {tmp_path}/one_in.pcap: No such file or directory"
    (tmp_path / "one_in.pcap").write_bytes(b"no capture")
    assert refused(*arguments).startswith(f"softswitch: {tmp_path}/one_in.pcap is not a pcap file")


def test_a_damaged_length_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "one.pcap", [(0, b"whole"), (1, b"damaged")])
    damaged = bytearray((tmp_path / "one.pcap").read_bytes())
    struct.pack_into("<I", damaged, 24 + 16 + 5 + 8, 1 << 31)
    (tmp_path / "one.pcap").write_bytes(damaged)
    packets = read(tmp_path / "one.pcap")
    assert next(packets) == (0, b"whole")
    with pytest.raises(ValueError, match="is damaged: it has a packet of 2147483648 bytes"):
        next(packets)
