"""The rounds of the lanes, compiled: everything that runs once per packet.

No sockets, no clock: payloads and the time go in; payloads to send and the next deadline come out. A lane goes through
this cycle once per round:

- `_contribute` enters the next round, writes the contribution and queues it; `take_ready` hands it out to be sent.
- `handle_packet` checks an answer. `_accept_result` takes in a result: it writes the data to the target, moves each
  column on to its next block or chunk (`_advance`), and updates timer and window (`_measure`).
- The lane then contributes again, rests because it is outside the window, or is done. `_fill_window` wakes resting
  lanes.
- `expire` queues contributions again whose answer is overdue.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled, inlined
from dropzero.native.intrinsics import prefetch
from dropzero.protocol.lanes.state import State
from dropzero.protocol.lanes.timer import (
    SLOW,
    backed_off,
    count_probes,
    count_unmeasured,
    lengthen,
    observe,
    shorten,
    until_probe,
)
from dropzero.protocol.lanes.window import (
    FULL,
    begin_call,
    count_result,
    full_round_trip,
    min_rtt,
    update_certain_rate,
    update_min_rtt,
)
from dropzero.protocol.lanes.work import Plan, Work
from dropzero.protocol.tensor.arrays import age, clear, exponent, find
from dropzero.protocol.tensor.bitmap import any_set, next_set, set_bits
from dropzero.protocol.tensor.elements import complete, get, put
from dropzero.protocol.tensor.simd import GRANULE
from dropzero.protocol.wire import (
    ASSIGNED,
    COLUMN,
    CONGESTED,
    DECLINES,
    ELEMENTS,
    HEADER,
    HEADROOM,
    MARKED,
    NO_BLOCK,
    NOT_FINITE,
    OUTER_BYTES,
    Kind,
)

PROBES = 4
"""While no results arrive, at most this many contributions are sent again at once."""
MANY = 4
"""Contributions in flight from which on a query comes first: it saves bandwidth, and costs a round trip. Also the
fewest later results that show a loss."""

# The outcome of a packet; any but FINE ends the collective.
FINE, DISAGREEMENT, OTHER_EPOCH, CONFLICT = range(4)

# What becomes of a column after a result.
_CONTINUES, _DONE, _INVALID = range(3)

_CONTRIBUTION, RESULT, _MISSING, _EPOCH, _CONFLICT, _QUERY, _WAITING = (kind.first_byte for kind in Kind)
# What a lane's last query asks for, while it has no answer.
_NO_QUERY, _FOR_MISSING, _FOR_RESULT = range(3)
_CHUNK_NUMBER = ASSIGNED - 1
"""The bits of `next` that hold the number of an assigned chunk."""
_FNV_PRIME = 16777619
_HEADER, _COLUMN, _DATA = HEADER.itemsize, COLUMN.itemsize, 4 * ELEMENTS


@compiled
def _put(row: NDArray[np.uint8], at: int, value: int) -> None:
    """Writes a big-endian 32-bit number."""
    row[at] = value >> 24 & 0xFF
    row[at + 1] = value >> 16 & 0xFF
    row[at + 2] = value >> 8 & 0xFF
    row[at + 3] = value & 0xFF


@compiled
def _get(row: NDArray[np.uint8], at: int) -> int:
    """Reads a big-endian 32-bit number."""
    return int(row[at]) << 24 | int(row[at + 1]) << 16 | int(row[at + 2]) << 8 | int(row[at + 3])


@compiled
def _next_nonzero(work: Work, block: int, end: int) -> int:
    """The first non-zero block of a chunk from `block` on and before `end`; NO_BLOCK if there is none."""
    plan = work.plan
    if plan.chunks.step == 1:
        block = next_set(work.nonzero, block << plan.log2_granules, end << plan.log2_granules) >> plan.log2_granules
    else:
        while block < end and not any_set(work.nonzero, block << plan.log2_granules, 1 << plan.log2_granules):
            block += plan.chunks.step
    return block if block < end else NO_BLOCK


@compiled
def _exponent(work: Work, block: int) -> int:
    return exponent(work.nonzero, work.exponents, block, work.plan.log2_granules)


@compiled
def _open_chunk(state: State, work: Work, lane: int, column: int, chunk: int) -> bool:
    """Starts the column on a chunk. Returns False if there is no such chunk."""
    state.lanes[lane].block[column] = NO_BLOCK
    if chunk >= len(work.plan.chunks.first):
        return False
    first, end = int(work.plan.chunks.first[chunk]), int(work.plan.chunks.end[chunk])
    state.lanes[lane].first[column] = first
    state.lanes[lane].end[column] = end
    _move_to(state, work, lane, column, first)
    return True


@compiled
def _move_to(state: State, work: Work, lane: int, column: int, block: int) -> None:
    """Lets the column announce its first non-zero block from `block` on. If exponents are remembered, it sends `block`
    in the same round, provided that this had one in the last call of this kind."""
    state.lanes[lane].block[column] = NO_BLOCK
    state.lanes[lane].early[column] = False
    state.lanes[lane].announced[column] = _next_nonzero(work, block, int(state.lanes[lane].end[column]))
    if work.plan.early and block < state.lanes[lane].end[column] and work.plan.agreed[block]:
        state.lanes[lane].block[column] = block
        state.lanes[lane].exponent[column] = work.plan.agreed[block] - 1
        state.lanes[lane].early[column] = True


@compiled
def _postpone_probes(state: State, found_loss: bool, now: float) -> None:
    """Starts to wait for a result anew. found_loss: a query has found a loss."""
    if found_loss or state.call[0].probes > 0:
        count_probes(state.timer, found_loss)
    state.call[0].probes = 0
    state.call[0].next_probe = now + until_probe(state.timer, full_round_trip(state.window), 0)


@compiled
def _queue(state: State, lane: int) -> None:
    """Queues the lane's contribution for sending, unless it is queued already."""
    if not state.lanes[lane].ready:
        state.lanes[lane].ready = True
        state.ready[state.call[0].ready] = lane
        state.call[0].ready += 1


