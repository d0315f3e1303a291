"""Warns, before the first sum, of compressions that theory says may not train as well as none."""

from __future__ import annotations

from dropzero.compressors.memory import Ef21, ErrorFeedback, Memory
from dropzero.compressors.quantizers import Majority, OneBit
from dropzero.compressors.spec import Spec

SLOW = 5.0
"""How many times as short steps are worth a word."""
LATE = 200
"""How many steps an element may be late without a word."""


def steps(spec: object, omega: float, workers: int) -> str:
    """What theory says about the steps with a compression of this omega ([DIANA] theorem 2)."""
    return (
        f"the omega of {spec} is {omega:.3g}: theory allows steps {_shorter(omega, workers):.3g} times as short as "
        "without compression (more levels or smaller buckets lower omega)"
    )


def caution(spec: Spec, omega: float | None, delta: float | None, elements: int, workers: int) -> str:
    """Why a compression of vectors of this length may not train as well as none with as many steps of the same lengths;
    empty if theory allows the same steps. omega, delta: as in Compression."""
    if omega is not None and _shorter(omega, workers) >= SLOW:
        return steps(spec, omega, workers)
    if type(spec.memory) is Memory and (spec.sparsifier.omega(elements) is None or isinstance(spec.quantizer, OneBit)):
        return f"{spec} loses what it does not send: a memory, such as +ef, sends it later"
    if isinstance(spec.quantizer, Majority):
        return f"{spec} sends signs: each step moves every parameter by its whole length"
    if isinstance(spec.memory, Ef21) and delta and (times := spec.memory.shorter(delta)) >= SLOW:
        return (
            f"the delta of {spec} is {delta:.3g}: theory allows steps {times:.3g} times as short as without compression"
        )
    count = spec.sparsifier.usual(elements)
    if isinstance(spec.memory, ErrorFeedback) and count * LATE < elements:
        return (
            f"{spec} sends one element in {elements / count:.0f}: elements are about as many steps late, and theory "
            "allows steps as many times as short as without compression"
        )
    return ""


def _shorter(omega: float, workers: int) -> float:
    return 1 + 6 * omega / workers
