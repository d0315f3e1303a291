"""Quantizers: encode sparsified gradients as integers with scales, and add them up.

A switch can add integers with a common scale (fixed point, Dithering with a shared scale, Integers). Other messages
have a scale for each worker, or are not integers. The workers either gather all messages and add them up themselves, or
decode their own first and send it as fixed point.

Every class names its paper, and the class of its operator (see dropzero.compressors.sparsifiers).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.network import Group, largest, wire_block
from dropzero.compressors.packing import pack, unpack
from dropzero.compressors.part import Part
from dropzero.compressors.vectors import Floats, Rows, Vector, squared_norms, stacked, summable
from dropzero.native.compilation import compiled
from dropzero.protocol.tensor.fixedpoint import dequantize, magnitude_bits, quantize
from dropzero.protocol.wire import Width


class Sum(NamedTuple):
    """The sum of all workers' messages."""

    total: Floats
    """The sum of the decoded messages, shape (d,), float32 or float64; the same bits on every worker."""
    sent: Rows
    """The local workers' decoded messages, shape (k, d)."""
    largest: float = 0.0
    """Magnitude of the largest integer in the local workers' messages; 0 with fixed point."""
    largest_sum: float = 0.0
    """Magnitude of the largest integer in the switch's sum; 0 if it adds none, and with fixed point."""


class Quantizer(Part, ABC):
    """Encodes the workers' vectors and adds them up."""

    @abstractmethod
    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        """Sends the local workers' vectors, and adds up those of all workers.

        Args:
            rows: the local workers' vectors, shape (k, d).
            block: elements in a block.
            draws: a random generator for each local worker.
            exact: the total must be the sum of `sent`, without rounding.
        """

    def check(self, workers: int) -> None:
        """Raises ValueError if the sum of this many workers' messages does not fit."""

    def observe(self, total: Floats, workers: int) -> None:
        """Learns the sum that the optimizer got, shape (d,)."""

    def carried(self) -> Sequence[float]:
        """How many numbers travel for each parameter; empty: what travels are the blocks that are not zero."""
        return ()

    def omega(self, elements: int, workers: int) -> float | None:
        """omega of an unbiased operator on the vectors of `workers` workers together, each with `elements` non-zero
        elements; None: it is biased, or no constant is known."""
        return None

    def delta(self, elements: int, workers: int) -> float | None:
        """delta of a contractive operator, in the same way; None: it may expand, or no constant is known."""
        omega = self.omega(elements, workers)
        return None if omega is None or omega >= 1 else 1 - omega


@dataclass(frozen=True)
class FixedPoint(Quantizer):
    """Fixed point: w-bit integers with an exponent for each block, shared by all workers, as in [SwitchML].

    Deterministic: the error of an element is at most 2^-(w - 1 - ceil(log2 n)) of the block's largest power of two.
    With 32 bits this is neglected. With fewer, the sum comes with its exponents, so that each worker knows how its
    values were rounded, and its memory keeps the rest. Without a memory, 8 bits are too few for many workers. Exact
    totals are sums of integers that float32 can hold: with 32 bits, the workers first agree on the exponents (a maximum
    over the blocks), and round to fewer.

    Attributes:
        width: w.
        few_bits: accept fewer than 4 bits of magnitude, as 8 bits leave for more than 8 workers.
    """

    width: int = 32
    few_bits: bool = False

    def check(self, workers: int) -> None:
        magnitude_bits(self.width, workers, self.few_bits)

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        rows = rows.astype(np.float32, copy=False)
        block = wire_block(block, self.width)
        if self.width < 32:
            total, exponents = group.all_reduce_scaled(rows, block=block, width=self.width, few_bits=self.few_bits)
            bits = magnitude_bits(self.width, len(group.contributors), self.few_bits)
            return Sum(total, stacked([_rounded(row, exponents, block, bits) for row in rows]))
        if exact:
            bits = magnitude_bits(MANTISSA + 1, group.size, self.few_bits)
            shared = largest(stacked([_maxima(row, block) for row in rows]), group)
            exponents = (shared.view(np.uint32) >> 23).astype(np.uint8)
            rows = stacked([_rounded(row, exponents, block, bits) for row in rows])
        return Sum(group.all_reduce(rows, block=block), rows)

    def omega(self, elements: int, workers: int) -> float | None:
        return 0.0 if self.width == 32 else None

    def delta(self, elements: int, workers: int) -> float:
        """Rounding increases no element, and decreases the largest by at most 1 / (2^bits - 1)."""
        if self.width == 32:
            return 1.0
        loss = 1 / (2.0 ** magnitude_bits(self.width, workers, few_bits=True) - 1)
        return (1 - loss**2) / max(1, workers * elements)


