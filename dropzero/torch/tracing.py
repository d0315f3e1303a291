"""Keeps torch.compile out of a class."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any, TypeVar

from torch._compile import _disable_dynamo

T = TypeVar("T")


def untraced(kind: type[T]) -> type[T]:
    """Makes torch.compile skip the public methods of a class. Otherwise it would compile those that a compiled program
    calls through C++, as DDP does, with the program."""
    for name, method in list(vars(kind).items()):
        if isfunction(method) and not method.__name__.startswith("_"):
            setattr(kind, name, _untraced(method))
    return kind


def _untraced(method: Callable[..., Any]) -> Callable[..., Any]:
    alone = _disable_dynamo(method)

    @wraps(method)
    def make(*arguments: Any, **named: Any) -> Any:
        # That loads the compiler, which takes seconds: so only if it is loaded already.
        return (alone if "torch._dynamo" in sys.modules else method)(*arguments, **named)

    return make
