"""A worker's way into a job, and what it hears of it from then on.

with Membership("unix:/run/dropzero.sock") as membership:
    place = membership.join(job=1, size=4, ip="10.0.0.1", udp_port=40000)
    ...
    place = membership.changed(place.epoch, timeout=10)  # somebody came or went
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import grpc

from dropzero.controller import membership_pb2 as pb
from dropzero.controller.access import DEFAULT_CONTROLLER as DEFAULT_CONTROLLER
from dropzero.controller.access import AccessError, Tls, channel
from dropzero.controller.ending import Ending
from dropzero.controller.event import Event
from dropzero.controller.membership_pb2 import (
    Admission,
    AdmitRequest,
    CallReport,
    GiveUpRequest,
    JoinRequest,
    LeaveRequest,
    Member,
    Progress,
    Recollection,
    WhenFull,
)
from dropzero.controller.stubs import MembershipStub

_ADDRESS = re.compile(r"unix:.+|[^/]+:[0-9]{1,5}")

LINGER = 60.0
"""Seconds for which the switch still answers the others for a worker that is done."""

ABSENCE = 5.0
"""Seconds for which a worker that was not there when the roll was called waits to be benched."""

PATIENCE = 60.0
"""Seconds for which a question waits for the next controller, if the one that it was put to goes away."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two attempts to reach a controller that went away."""
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
"""How a stream ends whose server does."""


class MembershipError(Exception):
    """The controller cannot be reached, does not let the worker in, or has removed it; the text is for the user."""


class UnchangedError(MembershipError):
    """No new epoch came in time. This worker is a member still."""


@dataclass(frozen=True)
class Place:
    """What a worker needs to know to take part in one epoch of a job.

    Attributes:
        size: ranks are below it.
        rank: this worker's number, for as long as it is a member.
        members: the ranks whose contributions a round waits for.
        switch_ip, switch_port: where contributions go; a host's if `hosted`, because the switch had no slots left.
        why: what the change was that began the epoch.
        leaf: the job is on several switches, and none can make its packets longer by more than so much (`fill`
            of dropzero.protocol.lanes).
        leaving: members that are done, and contribute nothing more.
        benched: workers that the members do not wait for; this one may be among them.
        waiting: how many workers wait to be let in.
        newcomer: the job was running before this worker was in it.
        secret: what this worker's packets carry, and their answers.
        endings: the latest calls that ended without a result.
    """

    job: int
    size: int
    rank: int
    epoch: int
    lanes: int
    switch_ip: str
    switch_port: int
    members: tuple[int, ...] = ()
    hosted: bool = False
    why: str = ""
    leaf: bool = False
    leaving: tuple[int, ...] = ()
    benched: tuple[int, ...] = ()
    waiting: int = 0
    newcomer: bool = False
    secret: int = field(default=0, compare=False, repr=False)
    endings: tuple[Ending, ...] = ()


class Recorded(Protocol):
    """What of a worker's recorder a membership needs."""

    def note(self, call: int, what: str, /, **fields: object) -> object: ...

    def lines(self, last: int) -> list[Event]: ...