@compiled
def _contribute(state: State, work: Work, lane: int, now: float) -> None:
    """Enters the lane's next round: writes its contribution and queues it."""
    plan = work.plan
    state.lanes[lane].round += np.uint32(1)
    state.lanes[lane].waiting = True
    state.lanes[lane].held = False
    state.lanes[lane].missing = 0
    row = state.payload[lane]
    mask, end, wants = _pack(state, work, lane, row)
    row[0] = _CONTRIBUTION | (MARKED if state.lanes[lane].marked else 0)
    state.lanes[lane].marked = False
    row[1] = mask
    row[2] = plan.form
    row[3] = plan.worker | (0 if wants else DECLINES)
    _put(row, 4, plan.job << 16 | lane)
    _put(row, 8, plan.epoch)
    _put(row, 12, int(state.lanes[lane].round))
    _put(row, 16, int(state.call[0].digest))
    _put(row, 20, plan.secret)
    state.lanes[lane].was_sent = False
    state.lanes[lane].query = _NO_QUERY
    state.lanes[lane].mask = mask
    state.lanes[lane].length = state.lanes[lane].whole = end
    state.lanes[lane].first_sent = state.lanes[lane].last_sent = now
    state.lanes[lane].sequence = _take_sequence(state, lane)
    state.call[0].in_flight += 1
    state.lanes[lane].in_flight = state.call[0].in_flight
    state.lanes[lane].deadline = now + backed_off(state.timer, state.call[0].in_flight, 0)
    state.lanes[lane].tries = 0
    _queue(state, lane)


@compiled
def _take_sequence(state: State, lane: int) -> int:
    """Numbers a packet of the lane, and returns the number."""
    sequence = state.call[0].packets
    state.order[sequence % len(state.order)] = lane
    state.lanes[lane].latest = sequence
    state.call[0].packets += 1
    return int(sequence)


@compiled
def _repeat(state: State, lane: int, now: float) -> None:
    """Queues the lane's contribution again."""
    state.statistics[0].retransmissions += 1
    state.lanes[lane].query = _NO_QUERY
    _send_again(state, lane, _CONTRIBUTION, int(state.call[0].form), int(state.lanes[lane].mask), now)


@compiled
def _ask(state: State, lane: int, query: int, now: float) -> None:
    """Queues a query about the lane's contribution: its header for _FOR_MISSING, also its columns for _FOR_RESULT."""
    state.statistics[0].queries += 1
    state.lanes[lane].query = query
    form = int(state.call[0].form)
    _send_again(state, lane, _QUERY, form if query == _FOR_RESULT else form & 0x0F, 0, now)


