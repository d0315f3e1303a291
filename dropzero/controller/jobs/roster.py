"""Runs the jobs: keeps the workers' connections and the switch's rows in step with the jobs' members.

One event loop owns all state. Only writes to the switch run on other threads, one at a time and in order. Members learn
of an epoch after the switch has entered it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from dropzero.controller.jobs.jobs import Job, Jobs, PendingJob, Terms, Worker
from dropzero.controller.jobs.recall import Recalls
from dropzero.controller.jobs.slots import NoSlotsError
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError, WriteError
from dropzero.membership.ending import Ending, Kind


class NoMemberError(Exception):
    """The job, or the worker in it, no longer exists."""


class RemovedError(Exception):
    """The worker is no longer a member; the message says why."""


class SwitchState(Protocol):
    """The part of the switches that the roster uses: see dropzero.controller.switches.fabric."""

    def learn(self) -> list[tuple[Job, bool]]: ...

    def sync(self, number: int, job: Job | None) -> None: ...

    def taken(self) -> int: ...


ROLL_CALL = 1.0
"""Seconds within which members must answer a roll call."""
HOLD = 5.0
"""Seconds within which members must answer a hold. A member that does not is lost."""
FAREWELL = 0.02
"""Seconds after which the others hear that a member has finished. Mostly, all finish at about the same time."""
AFTERMATH = 5.0
"""Seconds after the loss of a member in which a job that raises an error for it is expected to end."""
MOST_ENDINGS = 1000
"""The most endings that are kept for members that have not reached those calls."""


@dataclass(frozen=True)
class JobUpdate:
    """A message to a worker about its job.

    Attributes:
        rank: the worker's rank.
        why: the reason for the epoch.
        leaving: members that have finished.
        waiting: the number of workers that wait to be let in.
        newcomer: the worker entered while the job was running.
        roll_call: asks for the worker's progress, because a member that has finished this number of calls waits.
        hold: asks the worker to take no result of this call or a later one in this epoch, and to report how many
            results it has.
    """

    job: Job
    rank: int
    why: str
    leaving: tuple[int, ...] = ()
    waiting: int = 0
    newcomer: bool = False
    roll_call: int | None = None
    hold: int | None = None


@dataclass(frozen=True)
class Recall:
    """A request for a worker's latest events, at most `last` of them."""

    last: int


@dataclass(eq=False)
class Question:
    """A roll call or a hold for call number `call`, sent to the members `ranks` of a job in one epoch.

    answers: by rank, the number of calls that a member has finished; and for a roll call, whether it is in the next
        one, for a hold, whether it was benched or is new, and has not caught up yet.
    changed: an answer has come, or there is another reason to look again.
    """

    job: Job
    call: int
    ranks: set[int]
    answers: dict[int, tuple[int, bool]] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Admitted(NamedTuple):
    """The members' latest request to let workers in, after `calls` calls. They continue in `epoch`; done: the switch is
    up to date."""

    calls: int
    epoch: int
    done: asyncio.Future[None]


@dataclass(eq=False)
class Conversation:
    """What the members of a running job were told and asked, from its start to its end. A later job of the same number
    has its own conversation.

    Attributes:
        whys: the reasons for the epoch that begins.
        published: the latest epoch that the members were told about, and its reasons.
        roll_call, hold: questions that wait for answers.
        ending: held while a call is ended.
        losses: how often the job has raised an error for the loss of a member in the last AFTERMATH seconds.
    """

    whys: list[str] = field(default_factory=list)
    published: tuple[int, str] = (0, "")
    admitted: Admitted | None = None
    roll_call: Question | None = None
    hold: Question | None = None
    ending: asyncio.Lock = field(default_factory=asyncio.Lock)
    losses: int = 0

    def settle(self) -> None:
        """Handles the end of a loss's aftermath."""
        self.losses -= 1

    def look_again(self) -> None:
        """Wakes those who wait for answers, so that they check them again."""
        for question in (self.roll_call, self.hold):
            if question is not None:
                question.changed.set()


