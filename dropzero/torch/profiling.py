"""Ranges in PyTorch's profiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch._C._autograd import _record_function_with_args_enter
from torch.futures import Future


def profiled(name: str, tensors: Sequence[Tensor], call: Callable[[], object]) -> Callable[[], object]:
    """Returns a call as the range dropzero:`name`, from now to its end, on any thread. Returns the call itself if this
    thread has no profiler. tensors: its inputs, whose shapes the profiler may record."""
    if not torch.autograd._profiler_enabled():
        return call
    span, over = _record_function_with_args_enter(f"dropzero:{name}", *tensors), Future()
    # A future ends it with the profiler of this thread: the thread that makes the call has none.
    torch.ops.profiler._call_end_callbacks_on_jit_fut._RecordFunction(span, over)

    def ending() -> None:
        try:
            call()
        finally:
            over.set_result(None)

    return ending
