"""What a training program sees of the network: join a job, and the collectives over its workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from controller.client import Membership, Place
from protocol.call import Call
from protocol.lanes import Disagreement, Lanes, ProtocolError
from protocol.wire import Operation, Width
from worker.address import own_ip
from worker.bits import from_words, ordered, words
from worker.transport import Transport

A = TypeVar("A", bound=NDArray[Any])
N = TypeVar("N", NDArray[np.float32], NDArray[np.float16], NDArray[np.int32])
OperationName = Literal["sum", "mean", "max", "min"]

STALL = 60.0


class WorkerLost(ProtocolError):
    """Another worker of the job is gone; the message says which."""


class Stalled(ProtocolError):
    """Nothing came of a collective for too long; the message says whom it waited for."""


class Communicator:
    """A worker's place in a job. All workers must make the same calls in the same order, from one thread.

    Every collective raises ProtocolError when it can't be: the workers disagree (Disagreement), one is gone
    (WorkerLost, EpochChanged), or nothing came for too long (Stalled).

    Attributes:
        rank: this worker's number, from 0.
        size: how many workers the job has.
    """

    def __init__(
        self, place: Place, membership: Membership, transport: Transport, stall: float, resources: ExitStack
    ) -> None:
        self.rank, self.size = place.rank, place.size
        self._membership, self._transport, self._stall, self._resources = membership, transport, stall, resources
        self._lanes = Lanes(job=place.job, worker=place.rank, workers=place.size, epoch=place.epoch, lanes=place.lanes)
        self._calls = 0
        self._thread: ThreadPoolExecutor | None = None

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
            block: elements in a block: 32, 64, 128 or 256, twice or four times that at 16 or 8 bits; 0: the smallest.
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
        options = {"width": form, "block": block or 32 * 32 // width}
        source: NDArray[Any] = np.asarray(array, np.float32 if array.dtype == np.float16 else None)
        result: NDArray[Any]
        if operation in ("sum", "mean"):
            result = self._run(source, f"all_reduce ({operation})", **options)
            if operation == "mean":
                result = (result / self.size).astype(source.dtype)
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
        return from_words(total, array)

    def _all_gather(self, array: NDArray[Any]) -> NDArray[Any]:
        own = words(array)
        rows = np.zeros((self.size, own.size), np.int32)
        rows[self.rank] = own
        gathered = self._run(rows, f"all_gather of {array.dtype}")
        return np.stack([from_words(row, array) for row in gathered])

    def _run(self, array: NDArray[Any], name: str, **options: Any) -> NDArray[Any]:
        """Reduces one array, float32 or int32, from the first packet to the last."""
        source = np.ascontiguousarray(array).reshape(-1)
        target = np.empty_like(source)
        call = Call.of(source, self._calls, name, **options)
        self._calls += 1
        try:
            self._drive(call, source, target)
        except Disagreement as error:
            raise Disagreement(f"{error}; worker {self.rank}'s was {call}", error.workers) from None
        return target.reshape(array.shape)

    def _drive(self, call: Call, source: NDArray[Any], target: NDArray[Any]) -> None:
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
            elif self._membership.lost:
                raise WorkerLost(self._membership.lost)
            elif now >= give_up:
                raise Stalled(self._diagnosis())
            # Also while packets keep arriving: busy lanes must not starve the one whose packet was lost.
            if not lanes.done and lanes.deadline <= now:
                lanes.expire(now)
                transport.send(*lanes.outgoing())

    def _diagnosis(self) -> str:
        missing = [str(worker) for worker in range(self.size) if self._lanes.missing >> worker & 1]
        who = f"the switch waits for worker {', '.join(missing)}" if missing else "the switch does not answer"
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
