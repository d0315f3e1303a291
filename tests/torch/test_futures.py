"""A call that PyTorch's C++ code has, or looks at through its future."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest
import torch
from torch.nn.parallel import DistributedDataParallel

import dropzero
from dropzero.torch.process_group import Group
from tests.torch.groups import in_group


def replica(group: Group) -> DistributedDataParallel:
    return DistributedDataParallel(torch.nn.Linear(4, 2), process_group=group)


def test_cpp_waits_for_a_call_that_the_program_has_dropped(controller: str) -> None:
    """In a join context, only DDP's reducer has the call whose result is the divisor of the gradients. It may be over
    when the backward pass begins, and others may have come after it."""

    def work(group: Group) -> None:
        def others() -> None:
            for _ in range(100):
                group.allreduce([torch.ones(1)]).wait()
                group.allreduce([torch.ones(1)]).get_future()

        for calls in (gc.collect, others):
            model = replica(group)
            model.reducer._set_forward_pass_work_handle(group.allreduce([torch.ones(1)]), False)
            calls()
            model(torch.ones(3, 4)).sum().backward()
            assert model.module.bias.grad.tolist() == [3.0, 3.0]

    in_group(controller, work)


def test_what_cpp_waits_for_ends_with_the_timeout_of_the_group(controller: str) -> None:
    def work(group: Group) -> None:
        model = replica(group)
        if group.rank() == 0:
            assert over.wait(600)
            return
        model.reducer._set_forward_pass_work_handle(group.allreduce([torch.ones(1)]), False)
        try:
            with pytest.raises(RuntimeError, match="timeout"):
                model(torch.ones(3, 4)).sum().backward()
        finally:
            over.set()

    over = threading.Event()
    in_group(controller, work, 2, seconds=2)


@pytest.mark.parametrize("before", [False, True])
def test_after_a_wait_the_future_is_done(controller: str, before: bool) -> None:
    """Whether the program asked for it before, or only then."""

    def work(group: Group) -> None:
        for _ in range(200):
            call = group.allreduce([torch.ones(1)])
            future: Any = call.get_future() if before else None
            call.wait()
            future = future or call.get_future()
            assert future.done()
            assert future.value()[0].item() == 2

    in_group(controller, work, 2)


def test_after_a_wait_that_fails_the_future_has_the_error(controller: str) -> None:
    def work(group: Group) -> None:
        call = group.allreduce([torch.ones(1 + group.rank())])
        future: Any = call.get_future()
        with pytest.raises(dropzero.Disagreement):
            call.wait()
        assert future.done()
        with pytest.raises(RuntimeError, match="Disagreement"):
            future.value()

    in_group(controller, work, 2)
