"""An all-reduce over several switches at once, each with a share of the tensor, as OmniReduce shards its aggregators
[OmniReduce]."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.errors import ProtocolError
from dropzero.protocol.tensor.shards import shards
from dropzero.worker.communicator import Communicator, wait_all

N = TypeVar("N", bound=NDArray[Any])


class Rails(AbstractContextManager["Rails"]):
    """A worker's connections to several switches.

    Args:
        networks: one for each switch and controller, in the same order on all workers, and with this worker's rank.

    Raises:
        ValueError: there is none, or the ranks differ.
    """

    def __init__(self, networks: Sequence[Communicator]) -> None:
        if len({(each.rank, each.size) for each in networks}) != 1:
            raise ValueError("a worker has one rank on all rails: give it to connect")
        self.networks = networks

    def all_reduce(self, array: N, **options: Any) -> N:
        """Adds up an array over all workers; options: see Communicator.all_reduce.

        Raises:
            ProtocolError: a rail has lost workers that others have: the shares are sums of different workers. This
                comes to all workers.
            Exceptions of Communicator.all_reduce, by any rail.
        """
        flat = array.reshape(-1)
        total = np.empty_like(flat)
        # An array of no elements is a call, too: workers that pass another length get an error.
        cut = [shard for shard in shards(len(flat), len(self.networks)) if shard.start < shard.stop] or [slice(0, 0)]
        used = self.networks[: len(cut)]
        calls = [each.all_reduce_async(flat[shard], **options) for each, shard in zip(used, cut, strict=True)]
        for shard, part in zip(cut, wait_all(calls), strict=True):
            total[shard] = part
        if len({each.contributors for each in used}) > 1:
            raise ProtocolError("the rails have lost different workers")
        return cast(N, total.reshape(array.shape))

    def close(self) -> None:
        """Leaves the jobs on all rails."""
        with ExitStack() as stack:
            for each in self.networks:
                stack.callback(each.close)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with ExitStack() as stack:
            for each in self.networks:
                stack.push(each.__exit__)
