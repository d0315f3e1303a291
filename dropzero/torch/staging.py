"""Tensors as the worker and Gloo take them: contiguous, and in the host's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor


class Staging:
    """Stands in for a call's tensors. Those on a GPU are copied to pinned memory and back; so are those that are not
    contiguous; all others are themselves."""

    def __init__(self) -> None:
        self._copies: list[tuple[Tensor, Tensor]] = []
        self._streams: dict[torch.device, Any] = {}

    def read(self, tensor: Tensor) -> Tensor:
        """What the call reads."""
        tensor = tensor.detach()
        if not tensor.is_cuda:
            return tensor.contiguous()
        # Not waited for yet: the stream that computes the tensor may be far behind this thread.
        host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True).copy_(tensor, non_blocking=True)
        self._streams[tensor.device] = torch.cuda.current_stream(tensor.device)
        return host

    def write(self, tensor: Tensor) -> Tensor:
        """What the call also writes."""
        host = self.read(tensor)
        if host.data_ptr() != tensor.data_ptr() or tensor.is_cuda:
            self._copies.append((tensor.detach(), host))
        return host

    def reads(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return [self.read(tensor) for tensor in tensors]

    def writes(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return [self.write(tensor) for tensor in tensors]

    def around(self, call: Callable[[], object]) -> Callable[[], None]:
        """The call, for another thread: when the copies are there it is made, and its results are copied back."""
        copied = [stream.record_event() for stream in self._streams.values()]
        return partial(self._make, call, copied)

    def _make(self, call: Callable[[], object], copied: Sequence[Any]) -> None:
        for event in copied:
            event.synchronize()
        call()
        for tensor, host in self._copies:
            tensor.copy_(host)


def as_bytes(tensor: Tensor) -> Tensor:
    """A contiguous tensor's own memory as uint8: the first axis stays, for what is split along it."""
    return (tensor if tensor.dim() > 1 else tensor.reshape(-1, 1)).view(torch.uint8)
