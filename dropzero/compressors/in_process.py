"""Runs all workers of a job in one process, without packets. Sums equal the switch's to the last bit; formulas give the
traffic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.network import Operation, Scaled
from dropzero.compressors.traffic import at_once, traffic
from dropzero.native.compilation import compiled
from dropzero.protocol.lanes.lanes import is_steady
from dropzero.protocol.tensor.fixedpoint import biased_exponent, dequantize, magnitude_bits, quantize
from dropzero.protocol.wire import NOT_FINITE, Width, block_for, blocks_per_packet


class InProcessNetwork:
    """The network of n workers. Each collective takes one row per worker, shape (n, d), float32 or int32, and returns
    what each worker gets.

    Args:
        size: n, at least 1.
        lanes: packets that a worker may have in flight.
        rate: of every link in each direction, bit/s; for `seconds`.
        latency: of a round, in seconds; for `seconds`.

    Attributes:
        seconds: the estimated time of the collectives so far: for each, the rounds of its longest lane times the
            latency, plus the bytes of the busiest link direction at its rate.
        contributors: always all ranks: no worker is ever late.
    """

    def __init__(self, size: int, *, lanes: int = 16, rate: float = 50e6, latency: float = 1e-3) -> None:
        if size < 1:
            raise ValueError(f"there must be at least 1 worker, not {size}")
        self.size, self.lanes, self.rate, self.latency = size, lanes, rate, latency
        self.ranks = self.members = self.contributors = tuple(range(size))
        self.seconds = 0.0
        self._totals = np.zeros(4, np.int64)
        # By kind, the exponents of the last call and of the one before.
        self._agreed: dict[tuple[object, ...], tuple[NDArray[np.int16], NDArray[np.int16] | None]] = {}

    @property
    def statistics(self) -> dict[str, int]:
        """All workers' counts together, by the Communicator's names."""
        names = ("packets_sent", "packets_received", "bytes_sent", "bytes_received")
        counts = dict(zip(names, self._totals.tolist(), strict=True))
        return counts | {"retransmissions": 0, "queries": 0, "congested": 0, "window": self.lanes}

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
        """Reduces rows, (n, d) to (d,), as Communicator.all_reduce does. Raises ValueError as that does."""
        self._check(rows)
        form = next((form for form in Width if form.bits == width), None)
        if form is None:
            raise ValueError(f"elements take 32, 16 or 8 bits, not {width}")
        extreme = operation in ("max", "min")
        held, wire = _held(rows, block), Width.BITS_32 if extreme else form
        scaled = rows.dtype == np.float32 and not extreme and at_once(held.shape[1], block, wire, self.lanes)
        exponents = common_exponents(rows, block) if scaled else None
        self._count(held, block, wire, (operation, rows.dtype, rows.shape[1], width), extreme, exponents)
        if extreme:
            extremes: NDArray[Any] = (np.maximum if operation == "max" else np.minimum).reduce(rows)
            return extremes
        total: NDArray[Any]
        if rows.dtype == np.int32 and operation == "mean":
            sums = rows.sum(axis=0, dtype=np.int64)
            mean: NDArray[Any] = np.trunc(sums / self.size).astype(np.int32)
            return mean
        if rows.dtype == np.int32:
            total = rows.sum(axis=0, dtype=np.int32)
        else:
            total = np.empty(rows.shape[1], np.float32)
            integers, sums = np.empty((2, block), np.int64)
            bad = _add(rows, block, magnitude_bits(width, self.size, few_bits), integers, sums, total)
            if bad >= 0:
                raise ValueError(f"block {bad} (elements {bad * block} to {(bad + 1) * block - 1}) is not finite")
        return total if operation == "sum" else (total / self.size).astype(rows.dtype)

    def all_reduce_scaled(self, rows: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        """Sums rows, (n, d) to (d,), and finds the exponents, as Communicator.all_reduce_scaled does."""
        return self.all_reduce(rows, block=block, width=width, few_bits=few_bits), common_exponents(rows, block)

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        """Returns the rows, (n, ...), as they are."""
        self._check(rows)
        words = np.ascontiguousarray(rows).reshape(self.size, -1).view(np.int32)
        block = block_for(words[0].size)
        starts = np.arange(0, words.size, block)
        held = np.zeros((self.size, len(starts)), bool)
        wanted = np.ones_like(held)
        for rank, row in enumerate(words):
            # Rows follow each other: both of two rows hold a block that they share.
            first, end = rank * len(row), (rank + 1) * len(row)
            held[rank, (first + np.flatnonzero(row)) // block] = True
            wanted[rank] = (starts < first) | (np.minimum(starts + block, words.size) > end)
        self._count(held, block, Width.BITS_32, ("sum", np.dtype(np.int32), rows.size, 32), wanted=wanted)
        return rows

    def broadcast(self, rows: NDArray[Any], root: int = 0) -> NDArray[Any]:
        """Returns row `root`."""
        self._check(rows)
        words = np.ascontiguousarray(rows).reshape(self.size, -1).view(np.int32)
        held = _held(words, block := block_for(words[0].size))
        held[np.arange(self.size) != root] = False
        wanted = np.ones_like(held)
        wanted[root] = False
        self._count(held, block, Width.BITS_32, ("sum", np.dtype(np.int32), rows[0].size, 32), wanted=wanted)
        chosen: NDArray[Any] = rows[root]
        return chosen

    def _check(self, rows: NDArray[Any]) -> None:
        if len(rows) != self.size or rows.dtype not in (np.float32, np.int32):
            raise ValueError(
                f"{self.size} workers need {self.size} rows of float32 or int32, not {rows.shape} {rows.dtype}"
            )

    def _count(
        self,
        held: NDArray[np.bool_],
        block: int,
        width: Width,
        kind: tuple[object, ...],
        send_all: bool = False,
        exponents: NDArray[np.uint8] | None = None,
        wanted: NDArray[np.bool_] | None = None,
    ) -> None:
        """Counts a collective's traffic.

        Args:
            kind: the kind of call; a repeated one may send its data in the first round.
            exponents: of the blocks, shape (nb,); None if they do not matter.
            held, send_all, wanted: see `traffic`.
        """
        early, kind = None, (*kind, block)
        if at_once(held.shape[1], block, width, self.lanes):
            new = np.logical_or.reduce(held).astype(np.int16)
            if exponents is not None:
                new *= 1 + exponents.astype(np.int16)
            small = at_once(held.shape[1], block, width)
            last, before = self._agreed.get(kind, (np.full_like(new, small and exponents is None), None))
            if small or is_steady(last, before):
                early = last != 0, (last != 0) & ((new == last) | (new == 0))
            self._agreed[kind] = new, last if kind in self._agreed else None
        if held.shape[1] <= blocks_per_packet(block, width):
            # All get a call of one packet.
            wanted = None
        cost = traffic(held, block, width, self.lanes, send_all, early, wanted)
        packets = cost.packets * self.size
        self._totals += packets, packets, int(cost.sent.sum()), int(cost.received.sum())
        busiest = max(int(cost.sent.max()), int(cost.received.max()))
        self.seconds += cost.rounds * self.latency + 8 * busiest / self.rate


def _held(rows: NDArray[Any], block: int) -> NDArray[np.bool_]:
    """Which blocks are non-zero, shape (n, nb)."""
    starts = np.arange(0, rows.shape[1], block)
    if not len(starts):
        return np.zeros((len(rows), 0), bool)
    held: NDArray[np.bool_] = np.logical_or.reduceat(rows != 0, starts, axis=1)
    return held


def common_exponents(rows: NDArray[np.float32], block: int) -> NDArray[np.uint8]:
    """The exponents of the largest elements of all rows, shape (nb,), biased as in
    dropzero.protocol.tensor.fixedpoint."""
    starts = np.arange(0, rows.shape[1], block)
    patterns = (np.ascontiguousarray(rows).view(np.uint32) & np.uint32(0x7FFFFFFF)).max(axis=0)
    largest = np.maximum.reduceat(patterns, starts) if len(starts) else patterns
    return (largest >> 23).astype(np.uint8)


@compiled
def _add(
    rows: NDArray[np.float32],
    block: int,
    bits: int,
    integers: NDArray[np.int64],
    sums: NDArray[np.int64],
    total: NDArray[np.float32],
) -> int:
    """Writes the fixed-point sum to `total`. Returns the first block that is not finite, or -1. integers, sums: memory
    for a block."""
    for start in range(0, len(total), block):
        end = min(start + block, len(total))
        exponent = 0
        for row in rows:
            exponent = max(exponent, biased_exponent(row[start:end].view(np.uint32)))
        if exponent == NOT_FINITE:
            return start // block
        sums[:] = 0
        for row in rows:
            quantize(row[start:end], exponent, bits, integers[: end - start])
            for i in range(end - start):
                sums[i] += integers[i]
        dequantize(sums[: end - start], exponent, bits, total[start:end])
    return -1
