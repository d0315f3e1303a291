"""Converts and checks the arguments of calls. Errors have the words of PyTorch's own backends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor
from torch.distributed import ReduceOp


def listed(tensors: Sequence[Tensor] | Tensor) -> list[Tensor]:
    """Returns a list; a single tensor stands for a list of one."""
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def nested(tensors: Sequence[Sequence[Tensor]] | Sequence[Tensor]) -> list[list[Tensor]]:
    """Returns lists in a list; a list of tensors stands for one of them."""
    first = next(iter(tensors), None)
    return [listed(tensors)] if isinstance(first, Tensor) else [listed(each) for each in tensors]


def options(
    kind: type[Any],
    given: Any,
    *,
    root: int | None = None,
    op: ReduceOp | ReduceOp.RedOpType | None = None,
    timeout: timedelta | None = None,
) -> Any:
    """Returns a call's options. given: options of any kind, or a root, an operation, a timeout or None instead."""
    if isinstance(given, int):
        root = given
    elif isinstance(given, ReduceOp | ReduceOp.RedOpType):
        op = given
    elif isinstance(given, timedelta):
        timeout = given
    elif given is not None:
        return given
    made = kind()
    if root is not None:
        made.rootRank = root
    if op is not None:
        made.reduceOp = ReduceOp(op) if isinstance(op, ReduceOp.RedOpType) else op
    if timeout is not None:
        made.timeout = timeout
    return made


def check(right: bool, text: str) -> None:
    """Raises RuntimeError with this text if an argument is not right, as PyTorch's own backends do."""
    if not right:
        raise RuntimeError(text)


def check_root(rank: int, size: int) -> None:
    check_rank("root", rank, size)


def check_rank(name: str, rank: int, size: int) -> None:
    check(0 <= rank < size, f"invalid {name} rank: {rank}, in a group of {size}")


def check_root_tensor(index: int, tensors: Sequence[Tensor]) -> None:
    check(0 <= index < len(tensors), f"invalid root tensor: {index}, of {len(tensors)}")


def check_alike(tensors: Sequence[Tensor], like: Tensor) -> None:
    """All tensors need the type, layout and shape of `like`."""
    for index, tensor in enumerate(tensors):
        check(
            tensor.layout == like.layout,
            f"invalid tensor layout at index {index}: {tensor.layout}, where {like.layout} is expected",
        )
        check(
            tensor.dtype == like.dtype,
            f"invalid tensor type at index {index}: {tensor.dtype}, where {like.dtype} is expected",
        )
        check(
            tensor.shape == like.shape,
            f"invalid tensor size at index {index}: {list(tensor.shape)}, where {list(like.shape)} is expected",
        )


def check_rooted(
    rank: int, size: int, root: int, single: Sequence[Tensor], lists: Sequence[Sequence[Tensor]], one: str, many: str
) -> None:
    """The arguments of gather or scatter: one tensor on each rank, and on the root one list with a tensor of each rank.
    `one`, `many`: "input" and "output", or the other way round."""
    check_root(root, size)
    check(len(single) == 1, f"requires a single-element {one} tensor list, not one of {len(single)}")
    if rank != root:
        check(not lists, f"requires empty {many} on non-root")
        return
    check(len(lists) == 1, f"requires a single-element {many} list, with a list of tensors")
    check(
        len(lists[0]) == size,
        f"Incorrect {many} list size {len(lists[0])}. {many.capitalize()} list size should be {size}, "
        "same as size of the process group.",
    )
    check_alike(lists[0], single[0])


def check_gathered(size: int, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor]) -> None:
    """The arguments of allgather: `inputs` alike, and for each of them a list with room for those of all ranks."""
    check(bool(inputs), "requires non-empty input tensor list")
    check(len(outputs) == len(inputs), "requires input/output tensor lists to have the same length")
    for index, row in enumerate(outputs):
        check(
            len(row) == size * len(inputs),
            f"invalid output tensor list at index {index}: {len(row)} tensors, where {size * len(inputs)} are expected",
        )
    check_alike(inputs, inputs[0])
    for row in outputs:
        check_alike(row, inputs[0])


def check_gathered_together(size: int, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor]) -> None:
    """The arguments of allgather_coalesced: for each rank a list of tensors like `inputs`."""
    check(bool(inputs), "requires non-empty input tensor list")
    check(len(outputs) == size, f"output lists should be equal to world size, {size}, not {len(outputs)}")
    for row in outputs:
        check(len(row) == len(inputs), f"invalid output size: {len(row)} tensors, where {len(inputs)} are expected")
        for index, (output, own) in enumerate(zip(row, inputs, strict=True)):
            check(output.shape == own.shape, f"invalid size of output tensor at index {index}: {list(output.shape)}")
            check(output.dtype == own.dtype, f"invalid tensor type at index {index}: {output.dtype}")


def check_gathered_whole(size: int, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """The arguments of all_gather_single_coalesced: for each input a tensor with room for those of all ranks."""
    check(len(outputs) == len(inputs), f"requires an output for each input, not {len(outputs)} for {len(inputs)}")
    for output, own in zip(outputs, inputs, strict=True):
        check_like(output, own.dtype, size * own.numel())


def check_scattered(rank: int, size: int, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]]) -> None:
    """The arguments of reduce_scatter: for each output a list with a tensor of each rank."""
    check(len(outputs) == len(inputs), f"requires an input list for each output, not {len(inputs)} for {len(outputs)}")
    for output, parts in zip(outputs, inputs, strict=True):
        check(len(parts) == size, f"invalid input tensor list of {len(parts)}, in a group of {size}")
        check_like(output, parts[rank].dtype, parts[rank].numel())


def check_divisible(whole: Tensor, size: int) -> None:
    check(whole.numel() % size == 0, f"input tensor of {whole.numel()} elements is not divisible by {size} ranks")


def check_exchanged(size: int, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """The arguments of alltoall: a tensor to and one from each rank."""
    for name, tensors in (("output", outputs), ("input", inputs)):
        check(len(tensors) == size, f"invalid {name} tensor list of {len(tensors)}, in a group of {size}")
    for tensor in outputs:
        check(
            tensor.dtype == inputs[0].dtype, f"invalid tensor type: {tensor.dtype}, where {inputs[0].dtype} is expected"
        )


def check_like(output: Tensor, dtype: torch.dtype, elements: int) -> None:
    """The output needs this type and number of elements, in any shape."""
    check(output.dtype == dtype, f"invalid output tensor type: {output.dtype}, where {dtype} is expected")
    check(
        output.numel() == elements,
        f"invalid output tensor size: {output.numel()} elements, where {elements} are expected",
    )


def split_bytes(tensor: Tensor, sizes: Sequence[int], size: int) -> list[int]:
    """The bytes of each rank's part of a tensor that is split along its first axis, into `sizes` or equal parts. Raises
    RuntimeError if that is impossible."""
    check(tensor.dim() > 0, "a tensor without dimensions has no rows that could be split between ranks")
    length = len(tensor)
    check(bool(sizes) or length % size == 0, f"a tensor of {length} rows is not divisible by {size} ranks")
    check(len(sizes) in (0, size), f"requires a split size for each of {size} ranks, not {len(sizes)}")
    check(
        not sizes or sum(sizes) == length, f"split sizes {list(sizes)} do not add up to the {length} rows of the tensor"
    )
    row = tensor.nbytes // length if length else 0
    return [row * each for each in sizes or [length // size] * size]
