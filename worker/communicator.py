"""What a training program sees of the network: join a job, and the collectives over its workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from controller.client import Membership, MembershipError, Place
from protocol.call import Call
from protocol.lanes import Disagreement, EpochChanged, Lanes, ProtocolError
from protocol.wire import Operation, Width, block_sizes, ranks
from worker import blocks
from worker.address import own_ip
from worker.bits import from_words, ordered, words
from worker.transport import Transport

A = TypeVar("A", bound=NDArray[Any])
N = TypeVar("N", NDArray[np.float32], NDArray[np.float16], NDArray[np.int32])
OperationName = Literal["sum", "mean", "max", "min"]

STALL = 60.0


class WorkerLost(ProtocolError):
    """This worker is not in the job any more, or one that the call needs is not; the message says why."""


class Stalled(ProtocolError):
    """Nothing came of a collective for too long; the message says whom it waited for."""


class Finished(NamedTuple):
    """The last call's result, shape (n,), and how many workers are in it."""

    result: NDArray[Any]
    members: int


class Communicator:
    """A worker's place in a job. All workers must make the same calls in the same order, from one thread.

    When a worker is lost, or the switch starts anew, the collective that is running starts again, of those workers that
    are left, from its untouched input; a worker that lacks a result which another one has already gets that. So all end
    with the same results.

    Every collective raises ProtocolError when it can't be: the workers disagree (Disagreement), this worker was removed
    from the job (WorkerLost), or nothing came for too long (Stalled).

    Attributes:
        rank: this worker's number, from 0.
        size: how many numbers there are.
    """

    def __init__(
        self, place: Place, membership: Membership, transport: Transport, stall: float, resources: ExitStack
    ) -> None:
        self.rank, self.size = place.rank, place.size
        self._membership, self._transport, self._stall, self._resources = membership, transport, stall, resources
        self._place = place
        self._lanes = Lanes(
            job=place.job,
            worker=place.rank,
            workers=len(place.members),
            epoch=place.epoch,
            lanes=place.lanes,
            fill=place.leaf,
        )
        self._calls = 0
        self._last = Finished(np.zeros(0, np.int32), 0)
        self._thread: ThreadPoolExecutor | None = None

    @property
    def members(self) -> tuple[int, ...]:
        """The workers whose contributions were in the last result, or will be in the first."""
        return self._place.members

    @property
    def statistics(self) -> dict[str, int]:
        """What was sent and received so far: see protocol.lanes.Statistics."""
        return self._lanes.statistics.as_dict()

    def all_reduce(self, array: N, *, operation: OperationName = "sum", block: int = 0, width: int = 32) -> N:
        """The sum, mean, maximum or minimum of the workers' arrays, on every worker the same to the last bit.

        int32 adds exactly, modulo 2^32. Floats are added as fixed point with a common exponent for each block (see
        protocol.fixedpoint); their maxima and minima are exact. Blocks that are zero everywhere cost nothing.

        Args:
            array: float32, float16 or int32, any shape, the same for all workers.
            block: elements in a block: 32, 64, 128 or 256, twice or four times that at 16 or 8 bits; 0: whichever is
                cheapest for where the workers' zeros are, which costs one more small round to agree on.
            width: bits that a float element takes on the wire: 32, 16 or 8.

        Returns:
            A new array of the same shape and type. (The mean of int32 is rounded towards zero.)

        Raises:
            ValueError: there is no such call, or the array is not finite.
        """
        return self._in_turn(lambda: self._all_reduce(array, operation, block, width))

    def all_reduce_async(
        self, array: N, *, operation: OperationName = "sum", block: int = 0, width: int = 32
    ) -> Future[N]:
        """The same, at once: `.result()` waits for the array, which must not be changed until then."""
        return self._later(lambda: self._all_reduce(array, operation, block, width))

    def broadcast(self, array: A, root: int = 0) -> A:
        """`root`'s array, bit for bit, on every worker. The others' say its shape and type."""
        return self._in_turn(lambda: self._broadcast(array, root))

    def all_gather(self, array: NDArray[Any]) -> NDArray[Any]:
        """All workers' arrays, bit for bit: shape (size, *array.shape)."""
        return self._in_turn(lambda: self._all_gather(array))

    def reduce_scatter(self, array: N, *, operation: OperationName = "sum", block: int = 0, width: int = 32) -> N:
        """This worker's part of what all_reduce would return: row `rank` of an array of shape (size, ...).

        It takes as long as all_reduce: the switch sends every result to all workers at once.
        """
        if array.shape[:1] != (self.size,):
            raise ValueError(f"the first axis must have {self.size} rows, one a worker, not shape {array.shape}")
        part: N = self.all_reduce(array, operation=operation, block=block, width=width)[self.rank]
        return part

    def barrier(self) -> None:
        """Returns when all workers have called it."""
        self._in_turn(lambda: self._run(np.zeros(1, np.int32), "barrier"))

    def close(self) -> None:
        """Leaves the job."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
        self._resources.__exit__(kind, error, trace)

    def _later(self, collective: Callable[[], A]) -> Future[A]:
        """Runs it on the thread that runs one after the other."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "collectives")
        return self._thread.submit(collective)

    def _in_turn(self, collective: Callable[[], A]) -> A:
        """Runs it when all before it have been."""
        return collective() if self._thread is None else self._later(collective).result()

    def _all_reduce(self, array: N, operation: OperationName, block: int, width: int) -> N:
        if width not in (form.bits for form in Width):
            raise ValueError(f"elements take 32, 16 or 8 bits, not {width}")
        form = next(form for form in Width if form.bits == width)
        source: NDArray[Any] = np.asarray(array, np.float32 if array.dtype == np.float16 else None)
        if not block:
            block = block_sizes(form)[int(self._run(blocks.costs(source, form), "choice of blocks").argmin())]
        options: dict[str, Any] = {"width": form, "block": block}
        result: NDArray[Any]
        if operation in ("sum", "mean"):
            result = self._run(source, f"all_reduce ({operation})", **options)
            if operation == "mean":
                result = (result / self._last.members).astype(source.dtype)
        else:
            if np.isnan(source).any():
                raise ValueError("there is no order among NaNs")
            is_float = source.dtype == np.float32
            keys = ordered(source.view(np.int32)) if is_float else source
            extreme = Operation.MAX if operation == "max" else Operation.MIN
            result = self._run(keys, f"all_reduce of {source.dtype}", operation=extreme, block=options["block"])
            result = ordered(result).view(np.float32) if is_float else result
        reduced: N = result.astype(array.dtype, copy=False)
        return reduced

    def _broadcast(self, array: A, root: int) -> A:
        if not 0 <= root < self.size:
            raise ValueError(f"root is one of 0 to {self.size - 1}, not {root}")
        own = words(array)
        total = self._run(own if self.rank == root else np.zeros_like(own), f"broadcast from {root} of {array.dtype}")
        if root not in self._place.members:
            raise WorkerLost(f"worker {root}, whose array was to be broadcast, has left the job")
        return from_words(total, array)

    def _all_gather(self, array: NDArray[Any]) -> NDArray[Any]:
        own = words(array)
        rows = np.zeros((self.size, own.size), np.int32)
        rows[self.rank] = own
        gathered = self._run(rows, f"all_gather of {array.dtype}")
        return np.stack([from_words(row, array) for row in gathered])

    def _run(self, array: NDArray[Any], name: str, **options: Any) -> NDArray[Any]:
        """Reduces one array, float32 or int32, whatever happens to the job meanwhile."""
        source = np.ascontiguousarray(array).reshape(-1)
        target = np.empty_like(source)
        call = Call.of(source, self._calls, name, **options)
        while True:
            try:
                self._drive(call, source, target)
            except EpochChanged:
                recovered = self._recover(target)
                if recovered is None:
                    continue
                members = recovered
            except Disagreement as error:
                raise Disagreement(f"{error}; worker {self.rank}'s was {call}", error.workers) from None
            else:
                members = len(self._place.members)
            self._calls += 1
            self._last = Finished(target, members)
            return target.reshape(array.shape)

    def _recover(self, target: NDArray[Any]) -> int | None:
        """Enters the job's new epoch. If other workers have finished the call that this one is in, writes their result
        to `target` and returns how many workers are in it; None: the call is to be made again.

        No worker can be ahead by more than one call, because it needed this one's contributions to that one.
        """
        while True:
            try:
                self._place = self._membership.changed(self._place.epoch, self._stall)
            except MembershipError as error:
                raise WorkerLost(str(error)) from None
            self._lanes.enter(self._place.epoch, len(self._place.members), self._place.lanes)
            try:
                return self._catch_up(target)
            except EpochChanged:
                continue

    def _catch_up(self, target: NDArray[Any]) -> int | None:
        states = np.zeros((self.size, 2), np.int32)
        states[self.rank] = self._calls + 1, self._last.members
        states = self._exchange(states.reshape(-1), "recovery").reshape(-1, 2)
        calls = states[list(self._place.members), 0]
        if calls.min() == calls.max():
            return None
        behind = self._calls + 1 < calls.max()
        holder = self._place.members[int(calls.argmax())]
        content = words(target if behind else self._last.result)
        missing = self._exchange(content if self.rank == holder else np.zeros_like(content), "result")
        if not behind:
            return None
        target[:] = from_words(missing, target)
        return int(states[holder, 1])

    def _exchange(self, content: NDArray[np.int32], name: str) -> NDArray[np.int32]:
        """The sum over the members, of what belongs to no call of the program's."""
        total = np.empty_like(content)
        self._drive(Call.of(content, 0, name), content, total)
        return total

    def _drive(self, call: Call, source: NDArray[Any], target: NDArray[Any]) -> None:
        """One call in one epoch, from the first packet to the last. Raises EpochChanged when that is not the job's."""
        lanes, transport = self._lanes, self._transport
        now = time.monotonic()
        lanes.begin(call, source, target, now)
        transport.send(*lanes.outgoing())
        give_up = now + self._stall
        while not lanes.done:
            payloads, lengths = transport.receive(min(lanes.deadline, give_up) - now)
            now = time.monotonic()
            if len(lengths):
                lanes.receive(payloads, lengths, now)
                answers = lanes.outgoing()
                transport.send(*answers)
                if len(answers[1]):
                    give_up = now + self._stall
            else:
                self._look_round(now >= give_up)
            # Also while packets keep arriving: busy lanes must not starve the one whose packet was lost.
            if not lanes.done and lanes.deadline <= now:
                lanes.expire(now)
                transport.send(*lanes.outgoing())

    def _look_round(self, stalled: bool) -> None:
        """What may be the matter when nothing comes."""
        try:
            epoch = self._membership.epoch
        except MembershipError as error:
            raise WorkerLost(str(error)) from None
        if epoch != self._place.epoch:
            raise EpochChanged(f"the job is in epoch {epoch}")
        if stalled:
            raise Stalled(self._diagnosis())

    def _diagnosis(self) -> str:
        missing = ", ".join(map(str, ranks(self._lanes.missing)))
        who = f"the switch waits for worker {missing}" if missing else "the switch does not answer"
        return f"no progress for {self._stall:g} s: {who}"


def connect(
    controller: str, job: int, size: int, *, rank: int | None = None, lanes: int = 0, stall: float = STALL
) -> Communicator:
    """Joins a job, and returns when all of its `size` workers have.

    Args:
        controller: the controller's gRPC address, e.g. "unix:/run/dropzero/dz0.sock".
        job: the job's number. The first worker to join creates it.
        size: how many workers it has, the same for all of them.
        rank: this worker's number among them, from 0; None: any that is free.
        lanes: how many packets a worker may have under way; 0: as many as the controller thinks fit.
        stall: seconds without any progress after which a collective gives up.

    Raises:
        controller.client.MembershipError: refused, or the controller can't be reached.
        OSError: this host has no network.
    """
    Lanes.rehearse()
    with ExitStack() as resources:
        membership = resources.enter_context(Membership(controller))
        transport = resources.enter_context(closing(Transport()))
        place = membership.join(job=job, size=size, rank=rank, ip=own_ip(), udp_port=transport.port, lanes=lanes)
        transport.connect((place.switch_ip, place.switch_port))
        return Communicator(place, membership, transport, stall, resources.pop_all())
