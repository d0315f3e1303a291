"""A switch in this process, on the compiled program, with a job set up as the controller sets it up; no sockets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path

from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.p4runtime.device import Group
from dropzero.controller.switches.rows import Parent, Rows, changes
from dropzero.files import COMPILED
from dropzero.p4.names import Entry
from dropzero.protocol.packet import datagram_headers
from dropzero.protocol.wire import OUTER_BYTES, UDP_PORT, Fate
from dropzero.simulator.tree import EPOCH, JOB, Node
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import ActionCall, Exact, Program
from dropzero.softswitch.state.tables.tables import Table

MAC = 0x0200000000FE
FIRST_SLOT = 100
PARENT_PORT = 300


@cache
def program(compiled: Path = COMPILED) -> Program:
    return load_program(compiled / "dropzero.json" if compiled.is_dir() else compiled)


def ip(number: int) -> int:
    return int(IPv4Address("10.0.0.0")) + number


class InProcessDevice:
    """The part of dropzero.controller.p4runtime.device.Device that a job's rows need."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held: dict[object, Entry | Group] = {}

    def insert(self, *entities: Entry | Group) -> None:
        for each in entities:
            self._put(each, Table.insert, held=False)

    def modify(self, *entities: Entry | Group) -> None:
        for each in entities:
            self._put(each, Table.modify, held=True)

    def delete(self, *entities: Entry | Group) -> None:
        for each in entities:
            del self._held[self._key(each)]
            if isinstance(each, Group):
                self._engine.multicast.delete(each.id)
            else:
                table, match, _ = self._row(each)
                table.delete(match)

    def set_default(self, table: str, action: str, parameters: Mapping[str, int]) -> None:
        held = self._engine.tables[f"ingress.{table}"]
        names = [each.name for each in held.actions[f"ingress.{action}"].parameters]
        held.set_default(f"ingress.{action}", tuple(parameters[name] for name in names))

    def default(self, table: str) -> Entry:
        held = self._engine.tables[f"ingress.{table}"]
        assert isinstance(held.default, ActionCall)
        action = held.default.action
        names = [each.name for each in held.actions[action].parameters]
        return Entry(f"ingress.{table}", {}, action, dict(zip(names, held.default.parameters, strict=True)))

    def entries(self) -> list[Entry]:
        return [each for each in self._held.values() if isinstance(each, Entry)]

    def groups(self) -> list[Group]:
        return [each for each in self._held.values() if isinstance(each, Group)]

    def _put(self, entity: Entry | Group, write: Callable[..., object], *, held: bool) -> None:
        assert (self._key(entity) in self._held) == held
        if isinstance(entity, Group):
            self._engine.multicast.set(entity.id, sorted(entity.replicas))
        else:
            table, match, parameters = self._row(entity)
            write(table, match, entity.action, parameters)
        self._held[self._key(entity)] = entity

    def _row(self, entry: Entry) -> tuple[Table, tuple[Exact, ...], tuple[int, ...]]:
        table = self._engine.tables[entry.table]
        match = []
        for key in table.keys:
            value = entry.match[key.name]
            assert isinstance(value, int)
            match.append(Exact(value))
        names = [each.name for each in table.actions[entry.action].parameters]
        return table, tuple(match), tuple(entry.parameters[name] for name in names)

    @staticmethod
    def _key(entity: Entry | Group) -> object:
        return entity.id if isinstance(entity, Group) else (entity.table, tuple(entity.match.items()))


def framed(source: int, destination: int, payload: bytes, udp_port: int = UDP_PORT, ecn: int = 0) -> bytes:
    """The frame that a node sends to a switch from its UDP port. ecn: bits of the IP header."""
    headers = datagram_headers(source, destination, (udp_port, UDP_PORT), len(payload), ecn)
    return MAC.to_bytes(6, "big") + bytes(6) + b"\x08\x00" + headers + payload


