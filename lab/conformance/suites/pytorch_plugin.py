"""Lets PyTorch's tests run on the backend "dropzero", although they know only PyTorch's own backends: a pytest plugin,
and a function that the copies of the tests import."""

from __future__ import annotations

import os
from datetime import timedelta
from functools import partialmethod
from types import SimpleNamespace
from typing import Any

import torch.multiprocessing
from torch import distributed
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.testing._internal import common_distributed, common_fsdp

from dropzero.torch.process_group import create


def group(store: Any, rank: int, size: int, options: Any) -> Any:
    """Make a process group, with the arguments of ProcessGroupGloo's constructor."""
    timeout = timedelta(seconds=options._timeout) if isinstance(options._timeout, float) else options._timeout
    place = SimpleNamespace(store=store, group_rank=rank, group_size=size, global_ranks_in_group=[], timeout=timeout)
    return create(place, None)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out tests whose ranks are threads, with a backend of their own. Sort those that start processes first: the
    others leave a process group in this process, which breaks forks."""
    items[:] = [item for item in items if not issubclass(item.cls or object, common_distributed.MultiThreadedTestCase)]
    items.sort(key=lambda item: not issubclass(item.cls or object, common_distributed.MultiProcessTestCase))


def _fork(test: Any) -> None:
    """Fork a test's processes, because loading PyTorch anew takes longer than most tests."""
    test._start_processes(torch.multiprocessing.get_context("fork").Process)


def _monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """torch.distributed.monitored_barrier, without its check that the backend is Gloo."""
    if group is distributed.GroupMember.NON_GROUP_MEMBER:
        return
    seconds = timedelta(seconds=timeout) if isinstance(timeout, float) else timeout
    (group or distributed.group.WORLD).monitored_barrier(seconds, wait_all_ranks=wait_all_ranks)


common_distributed.MultiProcessTestCase._spawn_processes = _fork
if "SHARDS" in os.environ:
    # Without GPUs, PyTorch's is 1, and these tests do not run.
    common_fsdp.DEVICE_COUNT = int(os.environ["SHARDS"])
    common_fsdp.FSDPTest._run = classmethod(common_fsdp.FSDPTestMixin._run.__func__)
    FullyShardedDataParallel.__init__ = partialmethod(FullyShardedDataParallel.__init__, device_id=torch.device("cpu"))
    torch.cpu.manual_seed, torch.cpu._sleep = torch.manual_seed, lambda cycles: None
if os.environ["BACKEND"] == "dropzero":
    distributed.monitored_barrier = _monitored_barrier
    for feature, backends in common_distributed.DistTestCases.backend_feature.items():
        if "gloo" in backends or feature == "plugin":
            backends.add("dropzero")
