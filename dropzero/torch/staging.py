"""Makes tensors contiguous and puts them into host memory, as the worker and Gloo need them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dropzero.torch.arguments import check


class Staging:
    """The tensors of a call. Those on a GPU, and those that are not contiguous, are copied before the call, and back
    after it; others are used as they are. Sparse and quantized tensors, and those on other devices, raise
    RuntimeError."""

    def __init__(self) -> None:
        self._before: list[tuple[Tensor, Tensor]] = []
        self._after: list[tuple[Tensor, Tensor]] = []
        self._devices: set[torch.device] = set()
        self.memory: list[range] = []
        """The addresses of all tensors."""

    def read(self, tensor: Tensor) -> Tensor:
        """Returns the memory of a tensor that the call reads."""
        return self._staged(tensor, before=True)

    def write(self, tensor: Tensor) -> Tensor:
        """Returns the memory of a tensor that the call writes, all of it."""
        return self._staged(tensor, after=True)

    def update(self, tensor: Tensor) -> Tensor:
        """Returns the memory of a tensor that the call reads and writes."""
        return self._staged(tensor, before=True, after=True)

    def reads(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return [self.read(tensor) for tensor in tensors]

    def writes(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return [self.write(tensor) for tensor in tensors]

    def updates(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return [self.update(tensor) for tensor in tensors]

    def tables(self, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
        """Sparse tensors that the call reads and writes, and copies itself."""
        # Writing gives them other memory for their elements: what stays is where the tensor itself is.
        self.memory += [range(tensor._cdata, tensor._cdata + 1) for tensor in tensors]
        self._devices |= {tensor.device for tensor in tensors if tensor.is_cuda}
        return tensors

    def around(self, call: Callable[[], object]) -> Callable[[], None]:
        """Returns the call with the copies, for another thread. They wait for what this thread's current streams
        compute."""
        computed = [torch.cuda.current_stream(device).record_event() for device in self._devices]
        return partial(self._make, call, computed)

    def _staged(self, tensor: Tensor, before: bool = False, after: bool = False) -> Tensor:
        tensor = tensor.detach()
        check(tensor.layout == torch.strided, f"unsupported layout: {tensor.layout}")
        check(tensor.is_cpu or tensor.is_cuda, f"unsupported device: {tensor.device}")
        # PyTorch crashes when it views them as bytes.
        check(not tensor.is_quantized, f"unsupported type: {tensor.dtype}")
        check(
            not after
            or all(stride or length < 2 for stride, length in zip(tensor.stride(), tensor.shape, strict=True)),
            "several elements of the written-to tensor share memory: clone it first",
        )
        self.memory.append(_addresses(tensor))
        if tensor.is_contiguous() and not (tensor.is_cuda or tensor.is_conj() or tensor.is_neg()):
            return tensor
        if tensor.is_cuda:
            self._devices.add(tensor.device)
        host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=tensor.is_cuda)
        self._before += [(host, tensor)] * before
        self._after += [(tensor, host)] * after
        return host

    def _make(self, call: Callable[[], object], computed: Sequence[Any]) -> None:
        for event in computed:
            event.synchronize()
        for host, tensor in self._before:
            host.copy_(tensor)
        call()
        for tensor, host in self._after:
            tensor.copy_(host)


def as_array(tensor: Tensor) -> NDArray[Any]:
    """Returns a contiguous tensor's own memory, as bytes if numpy does not have the type."""
    # Tensor.numpy() would keep programs from ever resizing their tensors, as FSDP and PowerSGD do.
    try:
        return cast(NDArray[Any], np.from_dlpack(tensor))
    except (RuntimeError, BufferError):
        return cast(NDArray[Any], np.from_dlpack(as_bytes(tensor)))


def as_bytes(tensor: Tensor) -> Tensor:
    """Returns a contiguous tensor's own memory as uint8. The first axis stays, because some calls split it."""
    return (tensor if tensor.dim() > 1 else tensor.reshape(-1, 1)).view(torch.uint8)


def _addresses(tensor: Tensor) -> range:
    """The addresses from a tensor's first element to its last."""
    first, size = tensor.data_ptr(), tensor.element_size()
    last = sum((length - 1) * stride for length, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return range(first, first + (last + 1) * size if tensor.numel() else first)
