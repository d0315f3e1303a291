"""Trains a small transformer on the sources of Python's standard library, data-parallel, to predict the next character:
`dropzero torchrun examples/torch/characters.py`.

DROPZERO_BACKEND says what adds up the gradients: gloo (the hosts among themselves) or dropzero (the switch).
"""

import argparse
import hashlib
import os
import sysconfig
from pathlib import Path

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

MODULES = ("argparse", "asyncio/base_events", "collections/__init__", "dataclasses", "inspect", "pathlib", "typing")
CHARACTERS = 128
"""ASCII; all others count as the last one."""


class Transformer(nn.Module):
    """Predicts each character of a text from those before it: (n, length) -> logits (n, length, CHARACTERS)."""

    def __init__(self, length: int, width: int = 64, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.characters = nn.Embedding(CHARACTERS, width)
        self.places = nn.Parameter(torch.zeros(length, width))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.logits = nn.Linear(width, CHARACTERS)
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(length), persistent=False)

    def forward(self, text: Tensor) -> Tensor:
        hidden = self.layers(self.characters(text) + self.places, mask=self.future, is_causal=True)
        return self.logits(hidden)


def read() -> Tensor:
    """The text, of numbers below CHARACTERS."""
    library = Path(sysconfig.get_path("stdlib"))
    sources = b"".join((library / f"{module}.py").read_bytes() for module in MODULES)
    return torch.frombuffer(bytearray(sources), dtype=torch.uint8).long().clamp(max=CHARACTERS - 1)


def some(text: Tensor, batch: int, length: int, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Parts of the text, and the characters that follow each of theirs: shape (batch, length) both."""
    starts = torch.randint(len(text) - length, (batch,), generator=draw)
    rows = torch.stack([text[start : start + length + 1] for start in starts])
    return rows[:, :-1], rows[:, 1:]


def main(steps: int, batch: int, length: int) -> None:
    distributed.init_process_group(os.environ.get("DROPZERO_BACKEND", "gloo"))
    rank, size = distributed.get_rank(), distributed.get_world_size()

    text = read()
    torch.manual_seed(0)  # the same weights on all workers
    model = DistributedDataParallel(Transformer(length))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    draw = torch.Generator().manual_seed(1 + rank)
    for step in range(1, steps + 1):
        before, after = some(text, batch, length, draw)
        loss = nn.functional.cross_entropy(model(before).flatten(0, 1), after.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 or step == steps:
            distributed.all_reduce(mean := loss.detach() / size)
            if rank == 0:
                print(f"step {step} loss {mean:.4f}")

    parameters = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
    print(f"rank {rank} sha256 {hashlib.sha256(parameters).hexdigest()}")
    distributed.barrier()  # Gloo's threads abort a program that ends while they still hold a tensor.
    distributed.destroy_process_group()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--batch", type=int, default=16, help="texts of each worker in a step")
    options.add_argument("--length", type=int, default=64, help="characters of a text")
    given = options.parse_args()
    main(given.steps, given.batch, given.length)
