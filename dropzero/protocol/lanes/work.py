"""A tensor being reduced, as compiled code sees it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.handles import Handle, by_address
from dropzero.protocol.lanes.call import Signature
from dropzero.protocol.lanes.chunks import Chunks, cut_chunks
from dropzero.protocol.tensor.arrays import Target, Tensor
from dropzero.protocol.tensor.bitmap import Bitmap, new_bitmap
from dropzero.protocol.tensor.simd import GRANULE


class Plan(NamedTuple):
    """The parameters that all calls of one kind share."""

    is_float: bool
    bits: int
    """Bits of magnitude of an element on the wire."""
    width: int
    """Bits of an element on the wire."""
    form: int
    """The header's third byte: blocks per packet, operation, width."""
    size: int
    """Elements in a block."""
    log2_granules: int
    """log2(block size / 32)."""
    columns: int
    """Blocks in a packet."""
    lanes: int
    """Lanes that take part."""
    initial_chunks: int
    """The number of columns that start with a chunk; lane l's begin at chunk l * columns."""
    chunks: Chunks
    small: bool
    """All blocks fit into one packet. The tensor is scanned when its call begins."""
    agreed: NDArray[np.int16]
    """For each block, 1 + the exponent with which it was added up in the last call of this kind in this epoch, the same
    on all workers; 0: the block was zero, or not finite. Small tensors of integers have 1 before the first such call.
    Shape (blocks,), or (0,) for kinds whose exponents are not remembered."""
    early: bool
    """Columns send data with these exponents, without a round that only announces."""
    contradicts: bool
    """The workers expect no block to be zero, but this worker has one."""
    send_all: bool
    """Send every requested block, even if it is zero."""
    leaf: bool
    """The job spans several switches."""
    limited: bool
    """Some switch lets packets grow by HEADROOM bytes only: over several switches, contributions are padded so that
    results are at most that much longer; on one, results come in two parts."""
    worker: int
    job: int
    epoch: int
    secret: int


class Work(NamedTuple):
    """One tensor being reduced."""

    source: NDArray[np.uint32]
    """Shape (n,), the bit patterns of float32 or int32."""
    nonzero: Bitmap
    """The source's non-zero granules (see dropzero.protocol.tensor.arrays). A small tensor is scanned when its call
    begins."""
    exponents: NDArray[np.uint8]
    """The granules' biased exponents."""
    target: NDArray[np.uint32]
    """The result's bit patterns, shape (n,); zero where all workers' blocks are zero."""
    fresh: Bitmap
    """The target's granules that this call wrote."""
    stale: Bitmap
    """The target's granules that earlier calls wrote."""
    wanted: Bitmap
    """The result's granules that this worker needs; without any words: all. The switch sends it no others, unless they
    are in the same packet."""
    kept: int
    kept_end: int
    """The first block whose own elements this worker adds itself (see Source), and the one after the last."""
    common: NDArray[np.uint8]
    """Gets the biased exponent of each block that is not zero on all workers, if the call is `scaled`: as many bytes as
    whole words hold."""
    plan: Plan


NO_EXPONENTS = np.zeros(0, np.int16)
_FLAGS = False, False, False, False, False
_NO_PLAN = Plan(False, *(0,) * 8, cut_chunks(0, 0, 1), False, NO_EXPONENTS, *_FLAGS, *(0,) * 4)
EVERYTHING = new_bitmap(0)
_NO_BYTES = np.zeros(0, np.uint8)
NOTHING = Work(np.zeros(0, np.uint32), new_bitmap(0), _NO_BYTES, *Target.new(0), EVERYTHING, 0, 0, _NO_BYTES, _NO_PLAN)
_put, work_at = by_address(NOTHING)


@compiled
def _place(work: Work, address: int) -> None:
    _put(work, address)


def handle(work: Work) -> Handle[Work]:
    """A handle with which compiled code finds the work, by `work_at`."""
    return Handle(_place, work)


@cache
def no_work() -> Handle[Work]:
    """A handle to the work of lanes before their first call."""
    return handle(NOTHING)


def memory(signature: Signature, target: Target) -> tuple[Target, NDArray[np.uint8]]:
    """The parts of a result's memory: for its elements, and for the exponents (see Work)."""
    if not signature.scaled:
        return target, _NO_BYTES
    elements, rest = np.split(target.patterns, [signature.length])
    return target._replace(patterns=elements), rest.view(np.uint8)


class Small(NamedTuple):
    """The memory and work that small calls of one kind share."""

    source: Tensor
    """Shape (n,): the next call's tensor."""
    target: Target
    """The last call's result."""
    work: Handle[Work]

    @classmethod
    def of(cls, signature: Signature, plan: Plan) -> Self:
        source, target = np.zeros(signature.length, signature.dtype), Target.new(signature.words)
        granules = -(-signature.length // GRANULE)
        nonzero, exponents = new_bitmap(granules), np.zeros(granules, np.uint8)
        elements, common = memory(signature, target)
        work = Work(source.view(np.uint32), nonzero, exponents, *elements, EVERYTHING, 0, 0, common, plan)
        return cls(source, target, handle(work))
