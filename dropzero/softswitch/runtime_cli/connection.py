"""A connection to a switch's Thrift port."""

from __future__ import annotations

import socket
from typing import Any

from dropzero.softswitch.thrift.wire import CALL, EXCEPTION, Message, Value, message, read_message

TABLE = (
    "TABLE_FULL INVALID_HANDLE EXPIRED_HANDLE COUNTERS_DISABLED METERS_DISABLED AGEING_DISABLED INVALID_TABLE_NAME "
    "INVALID_ACTION_NAME WRONG_TABLE_TYPE INVALID_MBR_HANDLE MBR_STILL_USED MBR_ALREADY_IN_GRP MBR_NOT_IN_GRP "
    "INVALID_GRP_HANDLE GRP_STILL_USED EMPTY_GRP DUPLICATE_ENTRY BAD_MATCH_KEY INVALID_METER_OPERATION "
    "DEFAULT_ACTION_IS_CONST DEFAULT_ENTRY_IS_CONST NO_DEFAULT_ENTRY INVALID_ACTION_PROFILE_NAME "
    "NO_ACTION_PROFILE_SELECTION IMMUTABLE_TABLE_ENTRIES BAD_ACTION_DATA NO_TABLE_KEY"
)
METER = "INVALID_METER_NAME INVALID_INDEX BAD_RATES_LIST INVALID_INFO_RATE_VALUE INVALID_BURST_SIZE_VALUE"
SWAP = "CONFIG_SWAP_DISABLED ONGOING_SWAP NO_ONGOING_SWAP"
OPERATIONS = {
    "bm_mt_": ("table", TABLE),
    "bm_counter_": ("counter", "INVALID_COUNTER_NAME INVALID_INDEX"),
    "bm_meter_": ("meter", METER),
    "bm_register_": ("register", "INVALID_REGISTER_NAME INVALID_INDEX"),
    "bm_parse_vset_": ("parser value set", "INVALID_PARSE_VSET_NAME"),
    "bm_load_": ("swap", SWAP),
    "bm_swap_": ("swap", SWAP),
    "bm_dev_mgr_": ("device manager", ""),
    "bm_set_crc": ("crc", "INVALID_CALCULATION_NAME WRONG_TYPE_CALCULATION INVALID_CONFIG"),
    "bm_mc_": ("PRE", "TABLE_FULL INVALID_MGID INVALID_MGRP_HANDLE INVALID_L1_HANDLE"),
    "mirroring_": ("mirroring", "SESSION_NOT_FOUND"),
}
"""By prefix of a function's name: the operation that failed, and the names of its error codes from 1 on."""


class Refused(Exception):
    """The switch refused a call. The text is what BMv2's CLI prints."""


class Connection:
    """Raises OSError if it cannot connect."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port))
        # Calls and answers are small packets, which Nagle's algorithm would delay.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")

    def call(self, service: str, function: str, *arguments: Value) -> Any:
        """Calls a function. Returns its result: strings are bytes, structs are dictionaries by field number.

        Raises:
            Refused: the function raised an exception.
            OSError: the connection failed.
            Malformed: the answer is not a Thrift message.
        """
        answer = self.exchange(message(CALL, f"{service}:{function}".encode(), 0, dict(enumerate(arguments, 1))))
        if answer.kind == EXCEPTION:
            raise Refused(f"Error: {answer.fields.get(1, b'the switch gave no reason').decode()}")
        if 1 in answer.fields:
            refusal = answer.fields[1]
            raise Refused(f"Error: {refusal[2].decode()}" if 2 in refusal else _reason(function, refusal[1]))
        return answer.fields.get(0)

    def exchange(self, call: bytes) -> Message:
        """Sends a message. Returns the answer. Raises OSError and Malformed."""
        self._socket.sendall(call)
        return read_message(self._answers)


def _reason(function: str, code: int) -> str:
    kind, names = next(names for prefix, names in OPERATIONS.items() if function.startswith(prefix))
    return f"Invalid {kind} operation ({dict(enumerate(names.split(), 1)).get(code, 'ERROR')})"
