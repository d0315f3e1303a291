"""Native code that is written as Python functions: numba makes LLVM assembly of them.

numba takes a second to import, and many megabytes. So the switch itself does not: it reads the assembly from a file, or
asks another process for it (assembly_of() in module.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic as numba_intrinsic

from dropzero.softswitch.native.module import stamp

Function = TypeVar("Function", bound=Callable[..., Any])

# What numba says of its own types is in part missing, and in part wrong.
types: Any = numba.types
config: Any = numba.config
cgutils: Any = numba_cgutils
intrinsic: Any = numba_intrinsic

OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Of functions that allocate nothing, never raise an exception, and are not called from Python."""

int64 = types.int64
"""Makes a number one of 64 bits with a sign. Compiled code computes with these: for numba, the sum of one with and one
without a sign is a float."""


def compiled(function: Function) -> Function:
    """For calls by compiled functions only. It knows memory by its address, an int."""
    return numba.njit(**OPTIONS)(function)  # type: ignore[no-any-return]


@intrinsic
def element(_: Any, address: Any, dtype: Any, number: Any) -> Any:
    """A structure of an array, (address of the array, dtype, index): its fields are read and written in place. Neither
    the array nor its fields need be aligned."""
    record = dtype.dtype

    def generate(context: Any, builder: ir.IRBuilder, _: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
        array, _, index = arguments
        # A pointer with an offset, so that LLVM sees neighbours in a loop.
        first = builder.inttoptr(array, ir.ArrayType(ir.IntType(8), record.size).as_pointer())
        return builder.bitcast(builder.gep(first, [index]), context.get_value_type(record))

    return record(types.int64, dtype, types.int64), generate


@intrinsic
def numbers(_: Any, address: Any, dtype: Any) -> Any:
    """An array of aligned numbers, (address, dtype)."""

    kind = types.CPointer(dtype.dtype)

    def generate(context: Any, builder: ir.IRBuilder, _: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
        return builder.inttoptr(arguments[0], context.get_value_type(kind))

    return kind(types.int64, dtype), generate


@intrinsic
def move(_: Any, target: Any, source: Any, size: Any) -> Any:
    """Copies bytes, (address, address, bytes), which may overlap."""

    def generate(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
        pointers = [builder.inttoptr(each, cgutils.voidptr_t) for each in arguments[:2]]
        cgutils.raw_memmove(builder, *pointers, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def call(_: Any, address: Any, arguments: Any) -> Any:
    """What the function at an address returns for a tuple of arguments; all are ints of 64 bits, or addresses."""
    kind = types.UniTuple(types.int64, len(arguments))

    def generate(_: Any, builder: ir.IRBuilder, __: Any, values: tuple[ir.Value, ...]) -> ir.Value:
        word = ir.IntType(64)
        function = builder.inttoptr(values[0], ir.FunctionType(word, [word] * len(arguments)).as_pointer())
        return builder.call(function, cgutils.unpack_tuple(builder, values[1]))

    return types.int64(types.int64, kind), generate


def assembly(*functions: Any) -> str:
    """LLVM assembly of a module with these compiled functions, by their names; their arguments and results are ints."""
    module = llvm.parse_assembly("")
    for function in functions:
        arguments = (types.int64,) * function.py_func.__code__.co_argcount
        function.compile(arguments)
        made = function.overloads[arguments]
        entry = made.fndesc.llvm_func_name
        module.link_in(llvm.parse_assembly(made.library.get_llvm_str()))
        module.link_in(llvm.parse_assembly(_entry(function.__name__, entry, len(arguments))))
    names = {function.__name__ for function in functions}
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.name not in names:
            each.linkage = "internal"
    _simplify(module)
    return str(module)


def _simplify(module: llvm.ModuleRef) -> None:
    """Makes the assembly a third as long, and the same each time, for any CPU of this architecture."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine()
    # Vectors depend on the CPU: the compiler's process makes them.
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)


def write(*functions: Any, sources: Iterable[Path]) -> None:
    """Writes their assembly to stdout, in a process that does nothing else: see assembly_of() in module.py."""
    # To see whether it has linear algebra, numba would import SciPy, which takes longer than all else.
    sys.modules.setdefault("scipy.linalg", None)  # type: ignore[arg-type]
    config.OPT = 0  # the compiler's process optimizes it
    sys.stdout.write(stamp(sources) + assembly(*functions))


def _entry(name: str, numba_name: str, arguments: int) -> str:
    """A function as C would call it, of one as numba does: for a result's address, and that of an error."""
    word, pointer = ir.IntType(64), ir.PointerType()
    module = ir.Module()
    inner = ir.Function(module, ir.FunctionType(ir.IntType(32), [pointer, pointer] + [word] * arguments), numba_name)
    outer = ir.Function(module, ir.FunctionType(word, [word] * arguments), name)
    builder = ir.IRBuilder(outer.append_basic_block())
    result, error = builder.alloca(word), builder.alloca(pointer)
    builder.call(inner, [result, error, *outer.args])
    builder.ret(builder.load(result, typ=word))
    return str(module)
