"""The membership service: workers join jobs, and the switch is told.

One event loop owns all state; only the writes to the switch leave it, one at a time and in order.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import NoReturn, Protocol

import grpc

from protocol.wire import UDP_PORT

from .errors import SwitchError
from .jobs import Gathering, Job, Jobs, JoinError, Refusal, Worker
from .membership_pb2 import Admission, JoinRequest, LeaveReply, LeaveRequest
from .stubs import membership_handler
from .topology import Topology, parse_mac

_STATUS = {
    Refusal.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.RANK_TAKEN: grpc.StatusCode.ALREADY_EXISTS,
    Refusal.MISMATCH: grpc.StatusCode.FAILED_PRECONDITION,
    Refusal.RUNNING: grpc.StatusCode.FAILED_PRECONDITION,
    Refusal.NO_SLOTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
}


class ListenError(Exception):
    """The address to listen on is taken, or is none."""


class LostError(Exception):
    """The job is over because one of its workers is gone."""


class Rows(Protocol):
    """What of a Switch the service needs."""

    def install(self, job: Job) -> None: ...

    def remove(self, job: Job) -> None: ...


@dataclass(eq=False)
class _Seat:
    """A worker whose Join call is open. `admitted` and `left` fail with SwitchError or LostError."""

    worker: Worker
    gathering: Gathering
    admitted: asyncio.Future[tuple[Job, int]]
    left: asyncio.Future[None]

    def fail(self, error: Exception) -> None:
        for future in (self.admitted, self.left):
            if not future.done():
                future.set_exception(error)
                future.exception()  # It need not be awaited: asyncio is not to complain.


class MembershipService:
    """The service's methods. `report` gets a line for each thing that happens to a job."""

    def __init__(
        self, jobs: Jobs, topology: Topology, switch: Rows, switch_ip: IPv4Address, report: Callable[[str], None]
    ) -> None:
        self._jobs = jobs
        self._topology = topology
        self._switch = switch
        self._switch_ip = switch_ip
        self._report = report
        self._seats: dict[Worker, _Seat] = {}
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def join(self, request: JoinRequest, context: grpc.aio.ServicerContext) -> AsyncIterator[Admission]:
        try:
            worker = self._worker(request)
            gathering = self._jobs.join(request.job, request.size, request.lanes, worker)
        except JoinError as error:
            await _abort(context, _STATUS[error.refusal], str(error))
        loop = asyncio.get_running_loop()
        seat = self._seats[worker] = _Seat(worker, gathering, loop.create_future(), loop.create_future())
        try:
            if not gathering.full:
                self._report(f"job {request.job}: {len(gathering.workers)} of {gathering.size} workers are here")
            else:
                running = self._jobs.start(gathering)
                self._spawn(self._start(running, [self._seats[each] for each in running.workers]))
            job, rank = await seat.admitted
            yield Admission(
                job=job.id,
                size=job.size,
                rank=rank,
                epoch=job.epoch,
                lanes=len(job.slots),
                switch_ip=str(self._switch_ip),
                switch_port=UDP_PORT,
            )
            await seat.left
        except LostError as error:
            await _abort(context, grpc.StatusCode.ABORTED, str(error))
        except SwitchError as error:
            await _abort(context, grpc.StatusCode.INTERNAL, str(error))
        finally:
            if self._seats.pop(worker, None) and (seat.left.cancelled() or not seat.left.done()):
                self._lose(seat)

    async def leave(self, request: LeaveRequest, context: grpc.aio.ServicerContext) -> LeaveReply:
        job = self._jobs.running.get(request.job)
        if job is None or job.epoch != request.epoch or request.rank >= job.size:
            text = f"no rank {request.rank} in job {request.job}, epoch {request.epoch}"
            await _abort(context, grpc.StatusCode.NOT_FOUND, text)
        seat = self._seats.get(job.workers[request.rank])
        if seat is not None and not seat.left.done():
            seat.left.set_result(None)
            if self._jobs.leave(job, request.rank):
                self._report(f"job {job.id}: over")
                await asyncio.shield(self._spawn(self._remove(job)))
        return LeaveReply()

    def close(self) -> None:
        """Forgets who is there: when the service stops, their calls end without their being lost."""
        self._seats.clear()

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

    async def _start(self, job: Job, seats: list[_Seat]) -> None:
        """Puts a job's rows on the switch, and then tells its workers, who are in these seats by rank."""
        try:
            async with self._writing:
                await asyncio.to_thread(self._switch.install, job)
        except SwitchError as error:
            self._report(f"job {job.id}: {error}")
            self._end(job, error)
        else:
            self._report(f"job {job.id}: started with {job.size} workers, epoch {job.epoch}")
            for rank, seat in enumerate(seats):
                if not seat.admitted.done():
                    seat.admitted.set_result((job, rank))

    def _lose(self, seat: _Seat) -> None:
        """A Join call broke off."""
        if seat.worker in seat.gathering.workers and self._jobs.gathering.get(seat.gathering.id) is seat.gathering:
            self._jobs.withdraw(seat.gathering, seat.worker)
            self._report(f"job {seat.gathering.id}: a waiting worker at {seat.worker.ip} gave up")
            return
        job = self._jobs.running.get(seat.gathering.id)
        if job is not None and seat.worker in job.workers:
            text = f"job {job.id} lost its worker {job.workers.index(seat.worker)} at {seat.worker.ip}"
            self._report(text)
            self._end(job, LostError(text))

    def _end(self, job: Job, reason: Exception) -> None:
        """Ends a job, once, for those of its workers who have not left."""
        if self._jobs.running.get(job.id) is not job:
            return
        self._jobs.end(job)
        for worker in job.workers:
            if worker in self._seats:
                self._seats[worker].fail(reason)
        self._spawn(self._remove(job))

    async def _remove(self, job: Job) -> None:
        async with self._writing:
            try:
                await asyncio.to_thread(self._switch.remove, job)
            except SwitchError as error:
                self._report(f"job {job.id}: {error}")

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """The loop keeps only weak references to its tasks."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _abort(context: grpc.aio.ServicerContext, status: grpc.StatusCode, text: str) -> NoReturn:
    await context.abort(status, text)
    raise AssertionError("abort returns never")


@asynccontextmanager
async def serving(service: MembershipService, listen: str, heartbeat: float) -> AsyncIterator[str]:
    """Serves at `unix:/path` or `host:port` (port 0: any), which the yielded address tells.

    A worker that does not answer for `heartbeat` to 2 `heartbeat` seconds, though its connection stands, is lost.

    Raises:
        ListenError: the address cannot be had.
    """
    path = Path(listen.removeprefix("unix:").removeprefix("//")) if listen.startswith("unix:") else None
    if path is not None:
        _refuse_taken(path)
    patience = round(heartbeat * 1000)
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.keepalive_time_ms", patience),
        # How long an answer may take: which of these two gRPC heeds depends on its version.
        ("grpc.keepalive_timeout_ms", patience),
        ("grpc.http2.ping_timeout_ms", patience),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers((membership_handler(service),))
    try:
        port = server.add_insecure_port(listen)
    except RuntimeError:
        port = 0
    if port == 0:
        raise ListenError(f"cannot listen on {listen}: is the address taken, or not this machine's?")
    await server.start()
    try:
        yield listen if path is not None else f"{listen.rpartition(':')[0]}:{port}"
    finally:
        service.close()
        await server.stop(grace=None)
        if path is not None:
            with suppress(FileNotFoundError):
                os.unlink(path)


def _refuse_taken(path: Path) -> None:
    """gRPC silently takes a socket file over from whoever listens on it."""
    if len(os.fsencode(path)) > 107:
        raise ListenError(f"the path of a Unix socket has at most 107 characters: {path}")
    if not path.parent.is_dir():
        raise ListenError(f"cannot listen on {path}: there is no directory {path.parent}")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return
    raise ListenError(f"cannot listen on {path}: another controller does")
