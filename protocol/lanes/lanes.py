"""The worker's side of the protocol: its lanes, each of which has one packet under way.

In every round of a lane the worker sends one contribution and gets one result. The contribution carries the blocks
that the last result asked for and this worker holds, and announces, for each column, the next block it holds. The
result says which block is next for everybody, and with which exponent to quantize it. Round for round this walks
through the union of all workers' non-zero blocks and never touches one that is zero everywhere (OmniReduce,
SIGCOMM'21). A column that is done is dealt another strip of blocks by the switch (strips.py), and of the lanes that
have something left to do only the lowest go on, as many as the network bears (window.py).

No sockets and no clock: arrived payloads and the time come in, the payloads to send and the next deadline come out. All
state is arrays over lanes, and everything that happens once a packet is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.call import Call, Signature
from dropzero.protocol.lanes.chunks import given, occupied, strips
from dropzero.protocol.lanes.timer import Timer, doubt, new_timer, observe, patience
from dropzero.protocol.lanes.window import Window, new_window, note, round_trip, sample
from dropzero.protocol.lanes.window import begin as begin_window
from dropzero.protocol.lanes.work import NOTHING, Plan, Small, Work, handle
from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.native.handles import Handle, by_address
from dropzero.protocol.tensor.arrays import Source, Target, Tensor, age, clear, exponent, find
from dropzero.protocol.tensor.bitmap import following, mark, marked
from dropzero.protocol.tensor.elements import get, put
from dropzero.protocol.tensor.fixedpoint import magnitude_bits
from dropzero.protocol.tensor.simd import PART, doublings, prefetch
from dropzero.protocol.wire import (
    ASSIGNED,
    COLUMN,
    COLUMNS,
    CONGESTED,
    ELEMENTS,
    HEADER,
    HEADROOM,
    MARKED,
    MAX_PAYLOAD,
    NO_BLOCK,
    NOT_FINITE,
    OUTER_BYTES,
    Kind,
    Operation,
    ranks,
)

KINDS = 1024
"""Of small calls, for which exponents and memory are kept."""
PROBES = 4
"""Contributions that are sent again at once, at most, when no results come."""

# What compiled code can have to say; anything but FINE ends the collective.
FINE, DISAGREEMENT, OTHER_EPOCH, CONFLICT = range(4)

_CONTRIBUTION, _RESULT, _MISSING, _EPOCH, _CONFLICT = (kind.first_byte for kind in Kind)
_NUMBER = ASSIGNED - 1
_PRIME = 16777619
_HEADER, _COLUMN, _DATA = HEADER.itemsize, COLUMN.itemsize, 4 * ELEMENTS


class ProtocolError(Exception):
    """The collective can't go on; the message says why."""


class Disagreement(ProtocolError):
    """The workers do not all make the same call.

    Attributes:
        workers: those whose call is another than the first one's that came, one bit each; 0: unknown.
    """

    def __init__(self, message: str, workers: int = 0) -> None:
        super().__init__(message)
        self.workers = workers


class EpochChanged(ProtocolError):
    """The job's membership is not the one this worker joined."""


