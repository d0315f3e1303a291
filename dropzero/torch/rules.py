"""Which reductions the switch carries out, and which Gloo, from host to host."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
from torch.distributed import ReduceOp

from dropzero.worker.communicator import OperationName

Op: TypeAlias = ReduceOp.RedOpType

_IN_SWITCH = {
    torch.float32: torch.float32,
    torch.float16: torch.float16,
    torch.bfloat16: torch.float32,
    torch.int32: torch.int32,
    torch.int16: torch.int32,
    torch.int8: torch.int32,
    torch.uint8: torch.int32,
    torch.bool: torch.int32,
    torch.complex64: torch.float32,
}
"""The types that the switch adds up, exactly or rounded as docs/guarantees.md says, and the types that travel."""

_ON_HOSTS = {
    **_IN_SWITCH,
    torch.float16: torch.float32,
    torch.int64: torch.int64,
    torch.float64: torch.float64,
    torch.complex128: torch.float64,
}
"""The types that Gloo adds up, and the types that travel."""

_OPERATIONS: dict[Op, OperationName] = {
    Op.SUM: "sum",
    Op.PREMUL_SUM: "sum",
    Op.AVG: "mean",
    Op.MAX: "max",
    Op.MIN: "min",
}
"""The operations of the switch."""

_LOGICAL = {
    Op.SUM: Op.MAX,
    Op.BOR: Op.MAX,
    Op.PRODUCT: Op.MIN,
    Op.BAND: Op.MIN,
    Op.MAX: Op.MAX,
    Op.MIN: Op.MIN,
    Op.BXOR: Op.BXOR,
}
"""The operations on bool, as operations on 0 and 1."""

_BITWISE = (Op.BAND, Op.BOR, Op.BXOR)
_LINEAR = (Op.SUM, Op.AVG, Op.PREMUL_SUM)
"""The operations on the parts of complex numbers."""


class Way(NamedTuple):
    """How tensors of one type are reduced.

    Attributes:
        operation: the switch's; None: Gloo's.
        op: PyTorch's.
        wide: the type that travels; for complex numbers, that of their parts.
        factor: a number, or a tensor of one element, by which all workers first multiply theirs; None: none.
    """

    operation: OperationName | None
    op: Op
    wide: torch.dtype
    factor: float | torch.Tensor | None = None


def way(op: ReduceOp, dtype: torch.dtype) -> Way:
    """Returns how tensors of a type are reduced. Raises TypeError if they cannot be."""
    kind, factor = op.__getstate__()
    if kind == Op.PREMUL_SUM and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"PREMUL_SUM is of floats, not of {dtype}")
    if isinstance(factor, torch.Tensor):
        factor = factor.cpu()
    if dtype is torch.bool:
        if kind not in _LOGICAL:
            raise TypeError(f"there is no {kind.name} of {dtype}")
        kind = _LOGICAL[kind]
    impossible = (kind in _BITWISE and dtype.is_floating_point) or (kind not in _LINEAR and dtype.is_complex)
    if dtype not in _ON_HOSTS or impossible:
        raise TypeError(f"dropzero has no {kind.name} of {dtype}: see dropzero.torch.explain()")
    if dtype in _IN_SWITCH and kind in _OPERATIONS:
        return Way(_OPERATIONS[kind], kind, _IN_SWITCH[dtype], factor)
    return Way(None, kind, _ON_HOSTS[dtype], factor)


_FOLDS: dict[Op, Callable[[torch.Tensor, torch.Tensor], object]] = {
    Op.SUM: torch.Tensor.add_,
    Op.AVG: torch.Tensor.add_,
    Op.PREMUL_SUM: torch.Tensor.add_,
    Op.PRODUCT: torch.Tensor.mul_,
    Op.MAX: lambda into, tensor: into.copy_(torch.maximum(into, tensor)),
    Op.MIN: lambda into, tensor: into.copy_(torch.minimum(into, tensor)),
    Op.BAND: torch.Tensor.bitwise_and_,
    Op.BOR: torch.Tensor.bitwise_or_,
    Op.BXOR: torch.Tensor.bitwise_xor_,
}


def fold(op: ReduceOp, into: torch.Tensor, tensor: torch.Tensor) -> None:
    """Reduces a second tensor of this rank into the first, before the ranks reduce theirs. AVG adds here: the result is
    the mean of the ranks' sums, as in Gloo."""
    kind, _ = op.__getstate__()
    _FOLDS[kind](into, tensor)


def explain() -> None:
    """Prints which calls the switch carries out, and the types that travel."""
    # Only now: a training program prints no tables.
    from rich.table import Table

    from dropzero.console import wide_console

    table = Table(title="all_reduce, reduce, reduce_scatter")
    operations = (Op.SUM, Op.AVG, Op.PREMUL_SUM, Op.MAX, Op.MIN, Op.PRODUCT, *_BITWISE)
    for heading in ("dtype", "travels as", *(kind.name for kind in operations)):
        table.add_column(heading)
    for dtype in _ON_HOSTS:
        table.add_row(short(dtype), short(_ON_HOSTS[dtype]), *(_said(kind, dtype) for kind in operations))
    console = wide_console()
    console.print(table)
    console.print("all_reduce of sparse tensors: the switch, SUM of float32, float16 and int32")
    console.print("all_gather, gather, scatter, broadcast, barrier: the switch, all types, bit for bit")
    console.print("all_to_all, send, recv: hosts, all types, bit for bit")
    console.print("hosts: from one to the other, by Gloo")


def _said(kind: Op, dtype: torch.dtype) -> str:
    # Only this operation has a factor.
    op = torch.distributed._make_nccl_premul_sum(1.0) if kind == Op.PREMUL_SUM else ReduceOp(kind)
    try:
        found = way(op, dtype)
    except TypeError:
        return "-"
    return "hosts" if found.operation is None else "switch"


def short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
