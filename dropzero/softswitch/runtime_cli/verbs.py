"""The base of the classes of verbs: calls of functions, and names of objects."""

from __future__ import annotations

from cmd import Cmd
from typing import Any

from dropzero.softswitch.runtime_cli.connection import Connection
from dropzero.softswitch.runtime_cli.declarations import Declarations
from dropzero.softswitch.thrift.wire import Value, i32

CONTEXT = i32(0)
"""The first argument of most functions."""
LINE, STARS = "==========", "**********"


class Verbs(Cmd):
    """A verb is a method do_VERB(line); its docstring is the help."""

    def __init__(self, connection: Connection, declarations: Declarations) -> None:
        super().__init__()
        self._connection = connection
        self._declared = declarations

    def _call(self, function: str, *arguments: Value) -> Any:
        """Calls a function of the service "standard" in context 0."""
        return self._connection.call("standard", function, CONTEXT, *arguments)
