"""Compiles the path of a packet through the whole switch:

    receive -> parse -> verify checksums -> ingress -> clone -> digest -> resubmit, replicate or send
    each copy: egress -> clone -> update checksums -> deparse -> recirculate or out

A copy for a port with queues (queues.py) is queued before egress, and continues in a later batch. Fields and rules are
those of simple_switch. Only programs that clone, resubmit or recirculate contain code for it.
"""

from __future__ import annotations

from dropzero.softswitch.compiler.forwarding.batches import Arrivals, Departures
from dropzero.softswitch.compiler.forwarding.stages import Stages
from dropzero.softswitch.program.model import Program


class ForwardingCode(Stages):
    """Writes the module, with the functions `process` and `resume` (see _BATCH in engine.py)."""

    def __init__(self, program: Program, drop_port: int, priority_queues: int = 1) -> None:
        """Packets with a priority of `priority_queues` or more are dropped."""
        super().__init__(program, drop_port)
        Arrivals(self, "process", priority_queues).write()
        Departures(self, "resume", priority_queues).write()

    def __str__(self) -> str:
        return str(self.module)
