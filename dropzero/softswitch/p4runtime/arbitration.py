"""Arbitration: in each role, the stream with the highest election id is primary and may write."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid

STREAMS = 16
MESSAGES = 1024


def election(message: p4runtime_pb2.Uint128) -> int:
    """The 128 bits of a p4.v1.Uint128 as one number."""
    return int(message.high) << 64 | int(message.low)


class Stream:
    """One client's stream. `outbox` queues messages to send; None ends the stream."""

    def __init__(self) -> None:
        self.outbox: asyncio.Queue[Any] = asyncio.Queue()

    def send(self, response: p4runtime_pb2.StreamMessageResponse) -> bool:
        """Queues a message. Returns False, and drops it, if the client is too far behind."""
        if self.outbox.qsize() >= MESSAGES:
            return False
        self.outbox.put_nowait(response)
        return True


class Arbitration:
    """The elections among the streams of one device, one for each role. As in BMv2, the next highest id takes over
    when a primary leaves. If `strict`, as P4Runtime specifies, no client is primary until one bids at least the last
    primary's id. Unlike BMv2, this distinguishes roles. The role without a name is the default."""

    def __init__(self, device_id: int, *, strict: bool = False, primary_status: bool = True) -> None:
        """primary_status: whether an arbitration update has a status (OK) for the primary."""
        self.device_id = device_id
        self._candidates: dict[Stream, tuple[str, int]] = {}
        self._strict = strict
        self._primary_status = primary_status
        self._highest: dict[str, int] = {}
        """Election ids by role."""

    @property
    def is_empty(self) -> bool:
        return not self._candidates

    def primary(self, role: str = "") -> Stream | None:
        electors = self._electors(role)
        first = max(electors, key=electors.__getitem__, default=None)
        beaten = self._strict and first is not None and electors[first] < self._highest.get(role, 0)
        return None if beaten else first

    def primaries(self) -> Iterator[Stream]:
        """The primaries of all roles with clients."""
        for role in {role for role, _ in self._candidates.values()}:
            primary = self.primary(role)
            if primary is not None:
                yield primary

    def leads(self, stream: Stream) -> bool:
        """Whether `stream` is the primary of its role."""
        return stream in self._candidates and self.primary(self._candidates[stream][0]) is stream

    def bid(self, stream: Stream, election_id: int, role: str = "") -> None:
        """Enters `stream`, or changes its election id, and notifies the streams concerned."""
        before = self._candidates.get(stream)
        if before is not None and before[0] != role:
            raise Refusal(code_pb2.FAILED_PRECONDITION, "Invalid role")
        if before == (role, election_id):
            return
        if (role, election_id) in self._candidates.values():
            raise invalid("Election id already exists" if before is None else "New election id already exists")
        if before is None and len(self._candidates) >= STREAMS:
            raise Refusal(code_pb2.RESOURCE_EXHAUSTED, "Too many connections")
        was = self.primary(role)
        self._candidates[stream] = role, election_id
        self._highest[role] = max(election_id, self._highest.get(role, 0))
        changed = self.primary(role) is not was or was is stream
        self._announce(role, list(self._electors(role)) if changed else [stream])

    def leave(self, stream: Stream) -> None:
        if stream not in self._candidates:
            return
        led = self.leads(stream)
        role, _ = self._candidates.pop(stream)
        if led:
            self._announce(role, list(self._electors(role)))

    def authorize(self, request: p4runtime_pb2.WriteRequest | p4runtime_pb2.SetForwardingPipelineConfigRequest) -> None:
        """Refuses a write unless it is from its role's primary. Without any bids, a write without an id is allowed."""
        primary = self.primary(request.role)
        if primary is None:
            allowed = not self._candidates and not request.HasField("election_id")
        else:
            allowed = self._candidates[primary][1] == election(request.election_id)
        if not allowed:
            raise Refusal(code_pb2.PERMISSION_DENIED, "Not primary")

    def _electors(self, role: str) -> dict[Stream, int]:
        return {stream: number for stream, (its_role, number) in self._candidates.items() if its_role == role}

    def _announce(self, role: str, receivers: list[Stream]) -> None:
        primary = self.primary(role)
        highest = self._highest[role] if primary is None else self._candidates[primary][1]
        for receiver in receivers:
            response = p4runtime_pb2.StreamMessageResponse()
            arbitration = response.arbitration
            arbitration.device_id = self.device_id
            if role:
                arbitration.role.name = role
            arbitration.election_id.high = highest >> 64
            arbitration.election_id.low = highest & (1 << 64) - 1
            if primary is None:
                arbitration.status.code, arbitration.status.message = code_pb2.NOT_FOUND, "There is no primary"
            elif receiver is not primary:
                arbitration.status.code, arbitration.status.message = code_pb2.ALREADY_EXISTS, "Is backup"
            elif self._primary_status:
                arbitration.status.code, arbitration.status.message = code_pb2.OK, "Is primary"
            receiver.send(response)