# Records instead of arrays for each of these, because compiled code takes some time for every array that it is given.
_LANE = np.dtype(
    [
        ("round", np.uint32),
        # It has something left to do in this call; a contribution is under way.
        ("unfinished", np.bool_),
        ("waiting", np.bool_),
        # It is in `ready`; its contribution of this round has been sent at least once.
        ("ready", np.bool_),
        ("answerable", np.bool_),
        # The last result met a long queue.
        ("marked", np.bool_),
        # Its first round carries data already, with the exponents of the last call of this kind.
        ("early", np.bool_),
        # When the contribution was sent first, when to send it again (seconds), how often it was, and its bytes.
        ("sent", np.float64),
        ("deadline", np.float64),
        ("tries", np.int32),
        ("length", np.int32),
        # Whom the switch last said it was waiting for, a bit a worker.
        ("missing", np.uint32),
        # The data columns of this round's result that have not come yet, a bit each.
        ("wanted", np.int64),
        # Of each column: the block that this round is about and its exponent, biased; this worker's next block that is
        # not zero; the strip's first block, and one behind its last.
        ("block", np.uint32, (COLUMNS,)),
        ("exponent", np.int64, (COLUMNS,)),
        ("announced", np.uint32, (COLUMNS,)),
        ("first", np.int64, (COLUMNS,)),
        ("end", np.int64, (COLUMNS,)),
    ],
    align=True,
)
_CALL = np.dtype(
    [
        # What packets carry of it.
        ("digest", np.uint32),
        # Some block of the result is not finite.
        ("not_finite", np.bool_),
        # Who made another call, a bit a worker.
        ("conflict", np.uint32),
        # How many strips the switch had dealt in this epoch when the call began, and has in the call.
        ("dealt", np.int64, (2,)),
        # When a result came last, or the call began (seconds).
        ("heard", np.float64),
        # How many of `ready` count; how many lanes are unfinished; those below the third may go on.
        ("tally", np.int64, (3,)),
    ],
    align=True,
)
_STATISTICS = np.dtype(
    [
        ("packets_sent", np.int64),
        ("packets_received", np.int64),
        ("bytes_sent", np.int64),
        ("bytes_received", np.int64),
        ("retransmissions", np.int64),
        ("ignored", np.int64),
    ]
)


class State(NamedTuple):
    """All lanes, and what they share."""

    lanes: NDArray[np.void]
    """Shape (lanes,): see _LANE."""
    payload: NDArray[np.uint8]
    """The contribution of each, shape (lanes, MAX_PAYLOAD)."""
    ready: NDArray[np.int32]
    """The lanes whose contribution is to be sent now, shape (lanes,)."""
    call: NDArray[np.void]
    """Shape (1,): see _CALL."""
    timer: Timer
    window: Window
    statistics: NDArray[np.void]
    """Shape (1,): see _STATISTICS."""

    @classmethod
    def new(cls, lanes: int) -> State:
        state = cls(
            lanes=np.zeros(lanes, _LANE),
            payload=np.zeros((lanes, MAX_PAYLOAD), np.uint8),
            ready=np.zeros(lanes, np.int32),
            call=np.zeros(1, _CALL),
            timer=new_timer(),
            window=new_window(),
            statistics=np.zeros(1, _STATISTICS),
        )
        state.lanes["round"] = 0xFFFFFFFF
        return state


_put_state, state_at, _SIZE = by_address(State.new(1))


@compiled
def _place(state: State, address: int) -> None:
    _put_state(state, address)


@compiled
def _put(row: NDArray[np.uint8], at: int, value: int) -> None:
    """A big-endian 32-bit number."""
    row[at] = value >> 24 & 0xFF
    row[at + 1] = value >> 16 & 0xFF
    row[at + 2] = value >> 8 & 0xFF
    row[at + 3] = value & 0xFF


@compiled
def _get(row: NDArray[np.uint8], at: int) -> int:
    return int(row[at]) << 24 | int(row[at + 1]) << 16 | int(row[at + 2]) << 8 | int(row[at + 3])


@compiled
def _following(work: Work, block: int, end: int) -> int:
    """The first block from that one on, in its strip, that is not zero."""
    plan = work.plan
    if plan.strips.step == 1:
        block = following(work.marks, block << plan.larger, end << plan.larger) >> plan.larger
    else:
        while block < end and not marked(work.marks, block << plan.larger, 1 << plan.larger):
            block += plan.strips.step
    return block if block < end else NO_BLOCK


@compiled
def _exponent(work: Work, block: int) -> int:
    return exponent(work.marks, work.exponents, block, work.plan.larger)


@compiled
def _open(state: State, work: Work, lane: int, column: int, strip: int) -> bool:
    """Has the column begin a strip; False: there is no such strip."""
    state.lanes[lane].block[column] = NO_BLOCK
    if strip >= len(work.plan.strips.first):
        return False
    first, end = int(work.plan.strips.first[strip]), int(work.plan.strips.end[strip])
    state.lanes[lane].first[column] = first
    state.lanes[lane].end[column] = end
    state.lanes[lane].announced[column] = _following(work, first, end)
    return True


