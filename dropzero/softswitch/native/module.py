"""Compiles LLVM assembly in a compiler process."""

from __future__ import annotations

import ctypes
import functools
import gc
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import llvmlite.binding as llvm

from dropzero import linux
from dropzero.machine_code import OPTIMIZED, NativeModule, digest_of_sources, load
from dropzero.softswitch.native import compiler_process
from dropzero.softswitch.program.model import UnsupportedProgram

COMPILER_SECONDS = 120
"""Limit on the time to compile a program."""


def load_cached(key: str, assembly: Callable[[], str], level: int = OPTIMIZED) -> NativeModule:
    """Loads the code for `key` from the cache, or compiles the LLVM assembly and caches the code. Callers with the same
    key share the loaded code.

    key: identifies the assembly, its options and the optimization level. The cache also distinguishes the versions of
    this package's sources and of LLVM, and the CPU.

    Raises:
        UnsupportedProgram: LLVM does not compile the assembly.
    """
    return load(f"{key} {_sources()}", lambda: _compile(assembly, level))


def stamp(sources: Iterable[Path]) -> str:
    """The first line of assembly that this machine can use and that is of these sources."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    return f"; LLVM {llvm.llvm_version_info[0]}, {llvm.get_default_triple()}, sources {digest}\n"


def assembly_of(module: str, written: Path, sources: Iterable[Path]) -> str:
    """The assembly that a Python module writes to stdout with write() in functions.py, when run as a program.

    written: a file with such assembly, which is used if it is of the same sources, LLVM version and architecture.

    Raises:
        UnsupportedProgram: numba cannot compile it; the reason is on stderr.
    """
    text = written.read_text() if written.exists() else ""
    if text.startswith(stamp(sources)):
        return text
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-P", "-m", module]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, timeout=COMPILER_SECONDS)
    if done.returncode:
        raise UnsupportedProgram(f"numba does not compile {module}")
    return done.stdout


class PythonCode:
    """Native code that a Python module writes (functions.py), for the rest of the process. See assembly_of()."""

    def __init__(self, module: str, written: Path, sources: Sequence[Path]) -> None:
        self.module, self.written, self.sources = module, written, sources

    @functools.cached_property
    def _loaded(self) -> NativeModule:
        return load_cached(self.module, lambda: assembly_of(self.module, self.written, self.sources))

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """A function with this number of arguments. They and the result are 64-bit ints. Compiling takes seconds if the
        cache does not have the code.

        Raises:
            UnsupportedProgram: the code cannot be compiled.
        """
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)(self._loaded.address(name))


def _compile(assembly: Callable[[], str], level: int) -> bytes:
    """Compiles to an object file. Starts the compiler process before writing the assembly, which both take time."""
    command = [sys.executable, "-P", compiler_process.__file__, str(level)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            with _collected():
                text = assembly().encode()
            code, errors = process.communicate(text, COMPILER_SECONDS)
        except subprocess.TimeoutExpired:
            raise UnsupportedProgram(f"LLVM has not compiled it in {COMPILER_SECONDS} s") from None
        finally:
            process.kill()
    if process.returncode:
        what = errors.decode(errors="replace").strip().partition("\n")[0]
        ended = signal.Signals(-process.returncode).name if process.returncode < 0 else f"status {process.returncode}"
        raise UnsupportedProgram(f"LLVM does not compile it: {what or 'no reason given'} ({ended})")
    return code


@contextmanager
def _collected() -> Iterator[None]:
    """Collects what becomes garbage in the block: llvmlite's objects are large, and full of cycles. Looks only through
    new objects, because a process may have many old ones."""
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
