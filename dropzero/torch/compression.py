"""Compressed gradients for DistributedDataParallel: model.register_comm_hook(Compressed("topk(0.01,block=32)+ef"),
compress_hook)."""

# Without annotations from __future__: DDP looks at those of a hook.
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed
from torch.distributed import AllreduceOptions, GradBucket, ReduceOp
from torch.futures import Future

from dropzero.compressors.compression import Compression, refuse_non_finite_parameters
from dropzero.compressors.pipeline import Measured
from dropzero.compressors.rules import Parameter, Rules
from dropzero.compressors.spec import SpecError
from dropzero.streams import stream
from dropzero.torch.line import Call
from dropzero.torch.process_group import Group
from dropzero.torch.profiling import profiled
from dropzero.torch.staging import Staging, as_array
from dropzero.worker.state import deserialized, serialized


@dataclass
class Bucket:
    """What is compressed together: the gradients of one of DDP's buckets, as it is after the first step.

    Attributes:
        parameters: whose gradients they are, in order.
        seed: of its random numbers.
        saved: the state from which it continues, as bytes; None: it begins without one.
        compression: None before its first sum.
    """

    parameters: list[Parameter]
    seed: int
    saved: Tensor | None = None
    compression: Compression | None = None

    def begin(self, spec: str, channels: "Channels", label: str) -> Compression:
        """Makes the compression. label: what all ranks must agree on, or they might add up different elements."""
        made = Compression(spec, channels, self.parameters, seed=self.seed)
        if self.saved is not None:
            _restore(made, self.saved)
        channels.barrier(f"{label}, after {made.step} steps")
        self.compression = made
        return made

    def state(self) -> Tensor | None:
        if self.compression is None:
            return self.saved
        # Bytes, because torch.load refuses numpy arrays by default; a copy, because PyTorch wants to write to them.
        return torch.frombuffer(bytearray(serialized(self.compression.state())), dtype=torch.uint8)


