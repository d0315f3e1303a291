"""Passes tuples of arrays to compiled code by address.

Passing an array to compiled code costs 0.2 us, and several times that with cold caches; an address, almost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from dropzero.native.intrinsics import lazily

if TYPE_CHECKING:
    from llvmlite import ir

Content = TypeVar("Content", bound=tuple[Any, ...])


class Handle(Generic[Content]):
    """Memory that holds a tuple of arrays and keeps them alive.

    Attributes:
        address: the memory's address.
        content: the tuple.
    """

    def __init__(self, put: Callable[[Content, int], None], content: Content) -> None:
        """put: as `by_address` returns it, compiled."""
        self._put = put
        self._memory = np.zeros(_words(content), np.uint64)
        self.address = self._memory.ctypes.data
        self._alive: list[Content] = []
        self.hold(content)

    def hold(self, content: Content) -> None:
        """Replaces the tuple. After an exception here, such as a signal handler's, the memory holds the one or the
        other, both alive."""
        self._alive.append(content)
        self._put(content, self.address)
        self.content = content
        del self._alive[:-1]


def _words(value: object) -> int:
    """64-bit words in which compiled code holds a tuple, an array or a number, or a few more."""
    if isinstance(value, tuple):
        return sum(map(_words, value))
    return 5 + 2 * value.ndim if isinstance(value, np.ndarray) else 1


def by_address(example: tuple[Any, ...]) -> tuple[Any, Any]:
    """Creates functions for compiled code that store and load tuples of the example's type.

    Returns:
        put(tuple, address), get(address) -> tuple. Neither function keeps the arrays alive.
    """

    def make_put() -> Any:
        from numba import types
        from numba.extending import intrinsic

        kind, form = _types(example)

        def put(_: Any, content: Any, address: Any) -> Any:
            def code(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ir.Value]) -> ir.Value:
                builder.store(arguments[0], builder.inttoptr(arguments[1], form.as_pointer()), align=1)
                return context.get_dummy_value()

            return types.void(kind, types.intp), code

        return intrinsic(put)

    def make_get() -> Any:
        from numba import types
        from numba.extending import intrinsic

        kind, form = _types(example)

        def get(_: Any, address: Any) -> Any:
            def code(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
                return builder.load(builder.inttoptr(arguments[0], form.as_pointer()), align=1)

            return kind(types.intp), code

        return intrinsic(get)

    return lazily(make_put), lazily(make_get)


def _types(example: tuple[Any, ...]) -> tuple[Any, Any]:
    """numba's type and LLVM's."""
    from numba import typeof
    from numba.core.registry import cpu_target

    kind = typeof(example)  # type: ignore[no-untyped-call]
    return kind, cpu_target.target_context.get_value_type(kind)
