"""A process group of torch.distributed: jobs on the switch, and Gloo from host to host for all that these cannot do."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from ipaddress import IPv4Address
from secrets import token_hex
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed
from torch.distributed import (
    AllreduceCoalescedOptions,
    AllreduceOptions,
    BarrierOptions,
    BroadcastOptions,
    DistBackendError,
    GatherOptions,
    PrefixStore,
    ProcessGroup,
    ProcessGroupGloo,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
    Store,
    Work,
)
from torch.distributed.distributed_c10d import AllgatherOptions, AllToAllOptions

from dropzero.membership.access import CONTROLLER_VARIABLE
from dropzero.membership.channel import refused
from dropzero.membership.client import MembershipError
from dropzero.protocol.lanes.errors import Disagreement
from dropzero.torch.arguments import (
    check,
    check_alike,
    check_divisible,
    check_exchanged,
    check_gathered,
    check_gathered_together,
    check_gathered_whole,
    check_rank,
    check_root,
    check_root_tensor,
    check_rooted,
    check_scattered,
    listed,
    nested,
    options,
    split_bytes,
)
from dropzero.torch.errors import TimedOut
from dropzero.torch.line import NOW, Call, Line
from dropzero.torch.options import Options, free_jobs
from dropzero.torch.profiling import profiled
from dropzero.torch.rules import Way, fold, short, way
from dropzero.torch.staging import Staging, as_array, as_bytes
from dropzero.torch.tracing import untraced
from dropzero.torch.transfer import Transfer
from dropzero.torch.wrapping import unwrapping
from dropzero.worker.address import own_ip
from dropzero.worker.communicator import Communicator, OperationName, connect
from dropzero.worker.environment import IP_VARIABLE, job_number
from dropzero.worker.errors import WorkerLost

SPARSE = (torch.float32, torch.float16, torch.int32)
"""The types of tables whose rows the switch adds up."""
STARTING = 1.0
"""Seconds for which a group waits for a controller that does not listen yet."""
FAILED = "failed: "
"""What a rank that cannot make a group says to the others, before the reason."""
CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def create(place: Any, given: Options | None) -> Group:
    """Makes a group, together with all its members.

    Args:
        place: a _DistributedBackendOptions.
        given: the program's pg_options.

    Raises:
        TypeError: the options are of another backend.
        MembershipError: no controller listens.
        OSError: this host does not have the address that the options name.
        DistBackendError, TimedOut, ValueError: see _meet.
        Exception: see dropzero.connect.
    """
    if given is not None and not isinstance(given, Options):
        raise TypeError(f"pg_options of dropzero are a dropzero.torch.Options, not a {type(given).__name__}")
    options, first = given or Options(), distributed.group.WORLD
    if first is None:
        options = options if options.job is not None else replace(options, job=job_number())
    elif given is None and isinstance(first, Group):
        options = replace(first.options, job=None)
    # The program may have made and destroyed a group of this name. Its store may still have what that group said.
    earlier, shared = f"dropzero/groups of rank {place.group_rank}", place.store
    if place.group_size == 1:
        # Each rank may make one of its own, all of the same name.
        shared = PrefixStore(f"dropzero/only {list(place.global_ranks_in_group)}", shared)
    store = PrefixStore(str(shared.add(earlier, 0)), shared)
    ip = options.ip or own_ip()
    try:
        _check_controller(options.controller)
        _check_address(ip)
    except Exception as error:
        # Otherwise the other ranks would wait for this one until their timeout.
        store.set(f"dropzero/rank {place.group_rank}", f"{FAILED}{error}")
        raise
    _meet(place, store)
    if place.group_rank == 0:
        numbered = [] if options.job is None else [(options.job, options.token)]
        drawn = first.jobs[-1] if isinstance(first, Group) and len(first.jobs) > 1 else None
        # A job with a random number has a random token, so that no other program joins it.
        token = options.token or token_hex(16)
        others = [(job, token) for job in free_jobs(options.channels - len(numbered), drawn)]
        store.set("dropzero", json.dumps(numbered + others))
    jobs = dict(json.loads(store.get("dropzero")))
    job = next(iter(jobs))
    options = replace(options, job=job, token=jobs[job], channels=len(jobs), ip=ip)
    group = Group(store, place.group_rank, place.group_size, place.timeout, options, jobs)
    shared.add(earlier, 1)
    return group


def _check_controller(address: str) -> None:
    """Raises MembershipError if no controller listens at its address, nor STARTING seconds later."""
    if refused(address):
        time.sleep(STARTING)
        if refused(address):
            raise MembershipError(
                f"no controller listens at {address}: start one with `dropzero controller serve --listen {address}`, "
                f"or set {CONTROLLER_VARIABLE} to the address of another"
            )


def _check_address(ip: str) -> None:
    """Raises OSError if this host does not have the IPv4 address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(IPv4Address(ip)), 0))
        except (ValueError, OSError) as error:
            raise OSError(
                f"this host does not have the IPv4 address {ip}: set {IP_VARIABLE}, or the option ip, to its own "
                "address in the network"
            ) from error


