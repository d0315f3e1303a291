"""Compiles the code that runs once per packet with numba, and runs it without.

The machine code of a function that Python calls is cached on disk. Importing numba takes longer than everything else
that a worker imports, so a process only does it if code is not in the cache.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from dropzero.native.machine_code import NativeModule, load

ENTRY = "entry"
"""The name under which machine code exports its function."""

Function = TypeVar("Function", bound=Callable[..., Any])

# Contiguous in C's or Fortran's order, aligned, writeable: see numpy's ndarraytypes.h.
_LAYOUT = 0x1 | 0x2 | 0x100 | 0x400
_IMPORTS = re.compile(r"^from ([\w.]+) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
"""A module, and the names imported from it, which may be modules, too."""
_RESULTS = {"int": ctypes.c_int64, "bool": ctypes.c_bool, "float": ctypes.c_double, "None": None}


def compiled(function: Function) -> Function:
    """Compiles a function. It takes numbers, arrays and tuples of them, and returns a number or nothing, as annotated;
    a function that only compiled functions call may return anything. It creates no arrays, only slices: without
    reference counting, it takes half the time. It raises no exceptions: a division by zero gives what numpy gives.

    The machine code is cached until the function's module changes, or one that it imports.
    """
    return cast(Function, Compiled(function))


def inlined(function: Function) -> Function:
    """Compiles a function into its callers, which saves passing tuples of arrays."""
    return cast(Function, Compiled(function, forceinline=True))


def entry_point(function: Function) -> Function:
    """Returns the machine code of a compiled function whose arguments are all 64-bit ints. A call of it costs less than
    one of the function, which looks at its arguments. Compiling takes seconds if the cache does not have the code."""
    assert isinstance(function, Compiled)
    return cast(Function, function.for_integers)


class Compiled:
    """A compiled function. Python calls its machine code; compiled functions call `dispatcher`.

    Arguments are passed as numbers, and arrays as the objects that they are; tuples, as what they contain.
    """

    def __init__(self, function: Callable[..., Any], **options: bool) -> None:
        update_wrapper(self, function)
        self.function, self._options = function, options
        self._entries: dict[tuple[object, ...], Callable[..., Any]] = {}
        self._modules: list[NativeModule] = []

    def __call__(self, *arguments: Any) -> Any:
        missing = self.function.__code__.co_argcount - len(arguments)
        if missing:
            arguments += (self.function.__defaults__ or ())[-missing:]
        leaves: list[Any] = []
        kinds: list[object] = []
        _flatten(arguments, leaves, kinds)
        key = tuple(kinds)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._load(key, leaves, arguments)
        return entry(*leaves)

    @cached_property
    def for_integers(self) -> Callable[..., Any]:
        """See entry_point."""
        arguments = (0,) * self.function.__code__.co_argcount
        return self._load((int,) * len(arguments), arguments, arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """numba's object for this function."""
        from dropzero.native.entry import dispatcher

        return dispatcher(self.function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this object for where compiled code refers to it."""
        from numba import types

        return types.Dispatcher(self.dispatcher)

    def _load(self, key: tuple[object, ...], leaves: Sequence[Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Returns the function for arguments of these kinds."""
        name = f"{self.__module__}.{self.function.__qualname__} {key} {self.sources()}"
        module = load(name, lambda: self._compile(arguments))
        self._modules.append(module)
        result = _RESULTS[self.function.__annotations__["return"]]
        kind = ctypes.CFUNCTYPE(result, *(_c_type(leaf) for leaf in leaves))
        return kind(module.address(ENTRY))

    def _compile(self, arguments: tuple[Any, ...]) -> bytes:
        from dropzero.native.entry import object_code

        return object_code(self.dispatcher, self.function.__annotations__["return"], arguments)

    def sources(self) -> str:
        """A digest of all modules whose functions and constants the machine code may include."""
        return _digest(self.__module__)


def _flatten(values: tuple[Any, ...], leaves: list[Any], kinds: list[object]) -> None:
    """Appends the numbers and arrays in (tuples of) values, and what compiled code distinguishes of them."""
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            leaves.append(value)
            kinds.append((value.dtype, value.ndim, value.flags.num & _LAYOUT))
        elif kind is int or kind is float or kind is bool:
            leaves.append(value)
            kinds.append(kind)
        elif isinstance(value, tuple):
            kinds.append((kind, len(value)))
            _flatten(value, leaves, kinds)
        else:
            leaves.append(value.item() if isinstance(value, np.generic) else value)
            kinds.append(kind)


def _c_type(leaf: object) -> Any:
    if isinstance(leaf, np.ndarray):
        return ctypes.py_object
    return ctypes.c_double if isinstance(leaf, float) else ctypes.c_bool if isinstance(leaf, bool) else ctypes.c_int64


@cache
def _digest(module: str) -> str:
    """The digest of this package, of a module, and of all that the module imports from dropzero and its own package."""
    ours = (f"{module.partition('.')[0]}.", "dropzero.")
    contents = {path.name: path.read_bytes() for path in Path(__file__).parent.glob("*.py")}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = getattr(sys.modules.get(name), "__file__", None)
        if path is not None and name not in contents and (name == module or name.startswith(ours)):
            contents[name] = Path(path).read_bytes()
            for source, several, one in _IMPORTS.findall(contents[name].decode()):
                waiting += [source, *(f"{source}.{each.strip()}" for each in (several or one).split(","))]
    return hashlib.sha256(b"".join(contents[name] for name in sorted(contents))).hexdigest()