@compiled
def _send_again(state: State, lane: int, kind: int, form: int, mask: int, now: float) -> None:
    """Queues the lane's packet with other first bytes."""
    row = state.payload[lane]
    row[0] = kind | (row[0] & MARKED)
    row[1] = mask
    row[2] = form
    state.lanes[lane].length = state.lanes[lane].whole if kind == _CONTRIBUTION else _HEADER + (form >> 4) * _COLUMN
    state.lanes[lane].last_sent = now
    state.lanes[lane].deadline = now + backed_off(state.timer, state.call[0].in_flight, state.lanes[lane].tries)
    _take_sequence(state, lane)
    _queue(state, lane)


@inlined
def _asked(state: State, lane: int) -> bool:
    """Whether a query about the lane's contribution is in flight: no answer to a later packet shows that it was
    lost."""
    return bool(state.lanes[lane].query != _NO_QUERY and state.lanes[lane].latest >= state.call[0].reported)


@compiled
def _ask_or_repeat(state: State, lane: int, lowest: bool, now: float) -> None:
    """Queues a query about a contribution. Unless the switch has it, queues the contribution itself if the last query
    was lost, as answers to later packets show, or if it had no answer on the lowest lane: the switch does not answer
    about a round that no worker has reached. Also if few are in flight, because then time matters more than bytes, but
    not in a job over several switches: a leaf would send its rack's share up for each."""
    few = state.call[0].in_flight < MANY and not state.call[0].leaf
    query = state.lanes[lane].query
    lost = query != _NO_QUERY and (lowest or not _asked(state, lane))
    if (few or lost) and not state.lanes[lane].held:
        _repeat(state, lane, now)
    else:
        _ask(state, lane, max(query, _FOR_MISSING), now)


@inlined
def _data_columns(plan: Plan) -> int:
    """The data columns of a block."""
    return plan.size * plan.width // (8 * _DATA)


@inlined
def _pack(state: State, work: Work, lane: int, row: NDArray[np.uint8]) -> tuple[int, int, bool]:
    """Writes the contribution's column descriptors and data. Returns the mask of its data columns, its length in bytes,
    and whether this worker needs data of the result."""
    plan = work.plan
    group = _data_columns(plan)
    padding = _padding(state, plan, lane) if plan.leaf and plan.limited else 0
    mask = 0
    wants = not len(work.wanted)
    state.lanes[lane].awaited = 0
    end = _HEADER + plan.columns * _COLUMN
    for column in range(plan.columns):
        block = int(state.lanes[lane].block[column])
        if block != NO_BLOCK:
            bits = ((1 << group) - 1) << (column * group)
            state.lanes[lane].awaited |= bits
            wants = wants or any_set(work.wanted, block << plan.log2_granules, 1 << plan.log2_granules)
            mine = block == state.lanes[lane].announced[column]
            common = int(state.lanes[lane].exponent[column])
            early = state.lanes[lane].early[column] != 0
            kept = _kept(work, block)
            if early and not mine and not kept:
                # Send zeros too, so that no result is longer than its contribution.
                mask |= bits
                row[end : end + group * _DATA] = 0
                end += group * _DATA
            elif not kept and (mine or plan.send_all or padding > 0):
                mask |= bits
                first = block * plan.size
                put(row, end, group * _DATA, work.source, first, common, plan.is_float, plan.bits, plan.width)
                end += group * _DATA
                if not mine:
                    padding -= group
            if mine and not early:
                ahead = _next_nonzero(work, block + plan.chunks.step, int(state.lanes[lane].end[column]))
                state.lanes[lane].announced[column] = ahead
        ahead = int(state.lanes[lane].announced[column])
        at = _HEADER + column * _COLUMN
        _put(row, at, block)
        _put(row, at + 4, ahead)
        row[at + 8] = 0 if ahead == NO_BLOCK else _exponent(work, ahead)
    if not wants:
        state.lanes[lane].awaited = 0
    return mask, end, wants


