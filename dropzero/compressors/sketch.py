"""Count sketch: a small table of a vector, which a switch adds up; the largest elements of the sum can be read from the
sum of the tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.network import Group
from dropzero.compressors.quantizers import FixedPoint, Quantizer, Sum
from dropzero.compressors.vectors import Floats, Vector, keep_largest, refuse_non_finite_floats, stacked, summable
from dropzero.native.compilation import compiled, inlined
from dropzero.streams import stream

Table = NDArray[np.float64]
Seeds = NDArray[np.uint64]
MOST = 15
"""The most rows of a table, an odd number."""


class CountSketch(Quantizer):
    """Sums the workers' sketches, and returns the largest elements that can be read from the sum ([FetchSGD] algorithm
    1, without its momentum).

    A hash function for each row of the table assigns each element a column and a sign. A cell is the sum of its
    elements, with their signs ([CountSketch]). An element's estimate is the median of its cells, with its signs: it is
    off by about the norm of the vector over sqrt(columns). A sketch is linear, so the switch adds the tables, and what
    is not returned stays in the sum, which is the same on every worker: no worker needs a memory of its own. Cells of
    what is returned become zero, and lose what else is in them; the paper found that more stable than a subtraction.

    Attributes:
        density: the share of the elements that a sum returns.
        share: the table's cells over the vector's elements.
        rows: of the table, odd.
        width: bits of a cell, as fixed point.
        table: the sum of what has not been returned, (rows, columns); empty before the first step.
    """

    common: ClassVar[tuple[str, ...]] = ("table",)

    def __init__(self, density: float, share: float = 0.3, rows: int = 3, width: int = 32) -> None:
        """Raises ValueError for settings outside of what the attributes allow."""
        if not 0 < density <= 1:
            raise ValueError(f"the density must be in (0, 1], not {density:g}")
        if not 0 < share <= 1:
            raise ValueError(f"the share must be in (0, 1], not {share:g}")
        if rows % 2 == 0 or not 0 < rows <= MOST:
            raise ValueError(f"there must be an odd number of rows, at most {MOST}, not {rows}")
        if width not in (8, 16, 32):
            raise ValueError(f"cells must have 8, 16 or 32 bits, not {width}")
        self.density, self.share, self.rows, self.width = density, share, rows, width
        self.table: Table = np.zeros((0, 0))
        self._next = self.table
        self._seeds: Seeds = stream(0, "sketch").integers(0, 2**64, rows, np.uint64)
        self._sizes: Sequence[int] = ()

    def check(self, workers: int) -> None:
        FixedPoint(self.width, few_bits=True).check(workers)

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        rows = rows.astype(np.float32, copy=False)
        for row in rows:
            refuse_non_finite_floats(row)
        sketches = [self._sketch(row) for row in rows]
        messages = stacked([summable(each.ravel(), group.size) for each in sketches])
        added = FixedPoint(self.width, few_bits=True).add(messages, block, group, draws)
        known = added.total.astype(np.float64).reshape(self.rows, -1)
        if self.table.size:
            known = known + self.table
        estimates = np.empty(rows.shape[1], np.float32)
        _estimate(known, self._seeds, np.empty(self.rows), estimates)
        total = keep_largest(estimates, math.ceil(self.density * len(estimates)))
        self._next = np.where(self._sketch(total), 0.0, known)
        return Sum(total, stacked([np.where(total, row, np.float32(0)) for row in rows]))

    def observe(self, total: Floats, workers: int) -> None:
        self.table = self._next

    def see(self, shapes: Sequence[tuple[int, ...]]) -> None:
        self._sizes = [math.prod(shape) for shape in shapes]

    def carried(self) -> Sequence[float]:
        return [self.share * size for size in self._sizes]

    def _sketch(self, x: Vector) -> Table:
        table = np.zeros((self.rows, max(1, round(self.share * len(x) / self.rows))))
        _insert(x, self._seeds, table)
        return table


@inlined
def _place(index: int, seed: np.uint64, columns: int) -> tuple[np.int64, bool]:
    """The column of an element, and whether its sign is negative: bits of splitmix64's output ([SplitMix])."""
    mixed = np.uint64(index) + seed
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    column = (mixed >> np.uint64(32)) * np.uint64(columns) >> np.uint64(32)
    return np.int64(column), mixed & np.uint64(1) != np.uint64(0)


@compiled
def _insert(x: Vector, seeds: Seeds, table: Table) -> None:
    """Adds a vector to a table."""
    for row in range(len(table)):
        for i in range(len(x)):
            if x[i] != 0:
                column, negative = _place(i, seeds[row], table.shape[1])
                table[row, column] += -np.float64(x[i]) if negative else np.float64(x[i])


@compiled
def _estimate(table: Table, seeds: Seeds, cells: NDArray[np.float64], estimates: Vector) -> None:
    """Writes the medians; cells: memory, (rows,)."""
    rows, columns = table.shape
    most = np.float64(np.finfo(np.float32).max)
    for i in range(len(estimates)):
        for row in range(rows):
            column, negative = _place(i, seeds[row], columns)
            value = -table[row, column] if negative else table[row, column]
            # Sorted in, without branches that no processor can predict.
            for at in range(row):
                cells[at], value = min(cells[at], value), max(cells[at], value)
            cells[row] = value
        estimates[i] = np.float32(min(max(cells[rows // 2], -most), most))
