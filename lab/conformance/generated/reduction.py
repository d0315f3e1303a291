"""Reduction: takes away from a case what it does not need to differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from lab.conformance.generated.case import Case

Item = TypeVar("Item")
Lines = list[str]


def reduced(case: Case, differs: Callable[[Case], bool]) -> Case:
    """Return a smaller case that still differs: without some of its packets, updates, and lines of its program."""
    packets = fewer(case.packets, lambda kept: differs(replace(case, packets=kept)))
    some = replace(case, packets=packets)
    few = replace(some, updates=fewer(some.updates, lambda kept: differs(replace(some, updates=kept))))
    lines = shorter(few.source.splitlines(), lambda kept: differs(replace(few, source=_text(kept))))
    smaller = replace(few, source=_text(lines))
    return case if smaller == case else reduced(smaller, differs)


def fewer(items: Sequence[Item], keeps: Callable[[tuple[Item, ...]], bool]) -> tuple[Item, ...]:
    """Return the items without as many of them as possible: halves first, then ever smaller parts. keeps: whether what
    is looked for is still there."""
    kept = tuple(items)
    size = len(kept)
    while size:
        at = 0
        while at < len(kept):
            less = kept[:at] + kept[at + size :]
            if keeps(less):
                kept = less
            else:
                at += size
        size //= 2
    return kept


def shorter(lines: Lines, keeps: Callable[[Lines], bool]) -> Lines:
    """Return the lines of a program without as many lines and blocks as possible, and without blocks around lines."""
    kept = fewer(list(blocks(lines)), lambda some: keeps(_joined(some)))
    for at, block in enumerate(kept):
        if len(block) > 2:
            kept = (*kept[:at], _inside(kept[:at], block, kept[at + 1 :], keeps), *kept[at + 1 :])
    return _joined(kept)


def _inside(before: Sequence[Lines], block: Lines, after: Sequence[Lines], keeps: Callable[[Lines], bool]) -> Lines:
    first, *inside, last = block
    inside = shorter(inside, lambda some: keeps(_joined([*before, [first, *some, last], *after])))
    return inside if keeps(_joined([*before, inside, *after])) else [first, *inside, last]


def blocks(lines: Lines) -> Iterator[Lines]:
    """Yield the lines, those of a block together: from one that ends with { to its }."""
    block: Lines = []
    depth = 0
    for line in lines:
        block.append(line)
        depth += line.endswith("{") - line.lstrip().startswith("}")
        if depth <= 0:
            yield block
            block, depth = [], 0


def _joined(parts: Sequence[Lines]) -> Lines:
    return [line for part in parts for line in part]


def _text(lines: Lines) -> str:
    return "".join(f"{line}\n" for line in lines)
