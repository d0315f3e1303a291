"""A worker's membership in a job: joins, follows the job's changes, and leaves.

with Membership("unix:/run/dropzero.sock") as membership:
    place = membership.join(job=1, size=4, ip="10.0.0.1", udp_port=40000)
    ...
    place = membership.changed(place.epoch, timeout=10)  # a worker entered, left or was lost
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, fields
from functools import partial
from types import TracebackType
from typing import Any, Literal, Protocol

import grpc

from dropzero.lock import Lock
from dropzero.membership import membership_pb2 as pb
from dropzero.membership.access import DEFAULT_CONTROLLER as DEFAULT_CONTROLLER
from dropzero.membership.access import AccessError, Tls
from dropzero.membership.channel import CLOSING, SHARED, await_answer, uninterrupted
from dropzero.membership.ending import Ending
from dropzero.membership.event import Event
from dropzero.membership.membership_pb2 import (
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

_ADDRESS = re.compile(r"unix:.+|[^/]+:([0-9]{1,5})")

LINGER = 60.0
"""Seconds for which a worker that leaves stays a member, so that the switch still answers the others."""

ABSENCE = 5.0
"""Seconds for which a worker that missed a roll call waits to be benched."""

ANSWER = 10.0
"""Seconds in which a controller must answer."""

CONTROLLER_RESTART = 60.0
"""Seconds for which a request waits for the controller to restart."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
"""Seconds between attempts to reach a controller that went away: the first pause and the longest."""
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
"""The statuses with which a stream may end when its server exits."""


class MembershipError(RuntimeError):
    """The controller cannot be reached, or refused or removed this worker; the message is for the user."""


class UnchangedError(MembershipError):
    """No new epoch began in time. This worker is still a member."""


@dataclass(frozen=True)
class Place:
    """A worker's part in one epoch of a job.

    Attributes:
        size: one more than the highest possible rank.
        rank: this worker's number, fixed while it is a member.
        lanes: packets that it may have in flight.
        members: the ranks that a round waits for.
        switch_ip, switch_port: where to send contributions.
        hosted: they go to a host, because the switch had no free slots.
        why: the reason for the epoch, as text.
        leaf, limited: as for dropzero.protocol.lanes.lanes.Lanes.
        leaving: members that have finished, and make no more calls.
        benched: workers that the members do not wait for; this worker may be one of them.
        waiting: the number of workers that wait to be let in.
        newcomer: this worker entered while the job was running.
        secret: 32 bits carried by this worker's packets and by the answers to them.
        endings: the latest calls that ended without a result.
        number: this worker's number in packets.
        ranks: by number, the workers on this worker's switch whose rank is another; of a leaf, the lowest below it.
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
    limited: bool = False
    leaving: tuple[int, ...] = ()
    benched: tuple[int, ...] = ()
    waiting: int = 0
    newcomer: bool = False
    secret: int = field(default=0, compare=False, repr=False)
    endings: tuple[Ending, ...] = ()
    number: int = 0
    ranks: Mapping[int, int] = field(default_factory=dict)


class Recorded(Protocol):
    """The part of a worker's recorder that a membership uses."""

    def note(self, call: int, what: str, /, **fields: object) -> object: ...

    def lines(self, last: int) -> list[Event]: ...


@dataclass
class _Joined:
    """How an attempt to join has ended. abandoned: nobody waits for it any more."""

    place: Place | None = None
    error: BaseException | None = None
    abandoned: bool = False


