"""A network in virtual time: the compiled program on every switch, the real controller, and hosts with UDP ports."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from ipaddress import IPv4Address
from itertools import count
from pathlib import Path
from typing import Any, cast

import grpc
import numpy as np
from numpy.typing import NDArray

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import Job, Jobs
from dropzero.controller.jobs.roster import Roster
from dropzero.controller.p4runtime.device import Device, Group
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError
from dropzero.controller.rpc.membership_service import MembershipService
from dropzero.controller.switches.fabric import Fabric
from dropzero.controller.switches.rows import Found, Parent
from dropzero.controller.switches.switch import Switch
from dropzero.controller.switches.topology import Topology
from dropzero.p4.names import Entry
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.wire import HEADROOM, MAX_PAYLOAD, OUTER_BYTES
from dropzero.simulator.in_process import InProcessDevice, framed, program
from dropzero.simulator.tree import Shape
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from tests.support.local_calls import Channel
from tests.support.virtual_time import Loop, Thread

HOSTS = 4
GRACE = 10.0
"""Seconds within which workers come back to the next controller."""
NETWORKS = {
    "one switch": Shape({"s1": None}, ["s1"] * HOSTS),
    "two racks": Shape({"spine": None, "s1": "spine", "s2": "spine"}, ["s1", "s1", "s2", "s2"]),
    "two linked switches": Shape({"s1": None, "s2": "s1"}, ["s1", "s1", "s2", "s2"]),
    "three tiers": Shape({"s3": None, "s2": "s3", "s4": "s3", "s1": "s2", "s5": "s4"}, ["s1", "s2", "s3", "s5"]),
}
"""Networks by name: the switches, and each host's switch."""


@cache
def network(name: str) -> Topology:
    """The topology of a network in NETWORKS."""
    shape = NETWORKS[name]
    hosts = {f"h{i}": {"ip": f"10.0.0.{i}/24", "mac": f"08:00:00:00:00:0{i}"} for i in range(1, HOSTS + 1)}
    switches = sorted(map(str, shape.parents))
    links = [[host, f"{shape.homes[at]}-p{at + 1}"] for at, host in enumerate(hosts)]
    links += [
        [f"{leaf}-p9", f"{shape.parents[leaf]}-p{at}"] for at, leaf in enumerate(switches, 11) if shape.parents[leaf]
    ]
    described = {"hosts": hosts, "switches": {name: {} for name in switches}, "links": links}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(described, file)
        file.flush()
        return Topology.read(Path(file.name))


class Connection(InProcessDevice):
    """A controller's connection to a switch, which is slow. It ends with either of them."""

    def __init__(self, switch: SimulatedSwitch) -> None:
        super().__init__(switch.engine)
        self._held = switch.held
        self._pause = switch.pause
        self.lost = asyncio.Event()

    def _write(self, write: Callable[..., None], *content: Any) -> None:
        self._pause()
        if self.lost.is_set():
            raise UnreachableError("the switch is away")
        write(*content)

    def insert(self, *entities: Entry | Group) -> None:
        for each in entities:
            self._write(super().insert, each)

    def modify(self, *entities: Entry | Group) -> None:
        for each in entities:
            self._write(super().modify, each)

    def delete(self, *entities: Entry | Group) -> None:
        for each in entities:
            self._write(super().delete, each)

    def set_default(self, table: str, action: str, parameters: Mapping[str, int]) -> None:
        self._write(super().set_default, table, action, parameters)


class SimulatedSwitch:
    """A switch.

    Attributes:
        growth: the bytes by which it lets packets grow.
        held: its rows and groups.
        blank: it has restarted, and no controller has restored its jobs yet.
        pause: waits for as long as a write takes.
    """

    def __init__(self, ip: IPv4Address, mac: int, pause: Callable[[], None], growth: int) -> None:
        self._address, self.pause, self.growth = (mac, int(ip), 0), pause, growth
        self._connection: Connection | None = None
        self.start()
        self.blank = False

    def start(self) -> None:
        """Starts or restarts, with empty tables and registers, and without a controller."""
        self._break_off()
        self.engine = Engine(program(), seed=1)
        self.held: dict[object, Entry | Group] = {}
        self.blank = True
        self.engine.tables["ingress.address"].set_default("ingress.set_address", self._address)
        self.engine.tables["ingress.reply.growth"].set_default("ingress.reply.grow_by", (self.growth,))

    def connect(self) -> Connection:
        """A connection for another controller, or again for the same one."""
        self._break_off()
        self._connection = Connection(self)
        return self._connection

    def _break_off(self) -> None:
        if self._connection is not None:
            self._connection.lost.set()


