"""The compiled program in this process: no sockets, and so thousands of packets a second for tests that need many."""

from __future__ import annotations

import struct
from functools import cache
from ipaddress import IPv4Address

from protocol.wire import OUTER_BYTES, UDP_PORT, Fate
from softswitch.engine import Engine
from softswitch.frames import Frames
from softswitch.program import Exact, Program
from tests.p4src.bench import COMPILED

SWITCH_IP, SWITCH_MAC = int(IPv4Address("10.0.0.254")), 0x0200000000FE
GROUP, FIRST_SLOT = 9, 100


@cache
def program() -> Program:
    return Program.load(COMPILED / "dropzero.json")


def address(worker: int) -> int:
    return int(IPv4Address("10.0.0.1")) + worker


class InProcessSwitch:
    """A job in one epoch, its workers on ports 1 and up."""

    def __init__(self, job: int, epoch: int, workers: int, lanes: int) -> None:
        self.engine = Engine(program(), seed=1)
        self.job, self.workers, self.lanes = job, workers, lanes
        tables = self.engine.tables
        tables["ingress.address"].set_default("ingress.set_address", (SWITCH_MAC, SWITCH_IP))
        for worker in range(workers):
            tables["ingress.admission.worker"].insert(
                (Exact(job), Exact(worker)), "ingress.admission.found_worker", (worker + 1, address(worker))
            )
            tables["egress.replica.receiver"].insert(
                (Exact(job), Exact(worker)), "egress.replica.deliver_to", (worker, address(worker), 40000 + worker)
            )
        copies = [(worker + 1, worker) for worker in range(workers)]
        self.engine.multicast.set(GROUP, copies)
        self.engine.multicast.set(GROUP + 1, [(port, id | part) for port, id in copies for part in (0, 0x100)])
        self.enter(epoch)

    def enter(self, epoch: int) -> None:
        """Starts an epoch, as a controller does: by the job's row alone."""
        table, key = self.engine.tables["ingress.admission.job"], (Exact(self.job),)
        row = (epoch, (1 << self.workers) - 1, FIRST_SLOT, self.lanes, GROUP)
        change = table.modify if any(table.entries()) else table.insert
        change(key, "ingress.admission.found_job", row)

    def receive(self, worker: int, payload: bytes) -> list[tuple[int, bytes]]:
        """Takes in what a worker sends; (worker, payload) of what leaves."""
        udp = struct.pack("!HHHH", 40000 + worker, UDP_PORT, len(payload) + 8, 0)
        words = (0x4500, len(payload) + 28, 0, 0, 0x4011, 0, *divmod(address(worker), 65536), *divmod(SWITCH_IP, 65536))
        total = sum(words)
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        ip = struct.pack("!10H", *words[:5], total ^ 0xFFFF, *words[6:])
        ethernet = SWITCH_MAC.to_bytes(6, "big") + worker.to_bytes(6, "big") + b"\x08\x00"
        left = self.engine.process(Frames.of([(worker + 1, ethernet + ip + udp + payload)]), now=0)
        return [(port - 1, frame[OUTER_BYTES:]) for port, frame in left]

    def fates(self) -> dict[Fate, int]:
        """What became of the packets, as far as that was anything."""
        counted = self.engine.counters["ingress.fate"].packets.tolist()
        return {fate: counted[fate] for fate in Fate if counted[fate]}
