"""Calls of tensors that wrap others."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.testing._internal.two_tensor import TwoTensor

from dropzero.torch.process_group import Group
from tests.torch.groups import in_group


def two(first: float, second: float) -> TwoTensor:
    return TwoTensor(torch.full((3,), float(first)), torch.full((3,), float(second)))


def parts(tensor: TwoTensor) -> list[list[float]]:
    return [tensor.a.tolist(), tensor.b.tolist()]


def test_what_a_tensor_wraps_is_reduced_and_moved(controller: str) -> None:
    """It has no memory of its own."""

    def work(group: Group) -> None:
        rank, size = group.rank(), group.size()
        total = two(rank, 10.0)
        group.allreduce([total]).wait()
        assert parts(total) == [[3.0] * 3, [30.0] * 3]
        own = two(0, 0)
        group.scatter([own], [[two(each, -each) for each in range(size)]] if rank == 0 else [], root=0).wait()
        assert parts(own) == [[float(rank)] * 3, [-float(rank)] * 3]
        everyone = [two(0, 0) for _ in range(size)]
        group.allgather([everyone], [torch.nn.Parameter(own)]).wait()
        assert [parts(each) for each in everyone] == [[[float(each)] * 3, [-float(each)] * 3] for each in range(size)]
        # Others still have theirs in place.
        plain = torch.ones(3)
        group.allreduce([plain]).wait()
        assert plain.tolist() == [3.0] * 3

    in_group(controller, work)


class Unwilling(torch.Tensor):  # type: ignore[misc]
    """Has no operations."""

    @staticmethod
    def __new__(cls) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, (3,))

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.detach.default:
            return args[0]
        raise TypeError(f"there is no {func} of these")


def test_an_error_of_a_wrapping_tensor_is_one_on_all_ranks(controller: str) -> None:
    def work(group: Group) -> str:
        odd = group.rank() == 1
        with pytest.raises(Exception, match=r"there is no dropzero\.call\.default of these") as error:
            group.allreduce([Unwilling() if odd else torch.ones(3)]).wait()
        later = torch.ones(3)
        group.allreduce([later]).wait()
        assert later.tolist() == [3.0] * 3
        return type(error.value).__name__

    found = in_group(controller, work)
    assert found[1] == "TypeError"
