"""Compressed gradients for FSDP2: module.set_custom_reduce_scatter(CompressedReduceScatter("none+fixed8+ef"))."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.distributed import ReduceOp, Work

from dropzero.compressors.in_process import common_exponents
from dropzero.compressors.memory import ErrorFeedback, Memory
from dropzero.compressors.network import Scaled
from dropzero.compressors.quantizers import FixedPoint
from dropzero.compressors.rules import Parameter
from dropzero.compressors.schedule import Schedule
from dropzero.compressors.sparsifiers import Everything, Threshold, TopK
from dropzero.compressors.spec import Spec, SpecError
from dropzero.torch.compression import Bucket, Channels
from dropzero.torch.process_group import Group
from dropzero.torch.profiling import profiled
from dropzero.torch.rules import Way, way
from dropzero.torch.staging import Staging, as_array

LOCAL: set[type] = {Everything, TopK, Threshold, Memory, ErrorFeedback, FixedPoint, Schedule}
"""The parts of a spec that need of a sum only the own shard."""


class CompressedReduceScatter:
    """A reduce-scatter for FSDP2's `set_custom_reduce_scatter`: compresses one module's gradients.

    Each module needs its own, with the same spec on all ranks: error feedback holds back a gradient as large as the
    whole module's, on each rank.

    Args:
        spec: `none`, `topk` or `threshold`, with `fixed16` or `fixed8`, and `ef` or not: see docs/compression.md.

    Raises:
        SpecError: the spec is wrong, or needs the whole sum on each rank.
    """

    def __init__(self, spec: str = "none+fixed8+ef") -> None:
        parsed = Spec.parse(spec)
        parts = parsed.sparsifier, parsed.memory, parsed.quantizer, parsed.schedule
        if unfit := [type(each).__name__ for each in parts if type(each) not in LOCAL]:
            raise SpecError(
                f"{spec} cannot compress shards: {', '.join(unfit)} may need the whole sum on each rank. Use none, "
                "topk or threshold, with ef or without, and fixed16 or fixed8"
            )
        self.spec = str(parsed)
        self._bucket: Bucket | None = None
        self._saved: Tensor | None = None

    def allocate(self, size: Any, *, dtype: torch.dtype, device: torch.device) -> Tensor:
        """Returns memory for a gradient or a shard."""
        return torch.empty(*size, dtype=dtype, device=device)

    def __call__(
        self, output_tensor: Tensor, input_tensor: Tensor, group: Any, op: ReduceOp, async_op: bool = False
    ) -> Work | None:
        """Writes this rank's shard of the sum or mean, shape (d / ranks,), of the ranks' gradients, shape (d,).

        Raises:
            TypeError: the group has another backend, or the operation is neither sum nor mean.
            ValueError: it has compressed a gradient of another size, of another module.
        """
        if not isinstance(group, Group):
            raise TypeError("compressed gradients need a process group of the backend dropzero")
        how = way(ReduceOp(op), input_tensor.dtype)
        if how.operation not in ("sum", "mean"):
            raise TypeError(f"compressed gradients are added up, and have no {how.op.name}")
        stage = Staging()
        shard, gradient = stage.write(output_tensor), stage.read(input_tensor)
        call = profiled(
            "compressed reduce_scatter",
            [input_tensor],
            stage.around(partial(self._scatter, shard, gradient, group, how)),
        )
        work = group.line.add(call, [output_tensor], stage.memory)
        if async_op:
            return work
        work.wait()
        return None

    def state_dict(self) -> dict[str, Any]:
        """Returns this rank's state for torch.save: what error feedback holds back. Call it between steps."""
        return {"spec": self.spec, "state": self._saved if self._bucket is None else self._bucket.state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues from this rank's saved state. Raises ValueError if it has another spec, or is not a state."""
        if missing := self.state_dict().keys() - state.keys():
            raise ValueError(f"this is not the state of a CompressedReduceScatter: it has no {min(missing)}")
        if state["spec"] != self.spec:
            raise ValueError(f"the saved compression has the spec {state['spec']}, not {self.spec}")
        self._bucket, self._saved = None, state["state"]

    def _scatter(self, shard: Tensor, gradient: Tensor, group: Group, how: Way) -> None:
        array = as_array(gradient.float().reshape(-1))
        bucket = self._bucket or Bucket([Parameter("gradient", array.shape)], 0, self._saved)
        if (known := bucket.parameters[0].shape) != array.shape:
            raise ValueError(
                f"this CompressedReduceScatter compresses a gradient of {known[0]} elements, not {len(array)}: each "
                "module needs its own"
            )
        compression = bucket.compression or bucket.begin(self.spec, Scattering(group), f"shards by {self.spec}")
        self._bucket = bucket
        total = compression.aggregate(array[np.newaxis]).total
        group.check_all()
        part = torch.from_numpy(total[own(group, total)]) / (group.size() if how.operation == "mean" else 1)
        shard.copy_((part if how.factor is None else part * how.factor).view_as(shard))


class Scattering(Channels):
    """The collectives of the current channel. A sum is zero outside of the rank's own shard."""

    def all_reduce(self, array: NDArray[Any], /, **options: Any) -> NDArray[Any]:
        total, counts = np.zeros_like(array), [len(array) // self.size] * self.size
        total[own(self.group, array)] = self.group.communicator.reduce_scatter(array, counts=counts, **options)
        return total

    def all_reduce_scaled(self, array: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        # A shard has the exponents of its own blocks alone, but this rank rounds all blocks.
        largest = common_exponents(array[np.newaxis], block).astype(np.int32)
        largest = self.group.communicator.all_reduce(largest, operation="max")
        return self.all_reduce(array, block=block, width=width, few_bits=few_bits), largest.astype(np.uint8)


def own(group: Group, array: NDArray[Any]) -> slice:
    """This rank's shard."""
    length = len(array) // group.size()
    return slice(length * group.rank(), length * (group.rank() + 1))
