"""What protocols between hosts share: addresses for examples/protocols/forward.p4, and packets that are sent again."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from struct import Struct

from dropzero.ina.protocol import Host, Place, Protocol, Rows, delivery
from dropzero.ina.window import LONGEST
from dropzero.p4.names import Entry

TO = Struct("!H")
"""The host to which switches forward a packet, from 1 on: its first bytes."""


def to(number: int) -> bytes:
    """Addresses a packet to a host. number: from 0 on, workers first."""
    return TO.pack(number + 1)


def forwarding(places: Sequence[Place]) -> Rows:
    """What the controller writes to a switch that only forwards."""
    ways = [
        Entry("route", {"hdr.to.to": number}, "way", {"first": place.port, "ports": len(place.ports)})
        for number, place in enumerate(places, 1)
    ]
    return Rows([*ways, *delivery(places)])


@dataclass(frozen=True)
class Forwarded(Protocol):
    """A protocol whose switches only forward. racks, spines: one rack has no spine."""

    racks: int = 1
    spines: int = 2

    def rows(self, places: Sequence[Place]) -> Rows:
        return forwarding(places)


class Sender:
    """Sends a host's packets, `window` of them at a time, each again after `timeout` nanoseconds, after twice as long,
    and so on, until it is settled. Its host's expire() calls expire()."""

    def __init__(self, host: Host, window: int, timeout: int) -> None:
        if window < 1:
            raise ValueError("a window is at least 1")
        self._host, self._window, self._timeout = host, window, timeout
        self._waiting: deque[tuple[Hashable, bytes]] = deque()
        self._flying: dict[Hashable, tuple[bytes, int]] = {}

    def add(self, name: Hashable, payload: bytes) -> None:
        """Sends a packet when the window has room for it."""
        self._waiting.append((name, payload))
        self._fill()

    def settle(self, name: Hashable) -> bool:
        """Sends a packet no more. Returns whether it was in flight."""
        self._host.stop_timer(name)
        found = self._flying.pop(name, None) is not None
        self._fill()
        return found

    def expire(self, name: Hashable) -> None:
        """Sends a packet again, after its timer has gone off."""
        payload, tries = self._flying[name]
        self._send(name, payload, tries + 1)

    def _fill(self) -> None:
        while self._waiting and len(self._flying) < self._window:
            self._send(*self._waiting.popleft(), 0)

    def _send(self, name: Hashable, payload: bytes, tries: int) -> None:
        self._flying[name] = payload, tries
        self._host.send(payload)
        self._host.set_timer(name, self._timeout << min(tries, LONGEST))
