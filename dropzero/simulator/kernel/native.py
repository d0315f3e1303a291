"""Compiles the simulator's code that runs once per packet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dropzero.protocol.native.compilation import PACKAGE
from dropzero.protocol.native.compilation import compiled as compiled_with
from dropzero.protocol.native.intrinsics import lazily

Function = TypeVar("Function", bound=Callable[..., Any])

SWITCH = PACKAGE / "softswitch"


def compiled(function: Function) -> Function:
    """dropzero.protocol's `compiled`, for code that also contains constants and functions of the embedded switch."""
    return compiled_with(function, SWITCH)


def _intrinsic(name: str) -> Any:
    """One of dropzero.softswitch.native.functions, which imports numba."""

    def make() -> Any:
        from dropzero.softswitch.native import functions

        return getattr(functions, name)

    return lazily(make)


array_at, call_at, memmove, struct_at = map(_intrinsic, ("array_at", "call_at", "memmove", "struct_at"))
