"""The native code of the queues (queues.py), whose methods call `enter`, `depth`, `serve` and `settle`. The first
argument of each is the address of a STATE; others are addresses of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from dropzero.native import libc
from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import array_at, struct_at
from dropzero.softswitch.compiler.forwarding.queued_packets import (
    DEQUEUE_DEPTH,
    DEQUEUED,
    DROPPED,
    ENQUEUE_DEPTH,
    ENQUEUED,
    EXPECTED,
    QUEUE,
    WRITTEN,
)
from dropzero.softswitch.engine.queue_records import (
    DEPARTURE,
    FULL,
    GONE,
    NEVER,
    NODE,
    NOTHING,
    PORT,
    PRIORITY_QUEUE,
    STATE,
)
from dropzero.softswitch.engine.wire import after_compiled
from dropzero.softswitch.state.layout import PORT_NUMBERS

_PORT_BYTES, _NODE_BYTES, _GONE_BYTES = PORT.itemsize, NODE.itemsize, GONE.itemsize
_NUMBERS = PORT_NUMBERS - 1


@compiled
def enter(
    at: int, data: int, starts: int, lengths: int, ports: int, order: int, count: int, now: int, owner: int
) -> int:
    state = struct_at(at, STATE, 0)
    first, size, number = array_at(starts, np.int64), array_at(lengths, np.int32), array_at(ports, np.int32)
    numbers = array_at(order, np.int64)
    for each in range(count):
        which = numbers[each]
        port, packet = _port(state, number[which]), data + first[which]
        words = array_at(packet, np.int64)
        came = now if words[ENQUEUED] == now // 1000 else 1000 * words[ENQUEUED]
        priority = words[QUEUE]
        words[ENQUEUE_DEPTH] = _admit(state, port, priority, came)
        if words[ENQUEUE_DEPTH] == FULL:
            continue
        length = -size[which]
        node = libc.malloc(_NODE_BYTES + length)
        struct_at(node, NODE, 0).packet, struct_at(node, NODE, 0).size = node + _NODE_BYTES, length
        struct_at(node, NODE, 0).owner = owner
        memmove(node + _NODE_BYTES, packet, length)
        _append(state, port, priority, node, came, words[EXPECTED])
    return 0


@compiled
def depth(at: int, number: int, priority: int, now: int) -> int:
    return _depth(_queue(_port(struct_at(at, STATE, 0), number), priority), now)


@compiled
def serve(at: int, until: int, alone: int, owner: int, departures: int) -> int:
    state = struct_at(at, STATE, 0)
    count = 0
    while True:
        first = count
        count = _leave(state, until, departures, first)
        for each in range(first, count):
            departure = struct_at(departures, DEPARTURE, each)
            port = struct_at(departure.port_at, PORT, 0)
            if not port.served:
                port.served, port.free_before, port.rest_before = 1, port.free, port.rest
            # A packet that waits only for the wire may leave earlier if those before it become shorter.
            departure.begin = 0 if port.free == departure.time else departure.time
            length = 0
            if departure.owner == owner:
                words = array_at(departure.packet, np.int64)
                words[DEQUEUE_DEPTH], words[DEQUEUED] = departure.left, departure.time // 1000
                length = words[EXPECTED]
            _send(state, departure.port_at, departure.time, length)
        if alone or count == first:
            return count


@compiled
def settle(at: int, owner: int, departures: int, count: int, ports: int, ends: int, frames: int) -> int:
    state = struct_at(at, STATE, 0)
    for each in range(count):
        port = struct_at(struct_at(departures, DEPARTURE, each).port_at, PORT, 0)
        if port.served:
            port.served, port.free, port.rest = 0, port.free_before, port.rest_before
    for each in range(count):
        departure = struct_at(departures, DEPARTURE, each)
        port = struct_at(departure.port_at, PORT, 0)
        written = DROPPED
        if departure.owner == owner:
            written = array_at(departure.packet, np.int64)[WRITTEN]
        departure.end = _send(state, departure.port_at, departure.begin, max(written, 0))
        if written > DROPPED:
            departure.next = 0
            if port.written:
                struct_at(departures, DEPARTURE, port.last_written - 1).next = each + 1
            else:
                port.written = each + 1
            port.last_written = each + 1
    numbers, times = array_at(ports, np.int32), array_at(ends, np.int64)
    for frame in range(frames):
        # Clones may leave by a port without a queue.
        times[frame] = struct_at(departures, DEPARTURE, 0).time
        address = _port(state, numbers[frame])
        if address and struct_at(address, PORT, 0).written:
            departure = struct_at(departures, DEPARTURE, struct_at(address, PORT, 0).written - 1)
            times[frame], struct_at(address, PORT, 0).written = departure.end, departure.next
    for each in range(count):
        departure = struct_at(departures, DEPARTURE, each)
        struct_at(departure.port_at, PORT, 0).written = 0
        libc.free(departure.node)
    return 0


@compiled
def discard(at: int, number: int) -> int:
    """Frees the packets in a port's queues."""
    state = struct_at(at, STATE, 0)
    for priority in range(state.priorities):
        queue = _queue(_port(state, number), priority)
        _prune(queue, NEVER)
        while queue.first:
            node = queue.first
            queue.first = struct_at(node, NODE, 0).next
            libc.free(node)
    return 0


