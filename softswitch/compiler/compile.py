"""Turns a program into machine code, through the cache."""

from __future__ import annotations

from dropzero.softswitch.native.module import NativeModule, load_cached
from dropzero.softswitch.program.model import Program


def compile_program(program: Program, drop_port: int, priority_queues: int, *, traced: bool = False) -> NativeModule:
    """Compiles the functions `process` and `resume`; see Engine.

    drop_port: the egress_spec that drops a packet. priority_queues: queues of each port. traced: report every step.

    Raises:
        UnsupportedProgram: the program cannot be compiled.
    """

    def assembly() -> str:
        # Imported late: llvmlite.ir is slow to import, and most programs come from the cache.
        from dropzero.softswitch.compiler.forwarding import ForwardingCode
        from dropzero.softswitch.compiler.tracing import TracedForwarding

        code = TracedForwarding if traced else ForwardingCode
        return str(code(program, drop_port, priority_queues))

    kind = "traced" if traced else "plain"
    return load_cached(f"{program.digest} {drop_port} {priority_queues} {kind}", assembly)
