"""The expected results, computed with numpy and the rounding of docs/protocol.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.chaos.jobs.calls import Array, Call, Program

LARGEST_BLOCK = 256
"""Words in the largest block. A smaller block lies within one of this size, whose exponent is at least as large."""
SMALLEST_EXPONENT = -126
"""The exponent of a block of subnormal numbers."""


def problem(program: Program, call: Call, contributors: Sequence[int], rank: int, results: Sequence[Array]) -> str:
    """Describe what is wrong with the results of worker `rank`; empty if nothing is."""
    inputs = {each: program.inputs(call, each) for each in contributors}
    kind = call.kind
    if kind == "poll":
        fine = len(results) == 1 and results[0].shape == (1,) and results[0][0] in (0, 1)
        return "" if fine else f"a flag is 0 or 1, not {results}"
    if kind == "sparse_all_reduce":
        return _sparse(program, call, contributors, results)
    if kind in ("broadcast", "scatter"):
        if call.root not in inputs:
            return "its root is not in it"
        (sent,) = inputs[call.root]
        return _identical(results, [sent if kind == "broadcast" else sent[rank]])
    if kind == "gather" and rank != call.root:
        return _identical(results, [])
    if kind in ("all_gather", "gather"):
        gathered = np.zeros(call.shapes[0], call.dtype)
        for each, (own,) in inputs.items():
            gathered[call.rows(each)] = own
        return _identical(results, [gathered])
    if kind == "all_reduce_async":
        return _each_by_its_bits(program, call, results)
    shapes = call.shapes if kind != "reduce" or rank == call.root else ()
    if len(results) != len(shapes):
        return f"{len(results)} arrays, not {len(shapes)}"
    for at, result in enumerate(results):
        parts = [arrays[at] for arrays in inputs.values()]
        rows = call.rows(rank) if kind == "reduce_scatter" else slice(None)
        if found := reduction(call, parts, result, rows):
            return f"array {at}: {found}" if len(results) > 1 else found
    return ""


def reduction(call: Call, inputs: Sequence[Array], result: Array, rows: int | slice = slice(None)) -> str:
    """Describe what is wrong with one array; empty if nothing is. The result has some rows of the whole array."""
    shape = inputs[0].shape
    part = rows if shape else ()
    if (result.shape, result.dtype) != (inputs[0][part].shape, inputs[0].dtype):
        return f"{result.dtype} of shape {result.shape}"
    flat = np.stack([each.reshape(-1) for each in inputs])
    poisoned = np.zeros(flat.shape[1], bool)
    if call.operation in ("max", "min"):
        best = (np.max if call.operation == "max" else np.min)(flat, axis=0)
        least = most = best.astype(np.float64)
    elif result.dtype == np.int32:
        total = flat.astype(np.int64).sum(axis=0)
        if call.operation == "mean":
            total = np.sign(total) * (np.abs(total) // len(inputs))
        else:
            total = total.astype(np.int32).astype(np.int64)
        least = most = total.astype(np.float64)
    else:
        least, most, poisoned = _bounds(call, flat.astype(np.float64), result.dtype)
    whole = np.zeros(shape)
    whole[part] = result
    got, least, most, poisoned = (each.reshape(shape)[part] for each in (whole, least, most, poisoned))
    right = ((least <= got) & (got <= most)) | (np.isnan(got) & (np.isnan(least) | poisoned))
    if right.all():
        return ""
    first = tuple(map(int, np.argwhere(~right)[0]))
    return (
        f"{int((~right).sum())} of {right.size} elements; {got[first]} at {first}, not {least[first]} to {most[first]}"
    )


def _bounds(call: Call, flat: NDArray[np.float64], dtype: np.dtype[np.generic]) -> tuple[Array, Array, Array]:
    """Return lower and upper bounds for each element of a sum or mean of floats, NaN where it must be NaN; and where it
    may be NaN, because its block may have an element that is not finite.

    With |x| < 2^e for a block's elements, k = ceil(log2 N) and m = w - 1 - k, each of N workers' elements is rounded by
    at most 2^(e - m - 1), and clipped by at most as much again, but not at w = 32.
    """
    count = len(flat)
    finite = np.isfinite(flat)
    known: Array = np.where(finite, flat, 0)
    exact: Array = known.sum(axis=0)
    largest = _by_block(call, np.maximum.reduce(np.abs(known)))
    exponent = np.maximum(np.frexp(largest)[1], SMALLEST_EXPONENT)
    bits = call.width - 1 - (count - 1).bit_length()
    slack = count * np.ldexp(1.0 if call.width == 32 else 2.0, exponent - bits - 1)
    slack[largest == 0] = 0
    share = count if call.operation == "mean" else 1
    least, most = (_rounded((exact + sign * slack) / share, dtype, sign) for sign in (-1, 1))
    poisoned: Array = ~np.logical_and.reduce(finite)
    least[poisoned] = np.nan
    return least, most, _by_block(call, poisoned.astype(np.float64)) > 0


def _by_block(call: Call, values: Array) -> NDArray[np.float64]:
    """Return for each element the largest of its block, with the largest block size if workers choose it."""
    window = call.block or LARGEST_BLOCK * 32 // call.width
    padded = np.zeros(-(-len(values) // window) * window)
    padded[: len(values)] = values
    return np.repeat(padded.reshape(-1, window).max(axis=1), window)[: len(values)]


def _rounded(values: NDArray[np.float64], dtype: np.dtype[np.generic], sign: int) -> NDArray[np.float64]:
    """Return the bound on one side (`sign`) of values that are rounded to `dtype` in a few steps."""
    limits = np.finfo(np.float16 if dtype == np.float16 else np.float32)
    wider = values + sign * (2 * float(limits.eps) * np.abs(values) + 2 * float(limits.smallest_subnormal))
    with np.errstate(over="ignore"):
        return wider.astype(dtype).astype(np.float64)


def _each_by_its_bits(program: Program, call: Call, results: Sequence[Array]) -> str:
    """Check calls that were in flight together; the first element of each has its contributors' bits."""
    if len(results) != len(call.shapes):
        return f"{len(results)} arrays, not {len(call.shapes)}"
    for at, result in enumerate(results):
        who = [rank for rank in range(program.size) if result.size and int(result[0]) >> rank & 1]
        own = [program.inputs(call, rank)[at] for rank in who]
        total = np.sum(np.stack(own).astype(np.int64), axis=0).astype(np.int32) if own else None
        if total is None or not np.array_equal(result, total):
            return f"array {at} is not the sum of workers {who}"
    return ""


def _identical(results: Sequence[Array], wanted: Sequence[Array]) -> str:
    got, sent = ([(each.dtype, each.shape, each.tobytes()) for each in arrays] for arrays in (results, wanted))
    return "" if got == sent else "not the same bits as what was sent"


def _sparse(program: Program, call: Call, contributors: Sequence[int], results: Sequence[Array]) -> str:
    indices, rows = results
    own = {rank: program.inputs(call, rank) for rank in range(program.size)}
    wanted = np.unique(np.concatenate([own[rank][0] for rank in contributors]))
    known = np.unique(np.concatenate([each for each, _ in own.values()]))
    if not np.array_equal(indices, np.unique(indices)) or not np.isin(wanted, indices).all():
        return "indices are missing, or not in order"
    if not np.isin(indices, known).all():
        return "indices that no worker gave"
    tables = []
    for rank in contributors:
        table = np.zeros((len(indices), *rows.shape[1:]), rows.dtype)
        np.add.at(table, np.searchsorted(indices, own[rank][0]), own[rank][1])
        tables.append(table)
    return reduction(call, tables, rows)
