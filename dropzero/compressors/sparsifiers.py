"""Sparsifiers: select the elements, or blocks of elements, of a gradient to send.

A sparsifier maps a float32 vector of d elements to one of the same shape and dtype, zero where nothing is sent. The
vector is divided into nb = ceil(d / block) blocks; the last may be shorter, and `block` 1 selects single elements. The
switch skips blocks, not elements: a selection of elements leaves most blocks non-zero until well below 1 %.

Every class states the class of its operator: unbiased with omega (E C(x) = x, E|C(x) - x|^2 <= omega |x|^2), or
contractive with delta (E|C(x) - x|^2 <= (1 - delta) |x|^2), which needs error feedback.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.network import Group
from dropzero.compressors.part import Part
from dropzero.compressors.vectors import (
    F,
    Rows,
    Vector,
    keep_above,
    keep_blocks,
    keep_blocks_above,
    keep_largest,
    keep_largest_blocks,
    moments,
    refuse_non_finite,
    refuse_non_finite_floats,
    squared_norms,
    stacked,
)


class Sparsifier(Part, ABC):
    """Selects what to send.

    Attributes:
        block: elements that are kept or dropped together.
        shared: all workers draw the same random numbers.
        wide: it also takes and returns float64.
        selects: it sends elements unchanged. Otherwise, a contractive operator's result is orthogonal to the rest.
    """

    block: int = 1
    shared: bool = False
    wide: ClassVar[bool] = False

    @property
    def selects(self) -> bool:
        return True

    def join(self, workers: int) -> None:
        """Learns the number of workers."""

    @abstractmethod
    def compress(self, x: Vector, draw: Generator) -> Vector:
        """Returns the sent part of `x`, shape (d,), as a new vector. draw: the worker's random numbers.

        Raises TypeError and FloatingPointError as vectors.refuse_non_finite does.
        """

    def select(self, vectors: Rows, draws: Sequence[Generator], group: Group, step: int) -> Rows:
        """Returns the sent parts of the local workers' vectors, shape (k, d), on which the workers may agree. draws: of
        each local worker. step: the number of the sum, from 0."""
        return stacked([self.compress(vector, draw) for vector, draw in zip(vectors, draws, strict=True)])

    def observe(self, total: Vector, seconds: float) -> None:
        """Learns the sum of all workers' messages, shape (d,), and the seconds from the end of the sum before to the
        end of this one."""

    def most(self, elements: int) -> int:
        """The largest number of elements that are sent of a vector of this length."""
        return elements

    def usual(self, elements: int) -> int:
        """As `most`, for a vector whose magnitudes all differ."""
        return self.most(elements)

    def omega(self, elements: int) -> float | None:
        """omega of an unbiased operator on vectors of this length; None: it is biased."""
        return None

    def delta(self, elements: int) -> float | None:
        """delta of a contractive operator on vectors of this length; 0: it never expands; None: it may expand."""
        return None


@dataclass(frozen=True)
class Everything(Sparsifier):
    """Sends everything. omega = 0, delta = 1. block: elements in a block on the wire."""

    block: int = 32
    wide: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_block(self.block)

    def compress(self, x: F, draw: Generator) -> F:
        """Returns a copy."""
        refuse_non_finite_floats(x)
        return x.copy()

    def omega(self, elements: int) -> float:
        return 0.0

    def delta(self, elements: int) -> float:
        return 1.0


@dataclass(frozen=True)
class Share(Sparsifier):
    """Sends a share of the blocks: k = max(1, round(density * nb)), halves to even.

    Attributes:
        excess: at most excess * k blocks are sent.
    """

    density: float
    block: int = 1
    excess: ClassVar[float] = 1

    def __post_init__(self) -> None:
        """Raises ValueError for a density outside (0, 1], or a block below 1."""
        if not 0 < self.density <= 1:
            raise ValueError(f"density must be in (0, 1], not {self.density:g}")
        check_block(self.block)

    def blocks(self, elements: int) -> int:
        """nb for a vector of this length."""
        return -(-elements // self.block)

    def kept(self, blocks: int) -> int:
        """k: how many of `blocks` blocks are sent."""
        return min(blocks, max(1, round(self.density * blocks)))

    def most(self, elements: int) -> int:
        return min(elements, int(self.excess * self.kept(self.blocks(elements))) * self.block)

    def part(self, elements: int) -> float:
        """k / nb; 1 for empty vectors."""
        blocks = self.blocks(elements)
        return self.kept(blocks) / blocks if blocks else 1.0

    def delta(self, elements: int) -> float | None:
        return self.part(elements)


class TopK(Share):
    """The k blocks of largest l2 norm; ties go to the lower index. delta = k / nb.

    For elements: the top-k of [Mem-SGD]; with error feedback, TopK-SGD of [GaussianK], whose sharper bound |x - C(x)|^2
    <= (1 - k/d)^2 |x|^2 holds only for bell-shaped x and single elements. For blocks: Block Top-k of [OmniReduce].
    """

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        k = self.kept(self.blocks(len(x)))
        if self.block == 1:
            return keep_largest(x, k)
        return keep_largest_blocks(x, k, self.block)


class GaussianK(Share):
    """About k blocks: those above a threshold that k would exceed if the values were Gaussian (GaussianK-SGD,
    [GaussianK]).

    Elements are assumed to be N(mean, std), with a threshold for their magnitudes; norms of blocks are positive, so
    their threshold is one-sided. It is halved if fewer than 2/3 k exceed it, or raised by half if more than 4/3 k do,
    at most three times. If it then finds none, or more than 2 k, the k largest are selected exactly (TopK). So between
    1 and 2 k blocks are kept, those of largest norm: delta is at least 1 / nb.
    """

    excess: ClassVar[float] = 2

    def delta(self, elements: int) -> float:
        return 1 / max(1, self.blocks(elements))

    def compress(self, x: Vector, draw: Generator) -> Vector:
        k = self.kept(self.blocks(len(x)))
        if self.block == 1:
            return self._elements(x, k)
        refuse_non_finite(x)
        threshold, count = self._norms_threshold(x, k)
        if 0 < count <= 2 * k:
            return keep_blocks_above(x, threshold, self.block)
        return keep_largest_blocks(x, k, self.block)

    def _norms_threshold(self, x: Vector, k: int) -> tuple[float, int]:
        """The threshold for squared norms, and how many exceed it."""
        squares = squared_norms(x, self.block)
        threshold = _gaussian_threshold(len(squares), float(np.sqrt(squares).sum()), float(squares.sum()), self.density)
        for _ in range(3):
            square = max(0.0, threshold) ** 2
            count = int(np.count_nonzero(squares > square))
            if (factor := _correction(count, k)) == 1:
                break
            threshold *= factor
        return square, count

    def threshold(self, x: Vector) -> float:
        """The first threshold for magnitudes of elements."""
        # Two-sided: each tail has half of the density.
        return max(0.0, _gaussian_threshold(len(x), *moments(x), self.density / 2))

    def _elements(self, x: Vector, k: int) -> Vector:
        threshold = self.threshold(x)
        for last in (False, False, True):
            kept, count = keep_above(x, threshold)
            if (factor := _correction(count, k)) == 1 or (last and 0 < count <= 2 * k):
                return kept
            # Free the memory before the next try.
            del kept
            threshold *= factor
        return keep_largest(x, k)


@dataclass(frozen=True)
class RandK(Share):
    """k blocks drawn uniformly without replacement, times nb / k: omega = nb / k - 1.

    Attributes:
        shared: all workers keep the same blocks, so the union is no larger than one share, but the workers' variances
            do not average out.
        unscaled: do not multiply; delta = k / nb. Error feedback and [IBGD] need this.
    """

    shared: bool = False
    unscaled: bool = False

    @property
    def selects(self) -> bool:
        return self.unscaled

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        blocks = self.blocks(len(x))
        selected = np.zeros(blocks, bool)
        k = self.kept(blocks)
        selected[draw.choice(blocks, k, replace=False, shuffle=False) if blocks else []] = True
        kept = keep_blocks(x, selected, self.block)
        return kept if self.unscaled else _scaled(kept, blocks / max(k, 1))

    def omega(self, elements: int) -> float | None:
        return None if self.unscaled else 1 / self.part(elements) - 1

    def delta(self, elements: int) -> float | None:
        return self.part(elements) if self.unscaled else None


class PermK(Sparsifier):
    """The blocks are dealt at random to the n workers, which send those that they got, times n ([PermK]).

    All draw the same permutation, so each block is sent once. On one vector it is RandK: omega = n - 1. On all of them,
    E|mean C(x_i) - mean x_i|^2 = mean |x_i|^2 - |mean x_i|^2 (the paper's AB inequality, with A = B = 1 and equality):
    the mean of equal vectors is exact.

    The number of blocks need not be a multiple of n: who gets one more, or any, is drawn, too.
    """

    shared = True

    def __init__(self, block: int = 1) -> None:
        check_block(block)
        self.block, self._workers = block, 1

    @property
    def selects(self) -> bool:
        return False

    def join(self, workers: int) -> None:
        self._workers = workers

    def compress(self, x: Vector, draw: Generator, rank: int = 0) -> Vector:
        """rank: whose blocks are sent."""
        refuse_non_finite(x)
        holders = (draw.permutation(-(-len(x) // self.block)) + draw.integers(self._workers)) % self._workers
        return _scaled(keep_blocks(x, holders == rank, self.block), self._workers)

    def select(self, vectors: Rows, draws: Sequence[Generator], group: Group, step: int) -> Rows:
        each = zip(vectors, draws, group.ranks, strict=True)
        return stacked([self.compress(vector, draw, rank) for vector, draw, rank in each])

    def most(self, elements: int) -> int:
        return min(elements, -(-elements // self.block // self._workers) * self.block)

    def omega(self, elements: int) -> float:
        return self._workers - 1.0


@dataclass(frozen=True)
class Threshold(Sparsifier):
    """The blocks that have a magnitude above `value` (Block Threshold of [OmniReduce]). An absolute compressor,
    |x - C(x)|^2 <= d value^2, so neither unbiased nor contractive: how much is sent depends on the scale of x. It never
    expands: delta = 0."""

    value: float
    block: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.value < np.inf:
            raise ValueError(f"the threshold must be a magnitude, 0 or larger, not {self.value:g}")
        check_block(self.block)

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        kept, _ = keep_above(x, self.value)
        if self.block == 1:
            return kept
        return keep_blocks(x, squared_norms(kept, self.block) > 0, self.block)

    def delta(self, elements: int) -> float:
        return 0.0


@dataclass(frozen=True)
class Dgc(Share):
    """About k elements: those above a threshold that is found in a sample ([DGC]).

    The sample is every hundredth element (more if that is too few), from a random start. The threshold falls by a fifth
    while fewer than 0.8 k elements reach it, at most ten times; if more than 1.3 k do, the k largest are selected
    exactly. It usually keeps between 0.8 and 1.3 k, and always the largest: delta is at least 1 / d. Its memory in the
    paper is `momentum`.
    """

    excess: ClassVar[float] = 1.3

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        if not len(x):
            return x.copy()
        k = self.kept(len(x))
        stride = min(100, k)
        sample = np.abs(x[draw.integers(stride) :: stride])
        rank = len(sample) - self.kept(len(sample))
        threshold = np.partition(sample, rank)[rank]
        for _ in range(10):
            # Keep elements equal to the threshold, too.
            kept, count = keep_above(x, float(np.nextafter(threshold, np.float32(0))))
            if count >= 0.8 * k:
                break
            threshold *= np.float32(0.8)
        return kept if count <= self.excess * k else keep_largest(x, k)

    def delta(self, elements: int) -> float:
        return 1 / max(1, elements)


class GTopK(TopK):
    """The k largest elements of the sum of the workers' k largest ([gTop-k]).

    Along a binary tree of workers, two k-element vectors are added, and the k largest elements of the sum move up. This
    merge is not an addition, so all workers gather the (index, value) pairs and walk the tree themselves. That decides
    the indices, at which the switch adds up the workers' elements. The rest stays in the error feedback. On one vector
    this is TopK; for several there is no constant, but it never expands: delta = 0.
    """

    def delta(self, elements: int) -> float:
        return 0.0

    def select(self, vectors: Rows, draws: Sequence[Generator], group: Group, step: int) -> Rows:
        rows = super().select(vectors, draws, group, step)
        k = self.kept(rows.shape[1])
        pairs = np.stack([_pairs(row, k) for row in rows])
        branches = [
            dict(zip(row[:k].tolist(), row[k:].view(np.float32), strict=True)) for row in group.all_gather(pairs)
        ]
        while len(branches) > 1:
            merged = [_merge(branches[i], branches[i + 1], k) for i in range(0, len(branches) - 1, 2)]
            branches = merged + branches[len(merged) * 2 :]
        kept = np.zeros_like(rows)
        indices = list(branches[0])
        kept[:, indices] = rows[:, indices]
        return kept


class CltK(TopK):
    """The k blocks that one worker, the leader, would send as TopK: all workers send these (CLT-k of [ScaleCom]). The
    workers lead in turn, worker t mod n in step t. So the union has k blocks, not up to n k.

    With error feedback, the memories of the workers become similar, and so do their largest blocks. The leader's error
    has the delta of TopK. The other workers have no such constant, but their vectors never expand: delta = 0.

    The leader sends the blocks' numbers, or a bit for each block if that is shorter: the others add zeros.
    """

    def select(self, vectors: Rows, draws: Sequence[Generator], group: Group, step: int) -> Rows:
        for vector in vectors:
            refuse_non_finite(vector)
        leader = step % group.size
        chosen = self._choice(vectors, draws, group, leader)
        if leader not in (present := group.contributors):
            # It is late, or it has left.
            chosen = self._choice(vectors, draws, group, present[step % len(present)])
        return stacked([keep_blocks(vector, chosen, self.block) for vector in vectors])

    def _choice(self, vectors: Rows, draws: Sequence[Generator], group: Group, leader: int) -> NDArray[np.bool_]:
        """The blocks that the leader chooses, shape (nb,)."""
        blocks = self.blocks(vectors.shape[1])
        words = -(-blocks // 32)
        k = self.kept(blocks)
        numbers = k <= words
        message = np.zeros((len(vectors), k if numbers else words), np.int32)
        if leader in group.ranks:
            at = group.ranks.index(leader)
            chosen = squared_norms(self.compress(vectors[at], draws[at]), self.block) > 0
            if numbers:
                # From 1: the words of the others, and those that a vector of few blocks does not need, are 0.
                held = 1 + np.flatnonzero(chosen)
                message[at, : len(held)] = held
            else:
                message[at] = np.packbits(np.pad(chosen, (0, 32 * words - blocks))).view(np.int32)
        total = group.all_reduce(message)
        if numbers:
            marked = np.zeros(1 + blocks, bool)
            marked[total] = True
            return marked[1:]
        return np.unpackbits(total.view(np.uint8), count=blocks).astype(bool)

    def delta(self, elements: int) -> float:
        return 0.0


def check_block(block: int) -> None:
    if block < 1:
        raise ValueError(f"a block must have at least 1 element, not {block}")


def _gaussian_threshold(count: int, total: float, squares: float, tail: float) -> float:
    """The threshold that a share `tail` of `count` Gaussian values exceeds. total, squares: their sum, and the sum of
    their squares."""
    if tail == 1:
        return -math.inf
    mean = total / max(count, 1)
    variance = max(0.0, squares - total * mean) / max(count - 1, 1)
    return mean - NormalDist().inv_cdf(max(tail, 1e-300)) * math.sqrt(variance)


def _correction(count: int, k: int) -> float:
    """The factor for a threshold that `count` elements exceed."""
    if count < 2 * k / 3:
        return 0.5
    return 1.5 if count > 4 * k / 3 else 1.0


def _scaled(x: Vector, factor: float) -> Vector:
    """Multiplies `x` in place, and clips it to finite float32."""
    limit = np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        np.multiply(x, np.float32(factor), out=x)
    return np.clip(x, -limit, limit, out=x)


def _pairs(x: Vector, k: int) -> NDArray[np.int32]:
    """The indices and values of up to `k` non-zero elements, padded with zero elements: shape (2 k,)."""
    held = np.flatnonzero(x)
    if len(held) < k:
        held = np.concatenate([held, np.flatnonzero(x == 0)[: k - len(held)]])
    return np.concatenate([held.astype(np.int32), x[held].view(np.int32)])


def _merge(a: dict[int, np.float32], b: dict[int, np.float32], k: int) -> dict[int, np.float32]:
    """The `k` largest elements of the sum of two sparse vectors; ties go to the lower index."""
    total = a | {index: a.get(index, np.float32(0)) + value for index, value in b.items()}
    return dict(sorted(total.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:k])