@compiled
def _padding(state: State, plan: Plan, lane: int) -> int:
    """The number of data columns of zeros to send, so that the result is at most HEADROOM bytes longer than the
    contribution; negative if there is room for more."""
    others = 0
    for column in range(plan.columns):
        block = state.lanes[lane].block[column]
        if block != NO_BLOCK and block != state.lanes[lane].announced[column]:
            others += _data_columns(plan)
    return others - HEADROOM // _DATA


@compiled
def _fill_window(state: State, work: Work, now: float) -> None:
    """Activates the lowest unfinished lanes, as many as fit into the window."""
    room = int(state.window[0].size)
    for lane in range(len(state.lanes)):
        if state.lanes[lane].unfinished:
            if not room:
                state.call[0].active = lane
                return
            room -= 1
            if not state.lanes[lane].waiting:
                # The queue that its last result met is history.
                state.lanes[lane].marked = False
                _contribute(state, work, lane, now)
    state.call[0].active = len(state.lanes)


@compiled
def _call_digest(plan: Plan, digest: int) -> int:
    """Mixes the exponents of early blocks into the call's digest (FNV-1a): the switch then refuses to add up workers
    with different exponents."""
    if plan.early:
        for each in plan.agreed:
            digest = (digest ^ int(each)) * _FNV_PRIME & 0xFFFFFFFF
    return digest


@compiled
def begin(state: State, work: Work, digest: int, now: float) -> None:
    """Begins the call with this digest: queues an announcement on each lane in the window. An announcement has no data,
    unless the exponents are known from the last such call (`_move_to`)."""
    plan = work.plan
    if plan.small:
        work.nonzero[:] = 0
        find(work.source, plan.is_float, work.nonzero, work.exponents)
    state.call[0].not_finite = state.call[0].contradicted = state.call[0].made = False
    state.call[0].digest = _call_digest(plan, digest)
    work.common[:] = 0
    age(work.fresh, work.stale)
    for lane in range(plan.lanes):
        state.lanes[lane].unfinished = True
        state.lanes[lane].opened = False
        for column in range(plan.columns):
            chunk = lane * plan.columns + column
            if chunk < plan.initial_chunks:
                _open_chunk(state, work, lane, column, chunk)
            else:
                # No result may move it to a block of an earlier call.
                state.lanes[lane].first[column] = state.lanes[lane].end[column] = 0
                state.lanes[lane].early[column] = False
                state.lanes[lane].block[column] = state.lanes[lane].announced[column] = NO_BLOCK
    state.call[0].assigned_before = (state.call[0].assigned_before + state.call[0].assigned) & _CHUNK_NUMBER
    state.call[0].assigned = 0
    state.call[0].last_progress = now
    _postpone_probes(state, False, now)
    state.call[0].form = plan.form
    state.call[0].leaf = plan.leaf
    state.call[0].ready = 0
    state.call[0].in_flight = 0
    state.call[0].unfinished = plan.lanes
    begin_call(state.window, plan.lanes, len(state.lanes), plan.early, now)
    _fill_window(state, work, now)
    if plan.contradicts:
        _contradict(state)


@compiled
def _contradict(state: State) -> None:
    """Announces block 0 as not finite, whatever it holds: all workers will know from the first result of the lowest
    lane, on which every worker sends."""
    state.lanes[0].announced[0] = 0
    _put(state.payload[0], _HEADER + 4, 0)
    state.payload[0][_HEADER + 8] = NOT_FINITE


