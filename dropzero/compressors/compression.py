"""Compressed sums: applies sparsifier, memory, quantizer and schedule for the workers that a process hosts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from dropzero.compressors.constants import contraction, variance
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Collectives, Group, SingleWorker
from dropzero.compressors.part import Part
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.spec import Spec, SpecError
from dropzero.compressors.vectors import Floats, Rows, stacked
from dropzero.streams import stream

GROWN = 1e3
"""A run whose gradients are this many times as large as its first ones diverges."""
SAMPLE = 1 << 18
"""Elements that the check for this looks at: a pass over all would slow down sums of large vectors."""

Workers = Collectives | InProcessNetwork
"""One worker with a Communicator, or all workers in this process."""


def group_of(network: Workers) -> Group:
    """The workers that this process hosts."""
    return network if isinstance(network, InProcessNetwork) else SingleWorker(network)


class DivergenceWarning(RuntimeWarning):
    """The gradients of a run grow without bound."""


@dataclass(frozen=True)
class Aggregate:
    """A sum over all workers."""

    total: Floats
    """The sum for the optimizer, shape (d,), of the contributions' dtype; the same bits on every worker."""
    sent: Rows
    """The local workers' decoded messages, shape (k, d), without the memory's part; zero if one was late."""
    largest: float
    """Magnitude of the largest integer in the local workers' messages; 0 with fixed point."""
    largest_sum: float
    """Magnitude of the largest integer in the switch's sum; 0 with fixed point."""


