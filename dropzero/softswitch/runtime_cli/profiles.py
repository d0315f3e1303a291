"""The verbs for action profiles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from dropzero.softswitch.program.model import Action
from dropzero.softswitch.runtime_cli.arguments import at_least, data, exactly, integer, parameters
from dropzero.softswitch.runtime_cli.declarations import Profile, Table, Wrong
from dropzero.softswitch.runtime_cli.verbs import LINE, STARS, Verbs
from dropzero.softswitch.thrift.wire import i32, string

MEMBER, GROUP = "Bad format for member handle", "Bad format for group handle"
DEPRECATED = {
    f"table_indirect_{verb}": f"act_prof_{verb}"
    for verb in (
        *("create_member", "delete_member", "modify_member", "create_group", "delete_group"),
        *("add_member_to_group", "remove_member_from_group"),
    )
} | {"table_dump_member": "act_prof_dump_member", "table_dump_group": "act_prof_dump_group"}
"""Verbs of BMv2's old CLI, which name a table instead of its action profile."""


class ProfileVerbs(Verbs):
    def default(self, line: str) -> Any:
        """Runs a verb of BMv2's old CLI, which names a table, by the verb for that table's profile."""
        verb, *words = line.split()
        if verb not in DEPRECATED:
            return super().default(line)
        table = self._declared.tables[at_least(" ".join(words), 1)[0]]
        words[0] = self._profile_of(table, selecting="group" in verb and "dump" not in verb).name
        if "dump" not in verb:
            print(f"This is a deprecated command, use '{DEPRECATED[verb]}' instead", file=sys.stderr)
        return self.onecmd(" ".join([DEPRECATED[verb], *words]))

    def do_act_prof_create_member(self, line: str) -> None:
        """Add a member: act_prof_create_member <action profile name> <action name> [action parameters]"""
        words = at_least(line, 2)
        profile = self._declared.profiles[words[0]]
        action = self._member_action(profile, words)
        made = self._call("bm_mt_act_prof_add_member", *_call(profile, action, words[2:]))
        print("Member has been created with handle", made)

    def do_act_prof_modify_member(self, line: str) -> None:
        """Change a member's action: act_prof_modify_member <action profile name> <action name> <member handle>
        [action parameters]"""
        words = at_least(line, 3)
        profile = self._declared.profiles[words[0]]
        action = self._member_action(profile, words)
        member = integer(words[2], MEMBER)
        name, *call = _call(profile, action, words[4:] if words[3:4] == ["=>"] else words[3:])
        self._call("bm_mt_act_prof_modify_member", name, i32(member), *call)

    def do_act_prof_delete_member(self, line: str) -> None:
        """Delete a member: act_prof_delete_member <action profile name> <member handle>"""
        name, member = exactly(line, 2)
        profile = self._declared.profiles[name]
        self._call("bm_mt_act_prof_delete_member", string(profile.name), i32(integer(member, MEMBER)))

    def do_act_prof_create_group(self, line: str) -> None:
        """Add an empty group: act_prof_create_group <action profile name>"""
        profile = self._selecting(exactly(line, 1)[0])
        print("Group has been created with handle", self._call("bm_mt_act_prof_create_group", string(profile.name)))

    def do_act_prof_delete_group(self, line: str) -> None:
        """Delete a group: act_prof_delete_group <action profile name> <group handle>"""
        name, group = exactly(line, 2)
        profile = self._selecting(name)
        self._call("bm_mt_act_prof_delete_group", string(profile.name), i32(integer(group, GROUP)))

    def do_act_prof_add_member_to_group(self, line: str) -> None:
        """Add a member to a group: act_prof_add_member_to_group <action profile name> <member handle> <group handle>"""
        self._change_group(line, "bm_mt_act_prof_add_member_to_group")

    def do_act_prof_remove_member_from_group(self, line: str) -> None:
        """Remove a member from a group: act_prof_remove_member_from_group <action profile name> <member handle>
        <group handle>"""
        self._change_group(line, "bm_mt_act_prof_remove_member_from_group")

    def _change_group(self, line: str, function: str) -> None:
        name, member, group = exactly(line, 3)
        profile = self._selecting(name)
        self._call(function, string(profile.name), i32(integer(member, MEMBER)), i32(integer(group, GROUP)))

    def do_act_prof_dump_member(self, line: str) -> None:
        """Show a member: act_prof_dump_member <action profile name> <member handle>"""
        name, member = exactly(line, 2)
        profile = self._declared.profiles[name]
        _show_member(self._call("bm_mt_act_prof_get_member", string(profile.name), i32(integer(member, MEMBER))))

    def do_act_prof_dump_group(self, line: str) -> None:
        """Show a group: act_prof_dump_group <action profile name> <group handle>"""
        name, group = exactly(line, 2)
        profile = self._declared.profiles[name]
        _show_group(self._call("bm_mt_act_prof_get_group", string(profile.name), i32(integer(group, GROUP))))

    def do_act_prof_dump(self, line: str) -> None:
        """Show all members and groups: act_prof_dump <action profile name>"""
        self._dump(self._declared.profiles[exactly(line, 1)[0]])

    def _dump(self, profile: Profile) -> None:
        members = self._call("bm_mt_act_prof_get_members", string(profile.name))
        print(LINE)
        print("MEMBERS")
        for member in members:
            print(STARS)
            _show_member(member)
        if profile.selects:
            groups = self._call("bm_mt_act_prof_get_groups", string(profile.name))
            print(LINE)
            print("GROUPS")
            for group in groups:
                print(STARS)
                _show_group(group)

    def _member_action(self, profile: Profile, words: Sequence[str]) -> Action:
        action = self._declared.actions.find(words[1], profile.actions)
        if action is None:
            raise Wrong(f"Action profile '{words[0]}' has no action '{words[1]}'")
        return action

    def _selecting(self, name: str) -> Profile:
        profile = self._declared.profiles[name]
        if not profile.selects:
            raise Wrong("Cannot run this command on an action profile without selector")
        return profile

    @staticmethod
    def _profile_of(table: Table, *, selecting: bool = False) -> Profile:
        if table.profile is None or (selecting and not table.profile.selects):
            more = ", or on indirect table with no selector" if selecting else ""
            raise Wrong(f"Cannot run this command on non-indirect table{more}")
        return table.profile


def _call(profile: Profile, action: Action, words: Sequence[str]) -> list[Any]:
    return [string(profile.name), string(action.name), data(parameters(action, words))]


def show_call(action: bytes, values: Sequence[bytes]) -> None:
    print(f"Action entry: {action.decode()} - {', '.join(value.hex() for value in values)}")


def _show_member(member: dict[int, Any]) -> None:
    print("Dumping member", member[1])
    show_call(member[2], member[3])


def _show_group(group: dict[int, Any]) -> None:
    print("Dumping group", group[1])
    print(f"Members: [{', '.join(map(str, group[2]))}]")
