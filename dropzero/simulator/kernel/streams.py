"""Streams: messages from one host to another, in packets that are answered, as TCP does it.

The window follows [DCTCP], and timeouts [RFC6298]. A packet is lost if REORDERED later ones have arrived, and only lost
ones are sent again. A host takes turns among its streams, and keeps its network card's queue short.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import struct_at
from dropzero.protocol.lanes.timer import INITIAL_MIN_TIMEOUT, INITIAL_TIMEOUT
from dropzero.protocol.wire import OUTER_BYTES
from dropzero.simulator.kernel.events import forget, frame, new_packet, plan
from dropzero.simulator.kernel.hosts import append, head
from dropzero.simulator.kernel.links import carry, enter, send
from dropzero.simulator.kernel.state import HEADERS, NONE, SEGMENT, SEGMENT_BYTES, WINDOW, State
from dropzero.softswitch.engine.wire import SECOND

DATA, URGENT, ANSWER = range(3)
"""Kinds of packets: to be answered; to be answered at once, because the sender has no more to send now; an answer."""
BURST = 64
"""The most packets that a host sends at once."""
QUEUED = 32
"""The most full packets that a host leaves in its card's queue."""
OPENING = 10.0
"""The first window [RFC6928]."""
SMOOTHING = 1 / 16
REORDERED = 3
FIRST, LEAST = round(INITIAL_TIMEOUT * SECOND), round(INITIAL_MIN_TIMEOUT * SECOND)
"""Nanoseconds of a timeout before a round trip is known, and at least: as for the workers' lanes."""
ROUND_TRIPS = 4
"""A timeout in smoothed round trips."""
DOUBLINGS = 6

_ECN = 14 + 1
"""The offset of the byte with the IP header's ECN bits."""
_CE = 3


@compiled
def begin(state: State, streams: NDArray[np.int64], hosts: NDArray[np.int64], time: int) -> None:
    """Lets `hosts` send what these streams of theirs were given, from `time` on."""
    for number in streams:
        _add(state, number)
    for host in hosts:
        plan(state, max(time, state.hosts[host].busy), len(state.switches) + host, NONE, NONE)


@compiled
def handle(state: State, number: int, node: int) -> None:
    """Takes in the batch, answers it, and sends what the windows allow, once the core is free."""
    clock, host = state.clock[0], state.hosts[number]
    for at in range(clock.arrived):
        if state.batch[at, 1] == NONE:
            _expire(state, node, state.batch[at, 0])
        else:
            append(state, host, state.batch[at, 1])
    if clock.time < host.busy:
        if not host.woken:
            host.woken = True
            plan(state, host.busy, node, NONE, NONE)
        return
    host.woken = False
    time = clock.time + host.cost * host.waiting
    packet = host.first
    while host.waiting:
        segment = struct_at(frame(state, packet) + OUTER_BYTES, SEGMENT, 0)
        if segment.kind == ANSWER:
            _hear(state, segment, time)
        else:
            time = _receive(state, host, packet, segment, time)
        forget(state, packet)
        packet = state.following[packet]
        host.waiting -= 1
    host.busy = _give(state, host, node, time)


@compiled
def _receive(state: State, host: Any, packet: int, segment: Any, time: int) -> int:
    """Takes in a packet with data, and answers every other one, or at once if it must. Returns when that is done."""
    stream, number = state.streams[segment.stream], int(segment.number)
    stream.unanswered += 1
    stream.marked += state.frames[packet, _ECN] & _CE == _CE
    at_once = segment.kind == URGENT or number != stream.expected or stream.unanswered > 1
    if number >= stream.expected:
        message, offset, size = _place(state, stream.coming, number)
        memmove(state.messages[message].copy + offset, frame(state, packet) + HEADERS, size)
        stream.seen[number % WINDOW] = True
        while stream.seen[stream.expected % WINDOW]:
            stream.seen[stream.expected % WINDOW] = False
            stream.expected += 1
            if stream.expected == state.messages[stream.coming].end:
                _deliver(state, stream, time)
    if at_once:
        time += host.cost
        _send(state, host, stream.answer_outer, segment.stream, number, segment.time, ANSWER, 0, 0, time)
        stream.unanswered = stream.marked = 0
    return time


