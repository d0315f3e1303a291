"""Mutants of the embedded switch's compiler, each of which random programs must find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llvmlite import ir

from dropzero.softswitch.compiler.actions import ActionCode
from dropzero.softswitch.compiler.calculations import CalculationCode
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.lookups import Lookup
from dropzero.softswitch.compiler.parsing import ParserCode
from dropzero.softswitch.native.emission import integer, word
from dropzero.softswitch.program import model as p4
from lab.mutants.mutant import Mutant, wrapped

FIELD_LISTS = ("clone_list", "resubmit", "recirculate")


def _copied(self: ActionCode, expressions: Expressions, target: Any, source: Any) -> None:
    size = self.surroundings.vector.layout(target.kind).size
    with self.body.when(expressions.valid(source)):
        self.body.written.add(target.region)
        self.body.move(target.pointer, source.pointer, size)
        expressions.set_valid(target, True)


def _unmasked(transitions: Callable[..., Any], self: ParserCode, state: p4.ParseState) -> None:
    transitions(self, replace(state, transitions=tuple(replace(each, mask=None) for each in state.transitions)))


def _in_first_list(request: Callable[..., Any], self: ActionCode, what: str, value: Any) -> None:
    request(self, what, integer(32, 1) if what in FIELD_LISTS else value)


def _without_payload(payload: Callable[..., Any], self: CalculationCode) -> Any:
    return payload(self)[0], word(0)


MUTANTS = (
    Mutant("negative numbers are shifted as positive ones", [(ir.IRBuilder, "ashr", ir.IRBuilder.lshr)]),
    Mutant("|+| and |-| wrap", [(Expressions, "_saturate", lambda self, value, bounds, bits: self.bits(value, bits))]),
    Mutant(
        "push_front moves by one place",
        [wrapped(ActionCode, "_push", lambda push, self, expressions, stack, count: push(self, expressions, stack, 1))],
    ),
    Mutant("ranges match everything", [(Lookup, "_in_ranges", lambda self, key, row: integer(1, 1))]),
    Mutant("packet_length stays when headers come and go", [(ActionCode, "_lengthen", lambda self, size: None)]),
    Mutant("a copy of an invalid header stays valid", [(ActionCode, "_assign_header", _copied)]),
    Mutant("all headers of a union can be valid", [(Expressions, "_siblings", lambda self, name: ())]),
    Mutant("transitions ignore masks", [wrapped(ParserCode, "_transitions", _unmasked)]),
    Mutant("all passes keep the fields of list 1", [wrapped(ActionCode, "_request", _in_first_list)]),
    Mutant("checksums leave out the payload", [wrapped(CalculationCode, "_payload", _without_payload)]),
)
