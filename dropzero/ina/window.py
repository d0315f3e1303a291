"""A worker that keeps a number of packets in flight, each with a timer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import ClassVar

from dropzero.ina.protocol import Protocol, Tensor, Worker

CHUNK = 256
"""Elements of a packet, as in examples/protocols/udp.p4."""
LONGEST = 6
"""How often a packet's timer doubles."""


class WindowWorker(Worker):
    """Sends its chunks, numbered from 0 on: first `window` of them, and after a chunk's sum the one that is `window`
    further on. A chunk without a sum is sent again after `timeout` nanoseconds, then after twice as long, and so on: on
    a machine that is busy, a timer would go off over and over."""

    chunk: ClassVar[int] = CHUNK
    """Elements of a packet."""

    def __init__(self, protocol: Protocol, rank: int, tensor: Tensor, window: int, timeout: int) -> None:
        super().__init__(rank, tensor)
        if window < 1:
            raise ValueError("a window is at least 1")
        self.protocol, self.window, self._timeout = protocol, window, timeout
        self._tries: dict[int, int] = {}

    @abstractmethod
    def packet(self, number: int, tries: int) -> bytes:
        """Returns the packet of a chunk. tries: how often it was sent before."""

    def start(self) -> None:
        for number in range(self.window):
            self._advance(number)

    def receive(self, payload: bytes) -> None:
        claim = self.protocol.claim(payload)
        # A sum may come twice; and, to a worker that is late, before it has sent its chunk.
        if claim is not None and self.keep(claim):
            number = claim.start // self.chunk
            if self.settle(number):
                self._advance(number + self.window)

    def expire(self, timer: Hashable) -> None:
        assert isinstance(timer, int)
        self.contribute(timer)

    def contribute(self, number: int) -> None:
        """Sends a chunk, and sets its timer."""
        tries = self._tries.get(number, 0)
        self._tries[number] = tries + 1
        self.send(self.packet(number, tries) + self.elements(self.chunk * number, self.chunk))
        self.set_timer(number, self._timeout << min(tries, LONGEST))

    def settle(self, number: int) -> bool:
        """Sends a chunk no more. Returns whether it has been sent."""
        self.stop_timer(number)
        return bool(self._tries.pop(number, 0))

    def _advance(self, number: int) -> None:
        """Sends a chunk, or the first one after it in steps of a window that has no sum yet."""
        while self.knows(self.chunk * number):
            number += self.window
        if self.chunk * number < len(self.tensor):
            self.contribute(number)


class SlidingWorker(WindowWorker):
    """Its window slides: who sends a number has the sums of all that are a window behind, so that a switch that still
    has one of these may drop it."""

    _oldest = 0
    """The first chunk without a sum, as far as is known."""
    _next = 0
    """The first chunk that it has not sent."""

    def start(self) -> None:
        self._slide()

    def receive(self, payload: bytes) -> None:
        claim = self.protocol.claim(payload)
        if claim is not None and self.keep(claim):
            self.settle(claim.start // self.chunk)
            self._slide()

    def _slide(self) -> None:
        while self.knows(self.chunk * self._oldest):
            self._oldest += 1
        while self._next < self._oldest + self.window and self.chunk * self._next < len(self.tensor):
            if not self.knows(self.chunk * self._next):
                self.contribute(self._next)
            self._next += 1
