"""The switch's event loop: packets in, through the pipeline, and out."""

from __future__ import annotations

import logging
import os
import select
import time
from collections import deque
from collections.abc import Callable
from itertools import groupby

from softswitch.alarm import Alarm
from softswitch.engine import Engine
from softswitch.frames import Frames
from softswitch.impairments import Direction, Impairments
from softswitch.ports import Port, Ports
from softswitch.switch import Switch

log = logging.getLogger(__name__)


class Loop:
    """Runs in one thread and sleeps while there is nothing to do. inject(), submit() and stop() may be called from any
    other.

    outlet: also gets the packets that leave the switch
    impairments: of its ports; None: there are none, and they cost nothing
    """

    def __init__(
        self,
        switch: Switch,
        ports: Ports,
        outlet: Callable[[Frames], None] = lambda frames: None,
        impairments: Impairments | None = None,
    ) -> None:
        self._switch = switch
        self._ports = ports
        self._outlet = outlet
        self._impairments = impairments
        self._alarm = Alarm()
        self._jobs: deque[Callable[[], None]] = deque()
        self._stopping = False
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._epoll = select.epoll()
        self._epoll.register(self._wake, select.EPOLLIN)
        self._epoll.register(self._alarm, select.EPOLLIN)
        self._watched: dict[int, Port] = {}
        for port in ports:
            self._watched[port.fileno()] = port
            self._epoll.register(port.fileno(), select.EPOLLIN)

    def inject(self, packet: bytes) -> None:
        """Lets a packet come in at the CPU port, if there is one."""
        port = self._switch.cpu_port
        if port is not None:
            self.submit(lambda: self.process(Frames.of([(port, packet)])))

    def submit(self, job: Callable[[], None]) -> None:
        """Has something done in the loop's thread, between two batches of packets."""
        self._jobs.append(job)
        os.eventfd_write(self._wake, 1)

    def receive(self, frames: Frames) -> None:
        """Takes packets that come in by the ports: through their impairments, then like process()."""
        if self._impairments is not None:
            frames = self._impairments.carry(Direction.IN, frames, time.monotonic_ns())
        self.process(frames)

    def process(self, frames: Frames) -> None:
        """Runs packets through the pipeline and sends on what comes out. In the loop's thread only."""
        engine = self._switch.engine
        if engine is None or not len(frames):
            return
        try:
            self._forward(engine, frames)
        except Exception:
            log.exception("A batch of %d packets was lost", len(frames))

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
                elif fd == self._alarm.fileno():
                    continue
                elif event & select.EPOLLERR:
                    self._look_into(fd)
                else:
                    ready.append(self._watched[fd])
            if ready:
                self.receive(self._ports.receive(ready))
            for _ in range(len(self._jobs)):
                self._jobs.popleft()()
            if self._impairments is not None:
                self._release(self._impairments)

    def close(self) -> None:
        self._epoll.close()
        self._alarm.close()
        os.close(self._wake)

    def _look_into(self, fd: int) -> None:
        # A closed socket leaves the epoll set by itself.
        if self._ports.lost(self._watched[fd]):
            del self._watched[fd]

    def _forward(self, engine: Engine, frames: Frames) -> None:
        with engine.lock:
            current = self._switch.engine
            if current is engine:
                out = engine.process(frames, self._switch.now())
                digests = engine.take_digests()
        if current is not engine:
            # A pipeline took over, with the state of the one before it.
            self.process(frames)
            return
        for name, alike in groupby(digests, key=lambda digest: digest.name):
            self._switch.learn(name, [digest.values for digest in alike])
        if not len(out):
            return
        self._leave(out)
        if self._switch.cpu_port is not None and (out.port == self._switch.cpu_port).any():
            for port, packet in out:
                if port == self._switch.cpu_port:
                    self._switch.packet_in(packet)

    def _leave(self, frames: Frames) -> None:
        if self._impairments is not None:
            frames = self._impairments.carry(Direction.OUT, frames, time.monotonic_ns())
        self._send(frames)

    def _release(self, impairments: Impairments) -> None:
        """Lets packets go on whose way has ended, and wakes the loop for the next."""
        now = time.monotonic_ns()
        self.process(impairments.release(Direction.IN, now))
        self._send(impairments.release(Direction.OUT, now))
        self._alarm.set(impairments.next)

    def _send(self, frames: Frames) -> None:
        if len(frames):
            self._ports.send(frames)
            self._outlet(frames)
