"""The membership service: what workers ask over gRPC, put to the roster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import NoReturn, Protocol

import grpc

from protocol.wire import UDP_PORT

from .access import digest
from .errors import SwitchError
from .jobs import Job, JoinError, Refusal, Terms, WhenFull, Worker
from .membership_pb2 import Admission, JoinRequest, LeaveReply, LeaveRequest, Member
from .roster import News, NoMemberError, RemovedError, Roster, Seat
from .topology import Host, parse_mac

_STATUS = {
    Refusal.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.RANK_TAKEN: grpc.StatusCode.ALREADY_EXISTS,
    Refusal.MISMATCH: grpc.StatusCode.FAILED_PRECONDITION,
    Refusal.RUNNING: grpc.StatusCode.FAILED_PRECONDITION,
    Refusal.NO_SLOTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Refusal.TOKEN: grpc.StatusCode.PERMISSION_DENIED,
}


@dataclass(frozen=True)
class Aggregator:
    """Where contributions go; `leaf`: it is a switch that passes a rack's share of the job on to its parent."""

    ip: str
    port: int = UDP_PORT
    leaf: bool = False


class Hosts(Protocol):
    """What of a Network or a Topology the service needs."""

    def at(self, ip: IPv4Address) -> Host | None: ...


class MembershipService:
    """The service's methods."""

    def __init__(
        self,
        roster: Roster,
        topology: Hosts,
        home: Callable[[Job, int], Aggregator],
        host: Aggregator | None = None,
    ) -> None:
        """`home`: the switch that a job's worker of some rank sends to. `host`: what adds up for jobs without slots."""
        self._roster = roster
        self._topology = topology
        self._home = home
        self._host = host

    async def join(self, request: JoinRequest, context: grpc.aio.ServicerContext) -> AsyncIterator[Admission]:
        try:
            seat = self._roster.join(request.job, _terms(request), self._worker(request))
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        async for admission in self._admissions(seat, context):
            yield admission

    async def resume(self, request: Member, context: grpc.aio.ServicerContext) -> AsyncIterator[Admission]:
        try:
            token = digest(request.token)
            seat = self._roster.resume(request.job, request.rank, request.ip, request.udp_port, token)
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        except RemovedError as error:
            await _abort(context, grpc.StatusCode.NOT_FOUND, str(error))
        async for admission in self._admissions(seat, context):
            yield admission

    async def leave(self, request: LeaveRequest, context: grpc.aio.ServicerContext) -> LeaveReply:
        who = request.member
        try:
            worker = self._roster.member(who.job, who.rank, who.ip, who.udp_port, digest(who.token))
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        except NoMemberError as error:
            await _abort(context, grpc.StatusCode.NOT_FOUND, str(error))
        await self._roster.leave(who.job, worker, max(0.0, request.linger))
        return LeaveReply()

    async def _admissions(self, seat: Seat, context: grpc.aio.ServicerContext) -> AsyncIterator[Admission]:
        try:
            while (news := await seat.news.get()) is not None:
                if isinstance(news, RemovedError):
                    await _abort(context, grpc.StatusCode.ABORTED, str(news))
                if isinstance(news, SwitchError):
                    await _abort(context, grpc.StatusCode.INTERNAL, str(news))
                assert isinstance(news, News)
                yield self._admission(news)
        finally:
            self._roster.broke_off(seat)

    def _admission(self, news: News) -> Admission:
        job = news.job
        where = self._host if job.hosted else None
        if where is None:
            where = self._home(job, news.rank)
        return Admission(
            job=job.id,
            size=job.size,
            rank=news.rank,
            epoch=job.epoch,
            lanes=job.lanes,
            switch_ip=where.ip,
            switch_port=where.port,
            members=job.members,
            hosted=job.hosted,
            why=news.why,
            leaf=where.leaf,
        )

    def _worker(self, request: JoinRequest) -> Worker:
        """Raises JoinError when it has no place in the network."""
        try:
            ip = IPv4Address(request.ip)
            host = self._topology.at(ip)
            if host is None:
                raise JoinError(Refusal.INVALID, f"{ip} is no host of the topology: the switch does not know its port")
            mac = parse_mac(request.mac) if request.mac else host.mac
        except (AddressValueError, ValueError) as error:
            raise JoinError(Refusal.INVALID, str(error)) from error
        if not 0 < request.udp_port < 1 << 16:
            raise JoinError(Refusal.INVALID, f"{request.udp_port} is no UDP port to send results to")
        return Worker(ip, mac, request.udp_port, host.port, request.rank if request.HasField("rank") else None)


def _terms(request: JoinRequest) -> Terms:
    """Raises JoinError."""
    try:
        when_full = WhenFull(request.when_full)
    except ValueError as error:
        raise JoinError(Refusal.INVALID, str(error)) from error
    return Terms(request.size, request.lanes, request.elastic, request.quorum, digest(request.token), when_full)


async def _abort(context: grpc.aio.ServicerContext, status: grpc.StatusCode, text: str) -> NoReturn:
    await context.abort(status, text)
    raise AssertionError("abort returns never")