@dataclass(frozen=True)
class Dithering(Quantizer):
    """Rounds each element to one of 2 s + 1 multiples of unit = scale / s: to a neighbour, drawn without bias.

    The scale is a norm of the vector: l2 and s levels in [QSGD] (section 3.1), the largest magnitude and s = 1 in
    [TernGrad], l_p and s = 1 in [DIANA] (Quant_p).

    With `own`, it is the worker's own norm, as in the papers. Integers with different scales cannot be added, so they
    are packed and gathered, and every worker adds them up. l2: omega = min(d / s^2, sqrt(d) / s), and sqrt(d) - 1 for
    s = 1; largest: (sqrt(d) - 1) / 2 for s = 1; l1: d - 1. For s = 1, exactly E|Q(x) - x|^2 = |x|_1 |x|_p - |x|^2.

    Otherwise the workers agree on one scale: the least power of two that is a unit for the largest norm, at most 2^127.
    The switch adds the integers, in as few bits as hold the sum. A worker with a small vector gets the noise of the
    largest one, so omega holds only for all n vectors together: largest: sqrt(n d); l2: min(n d / s^2,
    sqrt(d) (1 + sqrt(n)) / s), and sqrt(d) (1 + sqrt(n)) - 1 for s = 1, half of which is due to the power of two. If
    2^127 is too small for the vectors, omega does not hold.

    Attributes:
        levels: s.
        norm: 1, 2 or infinity (largest magnitude).
        own: use each worker's own scale.
        clip: first clip to this many standard deviations around 0 ([TernGrad]: 2.5), which is biased, and zeroes
            constant vectors; 0: do not clip.
        bucket: divide the vector into buckets of this many elements, each with its own scale (buckets in [QSGD] section
            4, blocks in [DIANA] section 3), so that omega is that of a bucket; 0: one scale for all elements.
    """

    levels: int = 1
    norm: float = 2.0
    own: bool = False
    clip: float = 0.0
    bucket: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.levels <= 127:
            raise ValueError(f"there must be 1 to 127 levels, not {self.levels}")
        if self.norm not in (1, 2, np.inf):
            raise ValueError(f"the norm must be 1, 2 or inf, not {self.norm:g}")
        if self.norm != 2 and self.levels > 1:
            raise ValueError("more than 1 level is possible only with the norm 2")
        if not 0 <= self.clip < np.inf:
            raise ValueError(f"clip must be a number of standard deviations, or 0 for none, not {self.clip:g}")
        if self.bucket < 0:
            raise ValueError(f"a bucket must have 1 or more elements, or 0 for all, not {self.bucket}")

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        if self.clip:
            rows = stacked([np.clip(row, -(limit := _deviation(row) * self.clip), limit) for row in rows])
        step = self.bucket or max(1, rows.shape[1])
        starts = range(0, max(1, rows.shape[1]), step)
        units = np.array([[self._unit(row[i : i + step]) for i in starts] for row in rows], np.float32)
        return self._gathered(rows, units, group, draws) if self.own else self._added(rows, units, block, group, draws)

    def _unit(self, row: Floats) -> np.float32:
        """The norm over s, rounded up, so that no element exceeds s units."""
        if self.norm == 1:
            norm = float(np.abs(row).sum(dtype=np.float64))
        elif self.norm == 2:
            norm = float(np.sqrt(squared_norms(row, 256).sum()))
        else:
            norm = float(max(row.max(initial=0), -row.min(initial=0)))
        exact = min(norm, MOST) / self.levels
        unit = np.float32(exact)
        return unit if float(unit) >= exact else np.nextafter(unit, np.float32(np.inf))

    def _added(
        self, rows: Floats, units: NDArray[np.float32], block: int, group: Group, draws: Sequence[Generator]
    ) -> Sum:
        shared = np.array([_power_of_two(float(unit)) for unit in largest(units, group)], np.float32)
        codes = np.array(
            [dithered(row, shared, self.levels, draw, self.bucket) for row, draw in zip(rows, draws, strict=True)]
        )
        values = codes.astype(np.float32)
        total, *largest_codes = integer_sum(values, self.levels, block, group)
        scales = self._scales(shared, rows.shape[1])
        return Sum(total * scales, values * scales, *largest_codes)

    def _scales(self, units: NDArray[np.float32], elements: int) -> NDArray[np.float32]:
        """The unit of each element, shape (d,), or of all elements, shape (1,)."""
        return np.repeat(units, self.bucket)[:elements] if self.bucket else units

    def _gathered(self, rows: Floats, units: NDArray[np.float32], group: Group, draws: Sequence[Generator]) -> Sum:
        codes = [
            dithered(row, unit, self.levels, draw, self.bucket)
            for row, unit, draw in zip(rows, units, draws, strict=True)
        ]
        messages = [
            np.append(unit.view(np.int32), pack(row, self.levels)) for row, unit in zip(codes, units, strict=True)
        ]
        buckets = units.shape[1]

        def decode(message: NDArray[np.int32]) -> Vector:
            codes: Vector = unpack(message[buckets:], self.levels, rows.shape[1]).astype(np.float32)
            return codes * self._scales(message[:buckets].view(np.float32), rows.shape[1])

        return Sum(*_gathered(messages, decode, group), float(max(np.abs(row).max(initial=0) for row in codes)))

    def omega(self, elements: int, workers: int) -> float | None:
        if self.clip:
            return None
        elements = min(elements, self.bucket or elements)
        # With their own scales, each worker counts by itself; else all together, at a scale up to twice as large.
        vectors, doubled = (1, 1) if self.own else (workers, 2)
        root = math.sqrt(elements)
        if self.norm == 1:
            return elements - 1.0
        if self.norm == np.inf:
            return max(0.0, doubled * (1 + math.sqrt(vectors * elements)) / 2 - 1)
        bound = doubled * root * (1 + math.sqrt(vectors)) / 2 / self.levels
        return min(vectors * elements / self.levels**2, bound) if self.levels > 1 else max(0.0, bound - 1)


