"""Trains a small CNN on scikit-learn's digits, data-parallel: `dropzero torchrun examples/torch/digits.py`.

DROPZERO_BACKEND says what adds up the gradients: gloo (the hosts among themselves) or dropzero (the switch).

With `--snapshot FILE`, and torchrun's `--max-restarts`, training continues from there when a worker was killed.
"""

import argparse
import hashlib
import os
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel


def main(steps: int, batch: int, snapshot: Path | None) -> None:
    distributed.init_process_group(os.environ.get("DROPZERO_BACKEND", "gloo"))
    rank, size = distributed.get_rank(), distributed.get_world_size()

    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    own, held_out = order[:1400][rank::size], order[1400:]

    torch.manual_seed(0)  # the same weights on all workers
    model = DistributedDataParallel(
        nn.Sequential(
            *(nn.Conv2d(1, 16, 3), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten()),
            nn.Linear(32 * 4 * 4, 10),
        )
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    done = 0
    if snapshot is not None and snapshot.exists():
        saved = torch.load(snapshot)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        done = saved["step"]
        print(f"rank {rank} continues after step {done}")
    draw = torch.Generator().manual_seed(1 + rank)
    for step in range(1, steps + 1):
        rows = own[torch.randint(len(own), (batch,), generator=draw)]
        if step <= done:
            continue
        loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 or step == steps:
            distributed.all_reduce(mean := loss.detach() / size)
            if rank == 0:
                print(f"step {step} loss {mean:.4f}")
            if rank == 0 and snapshot is not None:
                # In one go: there is always a whole one.
                new = snapshot.with_suffix(".new")
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, new)
                new.replace(snapshot)

    with torch.no_grad():
        right = (model.module(images[held_out]).argmax(1) == labels[held_out]).float().mean()
    parameters = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
    print(f"rank {rank} accuracy {right:.4f} sha256 {hashlib.sha256(parameters).hexdigest()}")
    distributed.barrier()  # Gloo's threads abort a program that ends while they still hold a tensor.
    distributed.destroy_process_group()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--batch", type=int, default=32, help="images of each worker in a step")
    options.add_argument("--snapshot", type=Path, help="file that the first worker writes and all read")
    given = options.parse_args()
    main(given.steps, given.batch, given.snapshot)
