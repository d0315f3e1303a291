"""The server of BMv2's second control plane, Thrift, for simple_switch_CLI and p4-utils."""

from __future__ import annotations

import logging
import socketserver
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from inspect import Parameter, signature
from typing import Any, Protocol, get_type_hints

from dropzero.json_schema import WrongForm, checked
from dropzero.softswitch.engine.handoff import Drops
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.thrift.wire import (
    CALL,
    EXCEPTION,
    MAX_LENGTH,
    REPLY,
    Malformed,
    Message,
    Value,
    i32,
    message,
    read_message,
    record,
    string,
)

log = logging.getLogger(__name__)

UNKNOWN_METHOD, INTERNAL_ERROR, PROTOCOL_ERROR = 1, 6, 7
MAX_VALUES = 1 << 16
"""Values in a call. Each may take a hundred times as much memory here as in the message."""
MAX_BYTES = 2 * MAX_LENGTH
"""Bytes of a call."""
MAX_CONNECTIONS = 128
"""Each takes a thread and an open file."""
DECLARED = {
    "bm_mt_": 100,
    "bm_counter_": 3,
    "bm_meter_": 6,
    "bm_register_": 3,
    "bm_parse_vset_": 2,
    "bm_learning_": 3,
    "bm_load_": 1,
    "bm_swap_": 1,
    "bm_dev_mgr_": 1,
    "bm_set_crc": 3,
    "bm_set_toeplitz": 3,
    "bm_get_id_": 1,
    "bm_mc_mgrp_": 5,
    "bm_mc_node_": 5,
    "bm_mc_set_lag_": 5,
    "mirroring_session_": 1,
}
"""For functions that declare an exception, by the prefix of their names: its code for other errors. BMv2's CLI handles
no other exception."""


class Declined(Exception):
    """An exception declared by the service's definition. All of BMv2's have only a code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Service(Protocol):
    """Functions of a Thrift service: the methods whose names begin with one of `prefixes`.

    They take the arguments of the service's definition, strings as bytes and structs as dictionaries by field number,
    and return a Value or None. Only one function runs at a time. If the service needs an engine, there is a running or
    a staged one during a call, and the caller holds the running engine's lock.
    """

    @property
    def prefixes(self) -> tuple[str, ...]: ...

    @property
    def needs_engine(self) -> bool: ...


class Thrift:
    """Listens on a TCP port of an address until close(). Raises OSError if it cannot."""

    def __init__(self, address: tuple[str, int], switch: Switch, services: Mapping[str, Sequence[Service]]) -> None:
        try:
            self._server = _Server(address, _Connection)
        except OSError as error:
            ip, port = address
            raise OSError(error.errno, f"--thrift-port {port} of {ip}: {error.strerror}") from None
        self._server.switch = switch
        self._server.services = services
        self._server.calling = threading.Lock()
        self._server.slots = threading.Semaphore(MAX_CONNECTIONS)
        self._server.refused = Drops(f"Thrift connections beyond {MAX_CONNECTIONS} at once")
        self._thread = threading.Thread(target=self._server.serve_forever, name="thrift", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    switch: Switch
    services: Mapping[str, Sequence[Service]]
    calling: threading.Lock
    slots: threading.Semaphore
    refused: Drops

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self.slots.acquire(blocking=False):
            self.refused.add()
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()


class _Connection(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        try:
            while (call := read_message(self.rfile, MAX_VALUES, MAX_BYTES)).kind == CALL:
                with self.server.calling:
                    answer = carry_out(self.server.switch, self.server.services, call)
                self.wfile.write(answer)
        except (Malformed, OSError):
            return


def carry_out(switch: Switch, services: Mapping[str, Sequence[Service]], call: Message) -> bytes:
    """Runs the function that a message calls. Returns the answer as an encoded message."""
    full = call.name.decode(errors="replace")
    service, _, name = full.rpartition(":")
    provider = next((each for each in services.get(service, ()) if _function(each, name)), None)
    if provider is None:
        text = f"this switch has no {full}; P4Runtime offers most of it"
        return (_refused if service in services else _failed)(call, UNKNOWN_METHOD, text)
    if provider.needs_engine and switch.engine is None and switch.staged is None:
        return _refused(call, INTERNAL_ERROR, "the switch has no program yet")
    function = _function(provider, name)
    try:
        with switch.held_engine() if provider.needs_engine else nullcontext():
            result: Value | None = function(**_arguments(function, call.fields))
    except Declined as declined:
        return message(REPLY, call.name, call.sequence, {1: record({1: i32(declined.code)})})
    except WrongForm as error:
        log.info("Thrift: %s cannot be called like this: %s", full, error)
        return _failed(call, PROTOCOL_ERROR, f"{full} cannot be called like this: {error}")
    except (ValueError, OverflowError) as error:
        log.info("Thrift: %s cannot be called like this: %r", full, error)
        return _refused(call, PROTOCOL_ERROR, f"{full} cannot be called like this: {error}")
    return message(REPLY, call.name, call.sequence, {} if result is None else {0: result})


def _arguments(function: Any, fields: Mapping[int, Any]) -> dict[str, Any]:
    """Converts fields by number to arguments by name. All functions of BMv2 number their arguments from 1. Raises
    WrongForm if an argument is missing, or not as its annotation says."""
    found = {}
    types = get_type_hints(function, include_extras=True)
    for number, (name, declared) in enumerate(signature(function).parameters.items(), 1):
        if number in fields:
            found[name] = fields[number]
            checked(found[name], schema_of(types[name]), f"argument {number}")
        elif declared.default is Parameter.empty:
            raise WrongForm(f"argument {number} is missing")
    return found


def schema_of(annotation: Any) -> Any:
    """The schema of an argument: see structs.py."""
    return getattr(annotation, "__metadata__", (annotation,))[0]


def _function(service: Service, name: str) -> Any:
    return getattr(service, name, None) if name.startswith(service.prefixes) else None


def _refused(call: Message, kind: int, text: str) -> bytes:
    """Encodes the exception that the function declares, with the text in a field that other clients skip; or, if it
    declares none, a TApplicationException."""
    function = call.name.decode(errors="replace").partition(":")[2]
    code = next((code for prefix, code in DECLARED.items() if function.startswith(prefix)), None)
    if code is None:
        return _failed(call, kind, text)
    return message(REPLY, call.name, call.sequence, {1: record({1: i32(code), 2: string(text)})})


def _failed(call: Message, kind: int, text: str) -> bytes:
    return message(EXCEPTION, call.name, call.sequence, {1: string(text), 2: i32(kind)})
