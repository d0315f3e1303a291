"""Sparsifiers that choose for each vector how much to send: as much as pays.

With f L-smooth and a step of 1/L, sending C(g) of the gradient g lowers the bound on f by gain |g|^2 / (2 L). More
elements have a larger gain and a larger cost; communication-aware tuning ([CAT]) takes the number with the largest gain
per cost. All are contractive: delta is the gain, which depends on the vector, and is no less than that of one element.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.network import Group, largest, wire_block
from dropzero.compressors.sparsifiers import Sparsifier, check_block
from dropzero.compressors.vectors import Vector, keep_largest, keep_largest_blocks, refuse_non_finite, squared_norms
from dropzero.protocol.wire import COLUMNS, OUTER_BYTES, PACKET_ELEMENTS, payload_bytes

FLOAT_BITS = 32
PACKET_BITS = 32 * PACKET_ELEMENTS


@dataclass(frozen=True)
class Cat(Sparsifier):
    """The T largest elements, T = argmax gain(T) / cost(T).

    S (sparsify): C(g) = g there, gain = sum of their squares / |g|^2. S+Q (`signs`): C(g) = (their mean magnitude) sign
    g, gain = (sum of their magnitudes)^2 / (T |g|^2); that is the paper's |g| sign g with its step folded in, so both
    take 1/L.

    The cost is that of (index, value) pairs: T (ceil log2 d + 32) bits, and 32 + T (ceil log2 d + 1) for S+Q;
    `packets`: their number, at the data that a packet carries here, plus `overhead` packets' worth a message. In bits
    alone S takes one element, as the gain per element falls with T. Here the pairs travel as fixed-point blocks.

    `count`: a fixed T, to compare with; 0: the one that pays.
    """

    signs: bool = False
    packets: bool = False
    overhead: float = 0.0
    count: int = 0

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError(f"a fixed number of elements is at least 1, not {self.count}")
        if not 0 <= self.overhead < np.inf:
            raise ValueError(f"the overhead is a number of packets from 0 on, not {self.overhead:g}")

    def costs(self, elements: int) -> NDArray[np.float64]:
        """The costs of sending 1 to `elements` elements, in bits or packets, shape (elements,)."""
        count = np.arange(1, elements + 1, dtype=np.float64)
        index = max(1, elements - 1).bit_length()
        bits = FLOAT_BITS + count * (index + 1) if self.signs else count * (index + FLOAT_BITS)
        return np.ceil(bits / PACKET_BITS) + self.overhead if self.packets else bits

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        magnitudes = _descending(x)
        if not magnitudes.any():
            return x.copy()
        if self.count:
            return _kept(x, min(self.count, len(x)), self.signs)
        gains = np.cumsum(magnitudes) ** 2 / np.arange(1, len(x) + 1) if self.signs else np.cumsum(magnitudes**2)
        return _kept(x, 1 + int(np.argmax(gains / self.costs(len(x)))), self.signs)

    @property
    def selects(self) -> bool:
        return not self.signs

    def most(self, elements: int) -> int:
        return min(self.count or elements, elements)

    def delta(self, elements: int) -> float:
        """1 / d; for a fixed T, T / d, and for its signs the larger of 1 / (T d) and T / d^2."""
        elements, count = max(1, elements), self.most(elements)
        if not self.count:
            return 1 / elements
        return max(1 / count, count / elements) / elements if self.signs else count / elements


class Dynamic(Sparsifier):
    """The T = min {T : |g_T|_1 >= |g|_2} largest elements, as signs times their mean magnitude ([Sparsified],
    [Dynamic]). T is at most ceil(sqrt d)."""

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        magnitudes = _descending(x)
        if not magnitudes.any():
            return x.copy()
        # The first sums of magnitudes are below the norm, whose rounding must not ask for more than there is.
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
    """CAT for a switch that skips blocks: the k blocks of largest norm, k = argmax gain(k) / (overhead + k), at the
    network's own costs. A worker and a step have a k of their own.

    Attributes:
        overhead: what a message costs before its first block, in blocks. None: measure it. The workers time a sum of
            one block and one of many, three times each; the largest overhead of any worker counts. NaN until then.
    """

    common: ClassVar[tuple[str, ...]] = ("overhead",)

    PROBE = 512

    def __init__(self, block: int = 32, overhead: float | None = None) -> None:
        check_block(block)
        if overhead is not None and not 0 <= overhead < np.inf:
            raise ValueError(f"the overhead is a number of blocks from 0 on, not {overhead:g}")
        self.block = block
        self.overhead = math.nan if overhead is None else overhead

    def calibrate(self, elements: int, group: Group) -> None:
        if not math.isnan(self.overhead):
            return
        blocks = min(self.PROBE, -(-elements // self.block))
        one, many = (self._seconds(count, blocks, group) for count in (1, blocks))
        each = (many - one) / (blocks - 1) if blocks > 1 else 0.0
        # Too fast to measure: take the bytes of a packet's headers over those of a block.
        by_bytes = (OUTER_BYTES + payload_bytes(COLUMNS, 0)) / (4 * self.block)
        own = max(0.0, one / each - 1) if each > 0 else by_bytes
        # The workers share one network, and one overhead.
        self.overhead = float(largest(np.full((len(group.ranks), 1), own, np.float32), group)[0])

    def _seconds(self, count: int, blocks: int, group: Group) -> float:
        """How long a sum takes of arrays with `count` of `blocks` blocks non-zero."""
        rows = np.zeros((len(group.ranks), blocks * self.block), np.float32)
        rows[:, : count * self.block] = 1
        taken = []
        for _ in range(3):
            start = group.seconds
            group.all_reduce(rows, block=wire_block(self.block, 32))
            taken.append(group.seconds - start)
        return min(taken)

    def compress(self, x: Vector, draw: Generator) -> Vector:
        refuse_non_finite(x)
        norms = squared_norms(x, self.block)
        if not norms.any():
            return x.copy()
        gains = np.cumsum(np.sort(norms)[::-1])
        costs = self.overhead + np.arange(1, len(norms) + 1)
        return keep_largest_blocks(x, 1 + int(np.argmax(gains / costs)), self.block)

    def delta(self, elements: int) -> float:
        return 1 / max(1, -(-elements // self.block))


def _descending(x: Vector) -> NDArray[np.float64]:
    """The magnitudes in descending order."""
    return np.sort(np.abs(x))[::-1].astype(np.float64)


def _kept(x: Vector, count: int, signs: bool) -> Vector:
    """The largest elements, or their signs times their mean magnitude."""
    kept = keep_largest(x, count)
    return np.sign(kept) * np.float32(np.abs(kept).sum(dtype=np.float64) / count) if signs else kept
