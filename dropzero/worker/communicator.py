"""The collectives for training programs: `connect` joins a job and returns a `Communicator`, which makes the calls."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, closing
from functools import lru_cache, partial
from numbers import Integral, Real
from types import TracebackType
from typing import Any, Literal, NamedTuple, NoReturn, ParamSpec, TypeVar, cast, get_args
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.lock import Lock
from dropzero.membership.access import Tls
from dropzero.membership.client import ANSWER, Membership
from dropzero.protocol.lanes.call import Signature
from dropzero.protocol.lanes.errors import ProtocolError
from dropzero.protocol.lanes.work import memory
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.wire import BLOCK_WORDS, Operation, Width, block_for, block_sizes
from dropzero.worker import environment, sparse
from dropzero.worker.address import own_ip
from dropzero.worker.bits import from_words, joined, ordered, split, words
from dropzero.worker.blocks import FEW
from dropzero.worker.caller import Caller, Input, Shards, input_of, uninterrupted
from dropzero.worker.errors import Closed, NotFinite, WorkerLost
from dropzero.worker.history import Finished
from dropzero.worker.pump import rehearse
from dropzero.worker.state import check
from dropzero.worker.transport import Transport

A = TypeVar("A", bound=NDArray[Any])
R = TypeVar("R")
P = ParamSpec("P")
N = TypeVar("N", NDArray[np.float32], NDArray[np.float16], NDArray[np.int32])
K = TypeVar("K", np.int32, np.int64)
OperationName = Literal["sum", "mean", "max", "min"]
OnLoss = Literal["continue", "raise"]
NonFinite = Literal["propagate", "raise"]
WhenFull = Literal["refuse", "wait", "host"]

FINISHES = 10
"""How often a collective tries to return its results when signals or a lack of memory keep it from that."""
PART = 1 << 14
"""Elements of a result that are computed at a time."""
STALL = 60.0
"""Seconds without progress after which a collective fails."""

_FORMS = {form.bits: form for form in Width}
_EXTREMES = {"max": Operation.MAX, "min": Operation.MIN}
_ARRAYS = np.ndarray, np.generic


class Reduction(NamedTuple):
    """The arguments of all_reduce with the same names."""

    operation: OperationName
    block: int
    width: int
    few_bits: bool

    @property
    def form(self) -> Width:
        """The width of an element on the wire; extremes are always exact. Raises ValueError for an invalid width."""
        if self.width not in _FORMS:
            raise ValueError(f"elements take 32, 16 or 8 bits, not {self.width}")
        return Width.BITS_32 if self.operation in _EXTREMES else _FORMS[self.width]


class Communicator(AbstractContextManager["Communicator"]):
    """Makes collective calls as one worker of a job. All workers must make the same calls in the same order. Calls from
    several threads run one at a time. A forked process cannot use its parent's communicator.

    When a worker is lost or the switch restarts, the running collective starts again from its unchanged input, with the
    remaining workers. If one worker already has the result, the others get that. So all end with the same results.

    Each call has one outcome: the same result on all workers, or an error on all. When an exception ends a call on one
    worker (a wrong argument, a timeout, Ctrl-C), the others raise Aborted, which names the worker and the cause, unless
    one of them already has the result: then the others get it. When workers make different calls, all raise
    Disagreement. After either, the job continues with the next call. A worker that cannot report its failure to the
    others raises Closed from then on; one that was removed from the job raises WorkerLost, then Closed. The events that
    led to a ProtocolError go to the logger "dropzero".

    Every collective takes a `timeout` in seconds, after which it raises Stalled. With None, only `stall` of connect
    applies.

    Attributes:
        rank: this worker's number, from 0.
        size: one more than the highest possible rank.
    """

    def __init__(self, caller: Caller, resources: ExitStack, nonfinite: NonFinite = "propagate") -> None:
        self.rank, self.size = caller.place.rank, caller.place.size
        self._caller, self._resources = caller, resources
        self._contributors = caller.place.members
        self._raises = nonfinite == "raise"
        self._thread: ThreadPoolExecutor | None = None
        self._turn = Lock()
        self._busy = False
        # An error that came when the results of a call were known, to be raised by the next call.
        self._late: BaseException | None = None
        self._thread_id = 0
        self._give_up_at = math.inf
        _HERE.add(self)

    @property
    def members(self) -> tuple[int, ...]:
        """The ranks that make the next call, as far as this worker knows."""
        return self._caller.place.members

    @property
    def contributors(self) -> tuple[int, ...]:
        """The ranks whose contributions are in the last call's result."""
        return self._contributors

    @property
    def left_out(self) -> bool:
        """Whether this worker was too late for the last call, so that its contribution is not in the result: see
        `straggler` of connect."""
        return self.rank not in self.contributors

    @property
    def state(self) -> Mapping[str, NDArray[Any]] | None:
        """The state that the others passed to `admit` when this worker entered the running job, arrays by name; None if
        it was a member from the start."""
        return self._caller.state

    @property
    def statistics(self) -> dict[str, int]:
        """This worker's traffic so far, by name: see dropzero.protocol.lanes.lanes.Lanes.statistics."""
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
        label: str = "all_reduce",
        timeout: float | None = None,
    ) -> N:
        """Reduces the workers' arrays element by element; all workers get the same result, to the last bit.

        Sums of int32 are exact modulo 2^32; their means are those of the exact sums, rounded towards zero. Floats are
        added as fixed point with a common exponent for each block (see dropzero.protocol.tensor.fixedpoint); their
        maxima and minima are exact. A worker does not send blocks that are zero.

        If any worker's block has a NaN or an infinity, the block becomes NaN on all workers in sums and means. Maxima
        and minima treat both as numpy.maximum does. With nonfinite="raise" in connect, all workers raise an error
        instead.

        Args:
            array: float32, float16 or int32, of any shape; dtype and shape are the same on all workers.
            operation: "sum", "mean", "max" or "min"; a mean divides by the number of `contributors`.
            block: elements in a block: 32, 64, 128 or 256; twice these with a width of 16, four times with 8. 0: the
                workers together choose the cheapest size, which takes large arrays another round trip.
            width: bits of a float element on the wire: 32, 16 or 8.
            out: where the result goes, of `array`'s shape and dtype; may be `array` itself.
            few_bits: allow a width that leaves fewer than 4 bits of magnitude, as 8 does with more than 8 workers: see
                `dropzero precision`.
            label: the call's name in errors. If workers give different labels, all raise Disagreement.
            timeout: seconds; see the class.

        Returns:
            `out`, or a new array of `array`'s shape and dtype.

        Raises:
            ValueError: an argument is not valid, or `out` does not match `array`.
            NotFinite: a worker's array has a NaN or an infinity, and the job has nonfinite="raise".
            ProtocolError: there is no result: see the class.
        """
        how = Reduction(operation, block, width, few_bits)
        return self._in_turn(timeout, self._all_reduce, array, how, out, label)

    def all_reduce_scaled(
        self,
        array: NDArray[np.float32],
        *,
        block: int,
        width: int = 32,
        few_bits: bool = False,
        label: str = "all_reduce_scaled",
        timeout: float | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Sums float32 arrays as all_reduce does, and returns the exponents, too, by which their blocks were scaled: so
        each worker knows how its own elements were rounded, with the magnitude_bits of as many workers as there are
        `contributors` (see dropzero.protocol.tensor.fixedpoint).

        Args:
            array, width, few_bits, label, timeout: as for all_reduce.
            block: elements in a block, not 0.

        Returns:
            The sum, in `array`'s shape, and the blocks' biased exponents, shape (blocks,), 0 for blocks that are zero.

        Raises:
            ValueError: as for all_reduce; or `array` is not float32, or `block` is 0.
            NotFinite, ProtocolError: as for all_reduce.
        """
        how = Reduction("sum", block, width, few_bits)
        return self._in_turn(timeout, self._all_reduce_scaled, array, how, label)

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
        """Starts an all_reduce and returns at once. Arguments as for all_reduce.

        Returns:
            A future, which cannot be cancelled; its `result()` waits. Do not change `array` before. See `wait_all`.
        """
        how = Reduction(operation, block, width, few_bits)
        return self._later(timeout, self._all_reduce, array, how, out)

    def all_reduce_many(
        self,
        arrays: Sequence[N],
        *,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        label: str = "all_reduce_many",
        timeout: float | None = None,
    ) -> list[N]:
        """Reduces several arrays of one dtype, any shapes, in one call, which saves round trips. Other arguments as for
        all_reduce. If `block` is given, each result is what all_reduce would return for that array, to the last bit."""
        how = Reduction(operation, block, width, few_bits)
        return self._in_turn(timeout, self._all_reduce_many, arrays, how, label)

    def sparse_all_reduce(
        self,
        indices: NDArray[K],
        rows: N,
        *,
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        label: str = "sparse_all_reduce",
        timeout: float | None = None,
    ) -> tuple[NDArray[K], N]:
        """Sums the workers' rows of a table that is zero elsewhere, such as the gradient of an embedding. See
        dropzero.worker.sparse.

        Args:
            indices: row numbers from 0, shape (k,), int32 or int64, in any order; rows of equal index are added. They
                may be as large as the dtype allows, because the whole table never exists.
            rows: shape (k, ...), float32, float16 or int32. k may differ between workers, and be 0.
            block: as for all_reduce; 0: the largest that a row fills.
            width, few_bits, label, timeout: as for all_reduce.

        Returns:
            The n indices that any worker gave, ascending, shape (n,), and the sums of their rows, shape (n, ...); the
            same on all workers, in the dtypes of `indices` and `rows`.

        Raises:
            ValueError: `indices` or `rows` have another shape or dtype, or an index is out of range.
            NotFinite, ProtocolError: as for all_reduce.
        """
        how = Reduction("sum", block, width, few_bits)
        return self._in_turn(timeout, self._sparse_all_reduce, indices, rows, how, label)

    def broadcast(self, array: A, root: int = 0, *, out: A | None = None, timeout: float | None = None) -> A:
        """Returns worker `root`'s array, bit for bit, in a new array or in `out`.

        Args:
            array: of any shape and any dtype without objects, both the same on all workers. Its values matter only on
                worker `root`.
            out: where the result goes, of `array`'s shape and dtype; may be `array` itself.

        Raises:
            ValueError: `root` is not a rank, or `out` does not match `array`.
            WorkerLost: worker `root` left the job before its array was sent.
            ProtocolError: as for all_reduce.
        """
        broadcast: Callable[[A, int, A | None], A] = self._broadcast
        return self._in_turn(timeout, broadcast, array, root, out)

    def all_gather(
        self,
        array: NDArray[Any],
        *,
        counts: Sequence[int] | None = None,
        label: str = "all_gather",
        timeout: float | None = None,
    ) -> NDArray[Any]:
        """Returns all workers' arrays, bit for bit. Each worker sends its own, and the switch sends it those of others.

        Args:
            array: of any dtype without objects, the same on all workers; and of the same shape, or, with counts, of
                shape (counts[rank], ...).
            counts: how many rows each rank has, the same on all workers.
            label, timeout: as for all_reduce.

        Returns:
            A new array, shape (size, *array.shape), or (sum(counts), ...), with zeros for ranks without a worker.

        Raises:
            ValueError: as for broadcast; or `counts` does not match `size` or `array`.
            ProtocolError: as for all_reduce.
        """
        return self._in_turn(timeout, self._all_gather, array, counts, label)

    def gather(
        self,
        array: NDArray[Any],
        root: int = 0,
        *,
        counts: Sequence[int] | None = None,
        label: str = "gather",
        timeout: float | None = None,
    ) -> NDArray[Any] | None:
        """Returns what all_gather returns on worker `root`, and None on the others, to which the switch sends headers
        only. Other arguments and errors as for all_gather; ValueError if `root` is not a rank."""
        return self._in_turn(timeout, self._gather, array, root, counts, label)

    def scatter(self, array: A, root: int = 0, *, label: str = "scatter", timeout: float | None = None) -> A:
        """Returns this worker's row of worker `root`'s array, bit for bit. The switch sends each worker its own row.

        Args:
            array: shape (size, ...), any dtype without objects, both the same on all workers. Its values matter only on
                worker `root`.

        Returns:
            A new array, shape (...).

        Raises:
            ValueError: as for broadcast; or `array` does not have a row for each rank.
            WorkerLost, ProtocolError: as for broadcast.
        """
        scatter: Callable[[A, int, str], A] = self._scatter
        return self._in_turn(timeout, scatter, array, root, label)

    def reduce_scatter(
        self,
        array: N,
        *,
        counts: Sequence[int] | None = None,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        label: str = "reduce_scatter",
        timeout: float | None = None,
    ) -> N:
        """Returns this worker's rows of the array that all_reduce returns for `array`. The switch sends each worker the
        data of its own rows, and headers for the others (docs/protocol.md says when it sends all).

        Args:
            array: shape (size, ...), if each worker gets one row; or, with counts, (sum(counts), ...).
            counts: how many rows each rank gets, the same on all workers; None: one, whose axis is dropped.
            operation, block, width, few_bits, label, timeout: as for all_reduce.

        Returns:
            A new array, shape (...), or (counts[rank], ...), of `array`'s dtype.

        Raises:
            ValueError: as for all_reduce; or `counts` does not match `size` or `array`.
            NotFinite, ProtocolError: as for all_reduce.
        """
        how = Reduction(operation, block, width, few_bits)
        return self._in_turn(timeout, self._reduce_scatter, array, how, counts, label)

    def reduce(
        self,
        array: N,
        root: int = 0,
        *,
        operation: OperationName = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
        label: str = "reduce",
        timeout: float | None = None,
    ) -> N | None:
        """Returns what all_reduce returns for `array` on worker `root`, and None on the others, to which the switch
        sends headers only. Other arguments and errors as for all_reduce; ValueError if `root` is not a rank."""
        how = Reduction(operation, block, width, few_bits)
        reduce: Callable[..., N | None] = self._reduce_to
        return self._in_turn(timeout, reduce, array, root, how, label)

    def barrier(self, label: str = "barrier", *, timeout: float | None = None) -> None:
        """Returns when all workers have called it. If they give different labels, all raise Disagreement, which names
        the labels: in this way workers can check that they are about to do the same thing without the switch."""
        self._in_turn(timeout, self._run, np.zeros(1, np.int32), label)

    def fail(self, error: BaseException) -> None:
        """Raises `error` in place of this worker's next collective: that of the others raises Aborted, which names this
        worker and the error."""
        self._in_turn(None, self._fail, error)

    def abort(self) -> None:
        """Ends this worker's part in the job at once, even if another thread is in a call: that call raises WorkerLost
        within a second, later ones raise Closed. The others lose this worker. Call `close` as usual."""
        if not self._caller.closed:
            self._caller.close("it was aborted")

    def admit(self, state: Mapping[str, ArrayLike], *, timeout: float | None = None) -> None:
        """Lets in the workers that wait to enter the running job: see `elastic` of connect. All members call it between
        two steps of their program. It takes one small round if no worker waits.

        Args:
            state: arrays by name, equal on all members: what a newcomer needs to make the same calls from here on. It
                becomes the newcomer's `state`. If a newcomer's own first call is `admit`, that call does nothing.

        Raises:
            ValueError: an array holds objects, or the state is larger than 2 GiB.
            ProtocolError: as for all_reduce.
        """
        self._in_turn(timeout, self._admit, state)

    def close(self) -> None:
        """Leaves the job; the others continue without this worker."""
        self.__exit__(None, None, None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._refuse_callback()
        try:
            if kind is None:
                self._leave()
        except BaseException as failure:
            # The others may still need this worker's results, so they must learn that it is gone.
            kind, error, trace = type(failure), failure, failure.__traceback__
            if not isinstance(failure, ProtocolError):
                raise
        finally:
            if kind is not None and not self._caller.closed:
                self._caller.close(f"{kind.__name__} ended its part in the job")
            # A collective may still run, and needs the socket.
            if self._thread is not None:
                self._thread.shutdown(cancel_futures=True)
            with self._turn:
                self._caller.closed = self._caller.closed or "it has left its job"
                self._thread = None
                self._resources.__exit__(kind, error, trace)
        if self._late is not None and kind is None:
            late, self._late = self._late, None
            raise late

    def _leave(self) -> None:
        """Leaves the job after the running collective."""
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
        with self._turn:
            if self._busy:
                self._caller.close("a signal handler closed it during a call")
            elif not self._caller.closed:
                self._caller.leave()

    def _disown(self) -> None:
        """Keeps a forked process from making this worker's calls and from ending its membership."""
        self._caller.closed = "it belongs to the process that this one was forked from"
        self._thread, self._turn, self._busy = None, Lock(), False
        self._resources.pop_all()

    def _later(
        self, timeout: float | None, collective: Callable[P, R], *arguments: P.args, **named: P.kwargs
    ) -> Handle[R]:
        """Queues a collective for the thread that runs them one by one."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "collectives")
        made, call = Handle[R](), partial(collective, *arguments, **named)
        # Not cancellable: the other workers would still make the call.
        made.set_running_or_notify_cancel()

        def make() -> None:
            self._thread_id = made.thread = threading.get_ident()
            try:
                made.set_result(self._make(call, timeout, made))
            except BaseException as error:
                made.set_exception(error)

        def leave(queued: Future[None]) -> None:
            if queued.cancelled():
                made.set_exception(Closed("this worker left its job before it made this call"))

        self._thread.submit(make).add_done_callback(leave)
        return made

    def _in_turn(self, timeout: float | None, collective: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Runs a collective after all earlier ones."""
        if self._thread is not None:
            self._refuse_callback()
            return self._waited(self._later(timeout, collective, *arguments, **named))
        return self._make(partial(collective, *arguments, **named), timeout)

    def _make(self, collective: partial[R], timeout: float | None, made: Handle[R] | None = None) -> R:
        """Runs a collective now. If it fails, its remaining calls end without a result on all workers."""
        caller = self._caller
        with self._turn:
            if self._busy:
                raise RuntimeError("this thread is in a collective: its signal handlers cannot call another one")
            if caller.closed:
                caller.check_open()
            # Not below: the last collective's results would make this one look settled. An exception here is like one
            # before the call.
            caller.begin()
            try:
                self._busy = True
                caller.interruption = uninterrupted
                if made is not None:
                    caller.interruption = made.interruption
                    if (interruption := made.interruption()) is not None:
                        raise interruption
                if self._late is not None:
                    late, self._late = self._late, None
                    raise late
                self._give_up_at = math.inf if timeout is None else _deadline(timeout)
                # Whatever the program has set: the results are the same on all workers.
                with np.errstate(all="ignore"):
                    return collective()
            except BaseException as error:
                try:
                    if collective.func != self._admit and not isinstance(error, ProtocolError) and caller.settled:
                        return self._finish(error, collective)
                except BaseException as another:
                    caller.failed(another)
                    raise
                caller.failed(error)
                raise
            finally:
                self._busy = False

    def _finish(self, error: BaseException, collective: Callable[[], R]) -> R:
        """Repeats what a collective does with its results, after an error there. The others have the results, too, so
        this worker's call returns them. An error that does not recur, such as a signal handler's, is raised by its next
        call."""
        for _ in range(FINISHES):
            try:
                with np.errstate(all="ignore"):
                    result = self._caller.replay(collective)
            except BaseException as another:
                error = another
            else:
                # There is memory again: nothing is left to raise.
                self._late = None if isinstance(error, MemoryError) else error
                return result
        raise error

    def _refuse_callback(self) -> None:
        """Raises RuntimeError in a callback of an asynchronous collective, which would wait for itself."""
        if self._thread is not None and threading.get_ident() == self._thread_id:
            raise RuntimeError("a callback cannot wait for a collective: it runs on the thread that makes them")

    def _waited(self, made: Handle[R]) -> R:
        """Waits for a collective. An exception in the waiting thread, such as KeyboardInterrupt, ends it."""
        try:
            return made.result()
        except BaseException as error:
            if not made.done():
                made.interrupted = error
                try:
                    if made.thread:
                        # It must not read the array or write the result once the program continues.
                        wait([made])
                except BaseException:
                    self.abort()
                    raise
            if made.done() and made.exception() is None:
                # The others have the result, too.
                self._late = error
                return made.result()
            raise

    def _fail(self, error: BaseException) -> NoReturn:
        raise error

    def _admit(self, state: Mapping[str, ArrayLike]) -> None:
        check(state)
        self._caller.admit(state, self._give_up_at)
        self._contributors = self._caller.place.members

    def _reduce(self, signature: Signature, tensor: Input, shards: Shards | None = None) -> Finished:
        """Makes one call. The result must not be changed."""
        if signature.length:
            result = self._caller.run(signature, tensor, self._give_up_at, shards)
        else:
            # There is nothing to send, but all workers must make the call.
            whole = Signature.of(f"nothing for {signature.name}", np.dtype(np.int32), 1)
            result = self._caller.run(whole, np.zeros(1, np.int32), self._give_up_at)
            result = result._replace(target=Target.new(0))
        self._contributors = result.members
        return result

    def _run(
        self, array: NDArray[Any], name: str, block: int = BLOCK_WORDS[0], shards: Shards | None = None
    ) -> NDArray[Any]:
        """Sums float32 or int32 of any shape in one call. The result must not be changed."""
        signature = Signature.of(name, array.dtype, array.size, block=block, sharded=shards is not None)
        total = self._reduce(signature, input_of(signature, array), shards)
        return total.target.patterns.view(array.dtype).reshape(array.shape)

    def _all_reduce(
        self,
        array: N,
        how: Reduction,
        out: N | None = None,
        name: str = "all_reduce",
        shards: Shards | None = None,
    ) -> N:
        """shards: returns this worker's, shape (n,), of the flat array."""
        operation = how.operation
        checked = self._checks(array)
        if out is not None:
            _check_out(array, out)
        if self._raises:
            name = f"{name} of what must be finite"
        direct = out is not None and out.flags.c_contiguous
        own = slice(None) if shards is None else shards.of(self.rank)
        if operation == "mean" and array.dtype == np.int32:
            total: NDArray[Any] = cast(N, out) if direct else np.empty(array.shape, np.int32)
            integers: Any = array
            halves: Any = split(integers)
            halves = self._all_reduce(halves, how._replace(operation="sum"), name=f"{name} for a mean")
            halves, flat = halves.reshape(2, -1), total.reshape(-1)
            for part in _parts(flat):
                flat[part] = np.trunc(joined(halves[:, part]) / len(self.contributors))
            return _returned(total if shards is None else cast(N, flat[own]), out, direct)
        signature = _signature(name, how, array.dtype, array.shape, shards is not None)
        given: NDArray[Any] = _in_order(array, operation) if operation in _EXTREMES else array
        if checked:
            self._blame(array)
        source = None if signature.small else Source.of(_wide(given))
        blank = not direct and source is not None and source.sparse
        # Not after the call, where a failure would come to this worker alone.
        shape = array.shape if shards is None else (own.stop - own.start,)
        total = cast(N, out) if direct else (np.zeros if blank else np.empty)(shape, array.dtype)
        flat = total.reshape(-1)
        result = self._reduce(signature, given if source is None else source, shards)
        patterns: NDArray[Any] = result.target.patterns.view(signature.dtype)[own]
        copies = source is not None and flat.itemsize == 4 and shards is None
        if source is not None and copies:
            patterns = result.target.copy(flat.view(source.array.dtype), source, blank=blank)
        if operation == "sum":
            if not copies:
                flat[:] = patterns
        else:
            for part in _parts(flat):
                flat[part] = _finished(patterns[part], operation, array.dtype, len(self.contributors))
        return _returned(total, out, direct)

    def _all_reduce_scaled(
        self, array: NDArray[np.float32], how: Reduction, name: str
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        checked = self._checks(array)
        if array.dtype != np.float32:
            raise ValueError(f"only float32 arrays are scaled, not {array.dtype}")
        if not how.block:
            raise ValueError("scaled sums need a block size: give block")
        if checked:
            name = f"{name} of what must be finite"
        signature = _signature(name, how, array.dtype, array.shape, False, scaled=True)
        if checked:
            self._blame(array)
        result = self._reduce(signature, input_of(signature, array))
        elements, common = memory(signature, result.target)
        return elements.patterns.view(np.float32).reshape(array.shape).copy(), common[: signature.blocks].copy()

    def _checks(self, array: NDArray[Any]) -> bool:
        """Whether the array must first be checked for NaNs and infinities, which takes another call. Raises ValueError
        if it is not an array; the other workers are then assumed to check theirs."""
        checked = self._raises and getattr(array, "dtype", None) != np.int32
        if checked:
            self._caller.remaining = max(self._caller.remaining, 2)
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

    def _reduce_scatter(self, array: N, how: Reduction, counts: Sequence[int] | None, label: str) -> N:
        self._checks(array)
        if counts is None:
            self._check_rows(array)
        rows: list[int] = self._rows(counts)
        if array.shape[:1] != (sum(rows),):
            raise ValueError(f"the array must have {sum(rows)} rows, the sum of counts, not shape {array.shape}")
        shards = np.cumsum([0, *rows]) * math.prod(array.shape[1:])
        name = label if len({*rows}) == 1 else f"{label} of {_listed(rows)} rows"
        part = self._all_reduce(array, how, name=name, shards=Shards(tuple(shards.tolist())))
        return cast(N, part.reshape(array.shape[1:] if counts is None else (rows[self.rank], *array.shape[1:])))

    def _rows(self, counts: Sequence[int] | None) -> list[int]:
        """How many rows each rank has. Raises ValueError."""
        rows: list[int] = [1] * self.size if counts is None else [int(count) for count in counts]
        if len(rows) != self.size or min(rows) < 0:
            raise ValueError(f"counts must be the rows of each of {self.size} workers, not {counts}")
        return rows

    def _check_rows(self, array: NDArray[Any]) -> None:
        if array.shape[:1] != (self.size,):
            raise ValueError(f"the array must have one row for each of {self.size} workers, not shape {array.shape}")

    def _reduce_to(self, array: N, root: int, how: Reduction, label: str) -> N | None:
        self._checks(array)
        self._check_root(root)
        total = self._all_reduce(array, how, name=f"{label} to {root}", shards=self._all_of(root, array.size))
        return cast(N, total.reshape(array.shape)) if self.rank == root else None

    def _all_reduce_many(self, arrays: Sequence[N], how: Reduction, label: str) -> list[N]:
        arrays = list(arrays)
        if not arrays:
            # There is nothing to send, but all workers must make the call.
            self._run(np.zeros(0, np.int32), label)
            return []
        self._checks(arrays[0])
        _check_arrays(*arrays)
        if len({array.dtype for array in arrays}) > 1:
            raise ValueError("all_reduce_many needs arrays of one dtype")
        sizes = block_sizes(how.form)
        if not how.block and sum(array.size for array in arrays) <= FEW:
            how = how._replace(block=sizes[0])
        # Each array starts a new block, whatever size the workers choose.
        unit: int = how.block or sizes[-1]
        starts = np.cumsum([0, *(-(-array.size // unit) * unit for array in arrays)])
        together = np.zeros(int(starts[-1]), arrays[0].dtype)
        for array, first in zip(arrays, starts, strict=False):
            together[first : first + array.size] = array.reshape(-1)
        shapes = ", ".join(str(array.size if array.ndim == 1 else array.shape) for array in arrays)
        try:
            total = self._all_reduce(together, how, name=f"{label} of {shapes}")
        except NotFinite as error:
            which = int(np.searchsorted(starts, error.element, "right")) - 1
            raise NotFinite(error.worker, error.element - int(starts[which]), which) from None
        return [
            total[first : first + array.size].reshape(array.shape) for array, first in zip(arrays, starts, strict=False)
        ]

    def _sparse_all_reduce(self, given: NDArray[K], rows: N, how: Reduction, label: str) -> tuple[NDArray[K], N]:
        self._caller.remaining = 4 if self._raises and getattr(rows, "dtype", None) != np.int32 else 3
        _check_arrays(given, rows)
        indices, summed = sparse.coalesced(given, rows)
        shape = rows.shape[1:]
        name = f"{label} of {rows.dtype} rows {shape}"
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
        # The others do not expect rows from a worker that was late with its indices.
        if self.rank in told:
            table[np.searchsorted(union, indices)] = summed
        how = how._replace(block=how.block or sparse.row_block(summed.shape[1], how.form))
        total = self._all_reduce(table, how, name=name)
        self._contributors = tuple(rank for rank in self._contributors if rank in told)
        return union, total.reshape(len(union), *shape)

    def _broadcast(self, array: A, root: int, out: A | None) -> A:
        self._check_root(root)
        _check_content(array)
        if out is not None:
            _check_out(array, out)
        own = words(array)
        direct = out is not None and out.flags.c_contiguous
        total = cast(A, out) if direct else np.empty_like(array, order="C")
        own = own if self.rank == root else np.zeros_like(own)
        shards = self._all_of(root, own.size)._replace(gathered=True, single=True)
        sent = self._run(own, f"broadcast from {root} of {_kind(array)}", block_for(own.size), shards)
        self._check_sent(root)
        return _returned(from_words(sent, total), out, direct)

    def _check_sent(self, root: int) -> None:
        if root not in self.contributors:
            raise WorkerLost(f"worker {root} left the job before its array was sent")

    def _check_root(self, root: int) -> None:
        if root not in range(self.size):
            raise ValueError(f"root must be 0 to {self.size - 1}, not {root!r}")

    def _all_gather(
        self, array: NDArray[Any], counts: Sequence[int] | None, label: str, root: int | None = None
    ) -> NDArray[Any]:
        """root: the rank that needs the result; None: all do."""
        _check_content(array)
        rows, own = self._rows(counts), array[np.newaxis] if counts is None else array
        if own.shape[:1] != (rows[self.rank],):
            raise ValueError(f"the array must have {rows[self.rank]} rows, as counts says, not shape {array.shape}")
        row = own.itemsize * math.prod(own.shape[1:])
        bounds = tuple(np.cumsum([0, *(-(-count * row // 4) for count in rows)]).tolist())
        content = np.zeros(bounds[-1], np.int32)
        content[slice(*bounds[self.rank : self.rank + 2])] = words(array)
        total = np.empty((sum(rows), *own.shape[1:]), array.dtype)
        kind = _kind(array) if counts is None else f"{array.dtype}{list(own.shape[1:])}, {_listed(rows)} rows"
        name = f"{label} of {kind}" if root is None else f"{label} to {root} of {kind}"
        shards = Shards(bounds, gathered=True) if root is None else self._all_of(root, len(content))
        shards = shards._replace(single=True)
        arrived = self._run(content, name, block_for(len(content) // self.size), shards)
        for part, place in zip(np.split(arrived, bounds[1:-1]), np.split(total, np.cumsum(rows)[:-1]), strict=True):
            from_words(part, place)
        return total

    def _gather(self, array: NDArray[Any], root: int, counts: Sequence[int] | None, label: str) -> NDArray[Any] | None:
        self._check_root(root)
        total = self._all_gather(array, counts, label, root)
        return total if self.rank == root else None

    def _scatter(self, array: A, root: int, label: str) -> A:
        self._check_root(root)
        _check_content(array)
        self._check_rows(array)
        own = cast(A, np.empty(array.shape[1:], array.dtype))
        content = np.zeros((self.size, -(-own.nbytes // 4)), np.int32)
        if self.rank == root:
            content[:] = [words(each) for each in array]
        bounds = range(0, content.size + 1, content.shape[1]) if content.size else [0] * (self.size + 1)
        name = f"{label} from {root} of {_kind(array)}"
        sent = self._run(content, name, block_for(content.shape[1]), Shards(tuple(bounds), single=True))
        self._check_sent(root)
        return from_words(sent[self.rank], own)

    def _all_of(self, rank: int, length: int) -> Shards:
        """Shards of which one rank has all elements."""
        return Shards((*(0,) * (rank + 1), *(length,) * (self.size - rank)))


class Handle(Future[R]):
    """A queued collective.

    Attributes:
        thread: the id of the thread that runs it or has run it; 0: it has not started.
        interrupted: an exception in a thread that waited for it, with which the collective must end.
    """

    thread = 0
    interrupted: BaseException | None = None

    def interruption(self) -> BaseException | None:
        return self.interrupted


_HERE: WeakSet[Communicator] = WeakSet()
"""This process's communicators."""


def _disown_all() -> None:
    for each in _HERE:
        each._disown()


os.register_at_fork(after_in_child=_disown_all)


def _deadline(timeout: float) -> float:
    """Now + `timeout`, as a time.monotonic(). Raises ValueError if it is not a number."""
    if not isinstance(timeout, Real) or math.isnan(timeout):
        raise ValueError(f"timeout must be a number of seconds or None, not {timeout!r}")
    return time.monotonic() + timeout


def wait_all(handles: Iterable[Future[R]]) -> list[R]:
    """Waits for collectives that all_reduce_async started. Returns their results, or raises the first error."""
    return [handle.result() for handle in handles]


def _wide(array: NDArray[Any]) -> NDArray[Any]:
    """Converts float16 to float32; returns other arrays unchanged."""
    return np.asarray(array, np.float32 if array.dtype == np.float16 else None)


def _in_order(array: NDArray[Any], operation: OperationName) -> NDArray[np.int32]:
    """Maps numbers to int32 in the same order, in the same shape. A NaN wins maxima and minima."""
    wide = _wide(array)
    if wide.dtype == np.int32:
        return wide
    integers = np.asarray(ordered(wide.view(np.int32)))
    limits = np.iinfo(np.int32)
    integers[np.isnan(wide)] = limits.max if operation == "max" else limits.min
    return integers


# Cached because programs repeat the same calls.
@lru_cache(maxsize=1024)
def _signature(
    name: str, how: Reduction, dtype: np.dtype[Any], shape: tuple[int, ...], sharded: bool, scaled: bool = False
) -> Signature:
    """The signature of a reduction. Raises ValueError if it is not possible."""
    operation, block, length = how.operation, how.block, math.prod(shape)
    if operation not in get_args(OperationName):
        raise ValueError(f"operation must be one of {', '.join(get_args(OperationName))}, not {operation}")
    form = how.form
    if dtype not in (np.float32, np.float16, np.int32):
        raise ValueError(f"only float32, float16 and int32 arrays can be reduced, not {dtype}")
    if not block and length <= FEW:
        block = block_sizes(form)[0]
    extreme = operation in _EXTREMES
    carried = np.dtype(np.int32 if extreme or dtype == np.int32 else np.float32)
    what = name if extreme else f"{name} ({operation})"
    if dtype != carried or len(shape) != 1:
        # The workers must agree on these too.
        what = f"{what} of {dtype}{list(shape)}"
    if extreme:
        return Signature.of(what, carried, length, _EXTREMES[operation], form, block, sharded=sharded)
    return Signature.of(what, carried, length, Operation.SUM, form, block, how.few_bits, sharded=sharded, scaled=scaled)


def _check_arrays(*arrays: object) -> None:
    for array in arrays:
        if not isinstance(array, _ARRAYS):
            raise ValueError(f"collectives need numpy arrays, not {type(array).__name__}")


def _check_content(array: object) -> None:
    """Raises ValueError for anything that cannot be sent byte by byte."""
    _check_arrays(array)
    if cast(NDArray[Any], array).dtype.hasobject:
        raise ValueError("an array of objects cannot be sent: its elements are addresses in this process")


def _kind(array: NDArray[Any]) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _check_out(array: NDArray[Any], out: NDArray[Any]) -> None:
    _check_arrays(out)
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if out.shape != array.shape or out.dtype != array.dtype:
        raise ValueError(f"out must have shape {array.shape} and {array.dtype}, not {out.shape} and {out.dtype}")


def _returned(total: NDArray[Any], out: A | None, direct: bool) -> A:
    """The result: `total` itself, if there is no `out` or if it is `out` (direct); else `out`, with its content."""
    if out is None or direct:
        return cast(A, total)
    out[...] = total
    return out


def _parts(array: NDArray[Any]) -> Iterator[slice]:
    """Splits an array, shape (n,), so that operations on the parts need little memory."""
    return (slice(first, first + PART) for first in range(0, len(array), PART))


def _finished(patterns: NDArray[Any], operation: OperationName, dtype: np.dtype[Any], workers: int) -> NDArray[Any]:
    """The mean or the extreme of floats or integers with this dtype, from the call's result."""
    if operation == "mean":
        mean: NDArray[np.float32] = np.divide(patterns, workers, dtype=np.float32)
        return mean
    return patterns if dtype == np.int32 else ordered(patterns.view(np.int32)).view(np.float32)


def connect(
    controller: str | None = None,
    job: int | None = None,
    size: int | None = None,
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
    priority: int = 1,
    tls: Tls | None = None,
    timeout: float | None = None,
    on_loss: OnLoss = "continue",
    nonfinite: NonFinite = "propagate",
) -> Communicator:
    """Joins a job. Returns when all its workers have joined; or, if the job is elastic and already running, when its
    members have let this worker in.

    Arguments that are None come from the environment, where `dropzero launch` puts them.

    Args:
        controller: the controller's gRPC address, such as "unix:/run/dropzero/dz0.sock"; None: DROPZERO_CONTROLLER.
        job: the job's number, 0 to 65535. The first worker that joins creates the job. None: DROPZERO_JOB.
        size: the number of workers in the job, the same for all: up to 32 for each switch; for an elastic job, the
            maximum. None: DROPZERO_SIZE, or torchrun's WORLD_SIZE.
        rank: this worker's number, from 0. None: if the size comes from the environment, DROPZERO_RANK or torchrun's
            RANK, if set; else any free one.
        ip: this host's address in the network; None: DROPZERO_IP, or the address of its first interface.
        lanes: packets that a worker may have in flight, each in a slot of the switch; 0: the controller's default.
        stall: seconds without progress after which a collective raises Stalled.
        straggler: seconds without progress, at least 0.01, after which a collective continues without the workers that
            have not called it. When they call it, they get the same result, which lacks their contribution
            (`left_out`), and they take part again from the next call on. None: wait for them.
        elastic: workers may enter the job while it runs, when its members call `admit`.
        quorum: the number of workers with which an elastic job starts; 0: `size`.
        token: the job's secret, set by the first worker that joins.
        when_full: if a switch has no free slots: "refuse" to join, let the job "wait" in line, or use a "host" instead
            of the switches. The job's first worker decides.
        priority: of the job, from 1, for controllers whose policy uses it; the same for all workers.
        tls: this worker's certificate, for a controller that requires one; None: from DROPZERO_TLS_CERT,
            DROPZERO_TLS_KEY and DROPZERO_TLS_CA, if set.
        timeout: seconds in which the controller must answer and the other workers join; None: 10 s for the controller,
            and no limit for the others.
        on_loss: when a worker dies, the others "continue" the running call without it, or all "raise" WorkerLost and
            continue with the next call. The same for all workers.
        nonfinite: a NaN or an infinity may "propagate" (see all_reduce), or all workers "raise" NotFinite, which names
            the worker and the element; this costs calls with floats another round trip. The same for all workers.

    Raises:
        dropzero.membership.client.MembershipError: the controller cannot be reached or refuses, or `timeout` is over.
        ProtocolError: the members did not let this worker into the running job.
        OSError: no interface has an address, this host does not have the given one, or there is no route to the switch.
        ValueError: an argument, or its value in the environment, is not valid; or the controller, job or size is
            neither given nor in the environment.
    """
    choices = {"on_loss": (on_loss, OnLoss), "nonfinite": (nonfinite, NonFinite), "when_full": (when_full, WhenFull)}
    for name, (given, kind) in choices.items():
        if given not in get_args(kind):
            raise ValueError(f"{name} must be one of {', '.join(get_args(kind))}, not {given}")
    least = {"stall": 0.01, "straggler": 0.01, "timeout": 0.001}
    for name, seconds in (("stall", stall), ("straggler", straggler), ("timeout", timeout)):
        if seconds is None and name != "stall":
            continue
        if not (isinstance(seconds, Real) and seconds >= least[name]):
            raise ValueError(f"{name} must be at least {least[name]:g} seconds, not {seconds!r}")
    numbers = {"job": job, "size": size, "rank": rank, "lanes": lanes, "quorum": quorum, "priority": priority}
    for name, number in numbers.items():
        if number is not None and not (isinstance(number, Integral) and 0 <= number < 1 << 32):
            raise ValueError(f"{name} must be a whole number, 0 or larger, not {number!r}")
    controller, job, size, rank = environment.rendezvous(controller, job, size, rank)
    rehearse()
    give_up_at = None if timeout is None else time.monotonic() + timeout
    with ExitStack() as resources:
        answer = ANSWER if timeout is None else min(ANSWER, timeout)
        membership = resources.enter_context(Membership(controller, timeout=answer, tls=tls or environment.tls()))
        own = ip or environment.ip() or own_ip()
        transport = resources.enter_context(closing(Transport(own, rings=environment.rings())))
        place = membership.join(
            job=job,
            size=size,
            rank=rank,
            ip=own,
            udp_port=transport.port,
            lanes=lanes,
            elastic=elastic,
            quorum=quorum,
            token=token,
            when_full=when_full,
            raise_on_loss=on_loss == "raise",
            priority=priority,
            timeout=None if give_up_at is None else max(give_up_at - time.monotonic(), 0.0),
        )
        transport.connect((place.switch_ip, place.switch_port))
        caller = Caller(place, membership, transport, stall, straggler)
        return Communicator(caller, resources.pop_all(), nonfinite)
