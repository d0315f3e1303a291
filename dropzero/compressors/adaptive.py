"""Sparsifiers that choose for each vector how much to send: as much as pays.

If f is L-smooth and the step is 1/L, sending C(g) instead of the gradient g lowers the bound on f by gain |g|^2 /
(2 L). More elements have a larger gain and a larger cost. Communication-aware tuning ([CAT]) takes the number with the
largest gain per cost, anew for every worker and step. All but `RandCat` are contractive: delta is the gain, which
depends on the vector, and is at least that of one element.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.cost import Cost
from dropzero.compressors.network import Group
from dropzero.compressors.quantizers import probabilities
from dropzero.compressors.sparsifiers import Sparsifier, check_block
from dropzero.compressors.vectors import (
    Rows,
    Vector,
    keep_largest,
    keep_largest_blocks,
    refuse_non_finite,
    squared_norms,
)
from dropzero.protocol.wire import PACKET_ELEMENTS

FLOAT_BITS = 32
PACKET_BITS = 32 * PACKET_ELEMENTS


@dataclass(frozen=True)
class Tuned(Sparsifier, ABC):
    """T elements, T = argmax gain(T) / cost(T): the most descent per bit or per packet ([CAT]).

    The cost is that of (index, value) pairs, T (ceil log2 d + 32) bits. (Dropzero sends the elements as fixed-point
    blocks.)

    Attributes:
        packets: the cost is the number of packets for these bits instead.
        overhead: the cost of a message without elements, in packets.
        count: a fixed T, for comparison; 0: the best one.
    """

    packets: bool = False
    overhead: float = 0.0
    count: int = 0

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError(f"a fixed number of elements must be at least 1, not {self.count}")
        if not 0 <= self.overhead < np.inf:
            raise ValueError(f"the overhead must be a number of packets, 0 or larger, not {self.overhead:g}")

    @abstractmethod
    def gains(self, magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gains of sending 1, 2, ... elements of a vector with these magnitudes > 0, in descending order; both of
        shape (t,)."""

    @abstractmethod
    def take(self, x: Vector, count: int, draw: Generator) -> Vector:
        """Returns the vector to send for `x`: `count` of its elements, which has at least as many non-zero ones."""

    def bits(self, index: int, count: NDArray[np.float64]) -> NDArray[np.float64]:
        """The bits of `count` elements, shape (t,), with indices of `index` bits."""
        return count * (index + FLOAT_BITS)

    def costs(self, elements: int) -> NDArray[np.float64]:
        """The costs of sending 1 to `elements` elements, in bits or packets, shape (elements,)."""
        bits = self.bits(max(1, elements - 1).bit_length(), np.arange(1, elements + 1, dtype=np.float64))
        return np.ceil(bits / PACKET_BITS) + self.overhead if self.packets else bits

    def worth(self, x: Vector) -> NDArray[np.float64]:
        """The gain per cost of sending 1, 2, ... of the t elements of `x` that are not zero, shape (t,)."""
        magnitudes = _descending(x)[: np.count_nonzero(x)]
        return self.gains(magnitudes) / self.costs(len(x))[: len(magnitudes)]

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        some = int(np.count_nonzero(x))
        if not some:
            return x.copy()
        if self.count:
            return self.take(x, min(self.count, some), draw)
        worth = self.worth(x)
        # If several numbers are equally good, up to rounding, take the largest: it needs the fewest steps.
        return self.take(x, 1 + int(np.flatnonzero(worth >= worth.max() * (1 - 1e-12))[-1]), draw)


