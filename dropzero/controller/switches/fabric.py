"""Presents all switches of a network as one, for jobs with workers on several switches.

On each switch, a job's workers are the job's hosts on that switch, and those switches below it that have workers of the
job. Each of the job's switches except the topmost is a leaf: a worker of its parent, with the lowest rank below it. In
packets, a worker has a number: its rank, if that is below MAX_WORKERS and not the number of another worker on its
switch.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from dropzero.controller.jobs.jobs import HOST, Job, Worker
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError
from dropzero.controller.switches.rows import Found, Parent
from dropzero.controller.switches.topology import Topology
from dropzero.protocol.wire import MAX_PAYLOAD, MAX_WORKERS, UDP_PORT


@dataclass(frozen=True)
class Aggregator:
    """Where contributions go: a switch or a host.

    Attributes:
        leaf: the job spans several switches, where results cannot be sent in two parts.
        limited: a switch of the job does not let packets grow to any size.
        ranks: by number, the ranks of workers there whose rank differs; for a leaf, the lowest rank below it.
    """

    ip: str
    port: int = UDP_PORT
    leaf: bool = False
    limited: bool = False
    ranks: Mapping[int, int] = field(default_factory=dict)


class JobRows(Protocol):
    """The part of a switch that the fabric uses: see Switch."""

    growth: int

    def learn(self) -> list[Found]: ...

    def sync(self, number: int, job: Job | None, parent: Parent | None = None) -> None: ...

    def taken(self) -> int: ...


@dataclass(frozen=True)
class Share:
    """One switch's part of a job: a job of the workers on this switch and its leaves, and the switch's parent."""

    switch: str
    job: Job
    parent: Parent | None

    @cached_property
    def ranks(self) -> dict[int, int]:
        """See Aggregator."""
        return {number: rank for rank in self.job.workers if (number := self.job.number(rank)) != rank}


class Fabric:
    """All switches of a topology. Its methods raise SwitchError and its subclasses."""

    def __init__(self, topology: Topology, switches: Mapping[str, JobRows], host: Aggregator | None = None) -> None:
        """switches: all switches of the topology by name, and HOST if there is a `host`."""
        self.topology = topology
        self._switches = switches
        self._host = host
        self._latest: tuple[Topology, Job, list[Share]] | None = None

    def sync(self, number: int, job: Job | None) -> None:
        """Brings all switches' rows of a job up to date; None removes them.

        Writes parents before their leaves, which send to them, and removes in reverse. If one switch fails, still
        writes the others.
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
            # A switch that is away needs no removal.
            with suppress(UnreachableError):
                self._switches[switch].sync(number, None)
        if failed is not None:
            raise failed

    def learn(self) -> list[tuple[Job, bool]]:
        """Reads the jobs from the switches, in order of id, each with whether all its switches have the right rows.

        If one switch fails, still reads the others.
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
        """The largest number below which all epochs are taken on some switch. Skips switches that are away."""
        taken = 0
        for switch in self._switches.values():
            with suppress(UnreachableError):
                taken = max(taken, switch.taken())
        return taken

    def home(self, job: Job, rank: int) -> Aggregator:
        """Where one of the job's workers sends its contributions."""
        if job.hosted:
            assert self._host is not None
            return self._host
        switch = self.topology.homes[job.workers[rank].ip]
        shares = self.shares(job)
        ranks = next(each.ranks for each in shares if each.switch == switch)
        # A leaf cannot join the two parts of a result from above.
        leaf = len(shares) > 1
        limited = any(self._switches[each.switch].growth < MAX_PAYLOAD for each in shares)
        return Aggregator(str(self.topology.addresses[switch][0]), leaf=leaf, limited=limited, ranks=ranks)

    def shares(self, job: Job) -> list[Share]:
        """The switches' parts of a job, parents before their leaves. The top is the lowest switch above all workers, so
        a job within a rack takes no slots elsewhere. The host has only one port."""
        # All workers of a job are told about it, one after the other.
        topology, latest = self.topology, self._latest
        if latest is None or latest[0] is not topology or latest[1] is not job:
            latest = self._latest = topology, job, self._divided(job)
        return latest[2]

    def _divided(self, job: Job) -> list[Share]:
        if job.hosted:
            members = {rank: replace(each, port=1) for rank, each in job.workers.items()}
            return [Share(HOST, replace(job, workers=members, here=job.slots[HOST]), None)]
        homes = self.topology.homes
        paths = self.topology.paths(each.ip for each in job.workers.values())
        workers: dict[str, dict[int, Worker]] = {}
        parents: dict[str, str] = {}
        for rank, worker in job.workers.items():
            workers.setdefault(homes[worker.ip], {})[rank] = worker
        # In order of rank, so that a leaf gets the lowest below it.
        for rank, worker in sorted(job.workers.items()):
            for leaf, parent in pairwise(paths[homes[worker.ip]]):
                if leaf not in parents:
                    parents[leaf] = parent
                    on_parent = workers.setdefault(parent, {})
                    number = self._free_number(job, parent, rank, on_parent)
                    on_parent[rank] = self._as_worker(leaf, parent, number, worker.secret)
        order = sorted(workers, key=lambda switch: len(self.topology.lineage(switch)))
        shares = []
        for switch in order:
            elsewhere = {rank: each for rank, each in job.workers.items() if homes[each.ip] != switch}
            here = replace(job, workers=workers[switch], here=job.slots[switch], elsewhere=elsewhere)
            above = self._as_parent(parents[switch], switch, workers) if switch in parents else None
            shares.append(Share(switch, here, above))
        return shares

    def _places(self, job: Job) -> set[str]:
        """The switches, or the host, that add up for a job's members."""
        return {HOST} if job.hosted else self.topology.span(each.ip for each in job.workers.values())

    def _free_number(self, job: Job, switch: str, rank: int, others: Mapping[int, Worker]) -> int:
        """The number on `switch` of a leaf whose lowest rank is `rank`. Raises SwitchError if there is none left."""
        taken = set(map(replace(job, workers=others).number, others))
        free = [number for number in range(MAX_WORKERS) if number not in taken]
        if not free:
            raise SwitchError(f"{switch} has {MAX_WORKERS} workers and leaves of job {job.id}, and serves no more")
        return rank if rank in free else free[0]

    def _as_worker(self, leaf: str, parent: str, number: int, secret: int) -> Worker:
        ip, mac = self.topology.addresses[leaf]
        port = self.topology.views[parent].hosts[leaf].port
        return Worker(ip, mac, UDP_PORT, port, secret=secret, leaf=number)

    def _as_parent(self, parent: str, leaf: str, workers: Mapping[str, Mapping[int, Worker]]) -> Parent:
        """The parent of a leaf, which is there the worker of the lowest rank below it. workers: by switch."""
        ip, mac = self.topology.addresses[parent]
        me = workers[parent][min(workers[leaf])]
        assert me.leaf is not None
        return Parent(self.topology.views[leaf].hosts[parent].port, mac, ip, me.leaf, me.secret)

    def _joined(self, parts: Mapping[str, Found]) -> Job:
        """Returns the whole job, in the latest epoch. The latest share names the workers and slots on all switches. If
        it has no note, each worker is in its own switch's share, which may be older, or lost; slots are known only on
        switches in that epoch."""
        latest = max(parts, key=lambda name: parts[name].job.epoch)
        job = parts[latest].job
        if parts[latest].noted:
            parts = {latest: parts[latest]}
        workers, numbers = {}, {}
        for name, part in parts.items():
            for rank, worker in part.job.workers.items():
                host = self.topology.at(worker.ip)
                if host is not None and name in (HOST, self.topology.homes[worker.ip]):
                    workers[rank], numbers[rank] = replace(worker, port=host.port), part.job.number(rank)
        workers |= job.elsewhere
        numbers |= {rank: job.numbers.get(rank, rank) for rank in (*job.elsewhere, *job.benched)}
        members = {rank: workers[rank] for rank in sorted(workers.keys() - job.benched.keys())}
        numbers = {rank: number for rank, number in numbers.items() if number != rank}
        slots = job.slots or {name: each.job.here for name, each in parts.items() if each.job.epoch == job.epoch}
        return replace(job, slots=slots, workers=members, numbers=numbers, here=range(0), elsewhere={})

    def _is_as(self, job: Job, parts: Mapping[str, Found]) -> bool:
        """Whether the switches have the job's shares. If a parent has lost its share, the leaf's share still names the
        parent, unlike that of a job on the leaf alone."""
        if not job.workers or not job.slots.keys() >= self._places(job):
            return False
        wanted = {share.switch: _outline(share.job, share.parent) for share in self.shares(job)}
        return wanted == {name: _outline(part.job, part.parent) for name, part in parts.items()}


def _outline(share: Job, parent: Parent | None) -> tuple[object, ...]:
    return share.epoch, share.here, share.members, parent
