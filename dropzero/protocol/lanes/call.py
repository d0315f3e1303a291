"""Collective calls: the parameters that all workers must agree on."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.tensor.arrays import check_type
from dropzero.protocol.wire import PACKET_ELEMENTS, Operation, Width, blocks_per_packet

_NUMBERS = struct.Struct("<2Q")


class Signature(NamedTuple):
    """The parameters that repeated calls share. `of` creates one.

    Attributes:
        name: the collective's name, with anything else that all workers must agree on, as text.
        dtype: float32 or int32.
        length: elements of the array.
        operation: sum, max or min; or, of int32.
        width: bits of an element on the wire; always 32 for int32.
        block: elements in a block; 0: the workers will choose.
        few_bits: floats may have few bits of magnitude (see dropzero.protocol.tensor.fixedpoint).
        room: words for which the switch has room in a packet: 256, 128, 64 or 32.
        sharded: each worker contributes or needs only a shard of the array.
        scaled: the result also has the blocks' biased exponents (see dropzero.protocol.tensor.fixedpoint), a byte each,
            after its elements; 0 for blocks that are zero. Needs a `block`.
        blocks: blocks of the array; 0 while `block` is 0.
        columns: blocks in a packet; 0 while `block` is 0.
        small: all blocks fit into one packet.
        words: of 32 bits in the result.
        text: all that the workers must agree on, as text.
        digest: CRC-32 of the text.
    """

    name: str
    dtype: np.dtype[Any]
    length: int
    operation: Operation
    width: Width
    block: int
    few_bits: bool
    room: int
    sharded: bool
    scaled: bool
    blocks: int
    columns: int
    small: bool
    words: int
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
        room: int = PACKET_ELEMENTS,
        sharded: bool = False,
        scaled: bool = False,
    ) -> Self:
        """Creates a signature. Raises ValueError for a dtype, width or block size that is not possible."""
        check_type(dtype)
        if dtype == np.int32 and width is not Width.BITS_32:
            raise ValueError("int32 elements are always sent as 32 bits")
        columns = blocks_per_packet(block, width, room) if block else 0
        size = f"blocks of {block}" if block else "blocks of any size"
        text = f"{name} of {dtype}[{length}], {operation.name.lower()}, {size}, {width.bits} bits"
        text += ", few of them for the magnitude" if few_bits else ""
        text += f", {room} words in a packet" if room != PACKET_ELEMENTS else ""
        text += ", in shards" if sharded else ""
        text += ", with exponents" if scaled else ""
        blocks = -(-length // block) if block else 0
        small = block > 0 and blocks <= columns
        digest = zlib.crc32(text.encode())
        options = operation, width, block, few_bits, room, sharded, scaled
        words = length + (-(-blocks // 4) if scaled else 0)
        return cls(name, dtype, length, *options, blocks, columns, small, words, text, digest)

    def of_blocks(self, block: int, room: int = 0) -> Signature:
        """The same signature with blocks of `block` elements, and with `room` words in a packet; 0: as many as
        before."""
        options = self.operation, self.width, block, self.few_bits, room or self.room, self.sharded, self.scaled
        return Signature.of(self.name, self.dtype, self.length, *options)

    def call(self, number: int, expected: int = 0, union: bytes = b"", guessed: bool = False) -> Call:
        """A call with this signature; see Call."""
        digest = zlib.crc32(union, zlib.crc32(_NUMBERS.pack(number, expected) + b"guessed" * guessed, self.digest))
        return Call(self, number, expected, union, guessed, digest)


class Call(NamedTuple):
    """One call.

    Attributes:
        number: the number of calls that the worker made before in this job.
        expected: the number of blocks that are non-zero on some worker, exact or estimated; 0: all.
        union: the bitmap of the groups of granules that are non-zero on some worker (for groups, see
            dropzero.protocol.lanes.chunks.log2_group); empty: unknown, or no block is zero on all.
        guessed: the workers did not choose the block size, but expect no block to be zero; see Lanes.guess.
        digest: CRC-32 of the signature and all of this, which packets carry.
    """

    signature: Signature
    number: int
    expected: int
    union: bytes
    guessed: bool
    digest: int

    @classmethod
    def of(
        cls,
        array: NDArray[Any],
        number: int = 0,
        name: str = "all_reduce",
        *,
        expected: int = 0,
        union: bytes = b"",
        **options: Any,
    ) -> Call:
        """The call that reduces an array. `options` and errors are those of Signature.of."""
        return Signature.of(name, array.dtype, array.size, **options).call(number, expected, union)

    def __str__(self) -> str:
        return f"call {self.number}: {self.signature.text}"
