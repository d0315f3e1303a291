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
