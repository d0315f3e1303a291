"""A test bench: a switch process with all ports connected to the test."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.switch import DEFAULT_IP, DEFAULT_MAC, Settings, Switch
from dropzero.controller.switches.view import Host, SwitchView, format_mac
from dropzero.files import COMPILED
from dropzero.p4.names import P4Info
from dropzero.protocol.packet import Packet
from dropzero.protocol.wire import HEADROOM, UDP_PORT, Fate
from tests.conftest import free_port
from tests.support.namespace import Namespace

JOB, EPOCH, FIRST_SLOT, LANES = 5, 77, 40, 4
PORTS = (1, 2, 3, 4)
WORKERS = (1, 2, 3)
"""The ports of workers: rank i is on port i + 1. Port 4 has a host without a worker."""
SENTINEL = 0x88B5

Frames = list[tuple[int, bytes]]


def ip_of(port: int) -> str:
    return f"10.0.0.{port}"


def mac_of(port: int) -> str:
    return f"02:00:00:00:00:{port:02x}"


def udp_port_of(port: int) -> int:
    return 40000 + port


def secret_of(rank: int) -> int:
    return 0xC0FFEE00 + rank


class Bench:
    """A running switch with a job of three workers."""

    def __init__(self, kind: str, folder: Path) -> None:
        if os.geteuid():
            pytest.skip("a bench needs root, for its interfaces")
        self._namespace = Namespace(f"dropzero-bench-{os.getpid()}", len(PORTS))
        self._hosts = {port: self._namespace.host(port) for port in PORTS}
        address = f"unix:{folder}/switch.sock"
        program = [sys.executable, "-m", "dropzero.softswitch"] if kind == "softswitch" else ["simple_switch_grpc"]
        interfaces = [word for port in PORTS for word in ("-i", f"{port}@sw{port}")]
        thrift = ["--thrift-port", str(free_port())]
        command = [*program, *interfaces, *thrift, "--no-p4", "--", "--grpc-server-addr", address]
        with (folder / "switch.log").open("w") as log:
            self._process = subprocess.Popen(
                ["ip", "netns", "exec", self._namespace.name, *command], stdout=log, stderr=subprocess.STDOUT
            )
        self.device = Device(address, timeout=60)
        self.device.become_primary()
        self.device.push(P4Info.read(COMPILED / "dropzero.p4info.txtpb"), (COMPILED / "dropzero.json").read_bytes())
        self.switch = Switch(self.device)
        hosts = {
            f"h{port}": Host(f"h{port}", IPv4Address(ip_of(port)), int(mac_of(port).replace(":", ""), 16), port)
            for port in PORTS
        }
        self.switch.configure(SwitchView("s1", hosts), Settings())
        self.grows = self.device.default("reply.growth").parameters["bytes"]
        """By how many bytes packets can get longer on this switch."""
        # So that tests can tell what is the same on all switches.
        self.switch.set_growth(HEADROOM)
        workers = {
            rank: Worker(hosts[f"h{port}"].ip, hosts[f"h{port}"].mac, udp_port_of(port), port, secret=secret_of(rank))
            for rank, port in enumerate(WORKERS)
        }
        self._epoch = EPOCH
        slots = range(FIRST_SLOT, FIRST_SLOT + LANES)
        self._job = Job(JOB, EPOCH, len(workers), LANES, {}, workers, here=slots)
        self.switch.sync(JOB, self._job)

    def fresh(self) -> None:
        """Empties the job's slots like a controller, by a new epoch, which later packets use."""
        self._epoch += 1
        self._job = replace(self._job, epoch=self._epoch)
        self.switch.sync(JOB, self._job)

    def set_leaf(self, rank: int) -> None:
        """Makes a worker a switch, until `fresh`."""
        worker = replace(self._job.workers[rank], leaf=rank)
        self.switch.sync(JOB, replace(self._job, workers={**self._job.workers, rank: worker}))

    @property
    def epoch(self) -> int:
        return self._epoch

    def frame(
        self, packet: Packet, port: int | None = None, secret: int | None = None, sport: int = 0, **changes: Any
    ) -> bytes:
        """The frame of a contribution, as its worker sends it. port: send it as the host there; secret: instead of the
        worker's; sport: another UDP source port; changes: IP fields."""
        port = packet.worker + 1 if port is None else port
        packet = replace(packet, secret=secret_of(packet.worker) if secret is None else secret)
        ip = IP(**({"src": ip_of(port), "dst": str(DEFAULT_IP)} | changes))
        outer = Ether(src=mac_of(port), dst=format_mac(DEFAULT_MAC)) / ip
        return bytes(outer / UDP(sport=sport or udp_port_of(port), dport=UDP_PORT, chksum=0) / packet.encode())

    def contribute(self, packet: Packet) -> dict[int, Packet]:
        """Sends a contribution from its worker's port. Returns the answers by port, with split results joined."""
        answers: dict[int, Packet] = {}
        for port, frame in self.exchange(packet.worker + 1, self.frame(packet)):
            answer = Packet.decode(bytes(Ether(frame)[UDP].payload))
            data = {**answers[port].data, **answer.data} if port in answers else answer.data
            answers[port] = replace(answer, data=data)
        return answers

    def exchange(self, port: int, frame: bytes) -> Frames:
        """Sends a frame into a port. Returns all frames that leave because of it, by port.

        Then sends two more, one that is flooded and one that comes back. When all ports have seen them, all frames
        caused by the first one have left, because a switch keeps the order at each port.
        """
        flooded = bytes(Ether(dst="02:ff:ff:ff:ff:ff", src=mac_of(port), type=SENTINEL)).ljust(60, b"\0")
        asked = bytes(Ether(dst="ff:ff:ff:ff:ff:ff", src=mac_of(port)) / ARP(psrc="0.0.0.0", pdst=str(DEFAULT_IP)))
        for each in (frame, flooded, asked):
            self._hosts[port].send(each)
        left: Frames = []
        for other, host in self._hosts.items():
            while True:
                (seen,) = host.receive()
                if seen[12:14] == SENTINEL.to_bytes(2, "big"):
                    break
                if other == port and Ether(seen).haslayer(ARP) and Ether(seen)[ARP].pdst == "0.0.0.0":
                    break
                left.append((other, seen))
        return left

    def fate_of(self, port: int, frame: bytes) -> tuple[Fate, Frames]:
        """The fate that the switch counts for a frame, and the frames that left because of it."""
        before = self.switch.fates()
        left = self.exchange(port, frame)
        after = self.switch.fates()
        grown = {fate: after[fate].packets - before[fate].packets for fate in Fate}
        grown[Fate.FLOODED] -= 1
        grown[Fate.ARP] -= 1
        (fate,) = (fate for fate, count in grown.items() if count)
        assert grown[fate] == 1
        return fate, left

    def close(self) -> None:
        self.device.close()
        for host in self._hosts.values():
            host.close()
        self._process.terminate()
        self._process.wait()
        self._namespace.close()
