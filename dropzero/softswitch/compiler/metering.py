"""Compiles the execution of a meter."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.native.emission import POINTER, WORD, word
from dropzero.softswitch.state.meters import BURST, COMMITTED, CONFIGURED, COUNTED, LAST, PEAK, RATE, TOKENS

GREEN, YELLOW, RED = range(3)


def execute_meter(module: ir.Module) -> ir.Function:
    """The module's function (meter, now, units, size) -> colour, i64, as in [RFC2698], section 3.

    meter: the address of a meter's words (meters.py). now: microseconds. units: packets or bytes. size: the packet's
    bytes, which the meter counts for the colour.

    Each rate has a token bucket of its burst's size. A packet is red if the peak bucket holds too few tokens for it,
    else yellow if the committed bucket does. It takes tokens from the peak bucket unless it is red, and from the
    committed bucket only if it is green. The tokens granted since the start are a 63-bit number. A rate that exceeds
    it, such as one without a limit, always has a full bucket.
    """
    known = module.globals.get("meter.execute")
    if known is not None:
        return known
    function = ir.Function(module, ir.FunctionType(WORD, [POINTER, WORD, WORD, WORD]), "meter.execute")
    function.linkage = "internal"
    meter, now, units, size = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))

    def cell(at: int) -> ir.Value:
        return builder.gep(meter, [word(at)], source_etype=WORD)

    def finish(colour: int) -> None:
        for at, more in ((COUNTED + 2 * colour, word(1)), (COUNTED + 2 * colour + 1, size)):
            builder.store(builder.add(builder.load(cell(at), typ=WORD), more), cell(at))
        builder.ret(word(colour))

    with builder.if_then(builder.icmp_unsigned("==", builder.load(cell(CONFIGURED), typ=WORD), word(0))):
        finish(GREEN)
    for rate, colour in ((PEAK, RED), (COMMITTED, YELLOW)):
        speed = builder.load(cell(rate + RATE), typ=ir.DoubleType())
        product = builder.fmul(builder.uitofp(now, ir.DoubleType()), speed)
        countless = builder.fcmp_ordered(">=", product, ir.Constant(ir.DoubleType(), float(1 << 63)))
        granted = builder.fptoui(builder.select(countless, ir.Constant(ir.DoubleType(), 0.0), product), WORD)
        new = builder.sub(granted, builder.load(cell(rate + LAST), typ=WORD))
        builder.store(granted, cell(rate + LAST))
        burst = builder.load(cell(rate + BURST), typ=WORD)
        tokens = builder.add(builder.load(cell(rate + TOKENS), typ=WORD), new)
        fewer = builder.and_(builder.icmp_unsigned("<", tokens, burst), builder.not_(countless))
        tokens = builder.select(fewer, tokens, burst)
        builder.store(tokens, cell(rate + TOKENS))
        with builder.if_then(builder.icmp_unsigned("<", tokens, units)):
            finish(colour)
        builder.store(builder.sub(tokens, units), cell(rate + TOKENS))
    finish(GREEN)
    return function
