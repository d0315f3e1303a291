"""What compiled code may call: LLVM's instructions, and functions of the C library."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir

Generate = Callable[..., ir.Value | None]
"""Takes a builder and values, and returns a value, or None for a function without a result."""


class _Foreign:
    """A function that only compiled code calls. numba is imported when it first does."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError("only compiled code can call this")

    @cached_property
    def _numba_type_(self) -> Any:
        """What numba takes this object for."""
        from numba.core.registry import cpu_target

        self._made = self._make()
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(self._made)


def lazily(make: Callable[[], Any]) -> Any:
    """Returns what compiled code takes for the result of `make`, which may import numba."""
    return _Foreign(make)


def intrinsic(signature: str) -> Callable[[Generate], Any]:
    """A decorator for a function that generates instructions. signature: of numba's types, such as "uint64(uint64)"."""

    def decorated(generate: Generate) -> Any:
        def make() -> Any:
            from numba.extending import intrinsic

            arguments, result = _parsed(signature)

            def code(context: Any, builder: ir.IRBuilder, _: Any, values: tuple[ir.Value, ...]) -> ir.Value:
                made = generate(builder, *values)
                return context.get_dummy_value() if made is None else made

            def typed(*_: Any) -> Any:
                return result(*arguments), code

            # numba wants to know each argument. Instead of the builder, it passes a context.
            typed.__signature__ = inspect.signature(generate)  # type: ignore[attr-defined]
            return intrinsic(typed)

        return lazily(make)

    return decorated


def external(name: str, signature: str) -> Any:
    """A function of the C library. signature: of numba's types, such as "intc(intc, uintp)"."""

    def make() -> Any:
        from numba import types

        arguments, result = _parsed(signature)
        return types.ExternalFunction(name, result(*arguments))

    return lazily(make)


def _parsed(signature: str) -> tuple[tuple[Any, ...], Any]:
    """The types of a function's arguments and of its result."""
    from numba.core.sigutils import normalize_signature

    arguments, result = normalize_signature(signature)  # type: ignore[no-untyped-call]
    return arguments, result


_BYTE, _INT, _WORD, _BIT = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.IntType(1)
_BYTES = _BYTE.as_pointer()


@intrinsic("void()")
def fence(builder: ir.IRBuilder) -> None:
    """(): orders all memory accesses before it, including non-temporal stores, before those after it."""
    builder.fence("seq_cst")


@intrinsic("uint64(uint64)")
def lowest_bit(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    """(word) -> the index of the lowest set bit of 64; undefined for 0."""
    return builder.cttz(word, _BIT(1))


@intrinsic("uint64(uint64)")
def popcount(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    """(word) -> the number of set bits of 64."""
    return builder.ctpop(word)


@intrinsic("void(uintp)")
def prefetch(builder: ir.IRBuilder, address: ir.Value) -> None:
    """(address): starts to fetch the cache line (64 bytes) there."""
    kind = ir.FunctionType(ir.VoidType(), [_BYTES, _INT, _INT, _INT])
    function = builder.module.declare_intrinsic("llvm.prefetch.p0", fnty=kind)
    builder.call(function, [builder.inttoptr(address, _BYTES), _INT(0), _INT(2), _INT(1)])


@intrinsic("void(int64, int64, int64)")
def memmove(builder: ir.IRBuilder, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
    """(target, source, size): copies bytes, which may overlap."""
    kind = ir.FunctionType(ir.VoidType(), [_BYTES, _BYTES, _WORD, _BIT])
    function = builder.module.declare_intrinsic("llvm.memmove.p0.p0.i64", fnty=kind)
    builder.call(function, [builder.inttoptr(target, _BYTES), builder.inttoptr(source, _BYTES), size, _BIT(0)])
