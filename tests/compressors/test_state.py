"""A compression's state: saved, handed over, and correct when workers enter, leave or are late."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.memory import ErrorFeedback, Momentum, Shift
from dropzero.compressors.quantizers import Integers
from dropzero.compressors.vectors import Vector
from tests.compressors.test_switch import SPECS
from tests.compressors.vectors import gaussian
from tests.support.compression_job import Job

SIZE, ELEMENTS = 4, 24


def shifts_of(compression: Compression) -> tuple[Vector, Vector]:
    """The worker's own, and what it holds to be their sum."""
    memory = compression.memory
    assert isinstance(memory, Shift)
    own = np.broadcast_to(np.asarray(memory.shifts, np.float32), (1, compression.elements))[0]
    return own, np.broadcast_to(np.asarray(memory.total, np.float32), (compression.elements,))


ranks = st.sets(st.integers(0, SIZE - 1))
schedules = st.lists(st.tuples(ranks, ranks, st.lists(ranks, max_size=6)), min_size=1, max_size=8)
"""Steps: who leaves before it, who enters, and who is late for its calls."""


@pytest.mark.parametrize("spec", ["terngrad+diana", "qsgd(4,own)+diana", "randk(0.25,block=4)+diana", "int+diana(1)"])
@settings(max_examples=25)
@given(schedule=schedules)
def test_all_workers_know_the_sum_of_the_shifts_in_any_schedule(
    spec: str, schedule: list[tuple[set[int], set[int], list[set[int]]]]
) -> None:
    job = Job(spec, SIZE, ELEMENTS)
    gradients = dict(enumerate(gaussian(1, SIZE, ELEMENTS)))
    for leaving, entering, late in schedule:
        for rank in leaving:
            if len(job.workers) > 1:
                job.workers.pop(rank, None)
        for rank in entering - job.workers.keys():
            job.enter(rank)
        results = job.step(gradients, late)

        first = next(iter(results.values())).total
        for result in results.values():
            np.testing.assert_array_equal(result.total, first)
        for compression in job.workers.values():
            memory = compression.memory
            assert isinstance(memory, Shift)
            counted = memory.counted.tolist()
            assert set(counted) <= job.workers.keys()
            total = np.sum([shifts_of(job.workers[rank])[0] for rank in counted], axis=0)
            np.testing.assert_allclose(shifts_of(compression)[1], total, rtol=0, atol=1e-6 * max(1, abs(total).max()))
    # Late workers take part again.
    job.step(gradients)
    assert isinstance(memory, Shift)
    assert set(memory.counted.tolist()) == job.workers.keys()


def test_after_three_steps_without_a_worker_the_sum_is_that_of_all_again() -> None:
    job = Job("diana(0.5)", 3, 8)
    gradients = {rank: np.full(8, value, np.float32) for rank, value in enumerate((1, 2, 4))}
    for late in ((), (), (), {2}, {2}, {2}):
        job.step(gradients, [late] * 9)
    totals = [job.step(gradients)[0].total for _ in range(25)]
    np.testing.assert_allclose(totals[-1], 7, rtol=1e-5)


@pytest.mark.parametrize("rank", [2, 3], ids=["of the same rank", "of another rank"])
def test_one_worker_leaves_while_another_enters(rank: int) -> None:
    job = Job("diana(0.5)", 4, 8)
    job.workers.pop(3)
    gradients = {each: np.full(8, value, np.float32) for each, value in enumerate((1, 2, 4, 8))}
    for _ in range(4):
        job.step(gradients)
    job.workers.pop(2)
    job.enter(rank)
    expected = 3 + float(gradients[rank][0])
    for _ in range(25):
        results = job.step(gradients)
        assert len({result.total.tobytes() for result in results.values()}) == 1
    np.testing.assert_allclose(results[0].total, expected, rtol=1e-5)


