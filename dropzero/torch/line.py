"""The calls of a process group, on its channels. Each channel has a job on the switch, and a thread."""

from __future__ import annotations

import atexit
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from datetime import timedelta
from itertools import cycle, product
from queue import SimpleQueue
from typing import Any, NamedTuple
from weakref import WeakSet

import torch
from torch import Tensor
from torch.distributed import Work

from dropzero.lock import Lock
from dropzero.torch.busy import Busy
from dropzero.torch.errors import TimedOut, as_backend_error
from dropzero.worker.communicator import Communicator
from dropzero.worker.errors import Closed, Stalled

NOW = timedelta(0)
PATIENCE = 5.0
"""Seconds to wait for calls after `abort`."""
DROPPED = 64
"""The number of calls that are kept although the program has dropped them."""


class Call(Work):
    """A call of the group, as torch.distributed returns it for `async_op=True`."""

    def __init__(self, outcome: Future[None], tensors: Sequence[Any], dropped: deque[Call]) -> None:
        """tensors: the tensors with the result, once the call is over, or lists of them. dropped: keeps this call if
        the program drops it without having waited for it."""
        super().__init__()
        self._outcome, self._tensors, self._dropped = outcome, list(tensors), dropped
        self._asked = False
        """Whether somebody has waited for the call."""
        self._future: Any = None

    def __del__(self) -> None:
        # C++ may still have the call, as DDP's reducer has in a join context. Without this object, it would wait for
        # ever: it asks the methods of this class.
        if not self._asked:
            self._dropped.append(self)

    def wait(self, timeout: timedelta = NOW) -> bool:
        """Waits for the result, for as long as the call may take, or for `timeout`. Raises the call's error, or
        TimedOut. Then the future is done, too."""
        self._asked = True
        try:
            self._outcome.result(timeout.total_seconds() if timeout > NOW else None)
        except TimeoutError:
            if self._outcome.done():
                raise
            raise TimedOut(f"the call was not over after {timeout.total_seconds():g} s") from None
        finally:
            if self._future is not None and self._outcome.done():
                with suppress(RuntimeError):
                    self._future.wait()
        return True

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        return self._outcome.done() and (self._future is None or self._future.done())

    def is_success(self) -> bool:
        return self.is_completed() and self.exception() is None

    def exception(self) -> BaseException | None:
        return self._outcome.exception() if self._outcome.done() else None

    def result(self) -> list[Any]:
        self.wait()
        return self._tensors

    def get_future(self) -> Any:
        """Returns a torch.futures.Future of the tensors. If the call is over, it is done."""
        self._asked = True
        if self._future is None:
            self._future = self._make_future()
        return self._future

    def _make_future(self) -> Any:
        tensors = [tensor for each in self._tensors for tensor in ([each] if isinstance(each, Tensor) else each)]
        devices = list({tensor.device for tensor in tensors if tensor.is_cuda})
        over: Any = torch.futures.Future(devices=devices)

        def result(_: object) -> list[Any]:
            self._outcome.result()
            return self._tensors

        # C++ sees only errors that a callback raises.
        future = over.then(result)
        if self._outcome.done():
            over.set_result(None)
        else:
            # Callbacks may wait for a later call, as PowerSGD's hook does: so not on the thread that makes it.
            finish = threading.Thread(target=over.set_result, args=(None,), daemon=True)
            self._outcome.add_done_callback(lambda _: finish.start())
        return future


class Turn(NamedTuple):
    """A call that waits for its channel.

    Attributes:
        needed: earlier calls that share memory with it.
        earlier: all earlier calls that may not be over.
    """

    call: Callable[[], object]
    outcome: Future[None]
    needed: Sequence[Future[None]]
    earlier: Sequence[Future[None]]


class Channel(NamedTuple):
    """The calls of a thread, which makes them in order, also after errors."""

    communicator: Communicator
    queue: SimpleQueue[Turn | None]


