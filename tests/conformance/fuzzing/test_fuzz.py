"""The comparison of two switches' packets."""

from __future__ import annotations

import pytest

from conformance.fuzzing.fuzz import differences

Packets = list[tuple[int, bytes]]


@pytest.mark.parametrize(
    ("mine", "other", "lines"),
    [
        ([(1, b"a"), (2, b"b")], [(2, b"b"), (1, b"a")], []),
        (
            [(1, b"a"), (1, b"b")],
            [(1, b"b"), (1, b"a")],
            ["port 1, packet 0: 61, from the other 62; the same in another order"],
        ),
        ([(1, b"a")], [], ["port 1: 1 packets, from the other 0"]),
        ([], [(1, b"a"), (2, b"b")], ["port 1: 0 packets, from the other 1", "port 2: 0 packets, from the other 1"]),
        ([(1, b"a")], [(1, b"c")], ["port 1, packet 0: 61, from the other 63"]),
    ],
)
def test_ports_are_compared_one_by_one_each_in_its_order(mine: Packets, other: Packets, lines: list[str]) -> None:
    assert list(differences(mine, other, ordered=True)) == lines


def test_packets_that_may_overtake_others_are_compared_without_their_order() -> None:
    mine: Packets = [(1, b"a"), (1, b"b")]
    assert list(differences(mine, mine[::-1], ordered=False)) == []
    assert list(differences(mine, mine[:1], ordered=False)) == ["port 1: 2 packets, from the other 1"]
