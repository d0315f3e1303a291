"""The P4Runtime service, for the event loop of grpc.aio: one thread, so the requests of all clients come one by one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from softswitch import entities, packet_io
from softswitch.arbitration import Arbitration, Stream, election
from softswitch.pipeline import Pipeline
from softswitch.refusal import Refusal, details, invalid, unimplemented
from softswitch.switch import Switch

log = logging.getLogger(__name__)

# In one response to a read: a client accepts 4 MiB at once unless told otherwise.
ENTITIES = 1000
STATUS_CODES = {code.value[0]: code for code in grpc.StatusCode}
Get = p4runtime_pb2.GetForwardingPipelineConfigRequest


class Service:
    """Answers as PI's server on BMv2 does, and the requests that bring that one down with an error.

    inject: takes the packets that clients send out.
    """

    def __init__(self, switch: Switch, inject: Callable[[bytes], None]) -> None:
        self._switch = switch
        self._inject = inject
        self._arbitrations: dict[int, Arbitration] = {}
        # A pipeline takes a while to compile, in another thread; writes wait for it.
        self._changing = asyncio.Lock()

    async def Capabilities(self, request: Any, context: Any) -> Any:  # noqa: N802
        return p4runtime_pb2.CapabilitiesResponse(p4runtime_api_version="1.3.0")

    async def Write(self, request: Any, context: Any) -> Any:  # noqa: N802
        async with self._changing, _refusing(context):
            self._authorize(request)
            pipeline = self._pipeline(request.device_id)
            if request.atomicity != p4runtime_pb2.WriteRequest.CONTINUE_ON_ERROR:
                raise unimplemented("Support for atomic write modes has not been implemented yet")
            outcomes = [_outcome(pipeline, update) for update in request.updates]
            if any(outcome is not None for outcome in outcomes):
                context.set_trailing_metadata((("grpc-status-details-bin", details(outcomes)),))
                raise Refusal(code_pb2.UNKNOWN, "")
        return p4runtime_pb2.WriteResponse()

    async def Read(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        async with _refusing(context):
            for response in _responses(self._pipeline(request.device_id), request.entities):
                yield response

    async def SetForwardingPipelineConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        async with self._changing, _refusing(context):
            self._authorize(request)
            if request.device_id != self._switch.device_id:
                raise Refusal(code_pb2.NOT_FOUND, f"This is device {self._switch.device_id}, not {request.device_id}")
            await asyncio.to_thread(self._switch.configure, request.action, request.config)
        return p4runtime_pb2.SetForwardingPipelineConfigResponse()

    async def GetForwardingPipelineConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
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

    async def StreamChannel(self, requests: AsyncIterator[Any], context: Any) -> None:  # noqa: N802
        stream = Stream()
        arbitration: Arbitration | None = None
        sender = asyncio.create_task(_send(stream, context))
        refusal: Refusal | None = None
        try:
            async for request in requests:
                kind = request.WhichOneof("update")
                if kind == "arbitration":
                    arbitration = self._bid(arbitration, stream, request.arbitration)
                elif kind == "packet" and arbitration is not None and arbitration.primary is stream:
                    self._packet_out(arbitration, request.packet)
        except Refusal as error:
            refusal = error
        finally:
            sender.cancel()
            if arbitration is not None:
                arbitration.leave(stream)
        if refusal is not None:
            await _abort(context, refusal)

    def packet_in(self, packet: bytes) -> None:
        """Sends a packet of the CPU port to the primary, if there is one. In the event loop's thread only."""
        arbitration = self._arbitrations.get(self._switch.device_id)
        if arbitration is None or arbitration.primary is None or self._switch.pipeline is None:
            return
        message = packet_io.message_of(packet, self._switch.pipeline.p4info.packet_in)
        if message is None or not arbitration.primary.send(message):
            log.warning("A packet for the controller was dropped")

    def _packet_out(self, arbitration: Arbitration, packet: Any) -> None:
        pipeline = self._switch.pipeline
        if pipeline is None or arbitration.device_id != self._switch.device_id:
            return
        if self._switch.cpu_port is None:
            log.warning("A controller's packet was dropped: the switch has no --cpu-port")
            return
        try:
            self._inject(packet_io.frame_of(packet, pipeline.p4info.packet_out))
        except Refusal as refusal:
            log.warning("A controller's packet was dropped: %s", refusal)

    def _bid(self, entered: Arbitration | None, stream: Stream, update: Any) -> Arbitration:
        if entered is not None and entered.device_id != update.device_id:
            raise Refusal(code_pb2.FAILED_PRECONDITION, "Invalid device id")
        arbitration = self._arbitrations.setdefault(update.device_id, Arbitration(update.device_id))
        arbitration.bid(stream, election(update.election_id))
        return arbitration

    def _authorize(self, request: Any) -> None:
        self._arbitrations.get(request.device_id, Arbitration(request.device_id)).authorize(request)

    def _pipeline(self, device_id: int) -> Pipeline:
        pipeline = self._switch.pipeline
        if pipeline is None or device_id != self._switch.device_id:
            raise Refusal(code_pb2.FAILED_PRECONDITION, "No forwarding pipeline config set for this device")
        return pipeline


async def _send(stream: Stream, context: Any) -> None:
    while True:
        await context.write(await stream.outbox.get())


def _outcome(pipeline: Pipeline, update: Any) -> Refusal | None:
    """Carries out one update; what stands against it, if anything."""
    try:
        entities.write(pipeline, update)
    except Refusal as refusal:
        return refusal
    except Exception as error:
        log.exception("An update failed")
        return Refusal(code_pb2.INTERNAL, repr(error))
    return None


def _responses(pipeline: Pipeline, asked: Any) -> Iterator[Any]:
    """The answer to a read in pieces, at least one. Raises Refusal after what could be read."""
    response = p4runtime_pb2.ReadResponse()
    refusal: Refusal | None = None
    try:
        for entity in asked:
            for found in entities.read(pipeline, entity):
                if len(response.entities) == ENTITIES:
                    yield response
                    response = p4runtime_pb2.ReadResponse()
                response.entities.append(found)
    except Refusal as error:
        refusal = error
    yield response
    if refusal is not None:
        raise refusal


@asynccontextmanager
async def _refusing(context: Any) -> AsyncIterator[None]:
    """Ends the request with a Refusal's status, and with INTERNAL for what nobody thought of: the switch goes on."""
    try:
        yield
    except Refusal as refusal:
        await _abort(context, refusal)
    except Exception as error:
        log.exception("A request failed")
        await context.abort(grpc.StatusCode.INTERNAL, repr(error))


async def _abort(context: Any, refusal: Refusal) -> None:
    await context.abort(STATUS_CODES[refusal.code], str(refusal))
