"""Compressed sums, for the workers that a process hosts: each rule has a pipeline of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dropzero.compressors.caution import caution, steps
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.memory import Memory
from dropzero.compressors.network import Collectives, Group, SingleWorker
from dropzero.compressors.pipeline import Measured, Pipeline
from dropzero.compressors.quantizers import Sum
from dropzero.compressors.rules import Parameter, Rules
from dropzero.compressors.spec import Spec, SpecError
from dropzero.compressors.vectors import Floats, Rows, first_non_finite, refuse_non_finite_floats
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


class CompressionWarning(RuntimeWarning):
    """A compression may not train as well as none with the same steps."""


class DivergenceWarning(CompressionWarning):
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
    """Sums vectors, compressed by `spec`. All workers make the same sums in the same order.

    A process hosts one worker on a Communicator, or all workers on an InProcessNetwork; with the same seed, both give
    the same bits.

    `state` returns everything that the next sums depend on. A worker that enters a running job restores the part that
    all workers share, from any of them; its own memory begins at zero.

    Args:
        spec: a spec, or rules for a model's parameters: see dropzero.compressors.spec and rules.
        network: the workers.
        elements: d, the length of each vector; or the parameters that it consists of, in order.
        seed: of all random numbers. Those of a sum depend only on the seed, the step and the worker's rank, or are
            the same for all workers.

    Attributes:
        elements: d.
        ranks: the ranks of the local workers.
        spec: the one for parameters without a rule.
        omega: for the messages, without memory: E Q(x) = x, sum_i E|Q(x_i) - x_i|^2 <= omega sum_i |x_i|^2 over the
            workers' vectors; None: biased, or no constant is known.
        delta: sum_i E|C(x_i) - x_i|^2 <= (1 - delta) sum_i |x_i|^2; 0: never expands; None: no constant is known.
        step: the number of sums so far.

    Raises:
        SpecError: the spec is wrong, its parts do not fit each other or the number of workers, or a rule names no
            parameter.

    Warns:
        CompressionWarning: theory says that it may not train as well as none with the same steps; see
            dropzero.compressors.caution.
    """

    def __init__(
        self, spec: str | Spec, network: Workers, elements: int | Sequence[Parameter], *, seed: int = 0
    ) -> None:
        self.rules = Rules.parse(str(spec))
        known = isinstance(elements, Sequence)
        parameters = list(elements) if isinstance(elements, Sequence) else [Parameter("vector", (elements,))]
        if self.rules.rules and not known:
            raise SpecError(f"{self.rules} needs the names and shapes of the parameters, not only their number")
        self.rules.check(network.size)
        self.rules.check_names(parameters)
        self._parameters = parameters if known else []
        self.elements = sum(each.elements for each in parameters)
        self.step = 0
        self._first = 0.0
        self._warned = False
        self._network, self._group = network, group_of(network)
        self._seed = seed
        self._pipelines: list[Pipeline] = []
        self._places: list[list[slice]] = []
        """The places of each pipeline's parameters in the vector."""
        ends = np.cumsum([each.elements for each in parameters]).tolist()
        slices = [slice(end - each.elements, end) for each, end in zip(parameters, ends, strict=True)]
        own = list(zip(parameters, slices, self.rules.places(parameters), strict=True))
        for index, each in enumerate(self.rules.specs):
            mine = [(parameter, place) for parameter, place, at in own if at == index and parameter.elements]
            if mine or not (index or self.elements):
                self._pipelines.append(Pipeline(each, self._group, [parameter for parameter, _ in mine], known))
                self._places.append([place for _, place in mine])
        self._sent = [0] * len(self._pipelines)
        omegas, deltas = ([getattr(each, name) for each in self._pipelines] for name in ("omega", "delta"))
        self.omega: float | None = None if None in omegas else max(omegas)
        self.delta: float | None = None if None in deltas else min(deltas)
        for pipeline in self._pipelines:
            if words := caution(pipeline.spec, pipeline.omega, pipeline.delta, pipeline.elements, network.size):
                warnings.warn(words, CompressionWarning, stacklevel=2)

    @staticmethod
    def rehearse(spec: str) -> None:
        """Makes sums in process, to compile or load all code before other workers wait for it."""
        with warnings.catch_warnings():
            # They are about this tensor.
            warnings.simplefilter("ignore", CompressionWarning)
            for each in Rules.parse(spec).specs:
                Compression(each, InProcessNetwork(1), [Parameter("matrix", (16, 16))]).aggregate(
                    np.ones((1, 256), np.float32)
                )

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._group.ranks

    @property
    def spec(self) -> Spec:
        return self.rules.default

    @property
    def memory(self) -> Memory:
        return self.spec.memory

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
        self._watch(contributions)
        # A pipeline's error leaves it as it was, but not those before it.
        before = [each.state() for each in self._pipelines[:-1]]
        try:
            aggregate = self._aggregate(contributions, rate)
        except BaseException as error:
            for pipeline, state in zip(self._pipelines, before, strict=False):
                pipeline.restore(state)
            if isinstance(error, FloatingPointError):
                for row in contributions:
                    refuse_non_finite_parameters(row, self._parameters)
            raise
        self.step += 1
        return aggregate

    def report(self) -> list[Measured]:
        """What the last sum did to each parameter. Its error is not a number before the first sum."""
        found = [each for one, sent in zip(self._pipelines, self._sent, strict=True) for each in one.report(sent)]
        order = {each.name: place for place, each in enumerate(self._parameters)}
        return sorted(found, key=lambda each: order.get(each.name, 0))

    def state(self, *, shared: bool = False) -> dict[str, NDArray[Any]]:
        """Returns everything that the next sums depend on, as arrays by name, which must not be changed.

        shared: return only what is equal on all workers, for a worker that enters.
        """
        state = {name: np.array(value) for name, value in self._identity.items()} | {"step": np.array(self.step)}
        # As text, because a seed may have more bits than an array's integers.
        state["seed"] = np.array(str(self._seed))
        if shared:
            del state["ranks"]
        for index, pipeline in enumerate(self._pipelines):
            state |= {f"{_prefix(index)}{name}": value for name, value in pipeline.state(shared).items()}
        return state

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """Continues from a result of `state`; ignores other names. With a shared state, this must not have made a sum
        before.

        Raises:
            ValueError: the state has another spec, number of elements or ranks, or lacks something.
        """
        given = {name: np.asarray(value) for name, value in state.items()}
        for name in ("spec", "elements", "step", "seed"):
            if name not in given:
                raise ValueError(f"this is not the state of a compression: it has no {name}")
        for name, value in self._identity.items():
            if name in given and given[name].tolist() != value:
                raise ValueError(f"the state is of {name} {given[name].tolist()}, not {value}")
        for index, pipeline in enumerate(self._pipelines):
            start = _prefix(index)
            pipeline.restore({name.removeprefix(start): each for name, each in given.items() if name.startswith(start)})
        self.step, self._seed = int(given["step"]), int(given["seed"].item())

    @property
    def _identity(self) -> dict[str, Any]:
        """What a state must have in common with this compression."""
        sizes = [each.elements for each in self._pipelines]
        return {
            "spec": str(self.rules),
            "elements": sizes[0] if len(sizes) == 1 else sizes,
            "ranks": list(self.ranks),
        }

    def _aggregate(self, contributions: Floats, rate: float) -> Aggregate:
        if len(self._pipelines) == 1:
            return Aggregate(*self._sum(0, contributions, rate))
        total, sent = np.zeros(self.elements, contributions.dtype), np.zeros(contributions.shape, np.float32)
        largest = [0.0, 0.0]
        for index, places in enumerate(self._places):
            added = self._sum(index, np.concatenate([contributions[:, place] for place in places], axis=1), rate)
            begin = 0
            for place in places:
                end = begin + place.stop - place.start
                total[place], sent[:, place] = added.total[begin:end], added.sent[:, begin:end]
                begin = end
            largest = [max(largest[0], added.largest), max(largest[1], added.largest_sum)]
        return Aggregate(total, sent, *largest)

    def _sum(self, index: int, contributions: Floats, rate: float) -> Sum:
        """The sum of one pipeline's vectors."""
        before = self._network.statistics["bytes_sent"]
        # Rules draw different numbers.
        seed = int(stream(self._seed, "rule", index).integers(2**63)) if index else self._seed
        added = self._pipelines[index].aggregate(contributions, rate, self.step, seed)
        self._sent[index] = self._network.statistics["bytes_sent"] - before
        return added

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
            told += f"; {steps(self.rules, self.omega, self._group.size)}"
        warnings.warn(told, DivergenceWarning, stacklevel=3)


def _prefix(index: int) -> str:
    """What the names of a pipeline's arrays begin with in a state."""
    return f"{index}." if index else ""


def refuse_non_finite_parameters(x: Floats, parameters: Sequence[Parameter]) -> None:
    """Raises FloatingPointError as vectors.refuse_non_finite_floats does, and names the parameter."""
    try:
        refuse_non_finite_floats(x)
    except FloatingPointError as error:
        place = first_non_finite(x) or 0
        for each in parameters:
            if place < each.elements:
                raise FloatingPointError(f"{error}: element {place} of {each.name}") from None
            place -= each.elements
        raise
