"""The verbs for tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dropzero.softswitch.program.model import Action, TableDeclaration
from dropzero.softswitch.runtime_cli.arguments import (
    Match,
    at_least,
    colons,
    data,
    integer,
    matched,
    parameters,
)
from dropzero.softswitch.runtime_cli.declarations import Wrong, described, key_name, signature
from dropzero.softswitch.runtime_cli.profiles import ProfileVerbs, show_call
from dropzero.softswitch.runtime_cli.verbs import INTEGERS, LINE, STARS
from dropzero.softswitch.thrift.wire import Value, boolean, i32, record, string

NOTHING, ACTION_DATA, MEMBER, GROUP = range(4)
NO_PRIORITY = "Table is ternary, but could not extract a valid priority from args"


class TableVerbs(ProfileVerbs):
    def do_show_tables(self) -> None:
        """List the program's tables: show_tables"""
        for table in self._declared.tables.sorted():
            print(described(table))

    def do_show_actions(self) -> None:
        """List the program's actions: show_actions"""
        for action in self._declared.actions.sorted():
            print(signature(action))

    def do_table_show_actions(self, table: TableDeclaration) -> None:
        """List a table's actions: table_show_actions <table name>"""
        self._show_actions(table)

    def do_table_info(self, table: TableDeclaration) -> None:
        """Show a table's declaration: table_info <table name>"""
        print(described(table))
        print("*" * 80)
        self._show_actions(table)

    def _show_actions(self, table: TableDeclaration) -> None:
        for action in sorted(table.actions, key=lambda each: each.name):
            print(signature(action))

    def do_table_set_default(self, table: TableDeclaration, name: str, *words: str) -> None:
        """Set a table's default action: table_set_default <table name> <action name> <action parameters>"""
        values = parameters(action := self._action(table, name), words)
        print("Setting default action of", self.words[0])
        _show_action(name, values)
        self._call("bm_mt_set_default_action", string(table.name), string(action.name), data(values))

    def do_table_reset_default(self, table: TableDeclaration) -> None:
        """Set a table's default action as in the program: table_reset_default <table name>"""
        self._call("bm_mt_reset_default_entry", string(table.name))

    def do_table_indirect_set_default(self, indirect: TableDeclaration, handle: int) -> None:
        """Set an indirect table's default member: table_indirect_set_default <table name> <member handle>"""
        self._call("bm_mt_indirect_set_default_member", string(indirect.name), i32(handle))

    def do_table_indirect_set_default_with_group(self, grouped: TableDeclaration, handle: int) -> None:
        """Set an indirect table's default group: table_indirect_set_default_with_group <table name> <group handle>"""
        self._call("bm_mt_indirect_ws_set_default_group", string(grouped.name), i32(handle))

    def do_table_indirect_reset_default(self, indirect: TableDeclaration) -> None:
        """Set an indirect table's default as in the program: table_indirect_reset_default <table name>"""
        self._call("bm_mt_indirect_reset_default_entry", string(indirect.name))

    def do_table_num_entries(self, table: TableDeclaration) -> None:
        """Print how many entries a table has: table_num_entries <table name>"""
        print(self._call("bm_mt_get_num_entries", string(table.name)))

    def do_table_clear(self, table: TableDeclaration) -> None:
        """Delete all entries of a table, but keep its default: table_clear <table name>"""
        self._call("bm_mt_clear_entries", string(table.name), boolean(False))

    def do_table_add(self, line: str) -> None:
        """Add an entry: table_add <table name> <action name> <match fields> => <action parameters> [priority]"""
        words = self.words = at_least(line, 3)
        table = self._declared.tables[words[0]]
        action = self._action(table, words[1])
        options = _options(table, words)
        arrow = words.index("=>", 2) if "=>" in words[2:] else len(words)
        _require_keys(table, words[0], words[2:arrow])
        values = parameters(action, words[arrow + 1 :])
        match = Match(table, words[2:arrow])
        print("Adding entry to", table.kind, "match table", words[0])
        print(f"{'match key:':20} {match.text}")
        _show_action(words[1], values)
        call = string(table.name), match.value, string(action.name), data(values), options
        print("Entry has been added with handle", self._call("bm_mt_add_entry", *call))

    def do_table_modify(self, table: TableDeclaration, name: str, number: str, *words: str) -> None:
        """Change an entry's action: table_modify <table name> <action name> <entry handle> [action parameters]"""
        action = self._action(table, name)
        handle = integer(number, INTEGERS["entry"])
        values = parameters(action, words[1:] if words[:1] == ("=>",) else words)
        print("Modifying entry", handle, "for", table.kind, "match table", self.words[0])
        self._call("bm_mt_modify_entry", string(table.name), i32(handle), string(action.name), data(values))

    def do_table_delete(self, table: TableDeclaration, entry: int) -> None:
        """Delete an entry: table_delete <table name> <entry handle>"""
        self._delete(table, entry, "bm_mt_delete_entry")

    def do_table_indirect_delete(self, indirect: TableDeclaration, entry: int) -> None:
        """Delete an entry of an indirect table: table_indirect_delete <table name> <entry handle>"""
        self._delete(indirect, entry, "bm_mt_indirect_delete_entry")

    def _delete(self, table: TableDeclaration, entry: int, function: str) -> None:
        print("Deleting entry", entry, "from", self.words[0])
        self._call(function, string(table.name), i32(entry))

    def do_table_set_timeout(self, table: TableDeclaration, number: str, milliseconds: str) -> None:
        """Set an entry's idle timeout: table_set_timeout <table name> <entry handle> <milliseconds>"""
        if not table.idle_timeout:
            raise Wrong(f"Table {self.words[0]} does not support entry timeouts")
        handle, timeout = integer(number, INTEGERS["entry"]), integer(milliseconds, "Bad format for timeout")
        print("Setting a", timeout, "ms timeout for entry", handle)
        self._call("bm_mt_set_entry_ttl", string(table.name), i32(handle), i32(timeout))

    def do_table_indirect_add(self, line: str) -> None:
        """Add an entry with a member: table_indirect_add <table name> <match fields> => <member handle> [priority]"""
        self._add_indirect(line, "bm_mt_indirect_add_entry")

    def do_table_indirect_add_with_group(self, line: str) -> None:
        """Add an entry with a group: table_indirect_add_with_group <table name> <match fields> => <group handle>
        [priority]"""
        self._add_indirect(line, "bm_mt_indirect_ws_add_entry")

    def _add_indirect(self, line: str, function: str) -> None:
        words = at_least(line, 2)
        table = self._declared.tables[words[0]]
        self._profile_of(table, selecting="_ws_" in function)
        options = _options(table, words)
        if words[-2] != "=>":
            raise Wrong("Invalid arguments, could not find handle")
        handle = integer(words[-1], "Bad format for handle")
        _require_keys(table, words[0], words[1:-2])
        match = Match(table, words[1:-2])
        print("Adding entry to indirect match table", table.name)
        added = self._call(function, string(table.name), match.value, i32(handle), options)
        print("Entry has been added with handle", added)

    def do_table_dump_entry(self, table: TableDeclaration, entry: int) -> None:
        """Show an entry: table_dump_entry <table name> <entry handle>"""
        _show_entry(table, self._call("bm_mt_get_entry", string(table.name), i32(entry)))

    def do_table_dump_entry_from_key(self, line: str) -> None:
        """Show the entry with a key: table_dump_entry_from_key <table name> <match fields> [priority]"""
        words = at_least(line, 1)
        table = self._declared.tables[words[0]]
        options = _options(table, words)
        _require_keys(table, words[0], words[1:])
        match = Match(table, words[1:])
        _show_entry(table, self._call("bm_mt_get_entry_from_key", string(table.name), match.value, options))

    def do_table_dump(self, table: TableDeclaration) -> None:
        """Show all entries of a table, and its default: table_dump <table name>"""
        print(LINE)
        print("TABLE ENTRIES")
        for entry in self._call("bm_mt_get_entries", string(table.name)):
            print(STARS)
            _show_entry(table, entry)
        if table.profile is not None:
            self._dump(self._declared.profiles.all[table.profile])
        default = self._call("bm_mt_get_default_entry", string(table.name))
        print(LINE)
        print("Dumping default entry")
        _show_target(default)
        print(LINE)

    def _action(self, table: TableDeclaration, name: str) -> Action:
        action = self._declared.actions.find(name, {each.name for each in table.actions})
        if action is None:
            raise Wrong(f"Table {self.words[0]} has no action {name}")
        return action


