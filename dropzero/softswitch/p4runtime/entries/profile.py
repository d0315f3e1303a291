"""ActionProfileMember and ActionProfileGroup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.matches import fill_call
from dropzero.softswitch.p4runtime.pipeline.profiles import Profile
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid
from dropzero.softswitch.state.tables.table_error import TableError


def write_member(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.ActionProfileMember) -> None:
    profile = _profile(pipeline, entry.action_profile_id)
    profile.check_manual()
    with pipeline.engine.lock:
        if kind == p4runtime_pb2.Update.DELETE:
            _check_member(profile, entry.member_id)
            _delete(lambda: profile.engine.delete_member(entry.member_id), "member")
            return
        if entry.action.action_id not in pipeline.p4info.actions:
            raise invalid("Invalid P4 id")
        action, parameters = profile.call(entry.action)
        if kind == p4runtime_pb2.Update.MODIFY:
            _check_member(profile, entry.member_id)
            profile.engine.modify_member(entry.member_id, action.name, parameters)
            return
        if entry.member_id in profile.engine.members:
            raise Refusal(code_pb2.ALREADY_EXISTS, f"Duplicate member id: {entry.member_id}")
        profile.add_member(entry.member_id, action, parameters)


def write_group(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.ActionProfileGroup) -> None:
    profile = _profile(pipeline, entry.action_profile_id)
    profile.check_manual()
    number = entry.group_id
    with pipeline.engine.lock:
        if kind == p4runtime_pb2.Update.INSERT:
            if entry.max_size < 0:
                raise invalid("Group max_size cannot be less than 0")
            if 0 < profile.info.largest < entry.max_size:
                raise invalid("Group max_size cannot exceed static max_group_size (from P4Info)")
            if number in profile.groups:
                raise Refusal(code_pb2.ALREADY_EXISTS, f"Duplicate group id: {number}")
            profile.set_group(entry)
            return
        if number not in profile.groups:
            raise Refusal(code_pb2.NOT_FOUND, f"Group id does not exist: {number}")
        if kind == p4runtime_pb2.Update.MODIFY:
            if entry.max_size not in (0, profile.groups[number].max_size):
                raise invalid("Cannot change group max_size after group creation")
            group = p4runtime_pb2.ActionProfileGroup()
            group.CopyFrom(entry)
            group.max_size = profile.groups[number].max_size
            profile.set_group(group)
        else:
            _delete(lambda: profile.engine.delete_group(number), "group")
            del profile.groups[number]


def read_members(pipeline: Pipeline, entry: p4runtime_pb2.ActionProfileMember) -> Iterator[p4runtime_pb2.Entity]:
    """Yields one member, a profile's members (member id 0), or (profile id 0) those of all profiles."""
    for profile in _asked(pipeline, entry.action_profile_id):
        actions = {action.name: action for action in profile.info.actions.values()}
        for number, call in list(profile.engine.members.items()):
            if entry.member_id not in (0, number):
                continue
            entity = p4runtime_pb2.Entity()
            member = entity.action_profile_member
            member.action_profile_id = profile.info.id
            member.member_id = number
            fill_call(member.action, actions[call.action], call.parameters)
            yield entity


def read_groups(pipeline: Pipeline, entry: p4runtime_pb2.ActionProfileGroup) -> Iterator[p4runtime_pb2.Entity]:
    """Yields one group, a profile's groups (group id 0), or (profile id 0) those of all profiles."""
    for profile in _asked(pipeline, entry.action_profile_id):
        for number, group in list(profile.groups.items()):
            if entry.group_id in (0, number):
                entity = p4runtime_pb2.Entity()
                entity.action_profile_group.CopyFrom(group)
                yield entity


def _asked(pipeline: Pipeline, id: int) -> list[Profile]:
    """The profiles that a read selects. Profiles with one-shots show no members or groups."""
    if not id:
        return [profile for profile in pipeline.profiles.values() if not profile.one_shots]
    profile = _profile(pipeline, id)
    profile.check_manual()
    return [profile]


def _profile(pipeline: Pipeline, id: int) -> Profile:
    return pipeline.profiles[pipeline.p4info.profiles[id].id]


def _check_member(profile: Profile, number: int) -> None:
    if number not in profile.engine.members:
        raise Refusal(code_pb2.NOT_FOUND, f"Member id does not exist: {number}")


def _delete(delete: Any, what: str) -> None:
    try:
        delete()
    except TableError:
        raise Refusal(code_pb2.FAILED_PRECONDITION, f"The {what} is in use") from None
