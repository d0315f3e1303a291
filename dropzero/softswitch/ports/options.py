"""The options of a switch's ports."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

FILES_A_PORT, FILES_A_RING = 4, 4
"""Open files that a switch needs for each port, and for its rings."""


@dataclass(frozen=True)
class PortOptions:
    """The switch's ports, and what happens to packets there. Raises ValueError if a port is not PORT@INTERFACE, is
    given twice, or is one too many."""

    interface: Annotated[
        list[str], typer.Option("--interface", "-i", metavar="PORT@INTERFACE", help="Adds a port. Repeatable.")
    ] = field(default_factory=list)
    max_port_count: Annotated[int, typer.Option(min=0, help="Maximum number of interfaces.")] = 512
    pcap: Annotated[
        Path | None,
        typer.Option(metavar="[DIR]", help="Write INTERFACE_in.pcap and INTERFACE_out.pcap, here or into a directory."),
    ] = None
    use_files: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS",
            help="Read packets from INTERFACE_in.pcap after SECONDS, and write to INTERFACE_out.pcap.",
        ),
    ] = None
    dp_grpc_server_addr: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Serve packets over gRPC (DataplaneInterface) instead of -i.")
    ] = None
    impair: Annotated[
        list[str],
        typer.Option(
            metavar="PORT:RULES",
            help="Impair packets that leave by PORT (that arrive, for PORT/in), or by all other ports (*): "
            "rate=100mbit, limit=64 (packets that wait for the rate), delay=5ms, jitter=1ms, loss=1%, duplicate=, "
            "reorder=, corrupt= (probabilities). Repeatable.",
        ),
    ] = field(default_factory=list)
    link_rates: Annotated[
        bool,
        typer.Option(
            "--link-rates", help="Give each port queues of the rate to which tc limits its interface, as in Mininet."
        ),
    ] = False
    rings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Offer programs on hosts rings in shared memory instead of the interfaces: see DIR/socket.",
        ),
    ] = None

    def __post_init__(self) -> None:
        count = len(self.interface)
        if len(self.interfaces) < count:
            raise ValueError("two interfaces have the same port number")
        if count > self.max_port_count:
            raise ValueError(f"{count} interfaces are more than --max-port-count {self.max_port_count}")

    @property
    def interfaces(self) -> dict[int, str]:
        """The interfaces by port number."""
        return dict(map(_port, self.interface))

    @property
    def files(self) -> int:
        """Open files that they need."""
        return (FILES_A_PORT + (FILES_A_RING if self.rings else 0)) * len(self.interface)


@dataclass(frozen=True)
class QueueOptions:
    """The queues of the switch's ports."""

    priority_queues: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=256,
            help="Queues of each port; packets of a higher priority are dropped.",
            show_default="1, or what --queues says",
        ),
    ] = None
    queues: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read the rates, depths and priorities of ports' queues from this JSON."),
    ] = None


def _port(text: str) -> tuple[int, str]:
    """Splits PORT@INTERFACE."""
    # p4c's test driver gives "-i 1@pcap1" as one argument.
    number, at, interface = text.strip().partition("@")
    if not at or not interface or not number.isascii() or not number.isdigit() or int(number) > 65535:
        raise ValueError(f"--interface takes PORT@INTERFACE, not {text!r}")
    return int(number), interface
