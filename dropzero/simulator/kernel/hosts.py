"""Hosts: one core that handles a packet at a time, the lanes of a worker, and a network card."""

from __future__ import annotations

from typing import Any

import numpy as np

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.protocol.lanes.rounds import FINE, ask_about_overtaken, expire, handle_packet, next_deadline, take_ready
from dropzero.protocol.lanes.state import state_at
from dropzero.protocol.lanes.work import work_at
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES
from dropzero.simulator.kernel.events import forget, frame, new_packet, plan
from dropzero.simulator.kernel.links import carry, enter, send
from dropzero.simulator.kernel.state import NEVER, NONE, State
from dropzero.softswitch.engine.wire import SECOND

_IP, _UDP = 14, 34


@compiled
def handle(state: State, number: int, node: int) -> int:
    """Processes the batch and sends the lanes' answers, once the core is free. Returns `handle_packet`'s outcome."""
    clock, host = state.clock[0], state.hosts[number]
    for at in range(clock.arrived):
        append(state, host, state.batch[at, 1])
    if host.finished != NONE and not host.waiting:
        if clock.time >= host.timer:
            # The next call begins when this one was over here, which may be earlier than now.
            host.timer = NEVER
        return FINE
    if clock.time < host.busy:
        if not host.woken:
            host.woken = True
            plan(state, host.busy, node, NONE, NONE)
        return FINE
    host.woken = False
    end = clock.time + host.cost * host.waiting
    lanes = state_at(host.lanes)
    outcome = _take(state, host, end)
    if outcome != FINE:
        return outcome
    if not lanes.call[0].unfinished and host.finished == NONE:
        host.finished = end
        clock.over += 1
    if lanes.call[0].ready:
        end = _give(state, host, node, end)
    elif clock.time >= host.timer:
        _set_timer(state, host, node, next_deadline(lanes))
    host.busy = end
    return FINE


@compiled
def append(state: State, host: Any, packet: int) -> None:
    """Adds a packet to those that wait for the core."""
    state.following[packet] = NONE
    if host.waiting:
        state.following[host.last] = packet
    else:
        host.first = packet
    host.last = packet
    host.waiting += 1


@compiled
def _take(state: State, host: Any, time: int) -> int:
    """Gives the lanes all packets that wait, at `time`, and lets overdue contributions expire. Returns an outcome of
    `handle_packet`."""
    lanes, now = state_at(host.lanes), time / SECOND
    work = work_at(host.work)
    packet = host.first
    while host.waiting:
        # The same type as elsewhere, so that `handle_packet` is not compiled twice.
        length: Any = np.int32(min(state.lengths[packet] - OUTER_BYTES, MAX_PAYLOAD))
        outcome = handle_packet(lanes, work, state.frames[packet][OUTER_BYTES:], length, now)
        forget(state, packet)
        packet = state.following[packet]
        host.waiting -= 1
        if outcome != FINE:
            host.first = packet
            return outcome
    ask_about_overtaken(lanes, now)
    # The timer goes off a nanosecond after the next deadline, or earlier; to look for that takes long.
    if time + 1 >= host.timer and next_deadline(lanes) <= now:
        expire(lanes, now)
    return FINE


@compiled
def _give(state: State, host: Any, node: int, time: int) -> int:
    """Sends what the lanes have ready, from `time` on. Returns when the core is free again."""
    lanes = state_at(host.lanes)
    count = take_ready(lanes)
    if host.timer <= state.clock[0].time:
        _set_timer(state, host, node, next_deadline(lanes))
    else:
        # The other lanes' deadlines are not before the timer.
        least = lanes.call[0].next_probe
        for at in range(count):
            least = min(least, lanes.lanes[lanes.ready[at]].deadline)
        _set_timer(state, host, node, least)
    for at in range(count):
        lane = lanes.ready[at]
        size = lanes.lanes[lane].length
        length = OUTER_BYTES + size
        time += host.cost
        state.clock[0].batches += 1
        link = host.link
        if enter(state, link, time, length) != NONE:
            packet = new_packet(state)
            state.lengths[packet] = length
            memmove(frame(state, packet) + OUTER_BYTES, int(lanes.payload[lane].ctypes.data), size)
            head(state, host.outer, packet)
            carry(state, link, send(state, link, time, length), packet)
    return time


@compiled
def head(state: State, outer: Any, packet: int) -> None:
    """Writes a packet's headers: `outer`, with lengths and checksum."""
    row = state.frames[packet]
    for at in range(OUTER_BYTES):
        row[at] = outer[at]
    for at, value in ((_IP + 2, state.lengths[packet] - _IP), (_UDP + 4, state.lengths[packet] - _UDP)):
        row[at] = value >> 8
        row[at + 1] = value & 0xFF
    total = 0
    for at in range(_IP, _UDP, 2):
        total += int(row[at]) << 8 | int(row[at + 1])
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    row[_IP + 10] = (total ^ 0xFFFF) >> 8
    row[_IP + 11] = (total ^ 0xFFFF) & 0xFF


@compiled
def _set_timer(state: State, host: Any, node: int, deadline: float) -> None:
    """Sets the timer to go off after `deadline` (seconds), unless it goes off earlier anyway."""
    time = NEVER if np.isinf(deadline) else int(deadline * SECOND) + 1
    if time < host.timer or host.timer <= state.clock[0].time:
        host.timer = time
        if time < NEVER:
            plan(state, time, node, NONE, NONE)
