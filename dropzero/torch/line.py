"""The calls of a process group, made one after the other on a thread of their own."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import timedelta
from queue import SimpleQueue
from typing import Any

import torch
from torch import Tensor
from torch.distributed import Work

from dropzero.worker.communicator import Communicator
from dropzero.worker.errors import Closed

NOW = timedelta(0)
PATIENCE = 5.0
"""Seconds in which a call that is ended has to end."""


class Call(Work):
    """A call that was or will be made: what torch.distributed gives for `async_op=True`."""

    def __init__(self, outcome: Future[None], tensors: Sequence[Tensor]) -> None:
        """`tensors`: where the result is, once the call is over."""
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

    def result(self) -> list[Tensor]:
        self.wait()
        return self._tensors

    def get_future(self) -> Any:
        """A torch.futures.Future of the tensors."""
        devices = list({tensor.device for tensor in self._tensors if tensor.is_cuda})
        over: Any = torch.futures.Future(devices=devices)
        # Only an error that a callback raises is one to C++, too.
        future = over.then(lambda _: self.result())
        self._outcome.add_done_callback(lambda _: over.set_result(None))
        return future


class Arrival(Work):
    """A receive that Gloo has begun."""

    def __init__(self, work: Work, finish: Callable[[], None]) -> None:
        """`finish`: waits for it, and puts what came in its place."""
        super().__init__()
        self._work, self._finish = work, finish

    def wait(self, timeout: timedelta = NOW) -> bool:
        if timeout > NOW:
            self._work.wait(timeout)
        self._finish()
        return True

    def is_completed(self) -> bool:
        return bool(self._work.is_completed())

    def source_rank(self) -> int:
        return int(self._work._source_rank())

    _source_rank = source_rank


class Line:
    """The thread. What is added is made in that order, whatever goes wrong with what was before it."""

    def __init__(self, communicator: Communicator, name: str) -> None:
        self._communicator = communicator
        self._queue: SimpleQueue[tuple[Callable[[], object], Future[None]] | None] = SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._closed = False
        # A daemon, so that a program that ends in the middle of a call does not wait for it.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        atexit.register(self._leave)

    def add(self, call: Callable[[], object], tensors: Sequence[Tensor] = ()) -> Call:
        """`tensors`: see Call. Raises Closed: the group was destroyed."""
        outcome: Future[None] = Future()
        with self._lock:
            if self._closed:
                raise Closed("this process group was destroyed")
            self._waiting += 1
            self._queue.put((call, outcome))
        return Call(outcome, tensors)

    def close(self, patience: float | None = None) -> None:
        """Waits for what was added, at most `patience` seconds, and leaves the job."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join(patience)
        # Who is still in a call needs its socket.
        if not self._thread.is_alive():
            self._communicator.close()
        atexit.unregister(self._leave)

    def abort(self) -> None:
        """Ends the call that is under way, with an error, and all that were added. One between hosts may go on to its
        own timeout: it is left alone."""
        self._communicator.abort()
        self.close(PATIENCE)

    def _leave(self) -> None:
        """When the program ends: without waiting for the others."""
        if self._waiting:
            self.abort()
        else:
            self.close()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            call, outcome = item
            failure = None
            try:
                call()
            except BaseException as error:
                failure = error
            with self._lock:
                self._waiting -= 1
            if failure is None:
                outcome.set_result(None)
            else:
                outcome.set_exception(failure)
            # Their tensors are not needed until the next call comes.
            del item, call, outcome, failure
