from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.names import Entry, Match, P4Info, SwitchError, UnknownNameError, number

TABLE = """
tables {
  preamble { id: 10 name: "ingress.one.t" alias: "one.t" }
  match_fields { id: 1 name: "e" bitwidth: 16 match_type: EXACT }
  match_fields { id: 2 name: "l" bitwidth: 32 match_type: LPM }
  match_fields { id: 3 name: "t" bitwidth: 8 match_type: TERNARY }
  match_fields { id: 4 name: "r" bitwidth: 8 match_type: RANGE }
  match_fields { id: 5 name: "o" bitwidth: 8 match_type: OPTIONAL }
}
tables { preamble { id: 11 name: "ingress.two.t" } }
actions {
  preamble { id: 20 name: "ingress.one.act" }
  params { id: 1 name: "wide" bitwidth: 48 }
  params { id: 2 name: "bit" bitwidth: 1 }
}
"""


@pytest.fixture
def names() -> P4Info:
    return P4Info(text_format.Parse(TABLE, p4info_pb2.P4Info()))


@given(st.integers(0, 2**64 - 1))
def test_numbers_are_written_in_their_shortest_form(value: int) -> None:
    written = number(value, 64, "x")
    assert int.from_bytes(written, "big") == value
    assert written == b"\0" or written[0] != 0


@pytest.mark.parametrize(
    "match",
    [
        {"e": 65535},
        {"e": 0, "l": (0x0A000000, 8)},
        {"e": 1, "t": (0x10, 0xF0), "o": 3},
        {"e": 1, "r": (3, 200)},
    ],
)
def test_an_entry_survives_encoding_and_decoding(names: P4Info, match: dict[str, Match]) -> None:
    entry = Entry("ingress.one.t", match, "ingress.one.act", {"wide": 2**48 - 1, "bit": 1}, priority=4)
    assert names.decode(names.encode(entry)) == entry


def test_names_may_be_shortened_if_unambiguous(names: P4Info) -> None:
    assert names.table("one.t") is names.table("ingress.one.t")
    with pytest.raises(UnknownNameError, match=r"which table is 't'\? ingress.one.t or ingress.two.t"):
        names.table("t")
    with pytest.raises(UnknownNameError, match="the program has no counter 'fate'; it has none"):
        names.counter("fate")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Entry("three.t"), "no table 'three.t'; it has ingress.one.t, ingress.two.t"),
        (Entry("one.t", {"x": 1}), "table one.t has no key 'x': it has e, l, t, r, o"),
        (Entry("one.t", {"e": 65536}), "e = 65536 does not fit into 16 bits"),
        (Entry("one.t", {"e": -1}), "e = -1 does not fit into 16 bits"),
        (Entry("one.t", {"l": 1}), "the lpm key l takes value and prefix_len, not 1"),
        (Entry("one.t", {"e": 1}, "nothing"), "no action 'nothing'"),
        (Entry("one.t", {"e": 1}, "act", {"wide": 1}), "action act takes wide, bit, not wide"),
        (Entry("one.t", {"e": 1}, "act", {"wide": 1, "bit": 2}), "act's bit = 2 does not fit into 1 bits"),
    ],
)
def test_errors_name_unknown_names_and_values_that_do_not_fit(names: P4Info, entry: Entry, message: str) -> None:
    with pytest.raises(SwitchError, match=message):
        names.encode(entry)


def test_a_missing_or_malformed_p4info_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SwitchError, match=r"cannot read the P4Info .*No such file"):
        P4Info.read(tmp_path / "p4info.txtpb")
    (tmp_path / "p4info.txtpb").write_text("{]")
    with pytest.raises(SwitchError, match=r"p4info.txtpb is not a P4Info file"):
        P4Info.read(tmp_path / "p4info.txtpb")
