"""The functions of BMv2's Thrift service "standard" for action profiles: members and groups."""

from __future__ import annotations

from typing import Any

from dropzero.softswitch.state.tables.action_profiles import ActionProfile
from dropzero.softswitch.state.tables.table_error import TableErrorKind
from dropzero.softswitch.thrift import errors
from dropzero.softswitch.thrift.engine_service import EngineService
from dropzero.softswitch.thrift.structs import ActionData, encode_group, encode_member, integers
from dropzero.softswitch.thrift.wire import STRUCT, Value, i32, sequence


class Profiles(EngineService):
    prefixes = ("bm_mt_act_prof_",)

    def bm_mt_act_prof_add_member(self, _: int, profile: bytes, action: bytes, data: ActionData) -> Value:
        found = self._profile(profile)
        number = lowest_free(found.members)
        with errors.declining():
            found.add_member(number, action.decode(), integers(data))
        return i32(number)

    def bm_mt_act_prof_modify_member(
        self, _: int, profile: bytes, number: int, action: bytes, data: ActionData
    ) -> None:
        with errors.declining({TableErrorKind.NOT_FOUND: errors.INVALID_MBR_HANDLE}):
            self._profile(profile).modify_member(number, action.decode(), integers(data))

    def bm_mt_act_prof_delete_member(self, _: int, profile: bytes, number: int) -> None:
        with errors.declining({TableErrorKind.NOT_FOUND: errors.INVALID_MBR_HANDLE}):
            self._profile(profile).delete_member(number)

    def bm_mt_act_prof_create_group(self, _: int, profile: bytes) -> Value:
        found = self._profile(profile)
        number = lowest_free(found.groups)
        found.add_group(number)
        return i32(number)

    def bm_mt_act_prof_delete_group(self, _: int, profile: bytes, number: int) -> None:
        with errors.declining(
            {TableErrorKind.NOT_FOUND: errors.INVALID_GRP_HANDLE, TableErrorKind.IN_USE: errors.GRP_STILL_USED}
        ):
            self._profile(profile).delete_group(number)

    def bm_mt_act_prof_add_member_to_group(self, _: int, profile: bytes, member: int, group: int) -> None:
        members = self._group(profile, group)
        errors.require(member not in members, errors.MBR_ALREADY_IN_GRP)
        with errors.declining({TableErrorKind.NOT_FOUND: errors.INVALID_MBR_HANDLE}):
            self._profile(profile).modify_group(group, (*members, member))

    def bm_mt_act_prof_remove_member_from_group(self, _: int, profile: bytes, member: int, group: int) -> None:
        members = self._group(profile, group)
        errors.require(member in members, errors.MBR_NOT_IN_GRP)
        self._profile(profile).modify_group(group, [each for each in members if each != member])

    def bm_mt_act_prof_get_members(self, _: int, profile: bytes) -> Value:
        found = self._profile(profile)
        return sequence(STRUCT, [encode_member(*item) for item in found.members.items()])

    def bm_mt_act_prof_get_member(self, _: int, profile: bytes, number: int) -> Value:
        found = self._profile(profile)
        errors.require(number in found.members, errors.INVALID_MBR_HANDLE)
        return encode_member(number, found.members[number])

    def bm_mt_act_prof_get_groups(self, _: int, profile: bytes) -> Value:
        return sequence(STRUCT, [encode_group(*item) for item in self._profile(profile).groups.items()])

    def bm_mt_act_prof_get_group(self, _: int, profile: bytes, number: int) -> Value:
        return encode_group(number, self._group(profile, number))

    def _profile(self, name: bytes) -> ActionProfile:
        return errors.named(self.engine.action_profiles, name, errors.INVALID_ACTION_PROFILE_NAME)

    def _group(self, profile: bytes, number: int) -> tuple[int, ...]:
        groups = self._profile(profile).groups
        errors.require(number in groups, errors.INVALID_GRP_HANDLE)
        return groups[number]


def lowest_free(used: dict[int, Any]) -> int:
    return next(number for number in range(len(used) + 1) if number not in used)
