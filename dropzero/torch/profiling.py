"""The ranges of PyTorch's profiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch._C._profiler import _RecordFunctionFast


def profiled(name: str, tensors: Sequence[Tensor], call: Callable[[], object]) -> Callable[[], object]:
    """A call as the range dropzero:`name`, from now to its end, on whatever thread that is; the call itself where
    this thread has no profiler. `tensors`: its inputs, whose shapes the profiler may record."""
    if not torch.autograd._profiler_enabled():
        return call
    span = _RecordFunctionFast(f"dropzero:{name}", list(tensors))
    span.__enter__()

    def ending() -> None:
        try:
            call()
        finally:
            span.__exit__(None, None, None)

    return ending
