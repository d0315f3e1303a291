"""One tensor being reduced, as compiled code has it."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.call import Signature
from dropzero.protocol.lanes.chunks import Strips, strips
from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.native.handles import Handle, by_address
from dropzero.protocol.tensor.arrays import Target, Tensor
from dropzero.protocol.tensor.bitmap import Marks, new_marks
from dropzero.protocol.tensor.simd import PART


class Plan(NamedTuple):
    """What all tensors of one kind have in common."""

    is_float: bool
    bits: int
    """Of magnitude that an element may have on the way."""
    width: int
    """Of an element on the way, bits."""
    form: int
    """The header's third byte: blocks a packet, operation, width."""
    size: int
    """Elements in a block."""
    larger: int
    """So many times that of a part is doubled to make it."""
    columns: int
    """Blocks in a packet."""
    lanes: int
    """That take part."""
    given: int
    """The columns that have a strip to begin with; those of lane l have strips l * columns and on."""
    strips: Strips
    agreed: NDArray[np.int16]
    """1 + the exponent with which each block was added up last in a call of this kind, in this epoch and so the same on
    all workers; 0: it was zero; shape (0,) for tensors that do not fit into one packet."""
    send_all: bool
    """Zero blocks count too: a worker sends whatever block is asked for."""
    fill: bool
    """A contribution must not be shorter than its result by more than HEADROOM bytes."""
    worker: int
    job: int
    epoch: int
    secret: int


class Work(NamedTuple):
    """One tensor being reduced."""

    source: NDArray[np.uint32]
    """Shape (n,), the bit patterns of float32 or int32."""
    marks: Marks
    """Which of its parts are not zero (see dropzero.protocol.tensor.arrays). A small tensor's are found when its call
    begins."""
    exponents: NDArray[np.uint8]
    """Those parts'."""
    target: NDArray[np.uint32]
    """Shape (n,), likewise: the result, zero where nobody has anything."""
    fresh: Marks
    """Which of its parts were written in this call."""
    stale: Marks
    """Which were before."""
    plan: Plan


_NO_PLAN = Plan(False, 0, 0, 0, 0, 0, 0, 0, 0, strips(0, 0), np.zeros(0, np.int16), False, False, 0, 0, 0, 0)
NOTHING = Work(np.zeros(0, np.uint32), new_marks(0), np.zeros(0, np.uint8), *Target.new(0), _NO_PLAN)
_put, work_at, _SIZE = by_address(NOTHING)


@compiled
def _place(work: Work, address: int) -> None:
    _put(work, address)


def handle(work: Work) -> Handle[Work]:
    """Where compiled code finds it, by `work_at`."""
    return Handle(_place, _SIZE, work)


class Small(NamedTuple):
    """What small calls of one kind have in common: memory, too."""

    source: Tensor
    """Shape (n,): the next call's tensor."""
    target: Target
    """The last one's result."""
    work: Handle[Work]

    @classmethod
    def of(cls, signature: Signature, plan: Plan) -> Self:
        source, target = np.zeros(signature.length, signature.dtype), Target.new(signature.length)
        parts = -(-signature.length // PART)
        work = Work(source.view(np.uint32), new_marks(parts), np.zeros(parts, np.uint8), *target, plan)
        return cls(source, target, handle(work))
