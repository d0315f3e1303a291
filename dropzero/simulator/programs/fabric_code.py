"""The native code of a fabric (fabric.py): events, the arithmetic of links, and packets through switches' engines.

The first argument of each function is the address of a FABRIC, or a FABRIC.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dropzero.native import libc
from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import array_at, call_at, struct_at
from dropzero.simulator.kernel.heap import EVENT, pop, push
from dropzero.simulator.programs.fabric_records import FABRIC, LINK, NONE, PACKET, SWITCH, Kind, Need
from dropzero.softswitch.engine import queue_code
from dropzero.softswitch.engine.engine import ALLOWANCE
from dropzero.softswitch.engine.queue_records import DEPARTURE, STATE
from dropzero.softswitch.engine.wire import after_compiled
from dropzero.softswitch.state.layout import PORT_NUMBERS, Context

_SEND, _REACH, _RECEIVE, _CONTINUE = map(int, Kind)
_ENGINE, _QUEUE, _LINK, _LUCK, _REPORTS = map(int, Need)
_EVENT_BYTES, _PACKET_BYTES, _DEPARTURE_BYTES = EVENT.itemsize, PACKET.itemsize, DEPARTURE.itemsize
_PORTS = PORT_NUMBERS - 1
_DEPARTED, _WAITING, _WANTED = Context.departed, Context.waiting_count, Context.wanted
_MOST_COPIES, _REPORTS_END = Context.most_copies, Context.reports_end


@compiled
def run(at: int, until: int, most: int) -> int:
    """Handles events until hosts have received `most` packets or more, or none is left that is due at `until`. Returns
    how many packets hosts have received. Frees those of the last call."""
    fabric = struct_at(at, FABRIC, 0)
    _forget(fabric)
    while fabric.planned and fabric.arrivals < most and struct_at(fabric.events, EVENT, 0).time <= until:
        fabric.time = struct_at(fabric.events, EVENT, 0).time
        while fabric.planned and struct_at(fabric.events, EVENT, 0).time == fabric.time:
            _handle(fabric, _taken(fabric))
        while fabric.first:
            number = fabric.first - 1
            switch = struct_at(fabric.switches, SWITCH, number)
            fabric.first, switch.reached = switch.next, 0
            _process(fabric, switch, number)
    return int(fabric.arrivals)


@compiled
def plan(at: int, time: int, kind: int, switch: int, port: int, data: int, length: int) -> int:
    """Plans an event, with a copy of the packet's bytes."""
    _plan(struct_at(at, FABRIC, 0), time, _packet(kind, switch, port, data, length))
    return 0


@compiled
def discard(at: int) -> int:
    """Frees all memory."""
    fabric = struct_at(at, FABRIC, 0)
    _forget(fabric)
    while fabric.planned:
        libc.free(_taken(fabric))
    for each in (fabric.events, fabric.starts, fabric.lengths, fabric.ports, fabric.arrivals_in):
        libc.free(each)
    for each in (fabric.data, fabric.out_starts, fabric.out_lengths, fabric.out_ports, fabric.order):
        libc.free(each)
    for each in (fabric.departures, fabric.left, fabric.left_ports, fabric.left_times):
        libc.free(each)
    return 0


@compiled
def _forget(fabric: Any) -> None:
    """Frees the packets that hosts have received."""
    while fabric.arrived:
        packet = fabric.arrived
        fabric.arrived = struct_at(packet, PACKET, 0).next
        libc.free(packet)
    fabric.arrivals = 0


@compiled
def _packet(kind: int, switch: int, port: int, data: int, length: int) -> int:
    address = libc.malloc(_PACKET_BYTES + length)
    packet = struct_at(address, PACKET, 0)
    packet.kind, packet.switch, packet.port, packet.length, packet.next = kind, switch, port, length, 0
    memmove(address + _PACKET_BYTES, data, length)
    return int(address)


