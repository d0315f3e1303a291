"""The calls of a job and each worker's inputs, as functions of the seed alone, so that a worker, its successor and the
checker agree without communication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.streams import stream

Array = NDArray[Any]

ADMIT_EVERY, POLL_EVERY = 10, 10
"""Calls between two `admit`s, and between two polls whether the job should end."""
KINDS = {
    "all_reduce": 24,
    "all_reduce_async": 10,
    "all_reduce_many": 10,
    "sparse_all_reduce": 10,
    "broadcast": 8,
    "all_gather": 8,
    "gather": 6,
    "scatter": 6,
    "reduce_scatter": 8,
    "reduce": 6,
    "barrier": 4,
}
"""The probability of each kind, in per cent."""
MISCHIEFS = ("refused", "broken", "nan", "infinity", "late", "leave")
"""How a worker may misbehave on purpose: pass arguments that are refused, that raise an exception during the call, or
that are not finite; call after the others' timeout; leave the job with an exception."""
MOVES = ("broadcast", "all_gather", "gather", "scatter")
"""The kinds that bring arrays, of any type, as they are."""
IN_SHARDS = ("all_gather", "gather", "scatter", "reduce_scatter")
"""The kinds whose array has a shard for each worker; those of a scatter are equal."""
SIZES = (0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 4095, 4097, 20_001, 70_000)
TABLE = 5000
"""Rows of the table that sparse calls update."""
SHORT_TIMEOUT, LATE = 1.0, 3.0
"""Seconds: the timeout of a call that one worker makes late, and how late it is."""
TIMEOUT = 20.0
"""Seconds: the timeout of other calls that have one."""


@dataclass(frozen=True)
class Misbehaviour:
    """How worker `rank` misbehaves in a call. `variant` selects one of several ways."""

    name: str
    rank: int
    variant: int


@dataclass(frozen=True)
class Call:
    """The `index`-th call of all workers of a job.

    Attributes:
        shapes: of the arrays, one or more.
        counts: the rows of each rank's shard; empty: one shard is as large as the others.
        block, width: 0 and 32 for the defaults.
        density: fraction of non-zero blocks of 32 elements.
        scale: of the elements, as a power of ten.
        timeout: seconds, or None.
        pause: seconds between the call before and this one.
    """

    index: int
    kind: str
    dtype: str = "int32"
    shapes: tuple[tuple[int, ...], ...] = ()
    counts: tuple[int, ...] = ()
    operation: str = "sum"
    block: int = 0
    width: int = 32
    density: float = 1.0
    scale: int = 0
    root: int = 0
    timeout: float | None = None
    pause: float = 0.0
    misbehaviour: Misbehaviour | None = None

    @property
    def is_empty(self) -> bool:
        """Whether its arrays have no elements."""
        return self.kind not in ("barrier", "admit", "sparse_all_reduce") and not any(map(np.prod, self.shapes))

    def rows(self, rank: int) -> int | slice:
        """Where the shard of a rank is."""
        return slice(sum(self.counts[:rank]), sum(self.counts[: rank + 1])) if self.counts else rank

    def poisoned(self, rank: int) -> bool:
        """Return whether that worker's input has an element that is not finite."""
        what = self.misbehaviour
        return what is not None and what.name in ("nan", "infinity") and what.rank == rank


