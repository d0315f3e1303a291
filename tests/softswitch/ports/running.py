"""A running switch in the test's process, between two hosts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.impairments.impairments import Impairments
from dropzero.softswitch.ports.fast_path import PACKETS
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.ports import RECEIVE_SLOTS, Port, Ports
from tests.support.bmv2_program import Bmv2Program, assign, constant, extract, field, operation, primitive, standard
from tests.support.namespace import SECONDS, Host, Namespace

GROUP = 1
COPIES = PACKETS // RECEIVE_SLOTS + 8


def sending() -> Engine:
    """An engine that sends a packet to the port or group in its header, and reports some packets."""
    program = Bmv2Program(h={"to": 8, "group": 8, "digest": 8, "number": 16})
    program.state("start", extract("h"))
    digest = program.learn_list("digest", field("h", "number"))
    program.condition("wants_digest", operation("!=", field("h", "digest"), constant(0)), "send_digest", "go")
    go = assign(standard("egress_spec"), field("h", "to")), assign(standard("mcast_grp"), field("h", "group"))
    program.call("send_digest", primitive("generate_digest", constant(1), digest), *go)
    program.call("go", *go)
    engine = program.engine(cpu_port=255)
    engine.multicast.set(GROUP, [(2, each) for each in range(COPIES)])
    return engine


def packet(number: int, *, to: int = 2, group: int = 0, digest: bool = False, size: int = 60) -> bytes:
    return bytes([to, group, digest]) + number.to_bytes(2, "big") + bytes(size - 5)


class Running:
    """A switch whose ports 1 and 2 are sw1 and sw2.

    above: packets to the control plane
    """

    def __init__(self, namespace: Namespace, captures: Path | None = None, rings: Path | None = None) -> None:
        self._namespace = namespace
        self.ports = Ports(rings)
        with namespace.inside():
            for number in (1, 2):
                self.ports.add(Port(number, f"sw{number}", captures))
        self.switch = Switch(cpu_port=255)
        self.switch.engine = sending()
        self.above: list[object] = []
        self.switch.packet_in = self.above.append
        self.switch.learn = lambda digest: self.above.append(digest.values)
        self.hosts = namespace.host(1), namespace.host(2)

    @property
    def engine(self) -> Engine:
        assert self.switch.engine is not None
        return self.switch.engine

    @contextmanager
    def loop(self, impairments: Impairments | None = None) -> Iterator[Loop]:
        with self._namespace.inside():
            loop = Loop(self.switch, self.ports, impairments=impairments)

        def run() -> None:
            with self._namespace.inside():
                loop.run()

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield loop
        finally:
            loop.stop()
            thread.join()
            loop.close()

    def close(self) -> None:
        self.ports.close()
        for host in self.hosts:
            host.close()


def eventually(done: Callable[[], bool]) -> bool:
    """Waits up to SECONDS for a condition. Returns whether it became true."""
    event = threading.Event()
    for _ in range(int(SECONDS * 100)):
        if done():
            return True
        event.wait(0.01)
    return False


def sent(host: Host, packets: list[bytes]) -> list[bytes]:
    for each in packets:
        host.send(each)
    return packets
