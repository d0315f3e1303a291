"""Tuples of arrays that compiled code finds by their address. To be handed arrays takes it some 0.2 us each, several
times that when other processes have had the caches; a number takes next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

Content = TypeVar("Content", bound=tuple[Any, ...])


class Handle(Generic[Content]):
    """A place for a tuple of arrays, which are kept as long.

    Attributes:
        address: of that place.
    """

    def __init__(self, put: Callable[[Content, int], None], size: int, content: Content) -> None:
        """put, size: what `by_address` returned; compiled."""
        self._put = put
        self._memory = np.zeros(size, np.uint8)
        self.address = self._memory.ctypes.data
        self.hold(content)

    def hold(self, content: Content) -> None:
        """Has it be there instead of what was."""
        self.content = content
        self._put(content, self.address)


def by_address(example: tuple[Any, ...]) -> tuple[Any, Any, int]:
    """For tuples of this one's type, of which something else must keep the arrays: two functions for compiled code,
    (tuple, address), which puts it there, and (address) -> the tuple that was put there; and how many bytes it takes.
    """
    kind = typeof(example)  # type: ignore[no-untyped-call]
    context = cpu_target.target_context
    form = context.get_value_type(kind)

    def put(_: Any, content: Any, address: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ir.Value]) -> ir.Value:
            builder.store(arguments[0], builder.inttoptr(arguments[1], form.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(kind, types.intp), generate

    def get(_: Any, address: Any) -> Any:
        def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
            return builder.load(builder.inttoptr(arguments[0], form.as_pointer()), align=1)

        return kind(types.intp), generate

    return intrinsic(put), intrinsic(get), context.get_abi_sizeof(form)
