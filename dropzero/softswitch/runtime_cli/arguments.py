"""Parses the words of a verb, and formats values, as BMv2's CLI does."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from dropzero.softswitch.program.model import Action, Key, TableDeclaration
from dropzero.softswitch.runtime_cli.declarations import Wrong
from dropzero.softswitch.thrift.structs import MATCH_TYPES
from dropzero.softswitch.thrift.wire import STRING, STRUCT, Value, boolean, i32, record, sequence, string

SEPARATORS = {
    "lpm": ("LPM", "/", "prefix and length"),
    "ternary": ("ternary", "&&&", "key and mask"),
    "range": ("range", "->", "range start and range end"),
}


def integer(word: str, complaint: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise Wrong(complaint) from None


def exactly(line: str, count: int) -> list[str]:
    """Splits a line into `count` words. Raises Wrong if it has more or fewer."""
    words = line.split()
    if len(words) != count:
        raise Wrong(f"Wrong number of args, expected {count} but got {len(words)}")
    return words


def at_least(line: str, count: int) -> list[str]:
    words = line.split()
    if len(words) < count:
        raise Wrong("Insufficient number of args")
    return words


def number(word: str, width: int) -> bytes:
    """Encodes a number, or an address of that width in bits: IPv4, MAC or IPv6."""
    separator, kind, packed = ADDRESSES.get(width, (None, "", None))
    if packed is not None and separator in word:
        try:
            return bytes(packed(word))
        except ValueError:
            raise Wrong(f"Invalid {kind} address") from None
    try:
        return int(word, 0).to_bytes((width + 7) // 8, "big")
    except ValueError:
        raise Wrong("Invalid input, could not cast to integer, try in hex with 0x prefix") from None
    except OverflowError:
        raise Wrong("Parameter is negative" if int(word, 0) < 0 else "Parameter is too large") from None


def _mac(word: str) -> bytes:
    parts = word.split(":")
    if len(parts) != 6:
        raise ValueError
    return bytes(int(part, 16) for part in parts)


ADDRESSES: dict[int, Any] = {
    32: (".", "IPv4", lambda word: IPv4Address(word).packed),
    48: (":", "MAC", _mac),
    128: (":", "IPv6", lambda word: IPv6Address(word).packed),
}
"""By width in bits: the character that distinguishes an address from a number, its name, and its parser."""


def parameters(action: Action, words: Sequence[str]) -> list[bytes]:
    if len(words) != len(action.parameters):
        raise Wrong(f"Action {action.name} needs {len(action.parameters)} parameters")
    return [
        _part(word, field.width, "Invalid runtime data") for word, field in zip(words, action.parameters, strict=True)
    ]


def data(values: Sequence[bytes]) -> Value:
    return sequence(STRING, [string(value) for value in values])


class Match:
    """The match key of an entry, as parsed from words: one for each key of the table."""

    def __init__(self, table: TableDeclaration, words: Sequence[str]) -> None:
        parts = [_match(key, word) for key, word in zip(table.keys, words, strict=True)]
        self.value = sequence(STRUCT, [value for value, _ in parts])
        self.text = "\t".join(text for _, text in parts)


def _match(key: Key, word: str) -> tuple[Value, str]:
    kind, subject = i32(MATCH_TYPES[key.kind]), "Invalid match key"
    if key.kind == "exact":
        value = _part(word, key.width, subject)
        return record({1: kind, 2: record({1: string(value)})}), f"EXACT-{colons(value)}"
    if key.kind == "valid":
        valid = integer(word, "Bad format for validity, expected 0 or 1") != 0
        return record({1: kind, 5: record({1: boolean(valid)})}), f"VALID-{valid:02d}"
    name, separator, parts = SEPARATORS[key.kind]
    if word.count(separator) != 1:
        raise Wrong(f"Invalid {name} value {word}, use '{separator}' to separate {parts}", subject)
    first, second = word.split(separator)
    value = _part(first, key.width, subject)
    if key.kind == "lpm":
        length = integer(second, f"Bad format for prefix length {second}, expected integer")
        return record({1: kind, 3: record({1: string(value), 2: i32(length)})}), f"LPM-{colons(value)}/{length}"
    other = _part(second, key.width, subject)
    if key.kind == "ternary":
        text = f"TERNARY-{colons(value)} &&& {colons(other)}"
        return record({1: kind, 4: record({1: string(value), 2: string(other)})}), text
    if value > other:
        raise Wrong(f"start is less than end in expression {word}", subject)
    return record(
        {1: kind, 6: record({1: string(value), 2: string(other)})}
    ), f"RANGE-{colons(value)} -> {colons(other)}"


def _part(word: str, width: int, subject: str) -> bytes:
    try:
        return number(word, width)
    except Wrong as wrong:
        raise Wrong(f"Error while parsing {word} - {wrong.reason}", subject) from None


def matched(kind: str, part: dict[int, Any]) -> str:
    """Formats a key's match in an entry."""
    match kind:
        case "exact":
            return str(part[2][1].hex())
        case "valid":
            return f"{part[5][1]:02d}"
        case "lpm":
            return f"{part[3][1].hex()}/{part[3][2]}"
        case "ternary":
            return f"{part[4][1].hex()} &&& {part[4][2].hex()}"
    return f"{part[6][1].hex()} -> {part[6][2].hex()}"


def colons(value: bytes) -> str:
    return value.hex(":")
