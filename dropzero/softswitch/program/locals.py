"""Finds the fields of metadata that are local variables of a control, such as those that p4c makes from P4's variables.

A control keeps its wide local variables in registers of the CPU. The other fields are in the packet vector, which is
cleared for each packet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from dropzero.softswitch.program.model import FieldRef, HeaderRef, Program, Source

FEWEST_BITS = 256
"""Narrower fields are cheap to store."""

_ELSEWHERE = ("headers", "fields", "actions")
"""Attributes that name fields without using them: `fields` names all, and the controls contain their actions."""


def local_fields(program: Program) -> dict[FieldRef, str]:
    """The wide fields of metadata that only one control uses, with its name. They are 0 when it begins."""
    kinds = Counter(header.type.name for header in program.headers.values())
    wide = {
        FieldRef(header.name, field.name)
        for header in program.headers.values()
        if header.metadata and kinds[header.type.name] == 1
        for field in header.type.fields
        if field.width >= FEWEST_BITS
    }
    if not wide:
        return {}
    # Not vars(program), which grows with each cached property: all must find the same fields.
    used = {part.name: _named(getattr(program, part.name)) for part in fields(program) if part.name not in _ELSEWHERE}
    users = Counter(each for names in used.values() for each in names)
    return {
        each: control.name
        for control in (program.ingress, program.egress)
        for each in sorted(wide.intersection(used[control.name]), key=lambda ref: (ref.header, ref.field))
        if users[each] == 1 and not users[HeaderRef(each.header)]
    }


def _named(part: object) -> set[FieldRef | HeaderRef]:
    """The fields and headers that a part of a program names."""
    found: set[FieldRef | HeaderRef] = set()
    left = [part]
    while left:
        each = left.pop()
        if each is None or isinstance(each, str | int | Source):
            continue
        if isinstance(each, FieldRef | HeaderRef):
            found.add(each)
        elif isinstance(each, dict):
            left.extend(each.values())
        elif isinstance(each, tuple | frozenset):
            left.extend(each)
        elif hasattr(each, "__dict__"):
            left.extend(vars(each).values())
    return found
