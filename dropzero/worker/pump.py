"""The compiled loop that runs a call from its first packet to its last, without returning to Python in between."""

from __future__ import annotations

from contextlib import closing
from functools import cache

import numpy as np

from dropzero.native.compilation import compiled
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.lanes.rounds import (
    FINE,
    ask_about_overtaken,
    begin,
    expire,
    handle_packet,
    next_deadline,
    prefetch_for,
    take_ready,
)
from dropzero.protocol.lanes.state import State, state_at
from dropzero.protocol.lanes.work import Work, work_at
from dropzero.protocol.tensor.arrays import SMALL, Source, Target, Tensor
from dropzero.protocol.tensor.simd import GRANULE
from dropzero.protocol.wire import MAX_PAYLOAD, Width
from dropzero.worker import blocks
from dropzero.worker.transport import Link, Transport, link_at, monotonic, poll, receive, segments, send, wait

ATTENTION = 0.1
"""Seconds after which the loop returns even if busy, so that Python handles signals and the controller's messages."""

# Outcomes of the loop, in addition to those of the lanes: nothing arrived in time; the time is up. Negative: -errno.
_QUIET, _LATE = 100, 101


def pump(lanes: Lanes, transport: Transport, until: float, begins: Call | None = None) -> tuple[bool, bool]:
    """Sends, receives and retransmits for the lanes. Returns when the call is over, when nothing has arrived before the
    lanes' next deadline or `until`, at `until`, or after ATTENTION seconds.

    Args:
        until: a time.monotonic().
        begins: a prepared call to begin first.

    Returns:
        Whether the call is over, and whether it returned because nothing arrived.

    Raises:
        Disagreement, EpochChanged: the call cannot continue.
        OSError: sending or receiving failed.
    """
    if begins is not None:
        transport.attach()
    outcome = _pump(
        lanes.address, lanes.work.address, transport.address, until, -1 if begins is None else begins.digest
    )
    if outcome < 0:
        transport.failed(-outcome)
    elif outcome not in (FINE, _QUIET, _LATE):
        lanes.check(outcome)
    return outcome == FINE, outcome == _QUIET


@cache
def rehearse() -> None:
    """Runs calls of a single worker, once in a process, so that all code is compiled or loaded before other workers
    wait for this one."""
    length = (SMALL + 1) * GRANULE
    tensors: tuple[Tensor, Tensor] = (np.zeros(length, np.float32), np.zeros(length, np.int32))
    with closing(Transport()) as transport:
        for tensor in tensors:
            lanes = Lanes(job=0, worker=0, workers=1, epoch=0, lanes=1)
            source, target = Source.of(tensor), Target.new(length)
            lanes.prepare(
                blocks.chosen(Call.of(tensor, block=0), blocks.held(source, Width.BITS_32, 1), 1), source, target
            )
            for out in (tensor, np.zeros_like(tensor)):
                target.copy(out, source)
            source, target = Source.of(tensor[:0]), Target.new(0)
            call = Call.of(source.array)
            lanes.prepare(call, source, target)
            pump(lanes, transport, 0.0, call)


@compiled
def _pump(lanes: int, work_address: int, transport: int, until: float, digest: int) -> int:
    state, work, link = state_at(lanes), work_at(work_address), link_at(transport)
    now = monotonic(link)
    until = min(until, now + ATTENTION)
    if digest >= 0:
        begin(state, work, digest, now)
    while True:
        count = state.call[0].ready
        if count:
            _sort(state, count, link)
            error = send(link, state.payload.ctypes.data, state.payload.strides[0], link.rows[:count], link.lengths)
            if error:
                return -error
            take_ready(state)
        if not state.call[0].unfinished:
            return FINE
        if now >= until:
            return _LATE
        deadline = next_deadline(state)
        if deadline <= now:
            # Even while packets keep arriving: busy lanes must not starve the one whose packet was lost.
            expire(state, now)
            continue
        received = poll(link, now)
        if not received:
            if not wait(link, min(deadline, until) - now):
                return _QUIET
            received = receive(link)
        if received < 0:
            return received
        now = monotonic(link)
        outcome = _handle_packets(state, work, link, received, now)
        if outcome != FINE:
            return outcome
        ask_about_overtaken(state, now)


@compiled
def _handle_packets(state: State, work: Work, link: Link, received: int, now: float) -> int:
    """Processes the datagrams of `received` messages, and prefetches the memory for the next datagram meanwhile."""
    before, its_length = -1, 0
    memory = link.ends.memory if link.scratch[0].by_ring else link.memory
    for number in range(received):
        first, size, step = segments(link, number)
        for at in range(first, first + size, step):
            length = min(step, first + size - at)
            if length > MAX_PAYLOAD:
                continue
            prefetch_for(state, work, memory[at : at + MAX_PAYLOAD], length)
            if before >= 0:
                outcome = handle_packet(state, work, memory[before : before + MAX_PAYLOAD], its_length, now)
                if outcome != FINE:
                    return outcome
            before, its_length = at, length
    if before < 0:
        return FINE
    return handle_packet(state, work, memory[before : before + MAX_PAYLOAD], its_length, now)


@compiled
def _sort(state: State, count: int, link: Link) -> None:
    """Sorts the `count` lanes that are ready by packet length, the longest first: consecutive packets of one length
    share a message."""
    done, longer = 0, MAX_PAYLOAD + 1
    while done < count:
        longest = 0
        for i in range(count):
            length = state.lanes[state.ready[i]].length
            if longest < length < longer:
                longest = length
        for i in range(count):
            if state.lanes[state.ready[i]].length == longest:
                link.rows[done] = state.ready[i]
                link.lengths[done] = longest
                done += 1
        longer = longest
