"""Compiles the path of a packet through the whole switch, which depends on the program's architecture.

A copy for a port with queues (queues.py) is queued before egress, and continues in a later batch.
"""

from __future__ import annotations

from dropzero.softswitch.compiler.forwarding.architecture import Architecture
from dropzero.softswitch.compiler.forwarding.batches import Arrivals, Departures
from dropzero.softswitch.compiler.forwarding.psa import Psa
from dropzero.softswitch.compiler.forwarding.stages import Stages
from dropzero.softswitch.compiler.forwarding.v1model import V1Model
from dropzero.softswitch.program.architecture import PSA, V1MODEL
from dropzero.softswitch.program.model import Program

ARCHITECTURES: dict[str, type[Architecture]] = {V1MODEL.name: V1Model, PSA.name: Psa}


class ForwardingCode(Stages):
    """Writes the module, with the functions `process` and `resume` (see _BATCH in engine.py)."""

    def __init__(self, program: Program, drop_port: int, priority_queues: int = 1) -> None:
        """Packets with a priority of `priority_queues` or more are dropped."""
        super().__init__(program, drop_port)
        architecture = ARCHITECTURES[program.architecture.name](self)
        Arrivals(architecture, "process", priority_queues).write()
        Departures(architecture, "resume", priority_queues).write()

    def __str__(self) -> str:
        return str(self.module)
