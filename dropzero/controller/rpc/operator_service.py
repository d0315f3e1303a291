"""The operator's service: inspects and changes jobs and switches through the controller."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from functools import partial
from ipaddress import AddressValueError, IPv4Address
from typing import Any, Protocol

import grpc

from dropzero.controller.jobs.jobs import Worker
from dropzero.controller.jobs.roster import NoMemberError, Roster
from dropzero.controller.jobs.slots import NoSlotsError
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError
from dropzero.controller.rpc.journal import Journal
from dropzero.controller.switches.switch import Settings
from dropzero.controller.switches.view import parse_mac
from dropzero.membership import membership_pb2 as pb
from dropzero.membership.membership_pb2_grpc import OperatorServicer

MARK_NEVER = 1 << 19
"""The switch cannot measure queues of this length or more."""


Context = grpc.aio.ServicerContext[Any, Any]


class Switches(Protocol):
    """The part of a SwitchManager that the service uses."""

    settings: Settings

    def change(self, settings: Settings) -> None: ...

    def reset_counters(self) -> None: ...


class OperatorService(OperatorServicer):
    """The methods of `Operator` in membership.proto."""

    def __init__(self, roster: Roster, switch: Switches, journal: Journal) -> None:
        self._roster = roster
        self._switch = switch
        self._journal = journal

    async def Jobs(self, _: pb.JobsRequest, context: Context) -> pb.JobsReply:
        reply = pb.JobsReply()
        jobs = self._roster.jobs
        for pending in jobs.pending.values():
            terms = pending.terms
            status = reply.jobs.add(job=pending.id, size=terms.size, lanes=terms.lanes, elastic=terms.elastic)
            status.state = "in line" if jobs.in_line(pending) else "gathering"
            for worker in pending.workers:
                self._add(status, worker.wanted, worker)
        for job in jobs.running.values():
            status = reply.jobs.add(job=job.id, size=job.size, lanes=job.lanes, elastic=job.elastic, epoch=job.epoch)
            status.state = "hosted" if job.hosted else "running"
            status.first_slots.update({switch: share.start for switch, share in job.slots.items()})
            for rank, worker in sorted(job.workers.items()):
                self._add(status, rank, worker)
        return reply

    def _add(self, status: pb.JobStatus, rank: int | None, worker: Worker) -> None:
        status.workers.add(
            rank=rank,
            ip=str(worker.ip),
            udp_port=worker.udp_port,
            port=worker.port,
            connected=self._roster.connected(worker),
        )

    async def Evict(self, request: pb.EvictRequest, context: Context) -> pb.Done:
        await self._try(context, self._roster.evict(request.job, request.rank))
        return pb.Done(text=f"job {request.job} continues without worker {request.rank}")

    async def Resize(self, request: pb.ResizeRequest, context: Context) -> pb.Done:
        await self._try(context, self._roster.resize(request.job, request.lanes))
        return pb.Done(text=f"job {request.job} has {request.lanes} slots")

    async def Reset(self, request: pb.ResetRequest, context: Context) -> pb.Done:
        if request.counters:
            await self._try(context, self._roster.with_switch(self._switch.reset_counters))
            return pb.Done(text="the switch's counters are 0")
        await self._try(context, self._roster.renew(request.job, f"job {request.job}: the operator emptied its slots"))
        return pb.Done(text=f"job {request.job} starts again with empty slots")

    async def SetLoss(self, request: pb.LossRequest, context: Context) -> pb.Done:
        settings = self._switch.settings
        if request.HasField("uplink"):
            settings = replace(settings, uplink_loss=request.uplink)
        if request.HasField("downlink"):
            settings = replace(settings, downlink_loss=request.downlink)
        if not (0 <= settings.uplink_loss <= 1 and 0 <= settings.downlink_loss <= 1):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a probability must be between 0 and 1")
        await self._try(context, self._change(settings))
        text = f"packets are lost with probability {settings.uplink_loss:g} up, {settings.downlink_loss:g} down"
        self._journal(text)
        return pb.Done(text=text)

    async def SetAddress(self, request: pb.AddressRequest, context: Context) -> pb.Done:
        settings = self._switch.settings
        try:
            settings = replace(settings, ip=IPv4Address(request.ip))
            if request.mac:
                settings = replace(settings, mac=parse_mac(request.mac))
        except (AddressValueError, ValueError) as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        await self._try(context, self._change(settings))
        # Workers learn the switch's address with a new epoch.
        await self._roster.renew_all(f"the switch's address is now {settings.ip}")
        return pb.Done(text=f"the switch's address is {settings.ip}")

    async def SetMarking(self, request: pb.MarkingRequest, context: Context) -> pb.Done:
        if request.packets >= MARK_NEVER:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"no queue is {request.packets} packets long")
        await self._try(context, self._change(replace(self._switch.settings, mark_from=request.packets)))
        text = f"packets are marked from a queue of {request.packets} on" if request.packets else "no packet is marked"
        self._journal(text)
        return pb.Done(text=text)

    async def Watch(self, _: pb.WatchRequest, context: Context) -> AsyncIterator[pb.Line]:
        async for line in self._journal.follow():
            yield pb.Line(text=line)

    async def Trace(self, request: pb.TraceRequest, context: Context) -> AsyncIterator[pb.WorkerTrace]:
        try:
            found = await self._roster.recalls.collect(request.job, request.last)
        except NoMemberError as error:
            await context.abort(grpc.StatusCode.NOT_FOUND, str(error))
        for rank, events in found.items():
            said = [pb.Event(time=each.time, call=each.call, what=each.what) for each in events or ()]
            yield pb.WorkerTrace(rank=rank, silent=events is None, events=said)

    async def _change(self, settings: Settings) -> None:
        await self._roster.with_switch(partial(self._switch.change, settings))

    @staticmethod
    async def _try(context: Context, work: Awaitable[None]) -> None:
        """Awaits `work`, and converts its errors to gRPC's."""
        try:
            await work
        except NoMemberError as error:
            await context.abort(grpc.StatusCode.NOT_FOUND, str(error))
        except NoSlotsError as error:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
        except UnreachableError as error:
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
        except SwitchError as error:
            await context.abort(grpc.StatusCode.INTERNAL, str(error))