@pytest.mark.parametrize("spec", SPECS)
def test_a_newcomer_makes_the_same_calls_and_gets_the_same_sums(spec: str) -> None:
    elements = 320
    job = Job(spec, 3, elements)
    job.workers.pop(1)
    for step in range(2):
        job.step(dict(enumerate(gaussian(step, 3, elements))))
    job.enter(1)
    for step in range(2, 4):
        results = job.step(dict(enumerate(gaussian(step, 3, elements))))
        assert len({result.total.tobytes() for result in results.values()}) == 1
        shared = [compression.state(shared=True) for compression in job.workers.values()]
        for other in shared[1:]:
            assert_equal(other, shared[0])
    if isinstance(integers := job.workers[1].spec.quantizer, Integers):
        assert integers.scale


def assert_equal(some: dict[str, NDArray[Any]], others: dict[str, NDArray[Any]]) -> None:
    assert some.keys() == others.keys()
    for name, value in some.items():
        np.testing.assert_array_equal(value, others[name], err_msg=name)


@pytest.mark.parametrize("spec", SPECS)
def test_a_compression_continues_from_a_file_as_if_it_had_never_stopped(spec: str) -> None:
    elements, rates = 320, (1, 1, 0.5, 0.25)
    steady = Compression(spec, InProcessNetwork(3), elements, seed=2)
    for step in range(2):
        steady.aggregate(gaussian(step, 3, elements), rate=rates[step])
    file = io.BytesIO()
    saved: dict[str, Any] = steady.state()
    np.savez(file, **saved)
    file.seek(0)
    with np.load(file, allow_pickle=False) as loaded:
        resumed = Compression(spec, InProcessNetwork(3), elements)
        resumed.restore(loaded)
    for step in range(2, 4):
        rows = gaussian(step, 3, elements)
        some, others = (each.aggregate(rows, rate=rates[step]) for each in (steady, resumed))
        np.testing.assert_array_equal(some.total, others.total)
        np.testing.assert_array_equal(some.sent, others.sent)
    assert_equal(steady.state(), resumed.state())


@pytest.mark.parametrize("memory", ["ef", "momentum(0.5)"])
def test_a_late_worker_remembers_all_of_its_gradient(memory: str) -> None:
    job = Job(f"topk(0.5)+{memory}", 2, 4)
    gradients = {rank: np.array([1, 2, 3, 4], np.float32) for rank in range(2)}
    results = job.step(gradients, [{1}] * 9)
    np.testing.assert_array_equal(results[0].total, [0, 0, 3, 4])
    assert not results[1].sent.any()
    kept = [each.memory for each in job.workers.values()]
    assert isinstance(kept[0], ErrorFeedback)
    assert isinstance(kept[1], ErrorFeedback)
    np.testing.assert_array_equal(kept[0].residual, [[1, 2, 0, 0]])
    np.testing.assert_array_equal(kept[1].residual, [[1, 2, 3, 4]])
    if isinstance(kept[1], Momentum):
        np.testing.assert_array_equal(kept[1].velocity, [[1, 2, 3, 4]])


@pytest.mark.parametrize(
    ("spec", "elements", "workers", "complaint"),
    [
        ("topk(0.2)+ef", 10, 2, "is of spec topk"),
        ("topk(0.1)+ef", 11, 2, "of elements 10, not 11"),
        ("topk(0.1)+ef", 10, 3, r"of ranks \[0, 1\], not \[0, 1, 2\]"),
    ],
)
def test_the_state_of_another_compression_is_refused(spec: str, elements: int, workers: int, complaint: str) -> None:
    state = Compression("topk(0.1)+ef", InProcessNetwork(2), 10).state()
    with pytest.raises(ValueError, match=complaint):
        Compression(spec, InProcessNetwork(workers), elements).restore(state)


@pytest.mark.parametrize("missing", ["spec", "elements", "step", "seed"])
def test_an_incomplete_state_is_refused(missing: str) -> None:
    compression = Compression("none", InProcessNetwork(1), 10)
    state = compression.state()
    del state[missing]
    with pytest.raises(ValueError, match=f"not the state of a compression: it has no {missing}"):
        compression.restore(state)
