"""The functions of BMv2's Thrift service "standard" for the switch itself: its ports, its program, and replacing it."""

from __future__ import annotations

import hashlib
import logging

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.file_ports import FilePorts
from dropzero.softswitch.ports.port_table import PortTable
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.state.layout import PORT_NUMBERS
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.server import Declined
from dropzero.softswitch.thrift.wire import STRUCT, Value, boolean, i32, i64, mapping, record, sequence, string

log = logging.getLogger(__name__)

ONGOING_SWAP, NO_ONGOING_SWAP = 2, 3
PORT_ERROR = 1
"""The only code of DevMgrErrorCode."""


class Management:
    """Functions that need no program. thrift_port: the port on which the Thrift server listens."""

    prefixes = ("bm_mgmt_", "bm_dev_mgr_", "bm_get_config", "bm_load_", "bm_swap_")
    needs_engine = False

    def __init__(
        self, switch: Switch, replication: Replication, ports: PortTable | FilePorts, thrift_port: int
    ) -> None:
        self._switch = switch
        self._replication = replication
        self._ports = ports
        self._thrift_port = thrift_port

    def bm_mgmt_get_info(self) -> Value:
        return record({1: i64(self._switch.device_id), 2: i32(self._thrift_port), 3: string("")})

    def bm_get_config(self) -> Value:
        return string(self._program)

    def bm_get_config_md5(self) -> Value:
        return string(hashlib.md5(self._program.encode(), usedforsecurity=False).digest())

    @property
    def _program(self) -> str:
        """The JSON of the program that calls address. Without one, an empty object, with which BMv2's CLI starts."""
        engine = self._switch.staged or self._switch.engine
        return "{}" if engine is None else engine.program.text

    def bm_load_new_config(self, program: bytes) -> None:
        """Compiles a program. Packets pass through the old one until bm_swap_configs."""
        if self._switch.staged is not None:
            raise Declined(ONGOING_SWAP)
        self._switch.staged = self._switch.compile(parse_program(program))

    def bm_swap_configs(self) -> None:
        staged = self._switch.staged
        if staged is None:
            raise Declined(NO_ONGOING_SWAP)
        with self._switch.held_engine() as engine:
            if engine is not None:
                self._replication.carry_over(staged)
            self._switch.swap()

    def bm_dev_mgr_show_ports(self) -> Value:
        down = self._switch.ports_down
        return sequence(
            STRUCT,
            [
                record({1: i32(number), 2: string(interface), 3: boolean(number not in down), 4: mapping({})})
                for number, interface in sorted(self._ports.interfaces.items())
            ],
        )

    def bm_dev_mgr_add_port(self, interface: bytes, number: int, capture: bytes = b"") -> None:
        if capture:
            raise ValueError("a port has no captures of its own: start the switch with --pcap")
        if number in self._ports.interfaces or not 0 <= number < PORT_NUMBERS:
            raise Declined(PORT_ERROR)
        try:
            self._ports.add(number, interface.decode())
        except OSError as error:
            log.warning("%s", error.strerror)
            raise Declined(PORT_ERROR) from None

    def bm_dev_mgr_remove_port(self, number: int) -> None:
        try:
            self._ports.remove(number)
        except KeyError:
            raise Declined(PORT_ERROR) from None
