"""From LLVM assembly to machine code in this process, by way of a compiler's process and a cache on disk."""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from dropzero import linux
from dropzero.softswitch.native import compiler_process
from dropzero.softswitch.program.model import UnsupportedProgram

COMPILER_SECONDS = 120
"""What takes longer is refused."""


class NativeModule:
    """Machine code in this process, for as long as this object lives."""

    def __init__(self, code: bytes) -> None:
        """From the object file's bytes."""
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), compiler_process.target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        return int(self._engine.get_function_address(function))


def load_cached(key: str, assembly: Callable[[], str]) -> NativeModule:
    """The code for `key`, from the cache, or else compiled from the LLVM assembly and put there.

    The key names the assembly and its options; the sources that write it and the machine are added to it here. A cache
    that is damaged, or cannot be written to, only costs the time to compile.

    Raises:
        UnsupportedProgram: LLVM does not compile it.
    """
    machine = f"{llvmlite.__version__} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    name = hashlib.sha256(f"{key} {_sources()} {machine}".encode()).hexdigest()
    path = _cache_folder() / name
    code = _read(path)
    if code is None:
        code = _compile(assembly)
        _write(path, code)
    return NativeModule(code)


def assembly_of(module: str) -> str:
    """The assembly that a Python module, run as a program, writes to stdout: see functions.py.

    Raises:
        UnsupportedProgram: it does not; its stderr, which is this process's, says why.
    """
    # The compiler's process optimizes it.
    environment = os.environ | {"NUMBA_OPT": "0", "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-P", "-m", module]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, timeout=COMPILER_SECONDS)
    if done.returncode:
        raise UnsupportedProgram(f"numba does not compile {module}")
    return done.stdout


def _compile(assembly: Callable[[], str]) -> bytes:
    """The object file. The compiler's process starts while the assembly is being written."""
    command = [sys.executable, "-P", compiler_process.__file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            text = assembly().encode()
            gc.collect()  # what the assembly was written with is large, and full of cycles
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


@cache
def _sources() -> str:
    return digest_of_sources([Path(__file__).parents[1], Path(linux.__file__).parent])


def digest_of_sources(folders: Iterable[Path]) -> str:
    """Of all Python files in the folders and below them."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_folder() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "dropzero"


def _read(path: Path) -> bytes | None:
    """An object file, whose digest precedes it; None unless it is there and whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(path: Path, code: bytes) -> None:
    """In one step, for others may be reading."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(file.name).replace(path)
    except OSError:
        return