class Compressed:
    """The state of compress_hook: a Compression for each of DDP's buckets.

    Each model needs its own state. All ranks need the same spec and seed. The state includes what error feedback holds
    back on this rank, so each rank saves and loads its own.

    Training that continues from a saved state gets the same bits as if it had not stopped. DDP's buckets in the first
    step of a process are not those of later steps. So that step's gradients are then put together as they were in the
    saved buckets. If later buckets differ from these, too (another `bucket_cap_mb`), so is each step, which costs the
    overlap with the backward pass.

    The state can be pickled and copied, without its group.

    Args:
        spec: a spec, or rules for some of the parameters: see docs/compression.md.
        group: the model's process group, with the backend dropzero; None: the default group.
        seed: of all random numbers; each bucket draws its own.
        parameters: `model.named_parameters()`. Rules by name, errors and `report` need the names.

    Attributes:
        rate: the optimizer's step size. Set it before the step whenever it changes, to the same value on all ranks:
            residuals that error feedback holds keep the step size they were computed with.

    Raises:
        SpecError: the spec is wrong, or names no parameter.
    """

    def __init__(
        self, spec: str, group: Any = None, *, seed: int = 0, parameters: Iterable[tuple[str, Tensor]] = ()
    ) -> None:
        self._begin(spec, group, seed, {each: name for name, each in parameters})
        if self._rules.names and not self._names:
            raise SpecError(f"{self.spec} names parameters: it needs parameters=model.named_parameters()")
        self._rules.check_names([Parameter(name, tuple(each.shape)) for each, name in self._names.items()])

    def _begin(self, spec: str, group: Any, seed: int, names: Mapping[Tensor, str]) -> None:
        self._rules = Rules.parse(spec)
        self.spec, self.seed, self.rate = str(self._rules), seed, 1.0
        self._group, self._names = group, names
        self._numbers: dict[Tensor, int] = {}
        """The model's parameters, numbered by type and then in the model's order, so that each process gives a
        parameter the same number."""
        self._parameters: list[Parameter] = []
        """By number."""
        self._buckets: dict[tuple[int, ...], Bucket] = {}
        """By the numbers of their parameters."""
        self._settled = False
        """Whether there are no more buckets to come."""
        self._other: list[tuple[Tensor, list[Tensor], Future[Tensor]]] = []
        """The gradients, parameters and results of this step's buckets that are not among `_buckets`."""

    @property
    def group(self) -> Group:
        """The process group. Raises TypeError if it has another backend."""
        group = self._group or distributed.group.WORLD
        if not isinstance(group, Group):
            raise TypeError("compressed gradients need a process group of the backend dropzero")
        return group

    @group.setter
    def group(self, group: Any) -> None:
        self._group = group

    def state_dict(self) -> dict[str, Any]:
        """Returns the state for torch.save. Call it between steps. The state after the first step has no buckets."""
        buckets = [{"parameters": list(numbers), "state": each.state()} for numbers, each in self._buckets.items()]
        state = {"spec": self.spec, "seed": self.seed, "rate": float(self.rate)}
        parameters = [[each.name, *each.shape] for each in self._parameters]
        return {**state, "parameters": parameters, "buckets": buckets}

    def report(self) -> list[Measured]:
        """What the last step did to each parameter on this rank: see Compression.report. Call it between steps. Empty
        before the second step; without parameters whose gradients are sparse."""
        made = [bucket.compression for bucket in self._buckets.values() if bucket.compression]
        found = [each for compression in made for each in compression.report()]
        order = {each.name: number for number, each in enumerate(self._parameters)}
        return sorted(found, key=lambda each: order[each.name])

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues from a saved state. A new rank loads the state of any other: it takes the part that all ranks
        share, and error feedback starts with nothing held back. Raises ValueError if the state has another spec or
        seed, or is not a state."""
        for name, own in self.state_dict().items():
            if name not in state:
                raise ValueError(f"this is not the state of a Compressed: it has no {name}")
            if name in ("spec", "seed") and state[name] != own:
                raise ValueError(f"the saved compression has the {name} {state[name]}, not {own}")
        self.rate, self._buckets = state["rate"], {}
        self._parameters = [Parameter(name, tuple(shape)) for name, *shape in state["parameters"]]
        for each in state["buckets"]:
            self._bucket(tuple(each["parameters"])).saved = each["state"]
        self._settled = bool(self._buckets)

    def __getstate__(self) -> dict[str, Any]:
        return self.state_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._begin(state["spec"], None, state["seed"], {})
        self.load_state_dict(state)

    def mean(self, bucket: GradBucket) -> Future[Tensor]:
        """Returns the future mean of a bucket. All ranks' steps have the same buckets in the same order."""
        if bucket.index() == 0:
            # A step that failed may have left some.
            self._other = []
            self._buckets = self._buckets if self._settled else {}
        gradient = bucket.buffer()
        mean = self._mean_of_table(gradient) if gradient.is_sparse else self._mean_of_vector(gradient, bucket)
        if bucket.is_last():
            self._end_step()
        return mean

    def _mean_of_table(self, table: Tensor) -> Future[Tensor]:
        """Sums sparse gradients as they are."""
        size = self.group.size()
        return self.group.allreduce([table]).get_future().then(lambda done: done.value()[0].div_(size))

    def _mean_of_vector(self, gradient: Tensor, bucket: GradBucket) -> Future[Tensor]:
        parameters = bucket.parameters()
        numbers = tuple(self._numbers.get(each, -1) for each in parameters)
        first = -1 in numbers
        if not (first or self._settled or numbers in self._buckets):
            self._bucket(numbers)
        if numbers in self._buckets:
            work = self._add(self._buckets[numbers], [gradient])
        elif self._settled:
            result: Future[Tensor] = Future(devices=[gradient.device] if gradient.is_cuda else [])
            self._other.append((gradient, parameters, result))
            return result
        else:
            opts = AllreduceOptions()
            opts.reduceOp = ReduceOp(ReduceOp.AVG)
            work = self.group.allreduce([gradient], opts)
        future = work.get_future().then(lambda done: done.value()[0])
        if first:
            self._other.append((gradient, parameters, future))
        return future

    def _end_step(self) -> None:
        """Sums what is not in this step's buckets as it is in those of the state."""
        if not self._other:
            self._settled = bool(self._buckets)
            return
        other, self._other = self._other, []
        if any(each not in self._numbers for _, parameters, _ in other for each in parameters):
            self._number([parameters for _, parameters, _ in other])
        if not self._settled:
            return
        parts: dict[int, Tensor] = {}
        for gradient, parameters, _ in other:
            sizes = [each.numel() for each in parameters]
            parts |= zip((self._numbers[each] for each in parameters), gradient.split(sizes), strict=True)
        works = [
            self._add(bucket, [parts[number] for number in numbers])
            for numbers, bucket in self._buckets.items()
            if numbers[0] in parts
        ]
        for work in works:
            work.wait()
        for gradient, _, result in other:
            result.set_result(gradient)

    def _number(self, buckets: list[list[Tensor]]) -> None:
        # DDP fills buckets in the model's order, each with one type, and reverses their order.
        ordered = sorted((each for some in reversed(buckets) for each in some), key=lambda each: str(each.dtype))
        shapes = [tuple(each.shape) for each in ordered]
        sizes = [each.elements for each in self._parameters], [each.numel() for each in ordered]
        try:
            if self._settled and sizes[0] != sizes[1]:
                raise ValueError(
                    f"the compression is of a model with {_described(sizes[0])}, but this one has "
                    f"{_described(sizes[1])}: each model needs its own Compressed"
                )
            # The copy of a state before its first step has no names.
            if self._rules.names and not (self._settled or self._names):
                raise SpecError(f"{self.spec} names parameters, but a copy of its state does not know their names")
        except ValueError as error:
            # As a call, so that the other ranks learn of it, too.
            self.group.line.add(partial(_fail, error)).wait()
        if not self._settled:
            names = [self._names.get(each, f"parameter {number}") for number, each in enumerate(ordered)]
            self._parameters = [Parameter(*pair) for pair in zip(names, shapes, strict=True)]
        self._numbers = {each: number for number, each in enumerate(ordered)}

    def _bucket(self, numbers: tuple[int, ...]) -> Bucket:
        """Adds a bucket."""
        parameters = [self._parameters[number] for number in numbers]
        self._buckets[numbers] = Bucket(parameters, seed_of(self.seed, len(self._buckets)))
        return self._buckets[numbers]

    def _add(self, bucket: Bucket, gradients: Sequence[Tensor]) -> Call:
        """Adds the call that replaces a bucket's gradients, each of shape (d,), by the means of all ranks'."""
        stage = Staging()
        reduce = partial(self._reduce, bucket, stage.updates(gradients))
        call = profiled("compressed all_reduce", gradients, stage.around(reduce))
        return self.group.line.add(call, gradients, stage.memory)

    def _reduce(self, bucket: Bucket, gradients: Sequence[Tensor]) -> None:
        vector = gradients[0] if len(gradients) == 1 else torch.cat(list(gradients))
        vector = vector if vector.dtype in (torch.float32, torch.float64) else vector.float()
        array = as_array(vector)
        refuse_non_finite_parameters(array, bucket.parameters)
        compression = bucket.compression or bucket.begin(
            str(self._rules.among(bucket.parameters)),
            Channels(self.group),
            f"gradients by {self.spec}, seed {self.seed}",
        )
        total = compression.aggregate(array[np.newaxis], rate=self.rate).total
        self.group.check_all()
        # Divided before it is rounded: a float16 may have room for the mean alone.
        mean = torch.from_numpy(total) / self.group.size()
        for gradient, part in zip(gradients, mean.split([len(each) for each in gradients]), strict=True):
            gradient.copy_(part)


def seed_of(seed: int, bucket: int) -> int:
    """Returns the seed of one of DDP's buckets, so that no two buckets draw the same numbers."""
    return int(stream(seed, "bucket", bucket).integers(2**63))


def compress_hook(state: Compressed, bucket: GradBucket) -> Future[Tensor]:
    """DDP's communication hook: sends compressed gradients. Those of the very first step are sent in full, because DDP
    forms its buckets again after it. Sparse gradients are summed as they are.

    A gradient that is not finite is an error on all ranks.
    """
    return state.mean(bucket)


def _described(sizes: Sequence[int]) -> str:
    return f"{len(sizes)} parameters of {sum(sizes)} elements"


def _fail(error: Exception) -> None:
    raise error


class Channels:
    """The collectives of the current channel: a bucket may use another one in each step."""

    def __init__(self, group: Group) -> None:
        self.group, self.rank, self.size = group, group.rank(), group.size()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.group.communicator, name)


def _restore(compression: Compression, saved: Tensor) -> None:
    state = deserialized(saved.numpy().tobytes())
    own = state["ranks"].tolist() == list(compression.ranks)
    compression.restore({name: state[name] for name in (state if own else compression.state(shared=True))})
