"""Action profiles: action calls that table entries share, alone (members) or in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.program.model import Action, ActionCall
from dropzero.softswitch.state.memory import zeros
from dropzero.softswitch.state.tables.rows import PARAMETERS, parameter_words, put_call
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.state.tables.targets import Group, Member, check_call


class ActionProfile:
    """The members and groups of one action profile. Change them only between calls of Engine.process.

    The control plane chooses the numbers of both. Methods raise TableError, and have then changed nothing; their
    docstrings list the kinds of error.
    """

    def __init__(self, name: str, actions: Mapping[str, Action], size: int, *, selector: bool) -> None:
        """actions: all actions of the tables with this profile. selector: whether the profile has groups."""
        self.name = name
        self.actions = dict(actions)
        self.position = {name: at for at, name in enumerate(self.actions)}
        """The number by which a row names an action."""
        self.size = size
        self.selector = selector
        self.members: dict[int, ActionCall] = {}
        self.groups: dict[int, tuple[int, ...]] = {}
        """The members of each group. A member that is listed n times gets n shares of the packets."""
        self._rows: dict[int, int] = {}
        self._free: list[int] = []
        self._slots: dict[int, int] = {}
        self._free_slots: list[int] = []
        self._users: Counter[Member | Group] = Counter()
        words = PARAMETERS + parameter_words(self.actions.values())
        self.rows: NDArray[np.uint64] = zeros((size, words), np.uint64)
        """(size, words): members, laid out like rows of tables."""
        self.index: NDArray[np.int32] = np.zeros((0, 2), dtype=np.int32)
        """(groups, 2): where a group's members begin in `choices`, and their number."""
        self.choices: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """(n,): the rows of all groups' members."""
        self._stale = False

    def add_member(self, number: int, action: str, parameters: tuple[int, ...] = ()) -> None:
        """Adds a member. DUPLICATE, FULL, UNKNOWN_ACTION, PARAMETER_COUNT, PARAMETER_VALUE."""
        check_call(self.name, self.actions, action, parameters)
        if number in self.members:
            raise TableError(TableErrorKind.DUPLICATE, f"{self.name} already has a member {number}")
        if len(self.members) == self.size:
            raise TableError(TableErrorKind.FULL, f"{self.name} has room for {self.size} members only")
        self._rows[number] = heappop(self._free) if self._free else len(self._rows)
        self._write(number, ActionCall(action, tuple(parameters)))

    def modify_member(self, number: int, action: str, parameters: tuple[int, ...] = ()) -> None:
        """Replaces a member's action. NOT_FOUND, UNKNOWN_ACTION, PARAMETER_COUNT, PARAMETER_VALUE."""
        check_call(self.name, self.actions, action, parameters)
        self._known(Member(number))
        self._write(number, ActionCall(action, tuple(parameters)))

    def delete_member(self, number: int) -> None:
        """Removes a member. NOT_FOUND; IN_USE: an entry or a group uses it."""
        self._known(Member(number))
        if self._users[Member(number)] or any(number in members for members in self.groups.values()):
            raise TableError(TableErrorKind.IN_USE, f"member {number} of {self.name} is in use")
        del self.members[number]
        heappush(self._free, self._rows.pop(number))

    def add_group(self, number: int, members: Iterable[int] = ()) -> None:
        """Adds a group. DUPLICATE; NOT_FOUND: there is no such member."""
        if number in self.groups:
            raise TableError(TableErrorKind.DUPLICATE, f"{self.name} already has a group {number}")
        self._set_group(number, tuple(members))
        self._slots[number] = self._free_slots.pop() if self._free_slots else len(self._slots)

    def modify_group(self, number: int, members: Iterable[int]) -> None:
        """Replaces a group's members. NOT_FOUND: there is no such group or member."""
        self._known(Group(number))
        self._set_group(number, tuple(members))

    def delete_group(self, number: int) -> None:
        """Removes a group. NOT_FOUND; IN_USE: an entry uses it."""
        self._known(Group(number))
        if self._users[Group(number)]:
            raise TableError(TableErrorKind.IN_USE, f"group {number} of {self.name} is in use")
        del self.groups[number]
        self._free_slots.append(self._slots.pop(number))
        self._stale = True

    def reference(self, target: Member | Group) -> int:
        """The number by which a table's row names a target: a member's row, or ~ a group's place in `index`.
        NOT_FOUND."""
        self._known(target)
        return self._rows[target.number] if isinstance(target, Member) else ~self._slots[target.number]

    def hold(self, target: Member | Group) -> None:
        """Counts one more entry that uses the target."""
        self._users[target] += 1

    def release(self, target: Member | Group) -> None:
        """Counts one entry less that uses the target."""
        self._users[target] -= 1

    def lay_out(self) -> None:
        """Rebuilds `index` and `choices` as new arrays."""
        if not self._stale:
            return
        self._stale = False
        self.index = np.zeros((max(self._slots.values(), default=-1) + 1, 2), dtype=np.int32)
        choices: list[int] = []
        for number, members in self.groups.items():
            self.index[self._slots[number]] = len(choices), len(members)
            choices += [self._rows[member] for member in self._ordered(members)]
        self.choices = np.array(choices, dtype=np.int32)

    def group_in(self, slot: int) -> tuple[int, list[int]]:
        """The number of the group in a place of `index`, and its members in the order of `choices`."""
        number = next(number for number, at in self._slots.items() if at == slot)
        return number, self._ordered(self.groups[number])

    def _ordered(self, members: Iterable[int]) -> list[int]:
        # BMv2 orders them by handle, and assigns handles like rows here: the lowest free one first.
        return sorted(members, key=self._rows.__getitem__)

    def _known(self, target: Member | Group) -> None:
        if target.number not in (self.members if isinstance(target, Member) else self.groups):
            what = "member" if isinstance(target, Member) else "group"
            raise TableError(TableErrorKind.NOT_FOUND, f"{self.name} has no {what} {target.number}")

    def _set_group(self, number: int, members: tuple[int, ...]) -> None:
        for member in members:
            self._known(Member(member))
        self.groups[number] = members
        self._stale = True

    def _write(self, number: int, call: ActionCall) -> None:
        self.members[number] = call
        action = self.actions[call.action]
        put_call(self.rows[self._rows[number]], action, self.position[call.action], call.parameters)
