"""Workers in this process, whose sums also pass through racks in virtual time, packet by packet: the seconds are those
of the switch program on links of any rate, delay and loss, and no noise of this machine is in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Options
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.wire import Operation, Width, block_for
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.network import Network, SimulationError
from dropzero.simulator.tree import Shape
from dropzero.softswitch.engine.wire import SECOND
from dropzero.worker.bits import ordered
from dropzero.worker.caller import Shards

COST = 2000
"""Nanoseconds that a host takes for a packet."""
LIMIT = 1e6
"""Seconds of virtual time that all calls together may take."""
_EXTREMES = {"max": Operation.MAX, "min": Operation.MIN}


class VirtualNetwork(InProcessNetwork):
    """The network of n workers, as on racks in virtual time.

    Args:
        size: n, at least 1.
        qualities: of the links of each rack. All racks make the same calls; `seconds` is the time on the first.
        lanes: packets that a worker may have in flight.
        seed: of the losses.
    """

    def __init__(self, size: int, qualities: Sequence[Quality], *, lanes: int = 16, seed: int = 0) -> None:
        super().__init__(size, lanes=lanes)
        shape = Shape({"switch": None}, ["switch"] * size)
        self._racks = [Network(shape, quality, lanes=lanes, cost=COST, seed=seed) for quality in qualities]
        self._calls = 0

    @property
    def times(self) -> list[float]:
        """Seconds on each rack."""
        return [max(each.seconds, int(each.state.hosts["busy"].max()) / SECOND) for each in self._racks]

    def compute(self, seconds: float) -> None:
        """Lets all workers compute for that time."""
        for rack, now in zip(self._racks, self.times, strict=True):
            rack.rest(round((now + seconds) * SECOND))
        self.seconds = self.times[0]

    def change(self, rack: int, quality: Quality) -> None:
        """Gives the links of a rack, by its number, another quality."""
        self._racks[rack].set_quality(quality)

    def all_reduce(self, rows: NDArray[Any], /, **options: Unpack[Options]) -> NDArray[Any]:
        """As for InProcessNetwork. Raises ValueError for means, which compression does not use."""
        operation = options.get("operation", "sum")
        if operation == "mean":
            raise ValueError("there are no means in virtual time")
        total = super().all_reduce(rows, **options)
        words, expected = rows, total
        if operation in _EXTREMES and rows.dtype == np.float32:
            words, expected = (ordered(np.ascontiguousarray(each).view(np.int32)) for each in (rows, total))
        width = 32 if words.dtype == np.int32 else options.get("width", 32)
        self._call(
            words,
            expected,
            operation=_EXTREMES.get(operation, Operation.SUM),
            block=options.get("block", 32),
            width=next(form for form in Width if form.bits == width),
            few_bits=options.get("few_bits", False),
        )
        return total

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        """As for InProcessNetwork."""
        gathered = super().all_gather(rows)
        words = np.ascontiguousarray(rows).reshape(self.size, -1).view(np.int32)
        own, length = np.zeros((self.size, *words.shape), np.int32), words.shape[1]
        own[range(self.size), range(self.size)] = words
        shards = Shards(tuple(rank * length for rank in range(self.size + 1)), gathered=True)
        self._call(own.reshape(self.size, -1), words.reshape(-1), shards, block=block_for(length), sharded=True)
        return gathered

    def _call(self, rows: NDArray[Any], expected: NDArray[Any], shards: Shards | None = None, **options: Any) -> None:
        """Sends the packets of a call with a row for each worker. shards: of an all-gather."""
        call, sources = Call.of(rows[0], self._calls, **options), [Source.of(row) for row in rows]
        wanted = [shards.wanted(rank, self.ranks) for rank in self.ranks] if shards and not call.signature.small else ()
        self._calls += 1
        for rack in self._racks:
            targets = [Target.new(rows.shape[1]) for _ in rows]
            rack.begin(0, [call] * self.size, sources, targets, wanted=wanted)
            rack.go_on(LIMIT, lambda: None)
            if shards:
                for rank, (target, source) in enumerate(zip(targets, sources, strict=True)):
                    target.fill(source, shards.of(rank))
            if any(not np.array_equal(each.patterns.view(rows.dtype), expected) for each in targets):
                raise SimulationError(f"a sum on a rack in virtual time differs from that in process: {call}")
        self.seconds = self.times[0]