class Integers(Quantizer):
    """IntSGD; after a Shift memory, IntDIANA ([IntSGD]).

    a x is rounded to a neighbouring integer, drawn without bias: E|error|^2 <= d / (4 a^2). The scale a is not
    exchanged: every worker computes it from what all know, as sqrt(d) / sqrt(2 n r), rounded to a power of two, where r
    is a moving average of the squared norm of the mean gradient, i.e. of the last steps' lengths. The first vector is
    sent as fixed point.

    With 32 bits, the integers wrap, so only their sum must fit. With 16 or 8, they are clipped so that it does. If the
    workers' gradients do not vanish at the optimum, a and the integers grow without bound; the differences of DIANA
    stay small.

    Attributes:
        scale: a; 0 before the first step.
        squared: r.
    """

    common: ClassVar[tuple[str, ...]] = ("scale", "squared")

    def __init__(self, width: int = 32, beta: float = 0.9) -> None:
        """width: bits of an integer. beta: the weight of the past in the moving average."""
        if width not in (8, 16, 32):
            raise ValueError(f"integers must have 8, 16 or 32 bits, not {width}")
        if not 0 <= beta < 1:
            raise ValueError(f"beta must be in [0, 1), not {beta:g}")
        self.width, self.beta = width, beta
        self.scale = 0.0
        self.squared = 0.0

    def check(self, workers: int) -> None:
        magnitude_bits(self.width, workers, few_bits=True)

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        if not self.scale:
            return FixedPoint().add(rows, block, group, draws, exact)
        scaled = rows * np.float64(self.scale)
        whole = np.floor(scaled)
        for row, part, draw in zip(whole, scaled, draws, strict=True):
            row += draw.random(len(row)) < part - row
        most = float(np.abs(whole).max(initial=0))
        block = wire_block(block, self.width)
        if self.width == 32:
            # Integers wrap from 64 bits to 32.
            codes = np.clip(whole, -(2.0**62), 2.0**62).astype(np.int64).astype(np.int32)
            total = group.all_reduce(codes, block=block)
        else:
            limit = 2.0 ** magnitude_bits(self.width, group.size, few_bits=True) - 1
            whole = np.clip(whole, -limit, limit)
            # As floats, whose exponents leave the integers unchanged.
            total = group.all_reduce(whole.astype(np.float32), block=block, width=self.width, few_bits=True)
        together = float(np.abs(total.astype(np.float64)).max(initial=0))
        return Sum(total / self.scale, (whole / self.scale).astype(np.float32), most, together)

    def observe(self, total: Floats, workers: int) -> None:
        squared = float(np.square(total, dtype=np.float64).sum()) / workers**2
        self.squared = self.beta * self.squared + (1 - self.beta) * squared if self.scale else squared
        if self.squared:
            self.scale = _power_of_two((len(total) / (2 * workers * self.squared)) ** 0.5)