@dataclass(eq=False)
class Connection:
    """A worker's connection. `updates` ends with None when the worker has left, or with an error: RemovedError
    or SwitchError. lost: it will not come back, and is about to be removed."""

    worker: Worker
    job: int
    pending: PendingJob | None = None
    newcomer: bool = False
    connected: bool = True
    lost: bool = False
    updates: asyncio.Queue[JobUpdate | Recall | Exception | None] = field(default_factory=asyncio.Queue)


class Roster:
    """All jobs, their workers' connections, and the switch's rows."""

    def __init__(self, jobs: Jobs, switch: SwitchState, report: Callable[[str], None], *, patience: float = 0) -> None:
        """report: called with one line for each event of a job. patience: seconds within which a disconnected worker
        may reconnect, and the others can still fetch results from the switch that only it has."""
        self.jobs = jobs
        self.recalls = Recalls(self._recall)
        self._switch = switch
        self._report = report
        self._patience = patience
        self._connections: dict[Worker, Connection] = {}
        self._conversations: dict[int, Conversation] = {}
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def connected(self, worker: Worker) -> bool:
        return worker in self._connections and self._connections[worker].connected

    def unsettled(self, number: int) -> bool:
        """Whether a place in the job may soon be free, or the job over: members are disconnected, or it has just raised
        an error for the loss of one."""
        if any(each.job == number and not each.connected for each in self._connections.values()):
            return True
        conversation = self._conversations.get(number)
        return conversation is not None and conversation.losses > 0

    # ---- workers

    def join(self, number: int, terms: Terms, worker: Worker) -> Connection:
        """Queues a worker for a job that starts, or for a running job that lets it in. Raises JoinError."""
        connection = Connection(worker, number)
        if number in self.jobs.running:
            rank = self.jobs.enter(number, terms, worker)
            connection.newcomer = True
            self._connections[worker] = connection
            self._report(f"job {number}: worker {rank} at {worker.ip} waits to be let in")
            self._remind(number)
            self._advance()
            return connection
        pending = connection.pending = self.jobs.join(number, terms, worker)
        self._connections[worker] = connection
        if not pending.full:
            self._report(f"job {number}: {len(pending.workers)} of {pending.wanted} workers have joined")
        elif self.jobs.in_line(pending):
            self._report(f"job {number}: waits in line for {pending.lanes} slots")
        self._advance()
        return connection

    def resume(
        self, number: int, rank: int, ip: str, udp_port: int, token: bytes, secret: int, epoch: int
    ) -> Connection:
        """Gives a member a new connection after it lost its old one. epoch: the latest one that it knows.

        Raises:
            RemovedError: it is not a member.
            JoinError: the token is wrong.
        """
        try:
            worker = self.member(number, rank, ip, udp_port, token, secret)
        except NoMemberError as error:
            raise RemovedError(str(error)) from error
        former = self._connections.get(worker)
        if former is not None:
            if former.lost:
                raise RemovedError(f"job {number} has lost this worker")
            former.updates.put_nowait(RemovedError("it opened another connection"))
        connection = self._connections[worker] = Connection(worker, number)
        self._report(f"job {number}: worker {rank} at {ip} is back")
        if epoch > self.jobs.running[number].epoch:
            # An earlier controller asked it a question in that epoch, and ended before the switch had entered it.
            self.jobs.pass_over(epoch)
            self.jobs.drop(number)
            self._changed(number, f"job {number}: worker {rank} knows of a later epoch than the switch")
        job = self.jobs.running[number]
        conversation = self._conversations[number]
        published, why = conversation.published
        roll_call, hold = (
            each if each is not None and each.job is job and rank in each.ranks else None
            for each in (conversation.roll_call, conversation.hold)
        )
        if published == job.epoch or roll_call or hold:
            # Repeat what it was asked while it was away, even before the switch has entered this epoch.
            self._tell(connection, job, rank, why, roll_call.call if roll_call else None)
        return connection

    def contributing(self, number: int) -> set[int]:
        """The members of a job that have not finished; empty if it is not running."""
        job = self.jobs.running.get(number)
        return set() if job is None else set(job.members) - self.jobs.finished(number).keys()

    def contributing_with(self, number: int, worker: Worker) -> set[int]:
        """The same for the job that this worker is a member of; empty if it is not a member any more."""
        return set() if self._job_of(number, worker) is None else self.contributing(number)

    def _job_of(self, number: int, worker: Worker) -> Job | None:
        """The job with this number, unless it is another one than that of which this worker is a member."""
        job = self.jobs.running.get(number)
        return job if job is not None and worker in job.workers.values() else None

    def member(self, number: int, rank: int, ip: str, udp_port: int, token: bytes, secret: int) -> Worker:
        """The member with these properties. Raises NoMemberError, or JoinError for a wrong token."""
        job = self.jobs.running.get(number)
        if job is None:
            raise NoMemberError(f"job {number} is over")
        self.jobs.check_token(number, token)
        worker = job.everybody.get(rank)
        if worker is None or (str(worker.ip), worker.udp_port, worker.secret) != (ip, udp_port, secret):
            raise NoMemberError(f"job {number} has no worker {rank} at {ip} any more")
        return worker

    async def leave(self, number: int, worker: Worker, linger: float, calls: int = 0, epoch: int = 0) -> bool:
        """Lets a member leave that has finished after `calls` calls. It stays in this epoch for `linger` seconds, or
        until another member waits for it in the next call, so that the others can still fetch results from the switch.

        Returns:
            True when the switch is up to date. False if the job is not in `epoch` (0: any): then the worker stays.
        """
        connection = self._connections.get(worker)
        if connection is None:
            return True
        job = self.jobs.running[number]
        if epoch not in (0, job.epoch) and worker in job.workers.values():
            return False
        del self._connections[worker]
        connection.updates.put_nowait(None)
        rank = _rank(job, worker)
        others = [*job.benched.values(), *self.jobs.newcomers(number).values()]
        if not linger or rank in job.benched:
            await self._gone(number, worker)
        elif self.jobs.finish(number, rank, calls):
            await self._over(number, f"job {number}: over", others)
        else:
            self._report(f"job {number}: worker {rank} at {worker.ip} has finished")
            loop = asyncio.get_running_loop()
            loop.call_later(FAREWELL, self._say_goodbye, job)
            loop.call_later(linger, self._gone, number, worker)
        return True

    def _say_goodbye(self, job: Job) -> None:
        """Tells a job's workers who has finished, unless the job has begun another epoch, which says so, or is over."""
        if self.jobs.running.get(job.id) is job:
            self._remind(job.id)

    def broke_off(self, connection: Connection) -> None:
        """Handles the end of a connection. A member that has not left is lost unless it reconnects in time."""
        if self._connections.get(connection.worker) is not connection:
            return
        if connection.pending is not None:
            del self._connections[connection.worker]
            self.jobs.withdraw(connection.pending, connection.worker)
            self._report(f"job {connection.job}: a waiting worker at {connection.worker.ip} gave up")
            self._advance()
        elif self.jobs.turn_away(connection.job, connection.worker):
            del self._connections[connection.worker]
            self._report(f"job {connection.job}: the worker at {connection.worker.ip} that waited to be let in gave up")
            self._remind(connection.job)
            self._advance()
        elif connection.connected:
            connection.connected = False
            self._expect(connection, self._patience, "its connection was lost")

    def abandon(self, number: int, worker: Worker) -> None:
        """Handles a member that gives up the job before it has finished. The others have as much time to fetch its last
        result as after a disconnection; if all members have given up the job, it ends at once."""
        connection = self._connections.get(worker)
        if connection is None or connection.lost:
            return
        was_connected, connection.connected, connection.lost = connection.connected, False, True
        self._conversations[number].look_again()
        job = self.jobs.running[number]
        needed = [*(job.workers[rank] for rank in self.contributing(number)), *job.benched.values()]
        if all(map(self._is_lost, needed)):
            others = [*job.everybody.values(), *self.jobs.newcomers(number).values()]
            self.jobs.end(number)
            self._over(number, f"job {number}: its workers have all ended their parts; the job is over", others)
        elif was_connected:
            self._expect(connection, self._patience, "it ended its part without leaving")

    def _expect(self, connection: Connection, patience: float, otherwise: str) -> None:
        """Removes a worker as lost, for the reason `otherwise`, unless it reconnects within `patience` seconds."""

        def lose() -> None:
            if self._connections.get(connection.worker) is connection:
                self._lose(connection.job, connection.worker, otherwise)

        if patience:
            asyncio.get_running_loop().call_later(patience, lose)
        else:
            lose()

    def _lose(self, number: int, worker: Worker, why: str) -> None:
        """Removes a worker that was lost."""
        job = self.jobs.running[number]
        rank = _rank(job, worker)
        text = f"job {number} lost its worker {rank} at {worker.ip}: {why}"
        if job.raise_on_loss and rank in job.workers:
            if (connection := self._connections.get(worker)) is not None:
                connection.lost = True
            conversation = self._conversations[number]
            conversation.look_again()
            self._spawn(self._end_running_call(conversation, number, worker, why, text))
        else:
            self._remove(number, rank, text)

    def _disconnect(self, worker: Worker, error: Exception) -> None:
        """Ends a worker's connection, if it has one, with an error."""
        if (connection := self._connections.pop(worker, None)) is not None:
            connection.updates.put_nowait(error)

    def close(self) -> None:
        """Forgets all connections, so that no worker counts as lost when the service stops."""
        self._connections.clear()

    # ---- waiting members

    async def admit(self, number: int, calls: int) -> int:
        """Lets waiting workers in. All members ask for this after the same number of calls. Returns the epoch in which
        they continue when the switch is up to date: if this controller ends before, the next one does not know it."""
        conversation = self._conversations[number]
        admitted = conversation.admitted
        if admitted is None or calls > admitted.calls:
            newcomers = ", ".join(map(str, self.jobs.newcomers(number)))
            epoch = self.jobs.admit(number).epoch if newcomers else self.jobs.running[number].epoch
            done = self._changed(number, f"job {number} has a new worker {newcomers}") if newcomers else _nothing()
            admitted = conversation.admitted = Admitted(calls, epoch, done)
        await asyncio.shield(admitted.done)
        return admitted.epoch

    def waiting(self, number: int, calls: int, impatient: bool, unheard: Iterable[int] = ()) -> None:
        """Handles a member that waits for others in call number `calls`.

        Args:
            impatient: it does not want to wait for stragglers.
            unheard: ranks for whose packets the switch has waited too long.
        """
        finished = self.jobs.finished(number)
        if finished and max(finished.values()) <= calls:
            # The waiting member has the results of all calls that the leaving members took part in.
            self.jobs.drop(number)
            names = ", ".join(map(str, finished))
            self._changed(number, f"job {number}: worker {names} left")
        elif (impatient or unheard) and (conversation := self._conversations[number]).roll_call is None:
            # Not in the task, which runs later: other members may report in the meantime.
            conversation.roll_call = Question(self.jobs.running[number], calls, self.contributing(number))
            self._spawn(self._call_roll(conversation, conversation.roll_call, impatient, frozenset(unheard)))

    async def _call_roll(
        self, conversation: Conversation, question: Question, impatient: bool, unheard: frozenset[int]
    ) -> None:
        """Benches the members that are not in the call, or do not answer. Removes those that are in it but whose
        packets do not arrive."""
        job = question.job
        try:
            answers = await self._ask(question, ROLL_CALL, roll_call=question.call)
        finally:
            conversation.roll_call = None
        if answers is None:
            return
        here = {rank for rank, answer in answers.items() if answer >= (question.call, True)}
        contributing = self.contributing(job.id)
        # Those who are lost are about to be removed.
        absent = sorted(rank for rank in contributing - here if not self._is_lost(job.workers[rank]))
        # Those who were in the call may have finished meanwhile.
        if impatient and 0 < len(absent) < len(contributing):
            self.jobs.bench(job.id, absent)
            self._changed(job.id, f"job {job.id} continues without its straggler {', '.join(map(str, absent))}")
            return
        for rank in sorted(unheard & contributing & answers.keys()):
            _, calling = answers[rank]
            # It may also be in an earlier call whose result does not reach it.
            if calling and self._job_of(job.id, job.workers[rank]) is not None:
                self._lose(job.id, job.workers[rank], "its packets do not reach the switch")

    # ---- requests to members

    async def _ask(
        self, question: Question, timeout: float, roll_call: int | None = None
    ) -> dict[int, tuple[int, bool]] | None:
        """Asks members, and waits at most `timeout` seconds for the answers of all that are not lost. Returns those
        that arrived, or None if the job has changed. The job's conversation has the question meanwhile."""
        job = question.job
        why = self._conversations[job.id].published[1]
        for rank in question.ranks:
            # Send it even before the switch has entered this epoch: the switch may be away for long.
            if (connection := self._connections.get(job.workers[rank])) is not None:
                self._tell(connection, job, rank, why, roll_call)
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while self.jobs.running.get(job.id) is job and not self._answered(question):
                    question.changed.clear()
                    await question.changed.wait()
        return question.answers if self.jobs.running.get(job.id) is job else None

    def _answered(self, question: Question) -> bool:
        """Whether all members that will answer have done so."""
        return all(self._is_lost(question.job.workers[rank]) for rank in question.ranks - question.answers.keys())

    def _is_lost(self, worker: Worker) -> bool:
        connection = self._connections.get(worker)
        return connection is not None and connection.lost

    def present(self, number: int, rank: int, epoch: int, calls: int, calling: bool) -> None:
        """Adds a member's answer to a roll call."""
        _answer(self._conversations[number].roll_call, rank, epoch, calls, calling)

    def held(self, number: int, rank: int, epoch: int, calls: int, behind: bool) -> None:
        """Adds a member's answer to a hold. If this controller did not ask for the hold, one did that has ended: begins
        the epoch in which the member takes results again."""
        if (hold := self._conversations[number].hold) is not None:
            _answer(hold, rank, epoch, calls, behind)
        elif rank in self.contributing(number) and epoch == self.jobs.running[number].epoch:
            self.jobs.drop(number)
            self._changed(number, f"job {number}: worker {rank} is on hold for a controller that has ended")

    # ---- calls that a member cannot finish

    async def give_up(self, number: int, worker: Worker, ending: Ending) -> Ending | None:
        """Ends a call that this member cannot finish for all members, unless another member has its result.

        Returns:
            How the call ended; None if it has a result, or the worker is no longer a member.

        Raises:
            NoMemberError: MOST_ENDINGS calls have ended that some member has not reached.
        """
        async with self._conversations[number].ending:
            while (job := self._job_of(number, worker)) is not None:
                for each in job.endings:
                    if each.call <= ending.call < each.end:
                        return each
                if len(job.endings) == MOST_ENDINGS:
                    raise NoMemberError(
                        f"{MOST_ENDINGS} calls of job {number} have ended early that some member has not reached"
                    )
                results = await self._held(job, ending.call, self.contributing(number))
                if results is None:
                    continue
                holders = [rank for rank, calls in results.items() if calls > ending.call]
                if results and not holders:
                    ended = self.jobs.end_call(number, ending, min(results.values()))
                    await self._changed(number, f"job {number}: {ending}")
                    return ended
                self.jobs.drop(number)
                which = f"call {ending.call}, which worker {ending.rank} gave up"
                who = f"worker {holders[0]} has" if holders else "members that are gone may have"
                await self._changed(number, f"job {number}: {who} the result of {which}")
                break
            return None

    async def _end_running_call(
        self, conversation: Conversation, number: int, worker: Worker, cause: str, why: str
    ) -> None:
        """Removes a lost worker. If it is a member, ends the first call of which no member has the result."""
        async with conversation.ending:
            while (job := self._job_of(number, worker)) is not None:
                lost = _rank(job, worker)
                others = self.contributing(number) - {lost}
                results = await self._held(job, 0, others)
                if results is None:
                    continue
                if not results:
                    await self._remove(number, lost, why)
                    return
                self._disconnect(worker, RemovedError(why))
                conversation.losses += 1
                asyncio.get_running_loop().call_later(AFTERMATH, conversation.settle)
                ending = Ending(max(results.values()), lost, cause, Kind.LOST)
                self.jobs.end_call(number, ending, min(results.values()), {lost})
                await self._changed(number, why)
            # A roll call may have benched it in the meantime.
            await self._gone(number, worker, why)

    async def _held(self, job: Job, call: int, ranks: set[int]) -> dict[int, int] | None:
        """Asks these members to take no result of `call` or a later one in this epoch. Returns how many results each
        has; no entries if all are behind, because the members that know the job's progress are gone; None if the job is
        in another epoch. Removes members that do not answer."""
        conversation = self._conversations[job.id]
        conversation.hold = question = Question(job, call, ranks)
        try:
            answers = await self._ask(question, HOLD)
        finally:
            conversation.hold = None
        if answers is None:
            return None
        for rank in sorted(ranks - answers.keys()):
            worker = job.workers[rank]
            self._gone(job.id, worker, f"job {job.id} lost its worker {rank} at {worker.ip}: it does not answer")
        if not ranks <= answers.keys():
            return None
        if all(behind for _, behind in answers.values()):
            return {}
        return {rank: calls for rank, (calls, _) in answers.items()}

    async def unbench(self, number: int, rank: int) -> None:
        """Makes a benched worker a member again. Returns when the switch is up to date: if this controller ends before,
        the worker asks the next one."""
        if rank in self.jobs.running[number].benched:
            self.jobs.unbench(number, rank)
            await self._changed(number, f"job {number}: the benched worker {rank} is back")

    # ---- operators

    async def evict(self, number: int, rank: int) -> None:
        """Removes a worker. Raises NoMemberError."""
        job = self._running(number)
        worker = job.everybody.get(rank)
        if worker is None:
            raise NoMemberError(f"job {number} has no worker {rank}: it has {', '.join(map(str, job.members))}")
        await self._remove(number, rank, f"job {number}: the operator removed worker {rank} at {worker.ip}")

    async def resize(self, number: int, lanes: int) -> None:
        """Gives a job `lanes` slots. Raises NoMemberError and NoSlotsError."""
        self._running(number)
        self.jobs.resize(number, lanes)
        await self._changed(number, f"job {number} now has {lanes} slots")

    async def renew(self, number: int, why: str) -> None:
        """Begins a new epoch, in which all slots start empty. Raises NoMemberError."""
        self._running(number)
        self.jobs.drop(number)
        await self._changed(number, why)

    async def renew_all(self, why: str) -> None:
        """Begins a new epoch of each job that is running now."""
        renewed = []
        for number in list(self.jobs.running):
            # A change of slots may have ended it.
            if self.jobs.running.get(number) is not None:
                self.jobs.drop(number)
                renewed.append(self._changed(number, f"job {number}: {why}"))
        await asyncio.gather(*renewed)

    def _recall(self, number: int, last: int) -> dict[int, Worker]:
        """Asks a job's workers for their last events. Returns those asked by rank. Raises NoMemberError."""
        job = self._running(number)
        asked = {rank: worker for rank, worker in job.everybody.items() if worker in self._connections}
        for worker in asked.values():
            self._connections[worker].updates.put_nowait(Recall(last))
        return asked

    async def with_switch(self, work: Callable[[], None]) -> None:
        """Runs other work on the switch, between the roster's own writes."""
        async with self._writing:
            await asyncio.to_thread(work)

    def _running(self, number: int) -> Job:
        if number not in self.jobs.running:
            raise NoMemberError(f"job {number} is not running")
        return self.jobs.running[number]

    # ---- the switch

    async def adopt(self, patience: float) -> None:
        """Takes over the jobs that an earlier controller left on the switch. Their workers have `patience` seconds to
        reconnect. Raises SwitchError."""
        async with self._writing:
            found = await asyncio.to_thread(self._switch.learn)
            await self._outrun_taken()
        # If two jobs claim a slot, the loser is the one with a missing row, else the one that was written first.
        for job, whole in sorted(found, key=lambda each: (each[1], each[0].epoch), reverse=True):
            try:
                if not job.workers:
                    raise NoMemberError("all members that know its results are gone")
                self.jobs.adopt(job)
            except (NoMemberError, NoSlotsError) as error:
                self._report(f"job {job.id} cannot continue: {error}")
                await self._spawn(self._write(job.id))
                continue
            self._conversations[job.id] = Conversation()
            self._report(f"job {job.id}: found with {len(job.workers)} workers, epoch {job.epoch}")
            for worker in job.everybody.values():
                connection = self._connections[worker] = Connection(worker, job.id, connected=False)
                self._expect(connection, patience, "it did not come back to the new controller")
            if not whole or self.jobs.running[job.id].slots != job.slots:
                self.jobs.drop(job.id)
                await self._changed(job.id, f"job {job.id}: some of its rows were missing")
            else:
                # Restores the other rows that are missing.
                await self._spawn(self._write(job.id))

    async def restore(self, reach: Callable[[], None]) -> None:
        """Restores the jobs on a switch that is back, possibly without its state. Jobs that also need a switch that is
        still away wait for that one. Jobs that a switch refuses end. Raises SwitchError.

        reach: makes the switch writable.
        """
        written: list[Job] = []
        async with self._writing:
            reach()
            await self._outrun_taken()
            found: list[tuple[Job, bool]] = []
            with suppress(UnreachableError):
                found = await asyncio.to_thread(self._switch.learn)
            present = {job.id: job.epoch for job, whole in found if whole}
            for number, job in list(self.jobs.running.items()):
                if present.get(number) != job.epoch:
                    # Its slots may be empty: contributions of this epoch may be lost.
                    self._conversations[number].whys.append(f"job {number}: the switch restarted")
                    self.jobs.drop(number)
            for job, _ in found:
                if job.id in self.jobs.running and self.jobs.running[job.id].slots != job.slots:
                    # Before another job's rows come, which may have these slots now.
                    with suppress(SwitchError):
                        await asyncio.to_thread(self._switch.sync, job.id, None)
            for number in {job.id for job, _ in found} | self.jobs.running.keys():
                running = self.jobs.running.get(number)
                try:
                    await asyncio.to_thread(self._switch.sync, number, running)
                except UnreachableError:
                    continue
                except WriteError as error:
                    self._refused(number, running, error)
                else:
                    written += [running] if running is not None else []
        for job in written:
            # Another epoch, or another job of this number, has its own write.
            if self.jobs.running.get(job.id) is job:
                self._publish(job)
        self._report("the switch is back, and its jobs are restored")
        self._advance()

    async def _outrun_taken(self) -> None:
        """Continues with epochs that no slot can contain."""
        self.jobs.outrun(await asyncio.to_thread(self._switch.taken) - 1)

    def _advance(self) -> None:
        """Starts all pending jobs that can start, and tells running ones that have other slots."""
        ready = self.jobs.ready()
        if moved := self.jobs.moved():
            # All old rows go before any new ones come: no slot has two jobs.
            self._spawn(self._clear(moved))
        for number in moved:
            job = self.jobs.running[number]
            self._announce(number, f"job {number}: {job.lanes} slots {'on a host' if job.hosted else 'from now on'}")
        for pending in ready:
            job = self.jobs.start(pending)
            self._conversations[job.id] = Conversation()
            for worker in job.workers.values():
                self._connections[worker].pending = None
            where = "on a host" if job.hosted else f"epoch {job.epoch}"
            self._announce(job.id, f"job {job.id}: started with {len(job.workers)} workers, {where}")

    def _gone(self, number: int, worker: Worker, why: str = "") -> asyncio.Future[None]:
        """Removes a worker if it is still in the job: because it left, unless `why` is given."""
        job = self.jobs.running.get(number)
        if job is None or worker not in job.everybody.values():
            return _nothing()
        rank = _rank(job, worker)
        return self._remove(number, rank, why or f"job {number}: worker {rank} at {worker.ip} left")

    def _remove(self, number: int, rank: int, why: str) -> asyncio.Future[None]:
        """Removes a worker from its job. The future is done when the switch and the other workers know."""
        job = self.jobs.running[number]
        self._disconnect(job.everybody[rank], RemovedError(why))
        newcomers = list(self.jobs.newcomers(number).values())
        if self.jobs.drop(number, {rank}) is not None:
            return self._changed(number, why)
        over = "all members that know its results are gone" if job.benched else "the job is over"
        return self._over(number, f"{why}; {over}", [*job.benched.values(), *newcomers])

    def _over(self, number: int, why: str, others: Iterable[Worker]) -> asyncio.Future[None]:
        """Announces the end of a job to its members, and to `others`."""
        for worker in others:
            self._disconnect(worker, RemovedError(why))
        return self._changed(number, why)

    def _changed(self, number: int, why: str) -> asyncio.Future[None]:
        """Announces that a job is in a new epoch, or over. The future is done when the switch and the workers know."""
        task = self._announce(number, why)
        self._advance()
        return asyncio.shield(task)

    def _announce(self, number: int, why: str) -> asyncio.Task[None]:
        self._report(why)
        if (conversation := self._conversations.get(number)) is not None:
            conversation.whys.append(why)
            conversation.look_again()
            if number not in self.jobs.running:
                del self._conversations[number]
        return self._spawn(self._write(number))

    async def _clear(self, numbers: Iterable[int]) -> None:
        """Removes the rows of jobs that are about to be written anew."""
        async with self._writing:
            for number in numbers:
                with suppress(SwitchError):
                    await asyncio.to_thread(self._switch.sync, number, None)

    async def _write(self, number: int) -> None:
        async with self._writing:
            job = self.jobs.running.get(number)
            try:
                await asyncio.to_thread(self._switch.sync, number, job)
            except UnreachableError:
                # When the switch is back, `restore` writes the rows and tells the workers.
                return
            except SwitchError as error:
                self._refused(number, job, error)
                return
        if job is not None and self.jobs.running.get(number) is job:
            self._publish(job)

    def _refused(self, number: int, job: Job | None, error: SwitchError) -> None:
        """Ends a job that the switch refuses, if it still runs."""
        self._report(f"job {number}: {error}")
        if job is None or self.jobs.running.get(number) is not job:
            return
        newcomers = list(self.jobs.newcomers(job.id).values())
        self.jobs.end(job.id)
        self._conversations.pop(job.id).look_again()
        for worker in (*job.everybody.values(), *newcomers):
            self._disconnect(worker, error)
        self._spawn(self._write(job.id))
        self._advance()

    def _publish(self, job: Job) -> None:
        """Tells the workers once about a new epoch."""
        conversation = self._conversations[job.id]
        if conversation.published[0] == job.epoch:
            return
        why = "; ".join(conversation.whys)
        conversation.whys.clear()
        conversation.published = job.epoch, why
        self._tell_all(job, why)

    def _remind(self, number: int) -> None:
        """Tells a job's workers about changes within the current epoch."""
        job = self.jobs.running[number]
        epoch, why = self._conversations[number].published
        if epoch == job.epoch:
            self._tell_all(job, why)

    def _tell_all(self, job: Job, why: str) -> None:
        for rank, worker in job.everybody.items():
            if worker in self._connections:
                self._tell(self._connections[worker], job, rank, why)

    def _tell(self, connection: Connection, job: Job, rank: int, why: str, roll_call: int | None = None) -> None:
        leaving, waiting = tuple(self.jobs.finished(job.id)), len(self.jobs.newcomers(job.id))
        hold = self._conversations[job.id].hold
        call = hold.call if hold is not None and hold.job.epoch == job.epoch else None
        connection.updates.put_nowait(JobUpdate(job, rank, why, leaving, waiting, connection.newcomer, roll_call, call))

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Starts a task, and keeps a reference to it: the event loop has only weak ones."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _answer(question: Question | None, rank: int, epoch: int, calls: int, flag: bool) -> None:
    # A lost member, which was not asked, may still answer an earlier question.
    if question is not None and question.job.epoch == epoch and rank in question.ranks:
        question.answers[rank] = calls, flag
        question.changed.set()


def _rank(job: Job, worker: Worker) -> int:
    return next(rank for rank, each in job.everybody.items() if each is worker)


def _nothing() -> asyncio.Future[None]:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done
