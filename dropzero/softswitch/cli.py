"""The command line of simple_switch_grpc."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand
from typer.main import get_command

from dropzero.linux import open_files
from dropzero.softswitch import logs

log = logging.getLogger(__name__)

VERSION = "1.15.5-softswitch"
JSON_VERSION = "2.24"

WITHOUT_EFFECT = {
    "--debugger": False,
    "--debugger-addr": True,
    "--disable-swap": False,
    "--dump-packet-data": True,
    "--enable-swap": False,
    "--log-flush": False,
    "--max-l1-entries": True,
    "--max-l2-entries": True,
    "--max-mc-groups": True,
    "--nanolog": True,
    "--notifications-addr": True,
}
"""BMv2's options that this switch accepts and ignores, and whether each takes a value."""
UNSUPPORTED = frozenset({"--load-modules", "--packet-in", "--restore-state"})
"""BMv2's options that this switch refuses."""
FILES, FILES_A_PORT, FILES_A_RING = 64, 4, 4
"""Open files that a switch needs, including some for connections, and more for each port, and for its rings."""
LOOPBACK, EVERYWHERE = "127.0.0.1:9559", "0.0.0.0:9559"
THRIFT = 9090
WITH_P4RUNTIME, WITHOUT_P4RUNTIME = "simple_switch_grpc", "simple_switch"
TRACE = "trace"
EPILOG = (
    f"As `dropzero switch {TRACE}`, shows one packet's way through a program; see its --help. "
    "--grpc-server-with-client-auth serves only clients that have a certificate. "
    "Options may stand before and after a bare --, as for simple_switch_grpc. Accepted without effect: "
    + ", ".join(WITHOUT_EFFECT)
)