@dataclass(frozen=True)
class Cat(Tuned):
    """The T largest elements ([CAT]).

    S (sparsify): C(g) = g there, gain = sum of their squares / |g|^2. S+Q (`signs`): C(g) = (their mean magnitude) sign
    g, gain = (sum of their magnitudes)^2 / (T |g|^2); this is the paper's |g| sign g with its step folded in, so both
    take 1/L. Signs cost 32 + T (ceil log2 d + 1) bits. If only bits count, S takes one element, because the gain per
    element falls with T.
    """

    signs: bool = False

    def gains(self, magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
        squares = np.square(magnitudes)
        gains: NDArray[np.float64] = np.cumsum(squares) / squares.sum()
        if self.signs:
            gains = np.cumsum(magnitudes) ** 2 / np.arange(1, len(magnitudes) + 1) / squares.sum()
        return gains

    def take(self, x: Vector, count: int, draw: Generator) -> Vector:
        return _kept(x, count, self.signs)

    def bits(self, index: int, count: NDArray[np.float64]) -> NDArray[np.float64]:
        return FLOAT_BITS + count * (index + 1) if self.signs else super().bits(index, count)

    @property
    def selects(self) -> bool:
        return not self.signs

    def most(self, elements: int) -> int:
        return min(self.count or elements, elements)

    def usual(self, elements: int) -> int:
        return self.most(elements) if self.signs or self.packets or self.count else 1

    def delta(self, elements: int) -> float:
        """1 / d; for a fixed T, T / d, and for its signs the larger of 1 / (T d) and T / d^2."""
        elements, count = max(1, elements), self.most(elements)
        if not self.count:
            return 1 / elements
        return max(1 / count, count / elements) / elements if self.signs else count / elements


@dataclass(frozen=True)
class RandCat(Tuned):
    """About T random elements: element j with probability p_j = min(1, c |g_j|), where c makes these add up to T, times
    1 / p_j (stochastic sparsification of [CAT]).

    E|C(g)|^2 = sum g_j^2 / p_j, the least for any p that add up to T; gain = |g|^2 / that, at least T / d. Unbiased,
    omega = d / T - 1, for steps of gain / L. `contractive`: multiplied by the gain, which folds that step in; delta =
    T / d. If only bits count, every T up to |g|_1 / |g|_inf is worth the same; the largest of these is taken.
    """

    contractive: bool = False

    def gains(self, magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
        squares, count = np.square(magnitudes), np.arange(1, len(magnitudes) + 1)
        rest = np.cumsum(magnitudes[::-1])[::-1]
        # The largest elements have p = 1: as many as keep the others' (T - sure) |g_j| / rest from exceeding it.
        most = np.maximum.accumulate(np.arange(len(magnitudes)) + rest / magnitudes)
        sure = np.searchsorted(most, count)
        second_moments = np.cumsum(squares)[sure] - squares[sure] + np.square(rest[sure]) / (count - sure)
        gains: NDArray[np.float64] = squares.sum() / second_moments
        return gains

    def take(self, x: Vector, count: int, draw: Generator) -> Vector:
        values = x.astype(np.float64)
        odds = probabilities(np.abs(values), count)
        scaled = np.divide(values, odds, out=np.zeros_like(values), where=odds > 0)
        if self.contractive:
            scaled *= np.square(values).sum() / (values @ scaled)
        scaled[draw.random(len(x)) >= odds] = 0
        limit = np.finfo(np.float32).max
        return np.clip(scaled, -limit, limit).astype(np.float32)

    @property
    def selects(self) -> bool:
        return False

    def omega(self, elements: int) -> float | None:
        return None if self.contractive else max(1, elements) / self._least(elements) - 1

    def delta(self, elements: int) -> float | None:
        return self._least(elements) / max(1, elements) if self.contractive else None

    def _least(self, elements: int) -> int:
        return max(1, min(self.count, elements))


class Dynamic(Sparsifier):
    """The T = min {T : |g_T|_1 >= |g|_2} largest elements, as signs times their mean magnitude ([Sparsified],
    [Dynamic]). T is at most ceil(sqrt d)."""

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        magnitudes = _descending(x)
        if not magnitudes.any():
            return x.copy()
        # Rounding of the norm must not require more than the sum of all magnitudes.
        enough = np.cumsum(magnitudes) >= np.sqrt(np.square(magnitudes).sum()) * (1 - 1e-12)
        return _kept(x, 1 + int(np.argmax(enough)), signs=True)

    @property
    def selects(self) -> bool:
        return False

    def most(self, elements: int) -> int:
        return math.ceil(math.sqrt(elements))

    def delta(self, elements: int) -> float:
        return 1 / max(1, self.most(elements))


class BlockCat(Sparsifier):
    """[CAT] for a switch that skips blocks: the k blocks of largest norm, k = argmin seconds(k) (1 + delay (1 / gain(k)
    - 1)), by the seconds that a step takes on this network. Each worker chooses its own k in each step.

    With error feedback, the rest is not lost but late, by 1 / gain - 1 steps if gradients change slowly. `delay` is the
    cost of a step of delay, in steps. 1: the rest is lost, and k = argmax gain(k) / seconds(k), as in [CAT].

    The seconds are a line in U, the blocks of the sum: see `Cost`. The workers' blocks overlap, so that U = nb (1 - (1
    - k / nb)^overlap). Steps send DITHER times more and less than k in turn, because only sums of different lengths
    tell what a block costs; all of this is training, and no other sums are made. The less is known, the nearer is k to
    DENSITY of the blocks, and the more differ the steps.

    Attributes:
        overhead: the cost of a message without blocks, in blocks; then nothing is measured. None: measure.
        cost: of a step.
        overlap: 1 if all workers send the same blocks, their number if they choose independently. NaN: not known.
    """

    local: ClassVar[tuple[str, ...]] = ("overlap", "sums")

    DENSITY = 0.1
    MOST = 0.2
    """The largest density, unless the rest is lost. A step with more of the blocks learns no more."""
    DITHER = 1.15
    UNSURE = 2.0
    """DITHER while nothing is known."""

    def __init__(self, block: int = 128, overhead: float | None = None, delay: float = 0.02) -> None:
        check_block(block)
        if overhead is not None and not 0 <= overhead < np.inf:
            raise ValueError(f"the overhead must be a number of blocks, 0 or larger, not {overhead:g}")
        if not 0 < delay <= 1:
            raise ValueError(f"the cost of a step's delay must be in (0, 1], not {delay:g}")
        self.block, self.overhead, self.delay = block, overhead, delay
        self.cost, self.overlap = Cost(), math.nan
        self._workers, self._step, self._sent = 1, 0, 0

    @property
    def sums(self) -> NDArray[np.float64]:
        """Those of the cost."""
        return self.cost.sums

    @sums.setter
    def sums(self, sums: NDArray[np.float64]) -> None:
        self.cost.sums = sums

    def join(self, workers: int) -> None:
        self._workers = workers

    def observe(self, total: Vector, seconds: float) -> None:
        if self.overhead is not None:
            return
        held = squared_norms(total, self.block) > 0
        blocks, union = len(held), int(np.count_nonzero(held))
        self.cost.observe(union, seconds)
        if 0 < self._sent <= union < blocks:
            found = math.log1p(-union / blocks) / math.log1p(-self._sent / blocks)
            self.overlap = found if math.isnan(self.overlap) else self.overlap + (found - self.overlap) / 8

    def select(self, vectors: Rows, draws: Sequence[Generator], group: Group, step: int) -> Rows:
        self._step = step
        return super().select(vectors, draws, group, step)

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        norms = squared_norms(x, self.block)
        if not norms.any():
            return x.copy()
        gains = np.cumsum(np.sort(norms)[::-1])
        steps = 1 + self.delay * (gains[-1] / gains - 1)
        counts = np.arange(1, len(norms) + 1)
        if self.overhead is None:
            self._sent = self._measured(counts, steps)
        else:
            self._sent = 1 + int(np.argmin((self.overhead + counts) * steps))
        return keep_largest_blocks(x, self._sent, self.block)

    def delta(self, elements: int) -> float:
        return 1 / max(1, -(-elements // self.block))

    def _measured(self, counts: NDArray[np.int64], steps: NDArray[np.float64]) -> int:
        """How many blocks to send, by the measured cost. counts: 1 to the number of all blocks. steps: for each count,
        how many steps training takes if all send that many, relative to sending everything."""
        line, blocks = self.cost.line(), len(counts)
        overlap = self._workers if math.isnan(self.overlap) else self.overlap
        union = blocks * -np.expm1(overlap * np.log1p(-np.minimum(counts / blocks, 1 - 1e-9)))
        most = blocks if self.delay == 1 else math.ceil(self.MOST * blocks)
        best = 1 + int(np.argmin((line.fixed + line.each * union[:most]) * steps[:most]))
        count = math.exp(line.sure * math.log(best) + (1 - line.sure) * math.log(self.DENSITY * blocks))
        dither = math.exp(line.sure * math.log(self.DITHER) + (1 - line.sure) * math.log(self.UNSURE))
        return min(blocks, max(1, round(count * (dither if self._step % 2 else 1 / dither))))


def _descending(x: Vector) -> NDArray[np.float64]:
    """The magnitudes in descending order."""
    return np.sort(np.abs(x))[::-1].astype(np.float64)


def _kept(x: Vector, count: int, signs: bool) -> Vector:
    """The largest elements, or their signs times their mean magnitude."""
    kept = keep_largest(x, count)
    return np.sign(kept) * np.float32(np.abs(kept).sum(dtype=np.float64) / count) if signs else kept