@compiled
def _deliver(state: State, stream: Any, time: int) -> None:
    """Notes that a message has arrived as a whole."""
    clock, message = state.clock[0], state.messages[stream.coming]
    clock.usable = time if clock.delivered == NONE else min(time, clock.usable)
    message.before, clock.delivered = clock.delivered, stream.coming
    stream.coming = message.following


@compiled
def _hear(state: State, segment: Any, time: int) -> None:
    """Takes in an answer."""
    stream, number = state.streams[segment.stream], int(segment.number)
    round_trip = time - segment.time
    stream.round_trip += (round_trip - stream.round_trip) // 8 if stream.round_trip else round_trip
    arrived = 0
    while stream.base < segment.expected:
        arrived += _arrive(stream, stream.base)
        stream.arrived[stream.base % WINDOW] = False
        stream.base += 1
        if stream.base == state.messages[stream.kept].end:
            stream.kept = state.messages[stream.kept].following
    if number >= stream.base:
        arrived += _arrive(stream, number)
    stream.examined = max(stream.examined, stream.base)
    lost = 0
    while stream.examined + REORDERED <= number:
        lost += _miss(stream, stream.examined)
        stream.examined += 1
    _adapt(stream, arrived, segment.packets, segment.marked, lost)
    if arrived:
        stream.tries = 0
        stream.due = time + _timeout(stream)
    _add(state, segment.stream)


@compiled
def _arrive(stream: Any, number: int) -> int:
    """Notes that a packet has arrived. Returns 1 if that is news."""
    at = number % WINDOW
    if stream.arrived[at]:
        return 0
    stream.arrived[at] = True
    if stream.missing[at]:
        stream.missing[at] = False
        stream.repeats -= 1
    else:
        stream.flying -= 1
    return 1


@compiled
def _miss(stream: Any, number: int) -> int:
    """Notes that a packet is lost, unless it has arrived. Returns 1 if that is news."""
    at = number % WINDOW
    if stream.arrived[at] or stream.missing[at]:
        return 0
    stream.missing[at] = True
    stream.repeats += 1
    stream.flying -= 1
    return 1


@compiled
def _adapt(stream: Any, arrived: int, answered: int, congested: int, lost: int) -> None:
    """Changes the window: [DCTCP] section 3.1."""
    stream.answered += answered
    stream.congested += congested
    if lost and stream.base >= stream.recovery:
        stream.threshold = stream.window = max(1.0, stream.window / 2)
        stream.recovery = stream.next
    elif stream.window < stream.threshold:
        stream.window += arrived
    else:
        stream.window += arrived / stream.window
    if stream.base >= stream.round:
        stream.share += (stream.congested / stream.answered - stream.share) * SMOOTHING
        if stream.congested:
            stream.threshold = stream.window = max(1.0, stream.window * (1 - stream.share / 2))
        stream.answered = stream.congested = 0
        stream.round = stream.next
    stream.window = min(stream.window, float(WINDOW))


@compiled
def _expire(state: State, node: int, number: int) -> None:
    """Gives up all that is in flight, if an answer is overdue."""
    stream, time = state.streams[number], state.clock[0].time
    stream.alarmed = False
    if stream.base == stream.next:
        return
    if time >= stream.due:
        for each in range(stream.base, stream.next):
            _miss(stream, each)
        stream.threshold, stream.window = max(2.0, stream.window / 2), 1.0
        stream.examined = stream.recovery = stream.next
        stream.tries += 1
        stream.due = time + _timeout(stream)
        _add(state, number)
    _alarm(state, stream, node, number)


