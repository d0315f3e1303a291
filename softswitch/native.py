"""From LLVM IR to machine code in this process, by way of a cache of object files on disk."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm


class NativeModule:
    """Machine code in this process, for as long as this object lives."""

    def __init__(self, code: bytes) -> None:
        """From the object file's bytes."""
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        return int(self._engine.get_function_address(function))


def load_cached(key: str, assembly: Callable[[], str]) -> NativeModule:
    """The code for `key`, from the cache, or else compiled from the LLVM assembly and put there.

    The key says all that the assembly depends on; the machine is added to it here. A cache that is damaged, or cannot
    be written to, only costs the time to compile.
    """
    machine = f"{llvmlite.__version__} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    name = hashlib.sha256(f"{key} {machine}".encode()).hexdigest()
    path = _cache_folder() / name
    code = _read(path)
    if code is None:
        code = compile_assembly(assembly())
        _write(path, code)
    return NativeModule(code)


def compile_assembly(assembly: str) -> bytes:
    """An optimized object file for this machine's processor."""
    target = _target()
    module = llvm.parse_assembly(assembly)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def _target() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, reloc="pic", jit=True
    )


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