@compiled
def _guess(state: State, work: Work, lane: int, column: int, strip: int) -> None:
    """Has the column send the only block of its strip at once, if it was not zero in the last call of this kind."""
    block = int(work.plan.strips.first[strip])
    if block < work.plan.strips.end[strip] and work.plan.agreed[block]:
        state.lanes[lane].block[column] = block
        state.lanes[lane].exponent[column] = work.plan.agreed[block] - 1
        state.lanes[lane].early = True


@compiled
def _ready(state: State, lane: int) -> None:
    """Has the lane's contribution sent, once, however often that is asked for before it is."""
    if not state.lanes[lane].ready:
        state.lanes[lane].ready = True
        state.ready[state.call[0].tally[0]] = lane
        state.call[0].tally[0] += 1


@compiled
def _contribute(state: State, work: Work, lane: int, now: float) -> None:
    """Has the lane enter its next round: makes its contribution, and readies it."""
    plan = work.plan
    state.lanes[lane].round += np.uint32(1)
    state.lanes[lane].waiting = True
    state.lanes[lane].missing = 0
    row = state.payload[lane]
    group = COLUMNS // plan.columns
    early = state.lanes[lane].early
    wanted = 0
    held = 0
    for column in range(plan.columns):
        if state.lanes[lane].block[column] != NO_BLOCK:
            wanted += group
            if state.lanes[lane].block[column] == state.lanes[lane].announced[column]:
                held += group
    short = wanted - held - HEADROOM // _DATA if plan.fill else 0
    mask = 0
    state.lanes[lane].wanted = 0
    end = _HEADER + plan.columns * _COLUMN
    for column in range(plan.columns):
        block = int(state.lanes[lane].block[column])
        if block != NO_BLOCK:
            bits = ((1 << group) - 1) << (column * group)
            state.lanes[lane].wanted |= bits
            mine = block == state.lanes[lane].announced[column]
            common = int(state.lanes[lane].exponent[column])
            if early and not (mine and _exponent(work, block) <= common):
                # It counts for nothing, but all send something, so that the result is not longer.
                mask |= bits
                row[end : end + group * _DATA] = 0
                end += group * _DATA
            elif mine or plan.send_all or short > 0:
                mask |= bits
                first = block * plan.size
                put(row, end, group * _DATA, work.source, first, common, plan.is_float, plan.bits, plan.width)
                end += group * _DATA
                if not mine:
                    short -= group
                elif not early:
                    ahead = _following(work, block + plan.strips.step, int(state.lanes[lane].end[column]))
                    state.lanes[lane].announced[column] = ahead
        ahead = int(state.lanes[lane].announced[column])
        at = _HEADER + column * _COLUMN
        _put(row, at, block)
        _put(row, at + 4, ahead)
        row[at + 8] = 0 if ahead == NO_BLOCK else _exponent(work, ahead)
    row[0] = _CONTRIBUTION | (MARKED if state.lanes[lane].marked else 0)
    state.lanes[lane].marked = False
    row[1] = mask
    row[2] = plan.form
    row[3] = plan.worker
    _put(row, 4, plan.job << 16 | lane)
    _put(row, 8, plan.epoch)
    _put(row, 12, int(state.lanes[lane].round))
    _put(row, 16, int(state.call[0].digest))
    _put(row, 20, plan.secret)
    state.lanes[lane].answerable = False
    state.lanes[lane].length = end
    state.lanes[lane].sent = now
    state.lanes[lane].deadline = now + state.timer[0].timeout
    state.lanes[lane].tries = 0
    _ready(state, lane)


@compiled
def _go_on(state: State, work: Work, now: float) -> None:
    """Has the lowest lanes that are unfinished contribute, as many as the window has."""
    room = int(state.window[0].size)
    for lane in range(len(state.lanes)):
        if state.lanes[lane].unfinished:
            if not room:
                state.call[0].tally[2] = lane
                return
            room -= 1
            if not state.lanes[lane].waiting:
                _contribute(state, work, lane, now)
    state.call[0].tally[2] = len(state.lanes)


@compiled
def _told(plan: Plan, digest: int) -> int:
    """A call's digest with the exponents that its blocks may begin with (FNV-1a): workers that do not agree on these do
    not add up."""
    for each in plan.agreed:
        digest = (digest ^ int(each)) * _PRIME & 0xFFFFFFFF
    return digest


