"""p4testgen's tests: what is read of them, and which packets fit."""

from __future__ import annotations

from lab.conformance.generated.p4testgen import fits, parsed

TEST = r"""
# A P4TestGen-generated test case for a.p4
metadata: "p4testgen seed: 1"
traces: '[Expression]: h.a == '1'; { }'

input_packet {
  packet: "\x01\x22\x7d"
  port: 3
}

%s
# Table t
entities {
  table_entry {
    table_id: 7
    match {
      field_id: 1
      exact {
        value: "\x01"
      }
    }
  }
}
"""
EXPECTED = r"""expected_output_packet {
  packet: "\x01\x20\x7d"
  port: 511
  packet_mask: "\xff\xf0\xff"
}
"""


def test_a_test_is_entries_a_packet_and_the_packet_that_must_leave() -> None:
    case, expected = parsed(TEST % EXPECTED, "source")
    (update,) = case.updates
    assert (update.entity.table_entry.table_id, update.entity.table_entry.match[0].exact.value) == (7, b"\x01")
    assert (case.source, case.packets) == ("source", ((3, b"\x01\x22\x7d"),))
    assert expected == (511, b"\x01\x20\x7d", b"\xff\xf0\xff")
    assert parsed(TEST % "", "source")[1] is None


def test_masked_bits_may_differ_but_not_the_port_the_length_or_the_number_of_packets() -> None:
    expected = (1, b"\x01\x20", b"\xff\xf0")
    assert fits([(1, b"\x01\x2f")], expected)
    assert fits([], None)
    for left in ([], [(2, b"\x01\x20")], [(1, b"\x01\x10")], [(1, b"\x01\x20\x00")], 2 * [(1, b"\x01\x20")]):
        assert not fits(left, expected)
        assert not (left and fits(left, None))
