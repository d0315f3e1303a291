"""Run one scheme on a host, case after case. Writes a JSON object for each case to RESULTS.

`python -m lab.bench.testbed.member SCHEME CONTROLLER WORKERS CASES RANK RESULTS`; CASES is a JSON list (see Case).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.simulator.formulas import Kind, Overlap, Scheme
from dropzero.simulator.workload import BLOCK, gradient, total

Vector = NDArray[np.float32]
ALL_REDUCE = (Kind.ALL_REDUCE,)


class Case(NamedTuple):
    """One measurement: all workers begin together, once for warm-up, then `repetitions` times.

    Attributes:
        elements: of each worker's gradient.
        density: the share of non-zero blocks.
        overlap: how many non-zero blocks the workers have in common.
        repetitions: how often to measure.
        jobs: how many jobs run at once, each with a worker on every host.
        calls: of the jobs, in turn. Calls other than all-reduces are those of Dropzero, rings and Gloo.
        in_place: whether the sum replaces the gradient.
        lanes: Dropzero's packets in flight: the maximum of all cases measured together; 0: the controller's default.
        in_a_row: calls in a repetition, whose time is divided by them.
        steady: whether all calls have the same gradient; otherwise every other call has twice it.
        block: elements in a block of the gradient.
    """

    elements: int
    density: float = 1.0
    overlap: Overlap = Overlap.FULL
    repetitions: int = 3
    jobs: int = 1
    in_place: bool = False
    lanes: int = 0
    in_a_row: int = 1
    steady: bool = True
    block: int = BLOCK
    calls: tuple[Kind, ...] = ALL_REDUCE

    @classmethod
    def read(cls, values: Sequence[Any]) -> Self:
        """Return a case from JSON."""
        case = cls(*values)
        return case._replace(overlap=Overlap(case.overlap), calls=tuple(map(Kind, case.calls)))

    def gradient(self, rank: int, workers: int) -> Vector:
        return gradient(self.elements, self.density, self.overlap, rank, workers, self.block)


class Member(NamedTuple):
    """A worker of a scheme."""

    call: Callable[[Kind, Vector, Vector], Vector]
    """(call, gradient, memory for the result) -> the result, in that memory or elsewhere. In a reduce-scatter, rank r
    gets the sum of part r of N; in an all-gather, it gives that part of its gradient."""
    barrier: Callable[[], None]


def main(scheme: Scheme, rank: int, workers: int, controller: str, results: Path, cases: list[Case]) -> None:
    """Run all cases. Raises AssertionError if a sum is wrong."""
    most, lanes = (max(each) for each in zip(*((case.jobs, case.lanes) for case in cases), strict=True))
    with ExitStack() as resources:
        file = resources.enter_context(results.open("w", buffering=1))
        members = [
            resources.enter_context(member(scheme, rank, workers, controller, 1 + number, lanes))
            for number in range(most)
        ]
        threads = resources.enter_context(ThreadPoolExecutor(most))
        base = _memory("VmRSS")
        for case in cases:
            own = case.gradient(rank, workers) if rank < workers else np.zeros(case.elements, np.float32)
            sums = [own if case.in_place else np.empty_like(own) for _ in range(case.jobs)]
            gradients = [own] if case.steady else [own, 2 * own]
            kinds = [case.calls[number % len(case.calls)] for number in range(case.jobs)]
            calls = [partial(each.call, kind) for each, kind in zip(members, kinds, strict=False)]
            seconds = []
            for repetition in range(1 + case.repetitions):
                members[0].barrier()
                begin = time.monotonic()
                # The last call reduces the gradient whose sum is known.
                for number in reversed(range(case.in_a_row)):
                    vector = gradients[number % len(gradients)]
                    if case.jobs == 1:
                        # Not in another thread, which would cost time.
                        found = [calls[0](vector, sums[0])]
                    else:
                        found = list(threads.map(lambda call, total: call(vector, total), calls, sums))  # noqa: B023
                seconds.append((time.monotonic() - begin) / case.in_a_row)
                if not repetition and rank < workers:
                    for kind, each in zip(kinds, found, strict=True):
                        assert np.array_equal(each, expected(case, kind, rank, workers)), "a wrong result"
                    # The maximum of memory begins anew.
                    Path("/proc/self/clear_refs").write_text("5")
                del found
            file.write(json.dumps({"seconds": seconds, "peak": _memory("VmHWM") - base}) + "\n")


def expected(case: Case, kind: Kind, rank: int, workers: int) -> Vector:
    """Return the result of a call."""
    if kind is Kind.ALL_GATHER:
        return np.concatenate([case.gradient(each, workers).reshape(workers, -1)[each] for each in range(workers)])
    whole = total(case.elements, case.density, case.overlap, workers, case.block)
    return whole if kind is Kind.ALL_REDUCE else whole.reshape(workers, -1)[rank]


@contextmanager
def member(scheme: Scheme, rank: int, workers: int, controller: str, job: int, lanes: int = 0) -> Iterator[Member]:
    """Join the other members of a job. job: from 1. Only Dropzero supports lanes."""
    if scheme is Scheme.DROPZERO:
        import dropzero

        with dropzero.connect(controller, job=job, size=workers, rank=rank, lanes=lanes) as network:

            def in_network(kind: Kind, vector: Vector, total: Vector) -> Vector:
                if kind is Kind.ALL_REDUCE:
                    return network.all_reduce(vector, out=total)
                parts = vector.reshape(workers, -1)
                if kind is Kind.REDUCE_SCATTER:
                    return network.reduce_scatter(parts)
                return network.all_gather(parts[rank]).reshape(-1)

            yield Member(in_network, network.barrier)
    elif scheme is Scheme.GLOO:
        os.environ["GLOO_SOCKET_IFNAME"] = "eth0"
        torch: Any = importlib.import_module("torch")
        distributed = torch.distributed
        if job == 1:
            distributed.init_process_group("gloo", init_method="tcp://10.0.0.1:7001", rank=rank, world_size=workers)
        group = distributed.group.WORLD if job == 1 else distributed.new_group()

        def tensor(vector: Vector) -> Any:
            return torch.frombuffer(vector, dtype=torch.float32)

        def by_gloo(kind: Kind, vector: Vector, total: Vector) -> Vector:
            if kind is Kind.ALL_REDUCE:
                total[:] = vector
                distributed.all_reduce(tensor(total), group=group)
                return total
            own: Vector = (total if kind is Kind.REDUCE_SCATTER else vector).reshape(workers, -1)[rank]
            if kind is Kind.REDUCE_SCATTER:
                distributed.reduce_scatter_tensor(tensor(own), tensor(vector), group=group)
                return own
            distributed.all_gather_into_tensor(tensor(total), tensor(own), group=group)
            return total

        yield Member(by_gloo, distributed.barrier)
        distributed.destroy_process_group(group)
    else:
        from dropzero.simulator.collectives.schemes import RING, SCHEMES
        from lab.bench.testbed.mesh import Mesh

        hosts = workers + (scheme is Scheme.PARAMETER_SERVER)
        with Mesh(rank, hosts, job) as mesh:

            def by_messages(kind: Kind, vector: Vector, total: Vector) -> Vector:
                result = mesh.run(SCHEMES[scheme] if kind is Kind.ALL_REDUCE else RING[kind], vector)
                return result.reshape(workers, -1)[rank] if kind is Kind.REDUCE_SCATTER else result

            yield Member(by_messages, mesh.barrier)


def _memory(kind: str) -> int:
    """Return bytes of memory of this process. kind: VmRSS (now) or VmHWM (the maximum since the last reset)."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(kind))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    _, scheme, controller, workers, cases, rank, results = sys.argv
    chosen = list(map(Case.read, json.loads(cases)))
    main(Scheme(scheme), int(rank), int(workers), controller, Path(results), chosen)
