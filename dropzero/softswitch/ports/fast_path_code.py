"""The native code of the fast path: waits for packets, and carries them from ports to ports (fast_path.py)."""

from __future__ import annotations

import errno
import select
import socket
import time
from typing import Any

import numpy as np

from dropzero.linux.abi import IOVEC, MESSAGE
from dropzero.native import libc
from dropzero.native.compilation import compiled
from dropzero.native.memory import array_at, call_at, int64, struct_at
from dropzero.softswitch.ports.gso import GSO_ECN, SENDS_TCP, SENDS_UDP, VNET_HEADER
from dropzero.softswitch.ports.gso_code import coalesce, split
from dropzero.softswitch.ports.pcap import RECORD_HEADER, RECORDS, SNAPLEN
from dropzero.softswitch.ports.ring_code import deliver, drain, filled, rest, set_sleeps, take
from dropzero.softswitch.ports.shared import (
    APART,
    ARRIVED,
    CALLED,
    POLL,
    PROCESSED,
    READINGS,
    SEND_EVERY,
    SENT,
    SHARED,
    SPIN_NS,
    TIME,
)
from dropzero.softswitch.state.layout import Context

_MONOTONIC, _REALTIME = int(time.CLOCK_MONOTONIC), int(time.CLOCK_REALTIME)
_DONTWAIT, _POLLIN = int(socket.MSG_DONTWAIT), int(select.POLLIN)
_MESSAGE_BYTES, _HEADER_BYTES = MESSAGE.itemsize, RECORD_HEADER.itemsize
_DEPARTED, _WAITING, _REPORTED = Context.departed, Context.waiting_count, Context.reports_end
_QUEUED = 31
"""The bit of a packet's length that is set if the packet waits in a queue: such lengths are negative."""


@compiled
def fast_path(at: int) -> int:
    """Carries packets until Python has something to do. Returns CALLED, ARRIVED or PROCESSED. at: address of a
    SHARED."""
    shared = struct_at(at, SHARED, 0)
    set_sleeps(shared, 0)
    outcome = _run(shared, at)
    rest(at)
    return outcome


@compiled
def _run(shared: Any, at: int) -> int:
    while True:
        if shared.error or shared.capture_error:
            return CALLED
        ready = _wait(shared)
        if struct_at(shared.pollfds, POLL, shared.port_count).revents:
            drain(at)
        if ready <= 0 or _python_has_work(shared):
            return CALLED
        shared.messages = _receive(shared, ready)
        if not shared.messages and not filled(shared):
            return CALLED
        _read_clocks(shared)
        shared.packets = take(at, split(at, shared.messages))
        if _python_must_look(shared):
            return ARRIVED
        if shared.incoming:
            starts, lengths, ports = shared.starts, shared.lengths, shared.ingress_ports
            _capture(shared, shared.incoming, shared.slots, starts, lengths, ports, shared.packets)
        # Send the first results before processing the rest, while they are in the caches.
        for first in range(0, shared.packets, SEND_EVERY):
            departed = _process(shared, first, min(SEND_EVERY, shared.packets - first))
            if departed < 0:
                return PROCESSED
            for sent in range(0, departed, SENT):
                _send(shared, at, sent, min(SENT, departed - sent))


@compiled
def _wait(shared: Any) -> int:
    """Returns how many descriptors are ready: polls for a while, then sleeps."""
    if not filled(shared):
        libc.sched_yield()
    ready = libc.poll(shared.pollfds, shared.poll_count, 0) + filled(shared)
    if ready:
        return int(ready)
    until = _now(shared) + shared.spin
    while True:
        libc.sched_yield()
        ready = libc.poll(shared.pollfds, shared.poll_count, 0) + filled(shared)
        if ready:
            shared.spin = SPIN_NS
            return int(ready)
        if _now(shared) >= until:
            break
    shared.spin >>= 1
    set_sleeps(shared, 1)
    ready = 1 if filled(shared) else libc.poll(shared.pollfds, shared.poll_count, -1)
    set_sleeps(shared, 0)
    return int(ready)


@compiled
def _read_clocks(shared: Any) -> None:
    """As _clocks() in ports.py."""
    for _ in range(READINGS):
        shared.now = _now(shared)
        shared.realtime_begin = shared.begin + _read(shared, _REALTIME) - shared.now
        if _now(shared) - shared.now < APART:
            return


@compiled
def _now(shared: Any) -> int:
    """time.monotonic_ns()."""
    return _read(shared, _MONOTONIC)


@compiled
def _read(shared: Any, clock: int) -> int:
    """Reads a clock, in nanoseconds."""
    libc.clock_gettime(clock, shared.timespec)
    read = struct_at(shared.timespec, TIME, 0)
    return int(read.seconds * 10**9 + read.nanoseconds)


@compiled
def _python_has_work(shared: Any) -> bool:
    """Whether a descriptor other than the ports and the doorbell is ready, or a port has an error. Receiving from that
    port would clear the error, which Python reads."""
    for number in range(shared.poll_count):
        revents = struct_at(shared.pollfds, POLL, number).revents
        if revents and (revents != _POLLIN or number > shared.port_count):
            return True
    return False


