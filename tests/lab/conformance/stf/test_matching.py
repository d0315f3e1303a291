"""Match keys as p4c's tests write them."""

from __future__ import annotations

import pytest

from dropzero.softswitch.program.model import Exact, FieldRef, Key, Lpm, Match, Range, Ternary
from lab.conformance.stf.matching import entry_match, key_match, key_named


def key(kind: str, name: str = "h.x", width: int = 16) -> Key:
    return Key(name, kind, FieldRef("h", "x"), width)


@pytest.mark.parametrize(
    ("kind", "text", "match"),
    [
        ("exact", "0x0a", Exact(10)),
        ("exact", None, Exact(0)),
        ("ternary", "0x0a**", Ternary(0x0A00, 0xFF00)),
        ("ternary", "0x0a0b", Ternary(0x0A0B, 0xFFFF)),
        ("ternary", "0b1*", Ternary(2, 2)),
        ("ternary", "7", Ternary(7, 0xFFFF)),
        ("ternary", "0x0f&&&0x03", Ternary(3, 3)),
        ("ternary", None, Ternary(0, 0)),
        ("lpm", "0x0a00/8", Lpm(0x0A00, 8)),
        ("lpm", "0x0a**", Lpm(0x0A00, 8)),
        ("lpm", None, Lpm(0, 0)),
        ("range", "1..5", Range(1, 5)),
        ("range", "1->5", Range(1, 5)),
        ("range", "4", Range(4, 4)),
        ("range", None, Range(0, 0xFFFF)),
    ],
)
def test_values(kind: str, text: str | None, match: Match) -> None:
    assert key_match(key(kind), text) == match


@pytest.mark.parametrize(
    ("name", "called"), [("h.x", "h.x"), ("hdr.h.x", "h.x"), ("hs[3].x", "hs$3.x"), ("hdr.h.$valid$", "h.$valid$")]
)
def test_a_key_is_found_by_name_or_suffix(name: str, called: str) -> None:
    keys = (key("exact", "other"), key("exact", name))
    assert key_named(keys, called) is keys[1]


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValueError, match=r"there is no key 'y' among h.x"):
        key_named((key("exact"),), "y")


def test_an_entry_has_a_match_for_every_key() -> None:
    keys = (key("exact", "a"), key("ternary", "b"))
    assert entry_match(keys, [("b", "0x1*")]) == (Exact(0), Ternary(0x10, 0xF0))