class OneBit(Quantizer):
    """The signs, and two values for them: the means of the negative elements and of the others ([1-bit]).

    One bit per element, packed, gathered, and decoded by every worker: each worker has its own means, so the switch
    cannot add. Biased: needs error feedback. As each sign's elements are replaced by their mean, the error is
    orthogonal to the result, so |x - C(x)|^2 = |x|^2 - |C(x)|^2, and |C(x)|^2 >= |x|_1^2 / d: delta is at least 1 / d.
    """

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        def encode(row: Floats) -> NDArray[np.int32]:
            negative = row < 0
            means = [row[side].mean(dtype=np.float64) if side.any() else 0.0 for side in (negative, ~negative)]
            signs = np.packbits(negative, bitorder="little")
            return np.concatenate(
                [np.array(means, np.float32).view(np.int32), np.pad(signs, (0, -len(signs) % 4)).view(np.int32)]
            )

        def decode(message: NDArray[np.int32]) -> Vector:
            means, signs = message[:2].view(np.float32), message[2:].view(np.uint8)
            negative = np.unpackbits(signs, count=rows.shape[1], bitorder="little")
            return np.asarray(np.where(negative, means[0], means[1]))

        return Sum(*_gathered([encode(row) for row in rows], decode, group))

    def delta(self, elements: int, workers: int) -> float:
        return 1 / max(1, elements)


class Majority(Quantizer):
    """The signs of the elements, and then the sign of their sum: a majority vote ([signSGD] algorithm 3).

    The switch adds the signs. Each worker takes the sign of the sum, times n, so that the mean is a sign.
    That is not the sum of the messages: there is neither omega nor delta, and no memory can follow.
    """

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        signs = np.sign(rows).astype(np.float32)
        votes, *most = integer_sum(signs, 1, block, group)
        return Sum(np.sign(votes) * np.float32(group.size), signs, *most)


class Natural(Quantizer):
    """Rounds to a neighbouring power of two, without bias: C_nat of [Natural]. omega = 1/8.

    A switch cannot add its 9 bits per element, so they are decoded first and sent as fixed point.
    """

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        decoded = stacked([_natural(row, draw) for row, draw in zip(rows, draws, strict=True)])
        return FixedPoint().add(decoded, block, group, draws, exact)

    def omega(self, elements: int, workers: int) -> float:
        return 1 / 8


