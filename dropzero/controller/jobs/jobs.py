"""The jobs' workers, epochs and slots, from a job's first worker to its last. No I/O and no clock.

A job is pending until enough workers have joined and it has slots. It runs until its last worker is gone. Then it is
forgotten: the next join with its number creates a new job. Each change of a running job's members begins a new epoch. A
worker keeps its rank while it is a member.

A job has slots on all switches that add up for its workers, and as many on each: its lanes. It gets those of a switch
when its first worker there comes, and loses them when its last one is gone. A job without room on one of its switches
has no slots at all, so that no two jobs wait for each other.
"""

from __future__ import annotations

import logging
from bisect import insort
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum, auto
from hmac import compare_digest
from ipaddress import IPv4Address
from typing import Annotated

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.policies import Demand, FirstCome, Policy, PolicyError, divided
from dropzero.controller.jobs.slots import SLOTS, NoSlotsError, Slots, arranged
from dropzero.controller.jobs.tree import ONE_SWITCH, Tree
from dropzero.help import JobOption
from dropzero.membership.ending import Ending
from dropzero.protocol.wire import MAX_WORKERS

DEFAULT_LANES = 64
"""Lanes of a job whose workers ask for no particular number."""
HOST = "the host"
"""The name of the host that aggregates for jobs without slots, among the switches."""
Shares = Mapping[str, range]
"""A job's slots on each switch, or on the host."""


class Refusal(Enum):
    """Why a worker cannot join."""

    INVALID = auto()
    RANK_TAKEN = auto()
    MISMATCH = auto()
    RUNNING = auto()
    NO_SLOTS = auto()
    QUOTA = auto()
    TOKEN = auto()


class JoinError(Exception):
    """A worker cannot join. refusal: the kind of reason. The message is for the user."""

    def __init__(self, refusal: Refusal, text: str) -> None:
        super().__init__(text)
        self.refusal = refusal


class WhenFull(IntEnum):
    """What a new job does when no slots are left."""

    REFUSE = 0
    WAIT = 1
    HOST = 2


@dataclass(frozen=True)
class Terms:
    """The settings that all workers of a job must agree on.

    Attributes:
        size: the number of workers; ranks are below it.
        lanes: the number of slots; 0: that of the other workers, or DEFAULT_LANES.
        elastic: workers may join while the job runs.
        quorum: the number of workers with which an elastic job starts; 0: `size`.
        token: a digest of the job's secret.
        when_full: what to do if no slots are left.
        raise_on_loss: the loss of a worker ends the running call.
        priority: for policies that use it.
    """

    size: int
    lanes: int = 0
    elastic: bool = False
    quorum: int = 0
    token: bytes = b""
    when_full: WhenFull = WhenFull.REFUSE
    raise_on_loss: bool = False
    priority: int = 1


@dataclass(frozen=True)
class Quotas:
    """Limits on what workers may ask for: lanes per job, and jobs at once. Operators may exceed them."""

    lanes: Annotated[
        int,
        JobOption(
            "--max-lanes-per-job",
            min=1,
            max=SLOTS,
            help="The most slots that a job may ask for; `resize` can give more.",
        ),
    ] = 1024
    jobs: Annotated[int, JobOption("--max-jobs", min=1, max=1 << 16, help="The most jobs at once.")] = 256


@dataclass(frozen=True, eq=False)
class Worker:
    """A process in a job.

    Attributes:
        ip, mac, udp_port: where it receives results.
        port: the switch port that leads to it.
        wanted: the rank that it asks for; None: any.
        secret: 32 bits carried by its packets and by the answers to them, unknown to others.
        leaf: the number on its parent of a switch that aggregates for the workers below it; None: it is a process.
    """

    ip: IPv4Address
    mac: int
    udp_port: int
    port: int
    wanted: int | None = None
    secret: int = field(default=0, repr=False)
    leaf: int | None = None