@dataclass(frozen=True)
class Program:
    """The calls of one job's workers. misbehaviour: the probability that a worker misbehaves in a call."""

    seed: int
    job: int
    size: int
    misbehaviour: float = 0.0

    def call(self, index: int) -> Call:
        if index % ADMIT_EVERY == ADMIT_EVERY - 1:
            return Call(index, "admit")
        if index % POLL_EVERY == POLL_EVERY // 2 - 1:
            return Call(index, "poll", shapes=((1,),), operation="max")
        draw = stream(self.seed, "calls", self.job, index)
        kinds = list(KINDS)
        kind = str(draw.choice(kinds, p=np.array(list(KINDS.values())) / 100))
        operation = str(draw.choice(["sum", "sum", "mean", "max", "min"]))
        dtype = str(draw.choice(["float32", "float32", "float16", "int32"]))
        if kind in MOVES:
            dtype = str(draw.choice(["float32", "int32", "float64", "int64", "uint8", "bool"]))
        if kind == "sparse_all_reduce":
            operation = "sum"
        # Extremes and integers have one width.
        widths = [32] if dtype == "int32" or operation in ("max", "min") else [32, 16, 8]
        width = int(draw.choice(widths))
        block = int(draw.choice([0, 0, 32, 64, 128, 256])) * (32 // width)
        misbehaviour = self._misbehaviour(kind, dtype, draw)
        timeout = float(draw.choice([0, 0, 0, TIMEOUT])) or None
        if misbehaviour is not None and misbehaviour.name == "late":
            timeout = SHORT_TIMEOUT
        shapes, counts = self._shapes(kind, draw), ()
        if kind in IN_SHARDS and kind != "scatter" and draw.random() < 0.5:
            counts = tuple(draw.integers(0, 5, self.size).tolist())
            shapes = tuple((sum(counts), *shape[1:]) for shape in shapes)
        return Call(
            index,
            kind,
            dtype,
            shapes,
            counts,
            operation,
            block,
            width,
            density=float(draw.choice([0.0, 0.05, 0.5, 1.0])),
            scale=int(draw.integers(-2, 2) if dtype == "float16" else draw.integers(-41, 37)),
            root=int(draw.integers(self.size)),
            timeout=timeout,
            pause=float(draw.choice([0, 0, 0.002, 0.02])),
            misbehaviour=misbehaviour,
        )

    def _shapes(self, kind: str, draw: np.random.Generator) -> tuple[tuple[int, ...], ...]:
        count = {"all_reduce_async": int(draw.integers(1, 4)), "all_reduce_many": int(draw.integers(1, 6))}.get(kind, 1)
        # The result is as long as all inputs together.
        sizes = SIZES[:-3] if kind in IN_SHARDS else SIZES
        shapes = []
        for _ in range(count):
            elements = int(draw.choice(sizes))
            shape = (2, elements // 2) if elements and elements % 2 == 0 and draw.random() < 0.5 else (elements,)
            if kind == "all_reduce_async":
                # The first element has a bit for each contributor.
                shape = (elements + 1,)
            shapes.append((self.size, *shape) if kind in IN_SHARDS else shape)
        if kind == "sparse_all_reduce":
            return ((int(draw.choice([1, 3, 32, 50])),),)
        return () if kind == "barrier" else tuple(shapes)

    def _misbehaviour(self, kind: str, dtype: str, draw: np.random.Generator) -> Misbehaviour | None:
        if draw.random() >= self.misbehaviour:
            return None
        name, rank, variant = str(draw.choice(MISCHIEFS)), int(draw.integers(self.size)), int(draw.integers(1 << 16))
        sums = kind in ("all_reduce", "all_reduce_many", "reduce", "reduce_scatter")
        # Other calls still use their arguments after they have a result, when it is too late to fail.
        possible = {"broken": sums, "nan": sums and dtype.startswith("float")}
        possible["infinity"] = possible["nan"]
        return Misbehaviour(name if possible.get(name, True) else "refused", rank, variant)

    def inputs(self, call: Call, rank: int) -> list[Array]:
        """Return a worker's arrays: for a sparse call, indices and rows; for an asynchronous one, int32 arrays whose
        first element is the worker's bit."""
        draw = stream(self.seed, "inputs", self.job, call.index, rank)
        if call.kind == "sparse_all_reduce":
            # Rows with the same index are added before they are sent, which is exact for integers.
            twice = call.dtype == "int32"
            indices = draw.choice(TABLE, int(draw.integers(0, 150)), replace=twice).astype(np.int64)
            return [indices, self._array(draw, call, (len(indices), *call.shapes[0]))]
        if call.kind == "all_reduce_async":
            arrays = [_integers(draw, shape) for shape in call.shapes]
            for array in arrays:
                array[0] = 1 << rank
            return arrays
        shapes = call.shapes
        if call.kind in ("all_gather", "gather"):
            shapes = tuple((*call.counts[rank : rank + 1], *shape[1:]) for shape in shapes)
        arrays = [self._array(draw, call, shape) for shape in shapes]
        if call.poisoned(rank):
            assert call.misbehaviour is not None
            flat = [array.reshape(-1) for array in arrays if array.size]
            for array in flat[:1]:
                value = np.nan if call.misbehaviour.name == "nan" else (np.inf, -np.inf)[call.misbehaviour.variant % 2]
                array[call.misbehaviour.variant % array.size] = value
        return arrays

    def _array(self, draw: np.random.Generator, call: Call, shape: tuple[int, ...]) -> Array:
        elements = int(np.prod(shape))
        if call.dtype in ("bool", "uint8", "int64"):
            return draw.integers(0, 2 if call.dtype == "bool" else 200, shape).astype(call.dtype)
        if call.dtype == "int32":
            made: Array = _integers(draw, shape)
        else:
            made = (draw.standard_normal(shape) * 10.0**call.scale).astype(call.dtype)
        kept = draw.random(-(-elements // 32)) < call.density
        if draw.random() < 0.1:
            kept[:] = False
        flat = made.reshape(-1)
        flat[~np.repeat(kept, 32)[:elements]] = 0
        return flat.reshape(shape)

    def state(self, index: int) -> dict[str, Array]:
        """Return the state that members give to newcomers at the `index`-th call, an `admit`."""
        draw = stream(self.seed, "states", self.job, index)
        return {"index": np.array(index, np.int64), "weights": draw.standard_normal(index % 700).astype(np.float32)}


def _integers(draw: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.int32]:
    return draw.integers(-(1 << 31), 1 << 31, shape).astype(np.int32)
