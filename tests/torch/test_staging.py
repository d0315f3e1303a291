"""Tensors on a GPU. There is none here: a tensor that says it is on one, and a stream that notes who waits for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

import pytest
import torch
from torch import Tensor
from torch.distributed import ReduceOp
from torch.utils._pytree import tree_map

from dropzero.torch import wrapping
from dropzero.torch.process_group import Group
from tests.torch.groups import in_group

VIEWS = torch.ops.aten.view.default, torch.ops.aten.split.Tensor


class OnGpu(Tensor):  # type: ignore[misc]
    """Its elements can be copied, and nothing else: the host has no other way to a GPU's memory."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> Self:
        made = Tensor._make_wrapper_subclass(cls, held.shape, strides=held.stride(), dtype=held.dtype, device="cuda:0")
        made.held = held
        return cast(Self, made)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Sequence[Any], given: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> Any:
        if function is Tensor.detach:
            return cls(given[0].held)
        if function is Tensor.data_ptr:
            return given[0].held.data_ptr()
        if function is Tensor.copy_:
            noted.append("copied to the GPU" if isinstance(given[0], cls) else "copied to the host")
            into, source = (each.held if isinstance(each, cls) else each for each in given)
            into.copy_(source)
            return given[0]
        return super().__torch_function__(function, types, given, named or {})

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Sequence[Any], given: Any = (), named: Any = None) -> Any:
        assert function in VIEWS, f"the host calls {function} on the GPU's memory"
        return tree_map(cls, function(given[0].held, *given[1:]))


class Stream:
    """That on which the program computes, and an event of it."""

    def record_event(self) -> Self:
        return self

    def synchronize(self) -> None:
        noted.append("computed")


noted: list[str] = []


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    noted.clear()
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: Stream())
    empty = torch.empty
    # A real one wraps no other tensor.
    monkeypatch.setattr(wrapping, "PLAIN", (*wrapping.PLAIN, OnGpu))
    # Without a GPU there is no pinned memory.
    monkeypatch.setattr(torch, "empty", lambda *shape, pin_memory=False, **named: empty(*shape, **named))


def on_gpu(*numbers: float) -> OnGpu:
    return OnGpu(torch.tensor(numbers))


def test_calls_read_and_write_the_gpus_memory(controller: str) -> None:
    def work(group: Group) -> None:
        me = group.rank()
        mine = on_gpu(1 + me, 10 + me)
        group.allreduce([mine], ReduceOp.SUM).wait()
        assert mine.held.tolist() == [3, 21]
        group.allreduce_coalesced([mine, whole := on_gpu(0, 0, 0, me)]).wait()
        assert (mine.held.tolist(), whole.held.tolist()) == ([6, 42], [0, 0, 0, 1])
        group.reduce(mine, root=1).wait()
        assert mine.held.tolist() == ([12, 84] if me else [6, 42])
        group.all_gather_single(whole, mine).wait()
        assert whole.held.tolist() == [6, 42, 12, 84]
        group.reduce_scatter_single(mine, whole).wait()
        assert mine.held.tolist() == ([24, 168] if me else [12, 84])
        group.broadcast(mine, root=1).wait()
        assert mine.held.tolist() == [24, 168]
        if me:
            group.send([on_gpu(7, 8)], 0, 0).wait()
        else:
            group.recv([mine], 1, 0).wait()
            assert mine.held.tolist() == [7, 8]

    in_group(controller, work, 2)


def test_a_call_waits_for_what_the_gpu_computes_before_it_copies(controller: str) -> None:
    in_group(controller, lambda group: group.allreduce([on_gpu(1)]).wait(), 1)
    assert noted == ["computed", "copied to the host", "copied to the GPU"]
