"""Notifications to the controllers: digests, and idle table entries."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.device import Device
from dropzero.softswitch.p4runtime.pipeline.digest_lists import Message
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline, RowKey
from dropzero.softswitch.p4runtime.pipeline.matches import fill_match

log = logging.getLogger(__name__)

# BMv2 looks for idle entries once a second, and reports an idle entry every other time.
SWEEP_NS = 1_000_000_000


class Notifications:
    """Sends notifications, in the event loop of the P4Runtime server.

    send: sends a p4.v1.StreamMessageResponse to all primaries
    """

    def __init__(self, device: Device, send: Callable[[Any], None]) -> None:
        self._device = device
        self._send = send
        self._changed = asyncio.Event()
        self._swept = 0
        self._told: set[RowKey] = set()

    def begin(self) -> None:
        """Called in the event loop."""
        self._task = asyncio.create_task(self._run())

    def learn(self, name: str, messages: list[Message]) -> None:
        """Adds a digest's messages."""
        pipeline = self._device.pipeline
        if pipeline is None:
            return
        for digest in pipeline.digests.values():
            if digest.info.name == name:
                for response in digest.learn(messages, time.monotonic_ns()):
                    self._send(response)
        self._changed.set()

    def acknowledge(self, ack: Any) -> None:
        """Handles a p4.v1.DigestListAck."""
        pipeline = self._device.pipeline
        if pipeline is not None and ack.digest_id in pipeline.digests:
            pipeline.digests[ack.digest_id].acknowledge(ack.list_id)

    def change(self) -> None:
        """Handles a write that may change the notifications due."""
        self._changed.set()

    async def _run(self) -> None:
        while True:
            self._changed.clear()
            try:
                deadline = self._expire(time.monotonic_ns())
            except Exception:
                log.exception("A notification failed")
                deadline = None
            seconds = None if deadline is None else max(0, deadline - time.monotonic_ns()) / 1e9
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)

    def _expire(self, now: int) -> int | None:
        """Sends the notifications that are due. Returns when to call it again, or None."""
        pipeline = self._device.pipeline
        if pipeline is None:
            return None
        deadlines = []
        for digest in pipeline.digests.values():
            for response in digest.expire(now):
                self._send(response)
            deadlines.append(digest.deadline)
        if pipeline.ageing:
            if now - self._swept >= SWEEP_NS:
                self._swept = now
                self._sweep(pipeline, now)
            deadlines.append(self._swept + SWEEP_NS)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def _sweep(self, pipeline: Pipeline, now: int) -> None:
        """Reports the entries that no packet has hit for their timeout."""
        response = p4runtime_pb2.StreamMessageResponse()
        told = set()
        for info in pipeline.p4info.tables.values():
            for row in pipeline.look_for_idle(info.name) if info.ages else ():
                key = RowKey(info.id, row.match, row.priority)
                if key in self._told or key not in pipeline.ageing:
                    continue
                told.add(key)
                entry = response.idle_timeout_notification.table_entry.add(table_id=info.id)
                fill_match(entry, info, row.match, row.priority)
                note = pipeline.notes[key]
                entry.controller_metadata = note.controller_metadata
                entry.metadata = note.metadata
                entry.idle_timeout_ns = note.idle_timeout_ns
        self._told = told
        if told:
            response.idle_timeout_notification.timestamp = now
            self._send(response)
