"""Compiles hashes over fields, constants and the payload. Their names and results are BMv2's."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.native.emission import BYTE, POINTER, WORD, Body, integer, repeat, word
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.state.crcs import CRCS, FINAL, INITIAL, REVERSED_DATA, REVERSED_RESULT, TABLE, Crc, crc_table
from dropzero.softswitch.state.layout import BITS, Context

Step = Callable[[ir.IRBuilder, ir.Value, ir.Value, ir.Value], ir.Value]
"""(builder, state, byte, position of the byte in the string) -> next state, all i64."""


class CalculationCode:
    """Writes the code for calculations into a body."""

    def __init__(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value] | None = None) -> None:
        """payload: a pointer to its bytes and their number (i64), or None without a payload."""
        self.expressions = expressions
        self.body: Body = expressions.body
        self.payload = payload

    def value(self, calculation: p4.Calculation) -> ir.Value:
        """The result, i64."""
        algorithm = calculation.algorithm
        if algorithm not in CRCS and algorithm not in _STEPS:
            raise p4.UnsupportedProgram(f"the hash algorithm {algorithm} is not supported")
        buffer, size = self._string(calculation)
        crc = CRCS.get(algorithm)
        if calculation.name in self.expressions.program.custom_crcs:
            return self._custom(calculation, buffer, size)
        over = self._over(algorithm)
        builder = self.body.builder
        state: ir.Value = word(crc.first_state if crc else 0)
        state = builder.call(over, [state, buffer, size, word(0)])
        if p4.Payload() in calculation.inputs:
            state = builder.call(over, [state, *self._payload(), size])
        if crc is not None:
            return builder.xor(state, word(crc.final))
        return self._folded(state) if algorithm in ("csum16", "cksum16") else state

    def _custom(self, calculation: p4.Calculation, buffer: ir.Value, size: ir.Value) -> ir.Value:
        """A CRC whose parameters the control plane sets (crcs.py)."""
        builder = self.body.builder
        cells = self.body.load_address(Context(self.expressions.program).crcs[calculation.name])

        def cell(at: int) -> ir.Value:
            return self.body.load(self.body.at(cells, 8 * at), 8)

        over = self._over_custom()
        state = builder.call(over, [cell(INITIAL), cells, buffer, size])
        if p4.Payload() in calculation.inputs:
            state = builder.call(over, [state, cells, *self._payload()])
        unused = 64 - CRCS[calculation.algorithm].width
        reverse = builder.lshr(builder.bitreverse(state), word(unused))
        state = builder.select(builder.trunc(cell(REVERSED_RESULT), ir.IntType(1)), reverse, state)
        return builder.xor(state, cell(FINAL))

    def _over_custom(self) -> ir.Function:
        """The module's function (state, cells of a CustomCrc, bytes, number of bytes) -> next state."""
        known = self.body.module.globals.get("hash.custom")
        if known is not None:
            return known
        function = ir.Function(self.body.module, ir.FunctionType(WORD, [WORD, POINTER, POINTER, WORD]), "hash.custom")
        function.linkage = "internal"
        first, cells, pointer, count = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))

        def cell(at: ir.Value) -> ir.Value:
            return builder.load(builder.gep(cells, [at], source_etype=WORD), align=8, typ=WORD)

        reversing = builder.trunc(cell(word(REVERSED_DATA)), ir.IntType(1))

        def stepped(state: ir.Value, byte: ir.Value, at: ir.Value) -> ir.Value:
            taken = builder.zext(builder.select(reversing, builder.bitreverse(byte), byte), WORD)
            chosen = builder.and_(builder.xor(state, taken), word(255))
            return builder.xor(builder.lshr(state, word(8)), cell(builder.add(chosen, word(TABLE))))

        _return_over_bytes(builder, first, pointer, count, stepped)
        return function

    def _payload(self) -> tuple[ir.Value, ir.Value]:
        if self.payload is None:
            raise p4.UnsupportedProgram("a hash over the payload is not supported here")
        return self.payload

    def _folded(self, state: ir.Value) -> ir.Value:
        """Folds a sum of 16-bit words into its 16-bit one's complement."""
        builder = self.body.builder
        for _ in range(3):
            state = builder.add(builder.lshr(state, word(16)), builder.and_(state, word(0xFFFF)))
        return builder.xor(state, word(0xFFFF))

    # --- the string ---

    def _string(self, calculation: p4.Calculation) -> tuple[ir.Value, ir.Value]:
        """Concatenates the inputs, except the payload and fields of invalid headers, and pads the last byte with zeros,
        or the first one if they are aligned to the right. Returns the address of the string, and its number of bytes
        (i64)."""
        body, builder = self.body, self.body.builder
        bits = 0
        for each in calculation.inputs:
            match each:
                case p4.ConstantBits():
                    bits += each.width
                case p4.FieldRef():
                    bits += self.expressions.program.field_type(each).width
        most = -(-bits // 64) * 8 + 8
        buffer = body.room(most)
        body.clear(buffer, most)
        position = body.variable(WORD, word(0))
        builder.store(word(-bits % 8 if calculation.aligned_right else 0), position)
        for each in calculation.inputs:
            match each:
                case p4.ConstantBits():
                    self._append(buffer, position, integer(each.width, each.value), word(each.width))
                case p4.FieldRef():
                    self._append_field(buffer, position, each, always=calculation.aligned_right)
        end = builder.load(position, typ=WORD)
        return buffer, builder.lshr(builder.add(end, word(7)), word(3))

    def _append_field(self, buffer: ir.Value, position: ir.Value, ref: p4.FieldRef, *, always: bool) -> None:
        """always: also if the header is invalid."""
        field = self.expressions.field(ref)
        always = always or self.expressions.program.headers[ref.header].metadata
        valid = integer(1, 1) if always else self.expressions.valid(self.expressions.header(p4.HeaderRef(ref.header)))
        with self.body.when(valid):
            width: ir.Value = word(field.width)
            if self.expressions.is_variable(ref):
                width = self.expressions.read(self.expressions.field(p4.FieldRef(ref.header, BITS)), 64)
            self._append(buffer, position, self.expressions.read(field, field.width), width)

    def _append(self, buffer: ir.Value, position: ir.Value, value: ir.Value, width: ir.Value) -> None:
        """Appends the lowest `width` bits of a value, the highest first, 64 at a time."""
        builder = self.body.builder
        append = self._appending()
        for below in range(value.type.width - 1 & ~63, -1, -64):
            part = self.body.resized(builder.lshr(value, integer(value.type.width, below)), 64)
            left = builder.sub(width, word(below))
            left = builder.select(builder.icmp_signed("<", left, word(0)), word(0), left)
            left = builder.select(builder.icmp_signed(">", left, word(64)), word(64), left)
            end = builder.call(append, [buffer, builder.load(position, typ=WORD), part, left])
            builder.store(end, position)

    def _appending(self) -> ir.Function:
        """The module's function (buffer, position in bits, value, width) -> next position."""
        known = self.body.module.globals.get("append.bits")
        if known is not None:
            return known
        kind = ir.FunctionType(WORD, [POINTER, WORD, WORD, WORD])
        function = ir.Function(self.body.module, kind, "append.bits")
        function.linkage = "internal"
        buffer, start, value, width = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))

        def following(at: ir.Value, left: ir.Value) -> tuple[ir.Value, ...]:
            free = builder.sub(word(8), builder.and_(at, word(7)))
            taken = builder.select(builder.icmp_unsigned("<", left, free), left, free)
            rest = builder.sub(left, taken)
            mask = builder.sub(builder.shl(word(1), taken), word(1))
            bits = builder.shl(builder.and_(builder.lshr(value, rest), mask), builder.sub(free, taken))
            pointer = builder.gep(buffer, [builder.lshr(at, word(3))], source_etype=BYTE)
            both = builder.or_(builder.load(pointer, align=1, typ=BYTE), builder.trunc(bits, BYTE))
            builder.store(both, pointer, align=1)
            return builder.add(at, taken), rest

        end, _ = repeat(builder, (start, width), lambda _, left: builder.icmp_unsigned("!=", left, word(0)), following)
        builder.ret(end)
        return function

    # --- the algorithms ---

    def _over(self, algorithm: str) -> ir.Function:
        """The module's function (state, bytes, number of bytes, position of the first) -> next state."""
        name = f"hash.{algorithm}"
        known = self.body.module.globals.get(name)
        if known is not None:
            return known
        crc = CRCS.get(algorithm)
        step = _STEPS[algorithm] if crc is None else self._crc_step(name, crc)
        function = ir.Function(self.body.module, ir.FunctionType(WORD, [WORD, POINTER, WORD, WORD]), name)
        function.linkage = "internal"
        first, pointer, count, place = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))

        def stepped(state: ir.Value, byte: ir.Value, at: ir.Value) -> ir.Value:
            return step(builder, state, builder.zext(byte, WORD), builder.add(place, at))

        _return_over_bytes(builder, first, pointer, count, stepped)
        return function

    def _crc_step(self, name: str, crc: Crc) -> Step:
        kind = ir.ArrayType(WORD, 256)
        table = ir.GlobalVariable(self.body.module, kind, f"{name}.table")
        table.global_constant = True
        table.linkage = "internal"
        table.initializer = ir.Constant(kind, [word(value) for value in crc_table(crc)])

        def step(builder: ir.IRBuilder, state: ir.Value, byte: ir.Value, place: ir.Value) -> ir.Value:
            mask = word((1 << crc.width) - 1)
            if crc.reflected:
                rest = builder.lshr(state, word(8))
                chosen = builder.and_(builder.xor(state, byte), word(255))
            else:
                rest = builder.and_(builder.shl(state, word(8)), mask)
                chosen = builder.xor(builder.lshr(state, word(crc.width - 8)), byte)
            entry = builder.load(builder.gep(table, [chosen], source_etype=WORD), align=8, typ=WORD)
            return builder.xor(rest, entry)

        return step


