"""The verbs for action profiles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from dropzero.softswitch.program.model import Action, ProfileDeclaration
from dropzero.softswitch.runtime_cli.arguments import at_least, data, integer, parameters
from dropzero.softswitch.runtime_cli.declarations import Wrong
from dropzero.softswitch.runtime_cli.verbs import INTEGERS, LINE, STARS, Verbs
from dropzero.softswitch.thrift.wire import i32, string

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

    def do_act_prof_create_member(self, profile: ProfileDeclaration, name: str, *parameters: str) -> None:
        """Add a member: act_prof_create_member <action profile name> <action name> [action parameters]"""
        action = self._member_action(profile, name)
        made = self._call("bm_mt_act_prof_add_member", *_call(profile, action, parameters))
        print("Member has been created with handle", made)

    def do_act_prof_modify_member(self, profile: ProfileDeclaration, name: str, number: str, *words: str) -> None:
        """Change a member's action: act_prof_modify_member <action profile name> <action name> <member handle>
        [action parameters]"""
        action = self._member_action(profile, name)
        member = integer(number, INTEGERS["member"])
        owner, *call = _call(profile, action, words[1:] if words[:1] == ("=>",) else words)
        self._call("bm_mt_act_prof_modify_member", owner, i32(member), *call)

    def do_act_prof_delete_member(self, profile: ProfileDeclaration, member: int) -> None:
        """Delete a member: act_prof_delete_member <action profile name> <member handle>"""
        self._call("bm_mt_act_prof_delete_member", string(profile.name), i32(member))

    def do_act_prof_create_group(self, selector: ProfileDeclaration) -> None:
        """Add an empty group: act_prof_create_group <action profile name>"""
        print("Group has been created with handle", self._call("bm_mt_act_prof_create_group", string(selector.name)))

    def do_act_prof_delete_group(self, selector: ProfileDeclaration, group: int) -> None:
        """Delete a group: act_prof_delete_group <action profile name> <group handle>"""
        self._call("bm_mt_act_prof_delete_group", string(selector.name), i32(group))

    def do_act_prof_add_member_to_group(self, selector: ProfileDeclaration, member: int, group: int) -> None:
        """Add a member to a group: act_prof_add_member_to_group <action profile name> <member handle> <group handle>"""
        self._call("bm_mt_act_prof_add_member_to_group", string(selector.name), i32(member), i32(group))

    def do_act_prof_remove_member_from_group(self, selector: ProfileDeclaration, member: int, group: int) -> None:
        """Remove a member from a group: act_prof_remove_member_from_group <action profile name> <member handle>
        <group handle>"""
        self._call("bm_mt_act_prof_remove_member_from_group", string(selector.name), i32(member), i32(group))

    def do_act_prof_dump_member(self, profile: ProfileDeclaration, member: int) -> None:
        """Show a member: act_prof_dump_member <action profile name> <member handle>"""
        _show_member(self._call("bm_mt_act_prof_get_member", string(profile.name), i32(member)))

    def do_act_prof_dump_group(self, profile: ProfileDeclaration, group: int) -> None:
        """Show a group: act_prof_dump_group <action profile name> <group handle>"""
        _show_group(self._call("bm_mt_act_prof_get_group", string(profile.name), i32(group)))

    def do_act_prof_dump(self, profile: ProfileDeclaration) -> None:
        """Show all members and groups: act_prof_dump <action profile name>"""
        self._dump(profile)

    def _dump(self, profile: ProfileDeclaration) -> None:
        members = self._call("bm_mt_act_prof_get_members", string(profile.name))
        print(LINE)
        print("MEMBERS")
        for member in members:
            print(STARS)
            _show_member(member)
        if profile.selector is not None:
            groups = self._call("bm_mt_act_prof_get_groups", string(profile.name))
            print(LINE)
            print("GROUPS")
            for group in groups:
                print(STARS)
                _show_group(group)

    def _member_action(self, profile: ProfileDeclaration, name: str) -> Action:
        action = self._declared.actions.find(name, self._declared.profile_actions(profile.name))
        if action is None:
            raise Wrong(f"Action profile '{self.words[0]}' has no action '{name}'")
        return action


def _call(profile: ProfileDeclaration, action: Action, words: Sequence[str]) -> list[Any]:
    return [string(profile.name), string(action.name), data(parameters(action, words))]


def show_call(action: bytes, values: Sequence[bytes]) -> None:
    print(f"Action entry: {action.decode()} - {', '.join(value.hex() for value in values)}")


def _show_member(member: dict[int, Any]) -> None:
    print("Dumping member", member[1])
    show_call(member[2], member[3])


def _show_group(group: dict[int, Any]) -> None:
    print("Dumping group", group[1])
    print(f"Members: [{', '.join(map(str, group[2]))}]")
