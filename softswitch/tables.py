"""Match-action tables: entries in native memory that the compiled program looks up, changed from Python.

A row is what the program finds for a packet, in 64-bit words: which of the table's actions (its position), the packets
and bytes that hit the row, the action's parameters, and then what the key is compared with. In a table with an action
profile it is a member or a group instead, and the action is in the member's row.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softswitch.meters import METER_WORDS, MeterRates, read_rates, write_rates
from softswitch.program import (
    Action,
    ActionCall,
    Exact,
    Key,
    Lpm,
    Match,
    Range,
    TableDeclaration,
    Ternary,
)

if TYPE_CHECKING:
    from softswitch.action_profiles import ActionProfile

__all__ = [
    "Entry",
    "Exact",
    "Group",
    "Lpm",
    "Match",
    "Member",
    "Range",
    "Table",
    "TableError",
    "TableErrorKind",
    "Target",
    "Ternary",
]

ACTION, PACKETS, BYTES, PARAMETERS = 0, 1, 2, 3
"""Words of a row. The default's row has no others than the parameters after these."""

NO_ACTION = -1
"""The action of a default row when a table has no default."""

MULTIPLIER = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


def words(bits: int) -> int:
    """How many 64-bit words hold that many bits."""
    return (bits + 63) // 64


class TableErrorKind(Enum):
    """Why a table refused."""

    DUPLICATE = auto()
    NOT_FOUND = auto()
    FULL = auto()
    IMMUTABLE = auto()  # the program gives the table's entries
    CONST_DEFAULT = auto()  # the program says that its default stays
    UNKNOWN_ACTION = auto()
    PARAMETER_COUNT = auto()
    PARAMETER_VALUE = auto()
    KEY_COUNT = auto()
    KEY_KIND = auto()
    KEY_VALUE = auto()
    PRIORITY = auto()  # given where there is none, or missing where one is needed
    IN_USE = auto()  # a member or a group that entries still have