@compiled
def _accept_result(state: State, work: Work, lane: int, row: NDArray[np.uint8], length: int, now: float) -> int:
    """Accepts a result that the lane waits for, or one of its two parts. Once it is complete, the lane contributes
    again, rests or is done. Returns an outcome."""
    if row[2] != work.plan.form or not _unpack(state, work, lane, row, length):
        return DISAGREEMENT
    state.call[0].made = True
    state.call[0].last_progress = now
    _postpone_probes(state, False, now)
    # A result without data takes a lane as long as one with data.
    declined = row[3] & DECLINES != 0
    state.window[0].received += (max(length, int(state.lanes[lane].whole)) if declined else length) + OUTER_BYTES
    state.lanes[lane].marked |= row[0] & MARKED != 0
    if state.lanes[lane].awaited:
        return FINE
    opened = state.lanes[lane].opened
    state.lanes[lane].opened = True
    opening = True
    done = True
    for column in range(work.plan.columns):
        early = state.lanes[lane].early[column] != 0 and not opened
        opening &= early or state.lanes[lane].block[column] == NO_BLOCK
        outcome = _advance(state, work, lane, column, row)
        if outcome == _INVALID:
            return DISAGREEMENT
        done &= outcome == _DONE
    _measure(state, lane, opening, now)
    state.call[0].in_flight -= int(not state.lanes[lane].held)
    congested = row[0] & CONGESTED != 0
    state.statistics[0].congested += congested
    over = count_result(state.window, congested, state.call[0].unfinished, len(state.lanes), now)
    state.lanes[lane].waiting = False
    if done:
        state.lanes[lane].unfinished = False
        state.call[0].unfinished -= 1
        if not state.call[0].unfinished:
            clear(work.target, work.fresh, work.stale)
    elif lane < state.call[0].active:
        _contribute(state, work, lane, now)
    if done or over:
        _fill_window(state, work, now)
    return FINE


@inlined
def _measure(state: State, lane: int, opening: bool, now: float) -> None:
    """Updates the timer and the minimum round trip, after the lane's complete result arrived. opening: the round only
    opened chunks, as a call's first round does, which includes the time until the others made the call."""
    if state.lanes[lane].maybe_spurious and not state.call[0].leaf:
        # The round before got no second answer: its contribution or its result was lost. (A leaf passes contributions
        # up without an answer.)
        shorten(state.timer, state.lanes[lane].last_round_trip)
    round_trip = now - state.lanes[lane].first_sent
    update_certain_rate(state.window, state.lanes[lane].whole + OUTER_BYTES, round_trip)
    last_round_trip = now - state.lanes[lane].last_sent
    state.call[0].answered = max(state.call[0].answered, state.lanes[lane].sequence)
    state.call[0].reported = max(state.call[0].reported, state.lanes[lane].sequence)
    state.lanes[lane].maybe_spurious = state.lanes[lane].tries > 0 and not state.lanes[lane].held
    if state.lanes[lane].maybe_spurious:
        state.lanes[lane].last_round_trip = last_round_trip
        # If many later contributions have results already, this one waited for more than queues: a packet was lost.
        overtaken = 4 * (state.call[0].answered - state.lanes[lane].sequence) > state.lanes[lane].in_flight
        in_flight, timer = state.lanes[lane].in_flight, state.timer
        state.lanes[lane].timeout = 0.0 if overtaken else round_trip - timer[0].drain * in_flight
        state.lanes[lane].drain = 0.0 if overtaken else (round_trip - timer[0].timeout) / in_flight
    if state.lanes[lane].last_sent > state.lanes[lane].first_sent:
        # A result that follows a retransmission faster than any round trip answers the first packet.
        if last_round_trip < min_rtt(state.window):
            observe(state.timer, round_trip, state.lanes[lane].in_flight)
        else:
            count_unmeasured(state.timer)
    elif not opening:
        observe(state.timer, round_trip, state.lanes[lane].in_flight)
        update_min_rtt(state.window, round_trip)


@inlined
def _unpack(state: State, work: Work, lane: int, row: NDArray[np.uint8], length: int) -> bool:
    """Writes a result's data to the target. Returns False if the result is truncated, or has data that this lane did
    not request."""
    plan = work.plan
    group = _data_columns(plan)
    at = _HEADER + plan.columns * _COLUMN
    if length < at:
        return False
    data_column = 0
    while row[1] >> data_column:
        column = data_column // group
        count = 0
        while data_column + count < (column + 1) * group and row[1] >> (data_column + count) & 1:
            count += 1
        if count:
            block = int(state.lanes[lane].block[column])
            size = count * _DATA
            if block == NO_BLOCK or at + size > length:
                return False
            first = block * plan.size + data_column % group * _DATA * 8 // plan.width
            common = int(state.lanes[lane].exponent[column])
            _take(state, work, row, at, size, first, common, _kept(work, block), True)
            state.lanes[lane].awaited &= ~(((1 << count) - 1) << data_column)
            at += size
        data_column += max(count, 1)
    if not plan.limited:
        # A result is one packet. It lacks the blocks that nobody has sent.
        state.lanes[lane].awaited = 0
        for column in range(plan.columns):
            block = int(state.lanes[lane].block[column])
            if block != NO_BLOCK and _kept(work, block) and not row[1] >> column * group & 1:
                common = int(state.lanes[lane].exponent[column])
                _take(state, work, row, 0, group * _DATA, block * plan.size, common, True, False)
    return True


