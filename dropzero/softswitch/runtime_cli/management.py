"""The verbs for ports, the program, custom CRCs and the switch itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dropzero.softswitch.program.model import UnsupportedProgram
from dropzero.softswitch.runtime_cli.arguments import exactly
from dropzero.softswitch.runtime_cli.declarations import Declarations, Wrong, read
from dropzero.softswitch.runtime_cli.verbs import CONTEXT, Verbs
from dropzero.softswitch.thrift.wire import I16, Value, boolean, i32, record, string

INFO = ("device_id", "thrift_port", "notifications_socket", "elogger_socket", "debugger_socket")


class ManagementVerbs(Verbs):
    def do_port_add(self, interface: str, port: int, *capture: str) -> None:
        """Add a port: port_add <interface> <port> [file for a capture]"""
        self._standard("bm_dev_mgr_add_port", string(interface), i32(port), string("".join(capture[:1])))

    def do_port_remove(self, port: int) -> None:
        """Remove a port: port_remove <port>"""
        self._standard("bm_dev_mgr_remove_port", i32(port))

    def do_show_ports(self) -> None:
        """List the switch's ports: show_ports"""
        ports = self._standard("bm_dev_mgr_show_ports")
        print(f"{'port #':^10}{'iface name':^20}{'status':^10}extra info")
        print("=" * 50)
        for port in ports:
            extra = "; ".join(f"{name.decode()}={value.decode()}" for name, value in port.get(4, []))
            print(f"{port[1]:^10}{port[2].decode():^20}{'UP' if port[3] else 'DOWN':^10}{extra}")

    def do_switch_info(self) -> None:
        """Show the switch's numbers and addresses: switch_info"""
        info = self._standard("bm_mgmt_get_info")
        for number, name in enumerate(INFO, 1):
            value = info.get(number)
            print(f"{name:25}: {value.decode() if isinstance(value, bytes) else value}")

    def do_load_new_config_file(self, path: str) -> None:
        """Load a program, which swap_configs starts: load_new_config_file <JSON file>"""
        file = Path(path)
        if not file.is_file():
            raise Wrong("Not a valid filename")
        print("Loading new Json config")
        try:
            text = file.read_text()
            declarations = Declarations(read(text))
        except UnsupportedProgram as error:
            raise Wrong(str(error)) from None
        except ValueError:
            raise Wrong("Not a valid JSON file") from None
        self._standard("bm_load_new_config", string(text))
        self._declared = declarations

    def do_swap_configs(self, line: str) -> None:
        """Run the program that load_new_config_file loaded: swap_configs"""
        print("Swapping configs")
        self._standard("bm_swap_configs")

    def do_write_config_to_file(self, path: str) -> None:
        """Write the switch's program to a file: write_config_to_file <file>"""
        program = self._standard("bm_get_config")
        try:
            Path(path).write_bytes(program)
        except OSError as error:
            raise Wrong(f"{path}: {error.strerror}") from None

    def do_reset_state(self) -> None:
        """Delete entries, groups and values, but not the program: reset_state"""
        self._standard("bm_reset_state")

    def do_set_crc16_parameters(self, line: str) -> None:
        """Set a custom CRC: set_crc16_parameters <name> <polynomial> <initial remainder> <final xor value>
        <reflect data?> <reflect remainder?>"""
        self._set_crc(line, 16)

    def do_set_crc32_parameters(self, line: str) -> None:
        """Set a custom CRC: set_crc32_parameters <name> <polynomial> <initial remainder> <final xor value>
        <reflect data?> <reflect remainder?>"""
        self._set_crc(line, 32)

    def do_shell(self, line: str) -> None:
        """Run a shell command: shell <command>"""
        with os.popen(line) as output:
            print(output.read())

    def _set_crc(self, line: str, width: int) -> None:
        name, *words = exactly(line, 6)
        if self._declared.calculations.get(name) != f"crc{width}_custom":
            raise Wrong(f"Invalid crc{width}_custom name ({name})")
        numbers = [_signed(word, width) for word in words[:3]]
        flags = [boolean(_flag(word)) for word in words[3:]]
        config = record(dict(enumerate([*numbers, *flags], 1)))
        self._call(f"bm_set_crc{width}_custom_parameters", string(name), config)

    def _standard(self, function: str, *arguments: Value) -> Any:
        """Calls a function without the argument `cxt_id`."""
        return self._connection.call("standard", function, *arguments)


def _signed(word: str, width: int) -> Value:
    """Encodes a number of `width` bits. Thrift's numbers are signed."""
    try:
        value = int(word, 0)
    except ValueError:
        raise Wrong("Bad format for a CRC parameter, expected integer") from None
    if not 0 <= value < 1 << width:
        raise Wrong(f"Integer cannot fit within {width} bits")
    content = value.to_bytes(width // 8, "big")
    return Value(I16 if width == 16 else CONTEXT.kind, content)


def _flag(word: str) -> bool:
    if word in ("true", "True", "false", "False"):
        return word.lower() == "true"
    try:
        return bool(int(word, 0))
    except ValueError:
        raise Wrong("Invalid bool parameter") from None
