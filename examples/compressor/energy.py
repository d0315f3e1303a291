"""A custom sparsifier: sends the fewest blocks that hold a share of the gradient's energy.

Four workers minimize |x - target|^2, each with its own noise, and compare it with block top-k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.spec import register
from dropzero.compressors.vectors import keep_blocks, refuse_non_finite, squared_norms

WORKERS, ELEMENTS, STEPS = 4, 32 * 256, 100


@dataclass(frozen=True)
class Energy(Sparsifier):
    """Selects the fewest blocks that together have `share` of the squared norm. Contractive: delta = share."""

    share: float
    block: int = 32

    def compress(self, x: NDArray[np.float32], draw: Generator) -> NDArray[np.float32]:
        """Returns a new vector: `x` in the selected blocks, zero elsewhere."""
        refuse_non_finite(x)
        norms = squared_norms(x, self.block)
        largest_first = np.argsort(-norms, kind="stable")
        held = np.cumsum(norms[largest_first])
        selected = np.zeros(len(norms), np.bool_)
        selected[largest_first[: np.searchsorted(held, self.share * held[-1]) + 1]] = True
        return keep_blocks(x, selected, self.block)

    def delta(self, elements: int) -> float:
        return self.share


register("sparsifier", "energy", Energy)


def minimize(spec: str) -> tuple[float, int]:
    """Returns the final distance from the target, initially 1, and the bytes that the workers sent."""
    random = default_rng(0)
    target = np.repeat(random.pareto(1.5, ELEMENTS // 32), 32).astype(np.float32)
    network = InProcessNetwork(WORKERS)
    compression = Compression(spec, network, ELEMENTS)
    x = np.zeros(ELEMENTS, np.float32)
    for _ in range(STEPS):
        noise = 0.01 * random.standard_normal((WORKERS, ELEMENTS), np.float32)
        x -= 0.1 * compression.aggregate(x - target + noise).total / WORKERS
    return float(np.linalg.norm(x - target) / np.linalg.norm(target)), network.statistics["bytes_sent"]


if __name__ == "__main__":
    for spec in ("none", "topk(0.1,block=32)+ef", "energy(0.9)+ef", "energy(0.9)+ef+fixed8"):
        distance, sent = minimize(spec)
        print(f"{spec:22}  distance {distance:.5f}  {sent / 1e6:5.2f} MB")
