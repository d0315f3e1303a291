"""Building blocks of native code: integers of any width, memory, bytes in network order, branches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy

from llvmlite import ir

from dropzero.softswitch.native import wide
from dropzero.softswitch.program.model import FieldRef
from dropzero.softswitch.state.layout import Place

BIT = ir.IntType(1)
BYTE = ir.IntType(8)
INT = ir.IntType(32)
WORD = ir.IntType(64)
POINTER = ir.PointerType()
VOID = ir.VoidType()


def integer(width: int, value: int) -> ir.Constant:
    """A constant, truncated to `width` bits."""
    return ir.Constant(ir.IntType(width), value & (1 << width) - 1)


def word(value: int) -> ir.Constant:
    return integer(64, value)


def repeat(
    builder: ir.IRBuilder,
    firsts: Sequence[ir.Value],
    going: Callable[..., ir.Value],
    following: Callable[..., Sequence[ir.Value]],
) -> Sequence[ir.Value]:
    """Writes a loop. Its variables are `firsts` at first; as long as `going` of them, they become what `following`
    returns of them. Both write code. Returns the variables."""
    loop, more, end = (builder.append_basic_block(name) for name in ("loop", "more", "end"))
    before = builder.block
    builder.branch(loop)
    builder.position_at_end(loop)
    variables = [builder.phi(first.type) for first in firsts]
    builder.cbranch(going(*variables), more, end)
    builder.position_at_end(more)
    for variable, first, after in zip(variables, firsts, following(*variables), strict=True):
        variable.add_incoming(first, before)
        variable.add_incoming(after, builder.block)
    builder.branch(loop)
    builder.position_at_end(end)
    return variables


class Body:
    """A native function being written.

    context: a pointer to the context (see Context)
    vector:  a pointer to the packet vector (see PacketVector)
    written: the places of the vector that the code written so far may change, except by calls
    locals:  pointers to the fields that are not in the vector
    """

    def __init__(self, function: ir.Function, context: ir.Value, vector: ir.Value) -> None:
        self.function = function
        self.module: ir.Module = function.module
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.context = context
        self.vector = vector
        self.written: set[Place] = set()
        self.locals: dict[FieldRef, ir.Value] = {}

    def over(self, vector: ir.Value) -> Body:
        """The same function, with another packet vector from here on."""
        other = copy(self)
        other.vector = vector
        return other

    # --- integers ---

    def resized(self, value: ir.Value, width: int, *, signed: bool = False) -> ir.Value:
        """Truncates a value, or extends it by its sign or by zeros."""
        if value.type.width == width:
            return value
        target = ir.IntType(width)
        if value.type.width > width:
            return self.builder.trunc(value, target)
        return self.builder.sext(value, target) if signed else self.builder.zext(value, target)

    # --- memory ---

    def at(self, base: ir.Value, offset: ir.Value | int) -> ir.Value:
        """A pointer `offset` bytes after base."""
        return self.builder.gep(base, [word(offset) if isinstance(offset, int) else offset], source_etype=BYTE)

    def load(self, pointer: ir.Value, size: int) -> ir.Value:
        """Loads `size` naturally aligned bytes as an integer."""
        return wide.load(self.builder, pointer, 8 * size, min(size, 8))

    def store(self, value: ir.Value, pointer: ir.Value, size: int) -> None:
        wide.store(self.builder, self.resized(value, 8 * size), pointer, min(size, 8))

    def load_place(self, place: Place) -> ir.Value:
        return self.load(self.at(self.vector, place.offset), place.size)

    def store_place(self, value: ir.Value, place: Place) -> None:
        self.written.add(place)
        self.store(value, self.at(self.vector, place.offset), place.size)

    def load_word(self, position: int) -> ir.Value:
        """Loads a word of the context."""
        return self.load(self.at(self.context, 8 * position), 8)

    def load_address(self, position: int) -> ir.Value:
        """Loads a word of the context that is an address."""
        return self.builder.load(self.at(self.context, 8 * position), align=8, typ=POINTER)

    def load_network(self, pointer: ir.Value, size: int) -> ir.Value:
        """Loads `size` bytes in network order from an address of any alignment."""
        return wide.reversed_bytes(self.builder, wide.load(self.builder, pointer, 8 * size, 1))

    def store_network(self, value: ir.Value, pointer: ir.Value) -> None:
        wide.store(self.builder, wide.reversed_bytes(self.builder, value), pointer, 1)

    def copy(self, target: ir.Value, source: ir.Value, size: ir.Value | int, alignment: int = 1) -> None:
        """Copies bytes. The two ranges must be equal or disjoint."""
        self._transfer("llvm.memcpy", target, source, size, alignment)

    def move(self, target: ir.Value, source: ir.Value, size: int) -> None:
        """Copies bytes that may overlap."""
        self._transfer("llvm.memmove", target, source, size, 8)

    def _transfer(
        self, intrinsic: str, target: ir.Value, source: ir.Value, size: ir.Value | int, alignment: int
    ) -> None:
        kind = ir.FunctionType(VOID, [POINTER, POINTER, WORD, BIT])
        function = self.declared(f"{intrinsic}.p0.p0.i64", kind)
        length = word(size) if isinstance(size, int) else size
        call = self.builder.call(function, [target, source, length, integer(1, 0)])
        for argument in (0, 1):
            call.arg_attributes.setdefault(argument, ir.ArgumentAttributes()).align = alignment

    def clear(self, target: ir.Value, size: int) -> None:
        """Sets `size` bytes at an 8-byte boundary to zero."""
        function = self.declared("llvm.memset.p0.i64", ir.FunctionType(VOID, [POINTER, BYTE, WORD, BIT]))
        self.builder.call(function, [target, integer(8, 0), word(size), integer(1, 0)])

    def declared(self, name: str, kind: ir.FunctionType) -> ir.Function:
        """Declares a function defined elsewhere."""
        return self.module.globals.get(name) or ir.Function(self.module, kind, name)

    # --- control ---

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def variable(self, kind: ir.Type, initial: ir.Value | None = None) -> ir.Value:
        """A local variable, which LLVM turns into a register."""
        with self.builder.goto_entry_block():
            pointer = self.builder.alloca(kind)
        if initial is not None:
            self.builder.store(initial, pointer)
        return pointer

    def room(self, size: int) -> ir.Value:
        """A pointer to `size` bytes of local memory."""
        with self.builder.goto_entry_block():
            pointer = self.builder.alloca(ir.ArrayType(BYTE, size))
            pointer.align = 8
        pointer.type = POINTER
        return pointer

    @contextmanager
    def when(self, condition: ir.Value, *, likely: bool | None = None) -> Iterator[None]:
        """Makes the code written in the block conditional."""
        with self.builder.if_then(condition, likely=likely):
            yield