def _placed(builder: ir.IRBuilder, byte: ir.Value, place: ir.Value, size: int) -> ir.Value:
    """Shifts a byte to its position in a word of `size` bytes, the first byte highest."""
    within = builder.and_(place, word(size - 1))
    return builder.shl(byte, builder.mul(builder.sub(word(size - 1), within), word(8)))


def _sum_step(builder: ir.IRBuilder, state: ir.Value, byte: ir.Value, place: ir.Value) -> ir.Value:
    return builder.add(state, _placed(builder, byte, place, 2))


def _xor_step(size: int) -> Step:
    def step(builder: ir.IRBuilder, state: ir.Value, byte: ir.Value, place: ir.Value) -> ir.Value:
        return builder.xor(state, _placed(builder, byte, place, size))

    return step


def _identity_step(builder: ir.IRBuilder, state: ir.Value, byte: ir.Value, place: ir.Value) -> ir.Value:
    moved = builder.or_(builder.shl(state, word(8)), byte)
    return builder.select(builder.icmp_unsigned("<", place, word(8)), moved, state)


_STEPS: dict[str, Step] = {
    "csum16": _sum_step,
    "cksum16": _sum_step,
    "xor16": _xor_step(2),
    "xor32": _xor_step(4),
    "identity": _identity_step,
}


def _return_over_bytes(
    builder: ir.IRBuilder,
    first: ir.Value,
    pointer: ir.Value,
    count: ir.Value,
    stepped: Callable[[ir.Value, ir.Value, ir.Value], ir.Value],
) -> None:
    """Ends a function with a loop over `count` bytes, and returns the last state.

    first: the first state. stepped: writes (state, byte, index) -> next state.
    """

    def following(at: ir.Value, state: ir.Value) -> tuple[ir.Value, ...]:
        byte = builder.load(builder.gep(pointer, [at], source_etype=BYTE), align=1, typ=BYTE)
        return builder.add(at, word(1)), stepped(state, byte, at)

    _, last = repeat(builder, (word(0), first), lambda at, _: builder.icmp_unsigned("<", at, count), following)
    builder.ret(last)
