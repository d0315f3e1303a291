"""Makes groups by every name, one after the other: `names.py RANK STORE NAME...`. Prints what PyTorch says of them."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from torch import distributed
from torch.distributed import ProcessGroupGloo

SIZE = 2


def kind(group: Any = None) -> str:
    """What a group is, after a call of it."""
    distributed.all_reduce(ones := torch.ones(4), group=group)
    assert ones.tolist() == [distributed.get_world_size(group)] * 4
    return f"{type(group or distributed.group.WORLD).__name__} {distributed.get_backend(group)}"


def made(name: str | None, rank: int, store: Path) -> list[str]:
    options = ProcessGroupGloo._Options() if name == "gloo" else None
    distributed.init_process_group(
        name,
        init_method=f"file://{store}",
        rank=rank,
        world_size=SIZE,
        pg_options=options,
        timeout=timedelta(minutes=1),
    )
    # It keeps the group, and its store, although the program destroys it.
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
    model(torch.ones(1, 2)).sum().backward()
    alone, _ = distributed.new_subgroups(1)
    found = [kind(group) for group in (None, distributed.new_group(), distributed.new_group(backend="gloo"), alone)]
    objects: list[Any] = [None] * SIZE
    distributed.all_gather_object(objects, {"rank": rank})
    assert objects == [{"rank": each} for each in range(SIZE)]
    if name in ("gloo", "dropzero"):
        distributed.monitored_barrier(timeout=timedelta(minutes=1))
    distributed.destroy_process_group()
    return found


if __name__ == "__main__":
    for word in sys.argv[3:]:
        print(word, *made(None if word == "None" else word, int(sys.argv[1]), Path(sys.argv[2])), sep=", ")