@compiled
def _timeout(stream: Any) -> int:
    first = max(LEAST, ROUND_TRIPS * stream.round_trip) if stream.round_trip else FIRST
    return int(first << min(stream.tries, DOUBLINGS))


@compiled
def _alarm(state: State, stream: Any, node: int, number: int) -> None:
    stream.alarmed = True
    plan(state, stream.due, node, number, NONE)


@compiled
def _may_send(stream: Any) -> bool:
    more = stream.repeats or stream.next < min(stream.given, stream.base + WINDOW)
    return bool(more and stream.flying < int(stream.window))


@compiled
def _add(state: State, number: int) -> None:
    """Adds a stream to its host's that may send, if it is none yet."""
    stream = state.streams[number]
    if stream.ready or not _may_send(stream):
        return
    host = state.hosts[stream.source]
    if host.first_stream == NONE:
        host.first_stream = number
    else:
        state.streams[host.last_stream].following = number
    host.last_stream = number
    stream.ready, stream.following = True, NONE


@compiled
def _give(state: State, host: Any, node: int, time: int) -> int:
    """Sends a packet from each stream in turn, from `time` on. Returns when the core is free again."""
    link, settings = state.links[host.link], state.settings[0]
    full = 8 * SECOND * (HEADERS + SEGMENT_BYTES) // link.rate
    sent = 0
    while host.first_stream != NONE:
        if sent == BURST or link.free - time > settings.card * full:
            again = max(time, link.free - settings.card // 2 * full)
            if host.again <= state.clock[0].time or again < host.again:
                host.again = again
                plan(state, again, node, NONE, NONE)
            break
        number = host.first_stream
        stream = state.streams[number]
        host.first_stream, stream.ready = stream.following, False
        if _may_send(stream):
            time += host.cost
            _send_next(state, host, stream, node, number, time)
            _add(state, number)
            sent += 1
    return time


@compiled
def _send_next(state: State, host: Any, stream: Any, node: int, number: int, time: int) -> None:
    """Sends the first lost packet again, or the next one."""
    which = stream.next
    if stream.repeats:
        which = stream.base
        while not stream.missing[which % WINDOW]:
            which += 1
        stream.missing[which % WINDOW] = False
        stream.repeats -= 1
        stream.repeated += 1
    else:
        stream.next += 1
    if not stream.flying:
        stream.due = time + _timeout(stream)
    stream.flying += 1
    if not stream.alarmed:
        _alarm(state, stream, node, number)
    message, offset, size = _place(state, stream.kept, which)
    content = state.messages[message].content + offset
    kind = DATA if _may_send(stream) else URGENT
    _send(state, host, stream.outer, number, which, time, kind, content, size, time)


@compiled
def _place(state: State, message: int, number: int) -> tuple[int, int, int]:
    """The message that a packet belongs to, looked for from `message` on; the packet's offset there, and its bytes."""
    which = int(message)
    while number >= state.messages[which].end:
        which = int(state.messages[which].following)
    offset = (number - state.messages[which].first) * SEGMENT_BYTES
    return which, offset, min(SEGMENT_BYTES, state.messages[which].size - offset)


@compiled
def _send(
    state: State,
    host: Any,
    outer: Any,
    stream: int,
    number: int,
    sent: int,
    kind: int,
    content: int,
    size: int,
    time: int,
) -> None:
    """Puts a packet into the card's queue at `time`, if there is room. sent: for its header."""
    length = HEADERS + size
    state.clock[0].batches += 1
    if enter(state, host.link, time, length) == NONE:
        return
    packet = new_packet(state)
    state.lengths[packet] = length
    segment, own = struct_at(frame(state, packet) + OUTER_BYTES, SEGMENT, 0), state.streams[stream]
    segment.stream, segment.number, segment.time, segment.kind = stream, number, sent, kind
    segment.expected, segment.packets, segment.marked = own.expected, own.unanswered, own.marked
    memmove(frame(state, packet) + HEADERS, content, size)
    head(state, outer, packet)
    carry(state, host.link, send(state, host.link, time, length), packet)
