"""What compression needs of a network: sums, maxima and everybody's arrays."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.wire import Width, block_sizes

Operation = Literal["sum", "mean", "max", "min"]


class Network(Protocol):
    """One worker's place in a job: dropzero's Communicator. Arrays are float32 or int32."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def statistics(self) -> Mapping[str, int]: ...
    @property
    def left_out(self) -> bool: ...
    def all_reduce(
        self,
        array: NDArray[Any],
        /,
        *,
        operation: Operation = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
    ) -> NDArray[Any]: ...
    def all_gather(self, array: NDArray[Any], /) -> NDArray[Any]: ...


class Group(Protocol):
    """The workers that this process hosts, and the sums over all workers: an Ensemble, or Alone.

    `ranks`: of the hosted workers, k of them; `size`: of the job. Arrays have a row for each hosted worker, (k, ...).
    `seconds`: a clock, of which only differences mean something. `left_out`: the last sum lacks what this process gave,
    which came too late for it.
    """

    @property
    def ranks(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def left_out(self) -> bool: ...
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
        """(k, d) to (d,): the combination over all workers."""

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        """(k, d) to (size, d): every worker's row, bit for bit."""


class Alone:
    """A process that hosts one worker."""

    def __init__(self, network: Network) -> None:
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
    def left_out(self) -> bool:
        return self._network.left_out

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
        return self._network.all_reduce(rows[0], operation=operation, block=block, width=width, few_bits=few_bits)

    def all_gather(self, rows: NDArray[Any], /) -> NDArray[Any]:
        return self._network.all_gather(rows[0])


def largest(rows: NDArray[np.float32], group: Group) -> NDArray[np.float32]:
    """The maxima over all workers of a few numbers >= 0: (k, m) to (m,)."""
    return group.all_reduce(rows, operation="max")


def wire_block(block: int, width: int) -> int:
    """The block size, in elements, to send blocks of so many elements with: their own where packets carry that, else
    the smallest there is at that width."""
    form = next(form for form in Width if form.bits == width)
    return block if block in block_sizes(form) else block_sizes(form)[0]