class Membership(AbstractContextManager["Membership"]):
    """A worker's connection to the controller. If the controller restarts, the connection is restored in the
    background. The end of the `with` block leaves the job. If the worker dies, or an exception ends the block, the
    others lose this worker.

    Attributes:
        recorder: records this worker's latest events, for operators; None: nothing is recorded.
    """

    def __init__(self, controller: str, *, timeout: float = ANSWER, tls: Tls | None = None) -> None:
        """Connects to `controller`, at `unix:/path` or `host:port`, or shares another membership's connection. Raises
        MembershipError if the address is not valid, nothing answers within `timeout` seconds, or a file of `tls` cannot
        be read."""
        if not _is_address(controller):
            raise MembershipError(f"a controller's address must be unix:PATH or HOST:PORT, not {controller!r}")
        self._timeout = timeout
        self.recorder: Recorded | None = None
        self._controller = controller, tls
        try:
            self._stub = SHARED.take(controller, tls, timeout)
        except AccessError as error:
            raise MembershipError(str(error)) from error
        except TimeoutError:
            raise self._no_answer() from None
        self._me: Member | None = None
        # The lock guards the attributes below; the condition signals their changes.
        self._lock = Lock()
        self._news = threading.Condition(self._lock)
        self._place: Place | None = None
        self._end: str | None = None
        self._progress = 0, False
        self._absent: int | None = None
        self._hold = 0, 0
        self._entering = False
        self.behind = False
        """This worker was benched or is new, and has not caught up with the others yet."""
        self._calls: set[Any] = set()
        """gRPC calls that may not be over. Without a reference, gRPC would cancel them."""
        self._closing = threading.Event()

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
        priority: int = 1,
        timeout: float | None = None,
    ) -> Place:
        """Joins a job. Waits until it starts or, if it is elastic and running, until its members let this worker in.

        Args:
            ip, udp_port: where this worker receives results.
            mac: this host's MAC address; empty: the one in the topology.
            raise_on_loss: the loss of a worker ends the running call on all workers.
            timeout: seconds to wait; None: no limit.
            job, size, rank, lanes, elastic, quorum, token, when_full, priority: see dropzero.connect.

        Raises:
            MembershipError: the controller refuses, or `timeout` is over.
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
            priority=priority,
        )
        joined = _Joined()
        threading.Thread(target=self._take_part, args=(request, joined), name=f"job {job}", daemon=True).start()
        try:
            return self._joined(joined, math.inf if timeout is None else time.monotonic() + timeout)
        except grpc.RpcError as error:
            raise MembershipError(f"cannot join job {job}: {_reason(error)}") from None
        except TimeoutError:
            raise MembershipError(
                f"not all {size} workers of job {job} joined in time, or its switch is away: the controller says which"
            ) from None
        finally:
            with self._lock:
                joined.abandoned = joined.place is None
            if joined.abandoned:
                uninterrupted(self._end_calls)

    def _joined(self, joined: _Joined, give_up_at: float) -> Place:
        """Waits for a place as long as the controller answers. Raises TimeoutError at `give_up_at`."""
        left = give_up_at - time.monotonic()
        while left > 0:
            with self._lock:
                self._news.wait_for(lambda: joined.place or joined.error, min(self._timeout, left))
            if joined.error is not None:
                raise joined.error
            if joined.place is not None:
                return joined.place
            left = give_up_at - time.monotonic()
            patience = max(min(self._timeout, left), CLOSING)
            try:
                uninterrupted(partial(await_answer, self._stub, patience))
            except TimeoutError:
                raise self._no_answer() from None
        raise TimeoutError

    def _take_part(self, request: JoinRequest, joined: _Joined) -> None:
        """Joins a job, and follows its changes. Runs on its own thread."""
        try:
            call = self._start(lambda: self._stub.Join(request, wait_for_ready=True))
            if joined.abandoned:
                call.cancel()
            place = _place(next(each for each in call if not each.HasField("recall")))
        except BaseException as error:
            with self._lock:
                joined.error = error
                self._news.notify_all()
            return
        me = Member(
            job=request.job,
            rank=place.rank,
            epoch=place.epoch,
            token=request.token,
            ip=request.ip,
            udp_port=request.udp_port,
            secret=place.secret,
        )
        with self._lock:
            if joined.abandoned:
                call.cancel()
                return
            joined.place = self._place = place
            self._end = None
            self._progress, self._absent, self._hold = (0, False), None, (0, 0)
            self._entering = self.behind = place.newcomer
            self._me = me
            self._news.notify_all()
        self._follow(me, call)

    def _no_answer(self) -> MembershipError:
        controller, tls = self._controller
        hint = "" if tls is None else ", or the certificates do not match"
        return MembershipError(
            f"no controller answers at {controller} within {self._timeout:.3g} s: "
            f"start one with `dropzero controller serve --listen {controller}`{hint}"
        )

    # ---- the job's changes

    @property
    def place(self) -> Place:
        """The latest place known. Raises MembershipError as `changed` does."""
        with self._lock:
            return self._known()

    @property
    def epoch(self) -> int:
        """The latest place's epoch. Raises MembershipError as `changed` does."""
        return self.place.epoch

    def changed(self, epoch: int, timeout: float | None = None) -> Place:
        """Waits at most `timeout` seconds for a place in an epoch other than `epoch`.

        Raises:
            UnchangedError: the time is up.
            MembershipError: this worker is no longer a member, or the job is over.
        """
        with self._lock:
            if not self._news.wait_for(lambda: self._known().epoch != epoch, timeout):
                raise UnchangedError(f"job {self._known().job} is still in epoch {epoch} after {timeout:g} s")
            return self._known()

    def _known(self) -> Place:
        if self._end is not None:
            raise MembershipError(self._end)
        if self._place is None:
            raise MembershipError("this worker is not in a job")
        return self._place

    def _follow(self, me: Member, call: Any) -> None:
        """Keeps the place up to date until this worker leaves or is removed. Runs on its own thread."""
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
                    elif admission.epoch == self._hold[0]:
                        # Another controller asked for this hold, and has ended: this one must begin an epoch.
                        self._tell_hold(me)
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
                # In the lock: `close` must not close the channel before this.
                call = self._start(lambda: self._stub.Resume(me))

    def _learn(self, me: Member, place: Place | None, end: str | None = None) -> None:
        with self._lock:
            if self._me is not me:
                return
            if place is not None and (self._place is None or place.epoch >= self._place.epoch):
                self._place = place
                me.epoch = max(me.epoch, place.epoch)
            self._end = end
            self._news.notify_all()

    # ---- the job's collectives

    def begin(self, calls: int) -> Place:
        """Notes that this worker has finished `calls` calls and begins the next one. If it missed a roll call, waits
        until it is benched. Returns the latest place. Raises MembershipError as `changed` does."""
        with self._lock:
            if self._absent is not None:
                self._news.wait_for(lambda: self._known().epoch != self._absent, ABSENCE)
                self._absent = None
            self._progress = calls, True
            return self._known()

    def end(self, calls: int) -> None:
        """Notes that this worker has finished `calls` calls and is not in a call."""
        with self._lock:
            self._progress = calls, False

    def take(self, call: int, epoch: int, calling: bool) -> bool:
        """Notes that this worker has a call's result, from epoch `epoch`, and, if `calling`, is in the next call.

        Returns:
            False if the result must not be used, because this worker has already reported to the controller that it has
            none. A later epoch then decides the call's outcome.
        """
        with self._lock:
            if call >= self._progress[0]:
                held_in, held = self._hold
                if epoch <= held_in and call >= held:
                    return False
                self._progress = call + 1, calling
            return True

    def enter(self, entering: bool) -> None:
        """Notes whether this worker is entering an epoch. While it is, it answers roll calls as present."""
        with self._lock:
            self._entering = entering

    def waits(self, *, impatient: bool, unheard: tuple[int, ...] = ()) -> None:
        """Tells the controller that this worker waits for other members.

        Args:
            impatient: it does not want to wait for stragglers.
            unheard: ranks for whose packets the switch has waited too long.
        """
        with self._lock:
            if self._me is not None:
                self._tell(self._stub.Waiting, self._state(self._me, impatient, unheard))

    def _answer(self, me: Member, admission: Admission) -> None:
        with self._lock:
            if self._me is not me:
                return
            state = self._state(me)
            if self._entering:
                state.calls, state.calling = admission.roll_call, True
            elif self._progress < (admission.roll_call, True):
                self._absent = admission.epoch
            self._tell(self._stub.Present, state)

    def _answer_hold(self, me: Member, admission: Admission) -> None:
        with self._lock:
            if self._me is me:
                self._hold = admission.epoch, admission.hold
                if self.recorder is not None:
                    what = "is on hold: this worker takes no result of it in epoch {epoch} any more"
                    self.recorder.note(max(admission.hold, self._progress[0]), what, epoch=admission.epoch)
                self._tell_hold(me)

    def _tell_hold(self, me: Member) -> None:
        with self._lock:
            if self._me is me:
                self._tell(self._stub.Hold, self._state(me))

    def _answer_recall(self, me: Member, last: int) -> None:
        events = self.recorder.lines(last) if self.recorder is not None else []
        said = [pb.Event(time=each.time, call=each.call, what=each.what) for each in events]
        with self._lock:
            if self._me is me:
                self._tell(self._stub.Recall, Recollection(member=me, events=said))

    def _tell(self, method: Any, message: Progress | Recollection) -> None:
        """Sends a message without waiting for the answer."""
        self._start(lambda: method.future(message, timeout=self._timeout))

    def _state(self, me: Member, impatient: bool = False, unheard: tuple[int, ...] = ()) -> Progress:
        calls, calling = self._progress
        return Progress(
            member=me, calls=calls, calling=calling, impatient=impatient, unheard=unheard, behind=self.behind
        )

    def give_up(self, ending: Ending) -> Ending | None:
        """Tells the controller that this worker cannot finish a call. Returns the ending that all members get; None if
        another member has the call's result. Raises MembershipError."""
        reply = self._ask(self._stub.GiveUp, lambda me: GiveUpRequest(member=me, ending=ending.message))
        return Ending.of(reply.ending) if reply.HasField("ending") else None

    def come_back(self) -> None:
        """Asks to be a member again, from the next epoch on, after this worker was benched. Raises MembershipError."""
        self.behind = True
        self._ask(self._stub.Return, lambda me: me)

    def admit(self, calls: int) -> int:
        """Asks to let waiting workers in. All members ask after the same number of calls. Returns the epoch in which
        they continue, or a later one. Raises MembershipError."""
        epoch = int(self._ask(self._stub.Admit, lambda me: AdmitRequest(member=me, calls=calls)).epoch)
        with self._lock:
            if self._me is not None:
                # If the switch was away, the next controller learns of this epoch only from the members.
                self._me.epoch = max(self._me.epoch, epoch)
        return epoch

    def compare(self, call: str) -> dict[int, str]:
        """Reports this worker's call after calls did not match. Returns, by rank, the calls of all members that report
        theirs within some seconds. Raises MembershipError."""
        return dict(self._ask(self._stub.Compare, lambda me: CallReport(member=me, call=call)).calls)

    def _ask(self, method: Any, request: Callable[[Member], Any]) -> Any:
        """Sends a request, and sends it again if the controller goes away before it answers."""
        me = self._me
        for _ in self._attempts():
            with self._lock:
                self._known()
                if me is None or self._me is not me:
                    raise MembershipError("the connection to the controller was closed")
                message = request(me)
            try:
                return self._answer_to(method, message, wait_for_ready=True)
            except grpc.RpcError as error:
                if not _is_away(error):
                    raise MembershipError(f"the controller refuses: {error.details()}") from None
        raise MembershipError(
            f"the controller has not answered for {CONTROLLER_RESTART:g} s: start it again if it is down"
        )

    def _answer_to(self, method: Any, message: Any, **options: bool) -> Any:
        """Returns the answer to a message. Raises grpc.RpcError."""
        try:
            return self._start(lambda: method.future(message, timeout=self._timeout, **options)).result()
        except (grpc.FutureCancelledError, ValueError) as error:
            # A ValueError: gRPC begins no call on a channel that another thread has closed.
            raise MembershipError("the connection to the controller was closed") from error

    def _start(self, begin: Callable[[], Any]) -> Any:
        """Begins a gRPC call. It ends with this connection at the latest."""

        def begin_and_note() -> Any:
            call = begin()
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)
            if self._closing.is_set():
                call.cancel()
            return call

        return uninterrupted(begin_and_note)

    def _end_calls(self) -> None:
        for call in tuple(self._calls):
            call.cancel()

    def _attempts(self) -> Iterator[None]:
        """Yields at once, and again after growing pauses, as long as the controller may restart."""
        give_up = time.monotonic() + CONTROLLER_RESTART
        pause = _FIRST_PAUSE
        while True:
            yield
            if time.monotonic() > give_up:
                return
            self._closing.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    # ---- leaving

    def leave(self, linger: float = 0, epoch: int = 0) -> bool:
        """Leaves the job; the others continue without this worker. The last one to leave frees the job's slots.

        Args:
            linger: seconds for which this epoch continues, so that the others can fetch lost results from the switch.
                It ends early when all have left.
            epoch: leave only in this epoch: in another one, the others may need this worker's results. 0: in any.

        Returns:
            Whether this worker left; True also if the controller does not come back, or the job is over.

        Raises:
            MembershipError: the controller refuses.
        """
        with self._lock:
            me, calls = self._me, self._progress[0]
        if me is None:
            return True
        request = LeaveRequest(member=me, linger=linger, calls=calls, epoch=epoch)
        # The others may still need this worker's results: the next controller must find it, too.
        for _ in self._attempts():
            try:
                if self._answer_to(self._stub.Leave, request).stays:
                    return False
                break
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.NOT_FOUND:
                    break
                if not _is_away(error):
                    raise MembershipError(f"cannot leave job {me.job}: {error.details()}") from None
            if self._me is not me or self._end is not None:
                break
        with self._lock:
            self._me = self._place = None
        return True

    def close(self) -> None:
        """Closes the connection. If this worker has not left its job, the others lose it. Threads that wait for changes
        of the job get a MembershipError."""
        with self._lock:
            me, self._me = self._me, None
            self._end = self._end or "this worker has closed its connection to the controller"
            self._news.notify_all()
        if self._closing.is_set():
            return
        try:
            self._closing.set()
            if me is not None:
                # A controller that cannot be told waits for this worker as for one that is disconnected.
                gone = LeaveRequest(member=me, lost=True)
                with suppress(grpc.RpcError):
                    uninterrupted(lambda: self._stub.Leave(gone, timeout=CLOSING))
        finally:
            if self._calls:
                uninterrupted(self._end_calls)
            SHARED.give_back(*self._controller)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.leave(LINGER)
        finally:
            self.close()


def _is_address(controller: object) -> bool:
    found = _ADDRESS.fullmatch(controller) if isinstance(controller, str) else None
    return found is not None and (found[1] is None or 0 < int(found[1]) < 1 << 16)


def _is_away(error: Any) -> bool:
    """Whether an error means that the controller went away or does not answer, rather than that it refused."""
    if error.code() is grpc.StatusCode.UNKNOWN:
        return "Stream removed" in error.details()
    return error.code() in (*_AWAY, grpc.StatusCode.DEADLINE_EXCEEDED)


def _reason(error: Any) -> str:
    return "the controller went away" if _is_away(error) else str(error.details())


def _place(admission: Admission) -> Place:
    """A place's fields have the names of the admission's."""
    found: dict[str, Any] = {each.name: getattr(admission, each.name) for each in fields(Place)}
    found |= {name: tuple(found[name]) for name in ("members", "leaving", "benched")}
    endings = tuple(map(Ending.of, admission.endings))
    return Place(**found | {"endings": endings, "ranks": dict(admission.ranks)})