@inlined
def _take(state: State, work: Work, row: NDArray[np.uint8], at: int, size: int, first: int, common: int, kept: bool,
          given: bool) -> None:  # fmt: skip
    """Writes `size` bytes of data to the target's elements from `first` on. kept, given: see `complete`."""
    plan = work.plan
    if kept:
        complete(row, at, size, given, work.source, work.target, first, common, plan.is_float, plan.bits, plan.width)
    else:
        get(row, at, size, work.target, first, common, plan.is_float, plan.bits, plan.width)
    state.call[0].not_finite |= plan.is_float and common == NOT_FINITE
    set_bits(work.fresh, first // GRANULE, size * 8 // plan.width // GRANULE)


@inlined
def _kept(work: Work, block: int) -> bool:
    """Whether this worker adds its own elements of a block itself."""
    return work.kept <= block < work.kept_end


@inlined
def _advance(state: State, work: Work, lane: int, column: int, row: NDArray[np.uint8]) -> int:
    """Moves the column to the block or chunk that the result names. Returns _CONTINUES, _DONE, or _INVALID for a block
    outside the column's chunk."""
    plan = work.plan
    early = state.lanes[lane].early[column] != 0
    state.lanes[lane].early[column] = False
    at = _HEADER + column * _COLUMN
    block = state.lanes[lane].block[column]
    ahead = _get(row, at + 4)
    if early and ahead != block:
        plan.agreed[block] = 0
    if ahead & ASSIGNED:
        number = (ahead - state.call[0].assigned_before) & _CHUNK_NUMBER
        state.call[0].assigned = max(state.call[0].assigned, number + 1)
        return _CONTINUES if _open_chunk(state, work, lane, column, plan.initial_chunks + number) else _DONE
    first = state.lanes[lane].first[column]
    if not first <= ahead < state.lanes[lane].end[column] or (ahead - first) % plan.chunks.step:
        return _INVALID
    common = row[at + 8]
    state.call[0].contradicted |= ahead == 0 and common == NOT_FINITE
    if len(plan.agreed):
        # No block can be scaled with NOT_FINITE.
        plan.agreed[ahead] = 0 if plan.is_float and common == NOT_FINITE else common + 1
    if len(work.common):
        work.common[ahead] = common
    if early and ahead == block and common == state.lanes[lane].exponent[column]:
        # Every worker that holds the block sent it with this exponent: the sum is complete.
        _move_to(state, work, lane, column, ahead + plan.chunks.step)
        return _DONE if ahead + plan.chunks.step >= state.lanes[lane].end[column] else _CONTINUES
    state.lanes[lane].block[column] = ahead
    state.lanes[lane].exponent[column] = common
    return _CONTINUES


@compiled
def _prefetch(work: Work, words: NDArray[np.uint32], block: int) -> None:
    first = np.uintp(words.ctypes.data) + np.uintp(4 * work.plan.size * block)
    for line in range(0, 4 * work.plan.size, 64):
        prefetch(first + np.uintp(line))


@compiled
def prefetch_for(state: State, work: Work, row: NDArray[np.uint8], length: int) -> None:
    """Prefetches the memory that `handle_packet` will touch for this payload: blocks are scattered over the tensor."""
    lane = _get(row, 4) & 0xFFFF
    if length < _HEADER or lane >= len(state.lanes) or not state.lanes[lane].waiting:
        return
    for column in range(work.plan.columns):
        if state.lanes[lane].block[column] != NO_BLOCK:
            _prefetch(work, work.target, int(state.lanes[lane].block[column]))
        ahead = int(state.lanes[lane].announced[column])
        if ahead != NO_BLOCK:
            _prefetch(work, work.source, ahead)


@compiled
def _detect_spurious(state: State, work: Work, lane: int, row: NDArray[np.uint8]) -> None:
    """Detects a second answer about the lane's last round: its retransmission was spurious."""
    last = (int(state.lanes[lane].round) - int(state.lanes[lane].waiting)) & 0xFFFFFFFF
    if (
        row[0] & ~(MARKED | CONGESTED) in (RESULT, _MISSING)
        and _get(row, 12) == last
        and _get(row, 8) == work.plan.epoch
        and _get(row, 20) == work.plan.secret
    ):
        state.lanes[lane].maybe_spurious = False
        lengthen(state.timer, state.lanes[lane].timeout, state.lanes[lane].drain)


@compiled
def _handle_report(state: State, work: Work, lane: int, missing: int, elsewhere: bool, now: float) -> None:
    """Processes a report of missing workers, one bit each; none: the round is complete. elsewhere: the round waits for
    workers of other switches."""
    round_trip, query = now - state.lanes[lane].last_sent, state.lanes[lane].query
    state.call[0].reported = max(state.call[0].reported, state.lanes[lane].latest)
    if state.lanes[lane].tries > 0 or state.call[0].probes > 0:
        # The switch answers at once, whichever worker is missing. If that is faster than any round, other workers are
        # farther from the switch, or this answers an earlier retransmission.
        least = min_rtt(state.window)
        if np.isinf(least):
            # On slow links, a full packet takes longer than the one that this answers.
            full = round_trip * FULL / (state.lanes[lane].length + OUTER_BYTES)
            least = full if full > SLOW else 0.0
        observe(state.timer, max(round_trip, least))
        if not _silent(state, now):
            state.lanes[lane].tries = 0
    if missing >> work.plan.worker & 1:
        state.lanes[lane].tries = 0
        if query != _NO_QUERY:
            shorten(state.timer, round_trip)
            _repeat(state, lane, now)
            _postpone_probes(state, True, now)
    elif missing or elsewhere:
        # What the switch holds until others contribute is not in flight.
        state.call[0].in_flight -= int(not state.lanes[lane].held)
        state.lanes[lane].held = True
        state.lanes[lane].missing = missing
        state.lanes[lane].query = _NO_QUERY
    elif query == _FOR_MISSING:
        # The result came before this, so it was lost.
        state.lanes[lane].tries = 0
        _ask(state, lane, _FOR_RESULT, now)
        _postpone_probes(state, True, now)


@compiled
def handle_packet(state: State, work: Work, row: NDArray[np.uint8], length: int, now: float) -> int:
    """Processes a payload of `length` bytes; row: shape (>= MAX_PAYLOAD,). Returns an outcome."""
    statistics = state.statistics
    statistics[0].packets_received += 1
    statistics[0].bytes_received += length + OUTER_BYTES
    statistics[0].ignored += 1
    if length < _HEADER or _get(row, 4) >> 16 != work.plan.job:
        return FINE
    lane = _get(row, 4) & 0xFFFF
    if lane >= len(state.lanes):
        return FINE
    if state.lanes[lane].maybe_spurious:
        _detect_spurious(state, work, lane, row)
    if not state.lanes[lane].waiting or _get(row, 12) != state.lanes[lane].round:
        return FINE
    if not state.lanes[lane].was_sent or _get(row, 20) != work.plan.secret:
        # Forged: it has another secret, or answers a contribution that was not sent yet.
        return FINE
    kind = row[0] & ~(MARKED | CONGESTED)
    if kind == _EPOCH:
        # A delayed packet may name an earlier epoch.
        if _get(row, 8) > work.plan.epoch:
            return OTHER_EPOCH
    elif _get(row, 8) != work.plan.epoch:
        return FINE
    elif kind in (_MISSING, _WAITING):
        _handle_report(state, work, lane, _get(row, 16), kind == _WAITING, now)
    elif kind == _CONFLICT:
        state.call[0].conflict = _get(row, 16)
        return CONFLICT
    elif kind == RESULT:
        outcome = _accept_result(state, work, lane, row, length, now)
        if outcome != FINE:
            return outcome
    else:
        return FINE
    statistics[0].ignored -= 1
    return FINE


@compiled
def ask_about_overtaken(state: State, now: float) -> None:
    """Asks about contributions that have no result, although as many later ones have as are in flight ([RFC8985]).
    Fewer say little: workers send packets in the order of their lengths, and on a few lanes, chance decides.

    Call this after all answers that arrived together: the order within a batch shows nothing."""
    call = state.call
    if len(state.lanes) < MANY:
        return
    latest = call[0].answered - max(call[0].in_flight - 1, MANY)
    call[0].oldest = max(call[0].oldest, call[0].packets - len(state.order))
    while call[0].oldest < latest:
        lane = state.order[call[0].oldest % len(state.order)]
        if state.lanes[lane].waiting and state.lanes[lane].latest == call[0].oldest and not state.lanes[lane].held:
            _ask_or_repeat(state, lane, False, now)
        call[0].oldest += 1


@compiled
def receive(state: State, work: Work, payloads: NDArray[np.uint8], lengths: NDArray[np.int32], now: float) -> int:
    """Processes a batch of payloads; see Lanes.receive. Returns an outcome."""
    for i in range(len(lengths)):
        outcome = handle_packet(state, work, payloads[i], lengths[i], now)
        if outcome != FINE:
            return outcome
    ask_about_overtaken(state, now)
    return FINE


@compiled
def take_ready(state: State) -> int:
    """Empties `ready` and counts its lanes' contributions as sent. Returns how many there were."""
    statistics = state.statistics
    count = state.call[0].ready
    state.call[0].ready = 0
    for i in range(count):
        lane = state.ready[i]
        state.lanes[lane].ready = False
        state.lanes[lane].was_sent = True
        statistics[0].bytes_sent += state.lanes[lane].length + OUTER_BYTES
    statistics[0].packets_sent += count
    return int(count)


@compiled
def next_deadline(state: State) -> float:
    """When to call `expire` if nothing arrives before (seconds); infinity: never."""
    least = np.inf
    for lane in range(len(state.lanes)):
        if state.lanes[lane].waiting:
            least = min(least, state.lanes[lane].deadline, state.call[0].next_probe)
    return least


@compiled
def _silent(state: State, now: float) -> bool:
    """Whether no result has arrived for a timeout: another worker is probably slow."""
    return bool(now - state.call[0].last_progress >= state.timer[0].timeout)


@compiled
def _probe(state: State, now: float) -> None:
    """Sends queries after a few round trips without a result ([RFC8985] section 7): first about all that have no query
    in flight, then about the lowest lane, which all workers need first, and up to PROBES others that the switch has not
    reported to hold. Until a result arrives, others may not have made the call: then only about the lowest."""
    state.call[0].probes += 1
    state.call[0].next_probe = now + until_probe(state.timer, full_round_trip(state.window), state.call[0].probes)
    some = state.call[0].active if state.call[0].probes == 1 else PROBES
    lowest = True
    for lane in range(state.call[0].active):
        if state.lanes[lane].waiting:
            useful = not _asked(state, lane) if state.call[0].probes == 1 else not state.lanes[lane].held
            if lowest or (some and state.call[0].made and useful):
                some -= 1
                _ask(state, lane, max(state.lanes[lane].query, _FOR_MISSING), now)
            lowest = False


@compiled
def expire(state: State, now: float) -> None:
    """Asks about the contributions whose deadline has passed, or repeats them.

    If no results arrive, it does so only for the lowest lane, which all workers need first, and for up to PROBES others
    that have no query in flight, and that the switch has not reported to hold. A job of few lanes does so for all:
    otherwise, with losses, it would wait for its lowest lane again and again.

    Lanes above the window wait: other workers, whose windows may be smaller, need not be active on them yet.
    """
    if state.call[0].next_probe <= now:
        _probe(state, now)
    silent = _silent(state, now) and len(state.lanes) > PROBES
    probes = PROBES
    lowest = True
    for lane in range(len(state.lanes)):
        if not state.lanes[lane].waiting:
            continue
        if state.lanes[lane].deadline <= now:
            active = lane < state.call[0].active
            useful = not silent or (probes and not state.lanes[lane].held and not _asked(state, lane))
            if lowest or (active and useful):
                probes -= 1
                if state.call[0].last_progress > state.lanes[lane].last_sent:
                    state.lanes[lane].tries = 0
                state.lanes[lane].tries += 1
                _ask_or_repeat(state, lane, lowest, now)
            state.lanes[lane].deadline = now + backed_off(state.timer, state.call[0].in_flight, state.lanes[lane].tries)
        lowest = False
