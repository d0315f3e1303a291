"""The checker finds falsified records, and accepts correct ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.chaos.jobs.calls import Array, Call, Program
from lab.chaos.jobs.checker import Verdict, check
from lab.chaos.jobs.expected import problem, reduction
from lab.chaos.jobs.records import Record, Results, note

PROGRAM = Program(seed=7, job=3, size=3)
EVERYBODY = (0, 1, 2)
CALLS = 80


def summed(call: Call, rank: int) -> list[Array]:
    """A worker's result without any rounding."""
    inputs = [PROGRAM.inputs(call, each) for each in EVERYBODY]
    if call.kind == "poll":
        return [np.zeros(1, np.int32)]
    if call.kind == "broadcast":
        return inputs[call.root]
    if call.kind == "scatter":
        return [inputs[call.root][0][rank]]
    if call.kind == "gather" and rank != call.root:
        return []
    if call.kind in ("all_gather", "gather"):
        return [np.concatenate([own if call.counts else own[np.newaxis] for (own,) in inputs])]
    if call.kind == "sparse_all_reduce":
        union = np.unique(np.concatenate([indices for indices, _ in inputs]))
        table = np.zeros((len(union), *call.shapes[0]), call.dtype)
        for indices, rows in inputs:
            for index, row in zip(indices, rows, strict=True):
                table[np.searchsorted(union, index)] += row
        return [union, table]
    operation = "sum" if call.kind == "all_reduce_async" else call.operation
    totals = []
    for arrays in zip(*inputs, strict=True):
        own = np.stack(arrays)
        if operation in ("max", "min"):
            total = own.max(axis=0) if operation == "max" else own.min(axis=0)
        else:
            total = own.astype(np.int64 if own.dtype == np.int32 else np.float64).sum(axis=0)
        if operation == "mean":
            total = np.trunc(total / len(EVERYBODY)) if own.dtype == np.int32 else total / len(EVERYBODY)
        total = total.astype(own.dtype)
        totals.append(total[call.rows(rank)] if call.kind == "reduce_scatter" else total)
    return totals if call.kind != "reduce" or rank == call.root else []


def write(
    folder: Path, change: Callable[[int, Record, Results], Record | None] = lambda rank, record, _: record
) -> None:
    """Writes the records of a job without problems, modified by `change`."""
    results = Results(folder)
    for rank in EVERYBODY:
        for index in range(CALLS):
            call = PROGRAM.call(index)
            made = [] if call.kind in ("admit", "barrier") else summed(call, rank)
            contributors = () if call.kind == "admit" else EVERYBODY
            record = change(rank, Record(index, call.kind, 1.0, 2.0, contributors, results.add(made)), results)
            if record is not None:
                note(folder / f"{PROGRAM.job}-{rank}-0.jsonl", record)


def judged(folder: Path, change: Callable[[int, Record, Results], Record | None]) -> Verdict:
    write(folder, change)
    return check(PROGRAM, folder)


def first(kind: str, dtype: str = "int32") -> int:
    """The index of the first call of a kind that has elements."""
    calls = (PROGRAM.call(index) for index in range(CALLS))
    found = (each for each in calls if (each.kind, each.dtype) == (kind, dtype) and each.density)
    return next(each.index for each in found if all(map(np.prod, each.shapes)))


def test_a_correct_job_passes(tmp_path: Path) -> None:
    write(tmp_path)
    verdict = check(PROGRAM, tmp_path)
    assert verdict.wrong == []
    assert verdict.differing == []
    assert verdict.collectives.total() == CALLS
    assert verdict.results == CALLS * len(EVERYBODY)


def test_one_wrong_element_on_all_workers_is_found(tmp_path: Path) -> None:
    index = first("all_reduce")

    def change(rank: int, record: Record, results: Results) -> Record:
        if record.index != index:
            return record
        (array,) = results[record.digest]
        array.reshape(-1)[-1] ^= 1
        return replace(record, digest=results.add([array]))

    verdict = judged(tmp_path, change)
    assert len(verdict.wrong) == 1
    assert f"call {index} " in verdict.wrong[0]
    assert "1 of " in verdict.wrong[0]
    assert verdict.differing == []


def test_one_bit_that_differs_on_one_worker_is_found_though_it_is_within_the_bound(tmp_path: Path) -> None:
    index = first("all_reduce", "float32")

    def change(rank: int, record: Record, results: Results) -> Record:
        if (rank, record.index) != (2, index):
            return record
        (array,) = results[record.digest]
        array.reshape(-1).view(np.uint32)[np.abs(array).argmax()] ^= 1
        return replace(record, digest=results.add([array]))

    verdict = judged(tmp_path, change)
    assert [f"call {index} " in text and "not the same bits" in text for text in verdict.differing] == [True]


@pytest.mark.parametrize("kind", ["gather", "scatter"])
def test_a_moved_array_that_lacks_a_bit_on_its_receiver_is_found(tmp_path: Path, kind: str) -> None:
    calls = map(PROGRAM.call, range(CALLS))
    call = next(each for each in calls if each.kind == kind and all(map(np.prod, each.shapes)))

    def change(rank: int, record: Record, results: Results) -> Record:
        if (rank, record.index) != (call.root, call.index):
            return record
        (array,) = results[record.digest]
        array.reshape(-1).view(np.uint8)[-1] ^= 1
        return replace(record, digest=results.add([array]))

    verdict = judged(tmp_path, change)
    assert [f"call {call.index} " in text and "not the same bits" in text for text in verdict.wrong] == [True]


