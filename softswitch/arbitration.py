"""Who may write to a device: of its streams, the one with the highest election id is primary."""

from __future__ import annotations

import asyncio
from typing import Any

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from softswitch.refusal import Refusal, invalid

STREAMS = 16
PACKETS = 1024


def election(message: Any) -> int:
    """The 128 bits of a p4.v1.Uint128 as one number."""
    return int(message.high) << 64 | int(message.low)


class Stream:
    """One client's stream: what is to be sent on it waits in `outbox`, None ends it."""

    def __init__(self) -> None:
        self.outbox: asyncio.Queue[Any] = asyncio.Queue()

    def send(self, response: Any) -> bool:
        """Queues a packet, or says no because the client is too far behind."""
        if self.outbox.qsize() >= PACKETS:
            return False
        self.outbox.put_nowait(response)
        return True


class Arbitration:
    """The election among the streams of one device. As in BMv2, roles are not told apart and the next highest id takes
    over when the primary leaves."""

    def __init__(self, device_id: int) -> None:
        self.device_id = device_id
        self._candidates: dict[Stream, int] = {}

    @property
    def primary(self) -> Stream | None:
        return max(self._candidates, key=self._candidates.__getitem__, default=None)

    def bid(self, stream: Stream, election_id: int) -> None:
        """Enters `stream`, or changes its id, and tells everybody who has to know."""
        before = self._candidates.get(stream)
        if before == election_id:
            return
        if election_id in self._candidates.values():
            raise invalid("Election id already exists" if before is None else "New election id already exists")
        if before is None and len(self._candidates) >= STREAMS:
            raise Refusal(code_pb2.RESOURCE_EXHAUSTED, "Too many connections")
        was = self.primary
        self._candidates[stream] = election_id
        changed = self.primary is not was or was is stream
        self._announce(list(self._candidates) if changed else [stream])

    def leave(self, stream: Stream) -> None:
        if stream not in self._candidates:
            return
        was = self.primary
        del self._candidates[stream]
        if was is stream:
            self._announce(list(self._candidates))

    def authorize(self, request: Any) -> None:
        """Refuses a write that does not come from the primary. Where nobody bids, a write without an id is welcome."""
        primary = self.primary
        if primary is None:
            allowed = not request.HasField("election_id")
        else:
            allowed = self._candidates[primary] == election(request.election_id)
        if not allowed:
            raise Refusal(code_pb2.PERMISSION_DENIED, "Not primary")

    def _announce(self, receivers: list[Stream]) -> None:
        primary = self.primary
        if primary is None:
            return
        highest = self._candidates[primary]
        for receiver in receivers:
            response = p4runtime_pb2.StreamMessageResponse()
            arbitration = response.arbitration
            arbitration.device_id = self.device_id
            arbitration.election_id.high = highest >> 64
            arbitration.election_id.low = highest & (1 << 64) - 1
            arbitration.status.code = code_pb2.OK if receiver is primary else code_pb2.ALREADY_EXISTS
            arbitration.status.message = "Is primary" if receiver is primary else "Is backup"
            receiver.outbox.put_nowait(response)