class SwitchCommand(TyperCommand):
    """Parses arguments like BMv2, and reports an error in one line. `switch trace` is a separate command."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if parent is not None and args[:1] == [TRACE]:
            from dropzero.softswitch.tracing.cli import app as tracing

            return get_command(tracing).make_context(TRACE, args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        unused: list[str] = []
        ctx.obj = unused
        try:
            return super().parse_args(ctx, list(_plain(args, unused)))
        except typer.TyperException as error:
            _fail(error.format_message())


app = typer.Typer(add_completion=False)


@app.command("switch", cls=SwitchCommand, epilog=EPILOG, context_settings={"help_option_names": ["--help", "-h"]})
def switch(
    context: typer.Context,
    program: Annotated[
        Path | None, typer.Argument(metavar="[JSON]", help="The program to start with: p4c's JSON for BMv2.")
    ] = None,
    interface: Annotated[
        list[str] | None, typer.Option("--interface", "-i", metavar="PORT@INTERFACE", help="Adds a port. Repeatable.")
    ] = None,
    no_p4: Annotated[
        bool, typer.Option("--no-p4", help="Start without a program: a P4Runtime client brings it.")
    ] = False,
    pcap: Annotated[
        Path | None,
        typer.Option(metavar="[DIR]", help="Write INTERFACE_in.pcap and INTERFACE_out.pcap, here or into a directory."),
    ] = None,
    use_files: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS",
            help="Read packets from INTERFACE_in.pcap after SECONDS, and write to INTERFACE_out.pcap.",
        ),
    ] = None,
    device_id: Annotated[int, typer.Option(min=0, max=(1 << 64) - 1, help="The device id of P4Runtime.")] = 0,
    log_console: Annotated[bool, typer.Option("--log-console", help="Log to stdout.")] = False,
    log_file: Annotated[Path | None, typer.Option(metavar="FILE", help="Log to FILE.txt.")] = None,
    log_level: Annotated[
        str | None,
        typer.Option(
            "--log-level",
            "-L",
            help="trace, debug, info, warn, error or off. trace and debug log every packet, which is slow.",
            show_default="info",
        ),
    ] = None,
    log_file_max_size: Annotated[
        int, typer.Option(metavar="BYTES", min=1, help="Size at which FILE.txt becomes FILE.1.txt.")
    ] = logs.FILE_BYTES,
    log_file_max_files: Annotated[
        int, typer.Option(metavar="COUNT", min=0, help="Number of older log files to keep.")
    ] = logs.FILES,
    grpc_server_addr: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Where P4Runtime is served: HOST:PORT or unix:PATH.",
            show_default=f"{LOOPBACK}; as simple_switch_grpc {EVERYWHERE}; as simple_switch nowhere",
        ),
    ] = None,
    grpc_server_ssl: Annotated[bool, typer.Option("--grpc-server-ssl", help="Serve P4Runtime over TLS.")] = False,
    grpc_server_cert: Annotated[Path | None, typer.Option(metavar="PEM", help="The server's certificate.")] = None,
    grpc_server_key: Annotated[Path | None, typer.Option(metavar="PEM", help="Its private key.")] = None,
    grpc_server_cacert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="The authority that signs clients' certificates.")
    ] = None,
    grpc_server_with_client_auth: Annotated[bool, typer.Option("--grpc-server-with-client-auth", hidden=True)] = False,
    dp_grpc_server_addr: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Serve packets over gRPC (DataplaneInterface) instead of -i."),
    ] = None,
    cpu_port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port of the control plane.")] = None,
    drop_port: Annotated[int, typer.Option(min=1, max=65535, help="The egress_spec that drops a packet.")] = 511,
    seed: Annotated[int | None, typer.Option(help="Seed of the program's random numbers and of --impair.")] = None,
    priority_queues: Annotated[
        int, typer.Option(min=1, max=256, help="Queues of each port; packets of a higher priority are dropped.")
    ] = 1,
    thrift_port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="Serve BMv2's Thrift interface on this TCP port, for simple_switch_CLI.",
            show_default=f"none; under BMv2's names {THRIFT}",
        ),
    ] = None,
    thrift_ip: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Where Thrift is served. Who can reach it owns the switch.",
            show_default="127.0.0.1; under BMv2's names 0.0.0.0",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Follow the specifications where BMv2 deviates from them.")
    ] = False,
    no_primary_status: Annotated[
        bool,
        typer.Option(
            "--no-primary-status", help="Leave the status out of a primary's arbitration, as some clients expect."
        ),
    ] = False,
    max_port_count: Annotated[int, typer.Option(min=0, help="Maximum number of interfaces.")] = 512,
    impair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PORT:RULES",
            help="Impair packets that leave by PORT (that arrive, for PORT/in), or by all other ports (*): "
            "rate=100mbit, limit=64 (packets that wait for the rate), delay=5ms, jitter=1ms, loss=1%, duplicate=, "
            "reorder=, corrupt= (probabilities). Repeatable.",
        ),
    ] = None,
    link_rates: Annotated[
        bool,
        typer.Option(
            "--link-rates", help="Give each port queues of the rate to which tc limits its interface, as in Mininet."
        ),
    ] = False,
    rings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Offer programs on hosts rings in shared memory instead of the interfaces: see DIR/socket.",
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", "-v", help="Show the version.")] = False,
    json_version: Annotated[
        bool, typer.Option("--json-version", help="Show the newest version of BMv2's JSON.")
    ] = False,
) -> None:
    """A P4 switch in software: simple_switch_grpc's command line, P4Runtime and JSON, compiled to native code."""
    if version or json_version:
        print(VERSION if version else JSON_VERSION)
        raise typer.Exit
    if program is None and not no_p4:
        _fail("give a JSON program, or --no-p4 to start without one")
    if log_console and log_file is not None:
        _fail("--log-console and --log-file exclude each other")
    if log_level not in (None, *logs.LEVELS):
        _fail(f"--log-level is one of {', '.join(logs.LEVELS)}, not {log_level!r}")
    if thrift_port is None and context.info_name in (WITH_P4RUNTIME, WITHOUT_P4RUNTIME):
        thrift_port = THRIFT
    # As a program of its own, this replaces BMv2's for launchers; as a command of dropzero, it does not.
    replaces = context.parent is None
    if grpc_server_addr is None and context.info_name != WITHOUT_P4RUNTIME:
        grpc_server_addr = EVERYWHERE if replaces else LOOPBACK
    if thrift_ip is None:
        thrift_ip = "0.0.0.0" if replaces else "127.0.0.1"
    # Suppresses gRPC's own messages on stderr. gRPC reads the variable once, when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # As in dropzero.cli: this is a program of its own, too.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        open_files.allow(FILES + (FILES_A_PORT + (FILES_A_RING if rings else 0)) * len(interface or []))
    except OSError as error:
        _fail(_reason(error))
    # Importing makes no garbage. The daemon enables collection again.
    gc.disable()
    from dropzero.softswitch import daemon
    from dropzero.softswitch.engine.switch import Switch
    from dropzero.softswitch.impairments.impairments import Impairments
    from dropzero.softswitch.p4runtime.credentials import credentials

    try:
        logs.begin(
            console=log_console,
            file=log_file,
            level=log_level,
            most_bytes=log_file_max_size,
            most_files=log_file_max_files,
        )
        for argument in context.obj:
            log.info("Without effect here: %s", argument)
        if log_level is None:
            log.info("Packets are not logged; BMv2 logs them by default. To log them, add --log-level debug")
        if program is not None and no_p4:
            log.warning("With --no-p4, the program %s is not loaded", program)
        interfaces = _ports(interface or [], max_port_count)
        tls = None
        if grpc_server_ssl:
            if grpc_server_cert is None or grpc_server_key is None:
                raise ValueError("--grpc-server-ssl needs --grpc-server-cert and --grpc-server-key")
            tls = credentials(grpc_server_cert, grpc_server_key, grpc_server_cacert, grpc_server_with_client_auth)
        elif grpc_server_cert or grpc_server_key or grpc_server_cacert or grpc_server_with_client_auth:
            log.warning("Without --grpc-server-ssl there is no TLS, and the certificates are not used")
        if dp_grpc_server_addr is not None and interfaces:
            log.warning("With --dp-grpc-server-addr, packets come over gRPC: the interfaces are not opened")
        settings = daemon.Settings(
            interfaces=interfaces,
            address=grpc_server_addr,
            credentials=tls,
            dataplane=dp_grpc_server_addr,
            use_files=None if use_files is None else max(0, use_files),
            link_rates=link_rates,
            thrift=None if thrift_port is None else (thrift_ip, thrift_port),
            program=None if no_p4 else program,
            captures=pcap,
            impairments=Impairments(impair, seed) if impair else None,
            rings=rings,
            primary_status=not no_primary_status,
        )
        daemon.run(
            Switch(
                device_id,
                cpu_port=cpu_port,
                drop_port=drop_port,
                seed=seed,
                priority_queues=priority_queues,
                strict=strict,
            ),
            settings,
        )
    except (OSError, ValueError) as error:
        _fail(_reason(error))


