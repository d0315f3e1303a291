"""Binary heaps of events, at an address, for compiled code. The first event is that of the least time and order."""

from __future__ import annotations

from dropzero.native.compilation import compiled
from dropzero.native.memory import struct_at
from dropzero.native.records import record

EVENT = record("time order port packet")


@compiled
def push(heap: int, count: int, time: int, order: int, port: int, packet: int) -> None:
    """Adds an event to `count` others, after which there is room for one more."""
    at = count
    while at:
        above = struct_at(heap, EVENT, (at - 1) >> 1)
        if not _before(time, order, above.time, above.order):
            break
        _write(heap, at, above.time, above.order, above.port, above.packet)
        at = (at - 1) >> 1
    _write(heap, at, time, order, port, packet)


@compiled
def pop(heap: int, count: int) -> None:
    """Removes the first of `count` events."""
    last = struct_at(heap, EVENT, count - 1)
    time, order = last.time, last.order
    at = 0
    while True:
        below = 2 * at + 1
        if below >= count - 1:
            break
        least = struct_at(heap, EVENT, below)
        if below + 1 < count - 1:
            right = struct_at(heap, EVENT, below + 1)
            if _before(right.time, right.order, least.time, least.order):
                below, least = below + 1, right
        if not _before(least.time, least.order, time, order):
            break
        _write(heap, at, least.time, least.order, least.port, least.packet)
        at = below
    _write(heap, at, time, order, last.port, last.packet)


@compiled
def _before(time: int, order: int, other_time: int, other_order: int) -> bool:
    return bool(time < other_time or (time == other_time and order < other_order))


@compiled
def _write(heap: int, at: int, time: int, order: int, port: int, packet: int) -> None:
    event = struct_at(heap, EVENT, at)
    event.time, event.order, event.port, event.packet = time, order, port, packet
