"""Writes step.et, a Chakra trace of one step of data-parallel training.

The model has as many parameters in each layer as one of BERT-large. Gradients of two layers share a bucket, whose
all-reduce begins as soon as the backward pass has computed them, and the optimizer waits for all buckets: as in
PyTorch's DDP. The durations are round numbers, not measured ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dropzero.simulator.training.trace import Node, Trace, write

LAYERS = 8
LAYERS_OF_A_BUCKET = 2
PARAMETERS = 125_000
"""Parameters of a layer: a hundredth of BERT-large's, so that the example takes seconds."""
FORWARD, BACKWARD, UPDATE = 50_000, 100_000, 80_000
"""Nanoseconds of a layer, and of the optimizer."""


def step() -> Trace:
    nodes: list[Node] = []

    def add(name: str, *after: int, **options: object) -> int:
        nodes.append(Node(len(nodes), name, after, **options))  # type: ignore[arg-type]
        return len(nodes) - 1

    last = add("forward 0", duration=FORWARD)
    for layer in range(1, LAYERS):
        last = add(f"forward {layer}", last, duration=FORWARD)
    buckets = []
    for layer in reversed(range(LAYERS)):
        last = add(f"backward {layer}", last, duration=BACKWARD)
        if layer % LAYERS_OF_A_BUCKET == 0:
            size = 4 * PARAMETERS * LAYERS_OF_A_BUCKET
            buckets.append(add(f"gradients of {layer}", last, collective="ALL_REDUCE", size=size))
    add("optimizer", last, *buckets, duration=UPDATE)
    return Trace(nodes)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("step.et"), step())
