"""Ranks that abort, destroy their process groups, and make them again at once, as training scripts do after a fault."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import timedelta

import torch
from torch import distributed
from torch.distributed import DistBackendError

ROUNDS = 10


def main() -> None:
    controller, job, size, rank, folder = sys.argv[1:]
    os.environ.update(DROPZERO_CONTROLLER=controller, DROPZERO_JOB=job, DROPZERO_IP="127.0.0.1")
    for number in range(ROUNDS):
        distributed.init_process_group(
            "dropzero",
            init_method=f"file://{folder}/{number}",
            rank=int(rank),
            world_size=int(size),
            timeout=timedelta(minutes=1),
        )
        pairs = [distributed.new_group([one, (one + 1) % int(size)]) for one in range(int(size))]
        groups = [distributed.group.WORLD, *(each for each in pairs if isinstance(each, distributed.ProcessGroup))]
        for group in groups:
            distributed.all_reduce(ones := torch.ones(4), group=group)
            assert ones.tolist() == [distributed.get_world_size(group)] * 4
        # The others may abort before this rank has the barrier's result.
        with suppress(DistBackendError):
            distributed.barrier()
        for group in groups:
            group.abort()
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
