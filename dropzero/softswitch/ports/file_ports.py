"""Ports that are files: packets are read from captures, and written to captures."""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from heapq import merge
from operator import itemgetter
from pathlib import Path

from dropzero.softswitch.engine.frames import Frames, distinct
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.pcap import Capture, of_port, read

log = logging.getLogger(__name__)

PACKETS = 1024
"""Packets that may wait for the loop before the reader has to wait."""


class FilePorts:
    """BMv2's --use-files: reads packets from all NAME_in.pcap, in the order of their times but without waiting for
    them, and writes those that leave to NAME_out.pcap. Files may be FIFOs.

    interfaces: the NAMEs, by port number
    """

    def __init__(self, interfaces: Mapping[int, str], wait: float = 0.0) -> None:
        """Opens the files, in the order of the ports.

        wait: seconds before the first packet.

        Raises:
            OSError: a file cannot be opened.
            ValueError: a file is not a capture.
        """
        self.interfaces = dict(sorted(interfaces.items()))
        self._wait = wait
        self._incoming: list[Iterator[tuple[int, int, bytes]]] = []
        self._outgoing: dict[int, Capture] = {}
        for number, name in self.interfaces.items():
            self._incoming.append(_with_port(number, read(Path(f"{name}_in.pcap"))))
            self._outgoing[number] = Capture(Path(f"{name}_out.pcap"))
        self._packets: deque[tuple[int, bytes]] = deque()
        self._room = threading.Semaphore(PACKETS)
        self._ended = threading.Event()
        self._submitting = threading.Lock()

    def begin(self, loop: Loop) -> None:
        """Starts a thread that reads packets for `loop`."""
        self._loop = loop
        # A daemon, because reading a FIFO may block forever.
        threading.Thread(target=self._read, name="files", daemon=True).start()

    def send(self, frames: Frames) -> None:
        """Writes packets that leave the switch. Called in the loop."""
        now = time.time_ns() // 1000
        for number in distinct(frames.port):
            capture = self._outgoing.get(number)
            if capture is None:
                continue
            try:
                capture.write(*of_port(frames, number), now)
            except OSError as error:
                log.error("%s: %s; the file ends here", capture.path, error.strerror)
                self._outgoing.pop(number).close()

    def add(self, number: int, interface: str) -> None:
        """Raises OSError: as in BMv2, files are opened only at the start."""
        raise OSError(errno.EOPNOTSUPP, f"port {number}: {interface}: with --use-files, no ports can be added")

    def remove(self, number: int) -> None:
        """Raises KeyError: as in BMv2, files are closed only at the end."""
        raise KeyError(number)

    def close(self) -> None:
        """Call it before the loop is closed."""
        with self._submitting:
            self._ended.set()
        for capture in self._outgoing.values():
            capture.close()
        self._outgoing.clear()

    def _read(self) -> None:
        self._ended.wait(self._wait)
        try:
            for _, number, content in merge(*self._incoming, key=itemgetter(0)):
                self._room.acquire()
                with self._submitting:
                    if self._ended.is_set():
                        return
                    self._packets.append((number, content))
                    self._loop.submit(self._process)
        except (OSError, ValueError) as error:
            log.error("%s; no more packets are read", error)

    def _process(self) -> None:
        """Runs the packets that wait through the pipeline. Called in the loop."""
        packets = [self._packets.popleft() for _ in range(len(self._packets))]
        if packets:
            self._loop.receive(Frames.of(packets))
            self._room.release(len(packets))


def _with_port(number: int, packets: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, int, bytes]]:
    return ((time, number, content) for time, content in packets)
