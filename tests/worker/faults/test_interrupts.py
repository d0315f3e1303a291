"""Ctrl-C at any point of a call, and in a thread that waits for one: the workers' next calls are still the same one."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from queue import Queue
from threading import Barrier
from types import FrameType
from typing import Any

import numpy as np
import pytest

import dropzero
from tests.worker.faults.test_one_outcome import JOBS, SIZE, filled, outcome, within
from tests.worker.places import Places


def interrupted_at(point: int, call: Callable[[], Any], during: Callable[[], bool]) -> tuple[Any, str]:
    """The outcome of a collective that KeyboardInterrupt ends after `point` calls and returns of functions since it
    began, where Python looks for signals, and where that was; nowhere if it was over before. during: says whether it
    is not over yet."""
    passed, place, begun = count(), "", False

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal place, begun
        begun = begun or frame.f_code.co_name in ("_all_reduce", "_sparse_all_reduce")
        ours = frame.f_globals.get("__name__", "").startswith(("dropzero.worker", "dropzero.membership"))
        if begun and ours and event != "c_call" and during() and next(passed) == point:
            place = f"{event} at {frame.f_code.co_filename}:{frame.f_lineno}"
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        return outcome(call), place
    finally:
        sys.setprofile(None)


def sum_of_rows(job: dropzero.Communicator, value: int) -> Any:
    return job.sparse_all_reduce(np.arange(3), np.full((3, 8), value, np.int32))[1]


CALLS: dict[str, Callable[[dropzero.Communicator, int], Any]] = {
    "one packet": lambda job, value: job.all_reduce(np.full(7, value, np.int32)),
    "large": lambda job, value: job.all_reduce(np.full(SIZE, value, np.float32)),
    "three calls": sum_of_rows,
}
STEPS = {"one packet": 1, "large": 1, "three calls": 3}
"""How far apart the points are that are tried."""


@pytest.mark.parametrize("kind", CALLS)
def test_an_interrupt_at_any_point_of_a_call_shifts_no_later_one(network: Places, kind: str) -> None:
    job, both, interrupted = next(JOBS), Barrier(2), Queue[tuple[Any, str, bool]]()

    def worker(rank: int) -> None:
        with network.at(rank) as ip, dropzero.connect(network.controller, job, 2, rank=rank, ip=ip, stall=30) as mine:
            for point in count(0, STEPS[kind]):
                call = partial(CALLS[kind], mine, point)
                following = partial(outcome, partial(mine.all_reduce, filled(100 * point)))
                if rank == 0:
                    said, place = interrupted_at(point, call, lambda: mine._busy)
                    # While it waits for its last packet, the other may have the sum.
                    early = not mine._caller._lanes.done
                    # It must not wait for the other, which may need a result from it, and gets that in its next call.
                    interrupted.put((said, place, early))
                    first = said
                else:
                    said = outcome(call)
                    first, place, early = interrupted.get(timeout=600)
                if first == 2 * point:
                    # Also for the other worker. If an interrupt came after the sum was known, the next call raises it.
                    assert said == first, place
                    said = following() if place else None
                elif rank == 1 and early and said == 2 * point:
                    said = None
                if said is not None:
                    assert isinstance(said, KeyboardInterrupt if rank == 0 else dropzero.Aborted), place
                assert following() == 200 * point, place
                both.wait(600)
                if not place:
                    return

    with ThreadPoolExecutor(2) as threads:
        for each in [threads.submit(worker, rank) for rank in range(2)]:
            each.result()


def test_an_interrupt_ends_a_call_that_its_thread_only_waits_for(network: Places) -> None:
    """Once there was an asynchronous call, another thread makes them all."""
    job = next(JOBS)

    def other() -> list[Any]:
        with network.at(1) as ip, dropzero.connect(network.controller, job, 2, rank=1, ip=ip) as mine:
            assert outcome(mine.all_reduce_async(filled(1)).result) == 2
            ready.wait(600)
            return [outcome(partial(mine.all_reduce, filled(value))) for value in (1, 10)]

    ready = threading.Event()
    with ThreadPoolExecutor(1) as threads, network.at(0) as ip:
        said = threads.submit(other)
        with dropzero.connect(network.controller, job, 2, rank=0, ip=ip) as mine:
            assert outcome(mine.all_reduce_async(filled(1)).result) == 2
            within("result", partial(signal.pthread_kill, threading.get_ident(), signal.SIGINT))
            with pytest.raises(KeyboardInterrupt):
                mine.all_reduce(filled(1))
            ready.set()
            assert outcome(lambda: mine.all_reduce(filled(10))) == 20
        told, total = said.result()
    assert str(told) == "worker 0 gave up call 1 (KeyboardInterrupt)"
    assert total == 20


def calls_afterwards(network: Places, job: int, over: threading.Event) -> list[Any]:
    """Worker 1: makes two calls when worker 0's was interrupted. Returns their outcomes."""
    with network.at(1) as ip, dropzero.connect(network.controller, job, 2, rank=1, ip=ip) as mine:
        mine.barrier()
        over.wait(600)
        return [outcome(partial(mine.all_reduce, filled(value))) for value in (1, 10)]


