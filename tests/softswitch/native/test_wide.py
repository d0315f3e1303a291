"""Operations on integers of any width, against Python's."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir

from dropzero.native.machine_code import NativeModule
from dropzero.softswitch.native import wide
from dropzero.softswitch.native.module import load_cached

WIDTHS = (8, 40, 64, 192, 248, 256, 320, 1000, 1024, 4032, 4096)
"""Computed as integers, and as vectors of the fewest to the most words."""
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "and_": operator.and_,
    "or_": operator.or_,
    "xor": operator.xor,
    "select": lambda left, right: right if left < right else left,
    "not_": lambda left, _: ~left,
    "reversed_bytes": lambda left, _: left,
}
POINTER = ir.PointerType()


@pytest.fixture(scope="module")
def native() -> NativeModule:
    """A function (left, right, result) for each operation and width."""
    module = ir.Module()
    for name in OPERATIONS:
        for width in WIDTHS:
            kind = ir.FunctionType(ir.VoidType(), [POINTER] * 3)
            function = ir.Function(module, kind, f"{name}{width}")
            builder = ir.IRBuilder(function.append_basic_block())
            left, right = (wide.load(builder, each, width, 1) for each in function.args[:2])
            match name:
                case "select":
                    result = wide.select(builder, builder.icmp_unsigned("<", left, right), right, left)
                case "not_" | "reversed_bytes":
                    result = getattr(wide, name)(builder, left)
                case _:
                    result = getattr(wide, name)(builder, left, right)
            wide.store(builder, result, function.args[2], 1)
            builder.ret_void()
    assembly = str(module)
    return load_cached(assembly, lambda: assembly)


def numbers(width: int) -> st.SearchStrategy[int]:
    """Integers with many words of zeros and of ones, through which carries pass."""
    word = st.sampled_from((0, 1, (1 << 64) - 2, (1 << 64) - 1)) | st.integers(0, (1 << 64) - 1)
    words = st.lists(word, min_size=-(-width // 64), max_size=-(-width // 64))
    return words.map(lambda each: sum(word << 64 * at for at, word in enumerate(each)) % (1 << width))


@pytest.mark.parametrize("name", OPERATIONS)
@given(width=st.sampled_from(WIDTHS), data=st.data())
def test_an_operation_is_exact_modulo_the_width(
    native: NativeModule, name: str, width: int, data: st.DataObject
) -> None:
    size = width // 8
    left, right = data.draw(numbers(width)), data.draw(numbers(width))
    result = ctypes.create_string_buffer(size)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 3)(native.address(f"{name}{width}"))
    call(left.to_bytes(size, "little"), right.to_bytes(size, "little"), ctypes.cast(result, ctypes.c_char_p))
    found = result.raw[::-1] if name == "reversed_bytes" else result.raw
    assert int.from_bytes(found, "little") == OPERATIONS[name](left, right) % (1 << width)
