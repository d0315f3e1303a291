"""Memory at addresses, for compiled code: structures, arrays, functions. Addresses are signed 64-bit ints.

Compiled code computes only with signed numbers: for numba, the sum of a signed and an unsigned one is a float. `int64`
converts unsigned fields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir

from dropzero.native.intrinsics import lazily


def _make_struct_at() -> Any:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def struct_at(_: Any, address: Any, dtype: Any, number: Any) -> Any:
        record = dtype.dtype

        def generate(context: Any, builder: ir.IRBuilder, _: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
            array, _, index = arguments
            # A pointer with an offset, so that LLVM sees neighbours in a loop.
            first = builder.inttoptr(array, ir.ArrayType(ir.IntType(8), record.size).as_pointer())
            return builder.bitcast(builder.gep(first, [index]), context.get_value_type(record))

        return record(types.int64, dtype, types.int64), generate

    return struct_at


def _make_array_at() -> Any:
    from numba import types as untyped_types
    from numba.extending import intrinsic

    types: Any = untyped_types

    @intrinsic
    def array_at(_: Any, address: Any, dtype: Any) -> Any:
        kind = types.CPointer(dtype.dtype)

        def generate(context: Any, builder: ir.IRBuilder, _: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
            return builder.inttoptr(arguments[0], context.get_value_type(kind))

        return kind(types.int64, dtype), generate

    return array_at


def _make_call_at() -> Any:
    from numba import types as untyped_types
    from numba.core import cgutils as untyped_cgutils
    from numba.extending import intrinsic

    types: Any = untyped_types
    cgutils: Any = untyped_cgutils

    @intrinsic
    def call_at(_: Any, address: Any, arguments: Any) -> Any:
        kind = types.UniTuple(types.int64, len(arguments))

        def generate(_: Any, builder: ir.IRBuilder, __: Any, values: tuple[ir.Value, ...]) -> ir.Value:
            word = ir.IntType(64)
            function = builder.inttoptr(values[0], ir.FunctionType(word, [word] * len(arguments)).as_pointer())
            return builder.call(function, cgutils.unpack_tuple(builder, values[1]))

        return types.int64(types.int64, kind), generate

    return call_at


struct_at = lazily(_make_struct_at)
"""struct_at(address, dtype, index): a structure in an array of structures. Fields are read and written in place.
Nothing need be aligned."""
array_at = lazily(_make_array_at)
"""array_at(address, dtype): an array of aligned numbers. Elements are read and written in place."""
call_at = lazily(_make_call_at)
"""call_at(address, arguments): calls a native function. arguments: a tuple. They and the result are 64-bit ints."""
int64 = cast(Callable[[Any], int], np.int64)
"""int64(number): as a signed 64-bit number."""
