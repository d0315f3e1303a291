"""One switch process, from its start to its end."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from softswitch.loop import Loop
from softswitch.ports import Port, Ports
from softswitch.program import Program
from softswitch.server import Server
from softswitch.switch import Switch

# By default a thread of Python keeps the interpreter for 5 ms when another wants it; packets should not wait so long
# for a P4Runtime request.
THREAD_SECONDS = 0.0002


def run(
    switch: Switch, *, interfaces: dict[int, str], address: str, program: Path | None, captures: Path | None
) -> None:
    """Runs until SIGTERM or SIGINT. Raises OSError and UnsupportedProgram when something is missing at the start."""
    sys.setswitchinterval(THREAD_SECONDS)
    with ExitStack() as stack:
        if program is not None:
            switch.engine = switch.compile(Program.load(program))
        if captures is not None:
            captures.mkdir(parents=True, exist_ok=True)
        ports = Ports()
        stack.callback(ports.close)
        for number, interface in interfaces.items():
            _say(f"Adding interface {interface} as port {number}")
            ports.add(_open(number, interface, captures))
        loop = Loop(switch, ports)
        stack.callback(loop.close)
        stack.enter_context(_signals(loop))
        server = Server(switch, address, loop.inject)
        stack.callback(server.close)
        _say(f"Server listening on {address}")
        loop.run()


def _open(number: int, interface: str, captures: Path | None) -> Port:
    try:
        return Port(number, interface, captures)
    except PermissionError:
        raise OSError(errno.EPERM, f"port {number}: packet sockets need root (CAP_NET_RAW)") from None
    except OSError as error:
        if error.filename is not None:
            raise
        missing = not os.path.exists(f"/sys/class/net/{interface}")
        reason = "no such interface" if missing else error.strerror
        raise OSError(error.errno, f"port {number}: {interface}: {reason}") from None


@contextmanager
def _signals(loop: Loop) -> Iterator[None]:
    """SIGTERM and SIGINT end the loop."""
    before = {number: signal.signal(number, lambda *_: loop.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(line: str) -> None:
    """On stdout, whatever the log's level: launchers look for these lines."""
    print(line, flush=True)
