"""A process group of torch.distributed: a job on the switch, and Gloo from host to host for what it can't do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from secrets import token_hex
from typing import Any

import torch
from torch import Tensor, distributed
from torch.distributed import (
    AllreduceCoalescedOptions,
    AllreduceOptions,
    ProcessGroup,
    ProcessGroupGloo,
    ReduceOp,
    ReduceScatterOptions,
    Store,
    Work,
)
from torch.distributed.distributed_c10d import AllgatherOptions, AllToAllOptions

from dropzero.torch.line import NOW, Arrival, Call, Line
from dropzero.torch.options import Options, free_jobs
from dropzero.torch.rules import Way, way
from dropzero.torch.staging import Staging, as_bytes
from dropzero.worker.address import own_ip
from dropzero.worker.communicator import Communicator, OperationName, connect
from dropzero.worker.environment import job_number
from dropzero.worker.errors import WorkerLost

SPARSE = (torch.float32, torch.float16, torch.int32)
"""The types of tables whose rows the switch adds up."""
CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def create(place: Any, given: Options | None) -> Group:
    """Makes a group, when all its members do. `place`: a _DistributedBackendOptions. Raises as dropzero.connect."""
    if given is not None and not isinstance(given, Options):
        raise TypeError(f"pg_options of dropzero are a dropzero.torch.Options, not a {type(given).__name__}")
    options, first = given or Options(), distributed.group.WORLD
    if first is None:
        options = options if options.job is not None else replace(options, job=job_number())
    elif given is None and isinstance(first, Group):
        options = replace(first.options, job=None)
    if place.group_rank == 0:
        numbered = [] if options.job is None else [(options.job, options.token)]
        drawn = first.jobs[-1] if isinstance(first, Group) and len(first.jobs) > 1 else None
        # A job with a number that nobody chose has a secret of its own, so that no other program joins it.
        token = options.token or token_hex(16)
        others = [(job, token) for job in free_jobs(options.channels - len(numbered), drawn)]
        place.store.set("dropzero", json.dumps(numbered + others))
    jobs = dict(json.loads(place.store.get("dropzero")))
    job = next(iter(jobs))
    options = replace(options, job=job, token=jobs[job], channels=len(jobs), ip=options.ip or own_ip())
    return Group(place.store, place.group_rank, place.group_size, place.timeout, options, jobs)


class Group(ProcessGroup):
    """The calls of a group run beside those of others, and as many of its own beside each other as it has channels:
    they begin in the order in which they are made. A call has one outcome, the same result or an error on all: see
    dropzero.worker.communicator.Communicator.

    Attributes:
        options: with nothing left out; `job` and `token` are the first channel's.
        jobs: the channels'.
        line: the group's calls.
    """

    def __init__(
        self, store: Store, rank: int, size: int, timeout: timedelta, options: Options, jobs: Mapping[int, str]
    ) -> None:
        """`jobs`: their tokens, in the order of the channels. Raises as dropzero.connect."""
        super().__init__(rank, size)
        self.options, self.jobs, self._store = options, list(jobs), store
        seconds = timeout.total_seconds()
        settings = ProcessGroupGloo._Options()
        settings._timeout = timeout
        settings._devices = [ProcessGroupGloo.create_device(hostname=options.ip)]
        self._gloo = ProcessGroupGloo(store, rank, size, settings)
        # After it, because that waits for all: nobody leaves while others still connect to it.
        with ExitStack() as connected:
            communicators = [
                connected.enter_context(
                    connect(
                        options.controller,
                        job,
                        size,
                        rank=rank,
                        ip=options.ip,
                        lanes=options.lanes,
                        stall=seconds,
                        token=token,
                        when_full=options.when_full,
                        tls=options.tls,
                        timeout=seconds,
                        on_loss="raise",
                    )
                )
                for job, token in jobs.items()
            ]
            connected.pop_all()
        # What PyTorch asks of a group's backend, such as its timeout, Gloo answers.
        for device in (CPU, CUDA) if torch.cuda.is_available() else (CPU,):
            self._register_backend(device, ProcessGroup.BackendType.GLOO, self._gloo)
        self._set_default_backend(ProcessGroup.BackendType.GLOO)
        self.line = Line(communicators, f"job {options.job}")

    @property
    def communicator(self) -> Communicator:
        """The switch's collectives. Only calls that were added to `line` may use it."""
        return self.line.communicator

    # ---- of the group

    def getBackendName(self) -> str:  # noqa: N802
        return "dropzero"

    def get_group_store(self) -> Store:
        return self._store

    def shutdown(self) -> None:
        """Waits for the calls that were made, and leaves the jobs."""
        self.line.close()

    def abort(self) -> None:
        """Ends the calls that were made, with an error; to the others this worker is lost."""
        self._gloo.abort()
        self.line.abort()

    def set_timeout(self, timeout: timedelta) -> None:
        self._gloo._set_default_timeout(timeout)

    def _start_coalescing(self, device: torch.device) -> None:
        """All calls of a group are made together as it is."""

    def _end_coalescing(self, device: torch.device) -> Work:
        """Is over when all calls before it are."""
        return self.line.fence()

    # ---- in the switch, where the rules allow it

    def allreduce(self, tensors: Sequence[Tensor] | Tensor, opts: Any = None, timeout: timedelta = NOW) -> Work:
        tensors = [tensors] if isinstance(tensors, Tensor) else tensors
        if not isinstance(opts, AllreduceOptions | AllreduceCoalescedOptions):
            op, opts = opts, AllreduceOptions()
            opts.reduceOp, opts.timeout = ReduceOp(ReduceOp.SUM) if op is None else op, timeout
        if any(tensor.is_sparse for tensor in tensors):
            return self._sparse(tensors, opts)
        stage = Staging()
        reduce = self._reduction("all_reduce", tensors, opts)
        return self._add(stage, partial(reduce, stage.updates(tensors)), tensors)

    allreduce_coalesced = allreduce

    def reduce(self, tensors: Sequence[Tensor], opts: Any) -> Work:
        stage, root = Staging(), self.rank() == opts.rootRank
        reduce = self._reduction(f"reduce to {opts.rootRank}", tensors, opts)
        own = stage.updates(tensors) if root else stage.reads(tensors)
        return self._add(stage, lambda: reduce(own if root else [each.clone() for each in own]), tensors)

    def reduce_scatter(self, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]], opts: Any = None) -> Work:
        stage = Staging()
        calls = [
            self._scattering(stage.write(output), stage.reads(parts), opts or ReduceScatterOptions())
            for output, parts in zip(outputs, inputs, strict=True)
        ]

        def scatter() -> None:
            for call in calls:
                call()

        return self._add(stage, scatter, outputs)

    def reduce_scatter_single(self, output: Tensor, whole: Tensor, opts: Any = None) -> Work:
        return self.reduce_scatter_single_coalesced([output], [whole], opts)

    def reduce_scatter_single_coalesced(
        self, outputs: Sequence[Tensor], wholes: Sequence[Tensor], opts: Any = None
    ) -> Work:
        return self.reduce_scatter(outputs, [whole.reshape(self.size(), -1).unbind() for whole in wholes], opts)

    _reduce_scatter_base = reduce_scatter_single
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced

    def broadcast(self, tensors: Sequence[Tensor], opts: Any) -> Work:
        stage, timeout = Staging(), self._seconds(opts)
        arrays = [as_bytes(tensor).numpy() for tensor in stage.updates(tensors)]

        def send() -> None:
            for array in arrays:
                self.communicator.broadcast(array, opts.rootRank, out=array, timeout=timeout)
                self._check_all()

        return self._add(stage, send, tensors)

    def barrier(self, opts: Any = None) -> Work:
        return self.line.add(partial(self._agree, "barrier", self._seconds(opts)))

    # ---- from host to host

    def allgather(self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any = None) -> Work:
        stage, opts = Staging(), opts or AllgatherOptions()
        pairs = [
            (_bytes(stage.writes(rows)), _bytes(stage.reads([own]))) for rows, own in zip(outputs, inputs, strict=True)
        ]

        def gather() -> None:
            for rows, own in pairs:
                self._gloo.allgather([rows], own, opts).wait()

        return self._move(f"all_gather of {_described(inputs)}", opts, stage, gather, _flat(outputs))

    def allgather_coalesced(
        self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any = None
    ) -> Work:
        # Here the outputs from one rank are together.
        return self.allgather(list(zip(*outputs, strict=True)), inputs, opts)

    def all_gather_single(self, output: Tensor, own: Tensor, opts: Any = None) -> Work:
        return self.all_gather_single_coalesced([output], [own], opts)

    def all_gather_single_coalesced(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None
    ) -> Work:
        stage, opts = Staging(), opts or AllgatherOptions()
        pairs = list(zip(_bytes(stage.writes(outputs)), _bytes(stage.reads(inputs)), strict=True))

        def gather() -> None:
            for output, own in pairs:
                self._gloo._allgather_base(output.view(-1), own.view(-1), opts).wait()

        return self._move(f"all_gather_single of {_described(inputs)}", opts, stage, gather, outputs)

    _allgather_base = all_gather_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced

    def gather(self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any) -> Work:
        stage = Staging()
        rows, own = [_bytes(stage.writes(each)) for each in outputs], _bytes(stage.reads(inputs))
        label = f"gather to {opts.rootRank} of {_described(inputs)}"
        return self._move(label, opts, stage, lambda: self._gloo.gather(rows, own, opts).wait(), _flat(outputs))

    def scatter(self, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]], opts: Any) -> Work:
        stage = Staging()
        own, rows = _bytes(stage.writes(outputs)), [_bytes(stage.reads(each)) for each in inputs]
        label = f"scatter from {opts.rootRank} of {_described(outputs)}"
        return self._move(label, opts, stage, lambda: self._gloo.scatter(own, rows, opts).wait(), outputs)

    def all_to_all_single(
        self, output: Tensor, whole: Tensor, output_sizes: list[int], sizes: list[int], opts: Any = None
    ) -> Work:
        stage, opts = Staging(), opts or AllToAllOptions()
        received, sent = as_bytes(stage.write(output)), as_bytes(stage.read(whole))

        def exchange() -> None:
            self._gloo.alltoall_base(received, sent, output_sizes, sizes, opts).wait()

        return self._move(f"all_to_all_single of {whole.dtype}", opts, stage, exchange, [output])

    alltoall_base = all_to_all_single

    def alltoall(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None) -> Work:
        stage, opts = Staging(), opts or AllToAllOptions()
        received = [each.reshape(-1) for each in _bytes(stage.writes(outputs))]
        sent = [each.reshape(-1) for each in _bytes(stage.reads(inputs))]
        output_sizes, sizes = [len(each) for each in received], [len(each) for each in sent]

        def exchange() -> None:
            whole = torch.empty(sum(output_sizes), dtype=torch.uint8)
            self._gloo.alltoall_base(whole, torch.cat(sent), output_sizes, sizes, opts).wait()
            for part, arrived in zip(received, whole.split(output_sizes), strict=True):
                part.copy_(arrived)

        return self._move(f"all_to_all of {inputs[0].dtype}", opts, stage, exchange, outputs)

    def send(self, tensors: Sequence[Tensor], to: int, tag: int) -> Work:
        stage = Staging()
        sent = _bytes(stage.reads(tensors))
        stage.around(lambda: None)()
        return self._gloo.send(sent, to, tag)

    def recv(self, tensors: Sequence[Tensor], source: int, tag: int) -> Work:
        stage = Staging()
        work = self._gloo.recv(_bytes(stage.writes(tensors)), source, tag)
        return Arrival(work, stage.around(work.wait))

    def recv_anysource(self, tensors: Sequence[Tensor], tag: int) -> Work:
        stage = Staging()
        work = self._gloo.recv_anysource(_bytes(stage.writes(tensors)), tag)
        return Arrival(work, stage.around(work.wait))

    # ---- how

    def _add(self, stage: Staging, call: Callable[[], object], tensors: Sequence[Tensor]) -> Call:
        """`tensors`: where the result is."""
        return self.line.add(stage.around(call), tensors, stage.memory)

    def _move(
        self, label: str, opts: Any, stage: Staging, call: Callable[[], object], tensors: Sequence[Tensor]
    ) -> Call:
        """A call from host to host, when those before it are over; that all make it is seen to in the switch."""
        timeout = self._seconds(opts)

        def move() -> None:
            self._agree(label, timeout)
            call()

        return self._add(stage, move, tensors)

    def _agree(self, label: str, timeout: float) -> None:
        self.communicator.barrier(label, timeout=timeout)
        self._check_all()
        # Gloo tells its calls apart by their order.
        self.line.catch_up()

    def _check_all(self) -> None:
        """Raises WorkerLost if the last call was without a member that has left."""
        if missing := set(range(self.size())) - set(self.communicator.contributors):
            raise WorkerLost(f"rank {', '.join(map(str, sorted(missing)))} of this group has left it")

    def _seconds(self, opts: Any) -> float:
        """What a call may take."""
        timeout: timedelta = getattr(opts, "timeout", NOW)
        return (timeout if timeout > NOW else self._gloo.options._timeout).total_seconds()

    def _refused(self, error: Exception) -> Exception:
        """The error, which the others get in their call."""
        self.line.add(lambda: self.communicator.fail(error))
        return error

    def _reduction(self, name: str, tensors: Sequence[Tensor], opts: Any) -> Callable[[Sequence[Tensor]], None]:
        """What reduces tensors like these in place. Raises TypeError: they can't be reduced so."""
        dtypes = {tensor.dtype for tensor in tensors}
        try:
            if len(dtypes) != 1:
                raise TypeError("tensors that are reduced together are of one type")
            how = way(opts.reduceOp, dtypes.pop())
        except TypeError as error:
            raise self._refused(error) from None
        return partial(self._reduce, name, how, self._seconds(opts))

    def _reduce(self, name: str, how: Way, timeout: float, tensors: Sequence[Tensor]) -> None:
        wide = [tensor.to(how.wide) for tensor in tensors]
        if how.factor is not None:
            wide = [tensor * how.factor for tensor in wide]
        if how.operation is not None:
            self._reduce_in_switch(wide, how.operation, timeout)
        else:
            self._agree(f"{name} ({how.op.name}) of {_described(tensors)}", timeout)
            self._reduce_on_hosts(wide, how.op, timeout)
        for tensor, total in zip(tensors, wide, strict=True):
            if total is not tensor:
                tensor.copy_(total)

    def _reduce_in_switch(self, tensors: Sequence[Tensor], operation: OperationName, timeout: float) -> None:
        arrays = [tensor.numpy() for tensor in tensors]
        how: dict[str, Any] = {"operation": operation, "timeout": timeout}
        if tensors[0].is_floating_point():
            how |= {"block": self.options.block, "width": self.options.width}
        if len(arrays) == 1:
            self.communicator.all_reduce(arrays[0], out=arrays[0], **how)
        else:
            for array, total in zip(arrays, self.communicator.all_reduce_many(arrays, **how), strict=True):
                array[...] = total
        self._check_all()

    def _reduce_on_hosts(self, tensors: Sequence[Tensor], op: Any, timeout: float) -> None:
        opts = AllreduceOptions()
        opts.reduceOp = ReduceOp(ReduceOp.SUM if op in (ReduceOp.AVG, ReduceOp.PREMUL_SUM) else op)
        opts.timeout = timedelta(seconds=timeout)
        for tensor in tensors:
            self._gloo.allreduce([tensor], opts).wait()
            if op == ReduceOp.AVG:
                tensor.div_(self.size(), rounding_mode=None if tensor.is_floating_point() else "trunc")

    def _sparse(self, tensors: Sequence[Tensor], opts: Any) -> Work:
        """Sums rows of tables, as embeddings' gradients have. Raises TypeError: they can't be summed."""
        timeout = self._seconds(opts)
        tables = [tensor.detach().coalesce().cpu() for tensor in tensors]
        if opts.reduceOp != ReduceOp.SUM or any(
            table.sparse_dim() != 1 or table.dtype not in SPARSE for table in tables
        ):
            raise self._refused(TypeError(f"of sparse tensors there are sums, with one sparse dimension, of {SPARSE}"))

        def add() -> None:
            for tensor, table in zip(tensors, tables, strict=True):
                (rows,) = table.indices()
                found, sums = self.communicator.sparse_all_reduce(rows.numpy(), table.values().numpy(), timeout=timeout)
                self._check_all()
                indices, values = torch.from_numpy(found)[None], torch.from_numpy(sums)
                total = torch.sparse_coo_tensor(indices, values, tensor.shape, is_coalesced=True)
                # In place, which a detached one, with indices of its own, would not be.
                with torch.no_grad():
                    tensor.copy_(total)

        return self.line.add(add, tensors)

    def _scattering(self, output: Tensor, parts: Sequence[Tensor], opts: Any) -> Callable[[], None]:
        reduce = self._reduction("reduce_scatter", parts, opts)

        def scatter() -> None:
            whole = torch.cat([part.reshape(-1) for part in parts])
            reduce([whole])
            own = whole.split([part.numel() for part in parts])[self.rank()]
            output.copy_(own.view_as(output))

        return scatter


def _bytes(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [as_bytes(tensor) for tensor in tensors]


def _flat(tensors: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    return [tensor for some in tensors for tensor in some]


def _described(tensors: Sequence[Tensor]) -> str:
    return ", ".join(f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}" for tensor in tensors)