def _ports(interfaces: list[str], most: int) -> dict[int, str]:
    """The interfaces by port number."""
    ports = dict(map(_port, interfaces))
    if len(ports) < len(interfaces):
        raise ValueError("two interfaces have the same port number")
    if len(ports) > most:
        raise ValueError(f"{len(ports)} interfaces are more than --max-port-count {most}")
    return ports


def _port(text: str) -> tuple[int, str]:
    """Splits PORT@INTERFACE."""
    # p4c's test driver gives "-i 1@pcap1" as one argument.
    number, at, interface = text.strip().partition("@")
    if not at or not interface or not number.isascii() or not number.isdigit() or int(number) > 65535:
        raise ValueError(f"--interface takes PORT@INTERFACE, not {text!r}")
    return int(number), interface


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _plain(args: list[str], unused: list[str]) -> Iterator[str]:
    """Yields the arguments in typer's form; adds those without effect to `unused`."""
    rest = deque(args)
    while rest:
        arg = rest.popleft()
        name, equals, _ = arg.partition("=")
        if name in UNSUPPORTED:
            _fail(f"{name} of simple_switch_grpc is not supported")
        elif name in WITHOUT_EFFECT:
            unused.append(arg)
            if WITHOUT_EFFECT[name] and not equals and rest:
                unused[-1] += f"={rest.popleft()}"
        elif arg == "--pcap":
            # The directory may be omitted, so the next word need not be one.
            directory = bool(rest) and not rest[0].startswith("-") and not rest[0].endswith(".json")
            yield f"--pcap={rest.popleft() if directory else '.'}"
        elif arg != "--":
            yield arg


def _fail(message: str) -> NoReturn:
    """Prints one line on stderr, and exits with status 2."""
    print(f"softswitch: {message}", file=sys.stderr)
    raise SystemExit(2)


def main() -> None:
    app(prog_name="softswitch")


def simple_switch() -> None:
    app(prog_name=WITHOUT_P4RUNTIME)


def simple_switch_grpc() -> None:
    app(prog_name=WITH_P4RUNTIME)