class Session:
    """One controller's session with a switch, with the interface of a SwitchSession."""

    def __init__(self, there: SimulatedSwitch) -> None:
        self.there, self.growth = there, there.growth
        self._connection: Connection | None = None

    def connect(self) -> None:
        self._connection = self.there.connect()
        self._switch = Switch(cast(Device, self._connection))

    async def lost(self) -> None:
        """Waits until the switch goes away."""
        assert self._connection is not None
        await self._connection.lost.wait()

    def restored(self) -> None:
        """Notes that the switch has its jobs again, unless it has gone away meanwhile."""
        assert self._connection is not None
        self.there.blank = self.there.blank and self._connection.lost.is_set()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.lost.set()

    def learn(self) -> list[Found]:
        return self._present().learn()

    def sync(self, number: int, job: Job | None, parent: Parent | None = None) -> None:
        self._present().sync(number, job, parent)

    def taken(self) -> int:
        return self._present().taken()

    def _present(self) -> Switch:
        if self._connection is None or self._connection.lost.is_set():
            raise UnreachableError("the switch is away")
        return self._switch


class Controller:
    """A controller's process.

    Attributes:
        service: None while nobody can reach it.
        life: all that it does on its own.
    """

    def __init__(self, cluster: Cluster, pause: float) -> None:
        """pause: seconds until it starts."""
        self._cluster, self._pause = cluster, pause
        self._sessions = {name: Session(switch) for name, switch in cluster.switches.items()}
        self._fabric = Fabric(cluster.network, self._sessions)
        self.roster = Roster(Jobs(64, Epochs(), tree=cluster.network), self._fabric, cluster.log.append)
        self.service: MembershipService | None = None
        self.life = cluster.loop.create_task(self._live())

    async def _live(self) -> None:
        await asyncio.sleep(self._pause)
        while True:
            for name, session in self._sessions.items():
                session.connect()
                if session.there.blank:
                    self._cluster.forgetful.add(name)
            try:
                await self.roster.adopt(GRACE)
                break
            except SwitchError:
                # It ends, and is started again.
                await asyncio.sleep(self._pause)
        for session in self._sessions.values():
            session.restored()
        self.service = MembershipService(self.roster, self._cluster.network, self._fabric.home)
        await asyncio.gather(*map(self._keep, self._sessions.values()))

    async def _keep(self, session: Session) -> None:
        """When the switch comes back, sets it up again."""
        while True:
            await session.lost()
            await asyncio.sleep(self._cluster.draw.uniform(0.0, 0.3))
            await self.roster.restore(session.connect)
            session.restored()

    def kill(self) -> None:
        """Ends it, in the midst of its work."""
        self.service = None
        self.roster.close()
        for session in self._sessions.values():
            session.close()
        for task in (self.life, *self.roster._tasks):
            task.cancel()


