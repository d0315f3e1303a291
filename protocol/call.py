"""A collective call, as far as all workers must make the same one."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from protocol.wire import Operation, Width, blocks_per_packet

_NUMBERS = struct.Struct("<2Q")
_TYPES = {np.dtype(np.float32): "float32", np.dtype(np.int32): "int32"}


def type_name(dtype: np.dtype[Any]) -> str:
    """float32 or int32. Raises ValueError for a type whose arrays can't be reduced."""
    name = _TYPES.get(dtype)
    if name is None:
        raise ValueError(f"{' and '.join(_TYPES.values())} arrays can be reduced, not {dtype}")
    return name


class Call(NamedTuple):
    """What a worker asks for; made by `of`.

    Attributes:
        number: how many calls it made before in this job.
        name: of the collective, and what else all must agree on, for people.
        dtype: float32 or int32.
        length: elements.
        operation: sum, max or min.
        width: of an element on the wire; int32 has 32 bits only.
        block: elements in a block.
        expected: how many blocks all take for not zero on some worker; 0: any number.
        spread: how they are spread over equal parts of the array, uint16 each, in proportion; empty: evenly.
        digest: 32 bits that differ, with near certainty, for different calls: what packets carry.
    """

    number: int
    name: str
    dtype: str
    length: int
    operation: Operation
    width: Width
    block: int
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
        operation: Operation = Operation.SUM,
        width: Width = Width.BITS_32,
        block: int = 32,
        expected: int = 0,
        spread: bytes = b"",
    ) -> Self:
        """The call to reduce an array.

        Raises:
            ValueError: there is no such call.
        """
        kind = name, type_name(array.dtype), array.size, operation, width, block
        digest = zlib.crc32(spread, zlib.crc32(_NUMBERS.pack(number, expected), _digest(*kind)))
        return cls(number, *kind, expected, spread, digest)

    @property
    def kind(self) -> tuple[str, str, int, Operation, Width, int]:
        """What calls have in common that are made again and again: the name and all up to the block."""
        return self[1:7]

    def __str__(self) -> str:
        return f"call {self.number}: {_described(*self.kind)}"


# Programs make the same calls again and again.
@lru_cache(maxsize=1024)
def _digest(*kind: Any) -> int:
    """A kind of call's. Raises ValueError: there is none."""
    return zlib.crc32(_described(*kind).encode())


def _described(name: str, dtype: str, length: int, operation: Operation, width: Width, block: int) -> str:
    """A kind of call, for people. Raises ValueError: there is none."""
    if dtype == "int32" and width is not Width.BITS_32:
        raise ValueError("int32 elements take 32 bits")
    blocks_per_packet(block, width)
    return f"{name} of {dtype}[{length}], {operation.name.lower()}, blocks of {block}, {width.bits} bits"
