"""Each call has one outcome, whatever ends it on a worker: the same result on all workers, or an error on all. All
workers then continue with the same next call."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from types import FrameType
from typing import Any

import numpy as np
import pytest

import dropzero
from tests.support.loopback import at_once
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


def within(function: str, do: Callable[[], object], thread: int | None = None) -> None:
    """Does something as soon as a thread, the calling one if None, is in a function of this name: in `pump` it waits
    for packets."""
    thread = thread or threading.get_ident()

    def functions() -> Iterator[str]:
        frame: FrameType | None = sys._current_frames()[thread]
        while frame is not None:
            yield frame.f_code.co_name
            frame = frame.f_back

    def watch() -> None:
        while function not in functions():
            time.sleep(0.01)
        do()

    threading.Thread(target=watch, daemon=True).start()


def interrupted() -> None:
    """Raises KeyboardInterrupt in the calling thread when it waits for packets."""
    thread = ctypes.c_ulong(threading.get_ident())
    raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
    within("pump", lambda: raising(thread, ctypes.py_object(KeyboardInterrupt)))


def test_a_call_that_stalled_is_not_repeated_with_other_data(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        if job.rank:
            over.wait(600)
        first = outcome(lambda: job.all_reduce(filled(1)))
        over.set()
        return [first, outcome(lambda: job.all_reduce(filled(100 if job.rank == 0 else 1)))]

    over = threading.Event()
    (stalled, again), (told, too) = in_job(network, work, stall=4)
    assert isinstance(stalled, dropzero.Stalled)
    assert isinstance(told, dropzero.Aborted)
    assert (told.worker, told.call) == (0, 0)
    assert "worker 0 gave up call 0 (Stalled: no progress for 4 s: the switch waits for worker 1; " in str(told)
    assert (again, too) == (101, 101)


def test_a_call_ends_on_all_when_it_is_interrupted_on_one(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier()
        if job.rank == 0:
            interrupted()
        else:
            over.wait(600)
        said = [outcome(lambda: job.all_reduce(filled(1 if job.rank == 0 else 7)))]
        over.set()
        return said

    over = threading.Event()
    (interrupt,), (told,), (too,) = in_job(network, work, size=3)
    assert isinstance(interrupt, KeyboardInterrupt)
    assert str(told) == str(too) == "worker 0 gave up call 1 (KeyboardInterrupt)"


def test_a_call_with_a_wrong_argument_on_one_worker_ends_on_all(network: Places) -> None:
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


def test_fail_raises_on_the_others_in_place_of_a_call(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        calls: list[Callable[[], Any]] = [partial(job.all_reduce, filled(step)) for step in range(3)]
        if job.rank == 1:
            calls[1] = partial(job.fail, ValueError("no data"))
        return [outcome(call) for call in calls]

    right, wrong = in_job(network, work)
    assert (right[0], right[2]) == (wrong[0], wrong[2]) == (0, 4)
    assert isinstance(wrong[1], ValueError)
    assert str(right[1]) == "worker 1 gave up call 1 (ValueError: no data)"


def test_barriers_with_different_labels_disagree(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier("a file is written")
        with pytest.raises(dropzero.Disagreement) as error:
            job.barrier(f"step {job.rank}")
        return [str(error.value)]

    for (said,) in in_job(network, work):
        assert "worker 0 at call 1: step 0 of" in said
        assert "worker 1 at call 1: step 1 of" in said


@pytest.mark.parametrize("many", [False, True])
def test_sums_with_different_labels_disagree(network: Places, many: bool) -> None:
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


def test_another_thread_can_abort_a_running_call(network: Places) -> None:
    """The others lose its worker, and need not wait for it."""

    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier()
        if job.rank == 1:
            over.wait(600)
        if job.rank == 0:
            within("pump", job.abort)
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


def test_an_asynchronous_call_that_fails_does_not_affect_later_ones(network: Places) -> None:
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


def test_workers_that_disagree_continue_with_their_next_call(network: Places) -> None:
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
            over.wait(600)
        said = [outcome(lambda: job.all_reduce(filled(1), timeout=0.5 if job.rank == 0 else None))]
        over.set()
        return said

    over = threading.Event()
    (late,), (told,) = in_job(network, work)
    assert str(late).startswith("the call did not end in time: the switch ")
    assert isinstance(told, dropzero.Aborted)


def test_a_sparse_call_ends_as_a_whole(network: Places) -> None:
    """It consists of several calls; one worker fails before the first of them."""

    def work(job: dropzero.Communicator) -> list[Any]:
        indices = np.array([-1 if job.rank else 5])
        return [outcome(lambda: job.sparse_all_reduce(indices, np.ones((1, 8), np.float32))[1])]

    (told,), (wrong,) = in_job(network, work)
    assert isinstance(wrong, ValueError)
    assert "worker 1 gave up call 0 (ValueError: indices of int64 must be 0 to" in str(told)


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
        if job.rank == 1:
            over.wait(600)
        count = 10 if job.rank == 1 else 5
        found, sums = job.sparse_all_reduce(np.arange(count), np.ones((count, 4), np.int32))
        over.set()
        return [found.tolist(), sums.sum(), job.left_out]

    over = threading.Event()
    prompt, late = in_job(network, work, straggler=0.3)
    assert prompt == [[0, 1, 2, 3, 4], 20, False]
    assert late == [[0, 1, 2, 3, 4], 20, True]


@pytest.mark.parametrize("operation", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("size", [40, 5000])
def test_all_workers_raise_for_a_non_finite_element_and_name_it(network: Places, operation: Any, size: int) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        array = np.ones(size, np.float32)
        if job.rank == 1:
            array[[size // 2, size - 1]] = np.nan, np.inf
        return [
            outcome(lambda: job.all_reduce(array, operation=operation)),
            outcome(lambda: job.all_reduce(np.ones(size, np.float32), operation=operation)),
        ]

    found = in_job(network, work, nonfinite="raise")
    assert found
    for error, total in found:
        assert isinstance(error, dropzero.NotFinite)
        assert isinstance(error, ValueError)
        assert (error.worker, error.element) == (1, size // 2)
        assert total == (2 if operation == "sum" else 1)


def test_a_non_finite_element_is_named_by_its_array_and_place(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        arrays = [np.ones(100, np.float32), np.zeros(0, np.float32), np.ones((7, 2), np.float32)]
        arrays[2][1, 1] = np.inf if job.rank else 1
        with pytest.raises(dropzero.NotFinite) as error:
            job.all_reduce_many(arrays)
        return [str(error.value), error.value.worker, error.value.element, error.value.array]

    expected = ["element 3 of worker 1's array 2 is not finite", 1, 3, 2]
    assert in_job(network, work, nonfinite="raise") == [expected] * 2


@pytest.mark.parametrize("on_loss", ["continue", "raise"])
def test_a_lost_worker_ends_the_running_call_or_is_left_out(network: Places, on_loss: Any) -> None:
    job = next(JOBS)

    def worker(rank: int) -> list[Any]:
        with (
            network.at(rank) as ip,
            dropzero.connect(network.controller, job, 3, rank=rank, ip=ip, on_loss=on_loss) as communicator,
        ):
            communicator.barrier()
            if rank == 1:
                assert all(there.acquire(timeout=600) for _ in range(2))
                raise RuntimeError
            within("pump", there.release)
            return [outcome(partial(communicator.all_reduce, filled(value))) for value in (1, 10)]

    def lost() -> list[Any]:
        with pytest.raises(RuntimeError):
            worker(1)
        return []

    there = threading.Semaphore(0)
    first, _, third = at_once(partial(worker, 0), lost, partial(worker, 2))
    assert first[1] == third[1] == 20
    if on_loss == "continue":
        assert first[0] == third[0] == 2
    else:
        for error in (first[0], third[0]):
            assert isinstance(error, dropzero.WorkerLost)
            assert str(error) == "worker 1 was lost in call 1: it ended its part without leaving"


def test_a_worker_makes_no_calls_after_it_has_left(network: Places) -> None:
    with network.at(0) as ip:
        job = dropzero.connect(network.controller, next(JOBS), 1, ip=ip)
        job.close()
        with pytest.raises(dropzero.Closed, match="it has left its job"):
            job.barrier()


def test_connect_does_not_wait_forever_for_missing_workers(network: Places) -> None:
    with network.at(0) as ip, pytest.raises(Exception, match=r"not all 2 workers of job .* joined in time"):
        dropzero.connect(network.controller, next(JOBS), 2, ip=ip, timeout=2)


HALF, ONE = np.ones(6, np.float16), np.ones(6, np.float32)
WIDE, TALL = ONE.reshape(2, 3), ONE.reshape(3, 2)


def making(collective: str, *arguments: Any, **options: Any) -> Callable[[dropzero.Communicator], Any]:
    return lambda job: getattr(job, collective)(*arguments, **options)


TWO_CALLS = {
    "dtype of a sum": (making("all_reduce", HALF), making("all_reduce", ONE)),
    "dtype of a maximum": (making("all_reduce", HALF, operation="max"), making("all_reduce", ONE, operation="max")),
    "shape of a sum": (making("all_reduce", WIDE), making("all_reduce", TALL)),
    "shape of one of many": (making("all_reduce_many", [WIDE]), making("all_reduce_many", [TALL])),
    "number of arrays": (making("all_reduce_many", []), making("all_reduce_many", [ONE])),
    "length of a broadcast": (making("broadcast", np.ones(3, np.int8)), making("broadcast", np.ones(4, np.int8))),
    "shape that is gathered": (making("all_gather", WIDE), making("all_gather", ONE)),
    "collective": (making("reduce_scatter", WIDE), making("all_reduce", WIDE)),
    "rows of each": (making("reduce_scatter", ONE, counts=[2, 4]), making("reduce_scatter", ONE, counts=[4, 2])),
    "root": (making("reduce", ONE, 0), making("reduce", ONE, 1)),
}


@pytest.mark.parametrize("what", TWO_CALLS)
def test_calls_match_only_if_all_their_arguments_agree(network: Places, what: str) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        with pytest.raises(dropzero.Disagreement, match="the workers do not all make the same call"):
            TWO_CALLS[what][job.rank](job)
        return []

    in_job(network, work)


def test_all_reduce_many_accepts_an_empty_list(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        return [job.all_reduce_many([]), job.all_reduce_many(iter([ONE]))[0].tolist()]  # type: ignore[arg-type]

    assert in_job(network, work) == [[[], [2.0] * 6]] * 2


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def read_only(job: dropzero.Communicator) -> Any:
    out = np.zeros_like(ONE)
    out.flags.writeable = False
    return job.all_reduce(ONE, out=out)


FAULTS = {
    "timeout": (making("all_reduce", ONE, timeout="soon"), "ValueError: timeout must be a number of seconds"),
    "no timeout": (making("all_reduce", ONE, timeout=float("nan")), "not nan"),
    "out": (read_only, "ValueError: out is read-only"),
    "root": (making("broadcast", ONE, "0"), "ValueError: root must be 0 to 1, not '0'"),
    "root of a sum": (making("reduce", ONE, 2), "ValueError: root must be 0 to 1, not 2"),
    "rows": (making("reduce_scatter", ONE), "ValueError: the array must have one row for each of 2 workers"),
    "counts": (making("reduce_scatter", ONE, counts=[7, -1]), "counts must be the rows of each of 2 workers"),
    "sum of counts": (making("reduce_scatter", ONE, counts=[2, 3]), "must have 5 rows, the sum of counts, not shape"),
    "objects": (making("broadcast", np.array([{}])), "ValueError: an array of objects cannot be sent"),
    "no text": (making("fail", SpeechlessError()), "(SpeechlessError)"),
    "no Unicode": (making("fail", OSError("lost\udcff")), "(OSError: lost?)"),
    "long": (making("fail", OSError("lost" * 2_000_000)), "(OSError: lostlost"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_any_error_on_one_worker_is_reported_to_the_others(network: Places, what: str) -> None:
    call, told = FAULTS[what]

    def work(job: dropzero.Communicator) -> list[Any]:
        if job.rank == 0:
            with pytest.raises(dropzero.Aborted) as error:
                job.all_reduce(ONE)
            assert told in str(error.value)
            assert len(str(error.value)) < 2000
        else:
            with pytest.raises((ValueError, OSError, SpeechlessError)):
                call(job)
        return []

    in_job(network, work)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize("operation", ["sum", "mean", "max", "min"])
def test_a_numpy_scalar_is_reduced_as_an_array(network: Places, operation: Any, dtype: Any) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        total: Any = job.all_reduce(np.array(2 * job.rank, dtype), operation=operation)
        return [total.shape, total.dtype, float(total)]

    expected = {"sum": 2, "mean": 1, "max": 2, "min": 0}[operation]
    assert in_job(network, work) == [[(), dtype, expected]] * 2


def test_an_exception_in_the_program_ends_the_running_asynchronous_call(network: Places) -> None:
    """The others need not wait until it stalls."""
    handles = []

    def work(job: dropzero.Communicator) -> list[Any]:
        if job.rank == 0:
            handles.append(job.all_reduce_async(filled(1)))
            while not job._thread_id:
                time.sleep(0.01)
            within("pump", begun.set, job._thread_id)
            begun.wait(600)
            raise KeyError
        over.wait(600)
        return [outcome(lambda: job.all_reduce(filled(1)))]

    begun, over = threading.Event(), threading.Event()
    job = next(JOBS)

    def worker(rank: int) -> list[Any]:
        try:
            with network.at(rank) as ip, dropzero.connect(network.controller, job, 2, rank=rank, ip=ip) as mine:
                return work(mine)
        except KeyError:
            over.set()
            return [outcome(handles[0].result), outcome(lambda: mine.all_reduce(filled(1)))]

    (ended, after), (alone,) = at_once(partial(worker, 0), partial(worker, 1))
    assert isinstance(ended, dropzero.WorkerLost)
    assert isinstance(after, dropzero.Closed)
    assert alone == 1


def test_a_callback_that_would_wait_for_itself_gets_an_error(network: Places) -> None:
    def work(job: dropzero.Communicator) -> list[Any]:
        job.barrier()
        said: list[Any] = []
        started = threading.Event()
        queued = job.all_reduce_async(filled(1))
        queued.add_done_callback(lambda _: started.wait(600))
        behind = job.all_reduce_async(filled(2))
        behind.add_done_callback(lambda _: said.extend(map(refusal, (job.barrier, job.close))))
        started.set()
        assert outcome(behind.result) == 4
        job.barrier()
        return said

    for said in in_job(network, work):
        assert len(said) == 2
        assert all("a callback cannot wait for a collective" in each for each in said)


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(RuntimeError) as error:
        call()
    return str(error.value)


# It forks on purpose, as some programs do, against which Python warns from 3.12 on.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_makes_none_of_the_workers_calls(network: Places) -> None:
    """They would count as the worker's."""

    def work(job: dropzero.Communicator) -> list[Any]:
        if job.rank == 0 and not (forked := os.fork()):
            try:
                job.all_reduce(filled(100), timeout=5)
            except dropzero.Closed:
                job.close()
                os._exit(7)
            os._exit(8)
        if job.rank == 0:
            assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 7
        return [outcome(lambda: job.all_reduce(filled(1)))]

    assert in_job(network, work) == [[2], [2]]
