"""The command simple_switch_CLI."""

from __future__ import annotations

import hashlib
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from dropzero.softswitch.runtime_cli.arrays import ArrayVerbs
from dropzero.softswitch.runtime_cli.connection import Connection, Refused
from dropzero.softswitch.runtime_cli.declarations import Declarations, Wrong, read
from dropzero.softswitch.runtime_cli.management import ManagementVerbs
from dropzero.softswitch.runtime_cli.replication import ReplicationVerbs
from dropzero.softswitch.runtime_cli.tables import TableVerbs
from dropzero.softswitch.thrift.wire import Malformed


class RuntimeCli(TableVerbs, ArrayVerbs, ReplicationVerbs, ManagementVerbs):
    prompt = "RuntimeCmd: "
    intro = "Control utility for runtime P4 table manipulation"

    def onecmd(self, line: str) -> Any:
        try:
            return super().onecmd(line)
        except (Wrong, Refused) as error:
            print(error)
        except OverflowError:
            print("Error: a number is out of range")
        return False

    def emptyline(self) -> bool:
        """Does nothing, where Cmd repeats the last verb."""
        return False

    def completedefault(self, text: str, line: str, *_: int) -> list[str]:
        """Completes the name of a table and then of its action, or of the object that the verb takes."""
        verb, *words = line.split()
        declared = self._declared
        kinds: dict[str, Any] = {
            "counter": declared.counters,
            "meter": declared.meters,
            "register": declared.registers,
            "act": declared.profiles,
            "pvs": declared.value_sets,
            "table": declared.tables,
        }
        names = kinds.get(verb.split("_")[0])
        if names is None:
            return []
        possible = names.all
        if len(words) - bool(text):
            actions = [each.name for each in getattr(names.all.get(words[0]), "actions", ())]
            possible = declared.profile_actions(words[0]) if names is declared.profiles else actions
        return sorted(name for name in possible if name.startswith(text))

    def do_EOF(self, line: str) -> bool:  # noqa: N802
        """Leave: Ctrl-D"""
        print()
        return True


def main() -> None:
    parser = ArgumentParser(prog="simple_switch_CLI", description="Control a switch over its Thrift port.")
    parser.add_argument("--thrift-port", type=int, default=9090, help="the switch's --thrift-port")
    parser.add_argument("--thrift-ip", default="localhost", help="the switch's host")
    parser.add_argument("--json", type=Path, help="the program, if not asked from the switch")
    parser.add_argument("--pre", choices=["None", "SimplePre", "SimplePreLAG"], help="without effect")
    arguments = parser.parse_args()
    try:
        connection = Connection(arguments.thrift_ip, arguments.thrift_port)
    except OSError:
        print(f"Could not connect to thrift client on port {arguments.thrift_port}")
        print("Make sure the switch is running and that you have the right port")
        sys.exit(1)
    try:
        RuntimeCli(connection, Declarations(read(_program(connection, arguments.json)))).cmdloop()
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, Malformed, ValueError) as error:
        sys.exit(f"simple_switch_CLI: {str(error) or 'the switch ended the connection'}")


def _program(connection: Connection, file: Path | None) -> str:
    if file is not None:
        content = file.read_bytes()
        own = hashlib.md5(content, usedforsecurity=False).digest()
        theirs = connection.call("standard", "bm_get_config_md5")
        if own != theirs:
            print(f"WARNING: the switch runs another program than {file} (md5 {theirs.hex()}, not {own.hex()})")
        return content.decode()
    print("Obtaining JSON from switch...")
    try:
        text: bytes = connection.call("standard", "bm_get_config")
    except Refused as refused:
        print("Error when requesting JSON config from switch")
        sys.exit(str(refused))
    print("Done")
    return text.decode()
