"""A collective call, as far as all workers must make the same one."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray

from protocol.wire import Operation, Width, blocks_per_packet

TYPES = ("float32", "int32")


def check_type(dtype: str) -> None:
    """Raises ValueError for arrays of a type that can't be reduced."""
    if dtype not in TYPES:
        raise ValueError(f"{' and '.join(TYPES)} arrays can be reduced, not {dtype}")


@dataclass(frozen=True)
class Call:
    """What a worker asks for.

    Attributes:
        number: how many calls it made before in this job.
        name: of the collective, and what else all must agree on, for people.
        dtype: float32 or int32.
        length: elements.
        operation: sum, max or min.
        width: of an element on the wire; int32 has 32 bits only.
        block: elements in a block.
        expected: how many blocks all take for not zero on some worker; 0: any number.

    Raises:
        ValueError: there is no such call.
    """

    number: int
    name: str
    dtype: str
    length: int
    operation: Operation = Operation.SUM
    width: Width = Width.BITS_32
    block: int = 32
    expected: int = 0

    def __post_init__(self) -> None:
        check_type(self.dtype)
        if self.dtype == "int32" and self.width is not Width.BITS_32:
            raise ValueError("int32 elements take 32 bits")
        blocks_per_packet(self.block, self.width)

    @classmethod
    def of(cls, array: NDArray[Any], number: int = 0, name: str = "all_reduce", **options: Any) -> Self:
        """The call to reduce an array."""
        return cls(number, name, str(array.dtype), array.size, **options)

    @property
    def digest(self) -> int:
        """32 bits that differ, with near certainty, for different calls: what packets carry."""
        return zlib.crc32(repr(self).encode())

    def __str__(self) -> str:
        elements = f"{self.dtype}[{self.length}]"
        return (
            f"call {self.number}: {self.name} of {elements}, {self.operation.name.lower()}, "
            f"blocks of {self.block}, {self.width.bits} bits"
        )
