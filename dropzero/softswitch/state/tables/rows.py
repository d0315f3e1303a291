"""Rows: table entries and members of action profiles, as 64-bit words that the compiled program reads.

A row consists of the number of its action, its packets and bytes, and the action's parameters. A table's row also has
the direct meter, the time of the last hit, and the values that the key is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.program.model import Action, TableDeclaration
from dropzero.softswitch.state.meters import METER_WORDS

ACTION, PACKETS, BYTES, PARAMETERS = 0, 1, 2, 3
"""Words of a row. A table's default row ends after the parameters."""
INDIRECT = PACKETS
"""The word of the default row that is 1 if the action is the number of a member or group; only entries have counts."""

NO_ACTION = -1
"""The action in the default row of a table without a default."""

WORD = (1 << 64) - 1
"""The largest word."""
RANK_WORDS = 2


def words(bits: int) -> int:
    """The number of 64-bit words that hold `bits` bits."""
    return (bits + 63) // 64


class RowLayout:
    """The layout of a table's rows: the position of each part, in words. Keys are packed, the first one lowest.

    meter:    the direct meter, if there is one
    last_hit: the time of the last hit in microseconds, if the table has idle timeouts; 0: never

    In tables that are not exact:
    rank:     the row with the lowest rank that matches wins
    next, previous: a row + 1; 0: none. Rows with the same mask and value form a chain

    identity: where the identity begins, which is the value; if the table is not exact, after the number of the mask
    value:    the value
    low, high: the bounds of ranges. The identity ends at `low`
    """

    def __init__(self, declaration: TableDeclaration) -> None:
        self.key_shift: list[int] = []
        bits = 0
        for key in declaration.keys:
            self.key_shift.append(bits)
            bits += key.width
        # A table without keys compares nothing with nothing: all packets match its only entry.
        self.key_words = max(1, words(bits))
        self.parameter_words = 0 if declaration.profile else parameter_words(declaration.actions)
        self.exact = declaration.kind == "exact"
        self.ranged = any(key.kind == "range" for key in declaration.keys)
        self.meter = PARAMETERS + self.parameter_words
        self.last_hit = self.meter + (METER_WORDS if declaration.direct_meter else 0)
        self.rank = self.last_hit + (1 if declaration.idle_timeout else 0)
        self.next = self.rank + RANK_WORDS
        self.previous = self.next + 1
        self.identity = self.rank if self.exact else self.previous + 1
        self.value = self.identity if self.exact else self.identity + 1
        self.low = self.value + self.key_words
        self.high = self.low + self.key_words
        self.words = self.high + self.key_words if self.ranged else self.low

    @staticmethod
    def parameter_offset(action: Action, index: int | None) -> int:
        """The word, counted from PARAMETERS, where a parameter begins. index: None: where the parameters end."""
        return sum(words(parameter.width) for parameter in action.parameters[:index])


def parameter_words(actions: Iterable[Action]) -> int:
    """The number of words that hold the parameters of any of the actions."""
    most = 0
    for action in actions:
        # Many tables have no action with parameters, and a program may have hundreds of tables.
        if action.parameters:
            most = max(most, RowLayout.parameter_offset(action, None))
    return most


def put(row: NDArray[np.uint64], at: int, count: int, value: int) -> None:
    """Writes a number into `count` words of a row."""
    row.data.cast("B")[8 * at : 8 * (at + count)] = value.to_bytes(8 * count, "little")


def get(row: NDArray[np.uint64], at: int, count: int) -> int:
    """The number that put() wrote."""
    return int.from_bytes(row.data.cast("B")[8 * at : 8 * (at + count)], "little")


def put_call(row: NDArray[np.uint64], action: Action, number: int, values: Sequence[int]) -> None:
    """Writes an action and its parameters into a row. number: the action's."""
    row[ACTION] = number
    at = PARAMETERS
    for parameter, value in zip(action.parameters, values, strict=True):
        put(row, at, words(parameter.width), value)
        at += words(parameter.width)


def get_parameters(row: NDArray[np.uint64], action: Action) -> tuple[int, ...]:
    """The parameters that put_call() wrote."""
    values = []
    at = PARAMETERS
    for parameter in action.parameters:
        values.append(get(row, at, words(parameter.width)))
        at += words(parameter.width)
    return tuple(values)
