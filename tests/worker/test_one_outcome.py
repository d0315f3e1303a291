"""Each call has one outcome, whatever ends it on a worker: the same result on all workers, or an error on all. All
workers then continue with the same next call."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

import dropzero
from tests.worker.loopback import at_once
from tests.worker.places import Places

JOBS = count(500)
SIZE = 2000


def filled(value: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.full(SIZE, value, np.int32)


def outcome(call: Callable[[], Any]) -> Any:
    """The value of a sum's elements, or the error."""
    try:
        (value,) = np.unique(call()).tolist()
    except (dropzero.ProtocolError, ValueError, KeyboardInterrupt) as error:
        return error
    else:
        return value


def in_job(network: Places, work: Callable[[dropzero.Communicator], list[Any]], size: int = 2, **options: Any) -> Any:
    """Runs `work` on each worker. Returns the outcomes of its calls, by rank."""
    job = next(JOBS)

    def worker(rank: int) -> list[Any]:
        with (
            network.at(rank) as ip,
            dropzero.connect(network.controller, job, size, rank=rank, ip=ip, **options) as communicator,
        ):
            said = work(communicator)
            total = communicator.all_reduce(filled(rank + 1))
            assert total[0] == sum(each + 1 for each in communicator.contributors)
            assert options or communicator.contributors == tuple(range(size))
            return said

    return at_once(*(partial(worker, rank) for rank in range(size)))


def interrupted(after: float) -> None:
    """Raises KeyboardInterrupt in the calling thread, `after` seconds from now."""
    thread = ctypes.c_ulong(threading.get_ident())
    raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
    threading.Timer(after, raising, (thread, ctypes.py_object(KeyboardInterrupt))).start()


