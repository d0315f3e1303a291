"""A worker's way into a job.

with Membership("unix:/run/dropzero.sock") as membership:
    place = membership.join(job=1, size=4, ip="10.0.0.1", udp_port=40000)
    ...
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import grpc

from .membership_pb2 import Admission, JoinRequest, LeaveRequest
from .stubs import MembershipStub

DEFAULT_CONTROLLER = "unix:/tmp/dropzero-controller.sock"


class MembershipError(Exception):
    """The controller cannot be reached, or does not let the worker in; the text is for the user."""


@dataclass(frozen=True)
class Place:
    """What a worker needs to know to take part: who it is, and where contributions go."""

    job: int
    size: int
    rank: int
    epoch: int
    lanes: int
    switch_ip: str
    switch_port: int


class Membership:
    """A worker's connection to the controller. Leaving the `with` block leaves the job; leaving it by an exception, or
    dying, tells the job's other workers that this one is lost."""

    def __init__(self, controller: str, *, timeout: float = 10) -> None:
        """`controller`: `unix:/path` or `host:port`, where one must answer within `timeout` seconds.

        Raises:
            MembershipError: none does.
        """
        self._timeout = timeout
        self._channel = grpc.insecure_channel(controller, [("grpc.enable_http_proxy", 0)])
        self._stub = MembershipStub(self._channel)
        self._call: Any = None
        self._place: Place | None = None
        try:
            grpc.channel_ready_future(self._channel).result(timeout)
        except grpc.FutureTimeoutError:
            self._channel.close()
            raise MembershipError(
                f"no controller answers at {controller}: "
                f"start one with `dropzero controller serve --listen {controller}`"
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
        timeout: float | None = None,
    ) -> Place:
        """Waits until all `size` workers of the job are there, at most `timeout` seconds.

        `rank`: None for any. `mac`: empty for what the topology says. `lanes`: 0 for what the controller thinks fit.

        Raises:
            MembershipError: the controller says no, or the others did not come in time.
        """
        request = JoinRequest(job=job, size=size, rank=rank, ip=ip, mac=mac, udp_port=udp_port, lanes=lanes)
        call = self._stub.join(request)
        patience = threading.Timer(timeout, call.cancel) if timeout is not None else None
        if patience is not None:
            patience.start()
        try:
            admission: Admission = next(call)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.CANCELLED:
                raise MembershipError(f"not all {size} workers of job {job} were there within {timeout} s") from None
            raise MembershipError(f"cannot join job {job}: {error.details()}") from None
        finally:
            if patience is not None:
                patience.cancel()
        self._call = call
        self._place = Place(
            job=admission.job,
            size=admission.size,
            rank=admission.rank,
            epoch=admission.epoch,
            lanes=admission.lanes,
            switch_ip=admission.switch_ip,
            switch_port=admission.switch_port,
        )
        return self._place

    @property
    def lost(self) -> str | None:
        """Why the job cannot go on, once another worker of it is lost; cheap enough to be asked at every timeout."""
        if self._call is None or self._call.is_active() or self._call.code() is not grpc.StatusCode.ABORTED:
            return None
        return str(self._call.details())

    def leave(self) -> None:
        """This worker is done with the job; when all are, its slots are free, and it can be joined anew.

        A controller that is gone, or a job that is over already, is all right.
        """
        if self._place is None:
            return
        place, self._place = self._place, None
        try:
            self._stub.leave(LeaveRequest(job=place.job, epoch=place.epoch, rank=place.rank), timeout=self._timeout)
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE):
                raise MembershipError(f"cannot leave job {place.job}: {error.details()}") from None

    def close(self) -> None:
        """Hangs up. In a job that was not left, this worker is then lost."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.leave()
        finally:
            self.close()
