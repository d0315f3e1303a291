"""Workers in this process whose collectives use the compiled switch program."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Operation
from dropzero.protocol.wire import MAX_PAYLOAD, Width, block_for
from dropzero.protocol.wire import Operation as Combination
from dropzero.worker.bits import ordered
from tests.support.in_process import rack
from tests.support.network import all_reduce, members


class Switch(InProcessNetwork):
    """Like an InProcessNetwork, but with packets. trouble: the probability that a packet is lost, and that it is
    duplicated.

    The workers make the same calls as a Communicator.
    """

    def __init__(self, size: int, lanes: int, trouble: float) -> None:
        super().__init__(size, lanes=lanes)
        self.calls = 0
        self.workers, self.fabric, self.trouble = members(size, lanes), rack(size, lanes, MAX_PAYLOAD), trouble

    @property
    def statistics(self) -> dict[str, int]:
        counts = [worker.statistics for worker in self.workers]
        return {name: sum(count[name] for count in counts) for name in counts[0]}

    def all_reduce(
        self,
        rows: NDArray[Any],
        /,
        *,
        operation: Operation = "sum",
        block: int = 32,
        width: int = 32,
        few_bits: bool = False,
    ) -> NDArray[Any]:
        if operation == "sum":
            form = next(form for form in Width if form.bits == width)
            return self._packets(rows, width=form, block=block, few_bits=few_bits)
        keys = ordered(rows.view(np.int32))
        return ordered(self._packets(keys, operation=Combination.MAX, block=block)).view(np.float32)

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        everything = np.zeros((self.size, *rows.shape), np.int32)
        everything[np.arange(self.size), np.arange(self.size)] = rows.view(np.int32)
        everything, block = everything.reshape(self.size, -1), block_for(rows[0].size)
        return self._packets(everything, block=block).reshape(rows.shape).view(rows.dtype)

    def _packets(self, rows: NDArray[Any], **options: Any) -> NDArray[Any]:
        self.calls += 1
        results = all_reduce(self.workers, self.fabric, list(rows), trouble=self.trouble, seed=self.calls, **options)
        for result in results[1:]:
            np.testing.assert_array_equal(result, results[0])
        return results[0]
