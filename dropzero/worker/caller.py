"""Makes a worker's calls in order, through membership changes, new epochs and failures.

`Caller.run` makes one call:

    run --> in the history already (a call that was made while this worker was benched) --------------> return it
     |
     +--> _make: _drive the packets --> _take the result into the history -----------------------------> return it
           ^        |
           |        | EpochChanged: the job has another epoch
           |        v
           +--- _enter: wait for the epoch's place
                  |        ^
                  |        | not a member (benched): ask to return
                  |        | EpochChanged: yet another epoch
                  v        |
                _catch_up: exchange Standings, share the results that some members lack, hand the state to newcomers

If each member gets only its own shard of the result, `_drive` ends with a round without data, `_confirm`: when it is
complete, all members have theirs. So a member that lacks this round's result later can take its own shard. If each
member gets all but its own shard, which nobody else contributes to, `_complete` copies that from its input.

An error ends the call on this worker. `failed` then ends it on all: `_give_up` --> `_tell` the controller. It answers
with the ending, or that another member has the result. Then this worker skips the call (`_pass`), at the latest before
its next one (`_find_place`).
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.membership.client import LINGER, Membership, MembershipError, Place, UnchangedError
from dropzero.membership.ending import MOST_SAID, Ending
from dropzero.protocol.lanes.call import Call, Signature
from dropzero.protocol.lanes.errors import Disagreement, EpochChanged, ProtocolError
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.lanes.work import EVERYTHING
from dropzero.protocol.tensor.arrays import Source, Target, touched
from dropzero.protocol.tensor.bitmap import Bitmap
from dropzero.protocol.wire import HEADROOM, MAX_WORKERS, ranks
from dropzero.worker import blocks
from dropzero.worker.errors import Closed, NotFinite, Stalled, WorkerLost, ending_of, error_of
from dropzero.worker.history import Finished, History
from dropzero.worker.pump import pump
from dropzero.worker.recorder import Recorder
from dropzero.worker.silence import Silence
from dropzero.worker.state import packed, unpacked
from dropzero.worker.transport import Transport

R = TypeVar("R")
Input = Source | NDArray[Any]
"""A call's input: the array itself for small calls, else its Source."""


FITTING = HEADROOM // 4
"""Words in a result that completes a round by a contribution without data, also between switches."""
CONFIRMATION = Signature.of("all have their shards", np.dtype(np.int32), 1)
"""The call that ends a call whose result goes to its owners."""

DEAD_PATH = 10.0
"""Seconds without progress before this worker reports members that have made the call but whose packets do not arrive.
Heavy loss may hit all retransmissions of one second, but not of ten."""
REPORTS = 1.0
"""Seconds between two such reports."""
MAX_LOGGED = 20
"""The most events that are logged when a call fails."""

LOG = logging.getLogger("dropzero")


class Shards(NamedTuple):
    """Each rank's part of a call's array, the same on all workers: rank r has elements bounds[r] to bounds[r + 1].

    Attributes:
        gathered: each worker contributes only its own shard, and needs the others'. If False, it needs only its own.
        single: at most one worker contributes to each element.
    """

    bounds: tuple[int, ...]
    gathered: bool = False
    single: bool = False

    def of(self, rank: int) -> slice:
        return slice(*self.bounds[rank : rank + 2])

    def wanted(self, rank: int, members: Iterable[int]) -> Bitmap:
        """The granules of the result that the switch must send to a rank."""
        others = set(members) - {rank}
        # Ranks that are not members may return, and get their shards from any member.
        ranges = (
            self.of(each)
            for each in range(len(self.bounds) - 1)
            if (each != rank if self.gathered else each not in others)
        )
        return touched(self.bounds[-1], ranges)


def input_of(signature: Signature, array: NDArray[Any]) -> Input:
    """Converts an array to the input of a call with this signature."""
    return array if signature.small else Source.of(array)


def uninterrupted() -> None:
    """The `interruption` of a call that runs on the program's own thread: none."""


