"""The P4Runtime service, for the event loop of grpc.aio. One thread handles the requests of all clients one by one."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import groupby
from typing import Any

import grpc
from google.rpc import code_pb2

from dropzero.p4 import GROWTH
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from dropzero.softswitch.engine.handoff import ROOM, Drops, Handoff
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.p4runtime import packet_io
from dropzero.softswitch.p4runtime.arbitration import Arbitration, Stream, election
from dropzero.softswitch.p4runtime.device import Device
from dropzero.softswitch.p4runtime.entries import batch, entities
from dropzero.softswitch.p4runtime.notifications import Notifications
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, details, invalid, summary, unimplemented
from dropzero.softswitch.state.reports import Digest

log = logging.getLogger(__name__)

# Approximate limits of one response to a read: by default, a client accepts 4 MiB.
ENTITIES, BYTES = 1000, 1 << 20
# A batch may leave thousands at once, and they are small.
DIGESTS = 16384
STATUS_CODES = {code.value[0]: code for code in grpc.StatusCode}
Context = grpc.aio.ServicerContext[Any, Any]
Get = p4runtime_pb2.GetForwardingPipelineConfigRequest


class Service(p4runtime_pb2_grpc.P4RuntimeServicer):
    """Answers like PI's server on BMv2. Requests that crash that one get an error.

    inject: sends a client's packet into the switch, and returns whether there was room for it. primary_status: see
    Arbitration.

    Attributes:
        drops: messages to controllers that were dropped
    """

    def __init__(self, switch: Switch, inject: Callable[[bytes], bool], *, primary_status: bool = True) -> None:
        self._switch = switch
        self._device = Device(switch)
        self._inject = inject
        self._primary_status = primary_status
        self._arbitrations: dict[int, Arbitration] = {}
        # A pipeline is compiled in another thread; writes wait for it.
        self._changing = asyncio.Lock()
        self._notifications = Notifications(self._device, self._send_to_primaries)
        self._late = Drops("messages for controllers that are too far behind")
        self.drops = [self._late]

    def attach(self, server: grpc.aio.Server) -> None:
        """Adds the service to a server. Called in the server's event loop."""
        loop = asyncio.get_running_loop()
        p4runtime_pb2_grpc.add_P4RuntimeServicer_to_server(self, server)

        def hand_over(what: str, take: Callable[[list[Any]], None], room: int) -> Callable[[Any], object]:
            def wake() -> None:
                # Packets may still arrive while the server closes.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(lambda: take(waiting.take()))

            waiting: Handoff[Any] = Handoff(what, wake, room)
            self.drops.append(waiting.drops)
            return waiting.put

        self._switch.packet_in = hand_over("packets for controllers", self._packets_in, ROOM)
        self._switch.learn = hand_over("digests for controllers", self._learn, DIGESTS)
        self._notifications.begin()

    async def Capabilities(
        self, request: p4runtime_pb2.CapabilitiesRequest, context: Context
    ) -> p4runtime_pb2.CapabilitiesResponse:
        # The engine's memory has room for all headers that the program can add.
        context.set_trailing_metadata(((GROWTH, "65535"),))
        return p4runtime_pb2.CapabilitiesResponse(p4runtime_api_version="1.4.1")

    async def Write(self, request: p4runtime_pb2.WriteRequest, context: Context) -> p4runtime_pb2.WriteResponse:
        async with self._changing, _refusing(context):
            self._authorize(request)
            pipeline = self._pipeline(request.device_id)
            outcomes = batch.write(pipeline, request.updates, request.atomicity)
            self._notifications.change()
            if any(outcome is not None for outcome in outcomes):
                listed = details(outcomes)
                if listed is None:
                    raise Refusal(code_pb2.UNKNOWN, summary(outcomes))
                context.set_trailing_metadata((("grpc-status-details-bin", listed),))
                raise Refusal(code_pb2.UNKNOWN, "")
        return p4runtime_pb2.WriteResponse()

    async def Read(
        self, request: p4runtime_pb2.ReadRequest, context: Context
    ) -> AsyncIterator[p4runtime_pb2.ReadResponse]:
        async with _refusing(context):
            for response in _responses(self._pipeline(request.device_id), request.entities):
                yield response

    async def SetForwardingPipelineConfig(
        self, request: p4runtime_pb2.SetForwardingPipelineConfigRequest, context: Context
    ) -> p4runtime_pb2.SetForwardingPipelineConfigResponse:
        async with self._changing, _refusing(context):
            self._authorize(request)
            if request.device_id != self._switch.device_id:
                raise Refusal(code_pb2.NOT_FOUND, f"This is device {self._switch.device_id}, not {request.device_id}")
            await _in_thread(partial(self._device.configure, request.action, request.config))
            self._notifications.change()
        return p4runtime_pb2.SetForwardingPipelineConfigResponse()

    async def GetForwardingPipelineConfig(
        self, request: Get, context: Context
    ) -> p4runtime_pb2.GetForwardingPipelineConfigResponse:
        response = p4runtime_pb2.GetForwardingPipelineConfigResponse()
        async with _refusing(context):
            config = self._pipeline(request.device_id).config
            if request.response_type not in Get.ResponseType.values():
                raise invalid("Invalid response_type in GetForwardingPipelineConfigRequest")
            if request.response_type in (Get.ALL, Get.P4INFO_AND_COOKIE):
                response.config.p4info.CopyFrom(config.p4info)
            if request.response_type in (Get.ALL, Get.DEVICE_CONFIG_AND_COOKIE):
                response.config.p4_device_config = config.p4_device_config
            if config.HasField("cookie"):
                response.config.cookie.CopyFrom(config.cookie)
        return response

    # It sends by the context, because answers do not wait for requests.
    async def StreamChannel(  # type: ignore[override]
        self, requests: AsyncIterator[p4runtime_pb2.StreamMessageRequest], context: Context
    ) -> None:
        stream = Stream()
        arbitration: Arbitration | None = None
        sender = asyncio.create_task(_send(stream, context))
        refusal: Refusal | None = None
        try:
            async for request in requests:
                if request.WhichOneof("update") == "arbitration":
                    arbitration = self._bid(arbitration, stream, request.arbitration)
                else:
                    self._take(arbitration, stream, request)
        except Refusal as error:
            refusal = error
        except asyncio.CancelledError:
            sender.cancel()
            raise
        finally:
            if arbitration is not None:
                arbitration.leave(stream)
                if arbitration.is_empty:
                    del self._arbitrations[arbitration.device_id]
        # Ends the stream after all messages, because a write must not be cancelled halfway.
        stream.outbox.put_nowait(None)
        await sender
        if refusal is not None:
            await _abort(context, refusal)

    def _packets_in(self, packets: list[bytes]) -> None:
        """Sends packets of the CPU port to the primary of every role. Call it only in the event loop's thread."""
        pipeline = self._device.pipeline
        if pipeline is None:
            return
        for packet in packets:
            message = packet_io.message_of(packet, pipeline.p4info.packet_in)
            if message is None:
                log.warning("A packet for the controller was dropped: it is shorter than its header")
            else:
                self._send_to_primaries(message)

    def _learn(self, digests: list[Digest]) -> None:
        """Takes the digests of packets, to send them as digest lists."""
        for name, alike in groupby(digests, key=lambda digest: digest.name):
            self._notifications.learn(name, [digest.values for digest in alike])

    def _send_to_primaries(self, message: p4runtime_pb2.StreamMessageResponse) -> None:
        """Sends a message to the primary of every role."""
        arbitration = self._arbitrations.get(self._switch.device_id)
        for primary in arbitration.primaries() if arbitration is not None else ():
            if not primary.send(message):
                self._late.add()

    def _take(
        self, arbitration: Arbitration | None, stream: Stream, request: p4runtime_pb2.StreamMessageRequest
    ) -> None:
        """Handles a stream message other than arbitration. Answers one that is refused with a StreamError."""
        try:
            if arbitration is None or not arbitration.leads(stream):
                raise Refusal(code_pb2.PERMISSION_DENIED, "Not primary")
            pipeline = self._pipeline(arbitration.device_id)
            kind = request.WhichOneof("update")
            if kind == "packet":
                self._packet_out(pipeline, request.packet)
            elif kind == "digest_ack":
                if request.digest_ack.digest_id not in pipeline.digests:
                    raise invalid("Invalid P4 id")
                self._notifications.acknowledge(request.digest_ack)
            else:
                raise unimplemented(f"There is no {kind or 'empty'} message on this switch")
        except Refusal as refusal:
            stream.send(packet_io.error_of(request, refusal))

    def _packet_out(self, pipeline: Pipeline, packet: p4runtime_pb2.PacketOut) -> None:
        if self._switch.cpu_port is None:
            raise Refusal(code_pb2.FAILED_PRECONDITION, "The switch has no --cpu-port")
        if not self._inject(packet_io.frame_of(packet, pipeline.p4info.packet_out)):
            raise Refusal(code_pb2.RESOURCE_EXHAUSTED, "Packets come faster than the switch takes them")

    def _bid(
        self, entered: Arbitration | None, stream: Stream, update: p4runtime_pb2.MasterArbitrationUpdate
    ) -> Arbitration:
        if entered is not None and entered.device_id != update.device_id:
            raise Refusal(code_pb2.FAILED_PRECONDITION, "Invalid device id")
        if update.role.HasField("config"):
            if self._switch.strict:
                raise invalid("A role's config is not supported: every role may do everything")
            log.warning("The config of role %r has no effect: every role may do everything", update.role.name)
        fresh = Arbitration(update.device_id, strict=self._switch.strict, primary_status=self._primary_status)
        arbitration = self._arbitrations.setdefault(update.device_id, fresh)
        arbitration.bid(stream, election(update.election_id), update.role.name)
        return arbitration

    def _authorize(
        self, request: p4runtime_pb2.WriteRequest | p4runtime_pb2.SetForwardingPipelineConfigRequest
    ) -> None:
        self._arbitrations.get(request.device_id, Arbitration(request.device_id)).authorize(request)

    def _pipeline(self, device_id: int) -> Pipeline:
        pipeline = self._device.pipeline
        if pipeline is None or device_id != self._switch.device_id:
            raise Refusal(code_pb2.FAILED_PRECONDITION, "No forwarding pipeline config set for this device")
        return pipeline


