"""Packets in and out over gRPC: BMv2's DataplaneInterface, for ports that need neither interfaces nor root."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import groupby
from typing import Any

import grpc

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.dataplane_pb2 import (
    OPER_STATUS_DOWN,
    OPER_STATUS_UP,
    PacketStreamRequest,
    PacketStreamResponse,
    SetPortOperStatusRequest,
    SetPortOperStatusResponse,
)
from dropzero.softswitch.ports.loop import Loop

SERVICE = "p4.bm.DataplaneInterface"
PACKETS = 1024
"""Packets that may wait in each direction before the client has to wait."""


class Dataplane:
    """The service. It connects the event loop of its server with the loop that runs the pipeline."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._stream: _Stream | None = None
        self._id = 0

    def begin(self, loop: Loop) -> None:
        """Sets the loop that runs the pipeline. Call it before the server starts."""
        self._loop = loop

    def attach(self, server: grpc.aio.Server) -> None:
        """Adds the service to a server. Called in the server's event loop."""
        self._events = asyncio.get_running_loop()
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "PacketStream": grpc.stream_stream_rpc_method_handler(
                self._packet_stream, PacketStreamRequest.FromString, PacketStreamResponse.SerializeToString
            ),
            "SetPortOperStatus": grpc.unary_unary_rpc_method_handler(
                self._set_port_oper_status,
                SetPortOperStatusRequest.FromString,
                SetPortOperStatusResponse.SerializeToString,
            ),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    def send(self, frames: Frames) -> None:
        """Sends packets that leave the switch to the client, if there is one. Called in the pipeline's loop."""
        stream = self._stream
        if stream is None:
            return
        device, identity = self._switch.device_id, self._id
        responses = [
            PacketStreamResponse(id=identity, device_id=device, port=port, packet=packet)
            for port, packet in frames
            if port != self._switch.cpu_port
        ]
        if responses:
            self._later(stream.put, responses)

    async def _packet_stream(self, requests: AsyncIterator[Any], context: Any) -> None:
        if self._stream is not None:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "only one client authorized at a time")
        stream = self._stream = _Stream()
        sender = asyncio.create_task(stream.send_all(context))
        try:
            async for request in requests:
                # Ports are signed here, so no port has the highest bit.
                if request.device_id != self._switch.device_id or not request.packet or request.port >> 31:
                    continue
                await stream.enter()
                stream.incoming.append(request)
                self._loop.submit(lambda: self._process(stream))
            # Runs after the packets above, so their answers leave first.
            self._loop.submit(lambda: self._later(stream.end))
            await sender
        finally:
            sender.cancel()
            self._stream = None

    async def _set_port_oper_status(self, request: Any, context: Any) -> Any:
        if request.device_id != self._switch.device_id:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "Invalid device id")
        if request.oper_status not in (OPER_STATUS_DOWN, OPER_STATUS_UP):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "Invalid oper status")
        self._switch.set_port_status(request.port, request.oper_status == OPER_STATUS_UP)
        return SetPortOperStatusResponse()

    def _process(self, stream: _Stream) -> None:
        """Runs the client's packets through the pipeline. Called in the pipeline's loop."""
        requests = [stream.incoming.popleft() for _ in range(len(stream.incoming))]
        for self._id, batch in groupby(requests, key=lambda request: int(request.id)):
            self._loop.receive(Frames.of([(request.port, request.packet) for request in batch]))
        self._id = 0
        self._later(stream.leave, len(requests))

    def _later(self, call: Callable[..., None], *arguments: Any) -> None:
        # Packets may still arrive while the server closes.
        with suppress(RuntimeError):
            self._events.call_soon_threadsafe(call, *arguments)


class _Stream:
    """One client's waiting packets. Belongs to the server's event loop."""

    def __init__(self) -> None:
        self.incoming: deque[Any] = deque()
        self._responses: asyncio.Queue[Any] = asyncio.Queue()
        self._inside = 0
        self._room = asyncio.Event()

    async def enter(self) -> None:
        """Waits until there is room for a packet, and counts it."""
        while self._inside >= PACKETS or self._responses.qsize() >= PACKETS:
            self._room.clear()
            await self._room.wait()
        self._inside += 1

    def leave(self, packets: int) -> None:
        """Frees the room of packets that have gone through the pipeline."""
        self._inside -= packets
        self._room.set()

    def put(self, responses: list[Any]) -> None:
        for response in responses:
            self._responses.put_nowait(response)

    def end(self) -> None:
        self._responses.put_nowait(None)

    async def send_all(self, context: Any) -> None:
        """Sends responses until end()."""
        while (response := await self._responses.get()) is not None:
            await context.write(response)
            self._room.set()
