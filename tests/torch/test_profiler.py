"""What PyTorch's profiler shows of a group's calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from threading import Thread
from time import sleep
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

import dropzero
from dropzero.torch.process_group import Group
from dropzero.torch.profiling import profiled
from tests.torch.groups import in_group


def shown(work: Any, group: Group) -> dict[str, list[Any]]:
    """The shapes that one rank's profiler shows, by range."""
    if group.rank():
        work(group)
        return {}
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        work(group)
    found: dict[str, list[Any]] = {}
    for event in profiler.events():
        if event.name.startswith("dropzero:"):
            assert event.is_async
            found.setdefault(event.name, []).append(event.input_shapes)
    return found


def test_each_call_is_a_range(controller: str) -> None:
    def work(group: Group) -> None:
        mine, whole = torch.ones(2, 3), torch.ones(4, 3)
        group.allreduce([mine]).wait()
        group.allreduce_coalesced([mine, whole]).wait()
        group.broadcast(mine, root=0).wait()
        group.reduce(mine, root=1).wait()
        group.reduce_scatter_single(mine, whole).wait()
        group.allgather([[torch.zeros(2, 3)] * 2], [mine]).wait()
        group.alltoall([torch.zeros(2, 3)] * 2, [mine, mine]).wait()
        group.barrier().wait()
        transfer = group.recv([mine], 1, 0) if group.rank() == 0 else group.send([mine], 0, 0)
        transfer.wait()

    found = in_group(controller, lambda group: shown(work, group), 2)[0]
    assert found == {
        "dropzero:all_reduce": [[[2, 3]], [[2, 3], [4, 3]]],
        "dropzero:broadcast": [[[2, 3]]],
        "dropzero:reduce": [[[2, 3]]],
        "dropzero:reduce_scatter": [[[6], [6]]],
        "dropzero:all_gather": [[[2, 3]]],
        "dropzero:all_to_all": [[[2, 3], [2, 3]]],
        "dropzero:barrier": [[]],
        "dropzero:recv": [[[2, 3]]],
    }


def test_the_range_of_a_call_that_fails_ends(controller: str) -> None:
    def work(group: Group) -> None:
        with pytest.raises(dropzero.Disagreement):
            group.allreduce([torch.ones(2 + group.rank())]).wait()

    found = in_group(controller, lambda group: shown(work, group), 2)[0]
    assert found == {"dropzero:all_reduce": [[[2]]]}


@pytest.mark.parametrize("kind", [lambda: profile(activities=[ProfilerActivity.CPU]), torch.autograd.profiler.profile])
def test_a_range_ends_with_its_call_on_another_thread(kind: Callable[[], Any]) -> None:
    with kind() as profiler:
        for _ in range(3):
            thread = Thread(target=profiled("all_reduce", [torch.ones(2)], partial(sleep, 0.05)))
            thread.start()
            thread.join()
        sleep(0.2)
    events = getattr(profiler, "events", lambda: profiler.function_events)()
    spans = [event for event in events if event.name == "dropzero:all_reduce"]
    assert len(spans) == 3
    for earlier, later in pairwise(spans):
        assert earlier.is_async
        assert earlier.time_range.elapsed_us() >= 50_000
        assert earlier.time_range.end <= later.time_range.start


def test_without_a_profiler_there_is_nothing_to_do() -> None:
    def call() -> None: ...

    assert profiled("all_reduce", [torch.ones(2)], call) is call
