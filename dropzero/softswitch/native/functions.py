"""Native code written as Python functions, from which numba makes LLVM assembly.

Importing numba takes a second and many megabytes, so the switch does not: it reads the assembly from a file, or runs
this module in another process (assembly_of() in module.py).
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

# numba's own annotations are partly missing, and partly wrong.
types: Any = numba.types
config: Any = numba.config
cgutils: Any = numba_cgutils
intrinsic: Any = numba_intrinsic

OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""The options for functions that allocate nothing, never raise an exception, and are not called from Python."""

int64 = types.int64
"""Converts to a signed 64-bit number. Compiled code computes only with these, because for numba the sum of a signed and
an unsigned number is a float."""


def compiled(function: Function) -> Function:
    """Compiles a function that only compiled functions call. Its arguments are ints (numbers or addresses), or what the
    intrinsics below return."""
    return numba.njit(**OPTIONS)(function)  # type: ignore[no-any-return]


@intrinsic
def struct_at(_: Any, address: Any, dtype: Any, number: Any) -> Any:
    """struct_at(address, dtype, index): a structure in an array of structures. Fields are read and written in place.
    Nothing need be aligned."""
    record = dtype.dtype

    def generate(context: Any, builder: ir.IRBuilder, _: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
        array, _, index = arguments
        # A pointer with an offset, so that LLVM sees neighbours in a loop.
        first = builder.inttoptr(array, ir.ArrayType(ir.IntType(8), record.size).as_pointer())
        return builder.bitcast(builder.gep(first, [index]), context.get_value_type(record))

    return record(types.int64, dtype, types.int64), generate


@intrinsic
def array_at(_: Any, address: Any, dtype: Any) -> Any:
    """array_at(address, dtype): an array of aligned numbers. Elements are read and written in place."""
    kind = types.CPointer(dtype.dtype)

    def generate(context: Any, builder: ir.IRBuilder, _: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
        return builder.inttoptr(arguments[0], context.get_value_type(kind))

    return kind(types.int64, dtype), generate


@intrinsic
def memmove(_: Any, target: Any, source: Any, size: Any) -> Any:
    """memmove(target, source, size): copies bytes, which may overlap."""

    def generate(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ...]) -> ir.Value:
        pointers = [builder.inttoptr(each, cgutils.voidptr_t) for each in arguments[:2]]
        cgutils.raw_memmove(builder, *pointers, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def fence(_: Any) -> Any:
    """fence(): orders all memory accesses before it and after it."""

    def generate(context: Any, builder: ir.IRBuilder, *_: Any) -> ir.Value:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def call_at(_: Any, address: Any, arguments: Any) -> Any:
    """call_at(address, arguments): calls a native function. arguments: a tuple. They and the result are 64-bit ints."""
    kind = types.UniTuple(types.int64, len(arguments))

    def generate(_: Any, builder: ir.IRBuilder, __: Any, values: tuple[ir.Value, ...]) -> ir.Value:
        word = ir.IntType(64)
        function = builder.inttoptr(values[0], ir.FunctionType(word, [word] * len(arguments)).as_pointer())
        return builder.call(function, cgutils.unpack_tuple(builder, values[1]))

    return types.int64(types.int64, kind), generate


def assembly(*functions: Any) -> str:
    """The LLVM assembly of a module that exports these compiled functions under their names. Their arguments and
    results are 64-bit ints."""
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
    """Shrinks the assembly to a third, and makes it the same on every CPU of this architecture."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine()
    # The compiler process vectorizes, because vectors depend on the CPU.
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)


def write(*functions: Any, sources: Iterable[Path]) -> None:
    """Writes the functions' assembly to stdout. For a module that assembly_of() runs as a program.

    sources: the files that determine the assembly.
    """
    # numba would import SciPy to look for linear algebra, which takes longer than all else.
    sys.modules.setdefault("scipy.linalg", None)  # type: ignore[arg-type]
    # The compiler process optimizes.
    config.OPT = 0
    # They number the values and name the functions. The assembly does the same, whichever wrote it.
    writer = f"numba {numba.__version__} in Python {sys.version_info.major}.{sys.version_info.minor}"
    sys.stdout.write(f"{stamp(sources)}; written by {writer}\n{assembly(*functions)}")


def _entry(name: str, numba_name: str, arguments: int) -> str:
    """The assembly of a function with C's calling convention around one with numba's, whose first arguments are the
    addresses of its result and of its error."""
    word, pointer = ir.IntType(64), ir.PointerType()
    module = ir.Module()
    inner = ir.Function(module, ir.FunctionType(ir.IntType(32), [pointer, pointer] + [word] * arguments), numba_name)
    outer = ir.Function(module, ir.FunctionType(word, [word] * arguments), name)
    builder = ir.IRBuilder(outer.append_basic_block())
    result, error = builder.alloca(word), builder.alloca(pointer)
    builder.call(inner, [result, error, *outer.args])
    builder.ret(builder.load(result, typ=word))
    return str(module)
