"""A plan in virtual time, by any scheme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from dropzero.simulator.collectives.messages import End, Messages
from dropzero.simulator.collectives.schemes import RING, SCHEMES
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.kernel.state import HEADERS, SEGMENT_BYTES
from dropzero.simulator.simulation import Plan, Simulation, Vector, owned
from dropzero.softswitch.engine.wire import SECOND


def simulation(plan: Plan, pcap: Path | None = None) -> Simulation:
    """The simulation of a plan, by its scheme. Raises OSError if `pcap`, a file for all packets, cannot be made."""
    return Simulation(plan, pcap) if plan.scheme is Scheme.DROPZERO else Baseline(plan, pcap)


class Baseline(Simulation):
    """A plan whose switches only forward packets: hosts add up. A parameter server is one more host, for each job."""

    def __init__(self, plan: Plan, pcap: Path | None = None) -> None:
        servers = plan.jobs if plan.scheme is Scheme.PARAMETER_SERVER else 0
        super().__init__(plan, pcap, servers=servers, longest=HEADERS + SEGMENT_BYTES)
        self._messages = Messages(self.network)

    @property
    def _retransmissions(self) -> int:
        return int(self.network.state.streams["repeated"].sum())

    @property
    def job_seconds(self) -> list[float]:
        finished = self.network.state.hosts["finished"]
        return [(int(finished[job].max()) - self._begun) / SECOND for job in self._jobs()]

    @property
    def hosted_seconds(self) -> list[float]:
        return [0.0] * self.plan.jobs

    def _make(self, tensors: Sequence[Vector], sums: Sequence[Vector], look: Callable[[], None]) -> bool:
        plan, count = self.plan, len(tensors)
        self._begun = self.network.time
        ends = [self._end(host) for host in range(len(self.network.state.hosts))]
        vectors = [*tensors, *[np.zeros_like(tensors[0])] * (len(ends) - count)]
        collective = RING[plan.call] if plan.scheme is Scheme.RING else SCHEMES[plan.scheme]
        steps = [collective(end, vector) for end, vector in zip(ends, vectors, strict=True)]
        results = self._messages.run(steps, ends, look)[:count]
        parts = owned(plan, len(sums[0])) * plan.jobs
        return all(
            np.array_equal(result[own], sums[host // plan.workers][own])
            for host, (result, own) in enumerate(zip(results, parts, strict=True))
        )

    def _end(self, host: int) -> End:
        """A host's end of its job's mesh; a server's is the last."""
        plan, count = self.plan, self.plan.jobs * self.plan.workers
        job, rank = divmod(host, plan.workers) if host < count else (host - count, plan.workers)
        hosts = [*range(job * plan.workers, (job + 1) * plan.workers)]
        if plan.scheme is Scheme.PARAMETER_SERVER:
            hosts.append(count + job)
        return End(self._messages, rank, hosts, plan.racks)
