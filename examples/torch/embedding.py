"""Trains word vectors, whose gradients are rows of a large table: `dropzero torchrun examples/torch/embedding.py`.

Skip-gram with negative sampling (Mikolov et al. 2013, section 2.2), of the next word, on the pages of Python's language
reference that `help()` shows. DROPZERO_BACKEND says what adds up the rows: gloo gathers all workers' indices and rows
on every host; dropzero has the switch add up the rows that any worker has (Communicator.sparse_all_reduce).
"""

import argparse
import hashlib
import os
import re
from collections import Counter
from pydoc_data.topics import topics

import torch
from torch import distributed, nn

WIDTH = 64
NOISE = 4
"""Words that did not follow, for each that did."""


def main(steps: int, batch: int) -> None:
    distributed.init_process_group(os.environ.get("DROPZERO_BACKEND", "gloo"))
    rank, size = distributed.get_rank(), distributed.get_world_size()

    words = re.findall(r"[a-z]+", " ".join(topics[name] for name in sorted(topics)).lower())
    numbers = {word: number for number, (word, _) in enumerate(Counter(words).most_common())}
    text = torch.tensor([numbers[word] for word in words])

    torch.manual_seed(0)  # the same weights on all workers
    vectors = nn.Embedding(2 * len(numbers), WIDTH, sparse=True)  # of each word, then of each as the next one
    nn.init.normal_(vectors.weight, std=0.1)
    optimizer = torch.optim.SGD(vectors.parameters(), lr=100)
    draw = torch.Generator().manual_seed(1 + rank)
    for step in range(1, steps + 1):
        places = torch.randint(len(text) - 1, (batch,), generator=draw)
        noise = text[torch.randint(len(text), (batch, NOISE), generator=draw)]
        others = torch.cat([text[places + 1][:, None], noise], 1)
        scores = torch.einsum("nd,nkd->nk", vectors(text[places]), vectors(others + len(numbers)))
        real = torch.zeros_like(scores).index_fill_(1, torch.tensor(0), 1)
        loss = nn.functional.binary_cross_entropy_with_logits(scores, real)
        optimizer.zero_grad()
        loss.backward()
        distributed.all_reduce(vectors.weight.grad)
        vectors.weight.grad /= size
        optimizer.step()
        if step % 10 == 0 or step == steps:
            distributed.all_reduce(mean := loss.detach() / size)
            if rank == 0:
                print(f"step {step} loss {mean:.4f}")

    parameters = vectors.weight.detach().numpy().tobytes()
    print(f"rank {rank} sha256 {hashlib.sha256(parameters).hexdigest()}")
    distributed.barrier()  # Gloo's threads abort a program that ends while they still hold a tensor.
    distributed.destroy_process_group()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--batch", type=int, default=64, help="pairs of words of each worker in a step")
    given = options.parse_args()
    main(given.steps, given.batch)
