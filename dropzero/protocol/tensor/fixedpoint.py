"""Block floating point: converts float32 blocks to integers that a switch can add.

All workers scale a block by the same power of two, so that the sum of N blocks fits into the element's w bits (32, 16
or 8): with every |x| < 2^e, k = ceil(log2 N) and m = w - 1 - k, q = rint(x * 2^(m - e)), clipped to |q| < 2^m, hence
|sum| < 2^(w - 1). Partial sums may overflow, because additions wrap. [SwitchML] scales by (2^31 - 1) / (N 2^e) instead.
A power of two costs less than one bit and makes the scaling itself exact. Two errors remain: rounding, at most
2^-(m + 1) of 2^e, and clipping, at most as much again, and none at 32 bits.

Exponents are handled as they are sent: biased, e + 126. That is the exponent field of the block's largest element. As
in IEEE 754, 255 means that an element is a NaN or infinite; such a block has no sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import external
from dropzero.protocol.wire import EXPONENT_BIAS

NAN = np.uint32(0x7FC00000)
"""The bit pattern of the elements of a block that has no sum."""

_ldexp = external("ldexp", "float64(float64, intc)")

LEAST_BITS = 4
"""Fewest bits of magnitude, unless a call accepts fewer. With 3, sums of Gaussian vectors are off by a fifth."""


def magnitude_bits(width: int, workers: int, few_bits: bool = False) -> int:
    """The bits of magnitude of one worker's element (m above), for elements of `width` bits.

    Raises:
        ValueError: no bits are left, or fewer than LEAST_BITS without `few_bits`.
    """
    bits = width - 1 - (workers - 1).bit_length()
    if bits < 1:
        raise ValueError(f"the sum of {workers} workers' elements does not fit into {width} bits")
    if bits < LEAST_BITS and not few_bits:
        raise ValueError(
            f"elements of {width} bits have only {bits} bit{'s' if bits > 1 else ''} of magnitude with "
            f"{workers} workers: "
            "use a larger width, or accept this with few_bits"
        )
    return bits


@compiled
def biased_exponent(patterns: NDArray[np.uint32]) -> int:
    """The biased exponent of a float32 block of bit patterns, shape (n,): e + 126 for the least e of a float32 with
    |x| < 2^e (-126 for subnormal and zero blocks); NOT_FINITE if any element is a NaN or infinite."""
    largest = np.uint32(0)
    for pattern in patterns:
        largest = max(largest, pattern & np.uint32(0x7FFFFFFF))
    # numba's int() keeps it unsigned, and a sum of unsigned and signed becomes a float.
    return int(np.int64(largest >> np.uint32(23)))


@compiled
def scale(exponent: int, bits: int) -> float:
    """The power of two that scales a block. exponent: biased. bits: see magnitude_bits."""
    return float(_ldexp(1.0, bits - (exponent - EXPONENT_BIAS)))


@compiled
def fixed(element: float, factor: float, most: float) -> int:
    """Rounds an element to an integer, scaled by `factor` and clipped to +-`most`."""
    return int(min(max(np.rint(np.float64(element) * factor), -most), most))


@compiled
def quantize(elements: NDArray[np.float32], exponent: int, bits: int, out: NDArray[Any]) -> None:
    """Writes a block, shape (n,), as integers to `out`, shape (n,). All |elements| must be below 2^(exponent - 126)."""
    factor = scale(exponent, bits)
    most = 2.0**bits - 1
    for i in range(len(elements)):
        out[i] = fixed(elements[i], factor, most)


@compiled
def dequantize(total: NDArray[Any], exponent: int, bits: int, out: NDArray[np.float32]) -> None:
    """Writes a sum of quantized blocks, shape (n,), as float32 to `out`, shape (n,)."""
    factor = 1.0 / scale(exponent, bits)
    for i in range(len(total)):
        out[i] = np.float32(total[i] * factor)