class Compression:
    """Sums vectors of `elements` elements, compressed by `spec`. All workers make the same sums in the same order.

    A process hosts one worker on a Communicator, or all workers on an InProcessNetwork; with the same seed, both give
    the same bits.

    `state` returns everything that the next sums depend on. A worker that enters a running job restores the part that
    all workers share, from any of them; its own memory begins at zero.

    Args:
        spec: see dropzero.compressors.spec.
        network: the workers.
        elements: d, the length of each vector.
        seed: of all random numbers. Those of a sum depend only on the seed, the step and the worker's rank, or are
            the same for all workers.

    Attributes:
        ranks: the ranks of the local workers.
        omega: for the messages, without memory: E Q(x) = x, sum_i E|Q(x_i) - x_i|^2 <= omega sum_i |x_i|^2 over the
            workers' vectors; None: biased, or no constant is known.
        delta: sum_i E|C(x_i) - x_i|^2 <= (1 - delta) sum_i |x_i|^2; 0: never expands; None: no constant is known.
        step: the number of sums so far.

    Raises:
        SpecError: the spec is wrong, or its parts do not fit each other or the number of workers.
    """

    def __init__(self, spec: str | Spec, network: Workers, elements: int, *, seed: int = 0) -> None:
        self.spec = Spec.parse(str(spec))
        self.spec.check(network.size)
        self.elements = elements
        self.memory = self.spec.memory
        self.step = 0
        self._ended: float | None = None
        self._first = 0.0
        self._warned = False
        self._group = group_of(network)
        self._seed = seed
        self.omega = variance(self.spec, elements, network.size)
        self.delta = contraction(self.spec, elements, network.size)
        try:
            self.memory.fit(self.omega, self.delta)
        except ValueError as error:
            raise SpecError(f"the memory of {self.spec} {error}") from None

    @staticmethod
    def rehearse(spec: str) -> None:
        """Makes a sum in process, to compile or load all code before other workers wait for it."""
        Compression(spec, InProcessNetwork(1), 256).aggregate(np.ones((1, 256), np.float32))

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._group.ranks

    def aggregate(self, contributions: NDArray[np.floating[Any]], *, rate: float = 1.0) -> Aggregate:
        """Sums all workers' vectors.

        Args:
            contributions: the local workers' vectors, shape (k, d), float32 or float64. Sparsifiers and fixed point
                work in float32.
            rate: the step size by which the sum will be multiplied, or a number proportional to it, if it changes
                between steps: error feedback applies what it held back with the step size of that time.

        Raises:
            ValueError: the shape or dtype is wrong, or the rate is not positive.
            FloatingPointError: an element is not finite; the message names it.

        Warns:
            DivergenceWarning: once, when the vectors are GROWN times as large as the first ones that were not zero.
        """
        expected = (len(self.ranks), self.elements)
        if contributions.shape != expected or contributions.dtype not in (np.float32, np.float64):
            found = f"{contributions.shape} {contributions.dtype}"
            raise ValueError(f"contributions must have shape {expected}, in float32 or float64, not {found}")
        if not 0 < rate < np.inf:
            raise ValueError(f"a rate must be a positive number, not {rate:g}")
        if self._ended is not None:
            self.spec.sparsifier.waited(self._group.seconds - self._ended)
        if not self.step:
            self.spec.sparsifier.calibrate(self.elements, self._probe, self._group)
        self._watch(contributions)
        compensated = self.memory.compensate(contributions, rate)
        sparsifier = self.spec.schedule.at(self.step, self.spec.sparsifier)
        vectors = compensated if sparsifier.wide else compensated.astype(np.float32, copy=False)
        # One stream per step: it needs no state, and differs between a worker and a later one of the same rank.
        draws = [stream(self._seed, "compressor", rank, self.step) for rank in self.ranks]
        patterns = zip(vectors, self._pattern_draws(sparsifier, draws), strict=True)
        rows = sparsifier.agree(stacked([sparsifier.compress(vector, draw) for vector, draw in patterns]), self._group)
        added = self.spec.quantizer.add(rows, sparsifier.block, self._group, draws, self.memory.exact)
        # A contribution that was late for the sum counts as not sent.
        late = [rank not in self._group.contributors for rank in self.ranks]
        sent = np.where(np.array(late)[:, None], np.float32(0), added.sent) if any(late) else added.sent
        total = added.total.astype(contributions.dtype, copy=False)
        total = self.memory.settle(compensated, sent, total, self._group)
        self.spec.quantizer.observe(total, self._group.size)
        self.step += 1
        self._ended = self._group.seconds
        return Aggregate(total, sent, added.largest, added.largest_sum)

    def state(self, *, shared: bool = False) -> dict[str, NDArray[Any]]:
        """Returns everything that the next sums depend on, as arrays by name, which must not be changed.

        shared: return only what is equal on all workers, for a worker that enters.
        """
        state = {"spec": np.array(str(self.spec)), "elements": np.array(self.elements), "step": np.array(self.step)}
        # As text, because a seed may have more bits than an array's integers.
        state["seed"] = np.array(str(self._seed))
        if not shared:
            state["ranks"] = np.array(self.ranks)
        for kind, part in self._parts():
            state |= {f"{kind}.{name}": value for name, value in part.state(shared).items()}
        return state

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """Continues from a result of `state`; ignores other names. With a shared state, this must not have made a sum
        before.

        Raises:
            ValueError: the state has another spec, number of elements or ranks, or lacks something.
        """
        given = {name: np.asarray(value) for name, value in state.items()}
        own = {"spec": str(self.spec), "elements": self.elements, "ranks": list(self.ranks)}
        for name in ("spec", "elements", "step", "seed"):
            if name not in given:
                raise ValueError(f"this is not the state of a compression: it has no {name}")
        for name, value in own.items():
            if name in given and given[name].tolist() != value:
                raise ValueError(f"the state is of {name} {given[name].tolist()}, not {value}")
        for kind, part in self._parts():
            part.restore({key.removeprefix(f"{kind}."): value for key, value in given.items() if key.startswith(kind)})
        self.step, self._seed = int(given["step"]), int(given["seed"].item())

    def _watch(self, contributions: NDArray[np.floating[Any]]) -> None:
        sample = contributions[:, :: 1 + self.elements // SAMPLE]
        norm = float(np.linalg.norm(sample.astype(np.float64)))
        # Vectors that are not finite are refused later.
        self._first = self._first or (norm if norm < np.inf else 0.0)
        if self._warned or not GROWN * self._first < norm < np.inf:
            return
        self._warned = True
        told = (
            f"this run diverges: in sum {self.step} gradients are {norm / self._first:.0e} times as large as at first"
        )
        if self.omega:
            slower = 1 + 6 * self.omega / self._group.size
            told += (
                f"; the omega of {self.spec} is {self.omega:.3g}: theory allows steps {slower:.3g} times as short as"
            )
            told += " without compression (more levels or smaller buckets lower omega)"
        warnings.warn(told, DivergenceWarning, stacklevel=3)

    def _probe(self, rows: Rows) -> None:
        """Adds up vectors for a measurement."""
        draws = [stream(self._seed, "probe", rank) for rank in self.ranks]
        self.spec.quantizer.add(rows, self.spec.sparsifier.block, self._group, draws, self.memory.exact)

    def _parts(self) -> tuple[tuple[str, Part], ...]:
        return ("sparsifier", self.spec.sparsifier), ("memory", self.memory), ("quantizer", self.spec.quantizer)

    def _pattern_draws(self, sparsifier: Sparsifier, draws: list[Generator]) -> list[Generator]:
        if sparsifier.shared:
            return [stream(self._seed, "blocks for all", self.step) for _ in self.ranks]
        return draws
