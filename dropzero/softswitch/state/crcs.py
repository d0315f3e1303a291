"""Cyclic redundancy checks: BMv2's, by name, and those whose parameters the control plane sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

INITIAL, FINAL, REVERSED_DATA, REVERSED_RESULT, TABLE, CRC_WORDS = 0, 1, 2, 3, 4, 260
"""Words of a custom CRC: the first state, the number xored with the result, whether to reverse the bits of each byte
and of the result (0 or 1), and crc_table(). It is computed with the lowest bit first."""


@dataclass(frozen=True)
class Crc:
    """A cyclic redundancy check of `width` bits.

    polynomial: without its highest term
    initial:    the first state
    final:      the number xored with the result
    reflected:  whether bytes and the result have their lowest bit first
    """

    width: int
    polynomial: int
    initial: int
    final: int
    reflected: bool

    @property
    def first_state(self) -> int:
        """The first state of the register, with the lowest bit first if the check is reflected."""
        return _reversed(self.initial, self.width) if self.reflected else self.initial


CRCS = {
    "crc16": Crc(16, 0x8005, 0, 0, True),
    "crc32": Crc(32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, True),
    "crcCCITT": Crc(16, 0x1021, 0xFFFF, 0, False),
    # BMv2's initial parameters. (The control plane can change those of 16 and 32 bits: CustomCrc.)
    "crc8_custom": Crc(8, 0x07, 0, 0, False),
    "crc16_custom": Crc(16, 0x8005, 0, 0, True),
    "crc32_custom": Crc(32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, True),
    "crc64_custom": Crc(64, 0x1B, 0, 0, True),
}


class CustomCrc:
    """A CRC whose parameters the control plane sets."""

    def __init__(self, algorithm: str) -> None:
        crc = CRCS[algorithm]
        self.algorithm = algorithm
        self.cells: NDArray[np.uint64] = np.zeros(CRC_WORDS, dtype=np.uint64)
        """(CRC_WORDS,). The compiled program reads the same memory."""
        self.set(crc.polynomial, crc.initial, crc.final, data_reflected=True, result_reflected=True)

    def set(self, polynomial: int, initial: int, final: int, *, data_reflected: bool, result_reflected: bool) -> None:
        """Sets the parameters. All numbers are as wide as the CRC, with the highest bit first.

        data_reflected, result_reflected: whether each byte, and the result, have their lowest bit first.
        """
        crc = Crc(CRCS[self.algorithm].width, polynomial, initial, final, True)
        self.cells[:TABLE] = crc.first_state, final, not data_reflected, not result_reflected
        self.cells[TABLE:] = crc_table(crc)


def crc_table(crc: Crc) -> list[int]:
    """The 256 states after state 0 and one byte."""
    table = []
    for byte in range(256):
        if crc.reflected:
            polynomial = _reversed(crc.polynomial, crc.width)
            state = byte
            for _ in range(8):
                state = state >> 1 ^ (polynomial if state & 1 else 0)
        else:
            state = byte << crc.width - 8
            for _ in range(8):
                state = state << 1 ^ (crc.polynomial if state >> crc.width - 1 else 0)
                state &= (1 << crc.width) - 1
        table.append(state)
    return table


def _reversed(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)