@compiled
def _plan(fabric: Any, time: int, packet: int) -> None:
    """Plans an event. Events of the same time happen in the order of their planning."""
    if fabric.planned == fabric.room:
        fabric.room = 2 * fabric.room + 64
        fabric.events = libc.realloc(fabric.events, fabric.room * _EVENT_BYTES)
    fabric.number += 1
    push(fabric.events, fabric.planned, time, fabric.number, 0, packet)
    fabric.planned += 1


@compiled
def _taken(fabric: Any) -> int:
    """Removes the next event. Returns its packet."""
    packet = struct_at(fabric.events, EVENT, 0).packet
    pop(fabric.events, fabric.planned)
    fabric.planned -= 1
    return int(packet)


@compiled
def _handle(fabric: Any, address: int) -> None:
    """Handles an event."""
    packet = struct_at(address, PACKET, 0)
    if packet.kind == _SEND:
        switch = struct_at(fabric.switches, SWITCH, packet.switch)
        link = struct_at(array_at(switch.hosts, np.int64)[packet.port & _PORTS], LINK, 0)
        link.free, link.rest = after_compiled(link.free, link.rest, fabric.time, packet.length, link.rate)
        _carry(fabric, link, link.free, address)
    elif packet.kind == _RECEIVE:
        packet.time = fabric.time
        if fabric.arrived:
            struct_at(fabric.last_arrived, PACKET, 0).next = address
        else:
            fabric.arrived = address
        fabric.last_arrived = address
        fabric.arrivals += 1
    else:
        number = packet.switch
        switch = struct_at(fabric.switches, SWITCH, number)
        if not switch.reached:
            switch.reached, switch.next, switch.count = 1, 0, 0
            if fabric.first:
                struct_at(fabric.switches, SWITCH, fabric.last - 1).next = number + 1
            else:
                fabric.first = number + 1
            fabric.last = number + 1
        if packet.kind == _CONTINUE:
            libc.free(address)
            return
        if switch.count:
            struct_at(switch.last, PACKET, 0).next = address
        else:
            switch.first = address
        switch.last = address
        switch.count += 1


@compiled
def _carry(fabric: Any, link: Any, sent: int, address: int) -> None:
    """Plans the arrivals of a packet whose last bit was sent: none, one or two, by the rules of kernel/links.py."""
    packet = struct_at(address, PACKET, 0)
    link.packets += 1
    link.bytes += packet.length
    if link.loss and _draw(fabric) < link.loss:
        link.lost += 1
        libc.free(address)
        return
    packet.kind, packet.switch, packet.port, packet.next = link.kind, link.switch, link.port, 0
    arrival = sent if link.reorder and _draw(fabric) < link.reorder else sent + link.delay
    _plan(fabric, arrival, address)
    if link.duplicate and _draw(fabric) < link.duplicate:
        copy = _packet(link.kind, link.switch, link.port, address + _PACKET_BYTES, packet.length)
        _plan(fabric, arrival, copy)


@compiled
def _draw(fabric: Any) -> float:
    """The next random number."""
    if fabric.drawn == fabric.lucky:
        call_at(fabric.ask, (_LUCK, 0, 0))
    fabric.drawn += 1
    return float(array_at(fabric.luck, np.float64)[fabric.drawn - 1])


@compiled
def _leave(fabric: Any, switch: Any, number: int, port: int, sent: int, address: int) -> None:
    """The last bit of a packet leaves a switch."""
    packet = struct_at(address, PACKET, 0)
    if port == switch.cpu_port:
        packet.kind, packet.switch, packet.port, packet.next = _RECEIVE, number, port, 0
        _plan(fabric, sent, address)
        return
    if not array_at(switch.links, np.int64)[port & _PORTS]:
        call_at(fabric.ask, (_LINK, number, port))
    _carry(fabric, struct_at(array_at(switch.links, np.int64)[port & _PORTS], LINK, 0), sent, address)


