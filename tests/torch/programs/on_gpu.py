"""What programs do with tensors on a GPU, which all ranks may share. Also runs with the device "cpu"."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.distributed import ReduceOp
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

import dropzero.torch

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int8, torch.int64, torch.bool)
SPECS = (
    "none",
    "topk(0.1,block=32)+ef+fixed16",
    "qsgd(7)+diana",
    "onebit+ef",
    "int",
    "thc+ef",
    "powersgd(2)+ef; bias: none",
)


class Program:
    """A method for each program, with a process group."""

    def __init__(self, device: torch.device) -> None:
        self.device, self.rank, self.size = device, distributed.get_rank(), distributed.get_world_size()

    def ones(self, *shape: int, factor: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.full(shape, factor, dtype=dtype, device=self.device)

    def reductions(self) -> None:
        for dtype in DTYPES:
            total = self.ones(100, dtype=dtype)
            distributed.all_reduce(total)
            assert total.device.type == self.device.type
            assert torch.equal(total.cpu(), torch.full((100,), self.size).to(dtype)), dtype
        for op, right in ((ReduceOp.MAX, self.size - 1), (ReduceOp.MIN, 0), (ReduceOp.AVG, (self.size - 1) / 2)):
            found = self.ones(3, 5, factor=self.rank)
            distributed.all_reduce(found, op)
            assert found.eq(right).all()
        # Every second column of a matrix, and a transposed one.
        matrix = self.ones(64, 64, factor=self.rank + 1)
        distributed.all_reduce(matrix[:, ::2])
        distributed.all_reduce(matrix.t()[1::2])
        whole = self.size * (self.size + 1) / 2
        assert matrix[:, ::2].eq(whole).all()
        assert matrix[:, 1::2].eq(whole).all()
        own = self.ones(8, factor=self.rank)
        distributed.reduce(own, 1)
        assert own.eq(whole - self.size if self.rank == 1 else self.rank).all()
        part = self.ones(4)
        distributed.reduce_scatter_tensor(part, self.ones(4 * self.size, factor=2))
        assert part.eq(2 * self.size).all()
        several = [self.ones(n) for n in (1, 300, 7)]
        with distributed._coalescing_manager(device=self.device, async_ops=True) as manager:
            for each in several:
                distributed.all_reduce(each)
        manager.wait()
        assert all(each.eq(self.size).all() for each in several)
        # One that is on the host.
        host = torch.ones(10)
        distributed.all_reduce(host)
        assert host.eq(self.size).all()

    def moves(self) -> None:
        mine, everyone = self.ones(3, factor=self.rank), [self.ones(3, factor=each) for each in range(self.size)]
        sent = mine.clone()
        distributed.broadcast(sent, 1)
        assert sent.eq(1).all()
        gathered = [torch.empty_like(mine) for _ in everyone]
        distributed.all_gather(gathered, mine)
        assert all(map(torch.equal, gathered, everyone))
        together = self.ones(3 * self.size)
        distributed.all_gather_into_tensor(together, mine)
        assert torch.equal(together, torch.cat(everyone))
        distributed.scatter(sent, everyone if self.rank == 0 else None)
        assert torch.equal(sent, mine)
        distributed.gather(mine, gathered if self.rank == 1 else None, 1)
        assert all(map(torch.equal, gathered, everyone))
        swapped = [torch.empty_like(mine) for _ in everyone]
        distributed.all_to_all(swapped, [mine + 10 * each for each in range(self.size)])
        assert all(map(torch.equal, swapped, [each + 10 * self.rank for each in everyone]))
        output = torch.empty_like(together)
        distributed.all_to_all_single(output, mine.repeat(self.size))
        assert torch.equal(output, torch.cat(everyone))
        right, left = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        request, got = distributed.isend(mine, right), torch.empty_like(mine)
        distributed.recv(got, left)
        request.wait()
        assert torch.equal(got, everyone[left])
        objects: list[Any] = [None] * self.size
        distributed.all_gather_object(objects, {"rank": self.rank, "tensor": mine})
        assert [each["rank"] for each in objects] == list(range(self.size))
        distributed.barrier()

    def streams(self) -> None:
        """Results are complete on whatever stream they were computed, and whichever uses them."""
        streams = [torch.cuda.Stream() for _ in range(3)] if self.device.type == "cuda" else [None]
        for stream in streams:
            with torch.cuda.stream(stream):
                value = self.ones(2048, 2048)
                for _ in range(20):
                    # Its elements stay 1. It takes longer than the call needs to begin.
                    value = value @ self.ones(2048, 2048) / 2048
                works = [distributed.all_reduce(value, async_op=True) for _ in range(3)]
                for work in works:
                    work.wait()
                doubled = value * 2
                assert doubled.cpu().eq(2 * self.size**3).all()
        work = distributed.all_reduce(own := self.ones(1000), async_op=True)
        future = work.get_future().then(lambda done: done.value()[0] * 3)
        assert future.wait().eq(3 * self.size).all()
        assert own.eq(self.size).all()

    def sparse(self) -> None:
        indices = torch.tensor([[self.rank, 5, 5]], device=self.device)
        table = torch.sparse_coo_tensor(indices, self.ones(3, 4), (50, 4))
        distributed.all_reduce(table)
        assert table.device.type == self.device.type
        dense = table.to_dense()
        assert dense[5].eq(2 * self.size).all()
        assert dense[: self.size].eq(1).all()
        embedding = DistributedDataParallel(nn.Embedding(50, 4, sparse=True, device=self.device))
        embedding(torch.tensor([self.rank, 40], device=self.device)).sum().backward()
        gradient = embedding.module.weight.grad.to_dense()
        assert gradient[40].eq(1).all()
        assert gradient[: self.size].eq(1 / self.size).all()

    def model(self) -> nn.Module:
        torch.manual_seed(1)
        layers = [nn.Linear(20, 64), nn.ReLU(), nn.BatchNorm1d(64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5)]
        return nn.Sequential(*layers).to(self.device)

    def step(self, replica: nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
        draw = torch.Generator().manual_seed(100 * step + self.rank)
        images, labels = torch.randn(16, 20, generator=draw), torch.randint(0, 5, (16,), generator=draw)
        optimizer.zero_grad()
        nn.functional.cross_entropy(replica(images.to(self.device)), labels.to(self.device)).backward()
        optimizer.step()

    def weights(self, model: nn.Module) -> Tensor:
        """All parameters. Fails if they differ between ranks."""
        own = torch.cat([each.detach().reshape(-1) for each in model.parameters()]).cpu()
        everyone: list[Any] = [None] * self.size
        distributed.all_gather_object(everyone, own.numpy().tobytes())
        assert len(set(everyone)) == 1
        return own

    def ddp(self) -> None:
        gloo, found = distributed.new_group(backend="gloo"), []
        for group in (None, gloo):
            replica = DistributedDataParallel(self.model(), process_group=group, bucket_cap_mb=0.004)
            optimizer = torch.optim.SGD(replica.parameters(), 0.1, momentum=0.9)
            for step in range(5):
                self.step(replica, optimizer, step)
            found.append(self.weights(replica))
        torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)
        # Half precision, whose gradients are scaled.
        scaler = torch.amp.GradScaler(self.device.type)
        for step in range(3):
            with torch.autocast(self.device.type, torch.bfloat16):
                loss = replica(self.ones(16, 20, factor=step)).sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        self.weights(replica)

    def hook(self) -> None:
        """Compressed training, and its continuation to the bit."""
        torch.use_deterministic_algorithms(True)
        for spec in SPECS:
            found, file = [], f"{sys.argv[5]}/{self.rank}.pt"
            for begin in (0, 3):
                model = self.model()
                replica = DistributedDataParallel(model, bucket_cap_mb=0.004)
                optimizer = torch.optim.SGD(replica.parameters(), 0.1, momentum=0.9)
                state = dropzero.torch.Compressed(spec, parameters=model.named_parameters())
                replica.register_comm_hook(state, dropzero.torch.compress_hook)
                parts = (replica, optimizer, state)
                if begin:
                    for part, saved in zip(parts, torch.load(file, weights_only=True), strict=True):
                        part.load_state_dict(saved)
                for step in range(begin, 6):
                    if step == 3 and not begin:
                        torch.save([part.state_dict() for part in parts], file)
                    self.step(replica, optimizer, step)
                found.append(self.weights(replica))
            assert torch.equal(*found), spec

    def hook_with_sparse(self) -> None:
        """A table with sparse gradients, next to a dense layer."""
        torch.manual_seed(1)
        model = nn.Sequential(nn.Embedding(50, 64, sparse=True), nn.Linear(64, 64)).to(self.device)
        replica = DistributedDataParallel(model)
        replica.register_comm_hook(dropzero.torch.Compressed(SPECS[1]), dropzero.torch.compress_hook)
        optimizer = torch.optim.SGD(replica.parameters(), 0.1)
        for step in range(4):
            optimizer.zero_grad()
            replica(torch.tensor([self.rank, step, 40], device=self.device)).square().sum().backward()
            optimizer.step()
        self.weights(replica)

    def sharded(self) -> None:
        model = self.model()
        fully_shard(model, mesh=distributed.init_device_mesh(self.device.type, (self.size,)))
        optimizer = torch.optim.AdamW(model.parameters(), 0.01)
        for step in range(3):
            self.step(model, optimizer, step)
        total = sum(each.full_tensor().detach().sum() for each in model.parameters())
        assert torch.isfinite(total)

    def errors(self) -> None:
        said = ""
        try:
            distributed.all_reduce(self.ones(10 + self.rank))
        except Exception as error:
            said = str(error)
        assert "all_reduce" in said, said
        broken = self.ones(64)
        broken[7] = torch.nan
        distributed.all_reduce(broken)
        assert broken[:32].isnan().all()
        distributed.all_reduce(total := self.ones(3))
        assert total.eq(self.size).all()


def main() -> None:
    controller, job, size, rank, folder, part, device = sys.argv[1:]
    os.environ.update(DROPZERO_CONTROLLER=controller, DROPZERO_JOB=job, DROPZERO_IP="127.0.0.1")
    # What torch.use_deterministic_algorithms asks for.
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.backends.cuda.matmul.allow_tf32 = False
    store = f"file://{folder}/store"
    distributed.init_process_group("dropzero", init_method=store, rank=int(rank), world_size=int(size))
    getattr(Program(torch.device(device)), part)()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
