"""Mininet switches that run P4 programs: the embedded switch or the real BMv2, started in the same way."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from mininet.node import Switch

from dropzero.topologies.networks.faults import NO_FAULTS, Faults
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.processes.claim import Claim
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.process import Process, stop, until

START_TIMEOUT = 600.0
"""Seconds until a program must answer. On a new and busy machine, it may first compile code, or wait for others that
do."""
GRPC_PORT = 50051
THRIFT_PORT = 9090


def listens(port: int) -> bool:
    """Returns whether a server on this machine listens on that TCP port.

    Connects from another address: from the same one, the kernel might also choose `port` as the source port, and
    connect the probe to itself. Then the server could not bind the port for a minute.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.2", 0))
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port(first: int) -> tuple[int, Claim]:
    """Finds the first TCP port from `first` on that is free and that no other run has claimed.

    Binds without SO_REUSEPORT, because gRPC servers would silently share a port.
    """
    for port in range(first, first + 1000):
        with suppress(OSError):
            claim = Claim(f"port-{port}")
            try:
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("0.0.0.0", port))
            except OSError:
                claim.release()
                continue
            return port, claim
    raise SetupError(f"there is no free TCP port from {first} on")


class P4Switch(Switch):  # type: ignore[misc]
    """A switch whose port N is its N-th interface. It is in the root namespace, where its gRPC port can be reached."""

    def __init__(
        self,
        name: str,
        *,
        kind: SwitchKind,
        logs: Path,
        pcap: Path | None = None,
        faults: Faults = NO_FAULTS,
        rings: Path | None = None,
        device: int = 0,
        queues: bool = True,
        **params: Any,
    ) -> None:
        """Reserves its TCP ports; `start` starts it.

        Args:
            name: the node's name, such as `s1`.
            kind: any but AUTO.
            logs: the folder for its log.
            pcap: a folder for captures of all ports, in both directions; None: no captures.
            faults: of all links.
            rings: the folder through which it offers rings; None: it offers none.
            device: its P4Runtime device id.
            queues: whether it limits the rates of its ports itself, so that its program reads queue depths. BMv2 does
                not.
        """
        super().__init__(name, **params)
        self.kind = kind
        self.queues = queues and kind is SwitchKind.SOFTSWITCH
        self.logs = logs
        self.pcap = pcap
        self.faults = faults
        self.rings = rings
        self.device = device
        self.grpc_port, grpc = free_port(GRPC_PORT)
        self._claims = [grpc]
        self.thrift_port: int | None = None
        """The TCP port of BMv2's Thrift interface, which BMv2 serves always, and on all addresses."""
        if kind is SwitchKind.BMV2:
            self.thrift_port, thrift = free_port(THRIFT_PORT)
            self._claims.append(thrift)
        self.process: Process | None = None

    @property
    def address(self) -> str:
        """The address of its P4Runtime server."""
        return f"127.0.0.1:{self.grpc_port}"

    @property
    def interfaces(self) -> dict[int, Any]:
        """The interfaces by port number."""
        return {number: intf for number, intf in sorted(self.intfs.items()) if intf.name != "lo"}

    @property
    def arguments(self) -> list[str]:
        """Its arguments, as for simple_switch_grpc."""
        ports = [f"{number}@{intf.name}" for number, intf in self.interfaces.items()]
        capture = [] if self.pcap is None else [f"--pcap={self.pcap.resolve()}"]
        return [
            "--no-p4",
            *(word for port in ports for word in ("-i", port)),
            *capture,
            *([] if self.rings is None else ["--rings", str(self.rings)]),
            *(word for impairment in self._impairments() for word in ("--impair", impairment)),
            *("--device-id", str(self.device)),
            *([] if self.thrift_port is None else ["--thrift-port", str(self.thrift_port)]),
            *("--log-console", "--log-level", "info"),
            *("--", "--grpc-server-addr", self.address),
        ]

    def _impairments(self) -> Iterator[str]:
        """Yields the faults of each port: of outgoing packets, and of incoming ones unless a switch is at the other
        end."""
        if not self.queues:
            return
        for port, intf in self.interfaces.items():
            rate = [] if intf.rate is None else [f"rate={round(intf.rate * 1e6)}", f"limit={intf.queue}"]
            faults = self.faults if intf.delay is None else replace(self.faults, delay=intf.delay)
            loss = [f"loss={intf.loss:f}"] if intf.loss else []
            if rate or faults or loss:
                yield f"{port}/out:{','.join([*rate, *faults.keys, *loss])}"
            ends = {intf.link.intf1.node, intf.link.intf2.node} - {self}
            if faults and not any(isinstance(node, P4Switch) for node in ends):
                yield f"{port}/in:{','.join(faults.keys)}"

    def start(self, controllers: Iterable[Any]) -> None:
        """Starts the program; `await_ready` waits until it listens."""
        if self.pcap is not None:
            self.pcap.mkdir(parents=True, exist_ok=True)
        command = [*self.kind.executable, *self.arguments]
        self.process = Process(f"switch {self.name}", command, self.logs / f"{self.name}.log")

    def await_ready(self) -> None:
        """Waits until the P4Runtime port listens.

        Raises:
            RunError: the switch ended or took too long. The message has its log.
        """
        assert self.process is not None
        until(lambda: listens(self.grpc_port), self.process, START_TIMEOUT, f"nothing listens at {self.address}")

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803 (Mininet's name)
        """Ends the program and, as all Mininet switches do, deletes the interfaces."""
        if self.process is not None:
            stop([self.process])
        super().stop(deleteIntfs)
        for claim in self._claims:
            claim.release()
