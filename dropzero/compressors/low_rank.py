"""PowerSGD: the best approximation of a matrix by one of a low rank, which a switch adds up as two dense vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.network import Group
from dropzero.compressors.quantizers import FixedPoint, Quantizer, Sum, nearly_square
from dropzero.compressors.vectors import Floats, Vector, stacked, summable
from dropzero.native.compilation import compiled
from dropzero.streams import stream

Matrix = NDArray[np.float64]

ZERO = 1e-6
"""A column that becomes shorter than this share of its length, when the columns before it are removed, is noise."""


class _Place(NamedTuple):
    """A parameter's place in the vector. columns: of its matrix; 0: it is sent as it is."""

    start: int
    end: int
    rows: int
    columns: int


class PowerSgd(Quantizer):
    """A step of subspace iteration for each matrix M_i of worker i ([PowerSGD] algorithm 1).

    P = sum_i M_i Q, in the first sum; its columns are made orthonormal; Q = sum_i M_i^T P, in the second one. The total
    is P Q^T, and that of a worker is P (M_i^T P)^T, so the rest of it can stay in its error feedback. The next step
    begins with this Q, so the subspace comes near to that of the largest singular vectors of gradients that change
    slowly.

    Tensors with more dimensions are matrices of their first one. Vectors, and matrices that are not larger than P and Q
    together, are sent as they are, with Q. If the shapes are not known, the vector is one nearly square matrix.

    P P^T is a projection: no error is larger than its vector, delta = 0. Biased.

    Attributes:
        rank: the columns of P and Q.
        width: bits of their elements, as fixed point.
        factors: all Q, one after the other, each (columns, rank) with largest elements of 1; empty before the first
            step.
    """

    common: ClassVar[tuple[str, ...]] = ("factors",)

    def __init__(self, rank: int, width: int = 32) -> None:
        if rank < 1:
            raise ValueError(f"the rank must be at least 1, not {rank}")
        if width not in (8, 16, 32):
            raise ValueError(f"elements must have 8, 16 or 32 bits, not {width}")
        self.rank, self.width = rank, width
        self.factors = self._next = np.zeros(0, np.float32)
        self._places: list[_Place] = []

    def see(self, shapes: Sequence[tuple[int, ...]]) -> None:
        ends = accumulate((prod(shape) for shape in shapes), initial=0)
        self._places = [self._place(*pair, shape) for pair, shape in zip(pairwise(ends), shapes, strict=True)]

    def _place(self, start: int, end: int, shape: tuple[int, ...]) -> _Place:
        rows = shape[0] if len(shape) > 1 else 1
        columns = -(-(end - start) // max(1, rows))
        return _Place(start, end, rows, columns if self.rank * (rows + columns) < end - start else 0)

    def check(self, workers: int) -> None:
        FixedPoint(self.width, few_bits=True).check(workers)

    def carried(self) -> Sequence[int]:
        return [
            self.rank * (each.rows + each.columns) if each.columns else each.end - each.start for each in self._places
        ]

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        if not self._places:
            self._places = [self._place(0, rows.shape[1], nearly_square(rows.shape[1]))]
        rows = rows.astype(np.float32, copy=False)
        matrices = [each for each in self._places if each.columns]
        dense = np.concatenate([np.arange(0), *(np.arange(*each[:2]) for each in self._places if not each.columns)])
        heights, widths = [each.rows for each in matrices], [each.columns for each in matrices]
        fixed = FixedPoint(self.width, few_bits=True)
        bases = []
        if matrices:
            if not len(self.factors):
                self.factors = _message([self._drawn(*each) for each in enumerate(widths)], rows[0, :0], 1)
            factors = self._parts(self.factors, widths)
            products = [[_product(row, *pair) for pair in zip(matrices, factors, strict=True)] for row in rows]
            messages = stacked([_message(each, rows[0, :0], group.size) for each in products])
            bases = self._parts(fixed.add(messages, block, group, draws).total, heights)
            for basis in bases:
                _orthonormalize(basis, ZERO)
        products = [[_product(row, *pair, True) for pair in zip(matrices, bases, strict=True)] for row in rows]
        messages = stacked([_message(each, row[dense], group.size) for each, row in zip(products, rows, strict=True)])
        added = fixed.add(messages, block, group, draws, exact)
        found = self._parts(added.total, widths)
        self._next = _message([self._warm(number, each) for number, each in enumerate(found)], rows[0, :0], 1)

        def decoded(message: Floats) -> Vector:
            vector = np.empty(rows.shape[1], np.float32)
            vector[dense] = message[len(message) - len(dense) :]
            for at, basis, factor in zip(matrices, bases, self._parts(message, widths), strict=True):
                product = np.empty(at.rows * at.columns, np.float32)
                _multiply(basis, np.ascontiguousarray(factor.T), np.empty(at.columns), product)
                vector[at.start : at.end] = product[: at.end - at.start]
            return vector

        return Sum(decoded(added.total), stacked([decoded(each) for each in added.sent]))

    def observe(self, total: Floats, workers: int) -> None:
        self.factors = self._next

    def delta(self, elements: int, workers: int) -> float:
        return 0.0

    def _parts(self, values: Floats, counts: Sequence[int]) -> list[Matrix]:
        """Divides a vector into matrices with these numbers of rows."""
        ends = accumulate((count * self.rank for count in counts), initial=0)
        return [values[slice(*pair)].astype(np.float64).reshape(-1, self.rank) for pair in pairwise(ends)]

    def _drawn(self, number: int, count: int) -> Matrix:
        """The first Q of a matrix: Gaussian."""
        return stream(0, "factor", number).standard_normal((count, self.rank))

    def _warm(self, number: int, factor: Matrix) -> Matrix:
        """The Q for the next step: with columns divided by their largest elements, so that no product overflows, and
        with new ones instead of zeros, which would stay forever."""
        most = np.abs(factor).max(axis=0)
        return np.where(most > 0, factor / np.where(most > 0, most, 1), self._drawn(number, len(factor)))


def _product(row: Vector, place: _Place, factor: Matrix, turned: bool = False) -> Matrix:
    """A parameter's matrix, or its transpose, times a factor. numpy's product depends on the processor, and on how many
    threads are busy."""
    product = np.zeros((place.columns if turned else place.rows, factor.shape[1]))
    _add_product(row[place.start : place.end], place.columns, factor, turned, product)
    return product


def _message(matrices: Sequence[Matrix], rest: Floats, workers: int) -> Vector:
    """One vector, see `summable`."""
    return summable(np.concatenate([*(each.ravel() for each in matrices), rest]), workers)


@compiled
def _add_product(values: Vector, columns: int, factor: Matrix, turned: bool, product: Matrix) -> None:
    """values: of a matrix, row by row; its last row may lack some."""
    rank = factor.shape[1]
    for i in range(-(-len(values) // columns)):
        for j in range(min(columns, len(values) - i * columns)):
            value = np.float64(values[i * columns + j])
            for k in range(rank):
                if turned:
                    product[j, k] += value * factor[i, k]
                else:
                    product[i, k] += value * factor[j, k]


@compiled
def _orthonormalize(columns: Matrix, zero: float) -> None:
    """Gram-Schmidt in place, twice for precision. A column that is nearly a sum of those before it becomes zero."""
    count, rank = columns.shape
    for k in range(rank):
        squares = 0.0
        for i in range(count):
            squares += columns[i, k] * columns[i, k]
        before = np.sqrt(squares)
        for _ in range(2):
            for other in range(k):
                product = 0.0
                for i in range(count):
                    product += columns[i, other] * columns[i, k]
                for i in range(count):
                    columns[i, k] -= product * columns[i, other]
        squares = 0.0
        for i in range(count):
            squares += columns[i, k] * columns[i, k]
        norm = np.sqrt(squares)
        scale = 1 / norm if norm > zero * before else 0.0
        for i in range(count):
            columns[i, k] *= scale


@compiled
def _multiply(basis: Matrix, factor: Matrix, sums: NDArray[np.float64], product: Vector) -> None:
    """Writes basis (n, r) times factor (r, m) to `product`, (n * m). sums: memory, (m,)."""
    rows, rank = basis.shape
    columns = len(sums)
    most = np.float64(np.finfo(np.float32).max)
    for i in range(rows):
        sums[:] = 0
        for k in range(rank):
            for j in range(columns):
                sums[j] += basis[i, k] * factor[k, j]
        for j in range(columns):
            product[i * columns + j] = np.float32(min(max(sums[j], -most), most))
