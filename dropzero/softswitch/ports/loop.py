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

from dropzero.linux.netlink import LinkEvents
from dropzero.linux.timerfd import TimerFd
from dropzero.linux.wakeup_pipe import WakeupPipe
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.handoff import Handoff
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.impairments.impairments import Direction, Impairments
from dropzero.softswitch.ports.fast_path import FastPath
from dropzero.softswitch.ports.ports import Port, Ports
from dropzero.softswitch.state.reports import Digest

log = logging.getLogger(__name__)

AHEAD = 1000
"""Packets may leave their queues this many microseconds early, so that the loop need not wake for each one."""


class Loop:
    """Runs in one thread, and sleeps while there is nothing to do. Other threads may call inject(), submit(), add(),
    remove() and stop(); everything else belongs to the loop's thread.

    outlet: called with all packets that leave the switch
    impairments: of its ports

    Attributes:
        drops: counts the controllers' packets that were dropped because they came too fast
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
        for each in (self._wakeup, self._timer, self._links, ports.rings.doorbell):
            self._epoll.register(each, select.EPOLLIN)
        self._watched: dict[int, Port] = {}
        self._ring_sockets: set[int] = set()
        self._fast_path: FastPath | None = None
        self._watch(ports)

    def inject(self, packet: bytes) -> bool:
        """Lets a packet enter at the CPU port, if there is one. Returns False if the packet was dropped."""
        return self._injected.put(packet)

    def submit(self, job: Callable[[], None]) -> None:
        """Runs a function in the loop's thread, between two batches of packets."""
        self._jobs.append(job)
        self._wakeup.wake()

    def add(self, port: Port) -> None:
        """Adds a port, and waits until the loop serves it. Do not call it in the loop's thread."""

        def begin() -> None:
            self._ports.add(port)
            self._watch([port])

        self._await(begin)

    def remove(self, number: int) -> None:
        """Closes a port, and waits until that is done. Packets for it are then dropped. Do not call it in the loop's
        thread. Raises KeyError if there is no such port."""

        def end() -> None:
            port = self._ports.remove(number)
            self._watched.pop(port.fileno(), None)
            port.close()
            self._watch([])

        self._await(end)

    def receive(self, frames: Frames) -> None:
        """Runs packets that have arrived through the impairments of their ports, and then through the pipeline."""
        self.process(self._impairments.carry(Direction.IN, frames, time.monotonic_ns()))

    def process(self, frames: Frames) -> None:
        """Runs packets through the pipeline, and sends those that leave."""
        if len(frames):
            self._forward(lambda engine: engine.process(frames, self._switch.now()))

    def stop(self) -> None:
        """Makes run() return."""
        self._stopping = True
        self._wakeup.wake()

    @contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        """In the block, SIGTERM and SIGINT stop the loop. The loop must run in the main thread."""
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            with self._wakeup.woken_by_signals():
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def run(self) -> None:
        """Runs until stop()."""
        self._set_timestamps()
        while not self._stopping:
            ready, called = [], False
            rings = self._ports.rings
            for fd, event in self._epoll.poll():
                if fd == self._wakeup.fileno():
                    self._wakeup.drain()
                elif fd == self._timer.fileno():
                    continue
                elif fd == self._links.fileno():
                    self._links.drain()
                    if attached := self._ports.attach():
                        self._watch(attached)
                elif fd == rings.doorbell:
                    rings.drain()
                    called = True
                elif fd in rings.sockets:
                    self._ports.serve_rings(fd)
                    self._watch([])
                elif event & select.EPOLLERR:
                    self._handle_error(fd)
                else:
                    ready.append(self._watched[fd])
            if ready or called:
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

    def _handle_error(self, fd: int) -> None:
        if self._ports.lost(self._watched[fd]):
            # The kernel removes a closed socket from the epoll set.
            del self._watched[fd]
            # The interface may already be back.
            self._watch(self._ports.attach())

    def _watch(self, ports: Iterable[Port]) -> None:
        """Starts to wait for packets at these ports. Makes the fast path anew, because the set of ports has changed."""
        for port in ports:
            self._watched[port.fileno()] = port
            self._epoll.register(port.fileno(), select.EPOLLIN)
        sockets = set(self._ports.rings.sockets)
        for fd in sockets - self._ring_sockets:
            self._epoll.register(fd, select.EPOLLIN)
        self._ring_sockets = sockets
        if self._fast_path is not None:
            self._fast_path.close()
        # Impairments need Python for each batch.
        native = self._ports.native and not self._impairments.wanted
        self._fast_path = FastPath(self._ports, self._wakeup, self._timer, self._links) if native else None

    def _carry(self, ready: list[Port]) -> None:
        """Runs the packets that wait at these ports through the pipeline."""
        self._set_timestamps()
        engine, fast_path = self._switch.engine, self._fast_path
        if fast_path is None or engine is None or not engine.direct:
            self.receive(self._ports.receive(ready, self._switch.begin))
            return

        self._forward(lambda engine: fast_path.run(engine, self._switch.begin))

    def _set_timestamps(self) -> None:
        """Has the kernel report arrival times if the program or its queues need them."""
        engine = self._switch.engine
        for port in self._ports:
            port.set_timestamps(engine is not None and engine.timed)

    def _forward(self, run: Callable[[Engine], Frames]) -> None:
        """Runs the pipeline by calling `run`, and sends the packets that it returns."""
        try:
            with self._switch.held_engine() as engine:
                if engine is None:
                    return
                out, digests = run(engine), engine.take_digests()
            if len(out) or digests:
                self._notify_control_plane(out, digests)
                self._send(self._impairments.carry(Direction.OUT, out, time.monotonic_ns()))
        except Exception:
            log.exception("A batch of packets was lost")

    def _notify_control_plane(self, frames: Frames, digests: list[Digest]) -> None:
        """Passes digests, and packets that leave by the CPU port, to the control plane."""
        for digest in digests:
            self._switch.learn(digest)
        if self._switch.cpu_port is not None and (frames.port == self._switch.cpu_port).any():
            for port, packet in frames:
                if port == self._switch.cpu_port:
                    self._switch.packet_in(packet)

    @property
    def _next(self) -> int | None:
        """When the next waiting packet continues, in nanoseconds; None while none waits."""
        engine = self._switch.engine
        due = None if engine is None else engine.next
        arriving = self._impairments.next
        if due is None:
            return arriving
        served = self._switch.begin + 1000 * due
        return served if arriving is None else min(served, arriving)

    def _release(self) -> None:
        """Continues packets that have waited long enough, and sets the timer for the next."""
        due = self._next
        if due is not None:
            now = time.monotonic_ns()
            self.process(self._impairments.release(Direction.IN, now))
            try:
                self._serve_queues()
            except Exception:
                log.exception("Packets that left a queue were lost")
            self._send(self._impairments.release(Direction.OUT, now))
            due = self._next
        self._timer.set(due)

    def _serve_queues(self) -> None:
        """Takes packets out of their queues, and puts them on their links."""
        now, engine = self._switch.now(), self._switch.engine
        if engine is not None and engine.counts_behind:
            if engine.next is None or engine.next > now:
                return
            self._receive_until(now)
        with self._switch.held_engine() as engine:
            if engine is None or engine.next is None:
                return
            # If a packet leaves early, packets that arrive before its time do not see it in the queue, and it does not
            # count them. So programs that read how many packets a packet leaves behind get exact times.
            ahead = 0 if engine.counts_behind else AHEAD
            frames, sent = engine.release(now + ahead)
            digests = engine.take_digests()
        self._notify_control_plane(frames, digests)
        self._impairments.follow(frames, sent + self._switch.begin - 1000 * ahead)

    def _receive_until(self, now: int) -> None:
        """Receives the packets that arrived before `now`, in microseconds of the switch's time, so that packets that
        leave a queue then count them."""
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
