"""Threads and an event loop in virtual time: one runs at a time, and the clock advances when all of them wait.

So runs depend only on the order of requests, and are reproducible. The threads are greenlets, which switch without the
operating system.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

T = TypeVar("T")

MOST_TURNS = 300_000
"""Limit on the iterations of an event loop, which makes some hundred per second."""


class Killed(BaseException):
    """Raised in a thread to end it."""


class _Selector(selectors.SelectSelector):
    """A selector that never waits."""

    def __init__(self, wait: Callable[[float | None], None]) -> None:
        super().__init__()
        self._wait = wait

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._wait(timeout)
        return []


class Loop(asyncio.SelectorEventLoop):
    """An event loop with a clock that begins at 0, and an executor of this module's threads."""

    def __init__(self) -> None:
        super().__init__(_Selector(self._go_on))
        self.current: Thread | None = None
        self.threads: list[Thread] = []
        self.greenlet = getcurrent()
        """The one that runs the loop."""
        self._now = 0.0
        self._turns = 0

    def time(self) -> float:
        return self._now

    def _go_on(self, timeout: float | None) -> None:
        self._turns += 1
        assert self._turns < MOST_TURNS, "it does not end"
        assert timeout is not None, "all wait for ever"
        self._now += max(timeout, 0.0)

    def run_in_executor(  # type: ignore[override]
        self, _: Any, function: Callable[..., T], *arguments: Any
    ) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self.create_future()

        def work() -> None:
            try:
                result = function(*arguments)
            except Exception as error:
                if not future.cancelled():
                    future.set_exception(error)
            else:
                if not future.cancelled():
                    future.set_result(result)

        Thread(self, work).start()
        return future

    def sleep(self, deadline: float | None) -> None:
        """Makes the calling thread wait until a deadline, or until it is woken."""
        assert self.current is not None
        self.current.sleep(deadline)

    def end(self) -> None:
        """Ends all threads and the loop."""
        for thread in self.threads:
            thread.kill()
            thread.resume()
        tasks = asyncio.all_tasks(self)
        for task in tasks:
            task.cancel()
        self.run_until_complete(asyncio.wait([*tasks, self.create_task(asyncio.sleep(0))]))
        self.close()


class Thread:
    """The needed part of threading.Thread. `ended`: done when the thread has ended, with its exception if it had
    one."""

    def __init__(
        self, loop: Loop, target: Callable[..., object], args: Iterable[Any] = (), name: str = "", daemon: bool = True
    ) -> None:
        self.ended: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._waits = False
        self._killed = False
        self._interruption: BaseException | None = None
        self._greenlet = greenlet(partial(self._run, partial(target, *args)), loop.greenlet)
        loop.threads.append(self)

    def start(self) -> None:
        self._waits = True
        self._loop.call_soon(self.resume)

    def wake(self) -> None:
        self._loop.call_soon(self.resume)

    def kill(self) -> None:
        self._killed = True
        self.wake()

    def interrupt(self, error: BaseException) -> None:
        """Makes the thread raise an error where it waits."""
        self._interruption = error
        self.wake()

    def resume(self) -> None:
        """Runs the thread until it waits. Only the loop calls this."""
        if self._waits:
            self._waits, self._loop.current = False, self
            self._greenlet.switch()
            self._loop.current = None

    def sleep(self, deadline: float | None) -> None:
        if self._killed:
            raise Killed
        # A little later, because asyncio may fire early by its clock's resolution.
        timer = self._loop.call_at(deadline + 1e-6, self.resume) if deadline is not None else None
        self._waits = True
        self._loop.greenlet.switch()
        if timer is not None:
            timer.cancel()
        if self._killed:
            raise Killed
        interruption, self._interruption = self._interruption, None
        if interruption is not None:
            raise interruption

    def _run(self, target: Callable[[], object]) -> None:
        try:
            if not self._killed:
                target()
        except Killed:
            self._end(None)
        except BaseException as error:
            self._end(error)
        else:
            self._end(None)

    def _end(self, error: BaseException | None) -> None:
        if error is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(error)


class RLock:
    """The needed part of threading.RLock. No other thread runs until its holder waits, so it does nothing."""

    def __init__(self, loop: Loop) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass

    def release(self) -> None:
        raise RuntimeError("cannot release un-acquired lock")


class Condition(RLock):
    """The needed part of threading.Condition."""

    def __init__(self, loop: Loop, lock: RLock | None = None) -> None:
        super().__init__(loop)
        self._loop = loop
        self._waiting: list[Thread] = []

    def wait_for(self, predicate: Callable[[], bool], timeout: float | None = None) -> bool:
        deadline = self._loop.time() + timeout if timeout is not None else None
        while not predicate():
            if deadline is not None and self._loop.time() >= deadline:
                return False
            assert self._loop.current is not None
            self._waiting.append(self._loop.current)
            self._loop.sleep(deadline)
        return True

    def notify_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        for thread in waiting:
            thread.wake()


class Event:
    """The needed part of threading.Event."""

    def __init__(self, loop: Loop) -> None:
        self._condition = Condition(loop)
        self._set = False

    def set(self) -> None:
        self._set = True
        self._condition.notify_all()

    def is_set(self) -> bool:
        return self._set

    def wait(self, timeout: float | None = None) -> bool:
        return self._condition.wait_for(lambda: self._set, timeout)
