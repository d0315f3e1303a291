"""Collects digests into lists, sends them, and remembers them until they are acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.p4info import DigestInfo, encode

Message = tuple[int, ...]
# BMv2's minimum of both timeouts.
TIMEOUT_NS = 100_000_000
MOST_IN_LIST, MOST_UNACKNOWLEDGED = 1024, 16384
"""Limits, in messages, whatever a client asks for and however slowly it acknowledges."""


@dataclass
class _Sent:
    messages: frozenset[Message]
    expires: int


@dataclass
class DigestLists:
    """The messages of one digest. Times are in ns.

    config: p4.v1.DigestEntry.Config; None: the digest is not configured, and its messages are dropped

    An unacknowledged message is not sent again within ack_timeout_ns (0: no such limit), unless MOST_UNACKNOWLEDGED
    have been sent after it. A list is sent when it has max_list_size messages (0: MOST_IN_LIST, which is also the
    limit), or when its first message has waited for max_timeout_ns.
    """

    info: DigestInfo
    config: p4runtime_pb2.DigestEntry.Config | None = None
    _next_list: int = 1
    _known: set[Message] = field(default_factory=set)
    _waiting: list[Message] = field(default_factory=list)
    _since: int = 0
    _sent: dict[int, _Sent] = field(default_factory=dict)

    def learn(self, messages: list[Message], now: int) -> Iterator[Any]:
        """Adds new messages, and yields the lists that are full: p4.v1.StreamMessageResponse."""
        if self.config is None:
            return
        for message in messages:
            if self.config.ack_timeout_ns:
                if message in self._known:
                    continue
                self._known.add(message)
            if not self._waiting:
                self._since = now
            self._waiting.append(message)
            full = len(self._waiting) >= min(self.config.max_list_size or MOST_IN_LIST, MOST_IN_LIST)
            if full or not self.config.max_timeout_ns:
                yield self._list(now)

    def acknowledge(self, list_id: int) -> None:
        """Forgets the messages of a list, so that they may be sent again."""
        sent = self._sent.pop(list_id, None)
        if sent is not None:
            self._known -= sent.messages

    def expire(self, now: int) -> Iterator[Any]:
        """Forgets lists whose acknowledgement timed out, and yields a list that has waited long enough."""
        for list_id in [list_id for list_id, sent in self._sent.items() if sent.expires <= now]:
            self.acknowledge(list_id)
        if self._waiting and self._due <= now:
            yield self._list(now)

    def stop(self) -> None:
        """Forgets everything except the number of lists so far."""
        self.config = None
        self._known.clear()
        self._waiting.clear()
        self._sent.clear()

    @property
    def deadline(self) -> int | None:
        """The time of the next call of expire() that has an effect, ns."""
        times = [sent.expires for sent in self._sent.values()]
        if self._waiting:
            times.append(self._due)
        return min(times, default=None)

    @property
    def _due(self) -> int:
        assert self.config is not None
        return self._since + max(TIMEOUT_NS, int(self.config.max_timeout_ns))

    def _list(self, now: int) -> p4runtime_pb2.StreamMessageResponse:
        assert self.config is not None
        response = p4runtime_pb2.StreamMessageResponse()
        digest = response.digest
        digest.digest_id = self.info.id
        digest.list_id = self._next_list
        digest.timestamp = now
        for message in self._waiting:
            self._fill(digest.data.add(), message)
        if self.config.ack_timeout_ns:
            expires = now + max(TIMEOUT_NS, int(self.config.ack_timeout_ns))
            self._sent[self._next_list] = _Sent(frozenset(self._waiting), expires)
            while len(self._known) > MOST_UNACKNOWLEDGED:
                self.acknowledge(next(iter(self._sent)))
        self._waiting.clear()
        self._next_list += 1
        return response

    def _fill(self, data: Any, message: Message) -> None:
        if self.info.form == "bitstring":
            data.bitstring = encode(message[0])
            return
        members = getattr(data, self.info.form).members
        for value in message:
            members.add().bitstring = encode(value)
