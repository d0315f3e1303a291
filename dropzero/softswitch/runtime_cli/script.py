"""Runs a file of simple_switch_CLI's verbs on a switch in this process."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.runtime_cli.cli import RuntimeCli
from dropzero.softswitch.runtime_cli.connection import Connection, Refused
from dropzero.softswitch.runtime_cli.declarations import Declarations, Wrong
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.server import carry_out
from dropzero.softswitch.thrift.services import program_services
from dropzero.softswitch.thrift.wire import Message, read_message


class Script(RuntimeCli):
    """simple_switch_CLI of a switch in this process, which prints nothing. Raises Wrong, Refused, OverflowError."""

    def __init__(self, switch: Switch) -> None:
        assert switch.engine is not None
        super().__init__(_InProcess(switch), Declarations(switch.engine.program))

    def onecmd(self, line: str) -> bool:
        with redirect_stdout(StringIO()):
            return bool(super(RuntimeCli, self).onecmd(line))

    def default(self, line: str) -> None:
        raise Wrong(f"there is no verb {line.split()[0]}")


class _InProcess(Connection):
    """A connection to a switch in this process."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._services = program_services(switch, Replication(switch))

    def exchange(self, call: bytes) -> Message:
        return read_message(BytesIO(carry_out(self._switch, self._services, read_message(BytesIO(call)))))


def run(switch: Switch, path: Path) -> None:
    """Runs the verbs in a file: one in each line; # begins a comment.

    Raises:
        OSError: the file cannot be read.
        ValueError: a verb failed; the message names its line. Later verbs are not run.
    """
    script = Script(switch)
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        verb = line.partition("#")[0].strip()
        if not verb:
            continue
        try:
            script.onecmd(verb)
        except (Wrong, Refused) as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        except OverflowError:
            raise ValueError(f"{path}:{number}: a number is out of range") from None
