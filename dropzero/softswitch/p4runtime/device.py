"""The device that P4Runtime clients address: a switch, with the pipelines that they pushed."""

from __future__ import annotations

import gc
from typing import Any

from google.rpc import code_pb2

from dropzero.linux.libc import libc
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.reconciliation import reconcile
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid

Request = p4runtime_pb2.SetForwardingPipelineConfigRequest
COMPILING = (Request.VERIFY, Request.VERIFY_AND_SAVE, Request.VERIFY_AND_COMMIT, Request.RECONCILE_AND_COMMIT)


class Device:
    """pipeline: the committed pipeline, replaced as a whole, like the switch's engine. None: a program loaded from the
    command line, or swapped in over Thrift, has no P4Info, so it runs but cannot be addressed, as in BMv2.
    """

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.pipeline: Pipeline | None = None
        self._saved: Pipeline | None = None
        switch.ports_changed = self._watch
        switch.swapped = self._forget

    def configure(self, action: int, config: Any) -> None:
        """Carries out a SetForwardingPipelineConfigRequest.

        Takes as long as compiling; packets go through the old pipeline meanwhile. Raises Refusal; nothing has changed.
        """
        if action == Request.COMMIT:
            if self._saved is None:
                raise Refusal(code_pb2.FAILED_PRECONDITION, "No forwarding pipeline config was saved to commit")
            self._commit(self._saved)
            return
        if action not in COMPILING:
            raise invalid("Invalid SetForwardingPipeline action")
        pipeline = Pipeline(config, self.switch.compile, self.switch.now)
        if action == Request.VERIFY_AND_SAVE:
            self._saved = pipeline
        elif action == Request.RECONCILE_AND_COMMIT and self.pipeline is not None:
            with self.pipeline.engine.lock:
                reconcile(self.pipeline, pipeline)
                self._replace(pipeline)
            _collect()
        elif action != Request.VERIFY:
            self._commit(pipeline)

    def _watch(self, down: frozenset[int]) -> None:
        if self.pipeline is not None:
            self.pipeline.watch(down)

    def _forget(self) -> None:
        self.pipeline = None

    def _commit(self, pipeline: Pipeline) -> None:
        self._replace(pipeline)
        _collect()

    def _replace(self, pipeline: Pipeline) -> None:
        pipeline.watch(self.switch.ports_down)
        with self.switch.held_engine():
            self.switch.replace(pipeline.engine)
            self.pipeline = pipeline
        self._saved = None


def _collect() -> None:
    """Frees the old program's memory: many objects, with cycles. This is slow, so packets must not wait for it."""
    gc.collect()
    libc.malloc_trim(0)