class InProcessSwitch:
    """A switch with a job on it, whose workers are on ports 1 and up.

    Args:
        own: its address. peers: the addresses of its neighbours, the job's workers in the order of their ranks.
        parent, rank: on a leaf, its parent, and its worker number there.
        compiled: the folder with its program, or the JSON file.
    """

    def __init__(
        self,
        workers: list[Node],
        lanes: int,
        own: int = ip(254),
        peers: Mapping[Node, int] | None = None,
        parent: Node | None = None,
        rank: int = 0,
        compiled: Path = COMPILED,
    ) -> None:
        self.workers, self.lanes, self.own, self.parent, self._compiled = workers, lanes, own, parent, compiled
        self._above: dict[Node, Parent] = {}
        self.peers: Mapping[Node, int] = peers or {worker: ip(1 + i) for i, worker in enumerate(workers)}
        self.ports: dict[Node, int] = {}
        for worker in workers:
            self.attach(worker)
        if parent is not None:
            self.join(parent, rank)
        self.start()
        self.enter(EPOCH)

    def join(self, parent: Node, rank: int = 0) -> None:
        """Links the switch to one above it. rank: its worker number there."""
        port = self.ports[parent] = PARENT_PORT + len(self._above)
        self._above[parent] = Parent(port, MAC, IPv4Address(self.peers[parent]), rank)

    def start(self) -> None:
        """Starts or restarts the switch without state."""
        self.make()
        self.engine.tables["ingress.address"].set_default("ingress.set_address", (MAC, self.own, 0))
        self.device = InProcessDevice(self.engine)
        self._rows: dict[int, Rows] = {}
        """By the number of the job."""

    def make(self) -> None:
        """Makes the engine."""
        self.engine = Engine(program(self._compiled), seed=1)

    def enter(self, epoch: int, ranks: Collection[int] | None = None) -> None:
        """Starts an epoch with these workers, or all of them, as a controller does."""
        for _ in self.entering(epoch, ranks):
            pass

    def entering(self, epoch: int, ranks: Collection[int] | None = None) -> Iterator[None]:
        """The same, one write at a time."""
        slots = range(FIRST_SLOT, FIRST_SLOT + self.lanes)
        up = None if self.parent is None else self._above[self.parent]
        yield from self.change(0, self.rows_of(0, self.workers, epoch, slots, ranks, up))

    def place(
        self, number: int, workers: list[Node], epoch: int, slots: range | None, above: tuple[Node, int] | None = None
    ) -> None:
        """Gives a job, by its number, these slots in an epoch, or takes it off. Those workers that are not yet here are
        on the next ports. above: the switch above for this job, and the worker number there; None: there is none."""
        for worker in workers:
            self.attach(worker)
        up = None if above is None else replace(self._above[above[0]], number=above[1])
        for _ in self.change(number, Rows() if slots is None else self.rows_of(number, workers, epoch, slots, up=up)):
            pass

    def attach(self, node: Node, like: Node | None = None) -> None:
        """Gives a neighbour the next port, or that of another neighbour, unless it has one."""
        port = 1 + len({port for port in self.ports.values() if port < PARENT_PORT})
        self.ports.setdefault(node, port if like is None else self.ports.get(like, port))

    def rows_of(
        self,
        number: int,
        workers: list[Node],
        epoch: int,
        slots: range,
        ranks: Collection[int] | None = None,
        up: Parent | None = None,
    ) -> Rows:
        """The rows of a job with these workers, or only those with these ranks. up: the switch above."""
        members = {
            rank: Worker(IPv4Address(self.peers[worker]), self.peers[worker], UDP_PORT, self.ports[worker], leaf=rank)
            for rank, worker in enumerate(workers)
            if ranks is None or rank in ranks
        }
        return Rows.of(Job(JOB + number, epoch, len(workers), len(slots), {}, members, here=slots), up)

    def change(self, number: int, after: Rows) -> Iterator[None]:
        before, self._rows[number] = self._rows.get(number, Rows()), after
        for verb, entities in changes(before, after):
            if entities:
                yield getattr(self.device, verb)(*entities)

    def receive(self, sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        """Processes a neighbour's payload. Returns (node, payload) of the packets that leave."""
        frame = framed(self.peers[sender], self.own, payload)
        left = self.engine.process(Frames.of([(self.ports[sender], frame)]), now=0)
        nodes = {port: node for node, port in self.ports.items()}
        return [(nodes[port], frame[OUTER_BYTES:]) for port, frame in left]

    def forward(self, stations: Mapping[int, int], others: int | None) -> None:
        """Forwards packets by their Ethernet destination, as the controller lets it: to the port of each station, and
        all others to the port `others`; None: to none. Raises ValueError if there are too many stations."""
        most = self.engine.tables["ingress.forward.station"].size
        if len(stations) > most:
            raise ValueError(
                f"a switch forwards to up to {most} addresses, not {len(stations)}: have fewer hosts or spines"
            )
        for mac, port in stations.items():
            match = {"hdr.ethernet.destination": mac}
            self.device.insert(Entry("ingress.forward.station", match, "ingress.forward.send_to", {"port": port}))
        if others is not None:
            self.device.set_default("forward.station", "forward.send_to", {"port": others})

    def fates(self) -> dict[Fate, int]:
        """The non-zero counts of packets, by fate."""
        counted = self.engine.counters["ingress.fate"].packets.tolist()
        return {fate: counted[fate] for fate in Fate if counted[fate]}


class Aggregator(InProcessSwitch):
    """The same program on a host, as `dropzero aggregator` runs it: all packets come and go through one port."""

    def attach(self, node: Node, like: Node | None = None) -> None:
        self.ports[node] = 1
