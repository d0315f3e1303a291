"""Options shared by the controller's commands, and one-line errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import Annotated

import typer

from dropzero.controller.jobs.policies import PolicyError
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.controller.switches.fabric import Aggregator
from dropzero.controller.switches.topology import Topology
from dropzero.controller.switches.view import TopologyError, parse_mac
from dropzero.linux import open_files
from dropzero.membership.access import CONTROLLER_VARIABLE, FOLDER, AccessError, Credentials, Tls
from dropzero.membership.operator_client import OperatorError
from dropzero.protocol.wire import UDP_PORT

DEFAULT_SWITCH = "127.0.0.1:50051"
DEFAULT_AGGREGATOR = f"unix:{FOLDER}/aggregator.sock"
SWITCH_VARIABLE = "DROPZERO_SWITCH"
DEVICE_VARIABLE = "DROPZERO_DEVICE_ID"

SwitchAddress = Annotated[
    str, typer.Option("--switch", metavar="HOST:PORT", envvar=SWITCH_VARIABLE, help="The switch's P4Runtime server.")
]
DeviceId = Annotated[int, typer.Option(envvar=DEVICE_VARIABLE, help="The switch's P4Runtime device id.")]
ControllerAddress = Annotated[
    str,
    typer.Option(
        "--controller",
        metavar="ADDRESS",
        envvar=CONTROLLER_VARIABLE,
        help="Where the controller listens: unix:PATH or HOST:PORT.",
        show_default=f"controller.sock in {FOLDER}",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TlsCert = Annotated[
    Path | None, typer.Option(envvar="DROPZERO_TLS_CERT", help="Certificate to show to clients and servers (PEM).")
]
TlsKey = Annotated[Path | None, typer.Option(envvar="DROPZERO_TLS_KEY", help="Its private key (PEM).")]
TlsCa = Annotated[
    Path | None, typer.Option(envvar="DROPZERO_TLS_CA", help="CA certificate to check the other side's with (PEM).")
]


OperatorToken = Annotated[
    str, typer.Option(envvar="DROPZERO_OPERATOR_TOKEN", help="Secret that makes a TCP client an operator.")
]
SwitchTlsCert = Annotated[
    Path | None, typer.Option(envvar="DROPZERO_SWITCH_TLS_CERT", help="Certificate to show to switches (PEM).")
]
SwitchTlsKey = Annotated[Path | None, typer.Option(envvar="DROPZERO_SWITCH_TLS_KEY", help="Its private key (PEM).")]
SwitchTlsCa = Annotated[
    Path | None, typer.Option(envvar="DROPZERO_SWITCH_TLS_CA", help="CA certificate to check switches' with (PEM).")
]


def certificates(
    context: typer.Context,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    tls_ca: TlsCa = None,
    operator_token: OperatorToken = "",
    switch_tls_cert: SwitchTlsCert = None,
    switch_tls_key: SwitchTlsKey = None,
    switch_tls_ca: SwitchTlsCa = None,
) -> None:
    """Serve a switch's jobs, inspect them, and change them."""
    # The credentials of all commands.
    with clear_errors():
        tls = Tls.given(tls_cert, tls_key, tls_ca)
        switch_tls = Tls.given(switch_tls_cert, switch_tls_key, switch_tls_ca, "--switch-tls")
        context.obj = Credentials(tls, operator_token, switch_tls)


@contextmanager
def clear_errors(command: str = "controller") -> Iterator[None]:
    """Reports an error as one line on stderr, with exit status 2."""
    try:
        yield
    except (SwitchError, TopologyError, AccessError, OperatorError, PolicyError) as error:
        typer.echo(f"dropzero {command}: {error}", err=True)
        raise typer.Exit(2) from error


def allow_files(needed: int) -> None:
    """See dropzero.linux.open_files. Raises AccessError."""
    try:
        open_files.allow(needed)
    except OSError as error:
        raise AccessError(error.strerror) from error


def parse_ip(text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except AddressValueError as error:
        raise typer.BadParameter(str(error)) from error


def parse_mac_option(text: str) -> int:
    try:
        return parse_mac(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def parse_aggregator(text: str) -> tuple[Aggregator, str]:
    """Parses `10.0.0.9`, `10.0.0.9:53280` or `10.0.0.9=unix:/its/p4.sock`. Returns the UDP address and the P4Runtime
    server."""
    endpoint, _, server = text.partition("=")
    ip, _, port = endpoint.partition(":")
    if port and not (port.isdecimal() and 0 < int(port) < 1 << 16):
        raise typer.BadParameter(f"{port!r} is not a UDP port")
    return Aggregator(str(parse_ip(ip)), int(port) if port else UDP_PORT), server or DEFAULT_AGGREGATOR


def parse_switches(texts: list[str], topology: Topology, device_id: int) -> dict[str, tuple[str, int]]:
    """Parses `127.0.0.1:50051`, or `s1=127.0.0.1:50051` for each switch. Returns each switch's P4Runtime server and
    device id: `device_id`, or with several switches their positions in topology.json, from 0."""
    names = list(topology.views)
    if len(names) == 1 and len(texts) == 1 and "=" not in texts[0]:
        return {names[0]: (texts[0], device_id)}
    given = {name: at for name, _, at in (text.partition("=") for text in texts)}
    if given.keys() != set(names) or len(texts) != len(names):
        wanted = " ".join(f"--switch {name}=HOST:PORT" for name in names)
        raise typer.BadParameter(f"the topology's switches are {', '.join(names)}: give {wanted}")
    if len(names) == 1:
        return {names[0]: (given[names[0]], device_id)}
    return {name: (given[name], number) for number, name in enumerate(names)}