def test_a_signal_handler_cannot_make_a_call_within_another_one(network: Places) -> None:
    job, over = next(JOBS), threading.Event()

    with ThreadPoolExecutor(1) as threads, network.at(0) as ip:
        said = threads.submit(calls_afterwards, network, job, over)
        with dropzero.connect(network.controller, job, 2, rank=0, ip=ip) as mine:
            mine.barrier()
            before = signal.signal(signal.SIGUSR1, lambda *_: mine.barrier())
            try:
                within("pump", partial(signal.pthread_kill, threading.get_ident(), signal.SIGUSR1))
                with pytest.raises(RuntimeError, match="this thread is in a collective"):
                    mine.all_reduce(filled(1))
            finally:
                signal.signal(signal.SIGUSR1, before)
                over.set()
            assert outcome(lambda: mine.all_reduce(filled(10))) == 20
        told, total = said.result()
    assert "worker 0 gave up call 1 (RuntimeError: this thread is in a collective" in str(told)
    assert total == 20


def test_a_signal_handler_may_close_a_communicator_that_is_in_a_call(network: Places) -> None:
    """Programs do this when they are asked to end. The others then continue without this worker."""
    job, over = next(JOBS), threading.Event()

    def end(*_: Any) -> None:
        mine.close()
        raise SystemExit

    with ThreadPoolExecutor(1) as threads, network.at(0) as ip:
        said = threads.submit(calls_afterwards, network, job, over)
        mine = dropzero.connect(network.controller, job, 2, rank=0, ip=ip)
        mine.barrier()
        before = signal.signal(signal.SIGUSR1, end)
        try:
            within("pump", partial(signal.pthread_kill, threading.get_ident(), signal.SIGUSR1))
            with pytest.raises(SystemExit):
                mine.all_reduce(filled(1))
        finally:
            signal.signal(signal.SIGUSR1, before)
            over.set()
        with pytest.raises(dropzero.Closed, match="a signal handler closed it during a call"):
            mine.barrier()
        # Its packets may have arrived.
        assert said.result() in ([1, 10], [2, 10])


def test_an_interrupt_at_any_point_of_connect_ends_it(network: Places) -> None:
    """Also while gRPC begins a call."""
    points = 0

    def interrupted_after(left: int) -> bool:
        def profile(frame: FrameType, event: str, _: Any) -> None:
            nonlocal left
            name = frame.f_globals.get("__name__", "")
            if event != "c_call" and name.startswith(("dropzero.membership", "grpc", "concurrent")):
                left -= 1
                if not left:
                    sys.setprofile(None)
                    raise KeyboardInterrupt

        sys.setprofile(profile)
        try:
            with network.at(0) as ip, dropzero.connect(network.controller, next(JOBS), 1, ip=ip):
                sys.setprofile(None)
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False

    while interrupted_after(points + 1):
        points += 1
    assert points
