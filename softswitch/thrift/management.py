"""The functions of BMv2's Thrift service "standard" for the switch itself: its ports, and exchanging its program."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.server import Declined
from dropzero.softswitch.thrift.wire import STRUCT, Value, boolean, i32, i64, mapping, record, sequence, string

ONGOING_SWAP, NO_ONGOING_SWAP = 2, 3

Ports = Callable[[], Iterable[tuple[int, str]]]


class Management:
    """The service's functions that need no program. ports: the switch's ports, as (number, interface). thrift_port:
    the port of the Thrift server."""

    prefixes = ("bm_mgmt_", "bm_dev_mgr_", "bm_load_", "bm_swap_")
    needs_engine = False

    def __init__(self, switch: Switch, replication: Replication, ports: Ports, thrift_port: int) -> None:
        self._switch = switch
        self._replication = replication
        self._ports = ports
        self._thrift_port = thrift_port

    def bm_mgmt_get_info(self) -> Value:
        return record({1: i64(self._switch.device_id), 2: i32(self._thrift_port), 3: string("")})

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
                for number, interface in self._ports()
            ],
        )
