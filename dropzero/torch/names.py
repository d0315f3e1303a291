"""What PyTorch, or a library, decides by the name of a backend: here it need not be this one's."""

from __future__ import annotations

import sys
import warnings
from datetime import timedelta
from functools import cache, wraps
from typing import Any

import torch
from torch import distributed
from torch.distributed import Backend, distributed_c10d
from torch.distributed.distributed_c10d import BackendConfig

SERVED = object()
"""The options of a group of Gloo's name."""


def serve_gloo() -> None:
    """From now on, this process's groups of the backend gloo are groups of dropzero. To PyTorch, and so to the program,
    they have the name that it asked for."""
    make = distributed_c10d._new_process_group_helper

    @wraps(make)
    def make_served(size: int, rank: int, ranks: Any, backend: str, *arguments: Any, **named: Any) -> Any:
        if not _served(backend):
            return make(size, rank, ranks, backend, *arguments, **named)
        # Instead of Gloo's, which say nothing about the switch.
        named["backend_options"] = SERVED
        group, store = make(size, rank, ranks, Backend("dropzero"), *arguments, **named)
        world: Any = distributed_c10d._world
        if group in world.pg_map:
            world.pg_map[group] = backend, world.pg_map[group][1]
            world.pg_backend_config[group] = str(BackendConfig(Backend(backend)))
        return group, store

    distributed_c10d._new_process_group_helper = make_served


def _served(backend: str) -> bool:
    """Whether a group's tensors, on this machine, are Gloo's. Not in a program that names dropzero, too: it has asked
    for Gloo where it wants Gloo."""
    world: Any = distributed_c10d._world
    first = world.default_pg
    if first is not None and world.pg_map[first][0] == "dropzero":
        return False
    device: str = torch._C._get_accelerator().type
    served: bool = BackendConfig(Backend(backend)).get_device_backend_map().get(device) == Backend.GLOO
    return served


@cache
def allow_monitored_barrier(kind: type[Any]) -> None:
    """Lets torch.distributed.monitored_barrier take groups of this kind: it refuses all that are not called gloo."""
    make = distributed_c10d.monitored_barrier

    @wraps(make)
    def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> Any:
        own = distributed.group.WORLD if group is None else group
        if not isinstance(own, kind):
            return make(group, timeout, wait_all_ranks)
        return own.monitored_barrier(timeout or distributed_c10d.default_pg_timeout, wait_all_ranks)

    distributed_c10d.monitored_barrier = distributed.monitored_barrier = monitored_barrier


def warn_of_ignite() -> None:
    """Warns a program that uses ignite: by the name of the backend, it leaves models without DDP, so that each rank
    trains alone."""
    if "ignite.distributed" in sys.modules:
        warnings.warn(
            "ignite's auto_model does not wrap models in DistributedDataParallel for a backend of the name dropzero: "
            "each rank would train alone. Wrap the model yourself, or give the program the backend gloo, which "
            "`dropzero torchrun` serves by the switch",
            stacklevel=2,
        )
