"""Machine code in this process, from a cache on disk or made anew."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from weakref import WeakValueDictionary

import llvmlite
import llvmlite.binding as llvm

from dropzero.native.code_cache import Cache

OPTIMIZED = 2
"""The optimization level of code that runs once per packet."""


class NativeModule:
    """Machine code, mapped into this process while this object lives."""

    def __init__(self, code: bytes) -> None:
        """code: the bytes of an object file."""
        llvm.initialize_native_target()
        # The engine only links. It wants a module to begin with, from which it would generate code.
        empty = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(empty, llvm.Target.from_default_triple().create_target_machine())
        self._engine.remove_module(empty)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        return int(self._engine.get_function_address(function))


def load(key: str, compile: Callable[[], bytes]) -> NativeModule:
    """Loads the code for `key` from the cache, or compiles it to an object file and caches that. Callers with the same
    key share the loaded code; if several processes need it at once, one compiles it, and the others wait.

    key: identifies the sources of the code and its options. The cache also distinguishes the versions of LLVM, the CPU,
    and how Python lays out objects, which differs without the GIL.
    """
    name = hashlib.sha256(f"{key} {_machine()}".encode()).hexdigest()
    module = _loaded.get(name)
    if module is None:
        cache = Cache(_cache_folder())
        code = cache.get(name)
        if code is None:
            with cache.alone(name):
                # Another process may have compiled it.
                code = cache.get(name)
                if code is None:
                    code = compile()
                    cache.put(name, code)
        module = _loaded[name] = NativeModule(code)
    return module


_loaded: WeakValueDictionary[str, NativeModule] = WeakValueDictionary()


def target_machine(level: int = OPTIMIZED) -> llvm.TargetMachine:
    """The machine that this process runs on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(cpu, features, level, reloc="static", jit=True)


def digest_of_sources(folders: Iterable[Path]) -> str:
    """The digest of all Python files in and below the folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _machine() -> str:
    cpu = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    return f"{llvmlite.__version__} {cpu} {object.__basicsize__}"


def _cache_folder() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(root) if root else Path.home() / ".cache") / "dropzero"
    except RuntimeError:
        # A user without a home. No folder can be made there, so nothing is cached.
        return Path(os.devnull, "dropzero")
