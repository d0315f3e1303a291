"""Reports that native code writes and Python reads: digests, messages, failed assertions, and the steps of a traced
program (steps.py).

A report consists of 64-bit words: its kind, the number of its digest, message or step, the number of values, and the
values. A value consists of its number of words, negated if it is signed, and the words, the lowest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dropzero.softswitch.program.model import Primitive, Program, Text, Values
from dropzero.softswitch.state.memory import zeros

DIGEST, MESSAGE, STEP = range(3)

MESSAGE_PRIMITIVES = ("log_msg", "assert", "assume")
"""The primitives that produce messages."""

WORD = (1 << 64) - 1

WORDS = 1 << 16
"""The capacity for a batch's reports, in words. Further reports are only counted."""


class Report(NamedTuple):
    kind: int
    number: int
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Digest:
    """One digest message to the control plane. name: the digest's, in the program. values: of its fields."""

    name: str
    values: tuple[int, ...]


class Reports:
    """The memory for a batch's reports."""

    def __init__(self) -> None:
        self.words = zeros((WORDS,), np.int64)

    def read(self, end: int) -> Iterator[Report]:
        """Yields the reports in the first `end` words."""
        content = self.words[:end].tolist()
        at = 0
        while at < end:
            kind, number, count = content[at : at + 3]
            at += 3
            if not count:
                yield Report(kind, number)
                continue
            values = []
            for _ in range(count):
                size = content[at]
                if size == 1:
                    values.append(content[at + 1] & WORD)
                    at += 2
                    continue
                words = content[at + 1 : at + 1 + abs(size)]
                value = sum((word & WORD) << 64 * place for place, word in enumerate(words))
                if size < 0 and words[-1] < 0:
                    value -= 1 << 64 * abs(size)
                values.append(value)
                at += 1 + abs(size)
            yield Report(kind, number, tuple(values))


def messages(program: Program) -> dict[Primitive, int]:
    """The primitives that produce messages, with their numbers."""
    if program.operations.isdisjoint(MESSAGE_PRIMITIVES):
        return {}
    primitives = [each for action in program.actions for each in action.primitives]
    primitives += program.parser_primitives
    distinct = dict.fromkeys(each for each in primitives if each.op in MESSAGE_PRIMITIVES)
    return {primitive: number for number, primitive in enumerate(distinct)}


def message(primitive: Primitive, values: tuple[int, ...]) -> str:
    """The text of a message."""
    match primitive.op, primitive.arguments:
        case "log_msg", (Text(text), Values()):
            remaining = iter(values)
            return re.sub(r"\{\}", lambda match: str(next(remaining, match.group())), text)
    return f"{primitive.source}: {'an assertion' if primitive.op == 'assert' else 'an assumption'} does not hold"
