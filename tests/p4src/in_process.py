"""The compiled program in this process: no sockets, and so thousands of packets a second for tests that need many."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache
from ipaddress import IPv4Address

from protocol.wire import OUTER_BYTES, UDP_PORT, Fate
from softswitch.engine import Engine
from softswitch.frames import Frames
from softswitch.program import Exact, Program
from tests.p4src.bench import COMPILED
from tests.protocol.network import EPOCH, JOB, SPINE, Fabric, Node, Switch

MAC = 0x0200000000FE
GROUP, FIRST_SLOT = 9, 100
PARENT_PORT = 300


@cache
def program() -> Program:
    return Program.load(COMPILED / "dropzero.json")


def ip(number: int) -> int:
    return int(IPv4Address("10.0.0.0")) + number


class InProcessSwitch:
    """A switch with a job on it, whose workers are on ports 1 and up.

    Args:
        own: its address; `peers`: those of the nodes around it, the job's workers in the order of their ranks.
        parent, rank: on a leaf, the node that is its parent and which of its workers this switch is.
    """

    def __init__(
        self,
        workers: list[Node],
        lanes: int,
        own: int = ip(254),
        peers: Mapping[Node, int] | None = None,
        parent: Node | None = None,
        rank: int = 0,
    ) -> None:
        self.engine = Engine(program(), seed=1)
        self.workers, self.lanes, self.own, self.parent, self.rank = workers, lanes, own, parent, rank
        self.peers: Mapping[Node, int] = peers or {worker: ip(1 + i) for i, worker in enumerate(workers)}
        self.ports = {worker: i + 1 for i, worker in enumerate(workers)}
        if parent is not None:
            self.ports[parent] = PARENT_PORT
        tables = self.engine.tables
        tables["ingress.address"].set_default("ingress.set_address", (MAC, own))
        for i, worker in enumerate(workers):
            key = (Exact(JOB), Exact(i))
            row = (self.ports[worker], self.peers[worker])
            tables["ingress.admission.worker"].insert(key, "ingress.admission.found_worker", row)
            receiver = (i, self.peers[worker], UDP_PORT)
            tables["egress.replica.receiver"].insert(key, "egress.replica.deliver_to", receiver)
        copies = [(self.ports[worker], i) for i, worker in enumerate(workers)]
        self.engine.multicast.set(GROUP, copies)
        self.engine.multicast.set(GROUP + 1, [(port, id | part) for port, id in copies for part in (0, 0x100)])
        self.enter(EPOCH)

    def enter(self, epoch: int) -> None:
        """Starts an epoch, as a controller does: by the job's row alone."""
        table = self.engine.tables["ingress.admission.job"]
        change = table.modify if any(table.entries()) else table.insert
        row = (epoch, (1 << len(self.workers)) - 1, FIRST_SLOT, self.lanes, GROUP)
        if self.parent is None:
            change((Exact(JOB),), "ingress.admission.found_job", row)
        else:
            up = (PARENT_PORT, MAC, self.peers[self.parent], self.rank)
            change((Exact(JOB),), "ingress.admission.found_leaf", row + up)

    def receive(self, sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        """Takes in what a node around it sends; (node, payload) of what leaves."""
        udp = struct.pack("!HHHH", UDP_PORT, UDP_PORT, len(payload) + 8, 0)
        addresses = (*divmod(self.peers[sender], 65536), *divmod(self.own, 65536))
        words = (0x4500, len(payload) + 28, 0, 0, 0x4011, 0, *addresses)
        total = sum(words)
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        header = struct.pack("!10H", *words[:5], total ^ 0xFFFF, *words[6:])
        frame = MAC.to_bytes(6, "big") + bytes(6) + b"\x08\x00" + header + udp + payload
        left = self.engine.process(Frames.of([(self.ports[sender], frame)]), now=0)
        nodes = {port: node for node, port in self.ports.items()}
        return [(nodes[port], frame[OUTER_BYTES:]) for port, frame in left]

    def fates(self) -> dict[Fate, int]:
        """What became of the packets, as far as that was anything."""
        counted = self.engine.counters["ingress.fate"].packets.tolist()
        return {fate: counted[fate] for fate in Fate if counted[fate]}


def rack(workers: int, lanes: int) -> Fabric:
    """One rack on one compiled program."""
    return Fabric({"switch": InProcessSwitch(list(range(workers)), lanes).receive}, ["switch"] * workers)


def tree(racks: int, workers: int, lanes: int) -> Fabric:
    """Racks on leaves and a spine, each a compiled program."""
    leaves: list[Node] = [f"leaf{i}" for i in range(racks)]
    addresses: dict[Node, int] = {leaf: ip(200 + i) for i, leaf in enumerate(leaves)} | {SPINE: ip(254)}
    switches: dict[Node, Switch] = {SPINE: InProcessSwitch(leaves, lanes, addresses[SPINE], addresses).receive}
    for i, leaf in enumerate(leaves):
        inside: list[Node] = list(range(i * workers, (i + 1) * workers))
        peers = {node: ip(1 + at) for at, node in enumerate(inside)} | addresses
        switches[leaf] = InProcessSwitch(inside, lanes, addresses[leaf], peers, SPINE, i).receive
    return Fabric(switches, [leaf for leaf in leaves for _ in range(workers)])
