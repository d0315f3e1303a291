"""The events of a network: a heap by time, node and number; and the memory of packets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.simulator.kernel.state import NONE, State

_NUMBER_BITS = 40
"""Enough for a month of simulation."""
_TIME, _ORDER, _PORT, _PACKET = range(4)


@compiled
def plan(state: State, time: int, node: int, port: int, packet: int) -> None:
    """Plans an event. Events of the same time happen by node, then in the order of their planning."""
    clock, heap = state.clock[0], state.events
    clock.number += 1
    order = (node << _NUMBER_BITS) + clock.number
    at = clock.planned
    clock.planned += 1
    while at:
        above = (at - 1) >> 1
        if not _before(time, order, heap, above):
            break
        _copy(heap, at, above)
        at = above
    _write(heap, at, time, order, port, packet)


@compiled
def gather(state: State) -> None:
    """Takes the next event, and all others of its time and node: a batch of packets."""
    clock, heap = state.clock[0], state.events
    clock.time = heap[0, _TIME]
    clock.node = heap[0, _ORDER] >> _NUMBER_BITS
    clock.arrived = 0
    clock.waits = True
    while clock.planned and heap[0, _TIME] == clock.time and heap[0, _ORDER] >> _NUMBER_BITS == clock.node:
        clock.events += 1
        if heap[0, _PORT] != NONE:
            state.batch[clock.arrived, 0] = heap[0, _PORT]
            state.batch[clock.arrived, 1] = heap[0, _PACKET]
            clock.arrived += 1
        _take_first(heap, clock)


@compiled
def _take_first(heap: NDArray[np.int64], clock: Any) -> None:
    """Removes the first event."""
    clock.planned -= 1
    last = clock.planned
    time, order = heap[last, _TIME], heap[last, _ORDER]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= last:
            break
        if below + 1 < last and _before(heap[below + 1, _TIME], heap[below + 1, _ORDER], heap, below):
            below += 1
        if not _before(heap[below, _TIME], heap[below, _ORDER], heap, last):
            break
        _copy(heap, at, below)
        at = below
    _write(heap, at, time, order, heap[last, _PORT], heap[last, _PACKET])


@compiled
def _before(time: int, order: int, heap: NDArray[np.int64], at: int) -> bool:
    return bool(time < heap[at, _TIME] or (time == heap[at, _TIME] and order < heap[at, _ORDER]))


@compiled
def _copy(heap: NDArray[np.int64], to: int, at: int) -> None:
    _write(heap, to, heap[at, _TIME], heap[at, _ORDER], heap[at, _PORT], heap[at, _PACKET])


@compiled
def _write(heap: NDArray[np.int64], at: int, time: int, order: int, port: int, packet: int) -> None:
    heap[at, _TIME], heap[at, _ORDER], heap[at, _PORT], heap[at, _PACKET] = time, order, port, packet


@compiled
def new_packet(state: State) -> int:
    """A packet that nothing held before."""
    clock = state.clock[0]
    clock.free -= 1
    return int(state.free[clock.free])


@compiled
def forget(state: State, packet: int) -> None:
    """Gives a packet back."""
    clock = state.clock[0]
    state.free[clock.free] = packet
    clock.free += 1


@compiled
def copied(state: State, packet: int) -> int:
    """A copy of a packet."""
    copy = new_packet(state)
    memmove(frame(state, copy), frame(state, packet), state.lengths[packet])
    state.lengths[copy] = state.lengths[packet]
    return copy


@compiled
def frame(state: State, packet: int) -> int:
    """The address of a packet's frame."""
    return int(state.frames.ctypes.data + packet * state.frames.shape[1])
