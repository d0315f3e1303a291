"""A host's packets in compiled code: results go into the lanes, and contributions come out as Ethernet frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.rounds import FINE, expire, hear, next_deadline, readied
from dropzero.protocol.lanes.state import state_at
from dropzero.protocol.lanes.work import work_at
from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES

MAX_FRAME = OUTER_BYTES + MAX_PAYLOAD
_IP, _UDP = 14, 34


@compiled
def take(
    lanes: int, work: int, payloads: NDArray[np.uint8], lengths: NDArray[np.int32], count: int, now: float
) -> tuple[int, int, bool]:
    """Gives the lanes the first `count` payloads, row by row, and lets overdue contributions expire.

    lanes, work: addresses. payloads: shape (n, MAX_PAYLOAD). lengths: bytes, shape (n,). now: seconds.
    Returns an outcome, the number of packets to send, and whether the call is over.
    """
    state = state_at(lanes)
    for i in range(count):
        outcome = hear(state, work_at(work), payloads[i], lengths[i], now)
        if outcome != FINE:
            return outcome, 0, False
    if next_deadline(state) <= now:
        expire(state, now)
    return FINE, int(state.call[0].ready), not state.call[0].unfinished


@compiled
def give(lanes: int, outer: NDArray[np.uint8], frames: NDArray[np.uint8], lengths: NDArray[np.int32]) -> float:
    """Writes the packets to send now as frames, and counts them as sent. Returns the next deadline, in seconds.

    lanes: an address. outer: the headers in front of the payload, with lengths and IP checksum 0. frames: shape (n,
    MAX_FRAME), with n as `take` returned it. lengths: of the frames, bytes, shape (n,).
    """
    state = state_at(lanes)
    for i in range(readied(state)):
        lane = state.ready[i]
        size = state.lanes[lane].length
        for at in range(OUTER_BYTES):
            frames[i, at] = outer[at]
        for at in range(size):
            frames[i, OUTER_BYTES + at] = state.payload[lane, at]
        _put(frames[i], _IP + 2, size + OUTER_BYTES - _IP)
        _put(frames[i], _UDP + 4, size + OUTER_BYTES - _UDP)
        total = 0
        for at in range(_IP, _UDP, 2):
            total += int(frames[i, at]) << 8 | int(frames[i, at + 1])
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        _put(frames[i], _IP + 10, total ^ 0xFFFF)
        lengths[i] = OUTER_BYTES + size
    return next_deadline(state)


@compiled
def _put(frame: NDArray[np.uint8], at: int, value: int) -> None:
    frame[at] = value >> 8
    frame[at + 1] = value & 0xFF
