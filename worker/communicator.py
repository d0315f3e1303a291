"""What a training program sees of the network: join a job, and the collectives over its workers."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import lru_cache
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.controller.access import Tls
from dropzero.controller.client import Membership
from dropzero.protocol.arrays import Source, Target
from dropzero.protocol.call import Signature
from dropzero.protocol.lanes import ProtocolError
from dropzero.protocol.wire import Operation, Width, block_sizes
from dropzero.worker import sparse
from dropzero.worker.address import own_ip
from dropzero.worker.bits import from_words, joined, ordered, split, words
from dropzero.worker.blocks import FEW
from dropzero.worker.caller import Caller, Input, input_of
from dropzero.worker.errors import Closed, NotFinite, WorkerLost
from dropzero.worker.history import Finished
from dropzero.worker.pump import rehearse
from dropzero.worker.state import check
from dropzero.worker.transport import Transport

A = TypeVar("A", bound=NDArray[Any])
R = TypeVar("R")
N = TypeVar("N", NDArray[np.float32], NDArray[np.float16], NDArray[np.int32])
K = TypeVar("K", np.int32, np.int64)
OperationName = Literal["sum", "mean", "max", "min"]
OnLoss = Literal["continue", "raise"]
NonFinite = Literal["propagate", "raise"]
WhenFull = Literal["refuse", "wait", "host"]

STALL = 60.0

_FORMS = {form.bits: form for form in Width}
_EXTREMES = {"max": Operation.MAX, "min": Operation.MIN}


class Communicator:
    """A worker's place in a job. All workers must make the same calls in the same order. Calls from several threads are
    made one at a time.

    When a worker is lost, or the switch starts anew, the collective that is running starts again, of those workers that
    are left, from its untouched input; a worker that lacks a result which another one has already gets that. So all end
    with the same results.

    Each call has one outcome: the same result on all workers, or an error on all of them. When any exception ends a
    call on one worker (a wrong argument, a timeout, Ctrl-C), the call ends on the others with Aborted, which names the
    worker and the cause; the next call is everybody's next one. If another worker has the result already, all others
    get that. When the workers do not make the same call, all raise Disagreement, and go on as well. A worker that could
    not tell the others raises Closed from then on, and one that was removed from the job raises WorkerLost first.
    What led to a ProtocolError is told to the logger "dropzero".

    Every collective takes a `timeout`, in seconds, after which it is given up; None: `connect`'s `stall` decides.

    Attributes:
        rank: this worker's number, from 0.
        size: how many numbers there are.
    """

    def __init__(self, caller: Caller, resources: ExitStack, nonfinite: NonFinite = "propagate") -> None:
        self.rank, self.size = caller.place.rank, caller.place.size
        self._caller, self._resources = caller, resources
        self._contributors = caller.place.members
        self._raises = nonfinite == "raise"
        self._thread: ThreadPoolExecutor | None = None
        self._turn = threading.RLock()
        self._runs = 0
        """Calls of `caller` that the collective under way still has to make."""
        self._give_up_at = math.inf

    @property
    def members(self) -> tuple[int, ...]:
        """The workers that make the next call together, as far as is known."""
        return self._caller.place.members

    @property
    def contributors(self) -> tuple[int, ...]:
        """The workers whose contributions are in the last call's result."""
        return self._contributors

    @property
    def left_out(self) -> bool:
        """The last call's result lacks this worker's contribution, which came too late (see connect's `straggler`)."""
        return self.rank not in self.contributors

    @property
    def state(self) -> Mapping[str, NDArray[Any]] | None:
        """What the others gave to `admit` when this worker entered a running job; None for one of the first."""
        return self._caller.state

    @property
    def statistics(self) -> dict[str, int]:
        """What was sent and received so far: see dropzero.protocol.lanes.Statistics."""
        return self._caller.statistics

    def all_reduce(
        self,
        array: N,
        *,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        out: N | None = None,
        few_bits: bool = False,
        timeout: float | None = None,
    ) -> N:
        """The sum, mean, maximum or minimum of the workers' arrays, on every worker the same to the last bit.

        int32 adds exactly, modulo 2^32; its mean is that of the sum in full. Floats are added as fixed point with a
        common exponent for each block (see dropzero.protocol.fixedpoint); their maxima and minima are exact. Blocks
        that are zero everywhere cost nothing.

        A block of a sum or mean in which any worker has a NaN or an infinity is NaN on all workers. Maxima and minima
        are numpy's: NaN where any worker has one, and infinities are numbers like others. See connect's `nonfinite`.

        Args:
            array: float32, float16 or int32, any shape, the same for all workers.
            block: elements in a block: 32, 64, 128 or 256, twice or four times that at 16 or 8 bits; 0: whichever is
                cheapest for where the workers' zeros are, which costs large arrays another round trip to agree on.
            width: bits that a float element takes on the wire: 32, 16 or 8.
            few_bits: take a width that leaves an element fewer than 4 bits for its magnitude, as 8 does for more than
                8 workers: see `dropzero precision`.
            out: gets the result; of the same shape and type, and may be `array` itself.

        Returns:
            `out`, or a new array of the same shape and type. (The mean of int32 is rounded towards zero.)

        Raises:
            ValueError: there is no such call.
            NotFinite: a worker's array is not, and the job raises for it.
        """
        return self._in_turn(self._all_reduce, array, operation, block, width, few_bits, out, timeout=timeout)

    def all_reduce_async(
        self,
        array: N,
        *,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        out: N | None = None,
        few_bits: bool = False,
        timeout: float | None = None,
    ) -> Future[N]:
        """The same, at once: `.result()` waits for it, and `array` must not be changed until then. It can't be
        cancelled. See `wait_all`."""
        return self._later(self._all_reduce, array, operation, block, width, few_bits, out, timeout=timeout)

    def all_reduce_many(
        self,
        arrays: Sequence[N],
        *,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        timeout: float | None = None,
    ) -> list[N]:
        """The same of several arrays of one type, all in flight at once: what each of them would get alone, to the last
        bit if `block` is given, without a round trip for each."""
        return self._in_turn(self._all_reduce_many, arrays, operation, block, width, few_bits, timeout=timeout)

    def sparse_all_reduce(
        self,
        indices: NDArray[K],
        rows: N,
        *,
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        timeout: float | None = None,
    ) -> tuple[NDArray[K], N]:
        """The sum of the workers' rows of a table that is zero otherwise, such as embeddings' gradients. See
        dropzero.worker.sparse.

        Args:
            indices: which rows of the table, shape (k,), int32 or int64, in any order; what has the same index adds up.
                The table may be as long as they can count.
            rows: shape (k, ...), float32, float16 or int32; k may differ between workers, and be 0.
            block, width, few_bits: as for all_reduce; block 0: the largest that a row fills.

        Returns:
            The indices that any worker gave, in order, and the sums of their rows: the same on all workers.

        Raises:
            ValueError: the indices or rows are not of that kind.
            NotFinite: as for all_reduce.
        """
        return self._in_turn(self._sparse_all_reduce, indices, rows, block, width, few_bits, timeout=timeout)

    def broadcast(self, array: A, root: int = 0, *, out: A | None = None, timeout: float | None = None) -> A:
        """`root`'s array, bit for bit, on every worker, in a new array or `out`. The others' say its shape and type."""
        result: A = self._in_turn(self._broadcast, array, root, out, timeout=timeout)
        return result

    def all_gather(self, array: NDArray[Any], *, timeout: float | None = None) -> NDArray[Any]:
        """All workers' arrays, bit for bit: shape (size, *array.shape)."""
        return self._in_turn(self._all_gather, array, timeout=timeout)

    def reduce_scatter(
        self,
        array: N,
        *,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        timeout: float | None = None,
    ) -> N:
        """This worker's part of what all_reduce would return: row `rank` of an array of shape (size, ...).

        It takes as long as all_reduce: the switch sends every result to all workers at once.
        """
        return self._in_turn(self._reduce_scatter, array, operation, block, width, few_bits, timeout=timeout)

    def barrier(self, *, timeout: float | None = None) -> None:
        """Returns when all workers have called it."""
        self._in_turn(self._run, np.zeros(1, np.int32), "barrier", timeout=timeout)

    def admit(self, state: Mapping[str, ArrayLike], *, timeout: float | None = None) -> None:
        """Lets in the workers that wait to enter the running job (see connect's `elastic`): a collective for a moment
        between two steps of the program, which costs one small round when nobody waits.

        Args:
            state: what a newcomer needs to make the same calls as the others from here on, by name; equal on all. It is
                the newcomer's `state`, whose own first call may be this one as well: it has no effect then.

        Raises:
            ValueError: the state is no mapping of names to arrays of numbers, or larger than 2 GiB.
        """
        self._in_turn(self._admit, state, timeout=timeout)

    def close(self) -> None:
        """Leaves the job, of which the others go on."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
        try:
            if kind is None and not self._caller.closed:
                with suppress(ProtocolError):
                    self._caller.leave()
        finally:
            self._caller.closed = self._caller.closed or "it has left its job"
            self._resources.__exit__(kind, error, trace)

    def _later(self, collective: Callable[..., R], *arguments: Any, timeout: float | None) -> Future[R]:
        """Runs it on the thread that runs one after the other."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "collectives")
        made: Future[R] = Future()
        # One that were cancelled would be made by the other workers all the same.
        made.set_running_or_notify_cancel()

        def make() -> None:
            try:
                made.set_result(self._in_turn(collective, *arguments, timeout=timeout, its_turn=True))
            except BaseException as error:
                made.set_exception(error)

        def leave(queued: Future[None]) -> None:
            if queued.cancelled():
                made.set_exception(Closed("this worker left its job before it made that call"))

        self._thread.submit(make).add_done_callback(leave)
        return made

    def _in_turn(
        self, collective: Callable[..., R], *arguments: Any, timeout: float | None, its_turn: bool = False
    ) -> R:
        """Runs it when all before it have been. If it ends before it has made all of its calls, that is the end of the
        next one of these for all, and of those after it."""
        if self._thread is not None and not its_turn:
            return self._later(collective, *arguments, timeout=timeout).result()
        with self._turn:
            if self._caller.closed:
                self._caller.check_open()
            self._runs = 1
            self._give_up_at = math.inf if timeout is None else time.monotonic() + timeout
            try:
                return collective(*arguments)
            except BaseException as error:
                if self._runs:
                    self._caller.give_up(error, self._runs)
                raise

    def _admit(self, state: Mapping[str, ArrayLike]) -> None:
        check(state)
        self._runs = 0
        self._caller.admit(state, self._give_up_at)
        self._contributors = self._caller.place.members

    def _reduce(self, signature: Signature, tensor: Input) -> Finished:
        """One call. What it returns is not to be changed."""
        runs, self._runs = self._runs, 0
        if signature.length:
            result = self._caller.run(signature, tensor, self._give_up_at, runs)
        else:
            # It has nothing to send, but all have to make it.
            whole = Signature.of(f"nothing for {signature.name}", np.dtype(np.int32), 1)
            result = self._caller.run(whole, np.zeros(1, np.int32), self._give_up_at, runs)
            result = result._replace(target=Target.new(0))
        self._runs = runs - 1
        self._contributors = result.members
        return result

    def _run(self, array: NDArray[Any], name: str) -> NDArray[Any]:
        """The same, of float32 or int32, of any shape."""
        signature = Signature.of(name, array.dtype, array.size)
        total = self._reduce(signature, input_of(signature, array))
        return total.target.patterns.view(array.dtype).reshape(array.shape)

    def _all_reduce(
        self,
        array: N,
        operation: OperationName,
        block: int,
        width: int,
        few_bits: bool,
        out: N | None = None,
        name: str = "all_reduce",
    ) -> N:
        checked = self._checks(array)
        _check_out(array, out)
        if self._raises:
            name = f"{name} of what must be finite"
        if operation == "mean" and array.dtype == np.int32:
            integers: Any = array
            halves: Any = split(integers)
            sums = joined(self._all_reduce(halves, "sum", block, width, few_bits, name=f"{name} for a mean"))
            return _into(out, array, np.trunc(sums / len(self.contributors)).astype(np.int32))
        signature = _signature(name, operation, array.dtype, array.size, block, width, few_bits)
        own: NDArray[Any] = _in_order(array, operation) if operation in _EXTREMES else array
        if checked:
            self._blame(array)
        direct = False
        total: NDArray[Any]
        if signature.small:
            result = self._reduce(signature, own)
            total = result.target.patterns.copy()
        else:
            source = Source.of(_wide(own))
            result = self._reduce(signature, source)
            direct = out is not None and out.dtype != np.float16 and out.flags.c_contiguous
            total = result.target.copy(cast(N, out).reshape(-1) if direct else None, source)
        total = total.view(signature.dtype)
        if operation == "mean":
            np.divide(total, len(self.contributors), out=total, casting="unsafe")
        elif operation in _EXTREMES and array.dtype != np.int32:
            total[:] = ordered(total)
            total = total.view(np.float32)
        return cast(N, out) if direct else _into(out, array, total)

    def _checks(self, array: NDArray[Any]) -> bool:
        """Whether an array like this one is looked through first, which takes a call more. Raises ValueError if it is
        none; the others' is taken to be of floats."""
        checked = self._raises and getattr(array, "dtype", None) != np.int32
        if checked:
            self._runs = max(self._runs, 2)
        _check_arrays(array)
        return checked

    def _blame(self, array: NDArray[Any]) -> None:
        """Raises NotFinite on all workers if any worker's array is not finite."""
        firsts = np.zeros(self.size, np.int64)
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            firsts[self.rank] = bad[0] + 1
        everyone = self._run(firsts.view(np.int32), "first elements that are not finite").view(np.int64)
        found = np.flatnonzero(everyone)
        if len(found):
            raise NotFinite(int(found[0]), int(everyone[found[0]]) - 1)

    def _reduce_scatter(self, array: N, operation: OperationName, block: int, width: int, few_bits: bool) -> N:
        self._checks(array)
        if array.shape[:1] != (self.size,):
            raise ValueError(f"the first axis must have {self.size} rows, one a worker, not shape {array.shape}")
        part: N = self._all_reduce(array, operation, block, width, few_bits)[self.rank]
        return part

    def _all_reduce_many(
        self, arrays: Sequence[N], operation: OperationName, block: int, width: int, few_bits: bool
    ) -> list[N]:
        if arrays:
            self._checks(arrays[0])
        _check_arrays(*arrays)
        if len({array.dtype for array in arrays}) > 1:
            raise ValueError("arrays that are reduced together are of one type")
        if not arrays:
            self._runs = 0
            return []
        sizes = block_sizes(_form(operation, width))
        if not block and sum(array.size for array in arrays) <= FEW:
            block = sizes[0]
        # Each begins with a block of its own, whatever its size.
        unit: int = block or sizes[-1]
        starts = np.cumsum([0, *(-(-array.size // unit) * unit for array in arrays)])
        together = np.zeros(int(starts[-1]), arrays[0].dtype)
        for array, first in zip(arrays, starts, strict=False):
            together[first : first + array.size] = array.reshape(-1)
        lengths = ", ".join(str(array.size) for array in arrays)
        total = self._all_reduce(together, operation, block, width, few_bits, name=f"all_reduce_many of {lengths}")
        return [_new(array, total[first : first + array.size]) for array, first in zip(arrays, starts, strict=False)]

    def _sparse_all_reduce(
        self, given: NDArray[K], rows: N, block: int, width: int, few_bits: bool
    ) -> tuple[NDArray[K], N]:
        _check_arrays(given, rows)
        self._runs = 4 if self._raises and rows.dtype != np.int32 else 3
        indices, summed = sparse.coalesced(given, rows)
        shape = rows.shape[1:]
        name = f"sparse_all_reduce of {rows.dtype} rows {shape}"
        lengths = np.zeros(self.size, np.int32)
        lengths[self.rank] = len(indices)
        longest = int(self._run(lengths, name).max())
        told = set(self._contributors)
        lists = np.zeros((self.size, longest), indices.dtype)
        if self.rank in told:
            lists[self.rank, : len(indices)] = indices + indices.dtype.type(1)
        everyone = from_words(self._run(words(lists), f"indices for {name}"), lists)
        told &= set(self._contributors)
        union = sparse.union(everyone)
        table: Any = np.zeros((len(union), summed.shape[1]), rows.dtype)
        # Who came too late for the indices can't add rows that others do not know of.
        if self.rank in told:
            table[np.searchsorted(union, indices)] = summed
        block = block or sparse.row_block(summed.shape[1], _form("sum", width))
        total = self._all_reduce(table, "sum", block, width, few_bits, name=name)
        self._contributors = tuple(rank for rank in self._contributors if rank in told)
        return union, total.reshape(len(union), *shape)

    def _broadcast(self, array: A, root: int, out: A | None) -> A:
        if not 0 <= root < self.size:
            raise ValueError(f"root is one of 0 to {self.size - 1}, not {root}")
        _check_arrays(array)
        _check_out(array, out)
        own = words(array)
        total = self._run(own if self.rank == root else np.zeros_like(own), f"broadcast from {root} of {array.dtype}")
        if root not in self.contributors:
            raise WorkerLost(f"worker {root}, whose array was to be broadcast, has left the job")
        return _into(out, array, from_words(total, array))

    def _all_gather(self, array: NDArray[Any]) -> NDArray[Any]:
        _check_arrays(array)
        own = words(array)
        rows = np.zeros((self.size, own.size), np.int32)
        rows[self.rank] = own
        gathered = self._run(rows, f"all_gather of {array.dtype}")
        return np.stack([from_words(row, array) for row in gathered])


def wait_all(handles: Iterable[Future[R]]) -> list[R]:
    """What several collectives made, which were begun at once. Raises what the first of them raises that fails."""
    return [handle.result() for handle in handles]


def _wide(array: NDArray[Any]) -> NDArray[Any]:
    """float32 for float16."""
    return np.asarray(array, np.float32 if array.dtype == np.float16 else None)


def _in_order(array: NDArray[Any], operation: OperationName) -> NDArray[np.int32]:
    """int32 of the same shape and order, in which a NaN comes out on top."""
    wide = _wide(array)
    if wide.dtype == np.int32:
        return wide
    integers = ordered(wide.view(np.int32))
    limits = np.iinfo(np.int32)
    integers[np.isnan(wide)] = limits.max if operation == "max" else limits.min
    return integers


def _form(operation: OperationName, width: int) -> Width:
    """What an element takes on the wire. Extremes are exact."""
    if width not in _FORMS:
        raise ValueError(f"elements take 32, 16 or 8 bits, not {width}")
    return Width.BITS_32 if operation in _EXTREMES else _FORMS[width]


# Programs make the same calls again and again.
@lru_cache(maxsize=1024)
def _signature(
    name: str, operation: OperationName, dtype: np.dtype[Any], length: int, block: int, width: int, few_bits: bool
) -> Signature:
    """A call's; `block` 0: whichever is cheapest, for all together. Raises ValueError: there is no such call."""
    if operation not in get_args(OperationName):
        raise ValueError(f"operations are {', '.join(get_args(OperationName))}, not {operation}")
    form = _form(operation, width)
    if dtype not in (np.float32, np.float16, np.int32):
        raise ValueError(f"float32, float16 and int32 arrays can be reduced, not {dtype}")
    if dtype == np.float16:
        dtype = np.dtype(np.float32)
    if not block and length <= FEW:
        block = block_sizes(form)[0]
    if operation in _EXTREMES:
        return Signature.of(f"{name} of {dtype}", np.dtype(np.int32), length, _EXTREMES[operation], form, block)
    return Signature.of(f"{name} ({operation})", dtype, length, Operation.SUM, form, block, few_bits)


def _check_arrays(*arrays: object) -> None:
    for array in arrays:
        if not isinstance(array, np.ndarray | np.generic):
            raise ValueError(f"collectives are of numpy arrays, not of a {type(array).__name__}")


def _check_out(array: NDArray[Any], out: NDArray[Any] | None) -> None:
    if out is None:
        return
    _check_arrays(out)
    if out.shape != array.shape or out.dtype != array.dtype:
        raise ValueError(f"out is of shape {out.shape} and {out.dtype}, not of {array.shape} and {array.dtype}")


def _into(out: A | None, like: A, content: NDArray[Any]) -> A:
    """`out` with that content, or that itself."""
    if out is None:
        return _new(like, content)
    out[...] = content.reshape(out.shape)
    return out


def _new(like: A, content: NDArray[Any]) -> A:
    """The same of an array's shape and type."""
    return cast(A, content.astype(like.dtype, copy=False).reshape(like.shape))


def connect(
    controller: str,
    job: int,
    size: int,
    *,
    rank: int | None = None,
    ip: str | None = None,
    lanes: int = 0,
    stall: float = STALL,
    straggler: float | None = None,
    elastic: bool = False,
    quorum: int = 0,
    token: str = "",
    when_full: WhenFull = "refuse",
    tls: Tls | None = None,
    timeout: float | None = None,
    on_loss: OnLoss = "continue",
    nonfinite: NonFinite = "propagate",
) -> Communicator:
    """Joins a job, and returns when all of its `size` workers have; or enters a running one, when the others admit it.

    Args:
        controller: the controller's gRPC address, e.g. "unix:/run/dropzero/dz0.sock".
        job: the job's number. The first worker to join creates it.
        size: how many workers it has, the same for all of them.
        rank: this worker's number among them, from 0; None: any that is free.
        ip: this host's address in the network; None: that of its first interface.
        lanes: how many packets a worker may have under way; 0: as many as the controller thinks fit.
        stall: seconds without any progress after which a collective gives up.
        straggler: seconds without any progress after which a collective goes on without those workers that have not
            called it. Such a worker gets the same result when it does, which lacks its contribution (`left_out`), and
            takes part again from then on. None: wait for them.
        elastic: workers may enter the job while it runs, when the others call `admit`, up to `size` of them.
        quorum: how many workers an elastic job starts with; 0: all.
        token: the job's secret; who joins first sets it.
        when_full: what to do if the switch has no slots left: `wait` in line, or have a `host` add up.
        tls: this worker's certificate, where the controller asks for one.
        timeout: seconds in which the other workers must have joined; None: wait for them.
        on_loss: what becomes of the call that is running when a worker dies: the others `continue` and make it without
            that one, or all `raise` WorkerLost, and go on with the next call. The same for all workers.
        nonfinite: what becomes of a NaN or an infinity in a worker's array: it may `propagate` (see all_reduce), or all
            workers `raise` NotFinite, which names the worker and its first such element, and takes floats another
            round. The same for all workers.

    Raises:
        dropzero.controller.client.MembershipError: refused, or the controller can't be reached.
        ProtocolError: the others did not let this worker into the running job.
        OSError: this host has no network.
        ValueError: there is no such way to deal with losses, with what is not finite, or with a full switch.
    """
    for given, kind in ((on_loss, OnLoss), (nonfinite, NonFinite), (when_full, WhenFull)):
        if given not in get_args(kind):
            raise ValueError(f"one of {', '.join(get_args(kind))}, not {given}")
    rehearse()
    with ExitStack() as resources:
        membership = resources.enter_context(Membership(controller, tls=tls))
        transport = resources.enter_context(closing(Transport()))
        place = membership.join(
            job=job,
            size=size,
            rank=rank,
            ip=ip or own_ip(),
            udp_port=transport.port,
            lanes=lanes,
            elastic=elastic,
            quorum=quorum,
            token=token,
            when_full=when_full,
            raise_on_loss=on_loss == "raise",
            timeout=timeout,
        )
        transport.connect((place.switch_ip, place.switch_port))
        caller = Caller(place, membership, transport, stall, straggler)
        return Communicator(caller, resources.pop_all(), nonfinite)
