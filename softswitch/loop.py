"""The switch's event loop: packets in, through the pipeline, and out."""

from __future__ import annotations

import logging
import os
import select
import time
from collections import deque

from softswitch.engine import Engine
from softswitch.frames import Frames
from softswitch.ports import Port, Ports
from softswitch.switch import Switch

log = logging.getLogger(__name__)


class Loop:
    """Runs in one thread and sleeps while there is nothing to do. inject() and stop() may be called from any other."""

    def __init__(self, switch: Switch, ports: Ports) -> None:
        self._switch = switch
        self._ports = ports
        self._begin = time.monotonic_ns()
        self._injected: deque[bytes] = deque()
        self._stopping = False
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._epoll = select.epoll()
        self._epoll.register(self._wake, select.EPOLLIN)
        self._watched: dict[int, Port] = {}
        for port in ports:
            self._watched[port.fileno()] = port
            self._epoll.register(port.fileno(), select.EPOLLIN)

    def inject(self, packet: bytes) -> None:
        """Lets a packet come in at the CPU port."""
        self._injected.append(packet)
        os.eventfd_write(self._wake, 1)

    def stop(self) -> None:
        self._stopping = True
        os.eventfd_write(self._wake, 1)

    def run(self) -> None:
        """Returns some time after stop()."""
        while not self._stopping:
            ready = []
            for fd, event in self._epoll.poll():
                if fd == self._wake:
                    os.eventfd_read(self._wake)
                elif event & select.EPOLLERR:
                    self._look_into(fd)
                else:
                    ready.append(self._watched[fd])
            if ready:
                self._process(self._ports.receive(ready))
            while self._injected and self._switch.cpu_port is not None:
                self._process(Frames.of([(self._switch.cpu_port, self._injected.popleft())]))

    def close(self) -> None:
        self._epoll.close()
        os.close(self._wake)

    def _look_into(self, fd: int) -> None:
        # A closed socket leaves the epoll set by itself.
        if self._ports.lost(self._watched[fd]):
            del self._watched[fd]

    def _process(self, frames: Frames) -> None:
        engine = self._switch.engine
        if engine is None or not len(frames):
            return
        try:
            self._forward(engine, frames)
        except Exception:
            log.exception("A batch of %d packets was lost", len(frames))

    def _forward(self, engine: Engine, frames: Frames) -> None:
        now = (time.monotonic_ns() - self._begin) // 1000
        with engine.lock:
            out = engine.process(frames, now)
        if not len(out):
            return
        self._ports.send(out)
        if self._switch.cpu_port is not None and (out.port == self._switch.cpu_port).any():
            for port, packet in out:
                if port == self._switch.cpu_port:
                    self._switch.packet_in(packet)