class Line:
    """A group's calls. The n-th call runs on channel n modulo the number of channels, so ranks that add the same calls
    make each of them in the same job. A call waits for earlier calls on its channel, and for earlier calls that share
    memory with it; so no call waits for a later one."""

    def __init__(self, communicators: Sequence[Communicator], name: str) -> None:
        """communicators: of the channels, each in its own job."""
        self._channels = [Channel(communicator, SimpleQueue()) for communicator in communicators]
        self._turns = cycle(self._channels)
        self._here = threading.local()
        self._begun: list[tuple[Future[None], Sequence[range]]] = []
        """The calls that were not over when the last one was added, with their memory."""
        self._dropped: deque[Call] = deque(maxlen=DROPPED)
        self._lock = Lock()
        self._closed = ""
        """Why no more calls are made; empty: they are."""
        self.busy = Busy()
        # Daemons, so that a program that ends in the middle of a call does not wait for it.
        self._threads = [
            threading.Thread(target=self._run, args=(channel,), name=f"{name}, channel {number}", daemon=True)
            for number, channel in enumerate(self._channels)
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self._leave)
        _HERE.add(self)

    @property
    def communicator(self) -> Communicator:
        """The communicator of the current call's channel. Only for calls that were added, for their collectives."""
        communicator: Communicator = self._here.communicator
        self._here.made = True
        return communicator

    @property
    def statistics(self) -> dict[str, int]:
        """The sums over all channels: see Communicator.statistics."""
        total: Counter[str] = Counter()
        for channel in self._channels:
            total.update(channel.communicator.statistics)
        return dict(total)

    def check_open(self) -> None:
        """Raises Closed if no more calls are made."""
        if self._closed:
            raise as_backend_error(Closed(f"this process group makes no more calls: {self._closed}"))

    def add(self, call: Callable[[], object], tensors: Sequence[Any] = (), memory: Sequence[range] = ()) -> Call:
        """Adds a call. tensors: see Call. memory: the addresses that it reads or writes. Raises Closed."""
        with self._lock:
            self.check_open()
            self.busy.added()
            return Call(self._put(next(self._turns), call, memory), tensors, self._dropped)

    def fence(self) -> Call:
        """Returns a call that is over when all earlier calls are, with or without errors. It uses no channel. Raises
        Closed."""
        over: Future[None] = Future()
        with self._lock:
            self.check_open()
            earlier = [outcome for outcome, _ in self._begun]
        left = iter(range(len(earlier), -1, -1))

        def count(_: object) -> None:
            if next(left) == 0:
                over.set_result(None)

        count(None)
        for each in earlier:
            each.add_done_callback(count)
        return Call(over, (), self._dropped)

    def catch_up(self) -> None:
        """Waits, within a call, until all earlier calls are over."""
        wait(self._here.earlier)

    def close(self, patience: float | None = None) -> None:
        """Waits for all calls, at most `patience` seconds for each channel, and leaves the jobs."""
        with self._lock:
            if self._closed:
                return
            self._closed = "it was destroyed"
            # A call that is still under way needs its socket.
            left = [self._put(channel, channel.communicator.close) for channel in self._channels]
            for channel in self._channels:
                channel.queue.put(None)
        for thread in self._threads:
            thread.join(patience)
        atexit.unregister(self._leave)
        for each in left:
            if each.done():
                each.result()

    def abort(self) -> None:
        """Ends all calls with an error. One between hosts may continue until its own timeout."""
        for channel in self._channels:
            channel.communicator.abort()
        self.close(PATIENCE)

    def _put(self, channel: Channel, call: Callable[[], object], memory: Sequence[range] = ()) -> Future[None]:
        """Adds a call to a channel. The caller holds the lock."""
        self._begun = [(outcome, theirs) for outcome, theirs in self._begun if not outcome.done()]
        needed = [outcome for outcome, theirs in self._begun if _overlap(theirs, memory)]
        turn = Turn(call, Future(), needed, [outcome for outcome, _ in self._begun])
        self._begun.append((turn.outcome, memory))
        channel.queue.put(turn)
        return turn.outcome

    def _leave(self) -> None:
        """Leaves the jobs when the program ends, without waiting for calls."""
        if all(outcome.done() for outcome, _ in self._begun):
            self.close()
        else:
            self.abort()

    def _run(self, channel: Channel) -> None:
        self._here.communicator = channel.communicator
        while (turn := channel.queue.get()) is not None:
            wait(turn.needed)
            self._here.earlier, self._here.made = turn.earlier, False
            failure: BaseException | None = None
            try:
                # The program's tensors may be of that mode, and then can only be written in it.
                with torch.inference_mode(), self.busy.during():
                    turn.call()
            except Stalled as error:
                # Programs for PyTorch look for the word "timeout".
                failure = Stalled(f"the call's timeout is over: {error}")
            except BaseException as error:
                failure = error
                if not self._here.made:
                    # The others wait for its collective.
                    with suppress(BaseException):
                        channel.communicator.fail(error)
            if isinstance(failure, Closed):
                # The others have lost this worker on one channel: so it leaves all.
                for other in self._channels:
                    if other is not channel:
                        other.communicator.abort()
            if failure is None:
                turn.outcome.set_result(None)
            else:
                turn.outcome.set_exception(as_backend_error(failure))
            # Keeps no tensors until the next call.
            del turn, failure
            self._here.earlier = ()


_HERE: WeakSet[Line] = WeakSet()
"""This process's lines."""


def _disown() -> None:
    """Closes the lines of a forked process: it has no threads that make calls, and perhaps locks that stay locked."""
    for each in _HERE:
        each._closed, each._lock = "it belongs to the process that this one was forked from", Lock()


os.register_at_fork(after_in_child=_disown)


def _overlap(some: Sequence[range], others: Sequence[range]) -> bool:
    return any(one.start < other.stop and other.start < one.stop for one, other in product(some, others))