@compiled
def _process(fabric: Any, switch: Any, number: int) -> None:
    """Runs packets that have reached a switch through its program, and lets go what leaves its queues."""
    if not switch.process:
        call_at(fabric.ask, (_ENGINE, number, 0))
        if not switch.process:
            _drop(switch)
            return
    fabric.left_count = 0
    _serve(fabric, switch, number)
    if switch.count:
        served = fabric.left_count
        _reserve_in(fabric, switch.count)
        starts, lengths = array_at(fabric.starts, np.int64), array_at(fabric.lengths, np.int32)
        ports, arrivals = array_at(fabric.ports, np.int32), array_at(fabric.arrivals_in, np.int64)
        address = switch.first
        for each in range(switch.count):
            packet = struct_at(address, PACKET, 0)
            starts[each], lengths[each], ports[each] = address + _PACKET_BYTES, packet.length, packet.port
            arrivals[each] = fabric.time // 1000
            address = packet.next
        _run(fabric, switch, number, switch.process, switch.count, fabric.time)
        _drop(switch)
        # Packets that leave at once come first, also before those that left their queues before this batch.
        _let_go(fabric, switch, number, served, fabric.left_count, fabric.time)
        fabric.left_count = served
        _serve(fabric, switch, number)
    _let_go(fabric, switch, number, 0, fabric.left_count, NONE)
    due = struct_at(switch.queues, STATE, 0).next
    if due != NONE and due != switch.due:
        switch.due = due
        _plan(fabric, due, _packet(_CONTINUE, number, 0, 0, 0))


@compiled
def _drop(switch: Any) -> None:
    """Frees the packets that have reached a switch."""
    address = switch.first
    for _ in range(switch.count):
        following = struct_at(address, PACKET, 0).next
        libc.free(address)
        address = following
    switch.count = 0


@compiled
def _let_go(fabric: Any, switch: Any, number: int, first: int, end: int, time: int) -> None:
    """Lets packets leave a switch. time: when, or NONE: as `left_times` says."""
    for each in range(first, end):
        sent = array_at(fabric.left_times, np.int64)[each] if time == NONE else time
        port = array_at(fabric.left_ports, np.int32)[each]
        _leave(fabric, switch, number, port, sent, array_at(fabric.left, np.int64)[each])


@compiled
def _serve(fabric: Any, switch: Any, number: int) -> None:
    """As Engine's: runs packets that leave their queues by now through egress, and appends them to `left`."""
    queues = struct_at(switch.queues, STATE, 0)
    while queues.waiting:
        if queues.waiting > fabric.departure_room:
            fabric.departure_room = 2 * queues.waiting
            fabric.departures = libc.realloc(fabric.departures, fabric.departure_room * _DEPARTURE_BYTES)
        count = queue_code.serve(switch.queues, fabric.time, switch.alone, switch.owner, fabric.departures)
        if not count:
            return
        _reserve_in(fabric, count)
        starts, lengths = array_at(fabric.starts, np.int64), array_at(fabric.lengths, np.int32)
        ports = array_at(fabric.ports, np.int32)
        own = 0
        for each in range(count):
            departure = struct_at(fabric.departures, DEPARTURE, each)
            if departure.owner == switch.owner:
                starts[own], lengths[own], ports[own] = departure.packet, departure.size, departure.port
                own += 1
        before, time = fabric.left_count, struct_at(fabric.departures, DEPARTURE, 0).time
        _run(fabric, switch, number, switch.resume, own, time)
        gone = fabric.left_count - before
        places = fabric.left_ports + 4 * before, fabric.left_times + 8 * before
        queue_code.settle(switch.queues, switch.owner, fabric.departures, count, places[0], places[1], gone)


