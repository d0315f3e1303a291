"""Fixed point with a shared exponent: how float32 blocks become integers that a switch can add.

All workers scale a block by the same power of two, chosen so that the sum of N of them fits into 32 bits:
with every |x| < 2^e and k = ceil(log2 N), q = rint(x * 2^(31 - k - e)) has |q| < 2^(31 - k), hence |sum| < 2^31.
(SwitchML, NSDI'21, scales by (2^31 - 1) / (N 2^e) instead. A power of two costs less than one bit and makes the
scaling itself exact: only rint rounds, by at most 2^-(32 - k) of the block's largest element.)

Exponents are handled as they are sent: biased, e + 127.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from protocol.wire import EXPONENT_BIAS

NOT_FINITE = 256
"""What biased_exponent says of a block that holds an infinity or a NaN."""


def headroom(workers: int) -> int:
    """ceil(log2 workers): the bits that the sum of that many values takes more than one of them."""
    return (workers - 1).bit_length()


@njit(cache=True, nogil=True)
def biased_exponent(patterns: NDArray[np.uint32]) -> int:
    """The exponent of a block of float32, given as bit patterns: 0 when all of it is zero, 1 to 255 for the least e
    that float32 has with |x| < 2^e (subnormal blocks share -126), NOT_FINITE when one is infinite or a NaN."""
    largest = np.uint32(0)
    for pattern in patterns:
        largest = max(largest, pattern & np.uint32(0x7FFFFFFF))
    return 0 if largest == 0 else int(largest >> np.uint32(23)) + 1


@njit(cache=True, nogil=True)
def scale(exponent: int, bits_of_headroom: int) -> float:
    """The power of two that a block with that biased exponent is multiplied by."""
    return float(np.ldexp(1.0, 31 - bits_of_headroom - (exponent - EXPONENT_BIAS)))


@njit(cache=True, nogil=True)
def quantize(elements: NDArray[np.float32], exponent: int, bits_of_headroom: int, out: NDArray[np.int32]) -> None:
    """Writes a block as integers to `out`, of the same shape (n,). Every |element| must be below 2^(exponent - 127)."""
    factor = scale(exponent, bits_of_headroom)
    for i in range(len(elements)):
        out[i] = np.int32(np.rint(np.float64(elements[i]) * factor))


@njit(cache=True, nogil=True)
def dequantize(total: NDArray[np.int32], exponent: int, bits_of_headroom: int, out: NDArray[np.float32]) -> None:
    """Writes a sum of quantized blocks as float32 to `out`, of the same shape (n,)."""
    factor = 1.0 / scale(exponent, bits_of_headroom)
    for i in range(len(total)):
        out[i] = np.float32(total[i] * factor)
