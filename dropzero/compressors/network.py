"""The collectives that compression uses: sums, maxima and all-gather."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.wire import Width, block_sizes

Operation = Literal["sum", "mean", "max", "min"]
Scaled = tuple[NDArray[np.float32], NDArray[np.uint8]]
"""A sum, shape (d,), and the biased exponents of its blocks, shape (nb,)."""


class Options(TypedDict, total=False):
    """Options of an all_reduce, as for Communicator.all_reduce."""

    operation: Operation
    block: int
    width: int
    few_bits: bool


class Collectives(Protocol):
    """The methods of dropzero's Communicator that compression uses. Arrays are float32 or int32."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def statistics(self) -> Mapping[str, int]: ...
    @property
    def contributors(self) -> tuple[int, ...]: ...
    def all_reduce(self, array: NDArray[Any], /, **options: Unpack[Options]) -> NDArray[Any]: ...
    def all_reduce_scaled(self, array: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled: ...
    def all_gather(self, array: NDArray[Any], /) -> NDArray[Any]: ...


class Group(Protocol):
    """The workers that this process hosts, and their collectives: a SingleWorker, or an InProcessNetwork.

    Arrays have a row for each of the k hosted workers, (k, ...).

    Attributes:
        ranks: those of the hosted workers.
        size: the number of workers in the job.
        seconds: a clock with an arbitrary origin.
        contributors: the ranks whose rows are in the last collective's result, the same on all workers; the others were
            late or are gone.
    """

    @property
    def ranks(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def contributors(self) -> tuple[int, ...]: ...
    def all_reduce(self, rows: NDArray[Any], /, **options: Unpack[Options]) -> NDArray[Any]:
        """Reduces over all workers, (k, d) to (d,), in blocks of 32 by default."""

    def all_reduce_scaled(self, rows: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        """Sums over all workers, (k, d) to (d,), and returns the exponents, too; see Communicator.all_reduce_scaled."""

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        """Gathers all workers' rows, (k, d) to (size, d), bit for bit."""


class SingleWorker:
    """A process that hosts one worker."""

    def __init__(self, network: Collectives) -> None:
        self._network = network

    @property
    def ranks(self) -> tuple[int, ...]:
        return (self._network.rank,)

    @property
    def size(self) -> int:
        return self._network.size

    @property
    def seconds(self) -> float:
        return time.monotonic()

    @property
    def contributors(self) -> tuple[int, ...]:
        return self._network.contributors

    def all_reduce(self, rows: NDArray[Any], /, **options: Unpack[Options]) -> NDArray[Any]:
        options.setdefault("block", 32)
        return self._network.all_reduce(rows[0], **options)

    def all_reduce_scaled(self, rows: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        return self._network.all_reduce_scaled(rows[0], block=block, width=width, few_bits=few_bits)

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        return self._network.all_gather(rows[0])


def largest(rows: NDArray[np.float32], group: Group) -> NDArray[np.float32]:
    """The maxima over all workers of a few numbers >= 0, (k, m) to (m,)."""
    return group.all_reduce(rows, operation="max")


def wire_block(block: int, width: int) -> int:
    """The block size on the wire for blocks of `block` elements: the same if packets support it, else the smallest one
    of this width."""
    form = next(form for form in Width if form.bits == width)
    return block if block in block_sizes(form) else block_sizes(form)[0]
