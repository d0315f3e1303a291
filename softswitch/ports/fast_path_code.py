"""The native code of the fast path: waits for packets and carries them from ports to ports (fast_path.py)."""

from __future__ import annotations

import errno
import select
import socket
import time
from typing import Any

import numpy as np

from dropzero.linux.abi import MESSAGE
from dropzero.softswitch.native.functions import call, compiled, element, int64, numbers, types, write
from dropzero.softswitch.ports.gso import GSO_UDP, SOURCES, VNET_HEADER
from dropzero.softswitch.ports.gso_code import arrive, depart
from dropzero.softswitch.ports.ports import SENT
from dropzero.softswitch.ports.words import ARRIVED, CALLED, POLL, PROCESSED, SEND_EVERY, SPIN_NS, TIME, WORDS
from dropzero.softswitch.state.layout import Context

_int, _address = types.intc, types.intp
_poll: Any = types.ExternalFunction("poll", _int(_address, _address, _int))
_recvmmsg: Any = types.ExternalFunction("recvmmsg", _int(_int, _address, types.uintc, _int, _address))
_sendmmsg: Any = types.ExternalFunction("sendmmsg", _int(_int, _address, types.uintc, _int))
_clock_gettime: Any = types.ExternalFunction("clock_gettime", _int(_int, _address))
_sched_yield: Any = types.ExternalFunction("sched_yield", _int())
_errno: Any = types.ExternalFunction("__errno_location", types.CPointer(_int)())

_MONOTONIC, _REALTIME = int(time.CLOCK_MONOTONIC), int(time.CLOCK_REALTIME)
_DONTWAIT, _POLLIN = int(socket.MSG_DONTWAIT), int(select.POLLIN)
_MESSAGE_BYTES = MESSAGE.itemsize
_DEPARTED, _WAITING, _REPORTED = Context.departed, Context.waiting_count, Context.reports_end
_QUEUED = 31
"""The bit of a packet's length that says that it waits in a queue."""


@compiled
def fast_path(at: int) -> int:
    """Carries packets until Python has something to do. at: WORDS. Returns why."""
    words = element(at, WORDS, 0)
    while True:
        if words.error:
            return CALLED
        found = _wait(words)
        if found <= 0 or _python_is_wanted(words):
            return CALLED
        words.filled = _receive(words, found)
        if not words.filled:
            return CALLED
        words.time = _now(words)
        words.real = words.begin + _read(words, _REALTIME) - words.time
        words.made = arrive(at, words.filled)
        if _python_splits(words):
            return ARRIVED
        # Results leave while others are made, and are in the caches when they do.
        for begun in range(0, words.made, SEND_EVERY):
            departed = _process(words, begun, min(SEND_EVERY, words.made - begun))
            if departed < 0:
                return PROCESSED
            for before in range(0, departed, SENT):
                _send(words, at, before, min(SENT, departed - before))


@compiled
def _wait(words: Any) -> int:
    """How many of those that are polled have something: now, after a little while, or after a sleep."""
    _sched_yield()
    found = _poll(words.polled, words.all_polled, 0)
    if found:
        return int(found)
    until = _now(words) + words.spin
    while True:
        _sched_yield()
        found = _poll(words.polled, words.all_polled, 0)
        if found:
            words.spin = SPIN_NS
            return int(found)
        if _now(words) >= until:
            words.spin >>= 1
            return int(_poll(words.polled, words.all_polled, -1))


@compiled
def _now(words: Any) -> int:
    """Nanoseconds of time.monotonic_ns()."""
    return _read(words, _MONOTONIC)


@compiled
def _read(words: Any, which: int) -> int:
    """Nanoseconds of a clock."""
    _clock_gettime(which, words.clock)
    clock = element(words.clock, TIME, 0)
    return int(clock.seconds * 10**9 + clock.nanoseconds)


@compiled
def _python_is_wanted(words: Any) -> bool:
    """Whether one of what is polled behind the ports has something, or there is an error at a port. To receive from
    that would take the error away, which Python looks into."""
    for number in range(words.all_polled):
        found = element(words.polled, POLL, number).found
        if found and (found != _POLLIN or number >= words.ports):
            return True
    return False


@compiled
def _receive(words: Any, ready: int) -> int:
    """Fills the slots: each port that has something gets an equal share of them. Returns how many messages came."""
    ports, origins = numbers(words.numbers, np.int32), numbers(words.origins, np.int32)
    share = max(1, words.slots // ready)
    filled = 0
    for number in range(words.ports):
        polled = element(words.polled, POLL, number)
        room = min(share, words.slots - filled)
        if polled.found and room:
            got = _recvmmsg(polled.descriptor, words.received + filled * _MESSAGE_BYTES, room, _DONTWAIT, 0)
            for _ in range(got):
                origins[filled] = ports[number]
                filled += 1
    return filled


@compiled
def _python_splits(words: Any) -> bool:
    """Whether Python has to look at the messages: there is one that is not split, or the first GSO packet."""
    packets = numbers(words.packets, np.int32)
    for number in range(words.filled):
        announces = not words.joining and element(words.offloads, VNET_HEADER, number).kind == GSO_UDP
        if announces or not packets[number]:
            return True
    return False


@compiled
def _process(words: Any, begun: int, count: int) -> int:
    """Runs the program on `count` packets from `begun` on. Returns how many leave; -1 unless each of them has gone
    through and none is for anybody else."""
    taken = call(
        words.process,
        (
            *(words.context, words.vector, words.aside, words.memory),
            *(words.starts + 8 * begun, words.lengths + 4 * begun, words.arrived_ports + 4 * begun),
            words.arrivals + 8 * begun,
            *(words.out_data, words.out_starts, words.out_lengths, words.out_ports),
            *(count, (words.time - words.begin) // 1000, words.out_size, words.out_count),
        ),
    )
    words.taken = begun + taken
    context = numbers(words.context, np.int64)
    if taken != count or context[_WAITING] or context[_REPORTED]:
        return -1
    departed = context[_DEPARTED]
    lengths, ports = numbers(words.out_lengths, np.int32), numbers(words.out_ports, np.int32)
    for number in range(departed):
        if lengths[number] >> _QUEUED or ports[number] == words.cpu_port:
            return -1
    return int(departed)


@compiled
def _send(words: Any, at: int, before: int, count: int) -> None:
    """Joins `count` packets from `before` on into GSO packets, and sends them."""
    ports = numbers(words.numbers, np.int32)
    starts, lengths = words.out_starts + 8 * before, words.out_lengths + 4 * before
    for number in range(words.ports):
        chosen = int64(ports[number])
        made = depart(at, words.out_data, starts, lengths, words.out_ports + 4 * before, count, chosen)
        _hand_over(words, number, made)


@compiled
def _hand_over(words: Any, port: int, made: int) -> None:
    """Hands messages to a port's interface, and counts the packets that it does not take."""
    packets, dropped = numbers(words.packets, np.int32), numbers(words.dropped, np.int64)
    descriptor = element(words.polled, POLL, port).descriptor
    first = 0
    while first < made:
        gone = _sendmmsg(descriptor, words.sent + first * _MESSAGE_BYTES, made - first, _DONTWAIT)
        if gone >= 0:
            first += gone
            continue
        error = _errno()[0]
        if error == errno.EINTR:
            continue
        # A full queue and a packet that is too long concern one message, anything else the interface.
        lost = 1 if error == errno.ENOBUFS or error == errno.EMSGSIZE else made - first
        for _ in range(lost):
            dropped[port] += packets[first]
            first += 1
        words.error = error


if __name__ == "__main__":
    write(arrive, depart, fast_path, sources=SOURCES)