def test_a_call_that_one_worker_skipped_is_found(tmp_path: Path) -> None:
    verdict = judged(tmp_path, lambda rank, record, _: None if (rank, record.index) == (1, 12) else record)
    assert verdict.differing == ["job 3, call 12: 3-1-0 has no record of it"]


def test_contributors_that_differ_are_found(tmp_path: Path) -> None:
    def change(rank: int, record: Record, _: Results) -> Record:
        return replace(record, contributors=(0, 1)) if (rank, record.kind) == (0, "poll") else record

    verdict = judged(tmp_path, change)
    assert verdict.differing
    assert all("not the same contributors" in text for text in verdict.differing)


@pytest.mark.parametrize("error", ["Disagreement", "Aborted", "ValueError"])
def test_an_error_of_one_worker_in_a_call_that_has_a_result_for_others_is_found(tmp_path: Path, error: str) -> None:
    def change(rank: int, record: Record, _: Results) -> Record:
        return replace(record, digest="", error=error, contributors=()) if (rank, record.index) == (1, 11) else record

    assert len(judged(tmp_path, change).differing) == 1


def test_a_call_that_was_given_up_for_two_reasons_is_found(tmp_path: Path) -> None:
    def change(rank: int, record: Record, _: Results) -> Record:
        text = f"worker {rank % 2} gave up call 11 (ValueError)"
        given_up = replace(record, digest="", error="Aborted", text=text, contributors=())
        return given_up if record.index == 11 else record

    (text,) = judged(tmp_path, change).differing
    assert "not the same reason" in text


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "WorkerLost"])
def test_a_worker_that_was_interrupted_or_removed_may_have_an_error_alone(tmp_path: Path, error: str) -> None:
    def change(rank: int, record: Record, _: Results) -> Record:
        return replace(record, digest="", error=error, contributors=()) if (rank, record.index) == (1, 11) else record

    verdict = judged(tmp_path, change)
    assert (verdict.wrong, verdict.differing) == ([], [])


def test_an_undocumented_error_is_wrong(tmp_path: Path) -> None:
    def change(rank: int, record: Record, _: Results) -> Record:
        return replace(record, digest="", error="KeyError", contributors=()) if record.index == 11 else record

    assert len(judged(tmp_path, change).wrong) == len(EVERYBODY)


def test_a_sum_that_lacks_a_named_contributor_is_wrong() -> None:
    call = replace(PROGRAM.call(first("all_reduce")), dtype="float32", operation="sum", density=1.0, shapes=((40,),))
    inputs = [PROGRAM.inputs(call, rank)[0] for rank in EVERYBODY]
    total = np.stack(inputs).sum(axis=0, dtype=np.float64).astype(np.float32)
    assert problem(PROGRAM, call, EVERYBODY, 0, [total]) == ""
    left_out = next(array for array in inputs if array.all())
    assert "40 of 40 elements" in problem(PROGRAM, call, EVERYBODY, 0, [total - left_out])


@pytest.mark.parametrize("width", [32, 16, 8])
def test_the_bound_of_the_fixed_point_is_as_narrow_as_the_documents_say(width: int) -> None:
    """An element is rounded by at most 2^-(m + 1) of 2^e, and clipped by at most as much again below 32 bits."""
    call = Call(0, "all_reduce", "float32", ((64,),), width=width)
    exact = np.sum([PROGRAM.inputs(call, rank)[0].astype(np.float64) for rank in EVERYBODY], axis=0)
    largest = max(np.abs(PROGRAM.inputs(call, rank)[0]).max() for rank in EVERYBODY)
    bits = width - 1 - 2
    bound = len(EVERYBODY) * 2.0 ** (np.frexp(largest)[1] - bits) / (2 if width == 32 else 1)
    ulp = np.spacing(np.float32(np.abs(exact).max()))
    assert problem(PROGRAM, call, EVERYBODY, 0, [(exact + bound).astype(np.float32)]) == ""
    assert problem(PROGRAM, call, EVERYBODY, 0, [(exact + bound + 4 * ulp).astype(np.float32)]) != ""


def test_a_nonfinite_element_makes_its_whole_block_nan_and_no_other() -> None:
    call = Call(0, "all_reduce", "float32", ((1000,),), block=32)
    inputs = [PROGRAM.inputs(call, rank)[0] for rank in EVERYBODY]
    inputs[1][40] = np.inf
    total = np.stack(inputs).sum(axis=0, dtype=np.float64).astype(np.float32)
    assert reduction(call, inputs, total) != ""
    total[32:64] = np.nan
    assert reduction(call, inputs, total) == ""
    total[700] = np.nan
    assert "1 of 1000 elements; nan at (700,)" in reduction(call, inputs, total)


def test_a_call_that_stalls_without_a_timeout_is_wrong(tmp_path: Path) -> None:
    def change(rank: int, record: Record, _: Results) -> Record:
        return replace(record, digest="", error="Stalled", contributors=()) if record.index == 11 else record

    assert len(judged(tmp_path, change).wrong) == len(EVERYBODY)