@compiled
def begin(state: State, work: Work, digest: int, now: float) -> None:
    """Begins a tensor on all lanes that it has blocks for, with announcements without data. digest: the call's."""
    plan = work.plan
    if len(plan.agreed):
        # A small tensor's blocks have not been looked at yet.
        work.marks[:] = 0
        find(work.source, plan.is_float, work.marks, work.exponents)
    state.call[0].not_finite = False
    state.call[0].digest = _told(plan, digest)
    age(work.fresh, work.stale)
    for lane in range(plan.lanes):
        state.lanes[lane].unfinished = True
        state.lanes[lane].early = False
        for column in range(plan.columns):
            strip = lane * plan.columns + column
            if strip < plan.given:
                _open(state, work, lane, column, strip)
                if len(plan.agreed):
                    _guess(state, work, lane, column, strip)
            else:
                state.lanes[lane].block[column] = state.lanes[lane].announced[column] = NO_BLOCK
    state.call[0].dealt[0] = (state.call[0].dealt[0] + state.call[0].dealt[1]) & _NUMBER
    state.call[0].dealt[1] = 0
    state.call[0].heard = now
    state.call[0].tally[0] = 0
    state.call[0].tally[1] = plan.lanes
    begin_window(state.window, now)
    _go_on(state, work, now)


