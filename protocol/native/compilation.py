"""Compiles the code that runs once per packet, with numba."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import cpu_target

PACKAGE = Path(__file__).parents[2]

Function = TypeVar("Function", bound=Callable[..., Any])


def _load_without_scipy() -> None:
    """Initializes numba without SciPy. numba imports scipy.linalg to look for linear algebra, which takes as long as
    everything else together. Code that needs SciPy can still import it later."""
    modules: dict[str, Any] = sys.modules
    if modules.setdefault("scipy.linalg") is None:
        try:
            import_module("numba.np.arraymath")._HAVE_BLAS = find_spec("scipy") is not None  # type: ignore[attr-defined]
        finally:
            del modules["scipy.linalg"]


_load_without_scipy()


def compiled(function: Function) -> Function:
    """Compiles a function that makes no arrays, only slices. Without reference counting it takes half the time.

    The machine code is cached on disk, until a module changes whose functions it may include.
    """
    return _compiled(function)


def allocating(function: Function) -> Function:
    """`compiled`, for functions that make arrays or copy slices."""
    return _compiled(function, _nrt=True)


def inlined(function: Function) -> Function:
    """Compiles a function inline into its callers, which saves passing tuples of arrays."""
    return _compiled(function, forceinline=True)


def _compiled(function: Function, **options: Any) -> Function:
    options = {"cache": True, "nogil": True, "_nrt": False} | options
    result: Any = njit(**options)(function)
    result._cache._cache_file.__class__ = _Files
    result._cache._cache_file._version += _sources(_room(Path(function.__code__.co_filename)))
    # Code that allocates calls numba's runtime, which numba's own loader makes ready.
    if not options["_nrt"]:
        result._compiler.compile = partial(_compile, result._compiler.compile)
        result._cache.load_overload = partial(_load, result._cache)
    return result  # type: ignore[no-any-return]


_uncounted: dict[Any, Any] = {}
"""What numba has compiled of its own library without reference counting."""


def _compile(compile: Callable[[Any, Any], Any], arguments: Any, result: Any) -> Any:
    """Compiles without reference counting. numba compiles its own library's functions once for all that include them:
    with it if the first of these allocates. Its runtime, which they then call, is not there in a process that loads
    code (_load)."""
    target = cpu_target.target_context
    others, target.cached_internal_func = target.cached_internal_func, _uncounted
    try:
        return compile(arguments, result)
    finally:
        target.cached_internal_func = others


class _Files(IndexDataCacheFile):
    """The cache of a function: a file for each signature, named by digests of the sources and of the signature.

    numba numbers the files in an index. Two processes that update it at once can take each other's code, and numba
    checks only the function's own module for changes, by its time.
    """

    def save(self, key: object, data: object) -> None:
        self._save_data(self._name(self._digest(), self._digest(key)), data)  # type: ignore[no-untyped-call]
        for path in Path(self._cache_path).glob(self._name("*", "*")):
            if not path.match(self._name(self._digest(), "*")):
                path.unlink(missing_ok=True)  # from sources as they were before

    def load(self, key: object) -> Any:
        with suppress(FileNotFoundError):
            return self._load_data(self._name(self._digest(), self._digest(key)))  # type: ignore[no-untyped-call]

    def _digest(self, *of: object) -> str:
        return hashlib.sha256(repr((self._version, *of)).encode()).hexdigest()[:32]

    def _name(self, version: str, key: str) -> str:
        return self._data_name_pattern.format(number=0).replace(".0.", f".{version}-{key}.")


def _load(cache: Any, signature: Any, target: Any) -> Any:
    """What is cached for a signature, or None. numba's own also loads all that it compiles with, which takes three
    quarters of a worker's time to load its code. Where something has to be compiled, numba does that then."""
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


def _room(path: Path) -> Path:
    """The top folder below dropzero/ that contains a module; for a module elsewhere, its own folder."""
    return PACKAGE / path.relative_to(PACKAGE).parts[0] if path.is_relative_to(PACKAGE) else path.parent


@cache
def _sources(room: Path) -> str:
    """A digest of all modules in this room and in `room`."""
    digest = hashlib.sha256()
    for path in sorted({*_room(Path(__file__)).rglob("*.py"), *room.rglob("*.py")}):
        digest.update(path.read_bytes())
    return digest.hexdigest()
