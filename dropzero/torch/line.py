"""The calls of a process group, made on its channels: each a job on the switch, and a thread."""

from __future__ import annotations

import atexit
import os
import threading
from collections import Counter
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

from dropzero.torch.busy import Busy
from dropzero.worker.communicator import Communicator
from dropzero.worker.errors import Closed, Stalled

NOW = timedelta(0)
PATIENCE = 5.0
"""Seconds in which a call that is ended has to end."""


class Call(Work):
    """A call that was or will be made: what torch.distributed gives for `async_op=True`."""

    def __init__(self, outcome: Future[None], tensors: Sequence[Any]) -> None:
        """`tensors`: where the result is, once the call is over; or lists of them."""
        super().__init__()
        self._outcome, self._tensors = outcome, list(tensors)

    def wait(self, timeout: timedelta = NOW) -> bool:
        """Waits for the result, as long as the call may take unless `timeout` says less. Raises the call's error, or
        TimeoutError."""
        try:
            self._outcome.result(timeout.total_seconds() if timeout > NOW else None)
        except TimeoutError:
            if self._outcome.done():
                raise
            raise TimeoutError(f"the call was not over after {timeout.total_seconds():g} s") from None
        return True

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        return self._outcome.done()

    def is_success(self) -> bool:
        return self.is_completed() and self._outcome.exception() is None

    def exception(self) -> BaseException | None:
        return self._outcome.exception() if self.is_completed() else None

    def result(self) -> list[Any]:
        self.wait()
        return self._tensors

    def get_future(self) -> Any:
        """A torch.futures.Future of the tensors."""
        tensors = [tensor for each in self._tensors for tensor in ([each] if isinstance(each, Tensor) else each)]
        devices = list({tensor.device for tensor in tensors if tensor.is_cuda})
        over: Any = torch.futures.Future(devices=devices)
        # Only an error that a callback raises is one to C++, too.
        future = over.then(lambda _: self.result())
        # What follows may wait for a later call, as PowerSGD's hook does: not on the thread that makes it.
        finish = threading.Thread(target=over.set_result, args=(None,), daemon=True)
        self._outcome.add_done_callback(lambda _: finish.start())
        return future


class Turn(NamedTuple):
    """A call that waits for its channel.

    Attributes:
        needed: the calls before it that share memory with it.
        earlier: all calls before it that may not be over.
    """

    call: Callable[[], object]
    outcome: Future[None]
    needed: Sequence[Future[None]]
    earlier: Sequence[Future[None]]


class Channel(NamedTuple):
    """A thread's calls, which it makes in the order in which they come, whatever goes wrong with those before."""

    communicator: Communicator
    queue: SimpleQueue[Turn | None]


class Line:
    """A group's calls. The n-th that is added is made on channel n modulo the number of channels, so that ranks that
    add the same calls make each of them in the same job. A call waits for those before it on its channel, and for those
    that it shares memory with; so no call waits for a later one."""

    def __init__(self, communicators: Sequence[Communicator], name: str) -> None:
        """`communicators`: the channels', each in a job of its own."""
        self._channels = [Channel(communicator, SimpleQueue()) for communicator in communicators]
        self._turns = cycle(self._channels)
        self._here = threading.local()
        self._begun: list[tuple[Future[None], Sequence[range]]] = []
        """The calls that were not over when the last one was added, and their memory."""
        self._lock = threading.Lock()
        self._closed = ""
        """Why there are no more calls; empty while there are."""
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
        """That of the channel that makes the call: only a call that was added may ask, for its collective."""
        communicator: Communicator = self._here.communicator
        self._here.made = True
        return communicator

    @property
    def statistics(self) -> dict[str, int]:
        """Of all channels together: see Communicator.statistics."""
        total: Counter[str] = Counter()
        for channel in self._channels:
            total.update(channel.communicator.statistics)
        return dict(total)

    def check_open(self) -> None:
        """Raises Closed: there are no more calls here."""
        if self._closed:
            raise Closed(f"this process group makes no more calls: {self._closed}")

    def add(self, call: Callable[[], object], tensors: Sequence[Any] = (), memory: Sequence[range] = ()) -> Call:
        """`tensors`: see Call. `memory`: addresses that it reads or writes. Raises Closed."""
        with self._lock:
            self.check_open()
            self.busy.added()
            return Call(self._put(next(self._turns), call, memory), tensors)

    def fence(self) -> Call:
        """Something to wait for that is over when all calls are that were added before, well or not. It takes no turn.
        Raises as `add`."""
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
        return Call(over, ())

    def catch_up(self) -> None:
        """Waits, within a call that was added, until all are over that were added before it."""
        wait(self._here.earlier)

    def close(self, patience: float | None = None) -> None:
        """Waits for what was added, at most `patience` seconds, and leaves the jobs."""
        with self._lock:
            if self._closed:
                return
            self._closed = "it was destroyed"
            # Who is still in a call needs its socket.
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
        """Ends the calls that are under way, with an error, and all that were added. One between hosts may go on to its
        own timeout: it is left alone."""
        for channel in self._channels:
            channel.communicator.abort()
        self.close(PATIENCE)

    def _put(self, channel: Channel, call: Callable[[], object], memory: Sequence[range] = ()) -> Future[None]:
        """With the lock."""
        self._begun = [(outcome, theirs) for outcome, theirs in self._begun if not outcome.done()]
        needed = [outcome for outcome, theirs in self._begun if _overlap(theirs, memory)]
        turn = Turn(call, Future(), needed, [outcome for outcome, _ in self._begun])
        self._begun.append((turn.outcome, memory))
        channel.queue.put(turn)
        return turn.outcome

    def _leave(self) -> None:
        """When the program ends: without waiting for the others."""
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
                # The program's tensors may be of that mode, and then are only written in it.
                with torch.inference_mode(), self.busy.during():
                    turn.call()
            except Stalled as error:
                # PyTorch's programs look for the word.
                failure = Stalled(f"the call's timeout is over: {error}")
            except BaseException as error:
                failure = error
                if not self._here.made:
                    # The others wait for its collective.
                    with suppress(BaseException):
                        channel.communicator.fail(error)
            if isinstance(failure, Closed):
                # To the others this worker is lost on one channel: then on all.
                for other in self._channels:
                    if other is not channel:
                        other.communicator.abort()
            if failure is None:
                turn.outcome.set_result(None)
            else:
                turn.outcome.set_exception(failure)
            # Their tensors are not needed until the next call comes.
            del turn, failure
            self._here.earlier = ()


_HERE: WeakSet[Line] = WeakSet()
"""This process's lines."""


def _disown() -> None:
    """A forked process has none of the threads that make the calls, and perhaps locks that nobody opens."""
    for each in _HERE:
        each._closed, each._lock = "it belongs to the process that this one was forked from", threading.Lock()


os.register_at_fork(after_in_child=_disown)


def _overlap(some: Sequence[range], others: Sequence[range]) -> bool:
    return any(one.start < other.stop and other.start < one.stop for one, other in product(some, others))
