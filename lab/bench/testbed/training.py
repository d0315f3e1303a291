"""One worker of `python -m lab.bench.torch`, started by torchrun: `python -m lab.bench.testbed.training RESULTS STEPS`.

Trains the character transformer of examples/torch once for each way of adding up gradients, alternately, in one
process. Rank 0 writes a JSON list of StepTimes to RESULTS.
"""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed, nn
from torch.autograd import Function
from torch.nn.parallel import DistributedDataParallel

from dropzero.torch import Compressed, compress_hook
from lab.bench.testbed.step_times import StepTimes

EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "torch" / "characters.py"))
LENGTH, WIDTH, HEADS, LAYERS = 32, 384, 6, 6
BATCH = 2
COMPRESSED = "topk(0.1,block=32)+ef", "topk(0.1,block=64)+ef+fixed16", "topk(0.1,block=64)+ef+fixed8"
BUCKET = 4
"""MB of gradients in a bucket of DDP. With the default of 25, half of the model would wait for the end of the backward
pass."""


class Way(NamedTuple):
    """A way of adding up gradients. spec: of their compression; empty: none."""

    name: str
    group: Any
    spec: str = ""


class Wait(Function):  # type: ignore[misc]
    """The identity, whose backward pass sleeps, as if another device computed a layer's."""

    seconds = 0.0

    @staticmethod
    def forward(context: Any, tensor: Tensor) -> Tensor:
        return tensor.view_as(tensor)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        time.sleep(Wait.seconds)
        return gradient


def transformer() -> nn.Module:
    """Return the model, with the same weights each time."""
    torch.manual_seed(0)
    model: nn.Module = EXAMPLE["Transformer"](LENGTH, WIDTH, HEADS, LAYERS)
    return model


def replicated(way: Way) -> DistributedDataParallel:
    """Return the model, whose gradients are added up in a way."""
    model = transformer()
    for layer in model.layers.layers:
        layer.register_forward_hook(lambda module, given, found: Wait.apply(found))
    replicated = DistributedDataParallel(model, process_group=way.group, bucket_cap_mb=BUCKET)
    if way.spec:
        replicated.register_comm_hook(Compressed(way.spec, way.group), compress_hook)
    return replicated


class Replica:
    """A model that is trained in one way."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._optimizer = torch.optim.SGD(model.parameters(), 0.01)
        self._text = EXAMPLE["read"]()
        self._draw = torch.Generator().manual_seed(1 + distributed.get_rank())
        self.losses: list[Tensor] = []

    def step(self, sums: bool = True) -> tuple[float, float]:
        """Make a training step. Returns the seconds of the step and of its backward pass."""
        before, after = EXAMPLE["some"](self._text, BATCH, LENGTH, self._draw)
        distributed.barrier()
        began = time.perf_counter()
        with nullcontext() if sums else self.model.no_sync():
            loss = nn.functional.cross_entropy(self.model(before).flatten(0, 1), after.flatten())
            turned = time.perf_counter()
            loss.backward()
            backward = time.perf_counter() - turned
        if sums:
            self._optimizer.step()
        self._optimizer.zero_grad()
        self.losses.append(loss.detach())
        return time.perf_counter() - began, backward

    def measured(self) -> tuple[float, float, float, float]:
        """Make a step. Returns its seconds, those of its backward pass, and the MB that this host has sent and
        received."""
        before, seconds = link_bytes(), self.step()
        sent, received = ((after - earlier) / 1e6 for after, earlier in zip(link_bytes(), before, strict=True))
        return *seconds, sent, received

    @property
    def weights(self) -> Tensor:
        return torch.cat([each.detach().flatten() for each in self.model.parameters()])

    def digest(self) -> str:
        return hashlib.sha256(self.weights.numpy().tobytes()).hexdigest()


def main(results: Path, steps: int) -> None:
    distributed.init_process_group("dropzero")
    ways = [
        Way("gloo", distributed.new_group(backend="gloo")),
        Way("dropzero", distributed.group.WORLD),
        *(Way(spec, distributed.group.WORLD, spec) for spec in COMPRESSED),
    ]
    replicas = [Replica(replicated(way)) for way in ways]
    for replica in replicas:
        # DDP forms its buckets anew after the first step, with which compression begins.
        for _ in range(2):
            replica.step()
    short: list[list[tuple[float, ...]]] = [[] for _ in ways]
    for _ in range(steps):
        for way, replica, times in zip(ways, replicas, short, strict=True):
            step, backward, sent, received = replica.measured()
            times.append((sent, received, step, backward, replica.step(sums=False)[1]))
            if distributed.get_rank() == 0:
                print(f"{way.name}: {step:.2f} s for a step, {sent:.1f} MB sent, {received:.1f} MB received")
    trainings = []
    for way, replica, times in zip(ways, replicas, short, strict=True):
        *megabytes, steps_taken, with_sums, without = zip(*times, strict=True)
        step, backward, alone = map(slowest, (steps_taken, with_sums, without))
        Wait.seconds = max(0.0, backward - alone) / LAYERS
        long = [(replica.step()[1], replica.step(sums=False)[1]) for _ in range(1 + steps // 3)]
        Wait.seconds = 0.0
        parameters = len(replica.weights)
        sent, received = map(median, megabytes)
        long_backward, long_alone = map(slowest, zip(*long, strict=True))
        passes = backward, alone, long_backward, long_alone
        trainings.append(StepTimes(way.name, parameters, sent, received, step, *passes))
        if distributed.get_rank() == 0:
            results.write_text(json.dumps(trainings))
    print("sha256", replicas[1].digest())
    distributed.destroy_process_group()


def slowest(seconds: Sequence[float]) -> float:
    """Return the median over steps of the slowest rank's time."""
    every: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(every, seconds)
    return float(median(map(max, zip(*every, strict=True))))


def link_bytes() -> tuple[int, int]:
    """Wait for all ranks. Returns the bytes that this host's interface has sent and received."""
    distributed.barrier()
    (line,) = [line for line in Path("/proc/self/net/dev").read_text().splitlines() if "eth0:" in line]
    counts = line.partition(":")[2].split()
    return int(counts[8]), int(counts[0])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
