"""Jobs from their first worker to their last: who waits to start, who runs, with which slots and in which epoch.

A job gathers until all its workers are there, runs until they have left or one of them is lost, and is then forgotten:
the next join of the same number starts it anew. No I/O and no clock here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from ipaddress import IPv4Address

from protocol.wire import MAX_WORKERS

from .slots import NoSlotsError, Slots

DEFAULT_LANES = 16
"""What a job gets whose workers do not say how many."""


class Refusal(Enum):
    """Why a worker cannot join."""

    INVALID = auto()
    RANK_TAKEN = auto()
    MISMATCH = auto()
    RUNNING = auto()
    NO_SLOTS = auto()


class JoinError(Exception):
    """A worker cannot join; `refusal` is the kind of reason, the text is for its user."""

    def __init__(self, refusal: Refusal, text: str) -> None:
        super().__init__(text)
        self.refusal = refusal


@dataclass(frozen=True, eq=False)
class Worker:
    """A process that takes part in a job: its addresses, the switch's port it lives on, the rank it asked for."""

    ip: IPv4Address
    mac: int
    udp_port: int
    port: int
    wanted: int | None = None


@dataclass(eq=False)
class Gathering:
    """A job that still waits for workers."""

    id: int
    size: int
    slots: range
    workers: list[Worker] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.workers) == self.size


@dataclass(frozen=True, eq=False)
class Job:
    """A running job: its workers by rank."""

    id: int
    epoch: int
    slots: range
    workers: tuple[Worker, ...]

    @property
    def size(self) -> int:
        return len(self.workers)


class Jobs:
    """All jobs of a switch."""

    def __init__(self, slots: Slots, epochs: Iterator[int]) -> None:
        """`epochs` must never repeat while the switch keeps its registers, whichever job they are for: the slots that
        one job leaves behind are recognised by their epoch when another gets them."""
        self.gathering: dict[int, Gathering] = {}
        self.running: dict[int, Job] = {}
        self._present: dict[Job, set[int]] = {}
        self._slots = slots
        self._epochs = epochs

    def join(self, job: int, size: int, lanes: int, worker: Worker) -> Gathering:
        """Puts a worker among those that wait for the job to start; the first one settles its size and its slots.

        Lanes: 0 leaves their number to the others, or to DEFAULT_LANES. Raises JoinError.
        """
        if not 1 <= size <= MAX_WORKERS:
            raise JoinError(Refusal.INVALID, f"a job has 1 to {MAX_WORKERS} workers, not {size}")
        if not 0 <= job < 1 << 16:
            raise JoinError(Refusal.INVALID, f"jobs are numbered 0 to 65535, not {job}")
        if worker.wanted is not None and not 0 <= worker.wanted < size:
            raise JoinError(Refusal.INVALID, f"rank {worker.wanted} is not one of a job of {size} workers")
        if job in self.running:
            ranks = ", ".join(map(str, sorted(self._present[self.running[job]])))
            raise JoinError(Refusal.RUNNING, f"job {job} is running: rank {ranks} has not left yet")
        if job not in self.gathering:
            try:
                self.gathering[job] = Gathering(job, size, self._slots.take(lanes or DEFAULT_LANES))
            except NoSlotsError as error:
                raise JoinError(Refusal.NO_SLOTS, f"no room for job {job}: {error}") from error
        gathering = self.gathering[job]
        if size != gathering.size:
            raise JoinError(Refusal.MISMATCH, f"job {job} is gathering {gathering.size} workers, not {size}")
        if lanes not in (0, len(gathering.slots)):
            raise JoinError(Refusal.MISMATCH, f"job {job} has {len(gathering.slots)} lanes, not {lanes}")
        if worker.wanted is not None and worker.wanted in (each.wanted for each in gathering.workers):
            raise JoinError(Refusal.RANK_TAKEN, f"rank {worker.wanted} of job {job} is taken")
        gathering.workers.append(worker)
        return gathering

    def withdraw(self, gathering: Gathering, worker: Worker) -> None:
        """A waiting worker gave up: its place is free again, and with the last one the job's slots."""
        gathering.workers.remove(worker)
        if not gathering.workers:
            del self.gathering[gathering.id]
            self._slots.free(gathering.slots)

    def start(self, gathering: Gathering) -> Job:
        """Makes a full gathering a running job. Who wants no particular rank gets the first one left."""
        del self.gathering[gathering.id]
        ranked = {worker.wanted: worker for worker in gathering.workers if worker.wanted is not None}
        rest = iter([worker for worker in gathering.workers if worker.wanted is None])
        workers = tuple(ranked[rank] if rank in ranked else next(rest) for rank in range(gathering.size))
        job = Job(gathering.id, next(self._epochs), gathering.slots, workers)
        self.running[job.id] = job
        self._present[job] = set(range(job.size))
        return job

    def leave(self, job: Job, rank: int) -> bool:
        """A worker is done. True when it was the last, and the job is over."""
        self._present[job].discard(rank)
        if not self._present[job]:
            self.end(job)
            return True
        return False

    def end(self, job: Job) -> None:
        """The job is over."""
        del self.running[job.id]
        del self._present[job]
        self._slots.free(job.slots)
