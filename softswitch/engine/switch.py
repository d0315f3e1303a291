"""The switch: what its ports, its P4Runtime server and its command line share."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from dropzero.linux.abi import libc
from dropzero.softswitch.engine.engine import Engine, Parked
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.reconciliation import reconcile
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid
from dropzero.softswitch.program.model import Program, UnsupportedProgram

log = logging.getLogger(__name__)

Request = p4runtime_pb2.SetForwardingPipelineConfigRequest
COMPILING = (Request.VERIFY, Request.VERIFY_AND_SAVE, Request.VERIFY_AND_COMMIT, Request.RECONCILE_AND_COMMIT)


class Switch:
    """`engine` is what packets go through. `pipeline` is the one that P4Runtime addresses: a program that was loaded
    from the command line has no P4Info, so it runs but cannot be addressed, as in BMv2. `queues` are of the ports and
    stay when the program changes.

    The two attributes are replaced as a whole: whoever has read one keeps working on a consistent object.
    """

    def __init__(
        self,
        device_id: int = 0,
        *,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int | None = None,
        priority_queues: int = 1,
        strict: bool = False,
    ) -> None:
        """strict: where BMv2 does otherwise than the specifications say, this switch does not."""
        self.device_id = device_id
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.seed = seed
        self.strict = strict
        self.queues: Queues[Parked] = Queues(priority_queues, without=[] if cpu_port is None else [cpu_port])
        self.engine: Engine | None = None
        self.pipeline: Pipeline | None = None
        self.packet_in: Callable[[bytes], None] = lambda packet: None
        """What to do with a packet that leaves by the CPU port; called in the loop's thread."""
        self.ports_down: frozenset[int] = frozenset()
        """The ports that somebody said are down."""
        self.learn: Callable[[str, list[tuple[int, ...]]], None] = lambda name, messages: None
        """What to do with the messages that packets left for a digest; called in the loop's thread."""
        self._saved: Pipeline | None = None
        self.begin = time.monotonic_ns()
        """When it was made."""

    def now(self) -> int:
        """Microseconds since the switch was made: what programs read as timestamps."""
        return (time.monotonic_ns() - self.begin) // 1000

    def set_port_status(self, port: int, up: bool) -> None:
        """What members of action profiles that watch the port go by."""
        self.ports_down = self.ports_down - {port} if up else self.ports_down | {port}
        if self.pipeline is not None:
            self.pipeline.watch(self.ports_down)

    def compile(self, program: Program) -> Engine:
        """Raises UnsupportedProgram."""
        try:
            return Engine(
                program.strictly() if self.strict else program,
                cpu_port=self.cpu_port,
                drop_port=self.drop_port,
                seed=self.seed,
                queues=self.queues,
                traced=log.isEnabledFor(logging.DEBUG),
            )
        except (AssertionError, AttributeError, LookupError, StopIteration, TypeError) as error:
            # What p4c would not write is not looked for in advance.
            reason = f"{type(error).__name__}: {error}"
            raise UnsupportedProgram(f"not a program that p4c wrote for BMv2: {reason}") from error

    def configure(self, action: int, config: Any) -> None:
        """Carries out a SetForwardingPipelineConfigRequest. On Refusal everything is as before.

        Takes as long as compiling does; packets go through the old pipeline meanwhile.
        """
        if action == Request.COMMIT:
            if self._saved is None:
                raise Refusal(code_pb2.FAILED_PRECONDITION, "No forwarding pipeline config was saved to commit")
            self._commit(self._saved)
            return
        if action not in COMPILING:
            raise invalid("Invalid SetForwardingPipeline action")
        pipeline = Pipeline(config, self.compile, self.now)
        if action == Request.VERIFY_AND_SAVE:
            self._saved = pipeline
        elif action == Request.VERIFY_AND_COMMIT:
            self._commit(pipeline)
        elif action == Request.RECONCILE_AND_COMMIT:
            if self.pipeline is None:
                self._commit(pipeline)
            else:
                with self.pipeline.engine.lock:
                    reconcile(self.pipeline, pipeline)
                    self._commit(pipeline)

    def _commit(self, pipeline: Pipeline) -> None:
        pipeline.watch(self.ports_down)
        # Whoever has the old one notices when it lets it go.
        with nullcontext() if self.engine is None else self.engine.lock:
            self.engine = pipeline.engine
        self.pipeline = pipeline
        self._saved = None
        # What the program before had is large, and full of cycles. It goes back to the operating system now.
        gc.collect()
        libc.malloc_trim(0)
