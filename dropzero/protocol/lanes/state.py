"""The state of a worker's lanes, as compiled code sees it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.handles import Handle, by_address
from dropzero.native.records import record
from dropzero.protocol.lanes.timer import Timer, new_timer
from dropzero.protocol.lanes.window import Window, new_window
from dropzero.protocol.wire import COLUMNS, MAX_PAYLOAD

_LANE = record(
    ("round", np.uint32),
    # It has work left in this call.
    ("unfinished", np.bool_),
    # A contribution is in flight.
    ("waiting", np.bool_),
    # It is in `ready`.
    ("ready", np.bool_),
    # This round's contribution has been sent at least once. Before, an answer to it can only be forged.
    ("was_sent", np.bool_),
    # What the query asks for that was sent last and has no answer yet.
    ("query", np.uint8),
    # The last result met a long queue (ECN).
    ("marked", np.bool_),
    # The last round's contribution was retransmitted, and nothing has shown yet whether that was needed.
    ("maybe_spurious", np.bool_),
    # From its last retransmission to its result (seconds).
    ("last_round_trip", np.float64),
    # The timeout, or else the drain time, that would have avoided that (seconds); 0 or less if it is not known.
    ("timeout drain", np.float64),
    # It has had a result in this call.
    ("opened", np.bool_),
    # When this round's contribution was sent first and last, and when to send it again (seconds).
    ("first_sent last_sent deadline", np.float64),
    # Its retransmissions.
    ("tries", np.int32),
    # The number of this worker's packets before it, and before the latest one about it; and of those in flight when
    # it was made, itself included.
    "sequence latest",
    ("in_flight", np.int32),
    # The mask of its data columns, and its length in bytes.
    ("mask", np.uint8),
    ("whole", np.int32),
    # The length of what is sent next: the contribution, or a query about it (bytes).
    ("length", np.int32),
    # The switch has reported that it has the contribution.
    ("held", np.bool_),
    # The workers that it last reported as missing, one bit each.
    ("missing", np.uint32),
    # The data columns of this round's result that have not arrived yet, one bit each.
    "awaited",
    # For each column: this round's block and its biased exponent; this worker's next non-zero block; whether the
    # exponent is that of the last call of this kind; the chunk's first block and its end.
    ("block", np.uint32, (COLUMNS,)),
    ("exponent", np.int64, (COLUMNS,)),
    ("announced", np.uint32, (COLUMNS,)),
    ("early", np.uint8, (COLUMNS,)),
    ("first end", np.int64, (COLUMNS,)),
)
_CALL = record(
    # The call's digest, as packets carry it.
    ("digest", np.uint32),
    # The third byte of its contributions.
    ("form", np.uint8),
    # The job spans several switches.
    ("leaf", np.bool_),
    # Some block of the result is not finite.
    ("not_finite", np.bool_),
    # Some worker has told all that it has a zero block (see `_contradict`).
    ("contradicted", np.bool_),
    # The workers that made another call, one bit each.
    ("conflict", np.uint32),
    # Chunks that the switch had assigned in this epoch when the call began, and those that it assigned since.
    "assigned_before assigned",
    # A result has arrived, so all workers have made the call.
    ("made", np.bool_),
    # When the last result arrived, or the call began (seconds).
    ("last_progress", np.float64),
    # Probes sent since then, and when to send the next one (seconds).
    "probes",
    ("next_probe", np.float64),
    # Packets in this epoch, and the `sequence` of the latest contribution that has a result.
    "packets answered",
    # The number of the latest packet that has an answer.
    "reported",
    # The `sequence` from which on no query was sent because later contributions had results.
    "oldest",
    # Entries of `ready`.
    "ready",
    # Lanes that wait for a result.
    "in_flight",
    # Unfinished lanes.
    "unfinished",
    # The lanes below this number are in the window.
    "active",
)
_STATISTICS = record(
    "packets_sent packets_received bytes_sent bytes_received retransmissions queries",
    "ignored congested",
)


class State(NamedTuple):
    """All lanes and their shared state, in a few arrays of records: each array passed to compiled code costs time."""

    lanes: NDArray[np.void]
    """Shape (lanes,): see _LANE."""
    payload: NDArray[np.uint8]
    """Their contributions, shape (lanes, MAX_PAYLOAD)."""
    ready: NDArray[np.int32]
    """The lanes whose contributions are to be sent now, shape (lanes,): the first call[0].ready elements."""
    order: NDArray[np.int32]
    """The lane of each of the last contributions, shape (4 * lanes,): by `sequence`, modulo the length."""
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
            order=np.zeros(4 * lanes, np.int32),
            call=np.zeros(1, _CALL),
            timer=new_timer(),
            window=new_window(),
            statistics=np.zeros(1, _STATISTICS),
        )
        state.lanes["round"] = 0xFFFFFFFF
        return state


_put, state_at = by_address(State.new(1))


@compiled
def _place(state: State, address: int) -> None:
    _put(state, address)


def handle(state: State) -> Handle[State]:
    """A handle with which compiled code finds the state, by `state_at`."""
    return Handle(_place, state)