@dataclass(eq=False)
class PendingJob:
    """A job that waits for workers or, if it has none, for slots."""

    id: int
    terms: Terms
    slots: Shares = field(default_factory=dict)
    workers: list[Worker] = field(default_factory=list)

    @property
    def lanes(self) -> int:
        return self.terms.lanes

    @property
    def wanted(self) -> int:
        """The number of workers with which the job starts."""
        return self.terms.quorum or self.terms.size

    @property
    def full(self) -> bool:
        return len(self.workers) >= self.wanted

    @property
    def hosted(self) -> bool:
        """Whether the slots are those of the host."""
        return HOST in self.slots


@dataclass(frozen=True, eq=False)
class Job:
    """A running job in one epoch.

    Attributes:
        lanes: the number of slots on each switch.
        slots: on each switch that adds up for the workers, also for benched ones.
        workers: the members by rank.
        benched: workers by rank that the members do not wait for.
        here, elsewhere: in one switch's share of the job, its slots there, and the members on other switches by rank.
        endings: calls that ended without a result, until all members have passed them.
        wanted: slots that it asked for; 0: as many as it has.
        priority: see Terms.
        numbers: by rank, the numbers that workers have on their switches, where these are not their ranks. They do not
            change while a worker is in the job.
    """

    id: int
    epoch: int
    size: int
    lanes: int
    slots: Shares
    workers: Mapping[int, Worker]
    elastic: bool = False
    token: bytes = b""
    benched: Mapping[int, Worker] = field(default_factory=dict)
    here: range = range(0)
    elsewhere: Mapping[int, Worker] = field(default_factory=dict)
    raise_on_loss: bool = False
    endings: tuple[Ending, ...] = ()
    wanted: int = 0
    priority: int = 1
    numbers: Mapping[int, int] = field(default_factory=dict)

    def number(self, rank: int) -> int:
        """The number of a worker, or of a leaf with this lowest rank, on its switch: below MAX_WORKERS."""
        leaf = self.workers[rank].leaf if rank in self.workers else None
        return self.numbers.get(rank, rank) if leaf is None else leaf

    @property
    def members(self) -> tuple[int, ...]:
        return tuple(sorted(self.workers))

    @property
    def everybody(self) -> dict[int, Worker]:
        """The members and the benched workers, by rank."""
        return {**self.workers, **self.benched}

    @property
    def hosted(self) -> bool:
        """Whether a host aggregates instead of the switches."""
        return HOST in self.slots


