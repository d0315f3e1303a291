"""Compiles the simulator's code that runs once per packet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dropzero.protocol.native.compilation import PACKAGE
from dropzero.protocol.native.compilation import compiled as compiled_with

Function = TypeVar("Function", bound=Callable[..., Any])

SWITCH = PACKAGE / "softswitch"


def compiled(function: Function) -> Function:
    """dropzero.protocol's `compiled`, for code that also contains constants and functions of the embedded switch."""
    return compiled_with(function, SWITCH)


class Intrinsic:
    """One of dropzero.softswitch.native.functions, for compiled code. Only compiling that code imports numba."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"only compiled code may call {self._name}")

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this object for where compiled code refers to it."""
        from numba.core.registry import cpu_target

        from dropzero.softswitch.native import functions

        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(getattr(functions, self._name))


array_at, call_at, memmove, struct_at = map(Intrinsic, ("array_at", "call_at", "memmove", "struct_at"))
