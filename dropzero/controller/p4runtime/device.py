"""A P4Runtime client that uses the P4 program's names instead of ids: a `Device` is one switch.

with Device("127.0.0.1:50051") as device:
    device.become_primary()
    device.push(P4Info.read(p4info), json)
    device.insert(Entry("forward.station", {"hdr.ethernet.destination": 0x080000000111}, "send_to", {"port": 1}))
    print(device.counter("fate"))
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.rpc import code_pb2, status_pb2

from dropzero.controller.p4runtime.errors import (
    NoProgramError,
    NotPrimaryError,
    Rejection,
    SwitchError,
    UnreachableError,
    UnsupportedError,
    WriteError,
)
from dropzero.membership.access import Tls
from dropzero.membership.channel import await_ready, close
from dropzero.p4 import GROWTH
from dropzero.p4.names import Entry, P4Info
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from dropzero.protocol.wire import HEADROOM

_Update = p4runtime_pb2.Update
_Config = p4runtime_pb2.SetForwardingPipelineConfigRequest

PUSH_TIMEOUT = 600.0
"""Seconds that a switch may take to load a program: some compile it to native code, on machines that are busy."""
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
"""The statuses that a call may end with when the switch goes away."""


@dataclass(frozen=True)
class Group:
    """A multicast group: its id (1 to 32767), and the (port, instance) of each copy."""

    id: int
    replicas: frozenset[tuple[int, int]] = frozenset()

    def __str__(self) -> str:
        return f"multicast group {self.id}"


@dataclass(frozen=True)
class Count:
    """A cell of a counter array."""

    packets: int
    bytes: int


def entity_of(each: Entry | Group, encode: Callable[[Entry], p4runtime_pb2.TableEntry]) -> p4runtime_pb2.Entity:
    """Encodes an entry or a group. encode: of a P4Info, for an entry. Raises SwitchError."""
    entity = p4runtime_pb2.Entity()
    if isinstance(each, Group):
        group = entity.packet_replication_engine_entry.multicast_group_entry
        group.multicast_group_id = each.id
        for port, instance in sorted(each.replicas):
            group.replicas.add(egress_port=port, instance=instance)
    else:
        entity.table_entry.CopyFrom(encode(each))
    return entity


class Device(AbstractContextManager["Device"]):
    """The client side of one P4Runtime server.

    All methods raise UnreachableError if the switch does not answer within `timeout` seconds, and SwitchError, with the
    switch's message, if it refuses.
    """

    def __init__(self, address: str, device_id: int = 0, *, timeout: float = 10, tls: Tls | None = None) -> None:
        """Connects within `timeout` seconds. Also raises AccessError if a file of `tls` cannot be read."""
        self.address = address
        self.device_id = device_id
        self._timeout = timeout
        # Ignore the environment's proxy; allow answers above gRPC's 4 MiB; reconnect at once after a failure.
        options = [
            ("grpc.enable_http_proxy", 0),
            ("grpc.max_receive_message_length", -1),
            ("grpc.use_local_subchannel_pool", 1),
        ]
        self._channel = (
            grpc.insecure_channel(address, options)
            if tls is None
            else grpc.secure_channel(address, tls.client(), options)
        )
        self._stub = p4runtime_pb2_grpc.P4RuntimeStub(self._channel)
        self._election: p4runtime_pb2.Uint128 | None = None
        self._p4info: P4Info | None = None
        # Messages to send on the stream; None ends it.
        self._requests: queue.SimpleQueue[p4runtime_pb2.StreamMessageRequest | None] = queue.SimpleQueue()
        try:
            await_ready(self._channel, timeout)
        except grpc.FutureTimeoutError:
            hint = "" if tls is None else ", and do the certificates match?"
            raise UnreachableError(f"no switch answers at {address}: is it running?{hint}") from None

    def close(self) -> None:
        self._requests.put(None)
        close(self._channel)

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- mastership

    def become_primary(self, election_id: int = 1, on_loss: Callable[[SwitchError], None] | None = None) -> None:
        """Becomes the primary: only the client with the highest election id may change the switch.

        Args:
            on_loss: called on another thread: with NotPrimaryError each time another client takes over (this one may
                become primary again when that client ends), and with UnreachableError once, when the switch goes away.

        Raises:
            NotPrimaryError: a client with the same or a higher election id is primary.
        """
        election = p4runtime_pb2.Uint128(high=election_id >> 64, low=election_id & (1 << 64) - 1)
        request = p4runtime_pb2.StreamMessageRequest()
        request.arbitration.device_id = self.device_id
        request.arbitration.election_id.CopyFrom(election)
        self._requests.put(None)
        self._requests = queue.SimpleQueue()
        responses = self._stub.StreamChannel(iter(self._requests.get, None))
        answers: queue.SimpleQueue[SwitchError | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(responses, answers, on_loss), daemon=True).start()
        self._requests.put(request)
        try:
            refusal = answers.get(timeout=self._timeout)
        except queue.Empty:
            refusal = UnreachableError(f"the switch at {self.address} does not answer the arbitration request")
        if refusal is not None:
            responses.cancel()
            raise refusal
        self._election = election

    def _listen(
        self,
        responses: Any,
        answers: queue.SimpleQueue[SwitchError | None],
        on_loss: Callable[[SwitchError], None] | None,
    ) -> None:
        """Reads the stream. The first arbitration update is the answer; later ones may report that another client took
        over."""
        answered = False
        try:
            for response in responses:
                if response.WhichOneof("update") != "arbitration":
                    continue
                refusal = None
                if response.arbitration.status.code != code_pb2.OK:
                    refusal = NotPrimaryError(f"another controller is primary on the switch at {self.address}")
                if not answered:
                    answers.put(refusal)
                    answered = True
                elif refusal is not None and on_loss is not None:
                    on_loss(refusal)
            gone: SwitchError = UnreachableError(f"the switch at {self.address} went away")
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.CANCELLED:
                return
            if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
                gone = NotPrimaryError(f"cannot become primary on the switch at {self.address}: {error.details()}")
            else:
                gone = UnreachableError(f"the switch at {self.address} went away")
        if not answered:
            answers.put(gone)
        elif on_loss is not None:
            on_loss(gone)

    # ---- the program

    def push(self, p4info: P4Info, json: bytes, cookie: int = 0) -> None:
        """Replaces the switch's program; its tables start empty. json: the compiled program. cookie: 64 bits that the
        switch stores, to identify the program. Raises NotPrimaryError if this client is not primary."""
        request = _Config(device_id=self.device_id, election_id=self._election, action=_Config.VERIFY_AND_COMMIT)
        request.config.p4info.CopyFrom(p4info.message)
        request.config.p4_device_config = json
        request.config.cookie.cookie = cookie
        with self._errors():
            self._stub.SetForwardingPipelineConfig(request, timeout=max(self._timeout, PUSH_TIMEOUT))
        self._p4info = p4info

    @property
    def p4info(self) -> P4Info:
        """The P4Info of the program that the switch runs, read from the switch unless it was pushed here. Raises
        NoProgramError if the switch runs no program."""
        if self._p4info is None:
            self._p4info = P4Info(self._config().p4info)
        return self._p4info

    def cookie(self) -> int:
        """The cookie of the program that the switch runs; 0: it has none. Raises NoProgramError if no program runs."""
        return int(self._config().cookie.cookie)

    def growth(self) -> int:
        """Bytes by which the switch lets a packet grow. The embedded switch says how many; BMv2 does not."""
        with self._errors():
            request = p4runtime_pb2.CapabilitiesRequest()
            _, call = self._stub.Capabilities.with_call(request, timeout=self._timeout)
        return int(dict(call.trailing_metadata()).get(GROWTH, HEADROOM))

    def _config(self) -> Any:
        kind = p4runtime_pb2.GetForwardingPipelineConfigRequest
        request = kind(device_id=self.device_id, response_type=kind.P4INFO_AND_COOKIE)
        with self._errors():
            try:
                return self._stub.GetForwardingPipelineConfig(request, timeout=self._timeout).config
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    raise NoProgramError(f"the switch at {self.address} has no program: {error.details()}") from error
                raise

    # ---- writing

    def insert(self, *entities: Entry | Group) -> None:
        """Inserts entities. Raises WriteError if one already exists, is malformed, or finds no room."""
        self._write(_Update.INSERT, entities)

    def modify(self, *entities: Entry | Group) -> None:
        """Modifies entities. Raises WriteError as `insert` does, and if one does not exist."""
        self._write(_Update.MODIFY, entities)

    def delete(self, *entities: Entry | Group) -> None:
        """Deletes entities by their keys. Raises WriteError if one does not exist."""
        self._write(_Update.DELETE, entities)

    def set_default(self, table: str, action: str, parameters: Mapping[str, int]) -> None:
        """Sets the table's default action. Raises WriteError."""
        self._write(_Update.MODIFY, (Entry(table, {}, action, parameters),), default=True)

    def reset_default(self, table: str) -> None:
        """Restores the program's default action of the table. Raises WriteError."""
        self._write(_Update.MODIFY, (Entry(table),), default=True)

    def _write(
        self, kind: _Update.Type.ValueType, entities: tuple[Entry | Group, ...], *, default: bool = False
    ) -> None:
        if not entities:
            return
        request = p4runtime_pb2.WriteRequest(device_id=self.device_id, election_id=self._election)
        for each in entities:
            update = request.updates.add(type=kind, entity=entity_of(each, lambda entry: self.p4info.encode(entry)))
            if default:
                update.entity.table_entry.is_default_action = True
        verb = _Update.Type.Name(kind).lower()
        with self._errors(f"to {verb} {each}" for each in entities):
            self._stub.Write(request, timeout=self._timeout)

    # ---- reading

    def entries(self, table: str = "") -> list[Entry]:
        """The entries of a table, or of all tables, without default actions."""
        entity = p4runtime_pb2.Entity()
        entity.table_entry.table_id = self.p4info.table(table).preamble.id if table else 0
        return [self.p4info.decode(each.table_entry) for each in self._read(entity)]

    def default(self, table: str) -> Entry:
        """The table's default action, as an entry without keys."""
        entity = p4runtime_pb2.Entity()
        entity.table_entry.table_id = self.p4info.table(table).preamble.id
        entity.table_entry.is_default_action = True
        return self.p4info.decode(next(self._read(entity)).table_entry)

    def groups(self) -> list[Group]:
        entity = p4runtime_pb2.Entity()
        entity.packet_replication_engine_entry.multicast_group_entry.SetInParent()
        found = [each.packet_replication_engine_entry.multicast_group_entry for each in self._read(entity)]
        return [
            Group(each.multicast_group_id, frozenset((copy.egress_port, copy.instance) for copy in each.replicas))
            for each in found
        ]

    def counter(self, name: str) -> list[Count]:
        """All cells of a counter array, in order of index."""
        counter = self.p4info.counter(name)
        entity = p4runtime_pb2.Entity()
        entity.counter_entry.counter_id = counter.preamble.id
        cells = {each.counter_entry.index.index: each.counter_entry.data for each in self._read(entity)}
        return [Count(cells[i].packet_count, cells[i].byte_count) for i in range(counter.size)]

    def zero_counter(self, name: str) -> None:
        """Sets all cells of a counter array to 0."""
        counter = self.p4info.counter(name)
        request = p4runtime_pb2.WriteRequest(device_id=self.device_id, election_id=self._election)
        for index in range(counter.size):
            cell = request.updates.add(type=_Update.MODIFY).entity.counter_entry
            cell.counter_id, cell.index.index = counter.preamble.id, index
            cell.data.packet_count = cell.data.byte_count = 0
        with self._errors(f"to reset {name}[{index}]" for index in range(counter.size)):
            self._stub.Write(request, timeout=self._timeout)

    def register(self, name: str, indices: Sequence[int]) -> dict[int, int]:
        """Cells of a register array, by index. Raises UnsupportedError if the switch, such as BMv2, cannot read
        registers over P4Runtime."""
        register = self.p4info.register(name)
        entities = [p4runtime_pb2.Entity() for _ in indices]
        for entity, index in zip(entities, indices, strict=True):
            entity.register_entry.register_id = register.preamble.id
            entity.register_entry.index.index = index
        cells = [entity.register_entry for entity in self._read(*entities)]
        return {cell.index.index: int.from_bytes(cell.data.bitstring, "big") for cell in cells}

    def _read(self, *entities: p4runtime_pb2.Entity) -> Iterator[p4runtime_pb2.Entity]:
        request = p4runtime_pb2.ReadRequest(device_id=self.device_id, entities=entities)
        with self._errors():
            for response in self._stub.Read(request, timeout=self._timeout):
                yield from response.entities

    @contextmanager
    def _errors(self, updates: Iterable[str] = ()) -> Iterator[None]:
        """Converts gRPC's errors to this package's. updates: descriptions of the updates of a write."""
        try:
            yield
        except grpc.RpcError as error:
            code, text = error.code(), error.details()
            if code in _AWAY:
                raise UnreachableError(f"the switch at {self.address} does not answer: {text}") from error
            if code is grpc.StatusCode.PERMISSION_DENIED:
                raise NotPrimaryError(f"not primary on the switch at {self.address}: {text}") from error
            if code is grpc.StatusCode.UNIMPLEMENTED:
                raise UnsupportedError(f"the switch at {self.address} cannot do that: {text}") from error
            rejections = _rejections(error, updates)
            if rejections:
                raise WriteError(self.address, rejections) from error
            raise SwitchError(f"the switch at {self.address} refused: {text} ({code.name})") from error
        except ValueError as error:
            # gRPC raises this if the channel was closed meanwhile: the switch went away.
            raise UnreachableError(f"the connection to the switch at {self.address} is closed") from error


def _rejections(error: Any, updates: Iterable[str]) -> tuple[Rejection, ...]:
    answers = zip(updates, update_errors(error) or (), strict=False)
    return tuple(
        Rejection(update, code_pb2.Code.Name(each.canonical_code), each.message)
        for update, each in answers
        if each.canonical_code != code_pb2.OK
    )


def update_errors(error: Any) -> list[p4runtime_pb2.Error] | None:
    """The errors of single updates, which P4Runtime puts into the trailing metadata of a failed write; None if it has
    refused the write as a whole."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            details = status_pb2.Status.FromString(value).details
            return [p4runtime_pb2.Error.FromString(each.value) for each in details]
    return None