@dataclass(frozen=True)
class Atomo(Quantizer):
    """Keeps about s of a matrix's singular triples, each with probability p_i and divided by it ([ATOMO] algorithm 1).

    The vector fills a nearly square matrix, row by row. p_i = s lambda_i / |lambda|_1, where those above 1 are set to 1
    and the others raised until all add up to s. Unbiased, with variance sum lambda^2 / p - |lambda|^2, so omega =
    r / s - 1 for r singular values.

    The workers' triples have different bases, so they are decoded first and sent as fixed point.

    Attributes:
        atoms: s.
    """

    atoms: int = 1

    def __post_init__(self) -> None:
        if self.atoms < 1:
            raise ValueError(f"at least 1 atom must be kept, not {self.atoms}")

    def add(self, rows: Floats, block: int, group: Group, draws: Sequence[Generator], exact: bool = False) -> Sum:
        decoded = stacked([self._sampled(row, draw, group.size) for row, draw in zip(rows, draws, strict=True)])
        return FixedPoint().add(decoded, block, group, draws, exact)

    def _sampled(self, row: Floats, draw: Generator, workers: int) -> Vector:
        height, width = nearly_square(len(row))
        matrix = np.pad(row.astype(np.float64), (0, height * width - len(row))).reshape(height, width)
        left, values, right = np.linalg.svd(matrix, full_matrices=False)
        odds = probabilities(values, self.atoms)
        kept = draw.random(len(values)) < odds
        matrix = (left[:, kept] * (values[kept] / odds[kept])) @ right[kept]
        # Values that were divided by small probabilities may be large.
        return summable(matrix.reshape(-1)[: len(row)], workers)

    def omega(self, elements: int, workers: int) -> float:
        return max(0.0, min(nearly_square(elements)) / self.atoms - 1)


def probabilities(values: NDArray[np.floating[Any]], atoms: int) -> NDArray[np.float64]:
    """Probabilities for singular values >= 0, both of shape (r,): proportional to them, at most 1, with the sum
    `atoms`, or the number of non-zero values if that is less."""
    odds = np.zeros(len(values))
    left = float(atoms)
    open_ = np.asarray(values) > 0
    while open_.any() and left > 0:
        share = left * np.where(open_, values, 0) / values[open_].sum(dtype=np.float64)
        sure = open_ & (share >= 1)
        if not sure.any():
            return np.where(open_, share, odds)
        odds[sure] = 1
        left -= np.count_nonzero(sure)
        open_ &= ~sure
    return odds


MOST = float(np.finfo(np.float32).max)
"""The largest float32."""
MANTISSA = 24
"""Bits of a float32's significand."""
_DICE = 1 << 16
"""Random numbers to draw at once; they fit into the processor's cache."""


def _gathered(
    messages: Sequence[NDArray[np.int32]], decode: Callable[[NDArray[np.int32]], Vector], group: Group
) -> tuple[Floats, Rows]:
    """Gathers all messages. Returns the sum of the decoded ones, in the order of the ranks, and the decoded local
    ones."""
    gathered = group.all_gather(np.array(messages))
    sent = stacked([decode(message) for message in messages])
    total = np.zeros(sent.shape[1])
    for message in gathered:
        total += decode(message)
    return total, sent


def integer_sum(integers: Rows, levels: int, block: int, group: Group) -> tuple[Vector, float, float]:
    """Adds up all workers' integers, whose magnitude is at most `levels`, in as few bits as hold the sum. As floats:
    their exponents leave integers unchanged. Returns the sum, and the largest magnitude in the local rows and in it."""
    needed = 1 + levels.bit_length() + (group.size - 1).bit_length()
    width = next(form.bits for form in reversed(Width) if form.bits >= needed)
    total = group.all_reduce(integers, block=wire_block(block, width), width=width, few_bits=True)
    most, together = (float(np.abs(each).max(initial=0)) for each in (integers, total))
    return total, most, together


