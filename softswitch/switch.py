"""The switch: what its ports, its P4Runtime server and its command line share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from softswitch.engine import Engine
from softswitch.pipeline import Pipeline
from softswitch.program import Program
from softswitch.refusal import Refusal, invalid
from softswitch.tables import TableError

Request = p4runtime_pb2.SetForwardingPipelineConfigRequest
COMPILING = (Request.VERIFY, Request.VERIFY_AND_SAVE, Request.VERIFY_AND_COMMIT, Request.RECONCILE_AND_COMMIT)


class Switch:
    """`engine` is what packets go through. `pipeline` is the one that P4Runtime addresses: a program that was loaded
    from the command line has no P4Info, so it runs but cannot be addressed, as in BMv2.

    The two attributes are replaced as a whole: whoever has read one keeps working on a consistent object.
    """

    def __init__(
        self, device_id: int = 0, *, cpu_port: int | None = None, drop_port: int = 511, seed: int | None = None
    ) -> None:
        self.device_id = device_id
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.seed = seed
        self.engine: Engine | None = None
        self.pipeline: Pipeline | None = None
        self.packet_in: Callable[[bytes], None] = lambda packet: None
        """What to do with a packet that leaves by the CPU port; called in the loop's thread."""
        self._saved: Pipeline | None = None

    def compile(self, program: Program) -> Engine:
        """Raises UnsupportedProgram."""
        return Engine(program, cpu_port=self.cpu_port, drop_port=self.drop_port, seed=self.seed)

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
        pipeline = Pipeline(config, self.compile)
        if action == Request.VERIFY_AND_SAVE:
            self._saved = pipeline
        elif action == Request.VERIFY_AND_COMMIT:
            self._commit(pipeline)
        elif action == Request.RECONCILE_AND_COMMIT:
            if self.pipeline is not None:
                _reconcile(self.pipeline, pipeline)
            self._commit(pipeline)

    def _commit(self, pipeline: Pipeline) -> None:
        self.engine = pipeline.engine
        self.pipeline = pipeline
        self._saved = None


def _reconcile(old: Pipeline, new: Pipeline) -> None:
    """Fills `new` with the entries, defaults and groups of `old`. Raises Refusal when one of them does not fit it."""
    for info in old.p4info.tables.values():
        table = old.engine.tables[info.name]
        default = None if info.has_const_default else table.default
        rows = [] if info.is_const else list(table.entries())
        try:
            successor = new.engine.tables[info.name]
            for row in rows:
                successor.insert(row.match, row.action, row.parameters, row.priority)
            if default is not None:
                successor.set_default(default.action, default.parameters)
        except (KeyError, TableError) as error:
            raise invalid(f"The entries of table {info.name!r} do not fit the new config: {error}") from None
    for group, pairs in old.engine.multicast.groups.items():
        new.engine.multicast.set(group, pairs)
    new.groups.update(old.groups)
    new.notes.update(old.notes)
