"""Makes machine code with numba that needs neither numba nor Python to run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from dropzero.native.compilation import ENTRY
from dropzero.native.machine_code import OPTIMIZED, target_machine

_RUNTIME = ("numba_", "NRT_", "Py")
"""How the names begin that only a process with numba can resolve."""
_POINTER, _WORD, _STATUS = ir.PointerType(), ir.IntType(64), ir.IntType(32)
_RESULTS = {"int": _WORD, "bool": ir.IntType(8), "float": ir.DoubleType(), "None": ir.VoidType()}
_DATA, _SHAPE, _STRIDES = (object.__basicsize__ + offset for offset in (0, 16, 24))
"""Offsets in numpy's PyArrayObject, part of its binary interface, of the addresses of the elements, of the shape and of
the strides."""


def _import_without_scipy() -> Any:
    """Imports numba without SciPy. numba imports scipy.linalg only to see whether it exists, which takes as long as the
    rest of its initialization. Code that needs SciPy can still import it later."""
    modules: dict[str, Any] = sys.modules
    if modules.setdefault("scipy.linalg") is None:
        try:
            import_module("numba.np.arraymath")._HAVE_BLAS = find_spec("scipy") is not None  # type: ignore[attr-defined]
        finally:
            del modules["scipy.linalg"]
    return import_module("numba")


numba = _import_without_scipy()

_OPTIONS = {"_nrt": False, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def dispatcher(function: Callable[..., Any], options: Mapping[str, bool]) -> Any:
    """numba's object for a function that other compiled functions call."""
    # Set by users who debug functions of their own.
    disabled, numba.config.DISABLE_JIT = numba.config.DISABLE_JIT, 0
    try:
        return numba.njit(**_OPTIONS, **options)(function)
    finally:
        numba.config.DISABLE_JIT = disabled


def object_code(function: Any, result: str, arguments: tuple[Any, ...]) -> bytes:
    """An object file that exports a dispatcher's function for arguments like these as ENTRY, with C's calling
    convention. It takes an array as numpy's object. result: the name of the type to return."""
    types = tuple(numba.typeof(each) for each in arguments)
    function.compile(types)
    made = function.overloads[types]
    # Not as text: names of arrays of long records are too long for its parser.
    *_, bitcode = made.library.serialize_using_bitcode()
    module = llvm.parse_bitcode(bitcode)
    module.link_in(llvm.parse_assembly(_entry(made.fndesc.llvm_func_name, types, made.signature.return_type, result)))
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.name != ENTRY:
            each.linkage = "internal"
        if each.is_declaration and each.name.startswith(_RUNTIME):
            raise TypeError(f"{function.py_func.__name__} would need numba to run: it calls {each.name}")
    target = target_machine()
    # numba has optimized each function, but not for being called by this one alone.
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=OPTIMIZED))
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def _entry(name: str, types: tuple[Any, ...], returned: Any, result: str) -> str:
    """The assembly of ENTRY, which calls a function with numba's calling convention: its first arguments are the
    addresses of its result and of its error; an array is passed as seven numbers and more, a tuple as what it
    contains."""
    leaves = [leaf for kind in types for leaf in _leaves(kind)]
    kinds = [_POINTER if _is_array(leaf) else _value_type(leaf) for leaf in leaves]
    module = ir.Module()
    entry = ir.Function(module, ir.FunctionType(_RESULTS[result], [_c_type(kind) for kind in kinds]), ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block())
    passed: list[ir.Value] = []
    for leaf, kind, argument in zip(leaves, kinds, entry.args, strict=True):
        if _is_array(leaf):
            passed += _unboxed(builder, leaf, argument)
        else:
            passed.append(_narrowed(builder, argument, kind))
    place = _POINTER if returned == numba.none else _value_type(returned)
    answer, error = builder.alloca(place), builder.alloca(_POINTER)
    inner = ir.FunctionType(_STATUS, [_POINTER, _POINTER, *(each.type for each in passed)])
    builder.call(ir.Function(module, inner, name), [answer, error, *passed])
    if result == "None":
        builder.ret_void()
    else:
        value = builder.load(answer, typ=place)
        builder.ret(_widened(builder, value, _RESULTS[result], signed=getattr(returned, "signed", False)))
    return str(module)


def _leaves(kind: Any) -> Iterator[Any]:
    """The numbers and arrays of which a type consists."""
    if isinstance(kind, numba.types.BaseTuple):
        for each in kind:
            yield from _leaves(each)
    else:
        yield kind


def _is_array(kind: Any) -> bool:
    return isinstance(kind, numba.types.Array)


def _value_type(kind: Any) -> Any:
    """How numba passes and returns a number."""
    if isinstance(kind, numba.types.Boolean):
        return ir.IntType(8)
    if isinstance(kind, numba.types.Integer):
        return ir.IntType(kind.bitwidth)
    if isinstance(kind, numba.types.Float):
        return ir.DoubleType() if kind.bitwidth == 64 else ir.FloatType()
    raise TypeError(f"Python passes numbers, arrays and tuples to compiled code, and gets numbers: not {kind}")


def _c_type(kind: Any) -> Any:
    """How Python passes what numba passes as `kind`: numbers in 64 bits, Booleans in 8."""
    if isinstance(kind, ir.FloatType):
        return ir.DoubleType()
    return _WORD if isinstance(kind, ir.IntType) and kind.width > 8 else kind


def _narrowed(builder: ir.IRBuilder, value: ir.Value, kind: Any) -> ir.Value:
    if value.type == kind:
        return value
    return builder.fptrunc(value, kind) if isinstance(kind, ir.FloatType) else builder.trunc(value, kind)


def _widened(builder: ir.IRBuilder, value: ir.Value, kind: Any, *, signed: bool) -> ir.Value:
    if value.type == kind:
        return value
    if isinstance(kind, ir.DoubleType):
        return builder.fpext(value, kind)
    return builder.sext(value, kind) if signed else builder.zext(value, kind)


def _unboxed(builder: ir.IRBuilder, kind: Any, array: ir.Value) -> list[ir.Value]:
    """The numbers that stand for an array: no reference count, no parent, its number of elements, the size of one,
    their address, shape and strides."""

    def field(offset: int, of: ir.Value, typ: ir.Type) -> ir.Value:
        return builder.load(builder.gep(of, [_WORD(offset)], source_etype=ir.IntType(8)), typ=typ)

    data, shape, strides = (field(offset, array, _POINTER) for offset in (_DATA, _SHAPE, _STRIDES))
    lengths = [field(8 * axis, shape, _WORD) for axis in range(kind.ndim)]
    steps = [field(8 * axis, strides, _WORD) for axis in range(kind.ndim)]
    count = _WORD(1)
    for length in lengths:
        count = builder.mul(count, length)
    context = numba.core.registry.cpu_target.target_context
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    nothing = _POINTER(None)
    return [nothing, nothing, count, _WORD(size), data, *lengths, *steps]
