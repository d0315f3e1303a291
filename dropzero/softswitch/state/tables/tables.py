"""Match-action tables: entries in memory that Python changes and the compiled program looks up.

An entry is a row (rows.py). In a table with an action profile, the row names a member or a group, and the member's row
has the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.program import model as p4
from dropzero.softswitch.state import meters
from dropzero.softswitch.state.memory import zeros
from dropzero.softswitch.state.tables import rows
from dropzero.softswitch.state.tables.action_profiles import ActionProfile
from dropzero.softswitch.state.tables.row_index import RowIndex
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.state.tables.targets import Group, Member, Target, check_call
from dropzero.softswitch.state.tables.tuple_space import TupleSpace


@dataclass(frozen=True)
class Entry:
    """A copy of a table entry.

    match:    one element for each key
    action, parameters: the action's name and parameters; or a member or group, and no parameters
    packets, bytes: the direct counter, if the table has one
    meter, colours: the rates and counts of the direct meter
    timeout:  microseconds without a hit after which the entry is idle; 0: never
    idle:     microseconds since the last hit, or since the table first looked for idle entries; None if the table has
              no idle timeouts
    """

    match: tuple[p4.Match, ...]
    action: Target
    parameters: tuple[int, ...]
    priority: int
    packets: int
    bytes: int
    meter: meters.MeterRates | None = None
    timeout: int = 0
    idle: int | None = None
    colours: meters.ColourCounts | None = None


class Table:
    """The entries of one table. Change them only between calls of Engine.process.

    Match and priority identify an entry. Arguments of methods:
    match:    one element for each key: Exact for an exact key, Lpm for lpm, Ternary for ternary and optional, Range for
              range. Lpm(0, 0), Ternary(0, 0) and the full Range match any value
    priority: in tables with ternary or range keys positive, and the highest wins; in other tables 0
    action, parameters: the action's name and parameters; in a table with an action profile a Member or Group, and no
              parameters

    Methods raise TableError, and have then changed nothing; their docstrings list the kinds of error. The program's
    constant entries cannot be changed.
    """

    def __init__(self, declaration: p4.TableDeclaration, profile: ActionProfile | None = None) -> None:
        """profile: the action profile that the declaration names."""
        self.declaration = declaration
        self.profile = profile
        self.name = declaration.name
        self.keys: tuple[p4.Key, ...] = declaration.keys
        self.actions: dict[str, p4.Action] = {action.name: action for action in declaration.actions}
        self.size = declaration.size
        # A constant call is compiled in, without a lookup.
        self.immutable = declaration.entries is not None or declaration.constant_call is not None
        self.prioritized = declaration.prioritized
        self.layout = rows.RowLayout(declaration)
        self._position = {name: at for at, name in enumerate(self.actions)} if profile is None else profile.position
        self._actions = {self._position[name]: action for name, action in self.actions.items()}
        self._entries: dict[tuple[tuple[p4.Match, ...], int], int] = {}
        self._targets: dict[int, Member | Group] = {}
        self._timeouts: dict[int, int] = {}
        self._now = 0
        self._inserted = 0
        self._new_meter: meters.MeterRates | None = None
        self._free: list[int] = []
        # Allocates rows for all entries, so that rows never move.
        capacity = self.size if declaration.constant_call is None else 0
        self.rows: NDArray[np.uint64] = zeros((capacity, self.layout.words), np.uint64)
        """(size, words)"""
        self.space = None if self.layout.exact else TupleSpace(self.rows, self.layout)
        """Finds rows in a table that is not exact."""
        self.index = (
            RowIndex(self.rows, self.layout.identity, self.layout.low) if self.space is None else self.space.index
        )
        # With a profile, only the default row has parameters.
        parameters = self.layout.parameter_words if profile is None else rows.parameter_words(declaration.actions)
        self.default_row: NDArray[np.uint64] = np.zeros(rows.PARAMETERS + parameters, dtype=np.uint64)
        self.default: p4.ActionCall | Member | Group | None = None
        """What happens to packets that no entry matches."""
        self._write_default(declaration.default)
        for entry in declaration.entries or ():
            self._insert(entry.match, entry.call.action, entry.call.parameters, entry.priority)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return self.entries()

    def insert(
        self,
        match: tuple[p4.Match, ...],
        action: Target,
        parameters: tuple[int, ...] = (),
        priority: int = 0,
        *,
        timeout: int = 0,
    ) -> None:
        """Adds an entry. DUPLICATE, FULL, IMMUTABLE, or a kind for an invalid argument.

        timeout: microseconds without a hit after which idle() lists the entry; 0: never.
        """
        self._refuse_if_immutable()
        self._check_priority(priority)
        self._insert(match, action, parameters, priority)
        if timeout:
            self._timeouts[self._entries[tuple(match), priority]] = timeout

    def modify(
        self,
        match: tuple[p4.Match, ...],
        action: Target,
        parameters: tuple[int, ...] = (),
        priority: int = 0,
        *,
        timeout: int | None = None,
    ) -> None:
        """Replaces an entry's action and parameters. Keeps its counts, and its timeout unless one is given.
        NOT_FOUND, IMMUTABLE, ..."""
        self._refuse_if_immutable()
        self._check_match(match)
        call = self._checked_call(action, parameters)
        row = self._row(match, priority)
        self._write_call(row, call)
        if timeout is not None:
            self._timeouts[row] = timeout

    def delete(self, match: tuple[p4.Match, ...], priority: int = 0) -> None:
        """Removes an entry. NOT_FOUND, IMMUTABLE, ..."""
        self._refuse_if_immutable()
        self._check_match(match)
        row = self._row(match, priority)
        if self.space is None:
            self.index.remove(row)
        else:
            self.space.remove(row, self._mask(match))
        del self._entries[tuple(match), priority]
        self._release(row)
        self._timeouts.pop(row, None)
        self._free.append(row)

    def entry(self, match: tuple[p4.Match, ...], priority: int = 0) -> Entry:
        """One entry. NOT_FOUND, ..."""
        self._check_match(match)
        self._row(match, priority)
        return next(self._read([(tuple(match), priority)]))

    def entry_in(self, row: int) -> Entry:
        """The entry in a row that holds one."""
        return next(self._read([key for key, number in self._entries.items() if number == row]))

    def target(self, match: tuple[p4.Match, ...], priority: int = 0) -> Member | Group | None:
        """The member or group that an entry names. NOT_FOUND, ..."""
        self._check_match(match)
        return self._targets.get(self._row(match, priority))

    def entries(self) -> Iterator[Entry]:
        """Yields the current entries, in the order of insertion."""
        return self._read(list(self._entries))

    def set_counts(self, match: tuple[p4.Match, ...], priority: int, packets: int, size: int) -> None:
        """Overwrites an entry's direct counter. NOT_FOUND, ..."""
        self._check_match(match)
        self.rows[self._row(match, priority), rows.PACKETS : rows.BYTES + 1] = packets, size

    def set_meter(self, match: tuple[p4.Match, ...], priority: int, rates: meters.MeterRates | None) -> None:
        """Sets the rates of an entry's direct meter; None removes them. NOT_FOUND, ..."""
        self._check_match(match)
        meters.write_rates(self._meter(self.rows[self._row(match, priority)]), rates)

    def set_meters(self, rates: meters.MeterRates) -> None:
        """Sets the rates of the direct meters of all entries, and of those added later, until clear()."""
        self._new_meter = rates
        for row in self._entries.values():
            meters.write_rates(self._meter(self.rows[row]), rates)

    def set_meter_counts(self, match: tuple[p4.Match, ...], priority: int, counts: meters.ColourCounts) -> None:
        """Sets the counts of an entry's direct meter. NOT_FOUND, ..."""
        self._check_match(match)
        meters.write_counts(self._meter(self.rows[self._row(match, priority)]), counts)

    def age(self, now: int) -> None:
        """Sets the time until which entries' idle times count. The table must have idle timeouts.

        now: microseconds, on the clock of Engine.process. For an entry without hits, the time counts from the first
            call that sees it.
        """
        self._now = now
        self._begin_ageing()

    def idle(self, now: int) -> Iterator[Entry]:
        """Yields the entries that no packet has hit for as long as their timeout. now: see age()."""
        self.age(now)
        last_hit = self.rows[:, self.layout.last_hit] if self.declaration.idle_timeout else ()
        return self._read(
            [
                key
                for key, row in self._entries.items()
                if row in self._timeouts and now - int(last_hit[row]) >= self._timeouts[row] > 0
            ]
        )

    def clear(self) -> None:
        """Removes all entries and resets the default action, except constant ones."""
        if not self.immutable:
            for row in list(self._targets):
                self._release(row)
            for kept in (self._entries, self._free, self._timeouts, self.index if self.space is None else self.space):
                kept.clear()
        self._new_meter = None
        self._write_default(self.declaration.default)

    def set_default(self, action: Target, parameters: tuple[int, ...] = ()) -> None:
        """Changes the default action. CONST_DEFAULT; NOT_FOUND: the member or group; UNKNOWN_ACTION, PARAMETER_COUNT,
        PARAMETER_VALUE."""
        if self.declaration.default_const or self.declaration.const_default not in (None, action):
            raise TableError(TableErrorKind.CONST_DEFAULT, f"the default action of {self.name} is constant")
        self._write_default(self._checked_call(action, parameters))

    def reset_default(self) -> None:
        """Restores the program's default action. CONST_DEFAULT."""
        if self.declaration.default_const:
            raise TableError(TableErrorKind.CONST_DEFAULT, f"the default action of {self.name} is constant")
        self._write_default(self.declaration.default)

    # --- checks ---

    def _refuse_if_immutable(self) -> None:
        if self.immutable:
            raise TableError(TableErrorKind.IMMUTABLE, f"the entries of {self.name} are constant")

    def _check_priority(self, priority: int) -> None:
        if self.prioritized and not 0 < priority <= p4.HIGHEST_PRIORITY:
            message = f"an entry of {self.name} needs a priority from 1 to {p4.HIGHEST_PRIORITY}"
            raise TableError(TableErrorKind.PRIORITY, message)
        if not self.prioritized and priority:
            raise TableError(TableErrorKind.PRIORITY, f"the entries of {self.name} have no priority")

    def _check_match(self, match: tuple[p4.Match, ...]) -> None:
        if len(match) != len(self.keys):
            raise TableError(TableErrorKind.KEY_COUNT, f"{self.name} has {len(self.keys)} keys, not {len(match)}")
        for key, part in zip(self.keys, match, strict=True):
            if type(part) is not _MATCH[key.kind]:
                raise TableError(TableErrorKind.KEY_KIND, f"{key.name} of {self.name} is {key.kind}, {part} is not")
            if not _fits(part, key.width):
                message = f"{part} is not a value for the {key.width} bits of {key.name} of {self.name}"
                raise TableError(TableErrorKind.KEY_VALUE, message)

    def _checked_call(self, action: Target, values: tuple[int, ...]) -> p4.ActionCall | Member | Group:
        if isinstance(action, str) and self.profile is None:
            check_call(self.name, self.actions, action, values)
            return p4.ActionCall(action, tuple(values))
        if isinstance(action, str) or self.profile is None:
            raise TableError(TableErrorKind.UNKNOWN_ACTION, f"{self.name} has no action {action}")
        self.profile.reference(action)
        return action

    # --- rows ---

    def _row(self, match: tuple[p4.Match, ...], priority: int) -> int:
        self._check_priority(priority)
        try:
            return self._entries[tuple(match), priority]
        except KeyError:
            raise TableError(TableErrorKind.NOT_FOUND, f"{self.name} has no entry {match}") from None

    def _read(self, keys: Sequence[tuple[tuple[p4.Match, ...], int]]) -> Iterator[Entry]:
        """Yields the entries with these matches and priorities."""
        if self.declaration.idle_timeout:
            self._begin_ageing()
        numbers = [self._entries[key] for key in keys]
        targets = [self._targets.get(number) for number in numbers]
        timeouts = [self._timeouts.get(number, 0) for number in numbers]
        return map(self._entry, keys, self.rows[numbers], targets, timeouts)

    def _entry(
        self, key: tuple[tuple[p4.Match, ...], int], row: NDArray[np.uint64], target: Target | None, timeout: int
    ) -> Entry:
        parameters: tuple[int, ...] = ()
        if target is None:
            action = self._actions[int(row[rows.ACTION])]
            target, parameters = action.name, rows.get_parameters(row, action)
        metered = self.declaration.direct_meter is not None
        meter = meters.read_rates(self._meter(row)) if metered else None
        colours = meters.read_counts(self._meter(row)) if metered else None
        idle = self._now - int(row[self.layout.last_hit]) if self.declaration.idle_timeout else None
        counts = int(row[rows.PACKETS]), int(row[rows.BYTES])
        return Entry(key[0], target, parameters, key[1], *counts, meter, timeout, idle, colours)

    def _meter(self, row: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return row[self.layout.meter : self.layout.meter + meters.METER_WORDS]

    def _begin_ageing(self) -> None:
        """Starts the idle time of entries that no packet has hit."""
        last_hit = self.rows[: len(self._entries) + len(self._free), self.layout.last_hit]
        last_hit[last_hit == 0] = max(1, self._now)

    def _insert(self, match: tuple[p4.Match, ...], action: Target, parameters: tuple[int, ...], priority: int) -> None:
        self._check_match(match)
        call = self._checked_call(action, parameters)
        match = tuple(match)
        if (match, priority) in self._entries:
            raise TableError(TableErrorKind.DUPLICATE, f"{self.name} already has an entry {match}")
        if len(self._entries) == self.size:
            raise TableError(TableErrorKind.FULL, f"{self.name} has room for {self.size} entries only")
        row = self._free.pop() if self._free else len(self._entries)
        self.rows[row] = 0
        if self._new_meter is not None:
            meters.write_rates(self._meter(self.rows[row]), self._new_meter)
        self._write_call(row, call)
        mask = self._mask(match)
        rows.put(self.rows[row], self.layout.value, self.layout.key_words, self._packed(map(_low, match)) & mask)
        if self.layout.ranged:
            rows.put(self.rows[row], self.layout.low, self.layout.key_words, self._packed(map(_low, match)))
            high = self._packed(part.high if isinstance(part, p4.Range) else 0 for part in match)
            rows.put(self.rows[row], self.layout.high, self.layout.key_words, high)
        if self.space is None:
            self.index.put(row)
        else:
            self.space.add(row, mask, self._rank(match, priority))
        self._entries[match, priority] = row

    def _write_call(self, row: int, call: p4.ActionCall | Member | Group) -> None:
        if isinstance(call, p4.ActionCall):
            self._fill(self.rows[row], call)
        else:
            assert self.profile is not None
            self.profile.hold(call)
            self._release(row)
            self.rows[row, rows.ACTION] = self.profile.reference(call) & rows.WORD
            self._targets[row] = call

    def _release(self, row: int) -> None:
        """Releases the member or group that a row names."""
        target = self._targets.pop(row, None)
        if target is not None and self.profile is not None:
            self.profile.release(target)

    def _write_default(self, call: p4.ActionCall | Member | Group | None) -> None:
        if isinstance(self.default, Member | Group) and self.profile is not None:
            self.profile.release(self.default)
        self.default = call
        self.default_row[rows.INDIRECT] = isinstance(call, Member | Group)
        if call is None:
            self.default_row[rows.ACTION] = rows.NO_ACTION & rows.WORD
        elif isinstance(call, p4.ActionCall):
            self._fill(self.default_row, call)
        else:
            assert self.profile is not None
            self.profile.hold(call)
            self.default_row[rows.ACTION] = self.profile.reference(call) & rows.WORD

    def _fill(self, row: NDArray[np.uint64], call: p4.ActionCall) -> None:
        rows.put_call(row, self.actions[call.action], self._position[call.action], call.parameters)

    def _packed(self, parts: Iterable[int]) -> int:
        """Packs numbers, one for each key, like keys in a row."""
        return sum(part << shift for part, shift in zip(parts, self.layout.key_shift, strict=True))

    def _mask(self, match: tuple[p4.Match, ...]) -> int:
        """The bits of the key that must equal the match's value."""
        return self._packed(_mask(part, key.width) for part, key in zip(match, self.keys, strict=True))

    def _rank(self, match: tuple[p4.Match, ...], priority: int) -> int:
        """The rank; the lowest wins. Orders by descending priority, then by age; or by descending prefix length."""
        self._inserted += 1
        if self.prioritized:
            return p4.HIGHEST_PRIORITY - priority << 64 | self._inserted
        return sum(
            key.width - part.prefix_length
            for key, part in zip(self.keys, match, strict=True)
            if isinstance(part, p4.Lpm)
        )


_MATCH: dict[str, type[p4.Match]] = {
    "exact": p4.Exact,
    "lpm": p4.Lpm,
    "ternary": p4.Ternary,
    "range": p4.Range,
    "valid": p4.Exact,
}


def _fits(part: p4.Match, width: int) -> bool:
    full = (1 << width) - 1
    match part:
        case p4.Exact():
            return 0 <= part.value <= full
        case p4.Lpm():
            inside = 0 <= part.prefix_length <= width and 0 <= part.value <= full
            return inside and not part.value & full >> part.prefix_length
        case p4.Ternary():
            return 0 <= part.mask <= full and not part.value & ~part.mask
        case p4.Range():
            return 0 <= part.low <= part.high <= full


def _low(part: p4.Match) -> int:
    """The value to compare with; for a range, the smallest."""
    return part.low if isinstance(part, p4.Range) else part.value


def _mask(part: p4.Match, width: int) -> int:
    """The bits in which all values that match are equal."""
    full = (1 << width) - 1
    match part:
        case p4.Exact():
            return full
        case p4.Lpm():
            return full ^ full >> part.prefix_length
        case p4.Ternary():
            return part.mask
        case p4.Range():
            return full ^ (1 << (part.low ^ part.high).bit_length()) - 1
