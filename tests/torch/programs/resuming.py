"""Trainings with compress_hook. The program continues those that another process has saved."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel

from dropzero.torch import Compressed, compress_hook
from dropzero.torch.process_group import Group

STEPS = 5
SPEC = "topk(0.1,block=32)+ef+fixed16"
SPECS = (SPEC, "randk(0.1,block=32)+diana", "dgc(0.1)+momentum+warmup(0.5,every=2)", "int+diana(1)", "onebit+ef")


class Model(nn.Module):  # type: ignore[misc]
    """DDP changes the order of its buckets' parameters after the first step: biases are ready before weights.

    middle: the type of the layer between the others.
    """

    def __init__(self, width: int = 24, middle: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.last, self.middle, self.first = nn.Linear(width, 5), nn.Linear(32, width, dtype=middle), nn.Linear(20, 32)

    def forward(self, images: Tensor) -> Tensor:
        hidden: Tensor = self.first(images).relu()
        outcome: Tensor = self.last(self.middle(hidden.to(self.middle.weight.dtype)).relu().to(hidden.dtype))
        return outcome


class Recommender(nn.Module):  # type: ignore[misc]
    """A table with sparse gradients, next to dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.dense = nn.Embedding(50, 20, sparse=True), Model()

    def forward(self, images: Tensor) -> Tensor:
        outcome: Tensor = self.dense(self.table((10 * images[:, 0]).abs().long()) + images)
        return outcome


class Training:
    """A model with compress_hook and its optimizer."""

    def __init__(self, group: Group, model: nn.Module, state: Compressed, **options: Any) -> None:
        self.model, self.state, self.rank = model, state, group.rank()
        draw = torch.Generator().manual_seed(1)
        for each in model.parameters():
            nn.init.normal_(each, std=0.2, generator=draw)
        self.optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        self.wrap(group, **options)

    def wrap(self, group: Group, **options: Any) -> None:
        self.replica = DistributedDataParallel(self.model, process_group=group, **{"bucket_cap_mb": 0.003, **options})
        self.replica.register_comm_hook(self.state, compress_hook)

    def steps(self, numbers: Iterable[int]) -> None:
        for step in numbers:
            draw = torch.Generator().manual_seed(100 * step + self.rank)
            self.state.rate = 0.1 / (1 + step)
            images, labels = torch.randn(16, 20, generator=draw), torch.randint(0, 5, (16,), generator=draw)
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.replica(images), labels).backward()
            self.optimizer.step()

    def save(self, file: Path | BytesIO) -> None:
        torch.save([self.model.state_dict(), self.optimizer.state_dict(), self.state.state_dict()], file)

    def load(self, file: Path | BytesIO) -> None:
        states = torch.load(file)
        for each, state in zip((self.model, self.optimizer, self.state), states, strict=True):
            each.load_state_dict(state)


def weights(model: nn.Module) -> bytes:
    """The bits of all parameters."""
    return b"".join(each.detach().view(torch.uint8).numpy().tobytes() for each in model.parameters())


def main() -> None:
    controller, job, size, rank, folder = sys.argv[1:]
    os.environ.update(DROPZERO_CONTROLLER=controller, DROPZERO_JOB=job, DROPZERO_IP="127.0.0.1")
    init_process_group("dropzero", init_method=f"file://{folder}/store", rank=int(rank), world_size=int(size))
    for number, spec in enumerate(SPECS):
        training = Training(distributed.group.WORLD, Model(), Compressed(spec))
        training.load(Path(folder, f"{number}-{rank}.pt"))
        training.steps(range(3, STEPS))
        # As averagers of weights do.
        assert weights(copy.deepcopy(training.replica)) == Path(folder, f"{number}.weights").read_bytes(), spec
    destroy_process_group()


if __name__ == "__main__":
    main()
