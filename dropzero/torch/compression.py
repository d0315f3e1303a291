"""Compressed gradients for DistributedDataParallel: model.register_comm_hook(Compressed("topk(0.01,block=32)+ef"),
compress_hook)."""

# Without annotations from __future__: DDP looks at those of a hook.
from collections.abc import Mapping
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed
from torch.distributed import AllreduceOptions, GradBucket, ReduceOp
from torch.futures import Future

from dropzero.compressors.compression import Compression
from dropzero.compressors.spec import Spec
from dropzero.compressors.vectors import refuse_non_finite_floats
from dropzero.streams import stream
from dropzero.torch.process_group import Group
from dropzero.torch.profiling import profiled
from dropzero.torch.staging import Staging, as_array


class Compressed:
    """The state of compress_hook: a Compression for each of DDP's buckets.

    Each model needs its own state, because buckets are told apart by their numbers. All ranks need the same spec and
    seed. The state includes what error feedback holds back on this rank, so each rank saves and loads its own.

    Args:
        spec: see docs/compression.md.
        group: the model's process group, with the backend dropzero; None: the default group.
        seed: of all random numbers; each bucket draws its own.

    Attributes:
        rate: the optimizer's step size. Set it before the step whenever it changes, to the same value on all ranks:
            what error feedback holds back keeps the step size of its own time.

    Raises:
        SpecError: the spec is wrong.
    """

    def __init__(self, spec: str, group: Any = None, *, seed: int = 0) -> None:
        self.spec, self.seed, self.rate = str(Spec.parse(spec)), seed, 1.0
        self._group = group
        self._settled = False
        """Whether DDP has formed its buckets for good, as it does after the first step."""
        self._buckets: dict[int, Compression] = {}
        self._saved: dict[int, dict[str, Any]] = {}

    @property
    def group(self) -> Group:
        """The process group. Raises TypeError if it has another backend."""
        group = self._group or distributed.group.WORLD
        if not isinstance(group, Group):
            raise TypeError("compressed gradients need a process group of the backend dropzero")
        return group

    def state_dict(self) -> dict[str, Any]:
        """Returns the state for torch.save. Call it between steps."""
        saved = {index: _saved(compression) for index, compression in self._buckets.items()}
        return {"spec": self.spec, "seed": self.seed, "buckets": {**self._saved, **saved}}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues from a saved state. A bucket whose size has changed starts without state. A new rank loads the
        state of any other: it takes the part that all ranks share, and error feedback starts with nothing held back.

        Raises:
            ValueError: the state has another spec or seed.
        """
        for name, own in (("spec", self.spec), ("seed", self.seed)):
            if state[name] != own:
                raise ValueError(f"the saved compression has the {name} {state[name]}, not {own}")
        self._buckets, self._saved = {}, dict(state["buckets"])

    def settled(self, bucket: GradBucket) -> bool:
        """Whether this is not the first step."""
        settled = self._settled
        self._settled = settled or bucket.is_last()
        return settled

    def mean(self, index: int, gradient: Tensor) -> None:
        """Replaces a bucket's gradient, shape (d,), by the mean of all ranks'. Runs as a call of the group."""
        vector = gradient if gradient.dtype in (torch.float32, torch.float64) else gradient.float()
        array = as_array(vector)
        refuse_non_finite_floats(array)
        compression = self._buckets.get(index)
        if compression is None or compression.elements != len(vector):
            compression = Compression(self.spec, _Channels(self.group), len(vector), seed=seed_of(self.seed, index))
            saved = self._saved.pop(index, None)
            if saved is not None and saved["elements"] == len(vector):
                _restore(compression, saved)
            # Otherwise ranks might add up different elements.
            self.group.communicator.barrier(
                f"gradients by {self.spec}, seed {self.seed}, after {compression.step} steps"
            )
            self._buckets[index] = compression
        total = compression.aggregate(array[np.newaxis], rate=self.rate).total
        self.group.check_all()
        # Divided before it is rounded: a float16 may have room for the mean alone.
        gradient.copy_(torch.from_numpy(total) / self.group.size())


def seed_of(seed: int, bucket: int) -> int:
    """Returns the seed of one of DDP's buckets, so that no two buckets draw the same numbers."""
    return int(stream(seed, "bucket", bucket).integers(2**63))


def compress_hook(state: Compressed, bucket: GradBucket) -> Future[Tensor]:
    """DDP's communication hook: sends compressed gradients. Those of the first step are sent in full, because DDP forms
    its buckets again after it.

    A gradient that is not finite is an error on all ranks.
    """
    gradient = bucket.buffer()
    if state.settled(bucket):
        stage = Staging()
        mean = partial(state.mean, bucket.index(), stage.update(gradient))
        call = profiled("compressed all_reduce", [gradient], stage.around(mean))
        work = state.group.line.add(call, [gradient], stage.memory)
    else:
        opts = AllreduceOptions()
        opts.reduceOp = ReduceOp(ReduceOp.AVG)
        work = state.group.allreduce([gradient], opts)
    return work.get_future().then(lambda done: done.value()[0])


class _Channels:
    """The collectives of the current channel: a bucket may use another one in each step."""

    def __init__(self, group: Group) -> None:
        self._group, self.rank, self.size = group, group.rank(), group.size()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._group.communicator, name)


def _saved(compression: Compression) -> dict[str, Any]:
    """The state as bytes, because by default torch.load refuses numpy arrays."""
    file = BytesIO()
    state: dict[str, Any] = dict(compression.state())
    np.savez(file, **state)
    return {"elements": compression.elements, "state": torch.frombuffer(file.getbuffer(), dtype=torch.uint8)}


def _restore(compression: Compression, saved: Mapping[str, Any]) -> None:
    with np.load(BytesIO(saved["state"].numpy().tobytes())) as state:
        own = state["ranks"].tolist() == list(compression.ranks)
        compression.restore({name: state[name] for name in (state if own else compression.state(shared=True))})
