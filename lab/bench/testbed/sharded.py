"""One worker of `python -m lab.bench.torch --sharded`: `python -m lab.bench.testbed.sharded RESULTS STEPS`.

Trains the character transformer of examples/torch with FSDP2, once for each way of carrying out its calls, alternately,
in one process. Checks that losses and weights agree, and that each of Gloo and the switch reads the other's checkpoint.
Rank 0 writes a JSON list of StepTimes to RESULTS.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, distributed
from torch.distributed import checkpoint
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.testing import assert_close

from dropzero.torch import Options
from lab.bench.testbed.step_times import StepTimes
from lab.bench.testbed.training import Replica, slowest, transformer

NARROW = "dropzero, 16 bits"
ASYNC = ", async unshard"
"""The backward pass gathers a layer's parameters while it scatters the gradients of another. On a GPU it always does;
on a CPU, where `wait` waits, FSDP2 has to be told."""


class Sharded(Replica):
    """A model whose parameters are sharded over a group: each layer's, and the rest."""

    def __init__(self, group: Any, *, ahead: bool) -> None:
        model = transformer()
        mesh = DeviceMesh.from_group(group, "cpu")
        for each in (*model.layers.layers, model):
            fully_shard(each, mesh=mesh)
        model._set_unshard_async_op(ahead)
        super().__init__(model)

    @property
    def weights(self) -> Tensor:
        return torch.cat([each.detach().full_tensor().flatten() for each in self.model.parameters()])


def main(results: Path, steps: int) -> None:
    distributed.init_process_group("dropzero")
    groups = {
        "gloo": distributed.new_group(backend="gloo"),
        "dropzero": distributed.group.WORLD,
        NARROW: distributed.new_group(backend="dropzero", pg_options=Options(width=16)),
    }
    replicas = {
        way + suffix: Sharded(group, ahead=bool(suffix)) for way, group in groups.items() for suffix in ("", ASYNC)
    }
    for replica in replicas.values():
        replica.step()
    times: dict[str, list[tuple[float, ...]]] = {way: [] for way in replicas}
    for _ in range(steps):
        for way, replica in replicas.items():
            seconds, _, *megabytes = replica.measured()
            times[way].append((*megabytes, seconds))
            if distributed.get_rank() == 0:
                print(f"{way}: loss {replica.losses[-1]:.4f}, {seconds:.2f} s for a step")
    gloo, switch = replicas["gloo"], replicas["dropzero"]
    for way, other in replicas.items():
        rounding = 1e-3 if way.startswith(NARROW) else 1e-5
        assert_close(torch.stack(other.losses), torch.stack(gloo.losses), rtol=rounding, atol=0)
    print("sha256", switch.digest())
    for writer, reader in ((switch, gloo), (gloo, switch)):
        writer.step()
        folder = results.parent / f"checkpoint-{writer is gloo}"
        checkpoint.save(get_model_state_dict(writer.model), checkpoint_id=folder)
        checkpoint.load(get_model_state_dict(reader.model), checkpoint_id=folder)
        assert torch.equal(writer.weights, reader.weights), "a checkpoint changed"
    parameters, trainings = len(switch.weights), []
    for way, each in times.items():
        sent, received, steps_taken = zip(*each, strict=True)
        trainings.append(StepTimes(way, parameters, median(sent), median(received), slowest(steps_taken)))
    if distributed.get_rank() == 0:
        results.write_text(json.dumps(trainings))
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
