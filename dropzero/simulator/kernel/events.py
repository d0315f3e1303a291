"""The events of a network, by time, node and number; and the memory of packets."""

from __future__ import annotations

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import struct_at
from dropzero.simulator.kernel.heap import EVENT, pop, push
from dropzero.simulator.kernel.state import NONE, State

_NUMBER_BITS = 40
"""Enough for a month of simulation."""


@compiled
def plan(state: State, time: int, node: int, port: int, packet: int) -> None:
    """Plans an event. Events of the same time happen by node, then in the order of their planning."""
    clock = state.clock[0]
    clock.number += 1
    push(state.events.ctypes.data, clock.planned, time, (node << _NUMBER_BITS) + clock.number, port, packet)
    clock.planned += 1


@compiled
def gather(state: State) -> None:
    """Takes the next event, and all others of its time and node: a batch of packets."""
    clock, heap = state.clock[0], state.events.ctypes.data
    first = struct_at(heap, EVENT, 0)
    clock.time, clock.node = first.time, first.order >> _NUMBER_BITS
    clock.arrived = 0
    clock.waits = True
    while clock.planned and first.time == clock.time and first.order >> _NUMBER_BITS == clock.node:
        clock.events += 1
        if first.port != NONE:
            state.batch[clock.arrived, 0], state.batch[clock.arrived, 1] = first.port, first.packet
            clock.arrived += 1
        pop(heap, clock.planned)
        clock.planned -= 1


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