async def _in_thread(work: Callable[[], None]) -> None:
    """Like asyncio.to_thread, but the event loop and the process can end before the work does."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        try:
            work()
            finish: Callable[[], None] = partial(done.set_result, None)
        except Exception as error:
            finish = partial(done.set_exception, error)
        # The loop may have ended, or the waiting task may have been cancelled.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if done.done() else finish())

    threading.Thread(target=run, name="configure", daemon=True).start()
    await done


async def _send(stream: Stream, context: Context) -> None:
    while (response := await stream.outbox.get()) is not None:
        await context.write(response)


def _responses(pipeline: Pipeline, asked: Iterable[p4runtime_pb2.Entity]) -> Iterator[p4runtime_pb2.ReadResponse]:
    """Yields the answer to a read in pieces, at least one. Raises Refusal after the entities that could be read."""
    response, size = p4runtime_pb2.ReadResponse(), 0
    refusal: Refusal | None = None
    try:
        for entity in asked:
            for found in entities.read(pipeline, entity):
                size += found.ByteSize()
                if len(response.entities) == ENTITIES or size > BYTES:
                    yield response
                    response, size = p4runtime_pb2.ReadResponse(), found.ByteSize()
                response.entities.append(found)
    except Refusal as error:
        refusal = error
    yield response
    if refusal is not None:
        raise refusal


@asynccontextmanager
async def _refusing(context: Context) -> AsyncIterator[None]:
    """Ends a request with a Refusal's status, or with INTERNAL for an unexpected error, so that the switch
    continues."""
    try:
        yield
    except Refusal as refusal:
        await _abort(context, refusal)
    except Exception as error:
        log.exception("A request failed")
        await context.abort(grpc.StatusCode.INTERNAL, repr(error))


async def _abort(context: Context, refusal: Refusal) -> None:
    await context.abort(STATUS_CODES[refusal.code], str(refusal))
