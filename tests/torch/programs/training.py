"""A training program as anybody writes it, on a host of the rack, against what Gloo says."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.distributed import ReduceOp, checkpoint
from torch.distributed import _functional_collectives as functional
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

import dropzero.torch

STEPS = 3
SPEC = "topk(0.1,block=32)+ef"
Hook = Callable[[DistributedDataParallel], object]


def model() -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.BatchNorm1d(64), nn.Linear(64, 5))


def trained(group: Any, hook: Hook = lambda replica: None, steps: int = STEPS) -> Tensor:
    """The weights, each rank having its own data."""
    # Several buckets, so that some travel while others are being computed.
    replica = DistributedDataParallel(model(), process_group=group, bucket_cap_mb=0.004)
    hook(replica)
    descend(replica, steps)
    return flat(replica.parameters())


def flat(tensors: Iterable[Tensor]) -> Tensor:
    return torch.cat([each.detach().reshape(-1) for each in tensors])


def descend(replica: nn.Module, steps: int = STEPS, optimizer: torch.optim.Optimizer | None = None) -> None:
    optimizer = optimizer or torch.optim.SGD(replica.parameters(), 0.1, momentum=0.9)
    for step in range(steps):
        draw = torch.Generator().manual_seed(100 * step + distributed.get_rank())
        loss = nn.functional.cross_entropy(
            replica(torch.randn(16, 20, generator=draw)), torch.randint(0, 5, (16,), generator=draw)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def identical(weights: Tensor) -> bool:
    everyone: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(everyone, weights.numpy().tobytes())
    return len(set(everyone)) == 1


def compressed(replica: DistributedDataParallel) -> None:
    replica.register_comm_hook(dropzero.torch.Compressed(SPEC), dropzero.torch.compress_hook)


def train() -> None:
    hosts = distributed.new_group(backend="gloo")
    exact = trained(None)
    assert identical(exact)
    torch.testing.assert_close(exact, trained(hosts), rtol=1e-4, atol=1e-5)
    weights = trained(None, compressed)
    assert identical(weights)
    assert not torch.equal(weights, exact)
    assert (weights - exact).norm() < 0.5 * exact.norm()


def shard() -> None:
    """Both versions of FSDP, in one dimension and in two, and ZeRO's optimizer train as DDP does."""
    size, exact = distributed.get_world_size(), trained(None)

    def compare(weights: Tensor) -> None:
        assert identical(weights)
        torch.testing.assert_close(weights, exact, rtol=1e-4, atol=1e-5)

    for mesh in (
        init_device_mesh("cpu", (size,)),
        init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("all", "part")),
    ):
        compare(whole(sharded(mesh, STEPS)))
        few_bits = whole(sharded(mesh, STEPS, "none+fixed8+ef"))
        assert identical(few_bits)
        assert 0 < (few_bits - exact).norm() < 0.05 * exact.norm()
    first = FullyShardedDataParallel(model(), device_id=torch.device("cpu"))
    descend(first)
    with FullyShardedDataParallel.summon_full_params(first):
        compare(flat(first.parameters()))
    replica = DistributedDataParallel(model())
    zero = ZeroRedundancyOptimizer(replica.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
    descend(replica, optimizer=zero)
    compare(flat(replica.parameters()))


def sharded(mesh: DeviceMesh, steps: int, spec: str = "") -> nn.Module:
    """The model after some steps of FSDP2, two of whose layers are modules of their own. spec: of their gradients."""
    net = model()
    for module in (net[0], net[3], net):
        fully_shard(module, mesh=mesh)
        if spec:
            module.set_custom_reduce_scatter(dropzero.torch.CompressedReduceScatter(spec))
    descend(net, steps)
    return net


def whole(net: nn.Module) -> Tensor:
    """The weights of a model whose parameters are DTensors."""
    return flat(each.full_tensor() for each in net.parameters())


def keep() -> None:
    """A checkpoint that was written by one backend is read by the other, to the bit."""
    switch = init_device_mesh("cpu", (distributed.get_world_size(),))
    hosts = DeviceMesh.from_group(distributed.new_group(backend="gloo"), "cpu")
    for writer, reader in ((switch, hosts), (hosts, switch)):
        trained, other = sharded(writer, 1), sharded(reader, 0)
        path = f"{sys.argv[-1]}-{distributed.get_backend(writer.get_group())}"
        checkpoint.save(get_model_state_dict(trained), checkpoint_id=path)
        checkpoint.load(get_model_state_dict(other), checkpoint_id=path)
        assert torch.equal(whole(trained), whole(other))


def split() -> None:
    """Tensors and layers are divided over a mesh of two dimensions."""
    size = distributed.get_world_size()
    mesh = init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("data", "tensor"))
    matrix = torch.arange(64.0).reshape(8, 8)
    product = distribute_tensor(matrix, mesh, [Shard(0), Shard(1)]) @ distribute_tensor(
        matrix, mesh, [Shard(1), Shard(0)]
    )
    assert torch.equal(product.redistribute(mesh, [Replicate(), Replicate()]).to_local(), matrix @ matrix)
    net, same = (nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)) for _ in range(2))
    for each in (net, same):
        for number, parameter in enumerate(each.parameters()):
            nn.init.uniform_(parameter, -0.5, 0.5, generator=torch.Generator().manual_seed(number))
    parallelize_module(net, mesh["tensor"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    fully_shard(net, mesh=mesh["data"])
    for each in (net, same):
        each(matrix / 64).square().mean().backward()
    gradients = flat(each.grad.full_tensor() for each in net.parameters())
    torch.testing.assert_close(gradients, flat(each.grad for each in same.parameters() if each.grad is not None))


def compiled() -> None:
    """In the second step, DDP broadcasts from C++ while the compiler traces the program."""
    replica = torch.compile(DistributedDataParallel(model()), backend="eager")
    for _ in range(2):
        replica(torch.ones(16, 20)).sum().backward()


def embed() -> None:
    table = DistributedDataParallel(nn.Embedding(50, 4, sparse=True))
    rank, size = distributed.get_rank(), distributed.get_world_size()
    table(torch.tensor([rank, 40])).sum().backward()
    gradient = table.module.weight.grad.to_dense()
    assert torch.equal(gradient[40], torch.ones(4))
    assert torch.equal(gradient[:size], torch.full((size, 4), 1 / size))


def call_everything() -> None:
    rank, size = distributed.get_rank(), distributed.get_world_size()
    mine = torch.full((3,), float(rank))
    distributed.all_reduce(mine, ReduceOp.AVG)
    assert mine.tolist() == [(size - 1) / 2] * 3
    distributed.broadcast(mine, 0)
    objects: list[Any] = [{"rank": rank}]
    distributed.broadcast_object_list(objects, 1)
    assert objects == [{"rank": 1}]
    output: list[Any] = [None] * size if rank == 0 else []
    distributed.gather_object(rank, output if rank == 0 else None)
    assert output == ([*range(size)] if rank == 0 else [])
    if rank < 2:
        operation = distributed.P2POp(distributed.isend if rank == 0 else distributed.irecv, mine, 1 - rank)
        for request in distributed.batch_isend_irecv([operation]):
            request.wait()
    with distributed._coalescing_manager(async_ops=True) as manager:
        several = [torch.ones(4), torch.ones(7)]
        for each in several:
            distributed.all_reduce(each)
    manager.wait()
    with distributed._coalescing_manager(device=torch.device("cpu"), async_ops=True) as device_manager:
        mine = torch.ones(3)
        distributed.all_gather_into_tensor(torch.ones(3 * size), mine)
    device_manager.wait()
    assert all(each.eq(size).all() for each in several)
    total = functional.all_reduce(torch.ones(4), "sum", distributed.group.WORLD)
    assert total.tolist() == [size] * 4
    rows = functional.all_gather_tensor(torch.full((1,), rank), 0, distributed.group.WORLD)
    assert rows.tolist() == [*range(size)]
    part = functional.reduce_scatter_tensor(torch.ones(size), "sum", 0, distributed.group.WORLD)
    assert part.tolist() == [size]
    distributed.barrier()


def use_groups() -> None:
    """Groups overlap, and their calls run at the same time."""
    rank, size = distributed.get_rank(), distributed.get_world_size()
    pairs = [distributed.new_group([each, (each + 1) % size]) for each in range(size)]
    mine = [torch.ones(1000) for _ in pairs]
    # Each in another order: nobody waits for a group that waits for another.
    works = [
        distributed.all_reduce(each, group=group, async_op=True)
        for group, each in sorted(zip(pairs, mine, strict=True), key=lambda pair: rank * id(pair[0]) % 7)
        if distributed.get_rank(group) >= 0
    ]
    for work in works:
        work.wait()
    assert len(works) == 2
    assert sorted(each[0].item() for each in mine) == [1.0] * (size - 2) + [2.0] * 2
    jobs: list[Any] = [None] * size
    distributed.all_gather_object(jobs, {group.options.job for group in pairs if distributed.get_rank(group) >= 0})
    assert len(set().union(*jobs)) == size
    narrow = distributed.new_group(pg_options=dropzero.torch.Options(width=16))
    assert narrow.options.width == 16
    assert narrow.options.job not in set().union(*jobs, {distributed.group.WORLD.options.job})
    for group in pairs:
        if distributed.get_rank(group) >= 0:
            distributed.destroy_process_group(group)


def main() -> None:
    controller, job, size, rank, store = sys.argv[1:]
    os.environ.update(DROPZERO_CONTROLLER=controller, DROPZERO_JOB=job, GLOO_SOCKET_IFNAME="eth0")
    distributed.init_process_group("cpu:dropzero", init_method=f"file://{store}", rank=int(rank), world_size=int(size))
    assert distributed.group.WORLD.name() == "dropzero"
    assert distributed.group.WORLD.options.job == int(job)
    for part in (call_everything, use_groups, train, shard, keep, split, embed, compiled):
        part()
    distributed.destroy_process_group()
    print("ok")


if __name__ == "__main__":
    main()