def test_a_call_that_stalled_is_not_repeated_with_other_data(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        if job.rank:
            time.sleep(2.5)
        first = outcome(lambda: job.all_reduce(filled(1)))
        return [first, outcome(lambda: job.all_reduce(filled(100 if job.rank == 0 else 1)))]

    (stalled, again), (told, too) = in_job(network, work, stall=1.5)
    assert isinstance(stalled, dropzero.Stalled)
    assert isinstance(told, dropzero.Aborted)
    assert (told.worker, told.call) == (0, 0)
    assert "worker 0 gave up call 0 (Stalled: no progress for 1.5 s: the switch waits for worker 1; " in str(told)
    assert (again, too) == (101, 101)


def test_a_call_ends_on_all_when_it_is_interrupted_on_one(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier()
        if job.rank == 0:
            interrupted(0.3)
            return [outcome(lambda: job.all_reduce(filled(1)))]
        time.sleep(1)
        return [outcome(lambda: job.all_reduce(filled(7)))]

    (interrupt,), (told,), (too,) = in_job(network, work, size=3)
    assert isinstance(interrupt, KeyboardInterrupt)
    assert str(told) == str(too) == "worker 0 gave up call 1 (KeyboardInterrupt)"


def test_a_call_that_one_worker_gets_wrong_ends_on_all(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        said = []
        for step in range(3):
            width = 20 if (job.rank, step) == (1, 1) else 32
            array = np.full(SIZE, 10.0**step, np.float32)
            said.append(outcome(partial(job.all_reduce, array, width=width)))
        return said

    right, wrong = in_job(network, work)
    assert (right[0], right[2]) == (wrong[0], wrong[2]) == (2, 200)
    assert isinstance(wrong[1], ValueError)
    assert str(right[1]) == "worker 1 gave up call 1 (ValueError: elements take 32, 16 or 8 bits, not 20)"


def test_a_worker_gives_its_error_to_the_others_in_the_place_of_a_call(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        calls: list[Callable[[], Any]] = [partial(job.all_reduce, filled(step)) for step in range(3)]
        if job.rank == 1:
            calls[1] = partial(job.fail, ValueError("no data"))
        return [outcome(call) for call in calls]

    right, wrong = in_job(network, work)
    assert (right[0], right[2]) == (wrong[0], wrong[2]) == (0, 4)
    assert isinstance(wrong[1], ValueError)
    assert str(right[1]) == "worker 1 gave up call 1 (ValueError: no data)"


def test_a_barrier_has_one_label(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier("a file is written")
        with pytest.raises(dropzero.Disagreement) as error:
            job.barrier(f"step {job.rank}")
        return [str(error.value)]

    for (said,) in in_job(network, work):
        assert "worker 0 at call 1: step 0 of" in said
        assert "worker 1 at call 1: step 1 of" in said


@pytest.mark.parametrize("many", [False, True])
def test_sums_have_one_label(network: Places, many: bool) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        def add(label: str) -> Any:
            return job.all_reduce_many([filled(1)] * 2, label=label) if many else job.all_reduce(filled(1), label=label)

        assert np.unique(add("gradients")) == [2]
        with pytest.raises(dropzero.Disagreement) as error:
            add(f"part {job.rank}")
        return [str(error.value)]

    for (said,) in in_job(network, work):
        assert "worker 0 at call 1: part 0" in said
        assert "worker 1 at call 1: part 1" in said


def test_a_call_that_runs_is_ended_from_another_thread(network: Places) -> None:
    """And to the others its worker is lost, which they need not wait for."""

    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier()
        if job.rank == 1:
            over.wait(60)
        if job.rank == 0:
            threading.Timer(0.3, job.abort).start()
        said = [outcome(lambda: job.all_reduce(filled(1)))]
        over.set()
        if job.rank == 0:
            said.append(outcome(lambda: job.all_reduce(filled(1))))
            job.close()
        return said

    over = threading.Event()
    job = next(JOBS)

    def worker(rank: int) -> list[Any]:
        with network.at(rank) as ip, dropzero.connect(network.controller, job, 3, rank=rank, ip=ip) as communicator:
            return work(communicator)

    (aborted, after), first, second = at_once(*(partial(worker, rank) for rank in range(3)))
    assert isinstance(aborted, dropzero.WorkerLost)
    assert str(aborted) == "this worker has closed its connection to the controller"
    assert isinstance(after, dropzero.Closed)
    assert first == second == [2]


def test_an_asynchronous_call_that_fails_takes_none_of_those_behind_it(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        handles = [
            job.all_reduce_async(filled(10**step), operation="none" if job.rank == step == 1 else "sum")  # type: ignore[arg-type]
            for step in range(3)
        ]
        assert not handles[2].cancel()
        return [outcome(handle.result) for handle in handles]

    right, wrong = in_job(network, work)
    assert (right[0], right[2]) == (wrong[0], wrong[2]) == (2, 200)
    assert isinstance(right[1], dropzero.Aborted)


def test_workers_that_disagree_go_on_with_their_next_call(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        arrays = filled(1)[: SIZE - job.rank], filled(3)
        return [outcome(partial(job.all_reduce, array)) for array in arrays]

    said = in_job(network, work)
    for disagreement, total in said:
        assert isinstance(disagreement, dropzero.Disagreement)
        assert total == 6
    assert str(said[0][0]) == str(said[1][0])


def test_a_call_can_have_a_timeout_of_its_own(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        if job.rank:
            time.sleep(1.5)
        return [outcome(lambda: job.all_reduce(filled(1), timeout=0.5 if job.rank == 0 else None))]

    (late,), (told,) = in_job(network, work)
    assert str(late).startswith("the call was not done in time: the switch ")
    assert isinstance(told, dropzero.Aborted)


def test_a_sparse_call_ends_as_a_whole(network: Places) -> None:
    """It consists of several calls; one worker fails before the first of them."""

    def work(job: dropzero.Communicator) -> list[Any]:
        indices = np.array([-1 if job.rank else 5])
        return [outcome(lambda: job.sparse_all_reduce(indices, np.ones((1, 8), np.float32))[1])]

    (told,), (wrong,) = in_job(network, work)
    assert isinstance(wrong, ValueError)
    assert "worker 1 gave up call 0 (ValueError: index -1 is negative" in str(told)


def test_calls_on_empty_arrays_have_one_outcome_too(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        try:
            return [job.all_reduce(np.zeros(0, np.float32), width=20 if job.rank else 32).shape]
        except ValueError as error:
            return [error]
        except dropzero.Aborted as error:
            return [str(error)]

    (told,), (wrong,) = in_job(network, work)
    assert isinstance(wrong, ValueError)
    assert told == "worker 1 gave up call 0 (ValueError: elements take 32, 16 or 8 bits, not 20)"


def test_a_straggler_may_have_more_rows_than_the_others(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier()
        if job.rank == 1:
            time.sleep(1)
        count = 10 if job.rank == 1 else 5
        found, sums = job.sparse_all_reduce(np.arange(count), np.ones((count, 4), np.int32))
        return [found.tolist(), sums.sum(), job.left_out]

    prompt, late = in_job(network, work, straggler=0.3)
    assert prompt == [[0, 1, 2, 3, 4], 20, False]
    assert late == [[0, 1, 2, 3, 4], 20, True]


@pytest.mark.parametrize("operation", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("size", [40, 5000])
def test_all_raise_for_what_is_not_finite_and_name_it(network: Places, operation: Any, size: int) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        array = np.ones(size, np.float32)
        if job.rank == 1:
            array[[size // 2, size - 1]] = np.nan, np.inf
        return [
            outcome(lambda: job.all_reduce(array, operation=operation)),
            outcome(lambda: job.all_reduce(np.ones(size, np.float32), operation=operation)),
        ]

    for error, total in in_job(network, work, nonfinite="raise"):
        assert isinstance(error, dropzero.NotFinite)
        assert isinstance(error, ValueError)
        assert (error.worker, error.element) == (1, size // 2)
        assert total == (2 if operation == "sum" else 1)


@pytest.mark.parametrize("on_loss", ["continue", "raise"])
def test_what_a_loss_does_to_the_call_that_is_running(network: Places, on_loss: Any) -> None:
    job = next(JOBS)

    def worker(rank: int) -> list[Any]:
        with (
            network.at(rank) as ip,
            dropzero.connect(network.controller, job, 3, rank=rank, ip=ip, on_loss=on_loss) as communicator,
        ):
            communicator.barrier()
            if rank == 1:
                time.sleep(0.3)
                raise RuntimeError
            return [outcome(partial(communicator.all_reduce, filled(value))) for value in (1, 10)]

    def lost() -> list[Any]:
        with pytest.raises(RuntimeError):
            worker(1)
        return []

    first, _, third = at_once(partial(worker, 0), lost, partial(worker, 2))
    assert first[1] == third[1] == 20
    if on_loss == "continue":
        assert first[0] == third[0] == 2
    else:
        for error in (first[0], third[0]):
            assert isinstance(error, dropzero.WorkerLost)
            assert str(error) == "worker 1 was lost in call 1: its connection broke off"


def test_a_worker_makes_no_calls_after_it_has_left(network: Places) -> None:
    with network.at(0) as ip:
        job = dropzero.connect(network.controller, next(JOBS), 1, ip=ip)
        job.close()
        with pytest.raises(dropzero.Closed, match="it has left its job"):
            job.barrier()


def test_workers_that_do_not_come_are_not_waited_for_for_ever(network: Places) -> None:
    with network.at(0) as ip, pytest.raises(Exception, match=r"not all 2 workers of job .* were there in time"):
        dropzero.connect(network.controller, next(JOBS), 2, ip=ip, timeout=0.3)
