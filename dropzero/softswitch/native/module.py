"""Compiles LLVM assembly in a compiler process."""

from __future__ import annotations

import functools
import gc
import logging
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dropzero import linux
from dropzero.native.machine_code import OPTIMIZED, NativeModule, digest_of_sources, load
from dropzero.softswitch.native import compiler_process
from dropzero.softswitch.program.model import UnsupportedProgram

log = logging.getLogger(__name__)

COMPILER_SECONDS = 600
"""Limit on the compiler's processor time, not on its real time, which is longer on a busy machine."""


def load_cached(key: str, assembly: Callable[[], str], level: int = OPTIMIZED) -> NativeModule:
    """Loads the code for `key` from the cache, or compiles the LLVM assembly and caches the code. Callers with the same
    key share the loaded code.

    key: identifies the assembly, its options and the optimization level. The cache also distinguishes the versions of
    this package's sources and of LLVM, and the CPU.

    Raises:
        UnsupportedProgram: LLVM does not compile the assembly.
    """
    return load(f"{key} {_sources()}", lambda: _compile(assembly, level))


def _compile(assembly: Callable[[], str], level: int) -> bytes:
    """Compiles to an object file. Starts the compiler process before writing the assembly, which both take time."""
    command = [sys.executable, "-P", compiler_process.__file__, str(level)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            # The kernel sends SIGXCPU.
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (COMPILER_SECONDS, COMPILER_SECONDS + 1))
            with _collected():
                text = assembly().encode()
            code, errors = process.communicate(text)
        finally:
            process.kill()
    if process.returncode == -signal.SIGXCPU:
        raise UnsupportedProgram(f"LLVM has not compiled it in {COMPILER_SECONDS} s of processor time")
    if process.returncode == -signal.SIGABRT and level != compiler_process.QUICK:
        # LLVM has bugs in its optimization of integers of more than 256 bits.
        log.warning("LLVM aborts when it optimizes this program: compiled without optimization, it is slower")
        return _compile(text.decode, compiler_process.QUICK)
    if process.returncode:
        what = errors.decode(errors="replace").strip().partition("\n")[0]
        ended = signal.Signals(-process.returncode).name if process.returncode < 0 else f"status {process.returncode}"
        raise UnsupportedProgram(f"LLVM does not compile it: {what or 'no reason given'} ({ended})")
    return code


@contextmanager
def _collected() -> Iterator[None]:
    """Collects the garbage of the block: llvmlite's objects are large, and full of cycles. Looks only through new
    objects, because a process may have many old ones."""
    enabled = gc.isenabled()
    # New objects stay in the youngest generation.
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if enabled:
            gc.enable()


@functools.cache
def _sources() -> str:
    return digest_of_sources([Path(__file__).parents[1], Path(linux.__file__).parent])
