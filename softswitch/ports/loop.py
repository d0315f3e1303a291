"""The switch's event loop: packets in, through the pipeline, and out."""

from __future__ import annotations

import logging
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from dropzero.linux.link_events import LinkEvents
from dropzero.linux.timerfd import TimerFd
from dropzero.linux.wakeup_pipe import WakeupPipe
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.handoff import Handoff
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.fast_path import FastPath
from dropzero.softswitch.ports.impairments import Direction, Impairments
from dropzero.softswitch.ports.ports import Port, Ports
from dropzero.softswitch.state.reports import Digest

log = logging.getLogger(__name__)

AHEAD = 1000
"""Microseconds by which packets may leave their queues before their time, so that the loop need not wake for each."""


class Loop:
    """Runs in one thread and sleeps while there is nothing to do. inject(), submit() and stop() may be called from any
    other.

    outlet: also gets the packets that leave the switch
    impairments: of its ports

    Attributes:
        drops: controllers' packets that came too fast
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
        self._impairments = impairments or Impairments()
        self._impairments.slow(switch.queues)
        self._timer = TimerFd()
        self._jobs: deque[Callable[[], None]] = deque()
        self._stopping = False
        self._wakeup = WakeupPipe()
        self._links = LinkEvents()
        self._injected: Handoff[bytes] = Handoff("packets of controllers", self._wakeup.wake)
        self.drops = self._injected.drops
        self._epoll = select.epoll()
        for each in (self._wakeup, self._timer, self._links):
            self._epoll.register(each, select.EPOLLIN)
        self._watched: dict[int, Port] = {}
        self._fast_path: FastPath | None = None
        self._watch(ports)

    def inject(self, packet: bytes) -> bool:
        """Lets a packet come in at the CPU port, if there is one. Whether there was room for it."""
        return self._injected.put(packet)

    def submit(self, job: Callable[[], None]) -> None:
        """Has something done in the loop's thread, between two batches of packets."""
        self._jobs.append(job)
        self._wakeup.wake()

    def add(self, port: Port) -> None:
        """Serves one more port. Another thread than the loop's waits until it is served."""

        def begin() -> None:
            self._ports.add(port)
            self._watch([port])

        self._await(begin)

    def remove(self, number: int) -> None:
        """Closes a port, and drops what is for it from now on. Another thread than the loop's waits until it is."""

        def end() -> None:
            port = self._ports.remove(number)
            self._watched.pop(port.fileno(), None)
            port.close()
            self._watch([])

        self._await(end)

    def receive(self, frames: Frames) -> None:
        """Takes packets that come in by the ports: through their impairments, then like process()."""
        self.process(self._impairments.carry(Direction.IN, frames, time.monotonic_ns()))

    def process(self, frames: Frames) -> None:
        """Runs packets through the pipeline and sends on what comes out. In the loop's thread only."""
        if len(frames):
            self._forward(lambda engine: engine.process(frames, self._switch.now()))

    def stop(self) -> None:
        self._stopping = True
        self._wakeup.wake()

    @contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        """In the block, SIGTERM and SIGINT stop it. In the main thread only, which has to be the loop's."""
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            with self._wakeup.woken_by_signals():
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def run(self) -> None:
        """Returns some time after stop()."""
        self._time()
        while not self._stopping:
            ready = []
            for fd, event in self._epoll.poll():
                if fd == self._wakeup.fileno():
                    self._wakeup.drain()
                elif fd == self._timer.fileno():
                    continue
                elif fd == self._links.fileno():
                    self._links.drain()
                    if attached := self._ports.attach():
                        self._watch(attached)
                elif event & select.EPOLLERR:
                    self._look_into(fd)
                else:
                    ready.append(self._watched[fd])
            if ready:
                self._carry(ready)
            for _ in range(len(self._jobs)):
                self._jobs.popleft()()
            cpu_port = self._switch.cpu_port
            if (packets := self._injected.take()) and cpu_port is not None:
                self.process(Frames.of((cpu_port, packet) for packet in packets))
            self._release()

    def close(self) -> None:
        if self._fast_path is not None:
            self._fast_path.close()
        self._epoll.close()
        self._links.close()
        self._timer.close()
        self._wakeup.close()

    def _await(self, job: Callable[[], None]) -> None:
        done: Future[None] = Future()

        def run() -> None:
            try:
                job()
                done.set_result(None)
            except Exception as error:
                done.set_exception(error)

        self.submit(run)
        done.result()

    def _look_into(self, fd: int) -> None:
        # A closed socket leaves the epoll set by itself.
        if self._ports.lost(self._watched[fd]):
            del self._watched[fd]
            # The interface may be back by now.
            self._watch(self._ports.attach())

    def _watch(self, ports: Iterable[Port]) -> None:
        """Waits for packets at these ports as well. The fast path is made anew: there, too, ports have come or gone."""
        for port in ports:
            self._watched[port.fileno()] = port
            self._epoll.register(port.fileno(), select.EPOLLIN)
        if self._fast_path is not None:
            self._fast_path.close()
        # Not where packets do more than just pass from port to port.
        plain = self._ports.plain and not self._impairments.wanted
        self._fast_path = FastPath(self._ports, self._wakeup, self._timer, self._links) if plain else None

    def _carry(self, ready: list[Port]) -> None:
        """Has what waits at these ports go through the pipeline."""
        self._time()
        engine, fast_path = self._switch.engine, self._fast_path
        if fast_path is None or engine is None or not engine.direct:
            self.receive(self._ports.receive(ready, self._switch.begin))
            return

        self._forward(lambda engine: fast_path.run(engine, self._switch.begin))

    def _time(self) -> None:
        """Has arrivals timed if the program or its queues need that."""
        engine = self._switch.engine
        for port in self._ports:
            port.time(engine is not None and engine.timed)

    def _forward(self, run: Callable[[Engine], Frames]) -> None:
        """Has the pipeline run, and sends on what is left to be sent."""
        try:
            with self._switch.held_engine() as engine:
                if engine is None:
                    return
                out, digests = run(engine), engine.take_digests()
            if len(out) or digests:
                self._leave(out, digests)
                self._send(self._impairments.carry(Direction.OUT, out, time.monotonic_ns()))
        except Exception:
            log.exception("A batch of packets was lost")

    def _leave(self, frames: Frames, digests: list[Digest]) -> None:
        """Gives the control plane what is for it."""
        for digest in digests:
            self._switch.learn(digest)
        if self._switch.cpu_port is not None and (frames.port == self._switch.cpu_port).any():
            for port, packet in frames:
                if port == self._switch.cpu_port:
                    self._switch.packet_in(packet)

    @property
    def _next(self) -> int | None:
        """When packets go on that wait somewhere; None while none wait."""
        engine = self._switch.engine
        due = None if engine is None else engine.next
        arriving = self._impairments.next
        if due is None:
            return arriving
        served = self._switch.begin + 1000 * due
        return served if arriving is None else min(served, arriving)

    def _release(self) -> None:
        """Lets packets go on that have waited long enough, and wakes the loop for the next."""
        due = self._next
        if due is not None:
            now = time.monotonic_ns()
            self.process(self._impairments.release(Direction.IN, now))
            try:
                self._serve()
            except Exception:
                log.exception("Packets that left a queue were lost")
            self._send(self._impairments.release(Direction.OUT, now))
            due = self._next
        self._timer.set(due)

    def _serve(self) -> None:
        """Takes out of their queues what may leave them."""
        now, engine = self._switch.now(), self._switch.engine
        if engine is not None and engine.counts_behind:
            if engine.next is None or engine.next > now:
                return
            self._read_until(now)
        with self._switch.held_engine() as engine:
            if engine is None or engine.next is None:
                return
            # Others may come to a queue before a packet that was let go ahead of its time leaves it.
            ahead = 0 if engine.counts_behind else AHEAD
            frames, sent = engine.release(now + ahead)
            digests = engine.take_digests()
        self._leave(frames, digests)
        self._impairments.follow(frames, sent + self._switch.begin - 1000 * ahead)

    def _read_until(self, now: int) -> None:
        """Takes in what came before `now`, in microseconds of the switch's time: what leaves then leaves it behind."""
        early = True
        while early and (ready := [fd for fd, event in self._epoll.poll(0) if not event & select.EPOLLERR]):
            ports = [self._watched[fd] for fd in ready if fd in self._watched]
            frames = self._ports.receive(ports, self._switch.begin)
            self.receive(frames)
            early = frames.arrival is not None and bool((frames.arrival < now).any())

    def _send(self, frames: Frames) -> None:
        if len(frames):
            self._ports.send(frames)
            self._outlet(frames)