@compiled
def _take(state: State, work: Work, lane: int, row: NDArray[np.uint8], length: int, now: float) -> int:
    """Takes in a result, or a part of it, that the lane waits for; when it is whole, answers it, rests or ends the
    lane."""
    plan = work.plan
    group = COLUMNS // plan.columns
    at = _HEADER + plan.columns * _COLUMN
    if row[2] != plan.form or length < at:
        return DISAGREEMENT
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
                return DISAGREEMENT
            first = block * plan.size + data_column % group * _DATA * 8 // plan.width
            common = int(state.lanes[lane].exponent[column])
            get(row, at, size, work.target, first, common, plan.is_float, plan.bits, plan.width)
            state.call[0].not_finite |= plan.is_float and common == NOT_FINITE
            mark(work.fresh, first // PART, size * 8 // plan.width // PART)
            state.lanes[lane].wanted &= ~(((1 << count) - 1) << data_column)
            at += size
        data_column += max(count, 1)
    state.call[0].heard = now
    state.window[0].received += length + OUTER_BYTES
    state.lanes[lane].marked |= row[0] & MARKED != 0
    if state.lanes[lane].wanted:
        return FINE
    early = state.lanes[lane].early
    state.lanes[lane].early = False
    opening = True
    ended = True
    for column in range(plan.columns):
        at = _HEADER + column * _COLUMN
        block = state.lanes[lane].block[column]
        opening &= early or block == NO_BLOCK
        ahead = _get(row, at + 4)
        if ahead & ASSIGNED:
            if early and block != NO_BLOCK:
                plan.agreed[block] = 0
            number = (ahead - state.call[0].dealt[0]) & _NUMBER
            state.call[0].dealt[1] = max(state.call[0].dealt[1], number + 1)
            if _open(state, work, lane, column, plan.given + number):
                ended = False
            continue
        first = state.lanes[lane].first[column]
        if not first <= ahead < state.lanes[lane].end[column] or (ahead - first) % plan.strips.step:
            return DISAGREEMENT
        common = row[at + 8]
        if len(plan.agreed):
            # Nothing can be scaled with one that is not finite.
            plan.agreed[ahead] = 0 if plan.is_float and common == NOT_FINITE else common + 1
        if early and ahead == block and common == state.lanes[lane].exponent[column]:
            # All had it, or less, and sent it so.
            state.lanes[lane].block[column] = state.lanes[lane].announced[column] = NO_BLOCK
            continue
        ended = False
        state.lanes[lane].block[column] = ahead
        state.lanes[lane].exponent[column] = common
    # The opening round also measures how long the others took to get here.
    if state.lanes[lane].tries:
        doubt(state.timer)
    elif not opening:
        sample(state.window, now - state.lanes[lane].sent)
    expected = round_trip(state.window)
    over = note(state.window, row[0] & CONGESTED != 0, state.call[0].tally[1], len(state.lanes), now)
    if over and expected:
        observe(state.timer, expected)
    state.lanes[lane].waiting = False
    if ended:
        state.lanes[lane].unfinished = False
        state.call[0].tally[1] -= 1
        if not state.call[0].tally[1]:
            clear(work.target, work.fresh, work.stale)
    elif lane < state.call[0].tally[2]:
        _contribute(state, work, lane, now)
    if ended or over:
        _go_on(state, work, now)
    return FINE


@compiled
def _prefetch(work: Work, words: NDArray[np.uint32], block: int) -> None:
    first = np.uintp(words.ctypes.data) + np.uintp(4 * work.plan.size * block)
    for line in range(0, 4 * work.plan.size, 64):
        prefetch(first + np.uintp(line))


@compiled
def expect(state: State, work: Work, row: NDArray[np.uint8], length: int) -> None:
    """Has the memory in the caches that hearing this payload will take: each lane's blocks are somewhere else."""
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
def hear(state: State, work: Work, row: NDArray[np.uint8], length: int, now: float) -> int:
    """Takes in a payload, shape (>= MAX_PAYLOAD,), of so many bytes, at that time. Returns FINE, or what ends the
    collective."""
    statistics = state.statistics
    statistics[0].packets_received += 1
    statistics[0].bytes_received += length + OUTER_BYTES
    statistics[0].ignored += 1
    if length < _HEADER or _get(row, 4) >> 16 != work.plan.job:
        return FINE
    lane = _get(row, 4) & 0xFFFF
    if lane >= len(state.lanes) or not state.lanes[lane].waiting or _get(row, 12) != state.lanes[lane].round:
        return FINE
    if not state.lanes[lane].answerable or _get(row, 20) != work.plan.secret:
        # Nobody can have answered that; or it is somebody else who does.
        return FINE
    kind = row[0] & ~(MARKED | CONGESTED)
    if kind == _EPOCH:
        # One that was delayed may tell of an epoch that was over before this one began.
        if _get(row, 8) > work.plan.epoch:
            return OTHER_EPOCH
    elif _get(row, 8) != work.plan.epoch:
        return FINE
    elif kind == _MISSING:
        state.lanes[lane].missing = _get(row, 16)
    elif kind == _CONFLICT:
        state.call[0].conflict = _get(row, 16)
        return CONFLICT
    elif kind == _RESULT:
        outcome = _take(state, work, lane, row, length, now)
        if outcome != FINE:
            return outcome
    else:
        return FINE
    statistics[0].ignored -= 1
    return FINE


@compiled
def _receive(state: State, work: Work, payloads: NDArray[np.uint8], lengths: NDArray[np.int32], now: float) -> int:
    for i in range(len(lengths)):
        outcome = hear(state, work, payloads[i], lengths[i], now)
        if outcome != FINE:
            return outcome
    return FINE


@compiled
def readied(state: State) -> int:
    """How many of `ready` are to be sent now. Asking counts them as sent."""
    statistics = state.statistics
    count = state.call[0].tally[0]
    state.call[0].tally[0] = 0
    for i in range(count):
        lane = state.ready[i]
        state.lanes[lane].ready = False
        state.lanes[lane].answerable = True
        statistics[0].bytes_sent += state.lanes[lane].length + OUTER_BYTES
    statistics[0].packets_sent += count
    return int(count)


@compiled
def next_deadline(state: State) -> float:
    """When a contribution is to be sent again, if nothing arrives until then."""
    least = np.inf
    for lane in range(len(state.lanes)):
        if state.lanes[lane].waiting:
            least = min(least, state.lanes[lane].deadline)
    return least


@compiled
def expire(state: State, now: float) -> None:
    """Readies the contributions again whose deadline has passed. When no results come at all, somebody may be slow:
    then only few of those that the switch has not said it has, and the lowest lane's, which all need first. A job that
    has no more lanes has little to spare, and with losses it would wait for its lowest lane time and again."""
    timer, statistics = state.timer, state.statistics
    silent = now - state.call[0].heard >= timer[0].timeout and len(state.lanes) > PROBES
    few = PROBES
    lowest = True
    for lane in range(len(state.lanes)):
        if not state.lanes[lane].waiting:
            continue
        if state.lanes[lane].deadline <= now:
            if lowest or not silent or (few and not state.lanes[lane].missing):
                few -= 1
                state.lanes[lane].tries += 1
                _ready(state, lane)
                statistics[0].retransmissions += 1
            state.lanes[lane].deadline = now + patience(timer, state.lanes[lane].tries)
        lowest = False


class Lanes:
    """One worker's lanes in one epoch of a job. Rounds go on from tensor to tensor.

    Args:
        job, worker, epoch: the worker's place, as the controller gave it.
        workers: how many the job has.
        lanes: how many contributions may be under way at once, at most.
        fill: the job is on several switches. They can't pass on more than HEADROOM bytes more than they get, up or
            down.
        secret: what tells this worker's packets, and their answers, from forged ones (32 bits).

    Attributes:
        address: where compiled code finds the state, by `state_at`.
        work: what was prepared last.
    """

    def __init__(
        self, *, job: int, worker: int, workers: int, epoch: int, lanes: int, fill: bool = False, secret: int = 0
    ) -> None:
        self.job, self.worker, self.workers, self.epoch, self.lanes = job, worker, workers, epoch, lanes
        self._fill, self._secret = fill, secret
        self._state = State.new(lanes)
        self._not_finite = self._state.call["not_finite"]
        self._handle = Handle(_place, _SIZE, self._state)
        self.address = self._handle.address
        self._prepared = self.work = handle(NOTHING)
        self._small: dict[str, Small] = {}

    def enter(self, epoch: int, workers: int, lanes: int, *, fill: bool = False) -> None:
        """Starts anew in another epoch, with so many workers and lanes; `fill` as at first. What was under way is
        forgotten."""
        self.epoch, self.workers, self.lanes, self._fill = epoch, workers, lanes, fill
        self._state = State.new(lanes)._replace(timer=self._state.timer, statistics=self._state.statistics)
        self._not_finite = self._state.call["not_finite"]
        self._handle.hold(self._state)
        self._prepared.hold(NOTHING)
        self.work = self._prepared
        self._small.clear()

    def begin(self, call: Call, source: Source, target: Target, now: float) -> None:
        """Starts to add up (or else combine) `source` over all workers into `target`; now: the time in seconds, of any
        clock that only goes forward. The rest is as for `prepare`."""
        self.prepare(call, source, target)
        self.start(call, now)

    def start(self, call: Call, now: float) -> None:
        """Begins what is prepared."""
        begin(self._state, self.work.content, call.digest, now)

    def prepare(self, call: Call, source: Source, target: Target) -> None:
        """Does all of that but what `start` does, in compiled code.

        Args:
            call: what this worker asks for; all workers' calls must be the same.
            source, target: of as many elements as the call has, of its type. What is in the target is lost.

        Raises:
            ValueError: the elements are too narrow for so many workers.
        """
        signature = call.signature
        plan = self.small(signature).work.content.plan if signature.small else self._plan(call)
        # As bit patterns, so that there is one type to compile for.
        work = Work(source.array.view(np.uint32), source.marks, source.exponents, *target, plan)
        self._prepared.hold(work)
        self.work = self._prepared

    def small(self, signature: Signature) -> Small:
        """Likewise for small calls. Returns where the tensor is to be put, and its sum is made."""
        small = self._small.get(signature.text)
        if small is None:
            if len(self._small) == KINDS:
                self._small.clear()
            small = self._small[signature.text] = Small.of(signature, self._plan(signature.call(0)))
        self.work = small.work
        return small

    def _plan(self, call: Call) -> Plan:
        signature = call.signature
        blocks, columns = signature.blocks, signature.columns
        is_float = bool(signature.dtype == np.float32)
        lanes = occupied(blocks, columns, self.lanes, call.expected)
        cut = strips(blocks, lanes * columns, call.expected, call.spread)
        return Plan(
            is_float=is_float,
            bits=magnitude_bits(signature.width.bits, self.workers, signature.few_bits) if is_float else 0,
            width=signature.width.bits,
            form=columns << 4 | signature.operation << 2 | signature.width,
            size=signature.block,
            larger=doublings(signature.block),
            columns=columns,
            lanes=lanes,
            given=given(len(cut.first), lanes, columns),
            strips=cut,
            agreed=np.zeros(blocks if signature.small else 0, np.int16),
            send_all=signature.operation != Operation.SUM,
            fill=self._fill,
            worker=self.worker,
            job=self.job,
            epoch=self.epoch,
            secret=self._secret,
        )

    @staticmethod
    def rehearse() -> None:
        """Adds up one worker's arrays with nobody else's, whose contributions are their own results. What there is to
        compile is compiled afterwards, or loaded, which in front of others would look like a slow network."""
        tensors: tuple[Tensor, Tensor] = (np.ones(ELEMENTS, np.float32), np.ones(ELEMENTS, np.int32))
        for tensor in tensors:
            alone = Lanes(job=0, worker=0, workers=1, epoch=0, lanes=1)
            alone.begin(Call.of(tensor, block=ELEMENTS), Source.of(tensor), Target.new(len(tensor)), 0.0)
            alone.expire(0.0)
            while not alone.done:
                payloads, rows, lengths = alone.outgoing()
                payloads[rows, 0] = _RESULT
                alone.receive(payloads[rows], lengths, 0.0)

    @property
    def statistics(self) -> dict[str, int]:
        """What was sent and received so far: packets_sent, packets_received, bytes_sent and bytes_received from the
        Ethernet header on, retransmissions, and ignored packets, that came late, twice or from elsewhere."""
        return {name: int(self._state.statistics[name][0]) for name in _STATISTICS.names or ()}

    @property
    def done(self) -> bool:
        """Nothing is under way: the target holds the sum."""
        return not self._state.call["tally"][0, 1]

    @property
    def finite(self) -> bool:
        """No block of the target holds NaNs because some worker's was not finite."""
        return not self._not_finite[0]

    @property
    def heard(self) -> float:
        """When a result came last, or the call began."""
        return float(self._state.call["heard"][0])

    @property
    def deadline(self) -> float:
        """When `expire` has something to do, if nothing arrives until then. Only while not done."""
        return float(next_deadline(self._state))

    @property
    def missing(self) -> int:
        """Whom the switch last said it was waiting for, one bit a worker; 0 when it did not have to say."""
        lanes = self._state.lanes
        return int(np.bitwise_or.reduce(lanes["missing"][lanes["waiting"]], initial=0))

    @property
    def waiting(self) -> dict[int, int]:
        """The lanes whose contribution has no result yet, in order, and the round that each is in."""
        lanes = self._state.lanes
        return {int(lane): int(lanes["round"][lane]) for lane in np.flatnonzero(lanes["waiting"])}

    def receive(self, payloads: NDArray[np.uint8], lengths: NDArray[np.int32], now: float) -> None:
        """Takes in a batch of UDP payloads: row i of `payloads`, shape (n, >= MAX_PAYLOAD), has lengths[i] bytes.
        What is stale, doubled or foreign is ignored.

        Raises:
            Disagreement, EpochChanged: the collective can't go on.
        """
        self.check(_receive(self._state, self.work.content, payloads, lengths, now))

    def check(self, outcome: int) -> None:
        """Raises Disagreement or EpochChanged where compiled code says that the collective can't go on."""
        if outcome == DISAGREEMENT:
            raise Disagreement("a result does not fit what this worker called")
        if outcome == CONFLICT:
            who = int(self._state.call["conflict"][0])
            names = ", ".join(map(str, ranks(who)))
            raise Disagreement(f"the workers do not all make the same call: {names} made another than the others", who)
        if outcome == OTHER_EPOCH:
            raise EpochChanged(f"job {self.job} has left epoch {self.epoch}: its membership changed")

    def expire(self, now: float) -> None:
        """Readies again what has waited too long for its answer."""
        expire(self._state, now)

    def outgoing(self) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]:
        """What is to be sent now: all payloads, shape (lanes, MAX_PAYLOAD), which of their rows, and those rows'
        lengths in bytes. A row stands until its lane gets its result. Asking counts them as sent."""
        rows = self._state.ready[: readied(self._state)]
        return self._state.payload, rows, self._state.lanes["length"][rows]