class Membership:
    """A worker's connection to the controller; it is made anew, in the background, when the controller is. Leaving the
    `with` block leaves the job; leaving it by an exception, or dying, tells the job's other workers that this one is
    lost.

    Attributes:
        recorder: has what this worker did last, for operators; None: it says nothing.
    """

    def __init__(self, controller: str, *, timeout: float = 10, tls: Tls | None = None) -> None:
        """`controller`: `unix:/path` or `host:port`, where one must answer within `timeout` seconds.

        Raises:
            MembershipError: none does, that is no address, or `tls` names files that are none.
        """
        if not isinstance(controller, str) or not _ADDRESS.fullmatch(controller):
            raise MembershipError(f"a controller's address is unix:PATH or HOST:PORT, not {controller!r}")
        self._timeout = timeout
        self.recorder: Recorded | None = None
        try:
            self._channel = channel(controller, tls)
        except AccessError as error:
            raise MembershipError(str(error)) from error
        self._stub = MembershipStub(self._channel)
        self._me: Member | None = None
        self._call: Any = None
        # The lock guards what follows; the condition wakes who waits for a change of it.
        self._lock = threading.RLock()
        self._news = threading.Condition(self._lock)
        self._place: Place | None = None
        self._end: str | None = None
        self._progress = 0, False
        self._absent: int | None = None
        self._hold = 0, 0
        self._entering = False
        self._telling: set[Any] = set()
        self._closing = threading.Event()
        try:
            grpc.channel_ready_future(self._channel).result(timeout)
        except grpc.FutureTimeoutError:
            self._channel.close()
            hint = "" if tls is None else ", or the certificates do not match"
            raise MembershipError(
                f"no controller answers at {controller}: "
                f"start one with `dropzero controller serve --listen {controller}`{hint}"
            ) from None

    def join(
        self,
        *,
        job: int,
        size: int,
        ip: str,
        udp_port: int,
        rank: int | None = None,
        mac: str = "",
        lanes: int = 0,
        elastic: bool = False,
        quorum: int = 0,
        token: str = "",
        when_full: Literal["refuse", "wait", "host"] = "refuse",
        raise_on_loss: bool = False,
        timeout: float | None = None,
    ) -> Place:
        """Waits until the job starts, or lets this worker in if it runs and is elastic, at most `timeout` seconds.

        Args:
            job: its number; who joins first creates it.
            size: its ranks are those below this number. It starts when so many workers are there.
            ip, udp_port: where this worker wants the results.
            rank: None for any.
            mac: empty for what the topology says.
            lanes: 0 for what the controller thinks fit.
            elastic: workers may join while it runs, taking ranks that are free.
            quorum: how many workers an elastic job starts with; 0 for all.
            token: the job's secret; who joins first sets it.
            when_full: what to do if the switch has no slots left: `wait` in line, or have a `host` add up.
            raise_on_loss: a worker that is lost ends the call that is running, for all.

        Raises:
            MembershipError: the controller says no, or the others did not come in time.
        """
        request = JoinRequest(
            job=job,
            size=size,
            rank=rank,
            ip=ip,
            mac=mac,
            udp_port=udp_port,
            lanes=lanes,
            elastic=elastic,
            quorum=quorum,
            token=token,
            when_full=WhenFull.Value(when_full.upper()),
            raise_on_loss=raise_on_loss,
        )
        call = self._stub.join(request)
        patience = threading.Timer(timeout, call.cancel) if timeout is not None else None
        if patience is not None:
            patience.start()
        try:
            admission: Admission = next(each for each in call if not each.HasField("recall"))
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.CANCELLED and timeout is not None:
                raise MembershipError(f"not all {size} workers of job {job} were there within {timeout} s") from None
            raise MembershipError(f"cannot join job {job}: {_reason(error)}") from None
        finally:
            if patience is not None:
                patience.cancel()
        place = self._place = _place(admission)
        self._end = None
        self._progress, self._absent, self._hold, self._entering = (0, False), None, (0, 0), place.newcomer
        me = self._me = Member(
            job=job, rank=place.rank, epoch=place.epoch, token=token, ip=ip, udp_port=udp_port, secret=place.secret
        )
        self._call = call
        threading.Thread(target=self._follow, args=(me, call), name=f"job {job}", daemon=True).start()
        return place

    # ---- what has changed

    @property
    def place(self) -> Place:
        """The latest one known. Raises MembershipError as `changed` does."""
        with self._lock:
            return self._known()

    @property
    def epoch(self) -> int:
        """Of the latest place known; cheap enough to be asked at every timeout. Raises MembershipError as `changed`
        does."""
        return self.place.epoch

    def changed(self, epoch: int, timeout: float | None = None) -> Place:
        """Waits until a place of another epoch than this one is known, at most `timeout` seconds.

        Raises:
            MembershipError: this worker is not a member any more, or the job is over; UnchangedError: the time is up.
        """
        with self._lock:
            if not self._news.wait_for(lambda: self._known().epoch != epoch, timeout):
                raise UnchangedError(f"job {self._known().job} is still in epoch {epoch} after {timeout:g} s")
            return self._known()

    def _known(self) -> Place:
        if self._end is not None:
            raise MembershipError(self._end)
        if self._place is None:
            raise MembershipError("in no job")
        return self._place

    def _follow(self, me: Member, call: Any) -> None:
        """Keeps the place up to date until this worker leaves, or is removed; on a thread of its own."""
        pause = _FIRST_PAUSE
        while True:
            try:
                for admission in call:
                    pause = _FIRST_PAUSE
                    if admission.HasField("recall"):
                        self._answer_recall(me, admission.recall)
                        continue
                    self._learn(me, _place(admission))
                    if admission.HasField("roll_call"):
                        self._answer(me, admission)
                    if admission.HasField("hold"):
                        self._answer_hold(me, admission)
                return
            except grpc.RpcError as error:
                if self._me is not me:
                    return
                if error.code() not in _AWAY:
                    self._learn(me, None, str(error.details()))
                    return
            if self._closing.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_PAUSE)
            with self._lock:
                if self._me is not me:
                    return
                call = self._call = self._stub.resume(me)

    def _learn(self, me: Member, place: Place | None, end: str | None = None) -> None:
        with self._lock:
            if self._me is not me:
                return
            if place is not None and (self._place is None or place.epoch >= self._place.epoch):
                self._place = place
                me.epoch = place.epoch
            self._end = end
            self._news.notify_all()

    # ---- the job's collectives

    def begin(self, calls: int) -> Place:
        """This worker has finished so many collectives, and is in the next one from now on. If it was said not to be
        when the roll was called, waits until it is on the bench. Returns the latest place known; raises MembershipError
        as `changed` does."""
        with self._lock:
            if self._absent is not None:
                self._news.wait_for(lambda: self._known().epoch != self._absent, ABSENCE)
                self._absent = None
            self._progress = calls, True
            return self._known()

    def end(self, calls: int) -> None:
        """It has finished so many, and is in none."""
        with self._lock:
            self._progress = calls, False

    def take(self, call: int, epoch: int, calling: bool) -> bool:
        """It has got the result of this call, in that epoch, and is in the next one if `calling`. False: it must not
        take it, because it has told the controller that it has none; a later epoch says what becomes of the call."""
        with self._lock:
            if call >= self._progress[0]:
                held_in, held = self._hold
                if epoch <= held_in and call >= held:
                    return False
                self._progress = call + 1, calling
            return True

    def enter(self, entering: bool) -> None:
        """Whether it is just entering an epoch: then it is wherever the others are when the roll is called."""
        with self._lock:
            self._entering = entering

    def waits(self, *, impatient: bool, unheard: tuple[int, ...] = ()) -> None:
        """Tells the controller that this worker waits for others, whether it wants to wait for stragglers, and whose
        packets the switch has waited for too long."""
        with self._lock:
            if self._me is not None:
                self._tell(self._stub.waiting, self._state(self._me, impatient, unheard))

    def _answer(self, me: Member, admission: Admission) -> None:
        with self._lock:
            if self._me is not me:
                return
            state = self._state(me)
            if self._entering:
                state.calls, state.calling = admission.roll_call, True
            elif self._progress < (admission.roll_call, True):
                self._absent = admission.epoch
            self._tell(self._stub.present, state)

    def _answer_hold(self, me: Member, admission: Admission) -> None:
        with self._lock:
            if self._me is me:
                self._hold = admission.epoch, admission.hold
                if self.recorder is not None:
                    what = "is on hold: no result of it is taken in epoch {epoch} any more"
                    self.recorder.note(max(admission.hold, self._progress[0]), what, epoch=admission.epoch)
                self._tell(self._stub.hold, self._state(me))

    def _answer_recall(self, me: Member, last: int) -> None:
        events = self.recorder.lines(last) if self.recorder is not None else []
        said = [pb.Event(time=each.time, call=each.call, what=each.what) for each in events]
        with self._lock:
            if self._me is me:
                self._tell(self._stub.recall, Recollection(member=me, events=said))

    def _tell(self, method: Any, message: Progress | Recollection) -> None:
        """Without waiting for an answer. A call that nobody refers to is cancelled."""
        call = method.future(message, timeout=self._timeout)
        self._telling.add(call)
        call.add_done_callback(self._telling.discard)

    def _state(self, me: Member, impatient: bool = False, unheard: tuple[int, ...] = ()) -> Progress:
        calls, calling = self._progress
        return Progress(member=me, calls=calls, calling=calling, impatient=impatient, unheard=unheard)

    def give_up(self, ending: Ending) -> Ending | None:
        """This worker can't finish a call. Returns how the call ended for all members, or None if it has a result, with
        another member. Raises MembershipError."""
        reply = self._ask(self._stub.give_up, lambda me: GiveUpRequest(member=me, ending=ending.message))
        return Ending.of(reply.ending) if reply.HasField("ending") else None

    def come_back(self) -> None:
        """A worker on the bench is a member again, in an epoch that is to come. Raises MembershipError."""
        self._ask(self._stub.come_back, lambda me: me)

    def admit(self, calls: int) -> int:
        """Has those workers let in that wait for it, when all members have finished so many collectives, and all ask.
        Returns the epoch in which they go on, or a later one. Raises MembershipError."""
        return int(self._ask(self._stub.admit, lambda me: AdmitRequest(member=me, calls=calls)).epoch)

    def compare(self, call: str) -> dict[int, str]:
        """All members' calls by rank, as far as they say within some seconds, if this one's is `call` and they do not
        match. Raises MembershipError."""
        return dict(self._ask(self._stub.compare, lambda me: CallReport(member=me, call=call)).calls)

    def _ask(self, method: Any, request: Callable[[Member], Any]) -> Any:
        """A question to the controller. If that goes away before it answers, the next one is asked."""
        give_up = time.monotonic() + PATIENCE
        pause = _FIRST_PAUSE
        while True:
            with self._lock:
                self._known()
                me = self._me
            if me is None:
                raise MembershipError("the connection to the controller was closed")
            try:
                return method(request(me), timeout=self._timeout, wait_for_ready=True)
            except grpc.RpcError as error:
                if not _is_away(error):
                    raise MembershipError(f"the controller does not help: {error.details()}") from None
            if time.monotonic() > give_up:
                raise MembershipError(f"the controller has been away for {PATIENCE:g} s: start it again")
            self._closing.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    # ---- the end

    def leave(self, linger: float = 0, epoch: int = 0) -> bool:
        """This worker is done with the job, and the others go on without it; with the last one its slots are free.

        Args:
            linger: seconds for which this epoch goes on even so, so that the others can ask the switch again for
                results that were lost on their way. If all of them say that they are done, too, the job is over.
            epoch: it leaves in no other one, because the others may need what it has; 0: it leaves in any.

        Returns whether it left. A controller that is gone, or a job that is over already, is all right.
        """
        with self._lock:
            me, calls = self._me, self._progress[0]
        if me is None:
            return True
        request = LeaveRequest(member=me, linger=linger, calls=calls, epoch=epoch)
        try:
            if self._stub.leave(request, timeout=self._timeout).stays:
                return False
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND and not _is_away(error):
                raise MembershipError(f"cannot leave job {me.job}: {error.details()}") from None
        with self._lock:
            self._me = self._place = None
        return True

    def close(self) -> None:
        """Hangs up. In a job that was not left, this worker is then lost."""
        with self._lock:
            self._me = None
        self._closing.set()
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.leave(LINGER)
        finally:
            self.close()


def _is_away(error: Any) -> bool:
    """Whether it says that the controller went away, or does not answer; not that the controller failed."""
    if error.code() is grpc.StatusCode.UNKNOWN:
        return "Stream removed" in error.details()
    return error.code() in (*_AWAY, grpc.StatusCode.DEADLINE_EXCEEDED)


def _reason(error: Any) -> str:
    return "the controller went away" if _is_away(error) else str(error.details())


def _place(admission: Admission) -> Place:
    return Place(
        job=admission.job,
        size=admission.size,
        rank=admission.rank,
        epoch=admission.epoch,
        lanes=admission.lanes,
        switch_ip=admission.switch_ip,
        switch_port=admission.switch_port,
        members=tuple(admission.members),
        hosted=admission.hosted,
        why=admission.why,
        leaf=admission.leaf,
        leaving=tuple(admission.leaving),
        benched=tuple(admission.benched),
        waiting=admission.waiting,
        newcomer=admission.newcomer,
        secret=admission.secret,
        endings=tuple(map(Ending.of, admission.endings)),
    )
