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
from numba.core.runtime.nrt import rtsys

PACKAGE = Path(__file__).parents[2]

Function = TypeVar("Function", bound=Callable[..., Any])


def _load_without_scipy() -> None:
    """Initializes numba without importing SciPy. numba imports scipy.linalg only to see whether it exists, which takes
    as long as the rest of its initialization. Code that needs SciPy can still import it later."""
    modules: dict[str, Any] = sys.modules
    if modules.setdefault("scipy.linalg") is None:
        try:
            import_module("numba.np.arraymath")._HAVE_BLAS = find_spec("scipy") is not None  # type: ignore[attr-defined]
        finally:
            del modules["scipy.linalg"]


_load_without_scipy()


def compiled(function: Function, *others: Path) -> Function:
    """Compiles a function that creates no arrays, only slices. Without reference counting it takes half the time.

    The machine code is cached on disk until a module changes whose functions it may include: in this package, in the
    function's own, or in `others`, the folders of other packages.
    """
    return _compiled(function, *others)


def allocating(function: Function) -> Function:
    """As `compiled`, for functions that create arrays or copy slices."""
    return _compiled(function, _nrt=True)


def inlined(function: Function) -> Function:
    """Compiles a function into its callers, which saves passing tuples of arrays."""
    return _compiled(function, forceinline=True)


def _compiled(function: Function, *others: Path, **options: Any) -> Function:
    result = _dispatcher(function, *others, **options)

    @cache
    def inner() -> Any:
        """The same for compiled callers. Wrappers for other callers would take a third of the time to compile."""
        made = _dispatcher(function, *others, **options, no_cpython_wrapper=True, no_cfunc_wrapper=True)
        made._cache._cache_file._data_name_pattern = f"inner-{made._cache._cache_file._data_name_pattern}"
        return made

    result.get_call_template = lambda arguments, named: inner().get_call_template(arguments, named)
    result.get_overload = lambda signature: inner().get_overload(signature)
    return result  # type: ignore[no-any-return]


def _dispatcher(function: Callable[..., Any], *others: Path, **options: Any) -> Any:
    options = {"cache": True, "nogil": True, "_nrt": False} | options
    result: Any = njit(**options)(function)
    result._cache._cache_file.__class__ = _Files
    result._cache._cache_file._version += _sources(_room(Path(function.__code__.co_filename)), *others)
    if not options["_nrt"]:
        result._compiler.compile = partial(_compile, result._compiler.compile)
    result._cache.load_overload = partial(_load, result._cache, options["_nrt"])
    return result


_uncounted: dict[Any, Any] = {}
"""The functions of numba's own library that were compiled without reference counting."""


def _compile(compile: Callable[[Any, Any], Any], arguments: Any, result: Any) -> Any:
    """Compiles without reference counting, and with library functions of its own. numba compiles each function of its
    library once, with reference counting if the first caller allocates. Such a function calls numba's runtime, which is
    missing in a process that only loads cached code (_load)."""
    target = cpu_target.target_context
    others, target.cached_internal_func = target.cached_internal_func, _uncounted
    try:
        return compile(arguments, result)
    finally:
        target.cached_internal_func = others


class _Files(IndexDataCacheFile):
    """A function's cache: a file for each signature, named by digests of the sources and of the signature.

    numba's own cache numbers the files in an index. Two processes that update it at once can load each other's code,
    and it notices changes only in the function's own module, by the file's time.
    """

    def save(self, key: object, data: object) -> None:
        self._save_data(self._name(self._digest(), self._digest(key)), data)  # type: ignore[no-untyped-call]
        for path in Path(self._cache_path).glob(self._name("*", "*")):
            if not path.match(self._name(self._digest(), "*")):
                path.unlink(missing_ok=True)  # compiled from older sources

    def load(self, key: object) -> Any:
        with suppress(FileNotFoundError):
            return self._load_data(self._name(self._digest(), self._digest(key)))  # type: ignore[no-untyped-call]

    def _digest(self, *of: object) -> str:
        return hashlib.sha256(repr((self._version, *of)).encode()).hexdigest()[:32]

    def _name(self, version: str, key: str) -> str:
        return self._data_name_pattern.format(number=0).replace(".0.", f".{version}-{key}.")


def _load(cache: Any, allocates: bool, signature: Any, target: Any) -> Any:
    """Loads the cached code for a signature; None if there is none. numba's own method first loads the compiler, which
    takes three quarters of the time in which a worker loads its code. If something must be compiled later, numba loads
    the compiler then."""
    if allocates:
        # It calls numba's runtime, which is otherwise initialized with the compiler.
        rtsys.initialize(target)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


def _room(path: Path) -> Path:
    """The folder directly below dropzero/ that contains a module; for a module elsewhere, its own folder."""
    return PACKAGE / path.relative_to(PACKAGE).parts[0] if path.is_relative_to(PACKAGE) else path.parent


@cache
def _sources(*rooms: Path) -> str:
    """A digest of all modules in this package and in the folders `rooms`."""
    digest = hashlib.sha256()
    for path in sorted({path for room in (_room(Path(__file__)), *rooms) for path in room.rglob("*.py")}):
        digest.update(path.read_bytes())
    return digest.hexdigest()
