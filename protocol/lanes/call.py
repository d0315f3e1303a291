"""Collective calls, as far as all workers must make the same ones."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.wire import Operation, Width, blocks_per_packet

_NUMBERS = struct.Struct("<2Q")
_TYPES = np.dtype(np.float32), np.dtype(np.int32)


def check_type(dtype: np.dtype[Any]) -> None:
    """Raises ValueError for a type whose arrays can't be reduced."""
    if dtype not in _TYPES:
        raise ValueError(f"{' and '.join(map(str, _TYPES))} arrays can be reduced, not {dtype}")


class Signature(NamedTuple):
    """What calls have in common that are made again and again; made by `of`.

    Attributes:
        name: of the collective, and what else all must agree on, for people.
        dtype: float32 or int32.
        length: elements.
        operation: sum, max or min.
        width: of an element on the wire; int32 has 32 bits only.
        block: elements in a block; 0: the workers are yet to choose.
        few_bits: of floats, the magnitude may have few bits (see dropzero.protocol.tensor.fixedpoint).
        blocks: how many there are; likewise.
        columns: blocks in a packet; likewise.
        small: one packet holds them all.
        text: all of it, for people.
        digest: 32 bits of that.
    """

    name: str
    dtype: np.dtype[Any]
    length: int
    operation: Operation
    width: Width
    block: int
    few_bits: bool
    blocks: int
    columns: int
    small: bool
    text: str
    digest: int

    @classmethod
    @lru_cache(maxsize=1024)
    def of(
        cls,
        name: str,
        dtype: np.dtype[Any],
        length: int,
        operation: Operation = Operation.SUM,
        width: Width = Width.BITS_32,
        block: int = 32,
        few_bits: bool = False,
    ) -> Self:
        """Raises ValueError: there is no such call."""
        check_type(dtype)
        if dtype == np.int32 and width is not Width.BITS_32:
            raise ValueError("int32 elements take 32 bits")
        columns = blocks_per_packet(block, width) if block else 0
        size = f"blocks of {block}" if block else "blocks of any size"
        text = f"{name} of {dtype}[{length}], {operation.name.lower()}, {size}, {width.bits} bits"
        text += ", few of them for the magnitude" if few_bits else ""
        blocks = -(-length // block) if block else 0
        small = block > 0 and blocks <= columns
        digest = zlib.crc32(text.encode())
        return cls(name, dtype, length, operation, width, block, few_bits, blocks, columns, small, text, digest)

    def of_blocks(self, block: int) -> Signature:
        """The same with that size of blocks."""
        return Signature.of(self.name, self.dtype, self.length, self.operation, self.width, block, self.few_bits)

    def call(self, number: int, expected: int = 0, spread: bytes = b"") -> Call:
        """Such a call; see there."""
        digest = zlib.crc32(_NUMBERS.pack(number, expected) + spread, self.digest)
        return Call(self, number, expected, spread, digest)


class Call(NamedTuple):
    """What a worker asks for.

    Attributes:
        number: how many calls it made before in this job.
        expected: how many blocks all take for not zero on some worker; 0: any number.
        spread: how they are spread over equal sections of the array, uint16 each, in proportion; empty: evenly.
        digest: 32 bits that differ, with near certainty, for different calls: what packets carry.
    """

    signature: Signature
    number: int
    expected: int
    spread: bytes
    digest: int

    @classmethod
    def of(
        cls,
        array: NDArray[Any],
        number: int = 0,
        name: str = "all_reduce",
        *,
        expected: int = 0,
        spread: bytes = b"",
        **options: Any,
    ) -> Call:
        """The call to reduce an array; `options` as for Signature.of, and its errors."""
        return Signature.of(name, array.dtype, array.size, **options).call(number, expected, spread)

    def __str__(self) -> str:
        return f"call {self.number}: {self.signature.text}"
