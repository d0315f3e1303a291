"""Writes Chakra traces of one step of a Llama, one for each rank: OUT.0.et, OUT.1.et, and so on.

Tensor parallel as in Megatron: each layer all-reduces its activations twice on the way forward, and twice on the way
back. The replicas share an optimizer as in ZeRO 1: each layer's gradients are reduce-scattered while the next ones are
computed, and the weights gathered after the update. Each rank then sends its share of the optimizer's state to the next
replica, which keeps it in memory, as Gemini does. Neighbouring ranks are tensor parallel. The default sizes are Llama
3.2 1B's; durations are computed from the numbers of operations, not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from dropzero.simulator.training.trace import RECEIVE, SEND, Node, Trace, write

BYTES = 2
"""The bytes of a weight, a gradient or an activation: bfloat16."""
STATE_BYTES = 12
"""The optimizer's, for each weight: the weight and two moments as float32."""
SECOND = 10**9


@dataclass(frozen=True)
class Model:
    """Sizes. tokens: that a replica handles in a step. flops: a rank's operations a second."""

    layers: int
    hidden: int
    feed_forward: int
    tokens: int
    flops: float

    @property
    def weights(self) -> int:
        """The weights of a layer: queries and outputs, keys and values (a quarter as many heads), and the three
        matrices of the feed-forward network."""
        return self.hidden * (2 * self.hidden + 2 * self.hidden // 4 + 3 * self.feed_forward)


def step(model: Model, rank: int, tensor: int, data: int) -> Trace:
    """The trace of a rank of `tensor` times `data`."""
    replica, place = divmod(rank, tensor)
    tensor_group, data_group = f"tensor parallel {replica}", f"data parallel {place}"
    share = model.weights // tensor
    activations = model.tokens * model.hidden * BYTES
    # Two operations for each weight and token, half of them before each all-reduce.
    half = round(model.weights * model.tokens / tensor / model.flops * SECOND)
    nodes: list[Node] = []

    def add(name: str, after: Sequence[int], duration: int = 0, **options: int | str) -> int:
        nodes.append(Node(len(nodes), name, tuple(after), duration, **options))  # type: ignore[arg-type]
        return len(nodes) - 1

    def together(name: str, after: Sequence[int], kind: str, size: int, group: str) -> int:
        return add(name, after, collective=kind, size=size, group=group)

    last: list[int] = []
    for layer in range(model.layers):
        for part in ("attention", "feed forward"):
            last = [add(f"{part} {layer}", last, half)]
            last = [together(f"sum {part} {layer}", last, "ALL_REDUCE", activations, tensor_group)]
    gradients = []
    for layer in reversed(range(model.layers)):
        for part in ("feed forward", "attention"):
            last = [add(f"back {part} {layer}", last, 2 * half)]
            computed = last
            last = [together(f"sum back {part} {layer}", last, "ALL_REDUCE", activations, tensor_group)]
        gradients.append(together(f"gradients {layer}", computed, "REDUCE_SCATTER", share * BYTES, data_group))
    update = add("update", [*last, *gradients], half)
    for layer in range(model.layers):
        together(f"weights {layer}", [update], "ALL_GATHER", share // data * BYTES, data_group)
    if data > 1:
        state = {"size": model.layers * share // data * STATE_BYTES, "tag": 0}
        others = [(replica + way) % data * tensor + place for way in (1, -1)]
        add("state to the next replica", [update], collective=SEND, peer=others[0], **state)
        add("state of the replica before", [update], collective=RECEIVE, peer=others[1], **state)
    return Trace(nodes)


def main(
    out: Annotated[Path, typer.Argument(help="Where the traces go, without .RANK.et.")],
    tensor: Annotated[int, typer.Option(min=1, help="Ranks that share each layer.")] = 8,
    data: Annotated[int, typer.Option(min=1, help="Replicas.")] = 8,
    layers: Annotated[int, typer.Option(min=1)] = 16,
    hidden: Annotated[int, typer.Option(min=64)] = 2048,
    feed_forward: Annotated[int, typer.Option(min=64)] = 8192,
    tokens: Annotated[int, typer.Option(min=1, help="Of each replica.")] = 2048,
    teraflops: Annotated[float, typer.Option(min=0.001, help="Of each rank.")] = 400.0,
) -> None:
    """Write the traces of one step of a Llama."""
    model = Model(layers, hidden, feed_forward, tokens, teraflops * 1e12)
    for rank in range(tensor * data):
        write(Path(f"{out}.{rank}.et"), step(model, rank, tensor, data))


if __name__ == "__main__":
    typer.run(main)
