"""The base of the classes of verbs: their words, calls of functions, and names of objects."""

from __future__ import annotations

from cmd import Cmd
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from dropzero.softswitch.program.model import ProfileDeclaration, TableDeclaration
from dropzero.softswitch.runtime_cli.arguments import at_least, exactly, integer
from dropzero.softswitch.runtime_cli.connection import Connection
from dropzero.softswitch.runtime_cli.declarations import Declarations, Wrong
from dropzero.softswitch.thrift.wire import Value, i32

CONTEXT = i32(0)
"""The first argument of most functions."""
LINE, STARS = "==========", "**********"
INTEGERS = {
    "index": "Bad format for index",
    "packets": "Bad format for packets",
    "octets": "Bad format for bytes",
    "value": "Bad format for value, must be an integer",
    "entry": "Bad format for entry handle",
    "handle": "Bad format for handle",
    "member": "Bad format for member handle",
    "group": "Bad format for group handle",
    "mgid": "Bad format for multicast group id",
    "node": "Bad format for node handle",
    "rid": "Bad format for rid",
    "port": "Bad format for port_num, must be an integer",
    "session": "Bad format for mirror_id, expected integer",
    "egress_port": "Bad format for egress_port, expected integer",
    "mgrp": "Bad format for mgrp, expected integer",
}
"""The parameters of verbs that are integers, with the complaint about another word."""


def _verb(method: Callable[..., None]) -> Callable[..., None]:
    """Turns a method that takes a line's words into a verb, which takes the line. Raises Wrong."""
    taken = [*signature(method).parameters.values()][1:]
    fixed = [each.name for each in taken if each.kind is not Parameter.VAR_POSITIONAL]

    @wraps(method)
    def verb(self: Verbs, line: str) -> None:
        self.words = (exactly if len(fixed) == len(taken) else at_least)(line, len(fixed))
        method(self, *map(self._read, fixed, self.words), *self.words[len(fixed) :])

    return method if fixed == ["line"] else verb


class Verbs(Cmd):
    """A verb is a method do_VERB; its docstring is the help. Its parameters are the verb's words, read as `_read` says:
    a table, an integer, ... A verb with the one parameter `line` reads its words itself."""

    words: list[str]
    """The verb's words as written."""

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if name.startswith("do_"):
                setattr(cls, name, _verb(method))

    def __init__(self, connection: Connection, declarations: Declarations) -> None:
        super().__init__()
        self._connection = connection
        self._declared = declarations

    def _call(self, function: str, *arguments: Value) -> Any:
        """Calls a function of the service "standard" in context 0."""
        return self._connection.call("standard", function, CONTEXT, *arguments)

    def _read(self, parameter: str, word: str) -> Any:
        """Reads a word as the parameter's name says; as itself, if it says nothing. Raises Wrong."""
        match parameter:
            case "counter" | "meter" | "register" | "value_set" | "profile" | "table":
                return getattr(self._declared, f"{parameter}s")[word]
            case "selector":
                return self._selecting(word)
            case "indirect" | "grouped":
                table = self._declared.tables[word]
                self._profile_of(table, selecting=parameter == "grouped")
                return table
        return integer(word, INTEGERS[parameter]) if parameter in INTEGERS else word

    def _selecting(self, name: str) -> ProfileDeclaration:
        """An action profile with a selector."""
        profile = self._declared.profiles[name]
        if profile.selector is None:
            raise Wrong("Cannot run this command on an action profile without selector")
        return profile

    def _profile_of(self, table: TableDeclaration, *, selecting: bool = False) -> ProfileDeclaration:
        profile = self._declared.profiles.all.get(table.profile or "")
        if profile is None or (selecting and profile.selector is None):
            more = ", or on indirect table with no selector" if selecting else ""
            raise Wrong(f"Cannot run this command on non-indirect table{more}")
        return profile