def _power_of_two(value: float) -> float:
    """The least power of two >= `value`, from 2^-149 to 2^127; 0 for 0."""
    if not value:
        return 0.0
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(1.0, min(max(int(exponent) - (mantissa == 0.5), -149), 127)))


def _deviation(row: Floats) -> np.float32:
    return np.float32(row.std(dtype=np.float64)) if len(row) else np.float32(0)


def nearly_square(elements: int) -> tuple[int, int]:
    """The shape of a nearly square matrix for this many elements."""
    height = max(1, int(elements**0.5))
    return height, max(1, -(-elements // height))


def _maxima(row: Vector, block: int) -> Vector:
    """The blocks' largest magnitudes, shape (nb,)."""
    maxima = np.empty(-(-len(row) // block), np.float32)
    _find_maxima(row, block, maxima)
    return maxima


def _rounded(row: Vector, exponents: NDArray[np.uint8], block: int, bits: int) -> Vector:
    """The row, rounded to fixed point with these biased exponents of the blocks."""
    rounded = np.empty_like(row)
    _round(row, exponents, block, bits, np.empty(block, np.int64), rounded)
    return rounded


def dithered(
    row: Floats, units: NDArray[np.float32], levels: int, draw: Generator, bucket: int = 0
) -> NDArray[np.int8]:
    """Draws integers of magnitude at most `levels`, with expectation row / unit. units: those of the buckets, in order;
    if `bucket` is 0, that of all elements."""
    codes = np.zeros(len(row), np.int8)
    dice = np.empty(min(len(row), _DICE), np.float32)
    for start in range(0, len(row) if units.any() else 0, _DICE):
        end = min(start + _DICE, len(row))
        draw.random(out=dice[: end - start], dtype=np.float32)
        _dither(row, start, end, units, bucket or len(row), levels, dice, codes)
    return codes


def _natural(row: Floats, draw: Generator) -> Vector:
    mantissas, exponents = np.frexp(row.astype(np.float64))
    # 1/2 <= |mantissa| < 1: up to 2^exponent with probability 2 |mantissa| - 1, else down to half of it.
    up = draw.random(len(row)) < 2 * np.abs(mantissas) - 1
    # float32 cannot hold 2^128.
    powers: Vector = np.ldexp(np.sign(mantissas), np.minimum(exponents - ~up, 127)).astype(np.float32)
    return powers


@compiled
def _find_maxima(row: Vector, block: int, maxima: Vector) -> None:
    for index in range(len(maxima)):
        most = np.float32(0)
        for value in row[index * block : (index + 1) * block]:
            most = max(most, abs(value))
        maxima[index] = most


@compiled
def _round(
    row: Vector, exponents: NDArray[np.uint8], block: int, bits: int, integers: NDArray[np.int64], rounded: Vector
) -> None:
    """integers: memory for those of a block."""
    for index in range(len(exponents)):
        part, exponent = row[index * block : (index + 1) * block], int(exponents[index])
        if exponent or part.any():
            quantize(part, exponent, bits, integers[: len(part)])
            dequantize(integers[: len(part)], exponent, bits, rounded[index * block : (index + 1) * block])
        else:
            rounded[index * block : (index + 1) * block] = 0


@compiled
def _dither(
    row: Floats, start: int, end: int, units: Vector, bucket: int, levels: int, dice: Vector, codes: NDArray[np.int8]
) -> None:
    first = start
    while first < end:
        index = first // bucket
        last = min(end, (index + 1) * bucket)
        unit = np.float64(units[index])
        for i in range(first, last if unit else first):
            magnitude = abs(np.float64(row[i])) / unit
            level = min(np.floor(magnitude) + (dice[i - start] < magnitude - np.floor(magnitude)), np.float64(levels))
            codes[i] = np.int8(level if row[i] > 0 else -level)
        first = last
