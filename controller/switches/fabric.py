"""The switches of a network as one: what it holds for jobs whose workers are on several of them.

On each switch, a job has as workers those that are there, and the switches below that have some. Each but the topmost
is a leaf, and its parent's worker. A worker has its rank everywhere; a leaf has the lowest of those below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError
from dropzero.controller.switches.rows import Found, Parent
from dropzero.controller.switches.topology import Topology
from dropzero.protocol.wire import UDP_PORT

HOST = "aggregator"
"""The name, beside those of the network's switches, of a host that adds up for jobs that find no slots on them."""


@dataclass(frozen=True)
class Aggregator:
    """Where contributions go: a switch, or a host; `leaf`: the job is on several switches, one of which passes on to
    another what it can't send in two parts."""

    ip: str
    port: int = UDP_PORT
    leaf: bool = False


class JobRows(Protocol):
    """What of a Switch the fabric needs; see there."""

    def learn(self) -> list[Found]: ...

    def sync(self, number: int, job: Job | None, parent: Parent | None = None) -> None: ...

    def taken(self) -> int: ...


@dataclass(frozen=True)
class Share:
    """What one switch holds of a job: a job of its own, whose workers are those on it and its leaves, and its
    parent."""

    switch: str
    job: Job
    parent: Parent | None


class Fabric:
    """All switches of a topology. All methods raise SwitchError and its kinds."""

    def __init__(self, topology: Topology, switches: Mapping[str, JobRows], host: Aggregator | None = None) -> None:
        """`switches`: by name, all that the network has, and HOST if there is a `host`."""
        self.topology = topology
        self._switches = switches
        self._host = host

    def sync(self, number: int, job: Job | None) -> None:
        """Makes what the switches hold of a job what it is to be, or takes it away.

        Parents before their leaves, which send to them; what is taken away in reverse. If a switch fails, the others
        are done even so.
        """
        shares = {share.switch: share for share in self.shares(job)} if job is not None else {}
        idle = sorted(self._switches.keys() - shares.keys(), key=lambda each: -len(self.topology.lineage(each)))
        failed: SwitchError | None = None
        for share in shares.values():
            try:
                self._switches[share.switch].sync(number, share.job, share.parent)
            except SwitchError as error:
                failed = failed or error
        for switch in idle:
            # From one that is away, nothing needs to be taken.
            with suppress(UnreachableError):
                self._switches[switch].sync(number, None)
        if failed is not None:
            raise failed

    def learn(self) -> list[tuple[Job, bool]]:
        """The jobs that are on the switches, by id; and whether each is on all of them as it should be.

        If a switch fails, the others have learned even so.
        """
        found: dict[int, dict[str, Found]] = {}
        whole: dict[int, bool] = {}
        failed: SwitchError | None = None
        for name, switch in self._switches.items():
            try:
                learned = switch.learn()
            except SwitchError as error:
                failed = failed or error
                continue
            for part in learned:
                found.setdefault(part.job.id, {})[name] = part
                whole[part.job.id] = whole.get(part.job.id, True) and not part.lacking
        if failed is not None:
            raise failed
        jobs = {number: self._joined(parts) for number, parts in sorted(found.items())}
        return [(job, whole[number] and self._is_as(job, found[number])) for number, job in jobs.items()]

    def taken(self) -> int:
        """The number below which all epochs are taken on some switch; one that is away is asked when it is back."""
        taken = 0
        for switch in self._switches.values():
            with suppress(UnreachableError):
                taken = max(taken, switch.taken())
        return taken

    def home(self, job: Job, rank: int) -> Aggregator:
        """What one of the job's workers sends to."""
        if job.hosted:
            assert self._host is not None
            return self._host
        switch = self.topology.homes[job.workers[rank].ip]
        # The top's results go down to leaves, which can't put two parts together.
        return Aggregator(str(self.topology.addresses[switch][0]), leaf=len(self.shares(job)) > 1)

    def shares(self, job: Job) -> list[Share]:
        """What each switch holds of a job, parents before their leaves. The top is the lowest switch that has all
        workers below it, so that a job within a rack is none of the others' business. The host has but one port."""
        if job.hosted:
            return [
                Share(HOST, replace(job, workers={r: replace(each, port=1) for r, each in job.workers.items()}), None)
            ]
        lines = {rank: self.topology.lineage(self.topology.homes[each.ip]) for rank, each in job.workers.items()}
        top = next(switch for switch in next(iter(lines.values())) if all(switch in line for line in lines.values()))
        workers: dict[str, dict[int, Worker]] = {top: {}}
        parents: dict[str, str] = {}
        # From the lowest rank up, which is thereby the one that a leaf is known by.
        for rank, worker in sorted(job.workers.items()):
            line = lines[rank][: lines[rank].index(top) + 1]
            workers.setdefault(line[0], {})[rank] = worker
            for leaf, parent in pairwise(line):
                on_parent = workers.setdefault(parent, {})
                if leaf not in parents:
                    parents[leaf] = parent
                    on_parent[rank] = self._as_worker(leaf, parent, worker.secret)
        order = sorted(workers, key=lambda switch: len(self.topology.lineage(switch)))
        return [
            Share(
                switch,
                replace(job, workers=workers[switch]),
                self._as_parent(parents[switch], switch, workers[switch]) if switch in parents else None,
            )
            for switch in order
        ]

    def _as_worker(self, leaf: str, parent: str, secret: int) -> Worker:
        ip, mac = self.topology.addresses[leaf]
        port = self.topology.views[parent].hosts[leaf].port
        return Worker(ip, mac, UDP_PORT, port, secret=secret, leaf=True)

    def _as_parent(self, parent: str, leaf: str, workers: Mapping[int, Worker]) -> Parent:
        """A leaf goes by the rank and the secret of the lowest worker below it."""
        ip, mac = self.topology.addresses[parent]
        rank = min(workers)
        return Parent(self.topology.views[leaf].hosts[parent].port, mac, ip, rank, workers[rank].secret)

    def _joined(self, parts: Mapping[str, Found]) -> Job:
        """A job from its shares: the workers that are on the switch that is theirs, and the latest epoch."""
        name = max(parts, key=lambda name: parts[name].job.epoch)
        workers = {
            rank: replace(worker, port=host.port)
            for name, part in parts.items()
            for rank, worker in part.job.workers.items()
            if (host := self.topology.at(worker.ip)) is not None and name in (HOST, self.topology.homes[worker.ip])
        }
        return replace(parts[name].job, workers=dict(sorted(workers.items())), hosted=name == HOST)

    def _is_as(self, job: Job, parts: Mapping[str, Found]) -> bool:
        """Whether the switches' shares are those that the job has. What is left of one below a switch that has lost its
        share has a parent, which a job of those workers alone would not."""
        if not job.workers:
            return False
        wanted = {share.switch: _outline(share.job, share.parent) for share in self.shares(job)}
        return wanted == {name: _outline(part.job, part.parent) for name, part in parts.items()}


def _outline(share: Job, parent: Parent | None) -> tuple[object, ...]:
    return share.epoch, share.slots, share.members, parent
