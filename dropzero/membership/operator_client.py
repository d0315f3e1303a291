"""An operator's connection to the controller."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from ipaddress import IPv4Address
from typing import Any

import grpc

from dropzero.membership import membership_pb2 as pb
from dropzero.membership.access import OPERATOR_TOKEN, Credentials, operator_address, socket_of
from dropzero.membership.channel import await_ready, channel, close
from dropzero.membership.event import Event
from dropzero.membership.membership_pb2_grpc import OperatorStub


class OperatorError(Exception):
    """The controller cannot be reached, or refuses a request; the message is for the user."""


class Operator(AbstractContextManager["Operator"]):
    """Inspects and changes jobs and switches through their controller. All methods raise OperatorError. Methods that
    change something return a sentence that describes the change."""

    def __init__(self, controller: str, *, credentials: Credentials | None = None, timeout: float = 5) -> None:
        """Connects to `controller`, `unix:/path` or `host:port`, which must answer within `timeout` seconds."""
        credentials = credentials or Credentials()
        self._timeout = timeout
        self._shown = ((OPERATOR_TOKEN, credentials.operator_token),)
        address = operator_address(controller)
        socket = socket_of(address)
        if socket is not None and os.access(socket, os.F_OK) and not os.access(socket, os.W_OK):
            raise OperatorError(f"only {socket.owner()}, who started the controller, may use {socket}")
        self._channel = channel(address, credentials.tls if socket is None else None)
        self._stub = OperatorStub(self._channel)
        try:
            await_ready(self._channel, timeout)
        except grpc.FutureTimeoutError:
            raise OperatorError(f"no controller answers at {controller}") from None

    def jobs(self) -> list[pb.JobStatus]:
        """Returns all jobs, including those that are not on a switch."""
        with _clear_errors():
            return list(self._stub.Jobs(pb.JobsRequest(), timeout=self._timeout, metadata=self._shown).jobs)

    def evict(self, job: int, rank: int) -> str:
        return self._done(self._stub.Evict, pb.EvictRequest(job=job, rank=rank))

    def resize(self, job: int, lanes: int) -> str:
        return self._done(self._stub.Resize, pb.ResizeRequest(job=job, lanes=lanes))

    def reset(self, job: int) -> str:
        """Empties a job's slots by starting a new epoch."""
        return self._done(self._stub.Reset, pb.ResetRequest(job=job))

    def reset_counters(self) -> str:
        return self._done(self._stub.Reset, pb.ResetRequest(counters=True))

    def set_loss(self, uplink: float | None = None, downlink: float | None = None) -> str:
        """Sets the probabilities of loss towards the switch and towards the hosts; None keeps one."""
        return self._done(self._stub.SetLoss, pb.LossRequest(uplink=uplink, downlink=downlink))

    def set_address(self, ip: IPv4Address, mac: str = "") -> str:
        """Sets the switch's address. mac: empty to keep it."""
        return self._done(self._stub.SetAddress, pb.AddressRequest(ip=str(ip), mac=mac))

    def set_marking(self, packets: int) -> str:
        """Sets the ECN threshold: the switch marks packets that find at least this many in their queue; 0: none."""
        return self._done(self._stub.SetMarking, pb.MarkingRequest(packets=packets))

    def watch(self) -> Iterator[str]:
        """Yields the controller's reports line by line, until the controller ends."""
        with _clear_errors():
            for line in self._stub.Watch(pb.WatchRequest(), metadata=self._shown):
                yield line.text

    def trace(self, job: int, last: int) -> tuple[list[tuple[int, Event]], list[int]]:
        """Returns the last `last` events of a job's workers, as (rank, event) ordered by time, and the ranks of the
        workers that did not answer."""
        events, silent = [], []
        with _clear_errors():
            request = pb.TraceRequest(job=job, last=last)
            for each in self._stub.Trace(request, timeout=2 * self._timeout, metadata=self._shown):
                events += [(each.rank, Event(one.time, one.call, one.what)) for one in each.events]
                silent += [each.rank] * each.silent
        return sorted(events, key=lambda event: event[1].time)[-last:], silent

    def _done(self, method: Any, request: Any) -> str:
        with _clear_errors():
            return str(method(request, timeout=2 * self._timeout, metadata=self._shown).text)

    def close(self) -> None:
        close(self._channel)

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _clear_errors() -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as error:
        if error.code() is grpc.StatusCode.CANCELLED:
            return
        raise OperatorError(error.details() or f"the controller does not answer ({error.code().name})") from None
