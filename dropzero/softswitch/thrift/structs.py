"""Structs of BMv2's Thrift service "standard": matches, actions, entries, members, groups and rates.

The numbers of fields are those of the service's definition (standard.thrift).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from dropzero.softswitch.program.model import ActionCall, Exact, Key, Lpm, Match, Range, Ternary
from dropzero.softswitch.state.meters import MeterRates
from dropzero.softswitch.state.tables.tables import Entry, Table
from dropzero.softswitch.state.tables.targets import Group, Member, Target
from dropzero.softswitch.thrift.errors import BAD_MATCH_KEY, INVALID_RATE
from dropzero.softswitch.thrift.server import Declined
from dropzero.softswitch.thrift.wire import I32, STRING, STRUCT, Value, boolean, double, i32, record, sequence, string

ActionData = Annotated[list[bytes], [bytes]]
MatchKey = Annotated[
    list[Any],
    [
        {
            1: int,
            2: {1: bytes},
            3: {1: bytes, 2: int},
            4: {1: bytes, 2: bytes},
            5: {1: bool},
            6: {1: bytes, 2: bytes},
        }
    ],
]
Options = Annotated[dict[int, int], {1: int}]
Rates = Annotated[list[Any], [{1: float, 2: int}]]
Counts = Annotated[dict[int, int], {1: int, 2: int}]
CrcParameters = Annotated[dict[int, int], {1: int, 2: int, 3: int, 4: bool, 5: bool}]
MirroringTo = Annotated[dict[int, int], {1: int, 2: int}]
"""Types of arguments, and the schemas of their values: see json_schema.py. Structs are dictionaries by field number."""

MATCH_TYPES = {"exact": 0, "lpm": 1, "ternary": 2, "valid": 3, "range": 4}
"""BmMatchParamType."""
NO_ACTION, ACTION_DATA, MEMBER, GROUP = range(4)
"""BmActionEntryType."""
LOWEST_PRIORITY = (1 << 31) - 1
"""BMv2's: the lowest number wins. In the tables, as in P4Runtime, BMv2's priority p is LOWEST_PRIORITY - p."""


def integers(data: ActionData) -> tuple[int, ...]:
    """Decodes big-endian integers."""
    return tuple(int.from_bytes(value, "big") for value in data)


def encode_integer(value: int, width: int) -> Value:
    return string(value.to_bytes((width + 7) // 8, "big"))


def decode_priority(table: Table, options: Options) -> int:
    return LOWEST_PRIORITY - options.get(1, 0) if table.prioritized else 0


def decode_match(table: Table, parts: MatchKey) -> tuple[Match, ...]:
    """Decodes the match of an entry. Raises Declined if its kinds are not those of the table's keys."""
    if [part.get(1) for part in parts] != [MATCH_TYPES[key.kind] for key in table.keys]:
        raise Declined(BAD_MATCH_KEY)
    return tuple(_decode_part(key, part) for key, part in zip(table.keys, parts, strict=True))


def _decode_part(key: Key, part: dict[int, Any]) -> Match:
    """Decodes a BmMatchParam: its type, and one struct for that type. Raises Declined for a value of too many bytes.

    As in BMv2, bits beyond the key's width do not count: 0xff is the whole mask of 6 bits.
    """
    full = (1 << key.width) - 1

    def whole(value: bytes) -> int:
        if len(value) > (key.width + 7) // 8:
            raise Declined(BAD_MATCH_KEY)
        return int.from_bytes(value, "big")

    match key.kind:
        case "exact":
            return Exact(whole(part[2][1]) & full)
        case "valid":
            return Exact(int(part[5][1]))
        case "lpm":
            value, length = whole(part[3][1]), part[3][2]
            kept = full ^ full >> length if 0 <= length <= key.width else 0
            return Lpm(value & kept, length)
        case "ternary":
            value, mask = whole(part[4][1]), whole(part[4][2])
            return Ternary(value & mask & full, mask & full)
        case _:
            low, high = whole(part[6][1]), whole(part[6][2])
            return Range(low & full, min(high, full))


def encode_entry(table: Table, entry: Entry, handle: int) -> Value:
    fields = {
        1: sequence(STRUCT, [_encode_part(*pair) for pair in zip(table.keys, entry.match, strict=True)]),
        2: record({1: i32(LOWEST_PRIORITY - entry.priority if table.prioritized else -1)}),
        3: i32(handle),
        4: encode_action(entry.action, entry.parameters),
    }
    if entry.timeout:
        fields[5] = record({1: i32(entry.timeout // 1000), 2: i32(max(0, entry.idle or 0) // 1000)})
    return record(fields)


def _encode_part(key: Key, part: Match) -> Value:
    kind = i32(MATCH_TYPES[key.kind])
    match part:
        case Exact(value) if key.kind == "valid":
            return record({1: kind, 5: record({1: boolean(bool(value))})})
        case Exact(value):
            return record({1: kind, 2: record({1: encode_integer(value, key.width)})})
        case Lpm(value, length):
            return record({1: kind, 3: record({1: encode_integer(value, key.width), 2: i32(length)})})
        case Ternary(value, mask):
            return record(
                {1: kind, 4: record({1: encode_integer(value, key.width), 2: encode_integer(mask, key.width)})}
            )
        case Range(low, high):
            return record({1: kind, 6: record({1: encode_integer(low, key.width), 2: encode_integer(high, key.width)})})


def encode_action(action: Target, parameters: Sequence[int]) -> Value:
    match action:
        case Member(number):
            return record({1: i32(MEMBER), 4: i32(number)})
        case Group(number):
            return record({1: i32(GROUP), 5: i32(number)})
    return record({1: i32(ACTION_DATA), 2: string(action), 3: _encode_parameters(parameters)})


def encode_member(number: int, call: ActionCall) -> Value:
    return record({1: i32(number), 2: string(call.action), 3: _encode_parameters(call.parameters)})


def _encode_parameters(parameters: Sequence[int]) -> Value:
    """Encodes parameters in as few bytes as possible."""
    return sequence(STRING, [encode_integer(value, max(1, value.bit_length())) for value in parameters])


def encode_group(number: int, members: Sequence[int]) -> Value:
    return record({1: i32(number), 2: sequence(I32, [i32(member) for member in members])})


def decode_rates(rates: Rates, code: int = INVALID_RATE) -> MeterRates:
    """Decodes the committed and the peak rate. Raises Declined with `code`, if the rates are invalid."""
    try:
        (committed, committed_burst), (peak, peak_burst) = ((rate[1], rate[2]) for rate in rates)
        return MeterRates(committed, committed_burst, peak, peak_burst)
    except ValueError:
        raise Declined(code) from None


def encode_rates(rates: MeterRates | None) -> Value:
    """Encodes the committed and the peak rate; no rates as an empty list."""
    pairs = []
    if rates is not None:
        pairs = [(rates.committed_rate, rates.committed_burst), (rates.peak_rate, rates.peak_burst)]
    return sequence(STRUCT, [record({1: double(rate), 2: i32(burst)}) for rate, burst in pairs])
