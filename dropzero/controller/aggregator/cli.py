"""`dropzero aggregator`: runs the embedded switch with one UDP socket instead of ports.

The controller installs the program and the jobs over P4Runtime, as on any switch.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Annotated

import typer

from dropzero.controller.commands.options import DEFAULT_AGGREGATOR, clear_errors
from dropzero.membership.access import keep_to_self, socket_of
from dropzero.protocol.wire import UDP_PORT

app = typer.Typer(add_completion=False)


@app.command()
def aggregator(
    ip: Annotated[str, typer.Argument(metavar="IP", help="This host's address, which workers send to.")],
    port: Annotated[int, typer.Option(min=1, max=65535, help="Its UDP port.")] = UDP_PORT,
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="P4Runtime address for the controller: unix:PATH or HOST:PORT.",
            show_default="aggregator.sock in /run/dropzero",
        ),
    ] = DEFAULT_AGGREGATOR,
) -> None:
    """Aggregate on this host, for jobs without slots on the switch. Stop with Ctrl-C.

    Pass this host's address to the controller with --aggregator.
    """
    from dropzero.controller.aggregator.datagrams import Datagrams
    from dropzero.softswitch.daemon import THREAD_SECONDS
    from dropzero.softswitch.engine.switch import Switch
    from dropzero.softswitch.p4runtime.server import Listener, Server
    from dropzero.softswitch.p4runtime.service import Service
    from dropzero.softswitch.ports.loop import Loop

    with clear_errors("aggregator"):
        if (path := socket_of(listen)) is not None:
            keep_to_self(path)
    sys.setswitchinterval(THREAD_SECONDS)
    switch = Switch(0)
    try:
        with ExitStack() as stack:
            ports = Datagrams(ip, port)
            stack.callback(ports.close)
            loop = Loop(switch, ports)
            stack.callback(loop.close)
            stack.enter_context(loop.stopped_by_signals())
            stack.callback(Server(Listener(listen, Service(switch, loop.inject).attach)).close)
            typer.echo(f"ready: workers send to {ip}:{port}, the controller connects to {listen}")
            loop.run()
    except OSError as error:
        typer.echo(f"dropzero aggregator: cannot listen on {ip}:{port} or {listen}: {error.strerror}", err=True)
        raise typer.Exit(2) from error
