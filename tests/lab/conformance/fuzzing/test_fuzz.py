"""The comparison of two switches' packets."""

from __future__ import annotations

import pytest
from google.protobuf import text_format

from dropzero.p4.v1 import p4runtime_pb2
from lab.conformance.fuzzing.fuzz import CounterSpec, differences, normalize

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
def test_packets_are_compared_port_by_port_and_in_order(mine: Packets, other: Packets, lines: list[str]) -> None:
    assert list(differences(mine, other, ordered=True)) == lines


def test_packets_that_may_overtake_others_are_compared_in_any_order() -> None:
    mine: Packets = [(1, b"a"), (1, b"b")]
    assert list(differences(mine, mine[::-1], ordered=False)) == []
    assert list(differences(mine, mine[:1], ordered=False)) == ["port 1: 2 packets, from the other 1"]


@pytest.mark.parametrize(
    ("answer", "compared"),
    [
        ("table_entry { table_id: 9 is_const: true }", "table_entry { table_id: 9 }"),
        (
            "table_entry { table_id: 1 counter_data { byte_count: 5 packet_count: 1 } }",
            "table_entry { table_id: 1 counter_data { packet_count: 1 } }",
        ),
        (
            "counter_entry { counter_id: 2 data { byte_count: 5 packet_count: 1 } }",
            "counter_entry { counter_id: 2 data { byte_count: 5 } }",
        ),
        ("meter_entry { meter_id: 3 config { cir: 1 } }", "meter_entry { meter_id: 3 config { cir: 1 } }"),
    ],
)
def test_answers_that_bmv2_lacks_are_not_compared(answer: str, compared: str) -> None:
    entity = text_format.Parse(answer, p4runtime_pb2.Entity())
    normalize(entity, {1: CounterSpec.PACKETS, 2: CounterSpec.BYTES})
    assert entity == text_format.Parse(compared, p4runtime_pb2.Entity())
