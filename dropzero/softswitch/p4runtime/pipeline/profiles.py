"""Action profiles as clients program them: members and groups by number, or one-shots without numbers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.matches import parameters_of
from dropzero.softswitch.p4runtime.pipeline.p4info import ActionInfo, ProfileInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid, unimplemented
from dropzero.softswitch.state.tables.action_profiles import ActionProfile
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.state.tables.targets import Group

# Above clients' numbers, which have 32 bits.
HIDDEN = 1 << 32
# If P4Info sets no limit: a group has one choice in memory for each unit of weight.
LARGEST = 1 << 16
MIXED = "Invalid attempt to mix action selector programming modes"


class Profile:
    """One action profile. The caller holds the engine's lock. A method that raises Refusal has changed nothing.

    groups:    number -> the ActionProfileGroup as written, with its members sorted by number
    one_shots: number of its hidden group -> the ActionProfileActionSet
    """

    def __init__(self, info: ProfileInfo, engine: ActionProfile) -> None:
        self.info = info
        self.engine = engine
        self.groups: dict[int, Any] = {}
        self.one_shots: dict[int, Any] = {}
        self._numbers = count(HIDDEN)
        self._parts: dict[int, list[int]] = {}
        self._down: frozenset[int] = frozenset()

    def check_manual(self) -> None:
        """Refuses members and groups in a profile with one-shots."""
        if self.one_shots:
            raise invalid(MIXED)

    def call(self, message: p4runtime_pb2.Action) -> tuple[ActionInfo, tuple[int, ...]]:
        """The action and parameters of a p4.v1.Action."""
        action = self.info.actions.get(message.action_id)
        if action is None:
            raise invalid("Invalid action for action profile")
        return action, parameters_of(action, message)

    def add_member(self, number: int, action: ActionInfo, parameters: tuple[int, ...]) -> None:
        try:
            self.engine.add_member(number, action.name, parameters)
        except TableError as error:
            if error.kind is TableErrorKind.FULL:
                raise Refusal(code_pb2.RESOURCE_EXHAUSTED, "The action profile is full") from None
            raise invalid(str(error)) from None

    def set_group(self, group: p4runtime_pb2.ActionProfileGroup) -> None:
        """Creates or replaces a group."""
        self._check_selects()
        members = _by_number(group)
        self._check_weight(sum(member.weight for member in members), group.max_size)
        kept = p4runtime_pb2.ActionProfileGroup(
            action_profile_id=self.info.id, group_id=group.group_id, max_size=group.max_size
        )
        kept.members.extend(members)
        for member in members:
            if member.member_id not in self.engine.members:
                raise Refusal(code_pb2.NOT_FOUND, f"Member id does not exist: {member.member_id}")
        change = self.engine.modify_group if group.group_id in self.engine.groups else self.engine.add_group
        change(group.group_id, self._up(kept))
        self.groups[group.group_id] = kept

    def watch(self, down: frozenset[int]) -> None:
        """Removes members with a port that is down from their groups, and adds them again when it is up."""
        self._down = down
        for number, group in self.groups.items():
            self.engine.modify_group(number, self._up(group))
        for number, action_set in self.one_shots.items():
            self.engine.modify_group(number, self._parts_up(number, action_set))

    def add_one_shot(self, action_set: p4runtime_pb2.ActionProfileActionSet) -> Group:
        """Makes a one-shot's group."""
        self._check_selects()
        if not self.one_shots and (self.engine.members or self.engine.groups):
            raise invalid(MIXED)
        actions = action_set.action_profile_actions
        if not actions:
            raise unimplemented("No support for empty action profile groups")
        calls = [self.call(each.action) for each in actions]
        if any(each.weight <= 0 for each in actions):
            raise invalid("Member weight must be a positive integer value")
        if 0 < self.info.largest < sum(each.weight for each in actions):
            raise Refusal(code_pb2.RESOURCE_EXHAUSTED, "Sum of weights exceeds static max_group_size (from P4Info)")
        self._check_weight(sum(each.weight for each in actions), 0)
        group, parts = next(self._numbers), []
        try:
            for action, parameters in calls:
                parts.append(next(self._numbers))
                self.add_member(parts[-1], action, parameters)
        except Refusal:
            for part in parts[:-1]:
                self.engine.delete_member(part)
            raise
        self._parts[group] = parts
        self.engine.add_group(group, self._parts_up(group, action_set))
        self.one_shots[group] = p4runtime_pb2.ActionProfileActionSet()
        self.one_shots[group].CopyFrom(action_set)
        return Group(group)

    def delete_one_shot(self, group: Group) -> None:
        """Removes the group of a one-shot that no entry uses any more."""
        del self.one_shots[group.number]
        self.engine.delete_group(group.number)
        for part in self._parts.pop(group.number):
            self.engine.delete_member(part)

    def take(self, old: Profile) -> None:
        """Takes over the members and groups of another profile with the same name. Raises TableError."""
        for number, call in old.engine.members.items():
            self.engine.add_member(number, call.action, call.parameters)
        for number, members in old.engine.groups.items():
            self.engine.add_group(number, members)
        self.groups.update(old.groups)
        self.one_shots.update(old.one_shots)
        self._parts.update(old._parts)
        self._numbers = old._numbers
        self._down = old._down

    def _up(self, group: p4runtime_pb2.ActionProfileGroup) -> list[int]:
        """The members of a group whose ports are up, each repeated by its weight."""
        return self._weighted((member.member_id, member) for member in group.members)

    def _parts_up(self, number: int, action_set: p4runtime_pb2.ActionProfileActionSet) -> list[int]:
        """The actions of a one-shot whose ports are up, each repeated by its weight."""
        return self._weighted(zip(self._parts[number], action_set.action_profile_actions, strict=True))

    def _weighted(self, members: Iterable[tuple[int, Any]]) -> list[int]:
        return [number for number, member in members if _port(member) not in self._down for _ in range(member.weight)]

    def _check_selects(self) -> None:
        if not self.info.selects:
            raise invalid(f"Action profile {self.info.name!r} has no selector, so it has no groups")

    def _check_weight(self, weight: int, size: int) -> None:
        largest = size or self.info.largest or LARGEST
        if weight > largest:
            raise Refusal(code_pb2.RESOURCE_EXHAUSTED, "Sum of member weights exceeds maximum group size")


def _by_number(group: p4runtime_pb2.ActionProfileGroup) -> list[Any]:
    """A group's members, sorted by number."""
    if any(member.weight <= 0 for member in group.members):
        raise invalid("Member weight must be a positive integer value")
    numbers: set[int] = set()
    for member in group.members:
        if member.member_id in numbers:
            raise invalid(f"Duplicate member id {member.member_id} for group {group.group_id}, use weights instead")
        numbers.add(member.member_id)
    return sorted(group.members, key=lambda member: int(member.member_id))


def _port(member: Any) -> int | None:
    """The port that a member, or an action of a one-shot, watches."""
    match member.WhichOneof("watch_kind"):
        case "watch":
            return int(member.watch)
        case "watch_port":
            return int.from_bytes(member.watch_port, "big")
        case _:
            return None