class Cluster:
    """The switches, the controller and the links.

    Attributes:
        trouble: the probability that a packet is lost, and that it is duplicated.
        late: the probability that a packet is up to a minute late.
        on_delivery: called after each delivery, with the number of packets delivered.
        forgetful: switches that lost their state while no controller could restore it.
    """

    def __init__(self, loop: Loop, name: str, seed: int, growth: int = HEADROOM) -> None:
        """name: of a network in NETWORKS. growth: the bytes by which its switches let packets grow."""
        self.loop, self.draw = loop, random.Random(seed)
        self.trouble = self.late = 0.0
        self.on_delivery: Callable[[int], None] = lambda _: None
        self.log: list[str] = []
        self._delivered = 0
        self.network = network(name)
        self._sockets: dict[tuple[str, int], Socket] = {}
        self._udp_ports = count(40000)
        self._ports: dict[str, dict[str, int]] = {}
        self.switches: dict[str, SimulatedSwitch] = {}
        for name, (ip, mac) in self.network.addresses.items():
            self.switches[name] = SimulatedSwitch(ip, mac, self._pause, growth)
            ways = self.network.views[name].hosts
            near = [
                each
                for each, host in ways.items()
                if self.network.homes.get(host.ip, name) == name
                and (each not in self.network.addresses or name in self._family(each))
            ]
            self._ports[name] = {each: ways[each].port for each in near}
        self._names = {str(host.ip): host.name for view in self.network.views.values() for host in view.hosts.values()}
        self._channels: list[Channel] = []
        self.controller = Controller(self, 0.0)
        self._writes_left = 0
        self.forgetful: set[str] = set()

    @property
    def roster(self) -> Roster:
        return self.controller.roster

    def channel(self, *_: Any) -> Channel:
        """A worker's connection to the controller."""
        made = Channel(self.loop, lambda: self.controller.service, lambda: self.draw.uniform(0.0005, 0.02))
        self._channels.append(made)
        return made

    def succeed(self, writes: int = 0) -> None:
        """Ends the controller: at once, or before one of its next writes to a switch. After a while the next one takes
        over the jobs on the switches."""
        self._writes_left = writes
        if writes:
            return
        self.controller.kill()
        for channel in self._channels:
            channel.break_off(grpc.StatusCode.UNAVAILABLE, lossy=self.draw.random() < 0.5)
        self.controller = Controller(self, self.draw.uniform(0.0, 0.5))

    def send(self, ip: str, udp_port: int, to: str, payload: bytes) -> None:
        """Sends a packet from a host to a switch."""
        self._travel(
            self._names[ip], self.home(ip), framed(int(IPv4Address(ip)), int(IPv4Address(to)), payload, udp_port)
        )

    def home(self, ip: str) -> str:
        """The switch of a host."""
        return self.network.homes[IPv4Address(ip)]

    def open(self, socket: Socket) -> None:
        self._sockets[socket.ip, socket.port] = socket

    def free_port(self) -> int:
        return next(self._udp_ports)

    def close(self, socket: Socket) -> None:
        self._sockets.pop((socket.ip, socket.port), None)

    def _family(self, switch: str) -> list[str]:
        """A switch's parent and children."""
        parents = self.network.parents
        return [parents.get(switch, ""), *(child for child, parent in parents.items() if parent == switch)]

    def _pause(self) -> None:
        self.loop.sleep(self.loop.time() + self.draw.uniform(0.0, 0.005))
        if self._writes_left:
            self._writes_left -= 1
            if not self._writes_left:
                self.succeed()

    def _travel(self, source: str, to: str, frame: bytes) -> None:
        if self.draw.random() < self.trouble:
            return
        for _ in range(1 + (self.draw.random() < self.trouble)):
            longest = 60.0 if self.draw.random() < self.late else 0.002
            self.loop.call_later(self.draw.uniform(0.0001, longest), self._arrive, source, to, frame)

    def _arrive(self, source: str, to: str, frame: bytes) -> None:
        self._delivered += 1
        self.on_delivery(self._delivered)
        if to in self.switches:
            ports = self._ports[to]
            neighbours = {port: name for name, port in ports.items()}
            now = int(self.loop.time() * 1e6)
            for port, left in self.switches[to].engine.process(Frames.of([(ports[source], frame)]), now=now):
                self._travel(to, neighbours[port], bytes(left))
        else:
            address, udp_port = str(IPv4Address(frame[30:34])), int.from_bytes(frame[36:38], "big")
            if (address, udp_port) in self._sockets:
                self._sockets[address, udp_port].arrive(str(IPv4Address(frame[26:30])), frame[OUTER_BYTES:])


class Socket:
    """A worker's socket on a host of a cluster, with the interface of dropzero.worker.transport.Transport."""

    def __init__(self, cluster: Cluster, ip: str) -> None:
        self.ip, self.port = ip, cluster.free_port()
        self._cluster, self.loop = cluster, cluster.loop
        self._peer = ""
        self._arrived: list[bytes] = []
        self._waiting: Thread | None = None
        cluster.open(self)

    def connect(self, switch: tuple[str, int]) -> None:
        self._peer = switch[0]

    def send(self, payloads: NDArray[np.uint8], rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        for row, length in zip(rows.tolist(), lengths.tolist(), strict=True):
            self._cluster.send(self.ip, self.port, self._peer, payloads[row, :length].tobytes())

    def receive(self, timeout: float) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        loop = self.loop
        if not self._arrived:
            self._waiting = loop.current
            loop.sleep(loop.time() + max(timeout, 0.0))
            self._waiting = None
        arrived, self._arrived = self._arrived, []
        payloads = np.zeros((len(arrived), MAX_PAYLOAD), np.uint8)
        for row, payload in zip(payloads, arrived, strict=True):
            row[: len(payload)] = np.frombuffer(payload, np.uint8)
        return payloads, np.array([len(payload) for payload in arrived], np.int32)

    def arrive(self, source: str, payload: bytes) -> None:
        if source == self._peer:
            self._arrived.append(payload)
            if self._waiting is not None:
                self._waiting.wake()

    def close(self) -> None:
        self._cluster.close(self)


def pump(lanes: Lanes, socket: Socket, until: float, begins: Call | None = None) -> tuple[bool, bool]:
    """Same interface as dropzero.worker.pump.pump."""
    loop = socket.loop
    if begins is not None:
        lanes.start(begins, loop.time())
    while True:
        socket.send(*lanes.outgoing())
        if lanes.done:
            return True, False
        if loop.time() >= until:
            return False, False
        if lanes.deadline <= loop.time():
            lanes.expire(loop.time())
            continue
        payloads, lengths = socket.receive(min(lanes.deadline, until) - loop.time())
        if not len(lengths):
            return False, True
        lanes.receive(payloads, lengths, loop.time())