class Standing(NamedTuple):
    """A member's first message to the others in a new epoch.

    Attributes:
        known: 1; 0 for a worker that is entering.
        end, first: of its history.
        epoch: the epoch of its last result; 0 if it has none.
        state: 0 if it holds no state for entering workers. Else it holds one, taken before its next call, which is the
            `admit` that let them in (1), or the call after that (2).
        returning: 1 if it was benched.
    """

    known: int = 0
    end: int = 0
    first: int = 0
    epoch: int = 0
    state: int = 0
    returning: int = 0


class Caller:
    """Makes this worker's calls.

    When the job's membership changes, the running call starts again from its unchanged input, unless a member already
    has the result: then all members take that. A worker that was benched gets all results that it missed.

    Each call has one outcome on all workers. If an error ends it on this worker, this worker tells the others. Then
    either the call ends without a result on all workers, or a member has its result, and this worker skips the call.

    Attributes:
        place: this worker's place in the job.
        state: the state that this worker received when it entered a running job; None if it did not.
        closed: why this worker can make no more calls; empty while it can.
        remaining: the calls that the running collective still has to make, with the running one. If an error ends the
            collective, all of them are given up.
        interruption: returns an exception that must end the running call, or None.
    """

    def __init__(
        self, place: Place, membership: Membership, transport: Transport, stall: float, straggler: float | None
    ) -> None:
        """If the job is running, returns when its members have let this worker in.

        Args:
            stall: seconds without progress after which a call fails.
            straggler: seconds without progress after which a call continues without the members that have not made it;
                None: it waits for them.

        Raises:
            ProtocolError: the members did not let this worker in.
        """
        self.place = place
        self.state: dict[str, NDArray[Any]] | None = None
        self.closed = ""
        self.remaining = 0
        self.interruption: Callable[[], BaseException | None] = uninterrupted
        self._membership, self._transport, self._stall = membership, transport, stall
        self._straggler = math.inf if straggler is None else straggler
        self._patience = min(self._stall, self._straggler)
        self._lanes = Lanes(
            job=place.job,
            worker=place.number,
            workers=len(place.members),
            epoch=place.epoch,
            lanes=place.lanes,
            leaf=place.leaf,
            limited=place.limited,
            secret=place.secret,
        )
        self._recorder = membership.recorder = Recorder()
        self._silence = Silence(self._lanes, self._recorder, self._missing)
        # The number of the next call.
        self._calls = 0
        # The results of the running collective's calls so far, and those of them that it still gets again.
        self._answers: tuple[Finished, ...] = ()
        self._again: tuple[Finished, ...] = ()
        # The program's call that exchanges packets, and where its result goes.
        self._running: Call | None = None
        self._target: Target | None = None
        # What `_complete` copies to it from this worker's own input, which the switch does not send back.
        self._own: tuple[Source, slice] | None = None
        # This worker's shard of the running call's result, which counts once all members have theirs.
        self._shard: Finished | None = None
        self._note_epoch(place)
        # When to give up the running call, by time.monotonic().
        self._give_up_at = math.inf
        # The packets received when `_unheard` looked last.
        self._received = 0
        # A call is running, or ended early: its packets may still arrive in this epoch.
        self._unfinished = False
        # The calls that this worker gave up and has not skipped yet.
        self._given_up: deque[Ending] = deque()
        # None until a newcomer has the state.
        self._history: History | None = None if place.newcomer else History()
        # The state for newcomers, and the same packed; both None, except around an `admit`.
        self._offer: Mapping[str, ArrayLike] | None = None
        self._packed_offer: NDArray[np.int32] | None = None
        # The number of the latest `admit` call; None: that of the next call.
        self._admit_call: int | None = 0
        # This worker entered the running job, and has made no call yet.
        self._entering = place.newcomer
        if place.newcomer:
            self._enter(place)

    @property
    def statistics(self) -> dict[str, int]:
        return self._lanes.statistics

    # ---- calls

    def begin(self) -> None:
        """Begins a collective: of one call, unless it sets `remaining`."""
        self.remaining, self._answers, self._again = 1, (), ()

    @property
    def settled(self) -> bool:
        """Whether the running collective has the results of all of its calls, so that it can no longer end without a
        result."""
        if not self.remaining or self._history is None or self.closed:
            return bool(self._answers)
        self._rescue()
        history, end = self._history, self._calls + self.remaining
        if self._given_up or history.end < end or any(history[at].ending for at in range(self._calls, end)):
            return False
        return self._membership.take(history.end - 1, self.place.epoch, calling=False)

    def _rescue(self) -> None:
        """Takes the result of the running call, if that ended before an error kept this worker from taking it."""
        call, target = self._running, self._target
        self._running = None
        if call is None or target is None or not self._lanes.done or self._lanes.wrong or self._known.end > call.number:
            return
        self._unfinished = False
        self._complete(target)
        target = target.snapshot() if call.signature.small else target
        with suppress(EpochChanged):
            self._take(Finished(call.digest, self.place.epoch, self.place.members, target))

    def replay(self, collective: Callable[[], R]) -> R:
        """Runs a settled collective again. Its calls get the same results again."""
        calls, left = self._calls, self.remaining
        self.remaining, self._again = 1, self._answers
        try:
            return collective()
        except BaseException:
            self.remaining, self._again = left - (self._calls - calls), ()
            raise

    def run(
        self, signature: Signature, tensor: Input, give_up_at: float = math.inf, shards: Shards | None = None
    ) -> Finished:
        """Makes the next of the `remaining` calls. Returns its result, which the caller must not change. After an
        error, call `failed`.

        Args:
            signature: of the call.
            tensor: the input; see `input_of`.
            give_up_at: when to give up, by time.monotonic().
            shards: what each worker contributes and needs. If it needs only its own shard, the result may have zeros
                elsewhere. None: everything.

        Raises:
            ProtocolError: the call has no result.
        """
        if self._again:
            answer, self._again, self.remaining = self._again[0], self._again[1:], self.remaining - 1
            return answer
        self._give_up_at = give_up_at
        if self._given_up:
            self._find_place()
        number = self._calls
        if self._admit_call is None:
            self._admit_call = number
        call = signature.call(number)
        noted = self._recorder.begin(call, self.place.epoch)
        history = self._known
        if history.end <= number:
            self._make(call, tensor, history, shards)
        result = history[number]
        ending = result.ending
        if ending is None:
            # In one step, which no signal can interrupt.
            self._calls, self.remaining, self._answers = number + 1, self.remaining - 1, (*self._answers, result)
        else:
            self._calls, self.remaining = ending.end, 0
        noted.append(", is over")
        last = history.end - 1
        # A benched worker may lack any result until it makes a call with the others.
        latest = result if last == number else history[last]
        complete = not self.place.benched and latest.epoch == self.place.epoch
        # Its memory must last as long as the collective may be replayed.
        first = self._calls - len(self._answers)
        history.trim(min(first, last), last if complete else history.first)
        self._entering, self._offer, self._packed_offer = False, None, None
        if ending is not None:
            self._recorder.note(number, "has no result: {ending}", ending=ending)
            raise error_of(ending)
        if result.call != call.digest:
            self.remaining = 0
            raise Disagreement(f"while this worker was away, the others made a different call than its own {call}")
        return result

    def failed(self, error: BaseException) -> None:
        """Handles an error that ended the running collective: ends the `remaining` calls on all workers."""
        number, calls = self._calls, self.remaining
        self.remaining = 0
        if calls and not self.closed:
            self._give_up(error, calls)
        self._log(number, error)

    def _give_up(self, error: BaseException, calls: int) -> None:
        """Ends the next `calls` calls, the rest of a collective, with `error` on all workers. Skips a call instead if
        another member already has its result. Closes this worker if it cannot tell the others."""
        number = self._calls
        ending = ending_of(error, number, self.place.rank, calls)
        self._given_up.append(ending)
        try:
            self._recorder.note(number, "is given up: {cause}", cause=ending.cause)
            if isinstance(error, WorkerLost):
                self.close(str(error))
                return
            history = self._known
            if history.end > number and not self._membership.take(history.end - 1, self.place.epoch, calling=False):
                history.pop()
            if not self._unfinished:
                self._pass()
            if self._given_up:
                self._tell()
        except WorkerLost as failure:
            self.close(f"its call {number} failed ({ending.cause}), and the others do not know: {failure}")
        except BaseException as another:
            cause = ending_of(another, 0, 0).cause
            self.close(f"its call {number} failed, and {cause} kept it from telling the others")
            raise

    def _tell(self) -> None:
        """Tells the controller which calls this worker gave up. They end on all workers, except those whose result
        another member has. Raises WorkerLost."""
        number = self._calls
        for given_up in self._given_up:
            end = number + given_up.calls
            while number < end:
                try:
                    agreed = self._membership.give_up(replace(given_up, call=number, calls=end - number))
                except MembershipError as error:
                    raise WorkerLost(str(error)) from None
                number += 1
                if agreed is not None:
                    self._known.end_by(agreed)
                    number = end = agreed.end
        self._pass()
        self._membership.end(self._known.end)

    def _pass(self) -> None:
        """Skips the calls that this worker gave up and whose outcomes it knows."""
        history = self._known
        while self._given_up and history.end > self._calls:
            given_up, ending = self._given_up.popleft(), history[self._calls].ending
            self._calls = self._calls + 1 if ending is None else ending.end
            if ending is None and given_up.calls > 1:
                self._given_up.appendleft(replace(given_up, calls=given_up.calls - 1))

    def _find_place(self) -> None:
        """Learns the outcomes of the calls that this worker gave up: they decide the number of its next call."""
        while self._given_up:
            if self._unfinished or self._latest_place().epoch != self.place.epoch:
                self._enter()
                self._pass()
            else:
                self._tell()

    def close(self, why: str) -> None:
        """Ends this worker's part in the job; a running call soon raises WorkerLost. The others lose this worker."""
        self.closed = why
        self._membership.close()
        self._recorder.note(self._calls, "and all later calls are not made by this worker: {why}", why=why)

    def _log(self, number: int, error: BaseException) -> None:
        """Logs the events that led to a failure, unless the calling program caused it."""
        if (isinstance(error, ProtocolError) and not isinstance(error, NotFinite)) or self.closed:
            for each in self._recorder.lines(MAX_LOGGED, number - 1):
                LOG.warning("job %d worker %d: %s", self.place.job, self.place.rank, each)

    def check_open(self) -> None:
        """Raises Closed when this worker can make no more calls."""
        if self.closed:
            raise Closed(f"this worker can make no more calls: {self.closed}")

    def _make(self, call: Call, tensor: Input, history: History, shards: Shards | None) -> None:
        """Retries, through new epochs, until the call's result is in the history."""
        place = self._begin(history.end)
        self._shard = None
        taken = False
        try:
            while history.end <= call.number:
                try:
                    self._stay(place)
                    if place.endings and self._ended(place):
                        continue
                    if self._unfinished:
                        raise EpochChanged(f"a call in epoch {self.place.epoch} ended early")
                    self._target, self._running = None, call
                    target = self._drive(call, tensor, history.room, shards)
                    self._take(Finished(call.digest, self.place.epoch, self.place.members, target))
                    self._running, taken = None, True
                except EpochChanged:
                    self._running = None
                    self._enter()
                    place = self._latest_place()
                except Disagreement as error:
                    # In larger jobs, several workers share a bit.
                    who = error.workers if self.place.size <= MAX_WORKERS else 0
                    raise Disagreement(self._compared(call), who) from None
        finally:
            if not taken:
                self._membership.end(history.end)

    def _take(self, result: Finished, calling: bool = False) -> None:
        """Adds the next result to the history. calling: this worker's running call may be a later one. Raises
        EpochChanged if a member has given up the call."""
        history = self._known
        history.add(result)
        if not self._membership.take(history.end - 1, self.place.epoch, calling):
            history.pop()
            raise EpochChanged(f"a member gave up a call in epoch {self.place.epoch}")

    def _ended(self, place: Place) -> bool:
        """Whether the next call has ended without a result."""
        if self._history is None:
            return False
        return any(self._history.end_by(ending) for ending in place.endings)

    def admit(self, state: Mapping[str, ArrayLike], give_up_at: float = math.inf) -> None:
        """Makes an `admit` call: lets waiting workers in and gives them the state. If it is the first call of a
        newcomer, it is the call that let this worker in, and does nothing."""
        if self._entering:
            self._entering, self.remaining = False, 0
            return
        self._offer, self._packed_offer, self._admit_call = state, None, None
        waiting = np.array([self._latest_place().waiting], np.int32)
        if self.run(Signature.of("admit", waiting.dtype, 1), waiting, give_up_at).words.any():
            self._offer = state
            try:
                self._let_in()
            except BaseException:
                # The call itself has succeeded: give up the admission that followed it.
                self._calls, self.remaining = self._calls - 1, 1
                raise
        self._offer = None

    def _let_in(self) -> None:
        self._begin(self._calls)
        try:
            epoch = self._membership.admit(self._calls)
            while self.place.epoch < epoch:
                self._enter()
            # A newcomer may need the state after the program has changed its arrays: copy it now.
            self._state_words()
        except MembershipError as error:
            raise WorkerLost(str(error)) from None
        finally:
            self._membership.end(self._known.end)

    def leave(self) -> None:
        """Leaves the job as soon as no benched worker and no member of a new epoch needs this worker's results."""
        self._give_up_at = math.inf
        while self._needed or not self._membership.leave(LINGER, self.place.epoch):
            self._enter()

    @property
    def _needed(self) -> bool:
        place = self._latest_place()
        return bool(place.benched) or place.epoch != self.place.epoch or self._unfinished

    # ---- the job changes

    @property
    def _known(self) -> History:
        assert self._history is not None
        return self._history

    def _begin(self, calls: int) -> Place:
        try:
            return self._membership.begin(calls)
        except MembershipError as error:
            raise WorkerLost(str(error)) from None

    def _latest_place(self) -> Place:
        """The latest place that the controller sent. Raises WorkerLost."""
        try:
            return self._membership.place
        except MembershipError as error:
            raise WorkerLost(str(error)) from None

    def _stay(self, place: Place) -> None:
        """Raises EpochChanged if `place` is in another epoch than this worker."""
        if place.epoch != self.place.epoch:
            raise EpochChanged(f"the job is in epoch {place.epoch}")

    def _enter(self, place: Place | None = None) -> None:
        """Enters the job's new epoch. Returns when all members have the same results; or early, without entering, if
        the next call has ended without a result: then the call after it enters.

        Args:
            place: this worker's place in the epoch, if it is known.

        Raises:
            Stalled, WorkerLost: there is no new epoch in time; this worker is no longer a member.
        """
        self._membership.enter(True)
        try:
            while True:
                try:
                    latest = place or self._membership.changed(self.place.epoch, self._time_left())
                    place = None
                    if self._ended(latest):
                        return
                    self._note_epoch(latest)
                    if latest.rank not in latest.members:
                        self.place = latest
                        self._membership.come_back()
                        continue
                except UnchangedError as error:
                    raise Stalled(str(error)) from None
                except MembershipError as error:
                    raise WorkerLost(str(error)) from None
                self._transport.connect((latest.switch_ip, latest.switch_port))
                workers = len(latest.members)
                self._lanes.enter(latest.epoch, workers, latest.lanes, leaf=latest.leaf, limited=latest.limited)
                # Not before: after an exception above, the next call must enter the epoch.
                self.place, self._unfinished = latest, False
                try:
                    self._catch_up()
                except EpochChanged:
                    continue
                self._membership.behind = False
                return
        finally:
            self._membership.enter(False)

    def _note_epoch(self, place: Place) -> None:
        members = ", ".join(map(str, place.members))
        what = "enters epoch {epoch} with workers {members}: {why}"
        self._recorder.note(self._calls, what, epoch=place.epoch, members=members, why=place.why)

    def _catch_up(self) -> None:
        """Brings all members to the same results: the member that has the most sends the others what they lack."""
        standings = self._standings()
        known = {rank: each for rank, each in standings.items() if each.known}
        if not known:
            raise WorkerLost("all members that know the job's progress are gone")
        if all(each.returning for each in known.values()):
            raise WorkerLost("the members that continued without this worker are gone, and so are their results")
        holder = min(known, key=lambda rank: (-known[rank].end, known[rank].returning, known[rank].first, rank))
        has, least = known[holder], min(each.end for each in known.values())
        if least < has.end:
            # A holder that entered recently has no results of earlier calls: a member that has them shares them first.
            holders = {rank: each for rank, each in known.items() if each.first <= least < each.end}
            before = {rank: each for rank, each in holders.items() if not each.returning}
            if has.first > least and before:
                older = max(before, key=lambda rank: (before[rank].end, -rank))
                self._share_results(older, before[older], least)
                least = before[older].end
            self._share_results(holder, has, least)
            # The holder may leave next. Wait until no member needs its results any more.
            self._exchange(np.zeros(1, np.int32), "received")
        elif 0 not in (has.epoch, mine := standings[self.place.rank].epoch) and has.epoch != mine:
            raise WorkerLost(_OVERTAKEN)
        if len(known) < len(standings):
            self._hand_over(known, has.end)

    def _standings(self) -> dict[int, Standing]:
        """Exchanges the members' standings; returns them by rank."""
        rows = np.zeros((self.place.size, len(Standing._fields)), np.uint32)
        if self._history is not None:
            history = self._history
            last = history[history.end - 1].epoch if history.end > history.first else 0
            state = 0
            if self._admit_call is not None and (self._offer is not None or self._packed_offer is not None):
                # A worker that was benched may hold an older state.
                ahead = history.end - self._admit_call
                state = ahead + 1 if 0 <= ahead <= 1 else 0
            rows[self.place.rank] = 1, history.end, history.first, last, state, self._membership.behind
        total = self._exchange(rows.view(np.int32).reshape(-1), "recovery").view(np.uint32).reshape(rows.shape)
        return {rank: Standing(*map(int, total[rank])) for rank in self.place.members}

    def _share_results(self, holder: int, has: Standing, least: int) -> None:
        """Sends the holder's results to all members, from call `least` on, or from the first one that it has."""
        history, mine = self._history, holder == self.place.rank
        # Send one more than needed, to check that members that lack the next ones have the same last result.
        first = max(has.first, least - 1)
        masks = -(-self.place.size // 32)
        rows = np.zeros((has.end - first, 4 + masks), np.uint32)
        if mine:
            for row, number in zip(rows, range(first, has.end), strict=True):
                result = self._known[number]
                row[:4] = result.call, result.epoch, len(result.words), result.form
                for rank in result.members:
                    row[4 + rank // 32] |= np.uint32(1 << rank % 32)
        rows = self._exchange(rows.view(np.int32).reshape(-1), "results").view(np.uint32).reshape(rows.shape)
        given = max(first, least)
        sizes = rows[given - first :, 2].astype(np.int64)
        content = np.zeros(int(sizes.sum()), np.int32)
        # A holder that has just entered has none.
        if mine and len(content):
            np.concatenate([self._known[number].words for number in range(given, has.end)], out=content)
        content = self._exchange(content, "content")
        if history is None:
            return
        if history.end < has.first:
            raise WorkerLost(
                f"the others no longer have the results of calls {history.end} to {has.first - 1}, "
                "which this worker lacks"
            )
        last = history.end - 1
        if max(first, history.first) <= last < has.end and rows[last - first, 1] != history[last].epoch:
            raise WorkerLost(_OVERTAKEN)
        words = np.split(content, np.cumsum(sizes)[:-1])
        for number in range(history.end, has.end):
            row = rows[number - first]
            members = tuple(32 * at + bit for at, mask in enumerate(row[4:]) for bit in ranks(int(mask)))
            call, epoch, _, form = map(int, row[:4])
            shared = Finished.shared(number, form, call, epoch, members, Target.around(words[number - given]))
            if self._shard is not None and shared[:3] == self._shard[:3]:
                shared = self._shard
            self._take(shared, calling=True)
            what = "gets its result, of epoch {of}, from worker {holder}"
            self._recorder.note(number, what, holder=holder, of=epoch)

    def _hand_over(self, known: Mapping[int, Standing], end: int) -> None:
        """Sends a member's state to the workers that enter. end: the number of the next call."""
        givers = [rank for rank, each in known.items() if each.state and each.end == end]
        if not givers:
            # The members continue; the workers that lack a state leave.
            if self._history is None:
                raise WorkerLost("no member has a state for the workers that enter")
            return
        mine = givers[0] == self.place.rank
        length = self._exchange(np.array([len(self._state_words()) if mine else 0], np.int32), "state's length")
        content = self._state_words() if mine else np.zeros(length[0], np.int32)
        content = self._exchange(content, "state")
        if self._history is None:
            self._history, self._calls, self._packed_offer = History(end), end, content
            self._membership.end(end)
            self.state = unpacked(content)
            admitting = self._admit_call = end + 1 - known[givers[0]].state
            self._entering = admitting < end

    def _state_words(self) -> NDArray[np.int32]:
        if self._packed_offer is None:
            assert self._offer is not None
            self._packed_offer = packed(self._offer)
        return self._packed_offer

    def _exchange(self, content: NDArray[np.int32], name: str) -> NDArray[np.int32]:
        """Sums `content`, shape (n,), over the members, outside the program's calls."""
        call = Call.of(content, 0, name)
        return self._drive(call, input_of(call.signature, content), Target.new).patterns.view(np.int32)

    # ---- packets

    def _drive(self, call: Call, tensor: Input, room: Callable[[int], Target], shards: Shards | None = None) -> Target:
        """Runs one call in one epoch, from its first packet to its last. Returns the result.

        Args:
            room: returns memory for a result of a number of words.
            shards: as for `run`.

        Raises:
            EpochChanged: the job has a new epoch.
            Disagreement, Stalled, WorkerLost: the call has no result.
        """
        if isinstance(tensor, Source):
            target = room(call.signature.words)
            if shards is not None and shards.single and self.place.leaf and self.place.limited:
                # Most contributions have no data. With longer results, they would be padded.
                block = min(call.signature.block, FITTING)
                call = call.signature.of_blocks(block, FITTING).call(call.number)
            chosen: Call | None = call
            if not call.signature.block:
                chosen = self._lanes.guess(call)
            if chosen is None or not self._reduce(chosen, tensor, target, shards):
                self._reduce(self._chosen(call, tensor), tensor, target, shards)
            self._complete(target)
            if shards is not None and not shards.gathered:
                self._confirm(call, target)
            return target
        small = self._lanes.small(call.signature)
        small.source[:] = tensor if tensor.ndim == 1 else tensor.reshape(-1)
        self._hold(small.target)
        self._carry(call)
        return small.target.snapshot()

    def _reduce(self, call: Call, source: Source, target: Target, shards: Shards | None) -> bool:
        """Reduces the source. Returns False if the call's guess was wrong: then the target holds no result."""
        rank, gathered = self.place.rank, shards is not None and shards.gathered
        wanted = EVERYTHING if shards is None else shards.wanted(rank, self.place.members)
        if shards is not None and not gathered:
            source = source._replace(kept=shards.of(rank))
        self._lanes.prepare(call, source, target, wanted)
        self._hold(target if shards is None or gathered else None)
        self._own = (source, shards.of(rank)) if shards is not None and gathered else None
        self._carry(call)
        if self._lanes.wrong:
            self._target = None
        return not self._lanes.wrong

    def _complete(self, target: Target) -> None:
        """Copies this worker's own shard of a gathered result to the target."""
        if self._own is not None:
            target.fill(*self._own)
            self._own = None

    def _confirm(self, call: Call, target: Target) -> None:
        """Waits until all members have their shards."""
        self._shard = Finished(call.digest, self.place.epoch, self.place.members, target)
        self._lanes.small(CONFIRMATION)
        self._hold(target)
        self._carry(CONFIRMATION.call(call.number))

    def _hold(self, target: Target | None) -> None:
        """Notes where the result of the next call goes; None: what arrives is not yet the result."""
        self._lanes.expect()
        self._target, self._own = target, None

    def _chosen(self, call: Call, source: Source) -> Call:
        """Returns the call with the block size that is cheapest for all workers. This takes a round trip."""
        held = blocks.held(source, call.signature.width, self.place.lanes)
        target = Target.new(len(held))
        self._lanes.prepare(blocks.union_of(len(held)).call(call.number), Source.of(held), target)
        self._carry(call)
        union = target.patterns.view(np.int32)
        chosen = blocks.chosen(call, union, len(self.place.members))
        self._lanes.remember(call, chosen, blocks.dense(union))
        return chosen

    def _carry(self, call: Call) -> None:
        """Sends and receives a prepared call's packets until it is over."""
        lanes = self._lanes
        # If the call ends early, its late packets could be mistaken for those of the next call: see `_make`.
        self._unfinished = True
        # When this worker last asked for a roll call, and last reported members whose packets do not arrive.
        asked = reported = time.monotonic()
        until = min(asked + self._patience, self._give_up_at)
        over, quiet = pump(lanes, self._transport, until, call)
        while not over:
            asked, reported = max(asked, lanes.last_progress), max(reported, lanes.last_progress)
            if quiet:
                self._silence.note(self._calls, call, time.monotonic())
            if (interruption := self.interruption()) is not None:
                raise interruption
            place = self._latest_place()
            self._stay(place)
            if place.leaving and quiet:
                self._membership.waits(impatient=False)
            now = time.monotonic()
            if now >= asked + self._straggler:
                self._membership.waits(impatient=True)
                asked = now
            if now >= reported + REPORTS and (unheard := self._unheard(now)):
                self._membership.waits(impatient=False, unheard=unheard)
                reported = now
            if now >= lanes.last_progress + self._stall:
                raise Stalled(f"no progress for {self._stall:g} s: {self._silence}")
            if now >= self._give_up_at:
                raise Stalled(f"the call did not end in time: {self._silence}")
            until = min(lanes.last_progress + self._stall, asked + self._straggler, self._give_up_at)
            over, quiet = pump(lanes, self._transport, until)
        self._unfinished = False

    def _time_left(self) -> float:
        """Seconds that the call may still wait."""
        return max(min(self._stall, self._give_up_at - time.monotonic()), 0.0)

    def _unheard(self, now: float) -> tuple[int, ...]:
        """The members for which the switch has waited so long that their packets probably cannot reach it. Empty while
        the switch does not answer: then this worker's own link may be dead, and the last report out of date."""
        received = self._lanes.statistics["packets_received"]
        answered, self._received = received > self._received, received
        silent = now >= self._lanes.last_progress + max(self._stall / 2, DEAD_PATH)
        return self._missing() if answered and silent else ()

    def _missing(self) -> tuple[int, ...]:
        """The workers that this worker's switch has reported as missing; for a leaf, the lowest worker below it."""
        return tuple(sorted(self.place.ranks.get(number, number) for number in ranks(self._lanes.missing)))

    def _compared(self, call: Call) -> str:
        """Describes which members make which calls when they differ; the call with the fewest members comes first."""
        try:
            calls = self._membership.compare(str(call)[:MOST_SAID])
        except MembershipError:
            calls = {}
        calls[self.place.rank] = str(call)
        callers: dict[str, list[int]] = {}
        for rank, text in sorted(calls.items()):
            callers.setdefault(text, []).append(rank)
        parts = [f"{_workers(who)} at {text}" for text, who in sorted(callers.items(), key=lambda each: len(each[1]))]
        if silent := [rank for rank in self.place.members if rank not in calls]:
            parts.append(f"{_workers(silent)} did not answer")
        return f"the workers do not all make the same call: {'; '.join(parts)}"


_OVERTAKEN = "this worker's last result differs from the others': they continued without this worker"


def _workers(who: list[int]) -> str:
    return f"worker{'s' if len(who) > 1 else ''} {', '.join(map(str, who))}"
