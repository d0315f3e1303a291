"""The worker's side of the protocol: lanes, each with one packet in flight.

In every round of a lane the worker sends one contribution and gets one result. The contribution carries the blocks that
the last result requested, if this worker holds them, and announces, for each column, the next block that it holds. The
result names the next block for all workers, and the exponent to quantize it with. Round by round, this walks through
the union of all workers' non-zero blocks and skips blocks that are zero everywhere ([OmniReduce] algorithm 2). When a
column is done, the switch assigns it another chunk of blocks (chunks.py). Only the lowest unfinished lanes are active,
as many as the network can carry (window.py).
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.native.handles import Handle
from dropzero.protocol.lanes.call import Call, Signature
from dropzero.protocol.lanes.chunks import cut_chunks, initial_chunks, is_short, log2_group, occupied
from dropzero.protocol.lanes.errors import Disagreement, EpochChanged
from dropzero.protocol.lanes.rounds import (
    CONFLICT,
    DISAGREEMENT,
    OTHER_EPOCH,
    RESULT,
    begin,
    expire,
    next_deadline,
    receive,
    take_ready,
)
from dropzero.protocol.lanes.state import State
from dropzero.protocol.lanes.state import handle as state_handle
from dropzero.protocol.lanes.work import EVERYTHING, NO_EXPONENTS, Plan, Small, Work, handle, memory, no_work
from dropzero.protocol.tensor.arrays import Source, Target, Tensor
from dropzero.protocol.tensor.bitmap import Bitmap, full_bitmap
from dropzero.protocol.tensor.fixedpoint import magnitude_bits
from dropzero.protocol.tensor.simd import log2_granules
from dropzero.protocol.wire import ELEMENTS, Operation, ranks

KINDS = 1024
"""Exponents are kept for this many kinds of small calls, and of larger ones."""
STEADY = 32
"""Calls send blocks with the exponents of the last call if at most one in STEADY had changed before: a block whose
exponent has changed is sent twice."""


class _Last(NamedTuple):
    """What is remembered of the last call of a kind."""

    signature: Signature
    """With the block size of that call."""
    agreed: NDArray[np.int16]
    """See Plan."""
    before: NDArray[np.int16] | None
    """The same when that call began; None: it was the first one."""

    @classmethod
    def none(cls, signature: Signature) -> Self:
        """Before the first call."""
        return cls(signature, np.zeros(signature.blocks, np.int16), None)


class Lanes:
    """One worker's lanes in one epoch of a job. Rounds continue from tensor to tensor.

    Args:
        job, worker, epoch: the worker's place, from the controller.
        workers: members of the job.
        lanes: the most contributions in flight at once.
        leaf: the job spans several switches.
        limited: a switch of the job cannot send a packet more than HEADROOM bytes longer than the one that it received.
        secret: 32 bits that tell this worker's packets, and their answers, from forged ones.
        before: the state in an earlier epoch, whose measurements and statistics go on.

    Attributes:
        address: the address of the state, for `state_at` in compiled code.
        work: a handle to the latest prepared work.
    """

    def __init__(
        self,
        *,
        job: int,
        worker: int,
        workers: int,
        epoch: int,
        lanes: int,
        leaf: bool = False,
        limited: bool = True,
        secret: int = 0,
        before: State | None = None,
    ) -> None:
        self.job, self.worker, self.workers, self.epoch, self.lanes = job, worker, workers, epoch, lanes
        self._leaf, self._limited, self._secret = leaf, limited, secret
        self._state = State.new(lanes)
        if before is not None:
            self._state = self._state._replace(timer=before.timer, statistics=before.statistics)
        self._not_finite = self._state.call["not_finite"]
        self._handle = state_handle(self._state)
        self.address = self._handle.address
        self.work = no_work()
        self._prepared: Handle[Work] | None = None
        self._small: dict[str, Small] = {}
        # By the text of the signature, without the block size if the workers chose it, because no block was zero. None:
        # such calls do not guess.
        self._last: dict[str, _Last | None] = {}
        self._guessed = False

    def enter(self, epoch: int, workers: int, lanes: int, *, leaf: bool = False, limited: bool = True) -> None:
        """Enters another epoch, in which the arguments of Lanes with these names are other ones. Forgets all packets in
        flight. Changes the address. After an exception here, such as a signal handler's, nothing has changed."""
        entered = Lanes(
            job=self.job,
            worker=self.worker,
            workers=workers,
            epoch=epoch,
            lanes=lanes,
            leaf=leaf,
            limited=limited,
            secret=self._secret,
            before=self._state,
        )
        # In one step, which no signal can interrupt: compiled code must not find half of another epoch.
        vars(self).update(vars(entered))

    def guess(self, call: Call) -> Call | None:
        """The call with the block size that the workers will choose if none of them has a zero block, as in the last
        such call in this epoch; None: there was none. All workers guess alike. If the guess was `wrong`, they choose
        after the call."""
        last = self._last.get(call.signature.text)
        return last and last.signature.call(call.number, guessed=True)

    def remember(self, call: Call, chosen: Call, dense: bool) -> None:
        """Remembers what the workers have chosen for a call. dense: no worker has a zero granule. After a
        wrong guess, such calls guess no more."""
        text = call.signature.text
        if text in self._last:
            self._last[text] = None
        elif dense:
            self._keep(text, _Last.none(chosen.signature))

    def _keep(self, text: str, last: _Last) -> None:
        if len(self._last) == KINDS:
            self._last.clear()
        self._last[text] = last

    def begin(self, call: Call, source: Source, target: Target, now: float, wanted: Bitmap = EVERYTHING) -> None:
        """Prepares a call and starts it; see `prepare`. now: seconds, of any monotonic clock."""
        self.prepare(call, source, target, wanted)
        self.start(call, now)

    def start(self, call: Call, now: float) -> None:
        """Starts the prepared call."""
        begin(self._state, self.work.content, call.digest, now)

    def prepare(self, call: Call, source: Source, target: Target, wanted: Bitmap = EVERYTHING) -> None:
        """Prepares to reduce `source` over all workers into `target`.

        Args:
            call: the call, the same on all workers.
            source: of the call's length and dtype.
            target: of the signature's `words`. Its content is overwritten.
            wanted: the granules of the result that this worker needs; others may be zero. A small call brings all.

        Raises:
            ValueError: the width leaves too few bits for this number of workers.
        """
        signature = call.signature
        plan = self.small(signature).work.content.plan if signature.small else self._with_exponents(call, source)
        # As bit patterns, so that the code is compiled for one type only.
        kept = 0, 0
        # Without its own part, a result would often come in two.
        if signature.operation is Operation.SUM and not (signature.small or self._limited):
            first, end, _ = source.kept.indices(signature.length)
            kept = -(-first // plan.size), -(-end // plan.size) if end == signature.length else end // plan.size
        elements, common = memory(signature, target)
        patterns = source.array.view(np.uint32)
        work = Work(patterns, source.nonzero, source.exponents, *elements, wanted, *kept, common, plan)
        if self._prepared is None:
            self._prepared = handle(work)
        else:
            self._prepared.hold(work)
        self.work, self._guessed = self._prepared, call.guessed

    def _with_exponents(self, call: Call, source: Source) -> Plan:
        """The plan of a call of several packets, with the exponents of the last such call if these are remembered: for
        short tensors, and for those of which no block was zero."""
        signature = call.signature
        if signature.operation is Operation.OR:
            # These are bitmaps of the choice, of integers, and mostly without zero blocks.
            return self._plan(call, np.ones(signature.blocks, np.int16), early=True)
        short = is_short(signature.blocks, signature.columns, self.lanes)
        text = (signature if short else signature.of_blocks(0)).text
        last, known = self._last.get(text), text in self._last
        if short and last is None:
            last = _Last.none(signature)
            self._keep(text, last)
        if last is None or last.signature != signature:
            return self._plan(call)
        early = short or call.guessed
        plan = self._plan(call, last.agreed, early=early and is_steady(last.agreed, last.before))
        if early and known:
            self._last[text] = last._replace(before=last.agreed.copy())
            if not plan.early:
                last.agreed[:] = 0
        if call.guessed:
            full = full_bitmap(len(source.exponents))
            plan = plan._replace(contradicts=not np.array_equal(source.nonzero, full))
        return plan

    def small(self, signature: Signature) -> Small:
        """Prepares a small call. Returns the memory in which the caller puts the tensor and finds the result."""
        small = self._small.get(signature.text)
        if small is None:
            if len(self._small) == KINDS:
                self._small.clear()
            # The exponents of integers are always 0.
            agreed = np.full(signature.blocks, signature.dtype != np.float32, np.int16)
            plan = self._plan(signature.call(0), agreed, early=True)
            small = self._small[signature.text] = Small.of(signature, plan)
        self.work, self._guessed = small.work, False
        return small

    def expect(self) -> None:
        """Makes `done` False until the call that begins next is over."""
        self._state.call["unfinished"] = 1

    def _plan(self, call: Call, agreed: NDArray[np.int16] = NO_EXPONENTS, *, early: bool = False) -> Plan:
        """agreed, early: see Plan; a call that is cut into regions does without."""
        signature = call.signature
        blocks, columns = signature.blocks, signature.columns
        is_float = bool(signature.dtype == np.float32)
        log2 = log2_granules(signature.block)
        lanes = occupied(call.expected or blocks, columns, self.lanes, early)
        of_groups = log2 - log2_group(signature.length, 8 * len(call.union)) if call.union else 0
        cut = cut_chunks(blocks, lanes, columns, call.expected, call.union, of_groups, signature.sharded)
        initial = initial_chunks(len(cut.first), lanes, columns)
        return Plan(
            is_float=is_float,
            bits=magnitude_bits(signature.width.bits, self.workers, signature.few_bits) if is_float else 0,
            width=signature.width.bits,
            form=columns << 4 | signature.operation << 2 | signature.width,
            size=signature.block,
            log2_granules=log2,
            columns=columns,
            lanes=lanes,
            initial_chunks=initial,
            chunks=cut,
            small=signature.small,
            agreed=agreed,
            # A column that sends early does not ask for chunks.
            early=early and len(cut.first) == initial,
            contradicts=False,
            send_all=signature.operation in (Operation.MAX, Operation.MIN),
            leaf=self._leaf,
            limited=self._limited,
            worker=self.worker,
            job=self.job,
            epoch=self.epoch,
            secret=self._secret,
        )

    @staticmethod
    def rehearse() -> None:
        """Compiles or loads all code now; later, the delay would look like a slow network. Reduces arrays of a single
        worker, whose contributions are its results."""
        tensors: tuple[Tensor, Tensor] = (np.ones(ELEMENTS, np.float32), np.ones(ELEMENTS, np.int32))
        for tensor in tensors:
            alone = Lanes(job=0, worker=0, workers=1, epoch=0, lanes=1)
            alone.begin(Call.of(tensor, block=ELEMENTS), Source.of(tensor), Target.new(len(tensor)), 0.0)
            alone.expire(0.0)
            while not alone.done:
                payloads, rows, lengths = alone.outgoing()
                payloads[rows, 0] = RESULT
                alone.receive(payloads[rows], lengths, 0.0)

    @property
    def statistics(self) -> dict[str, int]:
        """Totals so far: packets_sent, packets_received, bytes_sent and bytes_received (with Ethernet headers),
        retransmissions, ignored (packets that were late, duplicate or not for this worker) and congested (results with
        a congestion mark); and the current `window`, in lanes."""
        statistics = self._state.statistics
        totals = {name: int(statistics[name][0]) for name in statistics.dtype.names or ()}
        return totals | {"window": int(self._state.window["size"][0])}

    @property
    def done(self) -> bool:
        """Whether the call is over: the target holds the result, unless the guess was wrong."""
        return not self._state.call["unfinished"][0]

    @property
    def wrong(self) -> bool:
        """Whether a worker has shown that the call's guess was wrong. All workers know when the call is over."""
        return self._guessed and bool(self._state.call["contradicted"][0])

    @property
    def finite(self) -> bool:
        """False if a block of the target became NaN because some worker's block was not finite."""
        return not self._not_finite[0]

    @property
    def last_progress(self) -> float:
        """When the last result arrived, or the call began (seconds)."""
        return float(self._state.call["last_progress"][0])

    @property
    def deadline(self) -> float:
        """When to call `expire` if nothing arrives before (seconds). Only while not done."""
        return float(next_deadline(self._state))

    @property
    def missing(self) -> int:
        """The workers that the lowest lane waits for, as the switch last reported, one bit each; 0: no report.

        Only the lowest lane counts: every worker sends on it. On other lanes, a worker with a smaller window may rest.
        """
        lanes = self._state.lanes
        return int(lanes["missing"][lanes["waiting"]][0]) if lanes["waiting"].any() else 0

    @property
    def waiting(self) -> dict[int, int]:
        """The lanes that wait for a result, in order, with their rounds."""
        lanes = self._state.lanes
        return {int(lane): int(lanes["round"][lane]) for lane in np.flatnonzero(lanes["waiting"])}

    def receive(self, payloads: NDArray[np.uint8], lengths: NDArray[np.int32], now: float) -> None:
        """Processes a batch of UDP payloads. Ignores those that are late, duplicate or not for this worker.

        Args:
            payloads: shape (n, >= MAX_PAYLOAD).
            lengths: the bytes of each payload, shape (n,).
            now: seconds, of the clock that `begin` was given.

        Raises:
            Disagreement, EpochChanged: the collective cannot continue.
        """
        self.check(receive(self._state, self.work.content, payloads, lengths, now))

    def check(self, outcome: int) -> None:
        """Raises Disagreement or EpochChanged for an outcome that ends the collective."""
        if outcome == DISAGREEMENT:
            raise Disagreement("a result does not match this worker's call")
        if outcome == CONFLICT:
            who = int(self._state.call["conflict"][0])
            names = ", ".join(map(str, ranks(who)))
            raise Disagreement(f"the workers do not all make the same call: {names} made a different one", who)
        if outcome == OTHER_EPOCH:
            raise EpochChanged(f"job {self.job} is no longer in epoch {self.epoch}: its membership changed")

    def expire(self, now: float) -> None:
        """Queues contributions again whose answer is overdue."""
        expire(self._state, now)

    def outgoing(self) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]:
        """Returns the packets to send now, and counts them as sent.

        Returns:
            All payloads, shape (lanes, MAX_PAYLOAD); the rows to send, shape (n,); and the lengths of these rows in
            bytes, shape (n,). A row does not change until its lane gets a result.
        """
        rows = self._state.ready[: take_ready(self._state)]
        return self._state.payload, rows, self._state.lanes["length"][rows]


def is_steady(agreed: NDArray[np.int16], before: NDArray[np.int16] | None) -> bool:
    """Whether few exponents have changed in the last call. before: None if it was the first one."""
    return before is None or STEADY * int(np.count_nonzero(agreed != before)) <= len(agreed)
