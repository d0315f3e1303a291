"""The membership service: passes workers' gRPC requests on to the roster."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from ipaddress import AddressValueError, IPv4Address
from typing import Any, NoReturn, Protocol

import grpc

from dropzero.controller.jobs.comparison import Comparison
from dropzero.controller.jobs.jobs import Job, JoinError, Refusal, Terms, WhenFull, Worker
from dropzero.controller.jobs.roster import Connection, JobUpdate, NoMemberError, Recall, RemovedError, Roster
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.controller.switches.fabric import Aggregator
from dropzero.controller.switches.view import Host, parse_mac
from dropzero.membership.access import digest
from dropzero.membership.ending import MOST_SAID, Ending
from dropzero.membership.event import EVENTS, LONGEST, Event
from dropzero.membership.membership_pb2 import (
    Admission,
    AdmitReply,
    AdmitRequest,
    CallReport,
    CallReports,
    GiveUpReply,
    GiveUpRequest,
    HoldReply,
    JoinRequest,
    LeaveReply,
    LeaveRequest,
    Member,
    PresentReply,
    Progress,
    RecallReply,
    Recollection,
    ReturnReply,
    WaitingReply,
)
from dropzero.membership.membership_pb2_grpc import MembershipServicer
from dropzero.membership.text import one_line

RETRY = 0.05
"""Seconds between two attempts to join a job that has no place."""
END_OF_TIME = 1 << 33
"""Seconds since 1970; later times must come from a wrong clock."""

_STATUS = {
    Refusal.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.RANK_TAKEN: grpc.StatusCode.ALREADY_EXISTS,
    Refusal.MISMATCH: grpc.StatusCode.FAILED_PRECONDITION,
    Refusal.RUNNING: grpc.StatusCode.FAILED_PRECONDITION,
    Refusal.NO_SLOTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Refusal.QUOTA: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Refusal.TOKEN: grpc.StatusCode.PERMISSION_DENIED,
}


Context = grpc.aio.ServicerContext[Any, Any]


class Hosts(Protocol):
    """The part of a Topology or a SwitchView that the service uses."""

    def at(self, ip: IPv4Address) -> Host | None: ...


class MembershipService(MembershipServicer):
    """The methods of `Membership` in membership.proto, which describes them."""

    def __init__(
        self,
        roster: Roster,
        hosts: Hosts,
        home: Callable[[Job, int], Aggregator],
    ) -> None:
        """home: (job, rank) -> where the worker sends its contributions."""
        self._roster = roster
        self._hosts = hosts
        self._home = home
        self._calls = Comparison(roster.contributing_with)

    async def Join(self, request: JoinRequest, context: Context) -> AsyncIterator[Admission]:
        try:
            connection = await self._joined(request)
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        async for admission in self._admissions(connection, context):
            yield admission

    async def _joined(self, request: JoinRequest) -> Connection:
        """Lets a worker join. If the job has no place for it, a disconnected member may be an earlier process of this
        worker: waits until all disconnected members are back or lost, and if a loss raises an error in the others,
        until they have had time to end the job. Raises JoinError."""
        terms, worker = _terms(request), self._worker(request)
        while True:
            try:
                return self._roster.join(request.job, terms, worker)
            except JoinError as error:
                taken = error.refusal in {Refusal.RUNNING, Refusal.RANK_TAKEN}
                if not taken or not self._roster.unsettled(request.job):
                    raise
            await asyncio.sleep(RETRY)

    async def Resume(self, request: Member, context: Context) -> AsyncIterator[Admission]:
        try:
            token = digest(request.token)
            connection = self._roster.resume(
                request.job, request.rank, request.ip, request.udp_port, token, request.secret, request.epoch
            )
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        except RemovedError as error:
            await _abort(context, grpc.StatusCode.NOT_FOUND, str(error))
        async for admission in self._admissions(connection, context):
            yield admission

    async def Leave(self, request: LeaveRequest, context: Context) -> LeaveReply:
        worker = await self._known(request.member, context)
        if request.lost:
            self._roster.abandon(request.member.job, worker)
            return LeaveReply()
        linger = max(0.0, request.linger)
        left = await self._roster.leave(request.member.job, worker, linger, request.calls, request.epoch)
        return LeaveReply(stays=not left)

    async def Compare(self, request: CallReport, context: Context) -> CallReports:
        worker = await self._known(request.member, context)
        who = request.member
        return CallReports(
            calls=await self._calls.compare(who.job, worker, who.epoch, who.rank, one_line(request.call, MOST_SAID))
        )

    async def GiveUp(self, request: GiveUpRequest, context: Context) -> GiveUpReply:
        who, asked = request.member, request.ending
        worker = await self._known(who, context)
        try:
            ending = replace(Ending.of(asked), rank=who.rank, cause=one_line(asked.cause, MOST_SAID))
        except ValueError as error:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        try:
            agreed = await self._roster.give_up(who.job, worker, ending)
            return GiveUpReply(ending=None if agreed is None else agreed.message)
        except NoMemberError as error:
            await _abort(context, grpc.StatusCode.NOT_FOUND, str(error))

    async def Hold(self, request: Progress, context: Context) -> HoldReply:
        who = request.member
        await self._known(who, context)
        self._roster.held(who.job, who.rank, who.epoch, request.calls, request.behind)
        return HoldReply()

    async def Waiting(self, request: Progress, context: Context) -> WaitingReply:
        who = request.member
        await self._known(who, context)
        # A member that does not know the latest epoch has waited for an earlier one.
        if self._roster.jobs.running[who.job].epoch == who.epoch:
            self._roster.waiting(who.job, request.calls, request.impatient, request.unheard)
        return WaitingReply()

    async def Present(self, request: Progress, context: Context) -> PresentReply:
        who = request.member
        await self._known(who, context)
        self._roster.present(who.job, who.rank, who.epoch, request.calls, request.calling)
        return PresentReply()

    async def Return(self, request: Member, context: Context) -> ReturnReply:
        await self._known(request, context)
        await self._roster.unbench(request.job, request.rank)
        return ReturnReply()

    async def Admit(self, request: AdmitRequest, context: Context) -> AdmitReply:
        await self._known(request.member, context)
        return AdmitReply(epoch=await self._roster.admit(request.member.job, request.calls))

    async def Recall(self, request: Recollection, context: Context) -> RecallReply:
        worker = await self._known(request.member, context)
        self._roster.recalls.add(worker, _events(request))
        return RecallReply()

    async def _known(self, who: Member, context: Context) -> Worker:
        """Returns the member after checking its token and secret, or ends the call with an error."""
        try:
            return self._roster.member(who.job, who.rank, who.ip, who.udp_port, digest(who.token), who.secret)
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        except NoMemberError as error:
            await _abort(context, grpc.StatusCode.NOT_FOUND, str(error))

    async def _admissions(self, connection: Connection, context: Context) -> AsyncIterator[Admission]:
        try:
            while (update := await connection.updates.get()) is not None:
                if isinstance(update, RemovedError):
                    await _abort(context, grpc.StatusCode.ABORTED, str(update))
                if isinstance(update, SwitchError):
                    await _abort(context, grpc.StatusCode.INTERNAL, str(update))
                assert isinstance(update, JobUpdate | Recall)
                yield self._admission(update) if isinstance(update, JobUpdate) else Admission(recall=update.last)
        finally:
            self._roster.broke_off(connection)

    def _admission(self, update: JobUpdate) -> Admission:
        job = update.job
        # A benched worker sends nothing.
        where = self._home(job, update.rank) if update.rank in job.workers else Aggregator("", 0)
        return Admission(
            job=job.id,
            size=job.size,
            rank=update.rank,
            epoch=job.epoch,
            lanes=job.lanes,
            switch_ip=where.ip,
            switch_port=where.port,
            members=job.members,
            hosted=job.hosted,
            why=update.why,
            leaf=where.leaf,
            limited=where.limited,
            number=job.number(update.rank),
            ranks=where.ranks,
            leaving=update.leaving,
            benched=sorted(job.benched),
            waiting=update.waiting,
            newcomer=update.newcomer,
            roll_call=update.roll_call,
            secret=job.everybody[update.rank].secret,
            hold=update.hold,
            endings=[each.message for each in job.endings],
        )

    def _worker(self, request: JoinRequest) -> Worker:
        """The worker that a request describes. Raises JoinError if it is not in the network."""
        try:
            ip = IPv4Address(request.ip)
            host = self._hosts.at(ip)
            if host is None:
                raise JoinError(Refusal.INVALID, f"the topology has no host {ip}: the switch does not know its port")
            mac = parse_mac(request.mac) if request.mac else host.mac
        except (AddressValueError, ValueError) as error:
            raise JoinError(Refusal.INVALID, str(error)) from error
        if not 0 < request.udp_port < 1 << 16:
            raise JoinError(Refusal.INVALID, f"{request.udp_port} is not a UDP port to which results can be sent")
        wanted = request.rank if request.HasField("rank") else None
        return Worker(ip, mac, request.udp_port, host.port, wanted, secret=secrets.randbits(32))


def _terms(request: JoinRequest) -> Terms:
    """Raises JoinError."""
    try:
        when_full = WhenFull(request.when_full)
    except ValueError as error:
        raise JoinError(Refusal.INVALID, str(error)) from error
    return Terms(
        request.size,
        request.lanes,
        request.elastic,
        request.quorum,
        digest(request.token),
        when_full,
        request.raise_on_loss,
        request.priority or 1,
    )


def _events(said: Recollection) -> list[Event]:
    """The events to show to others."""
    return [
        Event(each.time, each.call, one_line(each.what, LONGEST))
        for each in said.events[-EVENTS:]
        if 0 <= each.time < END_OF_TIME
    ]


async def _abort(context: Context, status: grpc.StatusCode, text: str) -> NoReturn:
    await context.abort(status, text)
    raise AssertionError("abort always raises")
