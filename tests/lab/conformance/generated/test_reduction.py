"""Reduction of cases that differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dropzero.p4.v1 import p4runtime_pb2
from lab.conformance.generated.case import Case
from lab.conformance.generated.program import source
from lab.conformance.generated.reduction import blocks, fewer, reduced, shorter

KINDS = (p4runtime_pb2.Update.INSERT, p4runtime_pb2.Update.MODIFY, p4runtime_pb2.Update.DELETE)
BLOCKS = """\
a {
    b;
    c {
        d;
        e;
    }
    else {
        f;
    }
}
g;
"""


def test_a_case_keeps_only_what_it_needs_to_differ() -> None:
    updates = [p4runtime_pb2.Update(type=kind) for kind in KINDS]
    case = Case(BLOCKS, tuple(updates), tuple((port, b"x") for port in range(40)))

    def differs(case: Case) -> bool:
        balanced = case.source.count("{") == case.source.count("}")
        needed = updates[1] in case.updates and {(7, b"x"), (30, b"x")} <= set(case.packets)
        return balanced and needed and "e;" in case.source and "a {" in case.source

    found = reduced(case, differs)
    assert found == Case("a {\n        e;\n}\n", (updates[1],), ((7, b"x"), (30, b"x")))


@given(st.sets(st.integers(0, 99), max_size=5), st.integers(1, 100))
def test_fewer_finds_exactly_the_items_that_are_needed(needed: set[int], count: int) -> None:
    assert fewer(range(count), lambda some: needed & set(range(count)) <= set(some)) == tuple(
        sorted(needed & set(range(count)))
    )


def test_a_whole_case_is_reduced_in_a_few_hundred_tries() -> None:
    updates = tuple(p4runtime_pb2.Update(type=kind) for kind in KINDS * 8)
    case = Case(source(7), updates, tuple((port, b"x") for port in range(40)))
    declared = ("header ", "struct ", "parser ", "control ", "V1Switch")
    needed = [line for line in case.source.splitlines() if line.startswith(declared) or "|-|" in line]
    tries = 0

    def differs(some: Case) -> bool:
        nonlocal tries
        tries += 1
        balanced = some.source.count("{") == some.source.count("}")
        return balanced and (9, b"x") in some.packets and not set(needed) - set(some.source.splitlines())

    found = reduced(case, differs)
    assert (found.updates, found.packets) == ((), ((9, b"x"),))
    assert [line for line in found.source.splitlines() if line != "}"] == needed
    assert tries < 300


def test_a_program_is_its_blocks_and_loses_nothing_that_is_needed() -> None:
    lines = source(1).splitlines()
    assert [line for block in blocks(lines) for line in block] == lines
    kept = [line for line in lines if "hash(" in line or "extract(" in line]
    assert shorter(lines, lambda some: [line for line in some if line in kept] == kept) == kept