class TableError(ValueError):
    """A change that a table refuses; it is as before."""

    def __init__(self, kind: TableErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Member:
    """A member of the table's action profile, by the number that the control plane gave it."""

    number: int


@dataclass(frozen=True)
class Group:
    """A group of the table's action profile, by the number that the control plane gave it."""

    number: int


Target = str | Member | Group
"""What an entry leads to: an action by name, or in a table with an action profile one of its members or groups."""


@dataclass(frozen=True)
class Entry:
    """packets and bytes: what has hit the entry, where the table has a direct counter. meter: the rates of the direct
    meter. timeout: microseconds without a packet until the entry counts as idle; 0: never. idle: microseconds since a
    packet hit it, or since the table first looked for idle entries; None unless the table does."""

    match: tuple[Match, ...]
    action: Target
    parameters: tuple[int, ...]
    priority: int
    packets: int
    bytes: int
    meter: MeterRates | None = None
    timeout: int = 0
    idle: int | None = None


class RowLayout:
    """Where everything is in a table's rows, in words. Keys are packed side by side, the first one lowest."""

    def __init__(self, declaration: TableDeclaration) -> None:
        self.key_shift: list[int] = []
        bits = 0
        for key in declaration.keys:
            self.key_shift.append(bits)
            bits += key.width
        self.key_words = words(bits)
        self.parameter_words = 0 if declaration.profile else parameter_words(declaration.actions)
        self.hashed = declaration.kind == "exact" and bool(declaration.keys)
        self.ranged = any(key.kind == "range" for key in declaration.keys)
        blocks = 1 if self.hashed else 4 if self.ranged else 2
        self.meter = PARAMETERS + self.parameter_words
        self.last_hit = self.meter + (METER_WORDS if declaration.direct_meter else 0)
        self.value = self.last_hit + (1 if declaration.idle_timeout else 0)
        self.mask = self.value + self.key_words
        self.low = self.mask + self.key_words
        self.high = self.low + self.key_words
        self.words = self.value + blocks * self.key_words

    @staticmethod
    def parameter_offset(action: Action, index: int | None) -> int:
        """Word, after PARAMETERS, where a parameter begins; None: where they end."""
        return sum(words(parameter.width) for parameter in action.parameters[:index])


def parameter_words(actions: Iterable[Action]) -> int:
    """Words that hold the parameters of any of the actions."""
    return max((RowLayout.parameter_offset(action, None) for action in actions), default=0)


def index_slots(size: int) -> int:
    """Slots of the hash index of a table of that size; a power of two, and never more than half of them are used."""
    return 1 << max(3, (2 * size - 1).bit_length())


class Table:
    """The entries of one table. Change them between calls of Engine.process only.

    insert, modify and delete raise TableError. `match` has one element for each key, in the table's order: Exact for an
    exact key, Lpm for lpm, Ternary for ternary and optional, Range for range; "any" is Lpm(0, 0), Ternary(0, 0) or the
    full Range. `priority` is for tables with ternary or range keys: above 0 and the higher wins; else it is 0. An
    entry is known by its match and priority. The program's own constant entries are not for changing. In a table with
    an action profile, `action` is a Member or a Group of it, and there are no parameters.
    """

    def __init__(self, declaration: TableDeclaration, profile: ActionProfile | None = None) -> None:
        """profile: the action profile that the declaration names."""
        self.declaration = declaration
        self.profile = profile
        self.name = declaration.name
        self.keys: tuple[Key, ...] = declaration.keys
        self.actions: dict[str, Action] = {action.name: action for action in declaration.actions}
        self.size = declaration.size
        self.immutable = declaration.entries is not None
        self.prioritized = declaration.kind in ("ternary", "range")
        self.layout = RowLayout(declaration)
        self._position = {name: at for at, name in enumerate(self.actions)}
        self._entries: dict[tuple[tuple[Match, ...], int], int] = {}
        self._calls: dict[int, ActionCall | Member | Group] = {}
        self._timeouts: dict[int, int] = {}
        self._now = 0
        self._order: list[tuple[int, int]] = []
        self._ranks: dict[int, tuple[int, int]] = {}
        self._inserted = 0
        self._free: list[int] = []
        capacity = self.size if self.keys else 0
        # Untouched pages of zeros cost nothing: there is room for all entries from the start, and nothing ever moves.
        self.rows: NDArray[np.uint64] = np.zeros((capacity, self.layout.words), dtype=np.uint64)
        """(size, words)"""
        self.index: NDArray[np.int32] = np.zeros(
            index_slots(capacity) if self.layout.hashed else capacity, dtype=np.int32
        )
        """Hashed: row + 1, 0 where free. Else: the rows in the order they are tried."""
        self.default_row: NDArray[np.uint64] = np.zeros(
            PARAMETERS + parameter_words(declaration.actions), dtype=np.uint64
        )
        self.default: ActionCall | None = None
        """What happens to a packet that no entry matches."""
        self._write_default(declaration.default)
        for entry in declaration.entries or ():
            self._insert(entry.match, entry.call.action, entry.call.parameters, entry.priority)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return self.entries()

    @property
    def extent(self) -> int:
        """Of `index`: its last slot where it is hashed, else how many entries it lists."""
        return len(self.index) - 1 if self.layout.hashed else len(self._entries)

    def insert(
        self,
        match: tuple[Match, ...],
        action: Target,
        parameters: tuple[int, ...] = (),
        priority: int = 0,
        *,
        timeout: int = 0,
    ) -> None:
        """Adds an entry. DUPLICATE, FULL, IMMUTABLE, or any of the kinds that say what is wrong with the arguments.

        timeout: microseconds without a packet until idle() lists the entry; 0: never.
        """
        self._refuse_if_immutable()
        self._check_priority(priority)
        self._insert(match, action, parameters, priority)
        if timeout:
            self._timeouts[self._entries[tuple(match), priority]] = timeout

    def modify(
        self,
        match: tuple[Match, ...],
        action: Target,
        parameters: tuple[int, ...] = (),
        priority: int = 0,
        *,
        timeout: int | None = None,
    ) -> None:
        """Gives an entry another action or other parameters; its counts, and its timeout unless given, stay.
        NOT_FOUND, IMMUTABLE, ..."""
        self._refuse_if_immutable()
        self._check_match(match)
        call = self._checked_call(action, parameters)
        row = self._row(match, priority)
        self._write_call(row, call)
        if timeout is not None:
            self._timeouts[row] = timeout

    def delete(self, match: tuple[Match, ...], priority: int = 0) -> None:
        """Removes an entry. NOT_FOUND, IMMUTABLE, ..."""
        self._refuse_if_immutable()
        self._check_match(match)
        row = self._row(match, priority)
        if self.layout.hashed:
            self._remove_from_index(row)
        else:
            self._remove_from_order(row)
        del self._entries[tuple(match), priority]
        self._release(row)
        del self._calls[row]
        self._timeouts.pop(row, None)
        self._free.append(row)

    def entry(self, match: tuple[Match, ...], priority: int = 0) -> Entry:
        """One entry. NOT_FOUND, ..."""
        self._check_match(match)
        return self._entry(tuple(match), priority, self._row(match, priority))

    def entries(self) -> Iterator[Entry]:
        """All of them, in the order they were inserted."""
        for (match, priority), row in self._entries.items():
            yield self._entry(match, priority, row)

    def set_counts(self, match: tuple[Match, ...], priority: int, packets: int, size: int) -> None:
        """Overwrites an entry's direct counter. NOT_FOUND, ..."""
        self._check_match(match)
        self.rows[self._row(match, priority), PACKETS : BYTES + 1] = packets, size

    def set_meter(self, match: tuple[Match, ...], priority: int, rates: MeterRates | None) -> None:
        """Configures an entry's direct meter, or with None takes its rates from it. NOT_FOUND, ..."""
        self._check_match(match)
        write_rates(self._meter(self._row(match, priority)), rates)

    def idle(self, now: int) -> Iterator[Entry]:
        """The entries that no packet has hit for as long as their timeout, in a table that the program says to watch.

        now: microseconds, on the clock that Engine.process is given. The time of an entry without a packet begins when
        this is first called with it there.
        """
        self._now = now
        for (match, priority), row in self._entries.items():
            timeout = self._timeouts.get(row, 0)
            if timeout and now - self._last_hit(row) >= timeout:
                yield self._entry(match, priority, row)

    def clear(self) -> None:
        """Removes all entries that may be removed, and resets the default where that may be changed."""
        if not self.immutable:
            for row in self._calls:
                self._release(row)
            for kept in (self._entries, self._calls, self._order, self._ranks, self._free, self._timeouts):
                kept.clear()
            self.index[:] = 0
        self._write_default(self.declaration.default)

    def set_default(self, action: str, parameters: tuple[int, ...] = ()) -> None:
        """Changes the default action. CONST_DEFAULT, UNKNOWN_ACTION, PARAMETER_COUNT, PARAMETER_VALUE."""
        declared = self.declaration.default
        fixed = self.declaration.default_action_const and declared is not None and declared.action != action
        if self.declaration.default_const or fixed:
            raise TableError(TableErrorKind.CONST_DEFAULT, f"the default action of {self.name} is constant")
        check_call(self.name, self.actions, action, parameters)
        self._write_default(ActionCall(action, tuple(parameters)))

    def reset_default(self) -> None:
        """Back to the default that the program gives. CONST_DEFAULT."""
        if self.declaration.default_const:
            raise TableError(TableErrorKind.CONST_DEFAULT, f"the default action of {self.name} is constant")
        self._write_default(self.declaration.default)

    # --- checks ---

    def _refuse_if_immutable(self) -> None:
        if self.immutable:
            raise TableError(TableErrorKind.IMMUTABLE, f"the entries of {self.name} are constant")

    def _check_priority(self, priority: int) -> None:
        if self.prioritized and priority <= 0:
            raise TableError(TableErrorKind.PRIORITY, f"an entry of {self.name} needs a priority above 0")
        if not self.prioritized and priority:
            raise TableError(TableErrorKind.PRIORITY, f"the entries of {self.name} have no priority")

    def _check_match(self, match: tuple[Match, ...]) -> None:
        if not self.keys or len(match) != len(self.keys):
            raise TableError(TableErrorKind.KEY_COUNT, f"{self.name} has {len(self.keys)} keys, not {len(match)}")
        for key, part in zip(self.keys, match, strict=True):
            if type(part) is not _MATCH[key.kind]:
                raise TableError(TableErrorKind.KEY_KIND, f"{key.name} of {self.name} is {key.kind}, {part} is not")
            if not _fits(part, key.width):
                message = f"{part} is no value for the {key.width} bits of {key.name} of {self.name}"
                raise TableError(TableErrorKind.KEY_VALUE, message)

    def _checked_call(self, action: Target, values: tuple[int, ...]) -> ActionCall | Member | Group:
        if isinstance(action, str) and self.profile is None:
            check_call(self.name, self.actions, action, values)
            return ActionCall(action, tuple(values))
        if isinstance(action, str) or self.profile is None:
            raise TableError(TableErrorKind.UNKNOWN_ACTION, f"{self.name} has no action {action}")
        self.profile.reference(action)
        return action

    # --- rows ---

    def _row(self, match: tuple[Match, ...], priority: int) -> int:
        self._check_priority(priority)
        try:
            return self._entries[tuple(match), priority]
        except KeyError:
            raise TableError(TableErrorKind.NOT_FOUND, f"{self.name} has no entry {match}") from None

    def _entry(self, match: tuple[Match, ...], priority: int, row: int) -> Entry:
        call = self._calls[row]
        packets, size = (int(count) for count in self.rows[row, PACKETS : BYTES + 1])
        action, parameters = (call.action, call.parameters) if isinstance(call, ActionCall) else (call, ())
        meter = read_rates(self._meter(row)) if self.declaration.direct_meter else None
        idle = self._now - self._last_hit(row) if self.declaration.idle_timeout else None
        return Entry(match, action, parameters, priority, packets, size, meter, self._timeouts.get(row, 0), idle)

    def _meter(self, row: int) -> NDArray[np.uint64]:
        return self.rows[row, self.layout.meter : self.layout.meter + METER_WORDS]

    def _last_hit(self, row: int) -> int:
        if not self.declaration.idle_timeout:
            return self._now
        if not self.rows[row, self.layout.last_hit]:
            self.rows[row, self.layout.last_hit] = max(1, self._now)
        return int(self.rows[row, self.layout.last_hit])

    def _insert(self, match: tuple[Match, ...], action: Target, parameters: tuple[int, ...], priority: int) -> None:
        self._check_match(match)
        call = self._checked_call(action, parameters)
        match = tuple(match)
        if (match, priority) in self._entries:
            raise TableError(TableErrorKind.DUPLICATE, f"{self.name} already has an entry {match}")
        if len(self._entries) == self.size:
            raise TableError(TableErrorKind.FULL, f"{self.name} has room for {self.size} entries only")
        row = self._free.pop() if self._free else len(self._entries)
        self.rows[row] = 0
        self._write_call(row, call)
        self._write_match(row, match)
        self._entries[match, priority] = row
        if self.layout.hashed:
            slot = self._home(row)
            while self.index[slot]:
                slot = (slot + 1) & (len(self.index) - 1)
            self.index[slot] = row + 1
        else:
            self._add_to_order(row, match, priority)

    def _write_call(self, row: int, call: ActionCall | Member | Group) -> None:
        if isinstance(call, ActionCall):
            self._fill(self.rows[row], call)
        else:
            assert self.profile is not None
            self.profile.hold(call)
            self._release(row)
            self.rows[row, ACTION] = self.profile.reference(call) & WORD
        self._calls[row] = call

    def _release(self, row: int) -> None:
        """The member or group that a row had has one user less."""
        call = self._calls.get(row)
        if self.profile is not None and isinstance(call, Member | Group):
            self.profile.release(call)

    def _write_default(self, call: ActionCall | None) -> None:
        self.default = call
        if call is None:
            self.default_row[ACTION] = NO_ACTION & WORD
        else:
            self._fill(self.default_row, call)

    def _fill(self, row: NDArray[np.uint64], call: ActionCall) -> None:
        action = self.actions[call.action]
        position = self._position if self.profile is None else self.profile.position
        fill_call(row, action, position[call.action], call.parameters)

    def _write_match(self, row: int, match: tuple[Match, ...]) -> None:
        value = mask = low = high = 0
        for key, part, shift in zip(self.keys, match, self.layout.key_shift, strict=True):
            full = (1 << key.width) - 1
            match part:
                case Exact():
                    bits = full
                    value |= part.value << shift
                case Lpm():
                    bits = full ^ full >> part.prefix_length
                    value |= (part.value & bits) << shift
                case Ternary():
                    bits = part.mask
                    value |= part.value << shift
                case Range():
                    bits = 0
                    low |= part.low << shift
                    high |= part.high << shift
            mask |= bits << shift
        layout = self.layout
        _put(self.rows[row], layout.value, layout.key_words, value)
        if not layout.hashed:
            _put(self.rows[row], layout.mask, layout.key_words, mask)
        if layout.ranged:
            _put(self.rows[row], layout.low, layout.key_words, low)
            _put(self.rows[row], layout.high, layout.key_words, high)

    # --- the hash index: open addressing, each row at the first free slot at or after its home ---

    def _home(self, row: int) -> int:
        mixed = 0
        for word in self.rows[row, self.layout.value : self.layout.value + self.layout.key_words].tolist():
            mixed = (mixed ^ word) * MULTIPLIER & WORD
            mixed ^= mixed >> 32
        return mixed & (len(self.index) - 1)

    def _remove_from_index(self, row: int) -> None:
        last = len(self.index) - 1
        gap = self._home(row)
        while self.index[gap] != row + 1:
            gap = (gap + 1) & last
        # A row after the gap moves into it unless that would put it before its home.
        slot = gap
        while True:
            self.index[gap] = 0
            while True:
                slot = (slot + 1) & last
                if not self.index[slot]:
                    return
                if (slot - self._home(int(self.index[slot]) - 1)) & last >= (slot - gap) & last:
                    break
            self.index[gap] = self.index[slot]
            gap = slot

    # --- the order in which rows are tried: higher priority (or longer prefix) first, then the older ---

    def _add_to_order(self, row: int, match: tuple[Match, ...], priority: int) -> None:
        length = sum(part.prefix_length for part in match if isinstance(part, Lpm))
        rank = (-(priority if self.prioritized else length), self._inserted)
        self._inserted += 1
        at = bisect_left(self._order, rank)
        self.index[at + 1 : len(self._order) + 1] = self.index[at : len(self._order)].copy()
        self.index[at] = row
        self._order.insert(at, rank)
        self._ranks[row] = rank

    def _remove_from_order(self, row: int) -> None:
        at = bisect_left(self._order, self._ranks.pop(row))
        del self._order[at]
        self.index[at : len(self._order)] = self.index[at + 1 : len(self._order) + 1].copy()


def check_call(owner: str, actions: Mapping[str, Action], action: str, values: Sequence[int]) -> None:
    """UNKNOWN_ACTION, PARAMETER_COUNT, PARAMETER_VALUE."""
    if action not in actions:
        raise TableError(TableErrorKind.UNKNOWN_ACTION, f"{owner} has no action {action}")
    parameters = actions[action].parameters
    if len(parameters) != len(values):
        message = f"{action} has {len(parameters)} parameters, not {len(values)}"
        raise TableError(TableErrorKind.PARAMETER_COUNT, message)
    for parameter, value in zip(parameters, values, strict=True):
        if not 0 <= value < 1 << parameter.width:
            message = f"{value} does not fit the {parameter.width} bits of {parameter.name} of {action}"
            raise TableError(TableErrorKind.PARAMETER_VALUE, message)


def fill_call(row: NDArray[np.uint64], action: Action, number: int, values: Sequence[int]) -> None:
    """Writes an action, as `number`, and its parameters into a row."""
    row[ACTION] = number
    at = PARAMETERS
    for parameter, value in zip(action.parameters, values, strict=True):
        _put(row, at, words(parameter.width), value)
        at += words(parameter.width)


_MATCH: dict[str, type[Match]] = {"exact": Exact, "lpm": Lpm, "ternary": Ternary, "range": Range}


def _fits(part: Match, width: int) -> bool:
    full = (1 << width) - 1
    match part:
        case Exact():
            return 0 <= part.value <= full
        case Lpm():
            inside = 0 <= part.prefix_length <= width and 0 <= part.value <= full
            return inside and not part.value & full >> part.prefix_length
        case Ternary():
            return 0 <= part.mask <= full and not part.value & ~part.mask
        case Range():
            return 0 <= part.low <= part.high <= full


def _put(row: NDArray[np.uint64], at: int, count: int, value: int) -> None:
    for word in range(count):
        row[at + word] = value >> 64 * word & WORD