@compiled
def _port(state: Any, number: int) -> int:
    """The address of a port's structures."""
    return int(array_at(state.ports, np.int64)[number & _NUMBERS])


@compiled
def _queue(port: int, priority: int) -> Any:
    return struct_at(port + _PORT_BYTES, PRIORITY_QUEUE, priority)


@compiled
def _admit(state: Any, at: int, priority: int, now: int) -> int:
    """Counts a packet. Returns the number of packets before it, or FULL."""
    _expect(state, at, now)
    port, queue = struct_at(at, PORT, 0), _queue(at, priority)
    before = _depth(queue, now)
    port.offered += 1
    if before >= queue.depth:
        port.dropped += 1
        return FULL
    port.deepest = max(port.deepest, before + 1)
    return before


@compiled
def _append(state: Any, at: int, priority: int, address: int, now: int, length: int) -> None:
    """Appends a packet to a queue."""
    queue, node = _queue(at, priority), struct_at(address, NODE, 0)
    queue.newest_ready = max(now, queue.newest_ready + queue.gap)
    node.came, node.ready, node.length = now, queue.newest_ready, length
    node.next = node.previous = 0
    if queue.first:
        struct_at(queue.last, NODE, 0).next, node.previous = address, queue.last
    else:
        queue.first = address
    queue.last = address
    queue.count += 1
    state.waiting += 1
    if not queue.staying:
        queue.staying = address
    _note(state, at)


@compiled
def _depth(queue: Any, now: int) -> int:
    _prune(queue, now)
    return int(queue.count - queue.leaving + queue.gone_count)


@compiled
def _prune(queue: Any, now: int) -> None:
    """Forgets the packets that have really left by now."""
    while queue.gone and struct_at(queue.gone, GONE, 0).time <= now:
        gone = queue.gone
        queue.gone = struct_at(gone, GONE, 0).next
        queue.gone_count -= 1
        libc.free(gone)


@compiled
def _expect(state: Any, at: int, now: int) -> None:
    """Marks the packets that will have left before `now`, when a packet arrives, as leaving: all packets of a batch
    enter before any of them leaves. Relies on the packets' expected lengths."""
    port = struct_at(at, PORT, 0)
    if not port.expects:
        port.expected_free, port.expected_rest = port.free, port.rest
    while True:
        ready = NEVER
        for priority in range(state.priorities):
            queue = _queue(at, priority)
            if queue.staying:
                ready = min(ready, struct_at(queue.staying, NODE, 0).ready)
        due = max(port.expected_free, ready)
        if ready == NEVER or due >= now:
            return
        port.expects = 1
        queue = _next_queue(state, at, due, 1)
        node = struct_at(queue.staying, NODE, 0)
        queue.leaving += 1
        queue.staying = node.next
        port.expected_free, port.expected_rest = after_compiled(
            port.expected_free, port.expected_rest, due, node.length, port.rate
        )


@compiled
def _next_queue(state: Any, at: int, due: int, staying: int) -> Any:
    """The queue of the highest priority whose first packet, or whose first that stays, may leave at `due`. There must
    be one."""
    priority = state.priorities - 1
    while True:
        queue = _queue(at, priority)
        first = queue.staying if staying else queue.first
        if priority == 0 or (first and struct_at(first, NODE, 0).ready <= due):
            return queue
        priority -= 1


@compiled
def _forget(state: Any, at: int) -> None:
    """Undoes _expect(), before packets leave."""
    struct_at(at, PORT, 0).expects = 0
    for priority in range(state.priorities):
        queue = _queue(at, priority)
        queue.leaving, queue.staying = 0, queue.first


@compiled
def _leave(state: Any, until: int, departures: int, first: int) -> int:
    """Removes the packets that leave next, at most one of each port, and makes departures of them, from number `first`
    on. Returns the number of departures."""
    time, count = until, first
    while state.busy:
        port = array_at(state.agenda, np.int64)[0]
        due = struct_at(port, PORT, 0).due
        if due > time:
            break
        time = due
        _remove(state, port)
        _forget(state, port)
        _depart(state, port, time, struct_at(departures, DEPARTURE, count))
        count += 1
    return count