class Jobs:
    """All jobs of the switches."""

    def __init__(
        self,
        slots: int,
        epochs: Epochs,
        host: int = 0,
        quotas: Quotas | None = None,
        policy: Policy | None = None,
        tree: Tree = ONE_SWITCH,
    ) -> None:
        """slots: of each switch. epochs: shared by all jobs, so that a slot's epoch tells whether its content is
        another job's. host: the slots of the host that aggregates for jobs without slots on the switches; 0: there is
        none. policy: first come, first served, unless given."""
        self.pending: dict[int, PendingJob] = {}
        self.running: dict[int, Job] = {}
        self._finished: dict[int, dict[int, int]] = {}
        self._newcomers: dict[int, dict[int, Worker]] = {}
        self._reserved: dict[int, Shares] = {}
        """Running jobs' slots on switches that only their newcomers use."""
        self._slots = slots
        self._epochs = epochs
        self._host = host
        self._quotas = quotas or Quotas()
        self._policy = policy or FirstCome()
        self._tree = tree
        self._order: list[int] = []
        """All jobs, in the order in which they came."""
        self._moved: list[int] = []
        self._divided = True
        """The slots are divided among the jobs as they are now."""

    # ---- pending

    def join(self, job: int, terms: Terms, worker: Worker) -> PendingJob:
        """Adds a worker to a pending job. The first worker creates the job. Raises JoinError."""
        self._check(job, terms, worker)
        pending = self.pending.get(job) or self._gathering(job, terms)
        settled = pending.terms
        _check_token(job, settled.token, terms.token)
        _check_terms(job, terms, settled, f"is gathering {settled.size}", settled.lanes)
        if (terms.elastic, terms.quorum) != (settled.elastic, settled.quorum):
            raise JoinError(Refusal.MISMATCH, f"the workers of job {job} disagree on whether it is elastic")
        if terms.priority != settled.priority:
            raise JoinError(Refusal.MISMATCH, f"job {job} has priority {settled.priority}, not {terms.priority}")
        if worker.wanted is not None and worker.wanted in (each.wanted for each in pending.workers):
            raise JoinError(Refusal.RANK_TAKEN, f"rank {worker.wanted} of job {job} is taken")
        if len(pending.workers) == settled.size:
            raise JoinError(Refusal.RANK_TAKEN, f"job {job} has all its {settled.size} workers and waits for slots")
        self._check_room(job, worker, pending.workers)
        if not pending.workers:
            self.pending[job] = pending
            self._order.append(job)
        pending.workers.append(worker)
        try:
            self._find_room(pending)
        except JoinError:
            self.withdraw(pending, worker)
            raise
        return pending

    def _check(self, job: int, terms: Terms, worker: Worker) -> None:
        most = MAX_WORKERS * max(1, len(set(self._tree.homes.values())))
        if not 1 <= terms.size <= most:
            reason = f"a job has 1 to {most} workers, not {terms.size}: a switch serves {MAX_WORKERS}"
            raise JoinError(Refusal.INVALID, reason)
        if not 0 <= job < 1 << 16:
            raise JoinError(Refusal.INVALID, f"jobs are numbered 0 to 65535, not {job}")
        if worker.wanted is not None and not 0 <= worker.wanted < terms.size:
            raise JoinError(Refusal.INVALID, f"a job of {terms.size} workers has no rank {worker.wanted}")
        if terms.priority < 1:
            raise JoinError(Refusal.INVALID, f"a priority is 1 or more, not {terms.priority}")
        if terms.quorum and not terms.elastic:
            raise JoinError(Refusal.INVALID, "only an elastic job can start with a quorum")
        if terms.quorum > terms.size:
            raise JoinError(Refusal.INVALID, f"a quorum of {terms.quorum} exceeds the job's {terms.size} workers")

    def _check_room(self, job: int, worker: Worker, others: Collection[Worker]) -> None:
        """Raises JoinError if a worker's switch has as many of the job's workers as it can tell apart."""
        home = self._tree.home(worker.ip)
        if len(others) >= MAX_WORKERS and sum(self._tree.home(each.ip) == home for each in others) >= MAX_WORKERS:
            reason = f"{home} has {MAX_WORKERS} workers of job {job}, and no switch serves more: use more racks"
            raise JoinError(Refusal.INVALID, reason)

    def _gathering(self, job: int, terms: Terms) -> PendingJob:
        """Creates a job without workers and slots. Raises JoinError."""
        pending = PendingJob(job, replace(terms, lanes=terms.lanes or DEFAULT_LANES))
        if pending.lanes > (most := self._quotas.lanes):
            hint = "see the controller's --max-lanes-per-job"
            raise JoinError(Refusal.QUOTA, f"a job has at most {most} lanes here, not {pending.lanes}; {hint}")
        if len(self.pending) + len(self.running) >= (most := self._quotas.jobs):
            raise JoinError(Refusal.QUOTA, f"there are already {most} jobs; see the controller's --max-jobs")
        return pending

    def _find_room(self, pending: PendingJob) -> None:
        """Gives a pending job slots for its new worker, on the switches or on the host, or a place in line. Raises
        JoinError."""
        when_full = pending.terms.when_full
        if pending.hosted or self._tree.home(pending.workers[-1].ip) in pending.slots:
            return
        self._divided = False
        if pending.lanes > self._slots:
            lack = f"{pending.lanes} slots requested, but the switch has only {self._slots}"
        else:
            plan = self._plan()
            if plan[pending.id]:
                self._carry_out(plan)
                return
            if when_full is WhenFull.WAIT:
                pending.slots = {}
                return
            lack = self._lack(pending, pending.lanes)
        if when_full is WhenFull.HOST and self._may_host(pending.terms.size):
            try:
                pending.slots = {HOST: self._on(HOST).take(pending.lanes)}
            except NoSlotsError as error:
                reason = f"no room for job {pending.id}, not even on the host: {error}"
                raise JoinError(Refusal.NO_SLOTS, reason) from error
        else:
            hint = 'ask for fewer lanes, or for a place in line with when_full="wait"'
            if when_full is WhenFull.HOST:
                hint = f"a host serves {MAX_WORKERS} workers" if self._host else "the controller has no aggregator"
            raise JoinError(Refusal.NO_SLOTS, f"no room for job {pending.id}: {lack}; {hint}")

    def _lack(self, job: Job | PendingJob, lanes: int) -> str:
        """Why a job has no room on one of its switches, as text."""
        span = self._span(job)
        lines = [each for each in self.pending.values() if each is not job and self.in_line(each)]
        if waiting := sum(not span.isdisjoint(self._span(each)) for each in lines):
            return f"{waiting} {'job waits' if waiting == 1 else 'jobs wait'} in line"
        return min((self._on(switch, job) for switch in sorted(span)), key=lambda each: each.widest).lack(lanes)

    def _may_host(self, size: int) -> bool:
        """Whether a host can aggregate for a job of this size, like a single switch."""
        return self._host > 0 and size <= MAX_WORKERS

    def in_line(self, pending: PendingJob) -> bool:
        return not pending.slots

    def ready(self) -> list[PendingJob]:
        """Divides the slots anew if jobs have changed; returns the jobs that can start now."""
        if not self._divided:
            self._divided = True
            self._carry_out(self._plan())
        return [each for each in self.pending.values() if each.full and not self.in_line(each)]

    def moved(self) -> list[int]:
        """The running jobs that have begun an epoch with other slots since the last call of this."""
        moved = [number for number in dict.fromkeys(self._moved) if number in self.running]
        self._moved.clear()
        return moved

    def withdraw(self, pending: PendingJob, worker: Worker) -> None:
        """Removes a worker from a pending job. The next `ready` frees the slots that only this worker needed."""
        pending.workers.remove(worker)
        self._divided = False
        if not pending.workers:
            del self.pending[pending.id]
            self._order.remove(pending.id)

    def start(self, pending: PendingJob) -> Job:
        """Starts a job that is ready. Workers that ask for no particular rank get the lowest free ones."""
        del self.pending[pending.id]
        workers = {worker.wanted: worker for worker in pending.workers if worker.wanted is not None}
        for worker in pending.workers:
            if worker.wanted is None:
                workers[_free_rank(pending.terms.size, workers)] = worker
        terms = pending.terms
        job = Job(
            pending.id,
            next(self._epochs),
            terms.size,
            _lanes(pending.slots),
            pending.slots,
            workers,
            terms.elastic,
            terms.token,
            raise_on_loss=terms.raise_on_loss,
            wanted=terms.lanes,
            priority=terms.priority,
            numbers=self._numbered({}, {}, workers),
        )
        return self._settle(job)

    # ---- slots

    def _span(self, job: Job | PendingJob) -> set[str]:
        """The switches that add up for a job's workers, and for those that wait to enter it."""
        newcomers = {} if isinstance(job, PendingJob) else self._newcomers[job.id]
        known = job.workers if isinstance(job, PendingJob) else job.everybody.values()
        return self._tree.span(each.ip for each in (*known, *newcomers.values()))

    def _used(self, job: Job) -> set[str]:
        """The switches that add up for a job's workers, or the host."""
        return {HOST} if job.hosted else self._tree.span(each.ip for each in job.everybody.values())

    def held(self, job: Job | PendingJob) -> dict[str, range]:
        """All slots that a job has, with those that only its newcomers use."""
        return {**self._reserved.get(job.id, {}), **job.slots}

    def _on(self, switch: str, job: Job | PendingJob | None = None) -> Slots:
        """A switch's slots, or the host's. Those of `job` are free."""
        jobs: list[Job | PendingJob] = [*self.pending.values(), *self.running.values()]
        taken = [held[switch] for each in jobs if each is not job and switch in (held := self.held(each))]
        size = self._host if switch == HOST else self._slots
        return Slots(size, taken, switch if switch == HOST or self._tree.parents else "the switch")

    def _plan(self) -> dict[int, dict[str, range]]:
        """The slots that the policy has for each job; none, if these are not on all of its switches."""
        jobs = [self.running.get(number) or self.pending[number] for number in self._order]
        held = {job.id: self.held(job) for job in jobs}
        spans = {job.id: self._span(job) for job in jobs}
        refuge = self._host > 0 and self._on(HOST).widest >= sum(map(_wanted, jobs))
        demands: defaultdict[str, list[Demand]] = defaultdict(list)
        for job in jobs:
            for switch in spans[job.id]:
                demands[switch].append(self._demand(job, len(held[job.id].get(switch, ())), refuge))
        try:
            counts = divided(self._policy, self._slots, demands)
        except PolicyError:
            logging.getLogger(__name__).exception("all jobs keep their slots")
            plan = {number: _at(spans[number], slots) for number, slots in held.items()}
        else:
            plan = {number: {} for number in held}
            for switch, here in demands.items():
                before = [held[each.job].get(switch) for each in here]
                after = arranged(self._slots, before, [counts[each.job] for each in here])
                for each, new in zip(here, after, strict=True):
                    if new is not None:
                        plan[each.job][switch] = new
        return {number: slots if slots.keys() == spans[number] else {} for number, slots in plan.items()}

    def _demand(self, job: Job | PendingJob, share: int, refuge: bool) -> Demand:
        """What a job with `share` slots on a switch asks for there. refuge: the host has room for all jobs."""
        terms = job.terms if isinstance(job, PendingJob) else job
        needed = share > 0 and not (refuge and self._may_host(terms.size))
        return Demand(job.id, _wanted(job), share, int(needed), terms.priority, job.hosted)

    def _carry_out(self, plan: Mapping[int, Shares]) -> None:
        """Gives jobs other slots. Those that had some and get none go to the host."""
        for number, slots in plan.items():
            job = self.running.get(number) or self.pending[number]
            if not slots:
                if job.hosted or not job.slots:
                    continue
                slots = {HOST: self._on(HOST).take(_wanted(job))}
            if isinstance(job, PendingJob):
                job.slots = slots
            elif _at(job.slots, slots) == job.slots:
                self._reserved[number] = _at(slots.keys() - job.slots.keys(), slots)
            else:
                self.running[number] = replace(job, lanes=_lanes(slots), slots=slots)
                self._drop(number, (), next(self._epochs))
                self._moved.append(number)

    # ---- running

    def enter(self, job: int, terms: Terms, worker: Worker) -> int:
        """Queues a worker to enter a running job. Returns its future rank. Raises JoinError."""
        self._check(job, terms, worker)
        running = self.running[job]
        _check_token(job, running.token, terms.token)
        if not running.elastic:
            ranks = ", ".join(map(str, running.members))
            raise JoinError(Refusal.RUNNING, f"job {job} is already running, with rank {ranks}")
        _check_terms(job, terms, running, f"has at most {running.size}", running.wanted)
        newcomers = self._newcomers[job]
        taken = running.workers.keys() - self._finished[job].keys() | running.benched.keys() | newcomers.keys()
        if len(taken) == running.size:
            raise JoinError(Refusal.RANK_TAKEN, f"job {job} has all its {running.size} workers")
        rank = _free_rank(running.size, taken) if worker.wanted is None else worker.wanted
        if rank in taken:
            raise JoinError(Refusal.RANK_TAKEN, f"rank {rank} of job {job} is taken")
        others = {**self._staying(job), **running.benched, **newcomers}
        self._check_room(job, worker, others.values())
        newcomers[rank] = worker
        self._divided = False
        if not running.hosted and self._span(running) != self.held(running).keys():
            plan = self._plan()
            if not plan[job]:
                lack = self._lack(running, running.lanes)
                del newcomers[rank]
                raise JoinError(Refusal.NO_SLOTS, f"no room for another worker of job {job}: {lack}")
            self._carry_out(plan)
        return rank

    def newcomers(self, job: int) -> Mapping[int, Worker]:
        """The workers that wait to enter a running job, by rank."""
        return self._newcomers[job]

    def turn_away(self, job: int, worker: Worker) -> bool:
        """Removes a worker that waits to enter a running job, as `withdraw`. Returns whether it was waiting."""
        newcomers = self._newcomers.get(job, {})
        found = [rank for rank, each in newcomers.items() if each is worker]
        for rank in found:
            del newcomers[rank]
            self._divided = False
        return bool(found)

    def admit(self, job: int) -> Job:
        """Begins an epoch with the newcomers and without members that have finished."""
        running = self.running[job]
        staying, newcomers = self._staying(job), self._newcomers[job]
        numbers = self._numbered(running.numbers, {**staying, **running.benched}, newcomers)
        workers = {**staying, **newcomers}
        newcomers.clear()
        return self._settle(replace(running, epoch=next(self._epochs), workers=workers, numbers=numbers))

    def _numbered(
        self, numbers: Mapping[int, int], present: Mapping[int, Worker], entering: Mapping[int, Worker]
    ) -> dict[int, int]:
        """Returns the numbers of workers that are in a job and of those that enter it: see Job.numbers. Where it is
        free, a worker's number is its rank."""
        numbers = {rank: number for rank, number in numbers.items() if rank in present}
        taken: defaultdict[str, set[int]] = defaultdict(set)
        for rank, worker in present.items():
            taken[self._tree.home(worker.ip)].add(numbers.get(rank, rank))
        for rank, worker in sorted(entering.items()):
            here = taken[self._tree.home(worker.ip)]
            if rank >= MAX_WORKERS or rank in here:
                numbers[rank] = min(set(range(MAX_WORKERS)) - here)
            here.add(numbers.get(rank, rank))
        return numbers

    def bench(self, job: int, ranks: Collection[int]) -> Job:
        """Begins an epoch that does not wait for these ranks, without members that have finished."""
        running, staying = self.running[job], self._staying(job)
        benched = {**running.benched, **{rank: staying.pop(rank) for rank in ranks}}
        return self._settle(replace(running, epoch=next(self._epochs), workers=staying, benched=benched))

    def unbench(self, job: int, rank: int) -> Job:
        """Begins an epoch in which a benched worker is a member again, without members that have finished."""
        running = self.running[job]
        benched = dict(running.benched)
        workers = {**self._staying(job), rank: benched.pop(rank)}
        return self._settle(replace(running, epoch=next(self._epochs), workers=workers, benched=benched))

    def check_token(self, job: int, token: bytes) -> None:
        """Raises JoinError unless the token is the running job's."""
        _check_token(job, self.running[job].token, token)

    def finish(self, job: int, rank: int, calls: int = 0) -> bool:
        """Notes that a member has finished, after `calls` calls. It stays a member until the next epoch. Returns
        whether all members have finished, which ends the job."""
        self._finished[job][rank] = calls
        if self._finished[job].keys() >= self.running[job].workers.keys():
            self.end(job)
            return True
        return False

    def finished(self, job: int) -> Mapping[int, int]:
        """The number of calls of each member that has finished, by rank."""
        return self._finished[job]

    def drop(self, job: int, ranks: Collection[int] = ()) -> Job | None:
        """Begins an epoch without these ranks and without members that have finished.

        Returns None if no member is left: the job is over, because benched workers do not know the outcomes of calls
        that were made without them.
        """
        return self._drop(job, ranks, next(self._epochs))

    def _drop(self, job: int, ranks: Collection[int], epoch: int) -> Job | None:
        running = self.running[job]
        staying = {rank: worker for rank, worker in self._staying(job).items() if rank not in ranks}
        benched = {rank: worker for rank, worker in running.benched.items() if rank not in ranks}
        if not staying:
            self.end(job)
            return None
        return self._settle(replace(running, epoch=epoch, workers=staying, benched=benched))

    def end_call(self, job: int, ending: Ending, done: int, lost: Collection[int] = ()) -> Ending:
        """Ends a call without a result: begins an epoch with this ending, without the ranks `lost`. Returns the ending
        with its epoch. done: the number of calls whose outcomes all members know."""
        running = self.running[job]
        ending = replace(ending, epoch=next(self._epochs))
        known = tuple(each for each in running.endings if each.end > done)
        self.running[job] = replace(running, endings=(*known, ending))
        self._drop(job, lost, ending.epoch)
        return ending

    def _staying(self, job: int) -> dict[int, Worker]:
        finished = self._finished[job]
        return {rank: each for rank, each in self.running[job].workers.items() if rank not in finished}

    def resize(self, job: int, lanes: int) -> Job | None:
        """Begins an epoch with `lanes` slots; a hosted job moves to the switches. Returns as `drop`. Raises
        NoSlotsError if there are not enough slots."""
        running = self.running[job]
        if lanes < 1:
            raise NoSlotsError(f"a job needs at least one slot, not {lanes}")
        slots = {switch: self._on(switch, running).take(lanes) for switch in self._span(running)}
        self.running[job] = replace(running, lanes=lanes, slots=slots, wanted=lanes)
        return self.drop(job)

    def outrun(self, epoch: int) -> None:
        """Makes all later epochs greater than `epoch`."""
        self._epochs.outrun(epoch)

    def pass_over(self, epoch: int) -> None:
        """Makes all later epochs greater than one that a worker knows from an earlier controller."""
        self._epochs.pass_over(epoch)

    def adopt(self, job: Job) -> None:
        """Takes over a job that already runs, with its slots. If another job has them, or they are not known, it gets
        others. Raises NoSlotsError if there are none."""
        slots = {}
        for switch in self._used(job):
            there, share = self._on(switch), job.slots.get(switch, range(0))
            slots[switch] = share if there.is_free(share) else there.take(job.lanes)
        self._epochs.outrun(job.epoch)
        insort(self._order, job.id)
        self._settle(replace(job, slots=slots))

    def end(self, job: int) -> None:
        """Ends a job, which frees its slots."""
        del self.running[job], self._finished[job], self._newcomers[job], self._reserved[job]
        self._order.remove(job)
        self._divided = False

    def _settle(self, job: Job) -> Job:
        """Begins an epoch. The job loses the slots on switches that it no longer uses."""
        self._divided = False
        self._finished[job.id] = {}
        self._newcomers.setdefault(job.id, {})
        held = self.held(job)
        self.running[job.id] = job = replace(job, slots=_at(self._used(job), held))
        self._reserved[job.id] = {} if job.hosted else _at(self._span(job) - job.slots.keys(), held)
        return job


