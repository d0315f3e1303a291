"""The compiler process: reads LLVM assembly from stdin, and writes an object file for this CPU to stdout. Its argument
is the optimization level.

LLVM aborts its process on code that it cannot compile, so each program is compiled in a separate process (module.py).
This module imports little, so it is ready before the assembly is.
"""

from __future__ import annotations

import ctypes
import resource
import signal
import sys

import llvmlite.binding as llvm

from dropzero.native.machine_code import target_machine

PR_SET_PDEATHSIG = 1
"""<linux/prctl.h>"""
MEMORY = 4 << 30
"""The memory limit, in bytes. A few multiplications of very wide integers would otherwise take all memory."""


QUICK = 0
"""An optimization level: compiles ten times as fast as OPTIMIZED."""


def object_file(assembly: str, level: int) -> bytes:
    """Compiles to an object file. Raises RuntimeError for invalid assembly; on other errors LLVM aborts."""
    target = target_machine(level)
    module = llvm.parse_assembly(assembly)
    module.verify()
    if level:
        builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=level))
        builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def main() -> None:
    # When the process that started this one has ended, no one waits for the code.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most), most))
    try:
        sys.stdout.buffer.write(object_file(sys.stdin.read(), int(sys.argv[1])))
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
