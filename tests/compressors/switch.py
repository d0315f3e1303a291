"""Workers in this process whose collectives use the compiled switch program."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Operation, Scaled
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.wire import MAX_PAYLOAD, Width, block_for
from dropzero.protocol.wire import Operation as Combination
from dropzero.worker.bits import ordered
from dropzero.worker.caller import Shards
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

    def all_reduce_scaled(self, rows: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        form = next(form for form in Width if form.bits == width)
        result = self._packets(rows, width=form, block=block, few_bits=few_bits, scaled=True)
        elements, blocks = rows.shape[1], -(-rows.shape[1] // block)
        return result[:elements], result[elements:].view(np.uint8)[:blocks]

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        words = np.ascontiguousarray(rows).reshape(self.size, -1).view(np.int32)
        everything, length = np.zeros((self.size, *words.shape), np.int32), words.shape[1]
        everything[range(self.size), range(self.size)] = words
        own = everything.reshape(self.size, -1)
        shards = Shards(tuple(rank * length for rank in range(self.size + 1)), gathered=True)
        options: dict[str, Any] = {"block": block_for(length), "sharded": True}
        small = Call.of(own[0], **options).signature.small
        wanted = None if small else [shards.wanted(rank, self.ranks) for rank in self.ranks]
        results = self._results(own, wanted=wanted, **options)
        for rank, result in enumerate(results):
            # What a worker does not need, the switch need not send.
            result[shards.of(rank)] = words[rank]
            np.testing.assert_array_equal(result, words.reshape(-1))
        return rows

    def _packets(self, rows: NDArray[Any], **options: Any) -> NDArray[Any]:
        results = self._results(rows, **options)
        for result in results[1:]:
            np.testing.assert_array_equal(result, results[0])
        return results[0]

    def _results(self, rows: NDArray[Any], **options: Any) -> list[NDArray[Any]]:
        self.calls += 1
        return all_reduce(self.workers, self.fabric, list(rows), trouble=self.trouble, seed=self.calls, **options)
