"""Switches: the embedded switch's compiled program, between the queues of its links; also on a host, whose core takes
time for each packet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import array_at, call_at
from dropzero.simulator.kernel.events import forget, frame, new_packet, plan
from dropzero.simulator.kernel.links import carry, enter, send
from dropzero.simulator.kernel.state import COMING, GOING, NONE, QUEUED, RESUMED, State
from dropzero.softswitch.compiler.forwarding.queued_packets import (
    DEQUEUE_DEPTH,
    DEQUEUED,
    ENQUEUE_DEPTH,
    EXPECTED,
    WRITTEN,
)
from dropzero.softswitch.state.layout import Context

FINE, UNSUPPORTED = range(2)

_DEPARTED, _WAITING = Context.departed, Context.waiting_count


@compiled
def postpone(state: State, number: int) -> bool:
    """Lets the batch come when the core is free. Returns False if it is."""
    clock, switch = state.clock[0], state.switches[number]
    if not switch.cost or clock.time >= switch.busy:
        return False
    for at in range(clock.arrived):
        plan(state, switch.busy, number, state.batch[at, 0], state.batch[at, 1])
    return True


@compiled
def handle(state: State, number: int) -> int:
    """Runs the batch through a switch. Returns UNSUPPORTED if the program clones, recirculates or makes packets longer
    than the memory of one.

    A packet leaves its queue as soon as it has come, with the time at which the link has sent it: that depends only on
    earlier arrivals.
    """
    clock, switch = state.clock[0], state.switches[number]
    time = clock.time + switch.cost * clock.arrived
    for at in range(clock.arrived):
        packet = state.batch[at, 1]
        state.starts[COMING, at] = frame(state, packet)
        state.sizes[COMING, at] = state.lengths[packet]
        state.ports[COMING, at] = state.batch[at, 0]
        state.arrivals[at] = clock.time // 1000
    departed = _run(state, switch, switch.process, COMING, clock.arrived, time)
    for at in range(clock.arrived):
        forget(state, state.batch[at, 1])
    if departed == NONE:
        return UNSUPPORTED
    count = _queue(state, switch, departed, time)
    return _leave(state, switch, count) if count else FINE


@compiled
def _run(state: State, switch: Any, function: int, kind: int, count: int, time: int) -> int:
    """Runs `process` or `resume` on packets, see Engine, which makes those of the next kind. Returns how many; NONE:
    some are not done."""
    starts, sizes, ports = state.starts, state.sizes, state.ports
    words = state.words[kind >> 1]
    taken = call_at(
        function,
        (
            *(switch.context, switch.vector, switch.aside, 0),
            *(_address(starts[kind]), _address(sizes[kind]), _address(ports[kind]), _address(state.arrivals)),
            *(_address(words), _address(starts[kind + 1]), _address(sizes[kind + 1]), _address(ports[kind + 1])),
            *(count, time // 1000, 8 * len(words), starts.shape[1]),
        ),
    )
    context = array_at(switch.context, np.int64)
    return int(context[_DEPARTED]) if taken == count and not context[_WAITING] else NONE


@compiled
def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


@compiled
def _queue(state: State, switch: Any, departed: int, time: int) -> int:
    """Puts what the program sends, from `time` on, into the links' queues. Returns how many found room. These are rows
    of `leaving`; `order` has them by time and port, as they leave."""
    clock, order, queued = state.clock[0], state.order, state.words[0]
    clock.batches += 1
    count = 0
    for at in range(departed):
        time += switch.cost
        number = switch.links[state.ports[QUEUED, at]]
        if number == NONE:
            continue
        words, link = state.starts[QUEUED, at] >> 3, state.links[number]
        depth = enter(state, number, time, queued[words + EXPECTED])
        if depth == NONE:
            continue
        queued[words + ENQUEUE_DEPTH] = depth
        queued[words + DEQUEUED] = link.begins // 1000
        leaving = state.leaving[count]
        leaving.begins, leaving.place = link.begins, link.entered
        leaving.port, leaving.link = state.ports[QUEUED, at], number
        leaving.words, leaving.size = words, -state.sizes[QUEUED, at]
        leaving.ready = time
        to = count
        while to and _follows(state, order[to - 1], count):
            order[to] = order[to - 1]
            to -= 1
        order[to] = count
        count += 1
    switch.busy = time
    return count


@compiled
def _follows(state: State, one: int, other: int) -> bool:
    """Whether one packet leaves after the other."""
    first, second = state.leaving[one], state.leaving[other]
    return bool(first.begins > second.begins or (first.begins == second.begins and first.port > second.port))


@compiled
def _leave(state: State, switch: Any, count: int) -> int:
    """Runs packets that leave their queues through egress, and onto the links."""
    queued, going = state.words[0], state.words[1]
    for at in range(count):
        leaving = state.leaving[state.order[at]]
        queued[leaving.words + DEQUEUE_DEPTH] = state.links[leaving.link].entered - leaving.place
        state.starts[RESUMED, at] = _address(queued) + 8 * leaving.words
        state.sizes[RESUMED, at] = leaving.size
        state.ports[RESUMED, at] = leaving.port
    departed = _run(state, switch, switch.resume, RESUMED, count, state.leaving[state.order[0]].begins)
    gone = 0
    for at in range(count):
        leaving = state.leaving[state.order[at]]
        written = queued[leaving.words + WRITTEN]
        end = send(state, leaving.link, leaving.ready, max(written, 0))
        if written < 0:
            continue
        length = state.sizes[GOING, gone]
        if gone >= departed or state.ports[GOING, gone] != leaving.port or length > state.frames.shape[1]:
            return UNSUPPORTED
        packet = new_packet(state)
        state.lengths[packet] = length
        memmove(frame(state, packet), _address(going) + state.starts[GOING, gone], length)
        carry(state, leaving.link, end, packet)
        gone += 1
    return FINE if gone == departed else UNSUPPORTED