@compiled
def _receive(shared: Any, ready: int) -> int:
    """Receives from the ports that are ready, each into an equal share of the slots. Returns the number of messages."""
    port_numbers, message_ports = array_at(shared.port_numbers, np.int32), array_at(shared.message_ports, np.int32)
    share = max(1, shared.slot_count // ready)
    messages = 0
    for number in range(shared.port_count):
        poll = struct_at(shared.pollfds, POLL, number)
        room = min(share, shared.slot_count - messages)
        if poll.revents and room:
            received = libc.recvmmsg(poll.fd, shared.messages_in + messages * _MESSAGE_BYTES, room, _DONTWAIT, 0)
            for _ in range(received):
                message_ports[messages] = port_numbers[number]
                messages += 1
    return messages


@compiled
def _python_must_look(shared: Any) -> bool:
    """Whether one of the messages could not be split, or is the first GSO packet of its kind."""
    packet_counts = array_at(shared.packet_counts, np.int32)
    for number in range(shared.messages):
        kind = int64(struct_at(shared.vnet_headers, VNET_HEADER, number).gso_type) & ~GSO_ECN & 0x3F
        if 1 << kind & (SENDS_UDP | SENDS_TCP) & ~shared.coalesce or not packet_counts[number]:
            return True
    return False


@compiled
def _process(shared: Any, first: int, count: int) -> int:
    """Runs the program on `count` packets from `first` on. Returns how many leave; -1 if Python must continue: not all
    packets were processed, or one is queued, reported or for the control plane."""
    processed = call_at(
        shared.process,
        (
            *(shared.context, shared.vector, shared.aside, shared.slots),
            *(shared.starts + 8 * first, shared.lengths + 4 * first, shared.ingress_ports + 4 * first),
            shared.arrivals + 8 * first,
            *(shared.out_data, shared.out_starts, shared.out_lengths, shared.out_ports),
            *(count, (shared.now - shared.begin) // 1000, shared.out_size, shared.out_count),
        ),
    )
    shared.processed = first + processed
    context = array_at(shared.context, np.int64)
    if processed != count or context[_WAITING] or context[_REPORTED]:
        return -1
    departed = context[_DEPARTED]
    lengths, ports = array_at(shared.out_lengths, np.int32), array_at(shared.out_ports, np.int32)
    for number in range(departed):
        if lengths[number] >> _QUEUED or ports[number] == shared.cpu_port:
            return -1
    return int(departed)


@compiled
def _send(shared: Any, at: int, first: int, count: int) -> None:
    """Sends `count` packets of the output from `first` on, coalesced, port by port."""
    port_numbers = array_at(shared.port_numbers, np.int32)
    starts, lengths, ports = shared.out_starts + 8 * first, shared.out_lengths + 4 * first, shared.out_ports + 4 * first
    if shared.outgoing:
        _capture(shared, shared.outgoing, shared.out_data, starts, lengths, ports, count)
    if deliver(at, shared.out_data, starts, lengths, ports, count) == count:
        return
    for number in range(shared.port_count):
        messages = coalesce(at, shared.out_data, starts, lengths, ports, count, int64(port_numbers[number]))
        _send_messages(shared, number, messages)


@compiled
def _send_messages(shared: Any, port: int, count: int) -> None:
    """Passes messages to a port's interface, and counts the packets that it refuses."""
    packet_counts, dropped = array_at(shared.packet_counts, np.int32), array_at(shared.dropped, np.int64)
    fd = struct_at(shared.pollfds, POLL, port).fd
    first = 0
    while first < count:
        sent = libc.sendmmsg(fd, shared.messages_out + first * _MESSAGE_BYTES, count - first, _DONTWAIT)
        if sent >= 0:
            first += sent
            continue
        error = libc.errno()[0]
        if error == errno.EINTR:
            continue
        # A full queue and a packet that is too long concern one message, any other error the interface.
        lost = 1 if error == errno.ENOBUFS or error == errno.EMSGSIZE else count - first
        for _ in range(lost):
            dropped[port] += packet_counts[first]
            first += 1
        shared.error = error


@compiled
def _capture(shared: Any, files: int, data: int, starts: int, lengths: int, ports: int, count: int) -> None:
    """Appends `count` packets to the captures of their ports, as Capture.write does. files: address of a file
    descriptor for each port."""
    descriptors, numbers = array_at(files, np.int32), array_at(shared.port_numbers, np.int32)
    begins, sizes = array_at(starts, np.int64), array_at(lengths, np.int32)
    of_port = array_at(ports, np.int32)
    microseconds = (_now(shared) + shared.realtime_begin - shared.begin) // 1000
    for port in range(shared.port_count):
        if descriptors[port] < 0:
            continue
        records = 0
        for packet in range(count):
            if of_port[packet] != numbers[port]:
                continue
            captured = min(int64(sizes[packet]), SNAPLEN)
            record = struct_at(shared.records, RECORD_HEADER, records)
            record.seconds, record.microseconds = microseconds // 10**6, microseconds % 10**6
            record.captured, record.length = captured, sizes[packet]
            vector = struct_at(shared.record_vectors, IOVEC, 2 * records)
            vector.base, vector.length = shared.records + _HEADER_BYTES * records, _HEADER_BYTES
            vector = struct_at(shared.record_vectors, IOVEC, 2 * records + 1)
            vector.base, vector.length = data + begins[packet], captured
            records += 1
            if records == RECORDS:
                _write(shared, descriptors, port, records)
                records = 0
        if records:
            _write(shared, descriptors, port, records)


@compiled
def _write(shared: Any, descriptors: Any, port: int, records: int) -> None:
    """Writes records to a port's capture. If that fails, takes its descriptor away."""
    expected = 0
    for number in range(2 * records):
        expected += int64(struct_at(shared.record_vectors, IOVEC, number).length)
    written = libc.writev(descriptors[port], shared.record_vectors, 2 * records)
    if written != expected:
        shared.capture_error = int64(libc.errno()[0]) if written < 0 else errno.ENOSPC
        descriptors[port] = -1