def _meet(place: Any, store: Store) -> None:
    """Waits until all members make the group. Raises ValueError if they name different ranks, DistBackendError if one
    cannot make it, and TimedOut, which names the missing ranks."""
    own = f"{place.group_size} ranks {list(place.global_ranks_in_group)}"
    places = [f"dropzero/rank {rank}" for rank in range(place.group_size)]
    store.set(places[place.group_rank], own)
    try:
        store.wait(places, place.timeout)
    except RuntimeError as error:
        missing = ", ".join(str(rank) for rank, key in enumerate(places) if not store.check([key]))
        seconds = place.timeout.total_seconds()
        raise TimedOut(f"rank {missing} of this group did not make it within {seconds:g} s") from error
    for rank, theirs in enumerate(each.decode() for each in store.multi_get(places)):
        if theirs.startswith(FAILED):
            raise DistBackendError(f"rank {rank} of this group could not make it: {theirs.removeprefix(FAILED)}")
        if theirs != own:
            raise ValueError(f"this rank, {place.group_rank}, makes a group of {own}, but rank {rank} one of {theirs}")


@untraced
@unwrapping
class Group(ProcessGroup):
    """A process group. Up to as many calls run at once as it has channels, and they begin in the program's order. A
    call has one outcome, the same result or an error on all ranks: see dropzero.worker.communicator.Communicator.

    Attributes:
        options: complete; `job` and `token` are those of the first channel.
        jobs: of the channels.
        line: the group's calls.
    """

    def __init__(
        self, store: Store, rank: int, size: int, timeout: timedelta, options: Options, jobs: Mapping[int, str]
    ) -> None:
        """jobs: the tokens of the channels' jobs, in order. Raises the errors of dropzero.connect."""
        super().__init__(rank, size)
        self.options, self.jobs, self._store = options, list(jobs), store
        seconds = timeout.total_seconds()
        settings = ProcessGroupGloo._Options()
        settings._timeout = timeout
        settings._devices = [ProcessGroupGloo.create_device(hostname=options.ip)]
        self._gloo = ProcessGroupGloo(store, rank, size, settings)
        # After Gloo, which waits for all ranks: so none leaves while others still connect to it.
        communicators = _all_or_none(
            partial(
                connect,
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
            for job, token in jobs.items()
        )
        # Gloo answers what PyTorch asks of a group's backend, such as its timeout.
        for device in (CPU, CUDA) if torch.cuda.is_available() else (CPU,):
            self._register_backend(device, ProcessGroup.BackendType.GLOO, self._gloo)
        self._set_default_backend(ProcessGroup.BackendType.GLOO)
        self.line = Line(communicators, f"job {options.job}")

    @property
    def communicator(self) -> Communicator:
        """The switch's collectives. Only for calls that were added to `line`."""
        return self.line.communicator

    # ---- of the group

    def getBackendName(self) -> str:  # noqa: N802
        return "dropzero"

    def get_group_store(self) -> Store:
        return self._store

    def shutdown(self) -> None:
        """Waits for all calls, and leaves the jobs."""
        self.line.close()

    def abort(self) -> None:
        """Ends all calls with an error. The others lose this worker."""
        self._gloo.abort()
        self.line.abort()

    def split_group(self, *arguments: Any, **named: Any) -> ProcessGroup:
        """Raises RuntimeError: PyTorch would only split Gloo."""
        raise RuntimeError("dropzero has no split_group: torch.distributed.new_group makes each group")

    def set_timeout(self, timeout: timedelta) -> None:
        self._gloo._set_default_timeout(timeout)

    def _start_coalescing(self, device: torch.device) -> None:
        """Does nothing: the calls of a group need not be joined."""

    def _end_coalescing(self, device: torch.device) -> Work:
        """Returns a call that is over when all earlier calls are."""
        return self.line.fence()

    # ---- in the switch, where the rules allow it

    def allreduce(self, tensors: Sequence[Tensor] | Tensor, opts: Any = None, timeout: timedelta | None = None) -> Work:
        """Reduces all tensors of all ranks to one, which all of them get. They must be alike."""
        tensors, opts, stage = listed(tensors), options(AllreduceOptions, opts, timeout=timeout), Staging()
        with self._told():
            check(bool(tensors), "all_reduce requires non-empty tensor list")
            check_alike(tensors, tensors[0])
            if tensors[0].is_sparse:
                return self._sparse(tensors, opts, stage)
            reduce = self._reduction("all_reduce", tensors[:1], opts)
            first, *others = stage.updates(tensors)

        def reduce_to_one() -> None:
            for other in others:
                fold(opts.reduceOp, first, other)
            reduce([first])
            for other in others:
                other.copy_(first)

        return self._add("all_reduce", tensors, stage, reduce_to_one, tensors)

    def allreduce_coalesced(self, tensors: Sequence[Tensor], opts: Any = None) -> Work:
        opts, stage = options(AllreduceCoalescedOptions, opts), Staging()
        with self._told():
            check(bool(tensors), "all_reduce_coalesced requires non-empty tensor list")
            for index, tensor in enumerate(tensors):
                check(tensor.layout == tensors[0].layout, f"invalid tensor layout at index {index}: {tensor.layout}")
            check(not tensors[0].is_sparse, f"unsupported layout: {tensors[0].layout}")
            call = partial(self._reduction("all_reduce", tensors, opts), stage.updates(tensors))
        return self._add("all_reduce", tensors, stage, call, tensors)

    def reduce(
        self,
        tensors: Sequence[Tensor] | Tensor,
        opts: Any = None,
        op: Any = None,
        timeout: timedelta | None = None,
        *,
        root: int | None = None,
    ) -> Work:
        tensors, opts = listed(tensors), options(ReduceOptions, opts, root=root, op=op, timeout=timeout)
        stage, is_root = Staging(), self.rank() == opts.rootRank
        with self._told():
            check_root(opts.rootRank, self.size())
            check_root_tensor(opts.rootTensor, tensors)
            check(len(tensors) == 1, "reduce requires a single-element tensor list")
            reduce = self._reduction("reduce", tensors, opts, root=opts.rootRank)
            own = stage.updates(tensors) if is_root else stage.reads(tensors)
        call = partial(reduce, own) if is_root else lambda: reduce([each.clone() for each in own])
        return self._add("reduce", tensors, stage, call, tensors)

    def reduce_scatter(
        self,
        outputs: Sequence[Tensor] | Tensor,
        inputs: Sequence[Sequence[Tensor]] | Sequence[Tensor],
        opts: Any = None,
        timeout: timedelta | None = None,
    ) -> Work:
        outputs, inputs = listed(outputs), nested(inputs)
        opts, stage = options(ReduceScatterOptions, opts, timeout=timeout), Staging()
        with self._told():
            check_scattered(self.rank(), self.size(), outputs, inputs)
            calls = [
                self._scattering(stage.write(output), stage.reads(parts), opts)
                for output, parts in zip(outputs, inputs, strict=True)
            ]

        def scatter() -> None:
            for call in calls:
                call()

        return self._add("reduce_scatter", _flat(inputs), stage, scatter, outputs)

    def reduce_scatter_single(self, output: Tensor, whole: Tensor, opts: Any = None) -> Work:
        return self.reduce_scatter_single_coalesced([output], [whole], opts)

    def reduce_scatter_single_coalesced(
        self, outputs: Sequence[Tensor], wholes: Sequence[Tensor], opts: Any = None
    ) -> Work:
        with self._told():
            for whole in wholes:
                check_divisible(whole, self.size())
        return self.reduce_scatter(outputs, [whole.reshape(-1).chunk(self.size()) for whole in wholes], opts)

    _reduce_scatter_base = reduce_scatter_single
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced

    def broadcast(
        self,
        tensors: Sequence[Tensor] | Tensor,
        opts: Any = None,
        timeout: timedelta | None = None,
        *,
        root: int | None = None,
    ) -> Work:
        """Copies the root's tensor number `rootTensor` into all tensors of all ranks. They must be alike."""
        tensors, opts = listed(tensors), options(BroadcastOptions, opts, root=root, timeout=timeout)
        stage, seconds = Staging(), self._seconds(opts)
        with self._told():
            check_root(opts.rootRank, self.size())
            check_root_tensor(opts.rootTensor, tensors)
            check_alike(tensors, tensors[0])
            own = stage.updates(tensors)
            array = as_array(own[opts.rootTensor])

        def send() -> None:
            self.communicator.broadcast(array, opts.rootRank, out=array, timeout=seconds)
            self.check_all()
            for index, tensor in enumerate(own):
                if index != opts.rootTensor:
                    tensor.copy_(own[opts.rootTensor])

        return self._add("broadcast", tensors, stage, send, tensors)

    def barrier(self, opts: Any = None, timeout: timedelta | None = None) -> Work:
        seconds = self._seconds(options(BarrierOptions, opts, timeout=timeout))
        return self._add("barrier", (), Staging(), partial(self._agree, "barrier", seconds), ())

    def allgather(
        self,
        outputs: Sequence[Sequence[Tensor]] | Sequence[Tensor],
        inputs: Sequence[Tensor] | Tensor,
        opts: Any = None,
        timeout: timedelta | None = None,
    ) -> Work:
        """The result for each input is a list of all inputs of all ranks."""
        outputs, inputs, stage = nested(outputs), listed(inputs), Staging()
        opts = options(AllgatherOptions, opts, timeout=timeout)
        with self._told():
            check_gathered(self.size(), outputs, inputs)
            first, *others = [stage.writes(row) for row in outputs]
            rows = [first[rank * len(inputs) : (rank + 1) * len(inputs)] for rank in range(self.size())]

        def copy() -> None:
            for other in others:
                for tensor, arrived in zip(other, first, strict=True):
                    tensor.copy_(arrived)

        return self._gather("all_gather", stage, rows, inputs, opts, outputs if others else outputs[0], copy)

    def allgather_coalesced(
        self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any = None
    ) -> Work:
        stage = Staging()
        with self._told():
            check_gathered_together(self.size(), outputs, inputs)
            rows = [stage.writes(row) for row in outputs]
        return self._gather("all_gather", stage, rows, inputs, options(AllgatherOptions, opts), _flat(outputs))

    def all_gather_single(self, output: Tensor, own: Tensor, opts: Any = None) -> Work:
        return self.all_gather_single_coalesced([output], [own], opts)

    def all_gather_single_coalesced(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None
    ) -> Work:
        stage = Staging()
        with self._told():
            check_gathered_whole(self.size(), outputs, inputs)
            parts = [each.reshape(self.size(), each.numel() // self.size()) for each in stage.writes(outputs)]
            rows = [[each[rank] for each in parts] for rank in range(self.size())]
        return self._gather("all_gather_single", stage, rows, inputs, options(AllgatherOptions, opts), outputs)

    _allgather_base = all_gather_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced

    def gather(
        self,
        outputs: Sequence[Sequence[Tensor]] | Sequence[Tensor],
        inputs: Sequence[Tensor] | Tensor,
        opts: Any = None,
        timeout: timedelta | None = None,
        *,
        root: int | None = None,
    ) -> Work:
        outputs, inputs = nested(outputs), listed(inputs)
        opts, stage = options(GatherOptions, opts, root=root, timeout=timeout), Staging()
        with self._told():
            check_rooted(self.rank(), self.size(), opts.rootRank, inputs, outputs, "input", "output")
            rows = [[stage.write(each)] for each in _flat(outputs)]
        return self._gather("gather", stage, rows, inputs, opts, _flat(outputs), root=opts.rootRank)

    def scatter(
        self,
        outputs: Sequence[Tensor] | Tensor,
        inputs: Sequence[Sequence[Tensor]] | Sequence[Tensor],
        opts: Any = None,
        timeout: timedelta | None = None,
        *,
        root: int | None = None,
    ) -> Work:
        outputs, inputs = listed(outputs), nested(inputs)
        opts, stage = options(ScatterOptions, opts, root=root, timeout=timeout), Staging()
        with self._told():
            check_rooted(self.rank(), self.size(), opts.rootRank, outputs, inputs, "output", "input")
            own, rows = stage.write(outputs[0]), stage.reads(_flat(inputs))
        seconds, label = self._seconds(opts), f"scatter of {_described(outputs)}"

        def scatter() -> None:
            content = _joined([own])
            whole = np.stack([_joined([row]) for row in rows]) if rows else np.tile(content, (self.size(), 1))
            part = self.communicator.scatter(whole, opts.rootRank, label=label, timeout=seconds)
            self.check_all()
            _part(part, [own])

        return self._add("scatter", _flat(inputs), stage, scatter, outputs)

    # ---- from host to host

    def all_to_all_single(
        self, output: Tensor, whole: Tensor, output_sizes: list[int], sizes: list[int], opts: Any = None
    ) -> Work:
        stage, opts = Staging(), options(AllToAllOptions, opts)
        with self._told():
            check(output.dtype == whole.dtype, f"invalid tensor type: {output.dtype}, where {whole.dtype} is expected")
            takes, gives = split_bytes(output, output_sizes, self.size()), split_bytes(whole, sizes, self.size())
            received, sent = as_bytes(stage.write(output)).reshape(-1), as_bytes(stage.read(whole)).reshape(-1)

        def exchange() -> None:
            self._exchange(received, sent, takes, gives, opts)

        return self._move("all_to_all_single", f"of {short(whole.dtype)}", opts, [whole], stage, exchange, [output])

    alltoall_base = all_to_all_single

    def alltoall(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None) -> Work:
        stage, opts = Staging(), options(AllToAllOptions, opts)
        with self._told():
            check_exchanged(self.size(), outputs, inputs)
            received = [each.reshape(-1) for each in _bytes(stage.writes(outputs))]
            sent = [each.reshape(-1) for each in _bytes(stage.reads(inputs))]
            takes, gives = [len(each) for each in received], [len(each) for each in sent]

        def exchange() -> None:
            whole = torch.empty(sum(takes), dtype=torch.uint8)
            self._exchange(whole, torch.cat(sent), takes, gives, opts)
            for part, arrived in zip(received, whole.split(takes), strict=True):
                part.copy_(arrived)

        return self._move("all_to_all", f"of {short(inputs[0].dtype)}", opts, inputs, stage, exchange, outputs)

    def send(self, tensors: Sequence[Tensor], to: int, tag: int) -> Work:
        stage = Staging()
        self.line.check_open()
        # Gloo would read beyond its list of them.
        check_rank("destination", to, self.size())
        sent = _bytes(stage.reads(tensors))
        stage.around(lambda: None)()
        return Transfer("send", tensors, self._gloo.send(sent, to, tag), Staging())

    def recv(self, tensors: Sequence[Tensor], source: int, tag: int) -> Work:
        stage = Staging()
        self.line.check_open()
        check_rank("source", source, self.size())
        return Transfer("recv", tensors, self._gloo.recv(_bytes(stage.writes(tensors)), source, tag), stage)

    def recv_anysource(self, tensors: Sequence[Tensor], tag: int) -> Work:
        stage = Staging()
        self.line.check_open()
        return Transfer("recvAnySource", tensors, self._gloo.recv_anysource(_bytes(stage.writes(tensors)), tag), stage)

    # ---- how

    def _add(
        self, name: str, inputs: Sequence[Tensor], stage: Staging, call: Callable[[], object], results: Sequence[Any]
    ) -> Call:
        """Adds a call. name, inputs: for the profiler. results: the tensors with the result, or lists of them."""
        return self.line.add(profiled(name, inputs, stage.around(call)), results, stage.memory)

    def _move(
        self,
        name: str,
        details: str,
        opts: Any,
        inputs: Sequence[Tensor],
        stage: Staging,
        call: Callable[[], object],
        results: Sequence[Any],
    ) -> Call:
        """Adds a call from host to host, after all earlier ones. The switch checks that all ranks make the same one."""
        timeout = self._seconds(opts)

        def move() -> None:
            self._agree(f"{name} {details}", timeout)
            call()

        return self._add(name, inputs, stage, move, results)

    def _gather(
        self,
        name: str,
        stage: Staging,
        outputs: Sequence[Sequence[Tensor]],
        inputs: Sequence[Tensor],
        opts: Any,
        results: Sequence[Any],
        finish: Callable[[], None] = lambda: None,
        root: int | None = None,
    ) -> Call:
        """Gathers `inputs`, whatever their types, in one call. outputs: of each rank, contiguous, one for each input.
        root: the only rank that has outputs; None: all have."""
        own, seconds, label = stage.reads(inputs), self._seconds(opts), f"{name} of {_described(inputs)}"

        def gather() -> None:
            gathered: Callable[..., NDArray[np.uint8] | None] = self.communicator.all_gather
            if root is not None:
                gathered = partial(self.communicator.gather, root=root)
            rows = gathered(_joined(own), label=label, timeout=seconds)
            self.check_all()
            for row, tensors in zip(() if rows is None else rows, outputs, strict=True):
                _part(row, tensors)
            finish()

        return self._add(name, inputs, stage, gather, results)

    def _exchange(self, received: Tensor, sent: Tensor, takes: Sequence[int], gives: Sequence[int], opts: Any) -> None:
        """Exchanges bytes with Gloo. takes, gives: bytes from and to each rank. Raises Disagreement on all ranks if one
        gives another number than the other takes."""
        surplus = np.zeros((self.size(), self.size()), np.int64)
        surplus[self.rank()] += gives
        surplus[:, self.rank()] -= takes
        # If ranks agree, the sum is zero, also modulo 2^32.
        total = self.communicator.all_reduce(surplus.astype(np.int32), timeout=self._seconds(opts))
        self.check_all()
        if len(uneven := np.argwhere(total)):
            giver, taker = uneven[0]
            more = "more" if total[giver, taker] > 0 else "fewer"
            raise Disagreement(
                f"rank {giver} sends rank {taker} {abs(total[giver, taker])} bytes {more} than that expects"
            )
        self._gloo.alltoall_base(received, sent, takes, gives, opts).wait()

    def _agree(self, label: str, timeout: float) -> None:
        self.communicator.barrier(label, timeout=timeout)
        self.check_all()
        # Gloo tells its calls apart by their order.
        self.line.catch_up()

    def check_all(self) -> None:
        """Raises WorkerLost if a member has left before the last call."""
        if missing := set(range(self.size())) - set(self.communicator.contributors):
            raise WorkerLost(f"rank {', '.join(map(str, sorted(missing)))} of this group has left it")

    def _seconds(self, opts: Any) -> float:
        """The timeout of a call, seconds."""
        timeout: timedelta = getattr(opts, "timeout", NOW)
        return (timeout if timeout > NOW else self._gloo.options._timeout).total_seconds()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A context that checks a call before it is added. An error ends the call of the other ranks, too."""
        try:
            yield
        except Exception as error:
            self.refuse(error)
            raise

    def refuse(self, error: Exception) -> None:
        """Ends the call of the other ranks in place of this rank's, which has no valid arguments."""
        self.line.add(partial(self._fail, error))

    def _fail(self, error: Exception) -> None:
        self.communicator.fail(error)

    def _reduction(
        self,
        name: str,
        tensors: Sequence[Tensor],
        opts: Any,
        *,
        root: int | None = None,
        counts: Sequence[int] | None = None,
    ) -> Callable[[Sequence[Tensor]], None]:
        """Returns a function that reduces such tensors in place. Raises TypeError if they cannot be reduced so.

        root: the rank that gets the result; the tensor of others may change. counts: the rows of the only tensor that
        each rank gets; its others may change. Without both, all get all.
        """
        dtypes = {tensor.dtype for tensor in tensors}
        check(len(dtypes) == 1, f"{name}: tensors must all have the same type")
        how = way(opts.reduceOp, dtypes.pop())
        return partial(self._reduce, name, how, self._seconds(opts), root, counts)

    def _reduce(
        self,
        name: str,
        how: Way,
        timeout: float,
        root: int | None,
        counts: Sequence[int] | None,
        tensors: Sequence[Tensor],
    ) -> None:
        real = [torch.view_as_real(tensor) if tensor.is_complex() else tensor for tensor in tensors]
        wide = [tensor.to(how.wide) for tensor in real]
        if how.factor is not None:
            wide = [tensor * how.factor for tensor in wide]
        if how.operation is not None:
            self._reduce_in_switch(name, tensors[0].dtype, wide, how.operation, timeout, root, counts)
        else:
            if root is not None:
                name = f"{name} to {root}"
            elif counts is not None and len({*counts}) > 1:
                name = f"{name} of {', '.join(map(str, counts))} rows"
            self._agree(f"{name} ({how.op.name}) of {_described(tensors)}", timeout)
            self._reduce_on_hosts(wide, how.op, timeout)
        for tensor, total in zip(real, wide, strict=True):
            if total is not tensor:
                tensor.copy_(total)

    def _reduce_in_switch(
        self,
        name: str,
        dtype: torch.dtype,
        tensors: Sequence[Tensor],
        operation: OperationName,
        timeout: float,
        root: int | None,
        counts: Sequence[int] | None,
    ) -> None:
        """Reduces in the switch. dtype: the program's; other tensors may travel."""
        arrays = [as_array(tensor) for tensor in tensors]
        label = name if dtype == tensors[0].dtype else f"{name} of {short(dtype)}"
        how: dict[str, Any] = {"operation": operation, "label": label, "timeout": timeout}
        how |= self._form(tensors[0])
        if root is not None:
            total = self.communicator.reduce(arrays[0], root, **how)
            if total is not None:
                arrays[0][...] = total
        elif counts is not None:
            part = self.communicator.reduce_scatter(arrays[0], counts=counts, **how)
            first = sum(counts[: self.rank()])
            arrays[0][first : first + len(part)] = part
        elif len(arrays) == 1:
            self.communicator.all_reduce(arrays[0], out=arrays[0], **how)
        else:
            for array, total in zip(arrays, self.communicator.all_reduce_many(arrays, **how), strict=True):
                array[...] = total
        self.check_all()

    def _form(self, like: Tensor) -> dict[str, Any]:
        """How the switch gets such elements."""
        return {"block": self.options.block, "width": self.options.width} if like.is_floating_point() else {}

    def _reduce_on_hosts(self, tensors: Sequence[Tensor], op: Any, timeout: float) -> None:
        opts = AllreduceOptions()
        opts.reduceOp = ReduceOp(ReduceOp.SUM if op in (ReduceOp.AVG, ReduceOp.PREMUL_SUM) else op)
        opts.timeout = timedelta(seconds=timeout)
        # Together: several may be the same tensor, which is reduced once.
        whole = tensors[0] if len(tensors) == 1 else torch.cat([tensor.reshape(-1) for tensor in tensors])
        self._gloo.allreduce([whole], opts).wait()
        if op == ReduceOp.AVG:
            whole.div_(self.size(), rounding_mode=None if whole.is_floating_point() else "trunc")
        if len(tensors) > 1:
            for tensor, total in zip(tensors, whole.split([tensor.numel() for tensor in tensors]), strict=True):
                tensor.copy_(total.view_as(tensor))

    def _sparse(self, tensors: Sequence[Tensor], opts: Any, stage: Staging) -> Work:
        """Sums sparse tensors, such as gradients of embeddings. Raises RuntimeError if they cannot be summed."""
        timeout, like = self._seconds(opts), tensors[0]
        check(opts.reduceOp == ReduceOp.SUM, "unsupported reduction operation: of sparse tensors there are sums")
        check(like.dtype in SPARSE, f"sums of sparse tensors are of {SPARSE}, not of {like.dtype}")
        tables = stage.tables(tensors)
        sparse = like.shape[: like.sparse_dim()]
        label = f"all_reduce of sparse {_described([like])}"

        def add() -> None:
            first, *others = [each.detach() for each in tables]
            table = sum(others, first).coalesce().cpu()
            # One number for each row, over all sparse dimensions.
            rows = np.ravel_multi_index(tuple(as_array(table._indices())), sparse)
            values = as_array(table._values())
            how = self._form(like)
            found, sums = self.communicator.sparse_all_reduce(rows, values, label=label, timeout=timeout, **how)
            self.check_all()
            # A sparse tensor takes over the parts of one that is copied into it: on a GPU, autograd could not use parts
            # made in inference mode.
            with torch.inference_mode(False), torch.no_grad():
                indices = torch.from_numpy(np.stack(np.unravel_index(found, sparse)))
                # The indices are valid. Without the last argument, PyTorch warns of crashes.
                total = torch.sparse_coo_tensor(
                    indices, torch.from_numpy(sums), like.shape, is_coalesced=True, check_invariants=False
                )
                # In place: a detached tensor would have its own indices.
                for each in tables:
                    each.copy_(total)

        return self._add("all_reduce", tensors, stage, add, tensors)

    def _scattering(self, output: Tensor, parts: Sequence[Tensor], opts: Any) -> Callable[[], None]:
        # The tensors of a rank may differ in size, but each has the same size on all ranks.
        counts = [part.numel() for part in parts]
        reduce = self._reduction("reduce_scatter", parts, opts, counts=counts)

        def scatter() -> None:
            whole = torch.cat([part.reshape(-1) for part in parts])
            reduce([whole])
            output.copy_(whole.split(counts)[self.rank()].view_as(output))

        return scatter


def _all_or_none(connects: Iterable[Callable[[], Communicator]]) -> list[Communicator]:
    """Connects in parallel. If that fails once, ends all connections, and raises the error."""
    threads = ThreadPoolExecutor()
    connecting = [threads.submit(connect) for connect in connects]
    threads.shutdown(wait=False)
    try:
        return [each.result() for each in connecting]
    except BaseException:
        for each in connecting:
            each.add_done_callback(_end)
        raise


def _end(connected: Future[Communicator]) -> None:
    if connected.exception() is None:
        communicator = connected.result()
        communicator.abort()
        communicator.close()


def _bytes(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [as_bytes(tensor) for tensor in tensors]


def _joined(tensors: Sequence[Tensor]) -> NDArray[np.uint8]:
    """The content of contiguous tensors, as bytes."""
    arrays = [as_array(as_bytes(tensor).reshape(-1)) for tensor in tensors]
    return arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0, np.uint8), *arrays])


def _part(content: NDArray[np.uint8], tensors: Sequence[Tensor]) -> None:
    """The inverse of `_joined`: writes to contiguous tensors."""
    first = 0
    for tensor in tensors:
        as_array(as_bytes(tensor).reshape(-1))[:] = content[first : first + tensor.nbytes]
        first += tensor.nbytes


def _flat(tensors: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    return [tensor for some in tensors for tensor in some]


def _described(tensors: Sequence[Tensor]) -> str:
    return ", ".join(f"{short(tensor.dtype)}{list(tensor.shape)}" for tensor in tensors)
