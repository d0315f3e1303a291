"""The command line of simple_switch_grpc."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand
from typer.main import get_command

from dropzero.linux import open_files
from dropzero.options import grouped
from dropzero.softswitch.engine.options import Model
from dropzero.softswitch.logs import Log
from dropzero.softswitch.p4runtime.credentials import Tls
from dropzero.softswitch.ports.options import PortOptions, QueueOptions

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
FILES = 64
"""Open files that a switch without ports needs, including some for connections."""
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


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror}" if error.strerror else str(error))
    except ValueError as error:
        _fail(str(error))


@app.command("switch", cls=SwitchCommand, epilog=EPILOG, context_settings={"help_option_names": ["--help", "-h"]})
@grouped(errors=_reported)
def switch(
    context: typer.Context,
    *,
    program: Annotated[
        Path | None, typer.Argument(metavar="[JSON]", help="The program to start with: p4c's JSON for BMv2.")
    ] = None,
    ports: PortOptions,
    no_p4: Annotated[
        bool, typer.Option("--no-p4", help="Start without a program: a P4Runtime client brings it.")
    ] = False,
    device_id: Annotated[int, typer.Option(min=0, max=(1 << 64) - 1, help="The device id of P4Runtime.")] = 0,
    logging_to: Log,
    grpc_server_addr: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Where P4Runtime is served: HOST:PORT or unix:PATH.",
            show_default=f"{LOOPBACK}; as simple_switch_grpc {EVERYWHERE}; as simple_switch nowhere",
        ),
    ] = None,
    tls: Tls,
    model: Model,
    seed: Annotated[int | None, typer.Option(help="Seed of the program's random numbers and of --impair.")] = None,
    queueing: QueueOptions,
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
    no_primary_status: Annotated[
        bool,
        typer.Option(
            "--no-primary-status", help="Leave the status out of a primary's arbitration, as some clients expect."
        ),
    ] = False,
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
    if thrift_port is None and context.info_name in (WITH_P4RUNTIME, WITHOUT_P4RUNTIME):
        thrift_port = THRIFT
    # As a separate program, this replaces BMv2's for launchers; as a command of dropzero, it does not.
    replaces = context.parent is None
    if grpc_server_addr is None and context.info_name != WITHOUT_P4RUNTIME:
        grpc_server_addr = EVERYWHERE if replaces else LOOPBACK
    if thrift_ip is None:
        thrift_ip = "0.0.0.0" if replaces else "127.0.0.1"
    with _reported():
        _prepare(FILES + ports.files)
        from dropzero.softswitch import daemon
        from dropzero.softswitch.engine.switch import Switch
        from dropzero.softswitch.impairments.impairments import Impairments
        from dropzero.softswitch.offline.queue_file import QueueFile

        logging_to.begin()
        for argument in context.obj:
            log.info("Without effect here: %s", argument)
        if program is not None and no_p4:
            log.warning("With --no-p4, the program %s is not loaded", program)
        if ports.dp_grpc_server_addr is not None and ports.interface:
            log.warning("With --dp-grpc-server-addr, packets come over gRPC: the interfaces are not opened")
        queues = None if queueing.queues is None else QueueFile.read(queueing.queues)
        priorities = queueing.priority_queues or (queues and queues.priority_queues) or 1
        settings = daemon.Settings(
            ports=ports,
            address=grpc_server_addr,
            credentials=tls.credentials(),
            thrift=None if thrift_port is None else (thrift_ip, thrift_port),
            program=None if no_p4 else program,
            impairments=Impairments(ports.impair, seed) if ports.impair else None,
            queues=queues,
            primary_status=not no_primary_status,
        )
        daemon.run(Switch(device_id, seed=seed, priority_queues=priorities, **vars(model)), settings)


def _prepare(files: int) -> None:
    """Prepares the process before it loads the switch. files: that it will open. Raises OSError."""
    # Suppresses gRPC's own messages on stderr. gRPC reads the variable once, when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # As in dropzero.cli, because this is also a separate program.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    open_files.allow(files)
    # Importing makes no garbage. The daemon enables collection again.
    gc.disable()


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
