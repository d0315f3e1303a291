"""Compiles a program to machine code, or loads it from the cache."""

from __future__ import annotations

from dropzero.native.machine_code import OPTIMIZED, NativeModule
from dropzero.softswitch.native.compiler_process import QUICK
from dropzero.softswitch.native.module import load_cached
from dropzero.softswitch.program.model import Program
from dropzero.softswitch.program.steps import Steps


def compile_program(program: Program, drop_port: int, priority_queues: int, steps: Steps | None = None) -> NativeModule:
    """Compiles the functions `process` and `resume` (see _BATCH in engine.py).

    drop_port: the egress_spec that drops a packet. priority_queues: queues of each port. steps: the steps to report.

    Raises:
        UnsupportedProgram: the program cannot be compiled.
    """

    def assembly() -> str:
        # Importing llvmlite.ir is slow, and most programs come from the cache.
        from dropzero.softswitch.compiler.forwarding.forwarding import ForwardingCode
        from dropzero.softswitch.compiler.forwarding.tracing import TracedForwarding

        if steps is None:
            return str(ForwardingCode(program, drop_port, priority_queues))
        return str(TracedForwarding(program, drop_port, priority_queues, steps))

    kind = "plain" if steps is None else "detailed" if steps.detailed else "traced"
    # Reporting takes longer than optimizing would save.
    level = OPTIMIZED if steps is None else QUICK
    return load_cached(f"{program.digest} {drop_port} {priority_queues} {kind}", assembly, level)