@compiled
def _run(fabric: Any, switch: Any, number: int, function: int, count: int, time: int) -> None:
    """As Engine's: runs `count` packets through `process` or `resume`, queues those for ports with queues, and appends
    the others to `left`."""
    context = array_at(switch.context, np.int64)
    lengths = array_at(fabric.lengths, np.int32)
    copies = context[_MOST_COPIES]
    at = waiting = 0
    while at < count or waiting:
        size = ALLOWANCE + (context[_WANTED] if waiting else (lengths[at] + switch.growth) * copies)
        for each in range(at, count):
            size += lengths[each] + switch.growth
        _reserve_out(fabric, size, count - at + copies)
        at += call_at(
            function,
            (
                *(switch.context, switch.vector, switch.aside, 0),
                *(fabric.starts + 8 * at, fabric.lengths + 4 * at, fabric.ports + 4 * at, fabric.arrivals_in + 8 * at),
                *(fabric.data, fabric.out_starts, fabric.out_lengths, fabric.out_ports),
                *(count - at, time // 1000, fabric.out_bytes, fabric.out_room),
            ),
        )
        waiting = context[_WAITING]
        _collect(fabric, switch, number, context[_DEPARTED], time)
    if context[_REPORTS_END]:
        call_at(fabric.ask, (_REPORTS, number, 0))


@compiled
def _collect(fabric: Any, switch: Any, number: int, departed: int, time: int) -> None:
    """Queues the packets that an engine's call has put out, or appends them to `left`."""
    starts, lengths = array_at(fabric.out_starts, np.int64), array_at(fabric.out_lengths, np.int32)
    ports, order = array_at(fabric.out_ports, np.int32), array_at(fabric.order, np.int64)
    _reserve_left(fabric, departed)
    known = array_at(struct_at(switch.queues, STATE, 0).ports, np.int64)
    left, left_ports = array_at(fabric.left, np.int64), array_at(fabric.left_ports, np.int32)
    queued = 0
    for each in range(departed):
        if lengths[each] < 0:
            if not known[ports[each] & _PORTS]:
                call_at(fabric.ask, (_QUEUE, number, ports[each]))
            order[queued] = each
            queued += 1
            continue
        left[fabric.left_count] = _packet(_RECEIVE, number, 0, fabric.data + starts[each], lengths[each])
        left_ports[fabric.left_count] = ports[each]
        fabric.left_count += 1
    if queued:
        queue_code.enter(
            *(switch.queues, fabric.data, fabric.out_starts, fabric.out_lengths, fabric.out_ports),
            *(fabric.order, queued, time, switch.owner),
        )


@compiled
def _reserve_in(fabric: Any, count: int) -> None:
    if count > fabric.in_room:
        fabric.in_room = 2 * count + 64
        fabric.starts = libc.realloc(fabric.starts, 8 * fabric.in_room)
        fabric.lengths = libc.realloc(fabric.lengths, 4 * fabric.in_room)
        fabric.ports = libc.realloc(fabric.ports, 4 * fabric.in_room)
        fabric.arrivals_in = libc.realloc(fabric.arrivals_in, 8 * fabric.in_room)


@compiled
def _reserve_out(fabric: Any, size: int, count: int) -> None:
    if size > fabric.out_bytes:
        # Whole words, since packets in queues begin at one.
        fabric.out_bytes = 2 * size & ~7
        fabric.data = libc.realloc(fabric.data, fabric.out_bytes)
    if count > fabric.out_room:
        fabric.out_room = 2 * count + 64
        fabric.out_starts = libc.realloc(fabric.out_starts, 8 * fabric.out_room)
        fabric.out_lengths = libc.realloc(fabric.out_lengths, 4 * fabric.out_room)
        fabric.out_ports = libc.realloc(fabric.out_ports, 4 * fabric.out_room)
        fabric.order = libc.realloc(fabric.order, 8 * fabric.out_room)


@compiled
def _reserve_left(fabric: Any, more: int) -> None:
    if fabric.left_count + more > fabric.left_room:
        fabric.left_room = 2 * (fabric.left_count + more)
        fabric.left = libc.realloc(fabric.left, 8 * fabric.left_room)
        fabric.left_ports = libc.realloc(fabric.left_ports, 4 * fabric.left_room)
        fabric.left_times = libc.realloc(fabric.left_times, 8 * fabric.left_room)