def _wanted(job: Job | PendingJob) -> int:
    return job.terms.lanes if isinstance(job, PendingJob) else job.wanted or job.lanes


def _lanes(slots: Shares) -> int:
    return len(next(iter(slots.values())))


def _at(switches: Collection[str], slots: Shares) -> dict[str, range]:
    """The slots on these switches."""
    return {switch: slots[switch] for switch in switches if switch in slots}


def _free_rank(size: int, taken: Collection[int]) -> int:
    return next(rank for rank in range(size) if rank not in taken)


def _check_terms(job: int, terms: Terms, settled: Terms | Job, workers: str, wanted: int) -> None:
    """Checks the terms that a worker must share with a pending or running job. workers: how many that has, for the
    error. wanted: lanes that it asked for. Raises JoinError."""
    if terms.size != settled.size:
        raise JoinError(Refusal.MISMATCH, f"job {job} {workers} workers, not {terms.size}")
    if terms.lanes not in (0, settled.lanes, wanted):
        raise JoinError(Refusal.MISMATCH, f"job {job} has {settled.lanes} lanes, not {terms.lanes}")
    if terms.raise_on_loss != settled.raise_on_loss:
        raise JoinError(Refusal.MISMATCH, f"the workers of job {job} disagree on what to do when one is lost")


def _check_token(job: int, wanted: bytes, given: bytes) -> None:
    if not compare_digest(wanted, given):
        problem = "has no token: give none" if not wanted else "has another token" if given else "needs its token"
        raise JoinError(Refusal.TOKEN, f"job {job} {problem}")
