"""Process groups without processes: a thread for each rank, and a job on the loopback."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from types import SimpleNamespace
from typing import TypeVar

import torch
from torch.distributed import HashStore, PrefixStore

from dropzero.torch.options import Options
from dropzero.torch.process_group import Group, create
from tests.support.loopback import HOST, at_once

R = TypeVar("R")
JOBS = count(900)
DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int8,
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.bool,
    torch.complex64,
    torch.complex128,
]
"""What can be reduced."""


def in_group(
    controller: str,
    work: Callable[[Group], R],
    size: int = 3,
    *,
    seconds: float = 60,
    options: Options | Sequence[Options] | None = None,
) -> list[R]:
    """What each rank's `work` returns. The group is left in the end. `options`: of all ranks, or one a rank."""
    store = HashStore()
    options = options or Options(controller=controller, job=next(JOBS), ip=HOST)
    given = [options] * size if isinstance(options, Options) else options

    def member(rank: int) -> R:
        place = SimpleNamespace(
            store=PrefixStore("group/", store),
            group_rank=rank,
            group_size=size,
            global_ranks_in_group=[],
            timeout=timedelta(seconds=seconds),
        )
        group = create(place, given[rank])
        try:
            return work(group)
        finally:
            group.shutdown()

    return at_once(*(partial(member, rank) for rank in range(size)))


def in_processes(program: Path, controller: str, size: int, *arguments: str) -> None:
    """Runs `program.py CONTROLLER JOB SIZE RANK arguments...` for each rank. Fails with the outputs if one fails."""
    job = str(next(JOBS))
    words = [[sys.executable, str(program), controller, job, str(size), str(rank), *arguments] for rank in range(size)]
    processes = [Popen(each, stdout=PIPE, stderr=STDOUT, text=True) for each in words]
    try:
        said = at_once(*(process.communicate for process in processes))
    finally:
        for process in processes:
            process.kill()
    assert all(process.returncode == 0 for process in processes), "\n".join(out for out, _ in said)


def tensors(size: int, shape: tuple[int, ...], dtype: torch.dtype, seed: int = 0) -> list[torch.Tensor]:
    """One a rank, of small numbers that every type has."""
    draw = torch.Generator().manual_seed(seed)
    return [torch.randint(0, 7, shape, generator=draw).to(dtype) for _ in range(size)]
