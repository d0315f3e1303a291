"""THC: gradients as small integers in a rotated basis, with a scale that all workers share. The switch adds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.network import Group, largest
from dropzero.compressors.quantizers import MANTISSA, MOST, Quantizer, Sum, dithered, integer_sum
from dropzero.compressors.vectors import Floats, Vector, squared_norms, stacked
from dropzero.native.compilation import compiled
from dropzero.streams import stream

CLIPS = {2: 1.02, 3: 1.73, 4: 2.27, 5: 2.71, 6: 3.1, 7: 3.45, 8: 3.77}
"""By bits: the deviations at which clipping and rounding together have the least squared error, for N(0, 1)."""


@dataclass(frozen=True)
class Thc(Quantizer):
    """Rotates each bucket, clips its elements, and rounds them to multiples of a unit, without bias ([THC] sections 4
    and 5, with a uniform table).

    The rotation is a Hadamard transform after random signs, which all workers draw alike in each step. The elements of
    a rotated bucket of B elements x are nearly N(0, |x|^2 / B), whatever x is. So the workers agree on the largest norm
    of each bucket, before they compute anything else, and t / sqrt(B) of it becomes s = 2^(bits - 1) - 1 units. Rotated
    sums are sums of rotated vectors: the switch adds the integers, and each worker rotates their sum back.

    The paper's table maps 4 bits to numbers of 5 bits, which its switch looks up before it adds them. Our switch adds
    what it gets, so a table would save no byte, and the multiples are evenly spaced.

    Biased by the clipping: for N(0, 1), by 0.5 % of the squared norm with 4 bits. Over the random signs,
    E|error|^2 <= (1 - delta) |x|^2 for all workers' vectors together, see `delta`.

    Attributes:
        bits: of an integer; the sum of all workers' has more, 8, 16 or 32 bits on the wire.
        bucket: B, a power of two. A shorter vector has the next power of two; the last bucket is filled with zeros.
    """

    bits: int = 4
    bucket: int = 1024

    def __post_init__(self) -> None:
        if self.bits not in CLIPS:
            raise ValueError(f"there must be {min(CLIPS)} to {max(CLIPS)} bits, not {self.bits}")
        if not 8 <= self.bucket <= 4096 or self.bucket & (self.bucket - 1):
            raise ValueError(f"a bucket must have a power of two from 8 to 4096 elements, not {self.bucket}")

    @property
    def levels(self) -> int:
        return (1 << (self.bits - 1)) - 1

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        rows = rows.astype(np.float32, copy=False)
        elements = rows.shape[1]
        size = self._size(elements)
        # With the norms, the workers agree on the seed of the signs: the largest of their random numbers.
        most = MOST / (8 * group.size)
        found = [
            np.append(np.minimum(np.sqrt(squared_norms(row, size)), most), draw.random())
            for row, draw in zip(rows, draws, strict=True)
        ]
        *norms, seed = largest(np.array(found, np.float32), group)
        units = self._units(np.array(norms, np.float64), size, group.size)
        signs = stream(int(seed * 2**24), "rotation").choice(np.array([-1, 1], np.float32), size)
        same = np.ones(size, np.float32)
        to_units = np.divide(1, units, out=np.zeros_like(units), where=units > 0)
        codes = [
            dithered(rotated(row, to_units, signs, same), same[:1], self.levels, draw)
            for row, draw in zip(rows, draws, strict=True)
        ]
        values = stacked([row.astype(np.float32) for row in codes])
        total, *most_units = integer_sum(values, self.levels, block, group)
        back = units / size
        sent = stacked([rotated(row, back, same, signs)[:elements] for row in values])
        return Sum(rotated(total, back, same, signs)[:elements], sent, *most_units)

    def _size(self, elements: int) -> int:
        return min(self.bucket, max(8, 1 << (elements - 1).bit_length()))

    def _units(self, norms: NDArray[np.float64], size: int, workers: int) -> NDArray[np.float64]:
        """The units of the buckets, (nb,), from their norms, for the transform without its factor 1 / sqrt(B). They are
        rounded up to so few bits that float32 holds all multiples that occur, and the sums are exact."""
        units = norms * (CLIPS[self.bits] / self.levels)
        _, exponents = np.frexp(units)
        grain = np.ldexp(1.0, np.maximum(exponents - self._significant(size, workers), size.bit_length() - 150))
        rounded: NDArray[np.float64] = np.ceil(units / grain) * grain
        return rounded

    def _significant(self, size: int, workers: int) -> int:
        return max(1, MANTISSA - (size * workers * self.levels).bit_length())

    def delta(self, elements: int, workers: int) -> float | None:
        """Rotated elements are sub-Gaussian: P(|y| > w sigma) <= 2 exp(-w^2 / 2). So the squared error of clipping them
        at t sigma is at most 4 (exp(-t^2 / 2) - t sqrt(pi / 2) erfc(t / sqrt(2))) of the squared norm.

        A unit u rounds an element y with a variance of at most u^2 / 4, and at most r y^2 + u^2 / (4 + 4 r) for all r.
        The first bounds that of the worker with the largest norm, the second that of the others; r is the one where
        both are r times all squared norms."""
        size = self._size(elements)
        clip = CLIPS[self.bits]
        unit = clip / self.levels * (1 + 2.0 ** (1 - self._significant(size, workers)))
        clipped = 4 * (math.exp(-(clip**2) / 2) - clip * math.sqrt(math.pi / 2) * math.erfc(clip / math.sqrt(2)))
        own = unit**2 / 4
        rounded = (own - 1 + math.sqrt((1 + own) ** 2 + (workers - 1) * unit**2)) / 2
        delta = 1 - clipped - rounded
        return delta if delta > 0 else None


def rotated(x: Vector, factors: NDArray[np.float64], before: Vector, after: Vector) -> Vector:
    """after * H(before * factor * x) in each bucket: H is the Hadamard transform of the length of `before` and `after`,
    without a factor; factors: (nb,). Fills the last bucket with zeros."""
    result = np.empty(len(factors) * len(before), np.float32)
    _rotate(x, factors, before, after, result)
    return result


@compiled
def _rotate(x: Vector, factors: NDArray[np.float64], before: Vector, after: Vector, rotated: Vector) -> None:
    size = len(before)
    for index in range(len(factors)):
        part, known = rotated[index * size : (index + 1) * size], x[index * size : (index + 1) * size]
        factor = factors[index]
        for i in range(len(known)):
            part[i] = np.float32(np.float64(known[i]) * factor) * before[i]
        part[len(known) :] = np.float32(0)
        # The first three halvings at once: loops over fewer than 8 neighbours are slow.
        for first in range(0, size, 8):
            x8 = part[first : first + 8]
            a, b, c, d = x8[0] + x8[1], x8[0] - x8[1], x8[2] + x8[3], x8[2] - x8[3]
            e, f, g, h = x8[4] + x8[5], x8[4] - x8[5], x8[6] + x8[7], x8[6] - x8[7]
            a, b, c, d = a + c, b + d, a - c, b - d
            e, f, g, h = e + g, f + h, e - g, f - h
            x8[0], x8[1], x8[2], x8[3] = a + e, b + f, c + g, d + h
            x8[4], x8[5], x8[6], x8[7] = a - e, b - f, c - g, d - h
        half = 8
        while half < size:
            for first in range(0, size, 2 * half):
                low, high = part[first : first + half], part[first + half : first + 2 * half]
                for i in range(half):
                    one, other = low[i], high[i]
                    low[i] = one + other
                    high[i] = one - other
            half *= 2
        for i in range(size):
            part[i] *= after[i]
