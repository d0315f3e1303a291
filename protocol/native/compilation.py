"""How everything that happens once a packet is compiled."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

PACKAGE = Path(__file__).parents[2]

Function = TypeVar("Function", bound=Callable[..., Any])


def _load_without_scipy() -> None:
    """When something is compiled or loaded for the first time, numba looks whether SciPy has linear algebra for it, by
    importing that, which takes as long as all else together. Who needs it gets it later all the same."""
    modules: dict[str, Any] = sys.modules
    if modules.setdefault("scipy.linalg") is None:
        try:
            import_module("numba.np.arraymath")._HAVE_BLAS = find_spec("scipy") is not None  # type: ignore[attr-defined]
        finally:
            del modules["scipy.linalg"]


_load_without_scipy()


def compiled(function: Function) -> Function:
    """Compiles the function, which may not make arrays, only slices of them: without counting references, which it does
    not need then, it takes half the time.

    The machine code is kept for as long as no module changes whose functions may be part of it.
    """
    options: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
    result: Any = njit(**options)(function)
    # numba itself looks only at the module that the function is in, and that after it has read all that was kept, where
    # there may be classes that are gone. What another version of it kept it does not read.
    result._cache._cache_file._version += _sources(_room(Path(function.__code__.co_filename)))
    return result  # type: ignore[no-any-return]


def _room(path: Path) -> Path:
    """The folder right below dropzero/ that the module is in; for modules elsewhere, their own."""
    return PACKAGE / path.relative_to(PACKAGE).parts[0] if path.is_relative_to(PACKAGE) else path.parent


@cache
def _sources(room: Path) -> str:
    """A digest of all modules in this room and that one."""
    digest = hashlib.sha256()
    for path in sorted({*_room(Path(__file__)).rglob("*.py"), *room.rglob("*.py")}):
        digest.update(path.read_bytes())
    return digest.hexdigest()