def _options(table: TableDeclaration, words: list[str]) -> Value:
    """Pops the priority from the words if the table has priorities. Returns BmAddEntryOptions."""
    return record({1: i32(integer(words.pop(), NO_PRIORITY) if table.prioritized else 0)})


def _require_keys(table: TableDeclaration, name: str, words: Sequence[str]) -> None:
    if len(words) != len(table.keys):
        raise Wrong(f"Table {name} needs {len(table.keys)} key fields")


def _show_action(name: str, values: Sequence[bytes]) -> None:
    print(f"{'action:':20} {name}")
    print(f"{'runtime data:':20} {chr(9).join(map(colons, values))}")


def _show_entry(table: TableDeclaration, entry: dict[int, Any]) -> None:
    print("Dumping entry", hex(entry[3]))
    print("Match key:")
    width = max([20, *(len(key_name(key)) for key in table.keys)])
    for key, part in zip(table.keys, entry[1], strict=True):
        print(f"* {key_name(key):{width}}: {key.kind.upper():10}{matched(key.kind, part)}")
    if (priority := entry[2].get(1, -1)) >= 0:
        print(f"Priority: {priority}")
    _show_target(entry[4])
    if 5 in entry:
        print(f"Life: {entry[5][2]}ms since hit, timeout is {entry[5][1]}ms")


def _show_target(target: dict[int, Any]) -> None:
    match target[1]:
        case value if value == NOTHING:
            print("EMPTY")
        case value if value == ACTION_DATA:
            show_call(target[2], target[3])
        case value:
            print(f"Index: {'member' if value == MEMBER else 'group'}({target[4 if value == MEMBER else 5]})")