@compiled
def _depart(state: Any, at: int, time: int, departure: Any) -> None:
    """Removes the packet that leaves a port next."""
    queue = _next_queue(state, at, time, 0)
    _see(queue, time)
    node = struct_at(queue.first, NODE, 0)
    departure.node, departure.port_at, departure.port = queue.first, at, struct_at(at, PORT, 0).number
    departure.packet, departure.size, departure.owner = node.packet, node.size, node.owner
    if queue.last_seen == queue.first:
        queue.last_seen = 0
    queue.first = queue.staying = node.next
    if node.next:
        struct_at(node.next, NODE, 0).previous = 0
    queue.count -= 1
    queue.seen -= 1
    state.waiting -= 1
    departure.time, departure.left = time, queue.seen
    gone = libc.malloc(_GONE_BYTES)
    struct_at(gone, GONE, 0).time, struct_at(gone, GONE, 0).next = time, 0
    if queue.gone:
        struct_at(queue.gone_last, GONE, 0).next = gone
    else:
        queue.gone = gone
    queue.gone_last = gone
    queue.gone_count += 1


@compiled
def _see(queue: Any, time: int) -> None:
    """Counts the packets that came until `time`, when one leaves. A switch that is late has many that came afterwards.
    Times may go back a little, if egress made packets shorter than expected."""
    while queue.last_seen and struct_at(queue.last_seen, NODE, 0).came > time:
        queue.last_seen = struct_at(queue.last_seen, NODE, 0).previous
        queue.seen -= 1
    after = struct_at(queue.last_seen, NODE, 0).next if queue.last_seen else queue.first
    while after and struct_at(after, NODE, 0).came <= time:
        queue.last_seen, after = after, struct_at(after, NODE, 0).next
        queue.seen += 1


@compiled
def _send(state: Any, at: int, begin: int, length: int) -> int:
    """Occupies a port's wire. Returns when the packet has been sent."""
    port = struct_at(at, PORT, 0)
    port.free, port.rest = after_compiled(port.free, port.rest, begin, length, port.rate)
    _note(state, at)
    return int(port.free)


# The agenda is a binary heap of the ports that have packets, by the time of their next departure.


@compiled
def _note(state: Any, at: int) -> None:
    """Puts a port that has packets into its place on the agenda."""
    port = struct_at(at, PORT, 0)
    ready = NEVER
    for priority in range(state.priorities):
        queue = _queue(at, priority)
        if queue.first:
            ready = min(ready, struct_at(queue.first, NODE, 0).ready)
    if ready == NEVER:
        return
    due = max(port.free, ready)
    if not port.place:
        state.busy += 1
        _put(state, state.busy, at)
    elif due == port.due:
        return
    port.due = due
    _sift(state, port.place)


@compiled
def _remove(state: Any, at: int) -> None:
    """Takes a port off the agenda."""
    place = struct_at(at, PORT, 0).place
    struct_at(at, PORT, 0).place = 0
    last = array_at(state.agenda, np.int64)[state.busy - 1]
    state.busy -= 1
    if last != at:
        _put(state, place, last)
        _sift(state, place)
    _set_next(state)


@compiled
def _sift(state: Any, place: int) -> None:
    """Moves the port at a place, counted from 1, up or down to where it belongs."""
    agenda = array_at(state.agenda, np.int64)
    at = agenda[place - 1]
    while place > 1 and _is_before(at, agenda[place // 2 - 1]):
        _put(state, place, agenda[place // 2 - 1])
        place //= 2
    while 2 * place <= state.busy:
        child = 2 * place
        if child < state.busy and _is_before(agenda[child], agenda[child - 1]):
            child += 1
        if not _is_before(agenda[child - 1], at):
            break
        _put(state, place, agenda[child - 1])
        place = child
    _put(state, place, at)
    _set_next(state)


@compiled
def _put(state: Any, place: int, at: int) -> None:
    array_at(state.agenda, np.int64)[place - 1] = at
    struct_at(at, PORT, 0).place = place


@compiled
def _is_before(one: int, other: int) -> bool:
    first, second = struct_at(one, PORT, 0), struct_at(other, PORT, 0)
    return bool(first.due < second.due or (first.due == second.due and first.number < second.number))


@compiled
def _set_next(state: Any) -> None:
    state.next = NOTHING
    if state.busy:
        state.next = struct_at(array_at(state.agenda, np.int64)[0], PORT, 0).due
