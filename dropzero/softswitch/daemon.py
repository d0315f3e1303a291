"""Starts a switch's ports and servers, and runs it until a signal."""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpc import ServerCredentials

from dropzero.linux.netlink import link_rate
from dropzero.native.compilation import entry_point
from dropzero.softswitch.engine.handoff import Drops
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.impairments.impairments import Impairments
from dropzero.softswitch.offline.queue_file import QueueFile
from dropzero.softswitch.p4runtime.server import Listener, Server
from dropzero.softswitch.p4runtime.service import Service
from dropzero.softswitch.ports.dataplane import Dataplane
from dropzero.softswitch.ports.fast_path_code import fast_path
from dropzero.softswitch.ports.file_ports import FilePorts
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.options import PortOptions
from dropzero.softswitch.ports.port_status import PortStatus
from dropzero.softswitch.ports.port_table import PortTable, open_port
from dropzero.softswitch.ports.ports import Ports
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.thrift.management import Management
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.server import Thrift
from dropzero.softswitch.thrift.services import program_services

THREAD_SECONDS = 0.0002
"""The interpreter's switch interval. With the default of 5 ms, packets would wait too long for a P4Runtime request."""

GARBAGE_OBJECTS = 20_000
"""The threshold of garbage collection. Table entries are many long-lived objects; with the default, collecting garbage
would take longer than writing them."""


_EVERYWHERE = ("0.0.0.0", "::", "[::]")
"""Hosts of addresses that other machines can reach."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a switch process. None disables the feature.

    ports:       which of them, and what happens there
    address:     of P4Runtime
    credentials: for TLS
    thrift:      the IP address and TCP port of BMv2's Thrift interface
    program:     the program to start with
    impairments: of the ports
    queues:      of the ports
    primary_status: see Arbitration
    """

    ports: PortOptions
    address: str | None
    credentials: ServerCredentials | None = None
    thrift: tuple[str, int] | None = None
    program: Path | None = None
    impairments: Impairments | None = None
    queues: QueueFile | None = None
    primary_status: bool = True


def rehearse() -> None:
    """Compiles the code of ports and queues, if no other process has: a switch's start would wait for it."""
    Ports().close()
    entry_point(fast_path)
    Queues().depth(port=1, priority=0, now=0)


def run(switch: Switch, settings: Settings) -> None:
    """Runs a switch until SIGTERM or SIGINT.

    Raises:
        OSError: an interface, file or address cannot be used.
        UnsupportedProgram: the program cannot be loaded.
    """
    sys.setswitchinterval(THREAD_SECONDS)
    gc.freeze()
    gc.set_threshold(GARBAGE_OBJECTS)
    gc.enable()
    with ExitStack() as stack:
        if settings.program is not None:
            switch.engine = switch.compile(load_program(settings.program))
        options = settings.ports
        captures = options.pcap
        if captures is not None:
            captures.mkdir(parents=True, exist_ok=True)
        ports = Ports(options.rings)
        stack.callback(ports.close)
        dataplane, files = Dataplane(switch), None
        instead = options.dp_grpc_server_addr
        interfaces = options.interfaces if instead is None else {}
        if options.use_files is not None and instead is None:
            for number, interface in sorted(interfaces.items()):
                _print(f"Adding interface {interface} as port {number} (files)")
            files, interfaces = FilePorts(interfaces, max(0, options.use_files)), {}
        for number, interface in interfaces.items():
            _print(f"Adding interface {interface} as port {number}")
            ports.add(open_port(number, interface, captures))
            if options.link_rates and (rate := link_rate(interface)):
                switch.queues.set_bit_rate(rate, number)
        if settings.queues is not None:
            settings.queues.apply(switch.queues)
        loop = Loop(switch, ports, dataplane.send if files is None else files.send, settings.impairments)
        dataplane.begin(loop)
        stack.callback(loop.close)
        if files is not None:
            stack.callback(files.close)
        stack.enter_context(loop.stopped_by_signals())
        service = Service(switch, loop.inject, primary_status=settings.primary_status)
        status = PortStatus(switch, interfaces)
        stack.callback(status.close)

        def attach(server: Any) -> None:
            service.attach(server)
            status.attach()

        listeners = []
        if settings.address is not None:
            listeners.append(Listener(settings.address, attach, settings.credentials))
        if instead is not None:
            listeners.append(Listener(instead, dataplane.attach))
        if settings.thrift is not None:
            table = PortTable(loop, status, captures) if files is None else files
            stack.callback(_thrift(switch, table, settings.thrift).close)
            _print(f"Thrift server listening on {':'.join(map(str, settings.thrift))}")
        stack.callback(Server(*listeners).close)
        address = settings.address
        if address is not None:
            _print(f"Server listening on {address}")
        if address is not None and address.rpartition(":")[0] in _EVERYWHERE and settings.credentials is None:
            _print("Other machines can reach it, as with simple_switch_grpc; --grpc-server-addr takes another address")
        if settings.thrift is not None and settings.thrift[0] in _EVERYWHERE:
            _print("Other machines can reach Thrift, as with BMv2; --thrift-ip takes another address")
        stack.callback(_print_counts, switch, settings.impairments, [loop.drops, *service.drops])
        if files is not None:
            files.begin(loop)
        loop.run()


def _thrift(switch: Switch, ports: PortTable | FilePorts, address: tuple[str, int]) -> Thrift:
    replication = Replication(switch)
    services = program_services(switch, replication)
    services["standard"].append(Management(switch, replication, ports, address[1]))
    return Thrift(address, switch, services)


def _print_counts(switch: Switch, impairments: Impairments | None, drops: list[Drops]) -> None:
    for port, counts in switch.queues:
        _print(f"Port {port} queues: {counts}")
    for port, direction, link in impairments or ():
        _print(f"Port {port} {direction.value}: {link.counts}")
    for each in drops:
        if each.count:
            _print(str(each))


def _print(line: str) -> None:
    """Prints on stdout, whatever the log level, because launchers look for these lines."""
    print(line, flush=True)
