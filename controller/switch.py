"""The aggregation program's tables on one switch: what they hold for a network and for its jobs."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address

from protocol.wire import Fate

from .jobs import Job
from .p4info import Entry
from .p4runtime import Count, Device, Group
from .topology import Topology

DEFAULT_IP = IPv4Address("10.0.0.254")
DEFAULT_MAC = 0x020000_0000FE

FLOOD_GROUP = 1
"""Every port's. The jobs' groups come after it: see `_group`."""
SECOND_PART = 0x100
"""Set in the instance of a copy that is the second part of a result."""


def _group(slots: range) -> int:
    """The first of a running job's two multicast groups, from its slots, which no other job has."""
    return FLOOD_GROUP + 1 + 2 * slots.start


@dataclass(frozen=True)
class Admitted:
    """A worker as the switch knows it."""

    rank: int
    port: int
    ip: IPv4Address


@dataclass(frozen=True)
class Installed:
    """A job as the switch knows it."""

    id: int
    epoch: int
    slots: range
    workers: tuple[Admitted, ...]


@dataclass(frozen=True)
class SlotState:
    """What a slot's registers say: the round being collected, and the ranks that have sent theirs for it."""

    epoch: int
    round: int
    seen: tuple[int, ...]


class Switch:
    """A switch that runs p4src/dropzero.p4. All methods raise SwitchError and its kinds."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def configure(
        self, topology: Topology, ip: IPv4Address, mac: int, uplink_loss: float = 0, downlink_loss: float = 0
    ) -> None:
        """The switch's own address, its stations, and the probability that a packet is lost on its way in or out."""
        hosts = topology.hosts.values()
        self.device.set_default("address", "set_address", {"mac": mac, "ip": int(ip)})
        self.device.insert(
            Group(FLOOD_GROUP, frozenset((host.port, 0) for host in hosts)),
            *(
                Entry("forward.station", {"hdr.ethernet.destination": host.mac}, "send_to", {"port": host.port})
                for host in hosts
            ),
        )
        self.device.set_default("forward.station", "flood", {"group": FLOOD_GROUP})
        for link, loss in (("uplink", uplink_loss), ("downlink", downlink_loss)):
            probability = min(round(loss * 2**32), 2**32 - 1)
            self.device.set_default(f"{link}.probability", f"{link}.drop_with", {"probability": probability})

    def install(self, job: Job) -> None:
        """Lets the job's packets in. Its own row comes last: before it, the switch knows no such job."""
        self.device.insert(*self._multicast(job), *self._workers(job))
        self.device.insert(self._row(job))

    def remove(self, job: Job) -> None:
        """Undoes `install`, in reverse."""
        try:
            self.device.delete(self._row(job))
        finally:
            self.device.delete(*self._multicast(job), *self._workers(job))

    @staticmethod
    def _row(job: Job) -> Entry:
        row = {
            "epoch": job.epoch,
            "members": (1 << job.size) - 1,
            "first_slot": job.slots.start,
            "lanes": len(job.slots),
            "group": _group(job.slots),
        }
        return Entry("admission.job", {"hdr.dropzero.job": job.id}, "found_job", row)

    @staticmethod
    def _multicast(job: Job) -> tuple[Group, Group]:
        """For whole results, and for those in two parts. A copy's instance has the rank of the worker it is for."""
        first = {(worker.port, rank) for rank, worker in enumerate(job.workers)}
        second = {(port, rank | SECOND_PART) for port, rank in first}
        group = _group(job.slots)
        return Group(group, frozenset(first)), Group(group + 1, frozenset(first | second))

    @staticmethod
    def _workers(job: Job) -> list[Entry]:
        entries = []
        for rank, worker in enumerate(job.workers):
            entries.append(
                Entry(
                    "admission.worker",
                    {"hdr.dropzero.job": job.id, "hdr.dropzero.worker": rank},
                    "found_worker",
                    {"lives_on": worker.port, "has_address": int(worker.ip)},
                )
            )
            entries.append(
                Entry(
                    "replica.receiver",
                    {"hdr.dropzero.job": job.id, "hdr.dropzero.worker": rank},
                    "deliver_to",
                    {"mac": worker.mac, "ip": int(worker.ip), "port": worker.udp_port},
                )
            )
        return entries

    def fates(self) -> dict[Fate, Count]:
        """What became of the packets that came in."""
        cells = self.device.counter("fate")
        return {fate: cells[fate] for fate in Fate}

    def deliveries(self) -> dict[str, int]:
        """What became of the packets on their way out, in packets."""
        names = ("delivered", "lost", "unaddressed")
        return {name: cell.packets for name, cell in zip(names, self.device.counter("delivery"), strict=True)}

    def jobs(self) -> list[Installed]:
        """The jobs whose rows are on the switch, by id."""
        workers: dict[int, list[Admitted]] = {}
        for entry in self.device.entries("admission.worker"):
            ip = IPv4Address(entry.parameters["has_address"])
            worker = Admitted(_exact(entry, "hdr.dropzero.worker"), entry.parameters["lives_on"], ip)
            workers.setdefault(_exact(entry, "hdr.dropzero.job"), []).append(worker)
        found = []
        for entry in self.device.entries("admission.job"):
            job, row = _exact(entry, "hdr.dropzero.job"), entry.parameters
            slots = range(row["first_slot"], row["first_slot"] + row["lanes"])
            admitted = sorted(workers.get(job, []), key=lambda worker: worker.rank)
            found.append(Installed(job, row["epoch"], slots, tuple(admitted)))
        return sorted(found, key=lambda job: job.id)

    def slots(self) -> dict[int, SlotState]:
        """The slots of the jobs on the switch.

        Raises:
            UnsupportedError: the switch does not show its registers; BMv2 does not.
        """
        epoch, rounds, seen = (self.device.register(f"slot.{name}") for name in ("epoch", "round", "seen"))
        return {
            slot: SlotState(epoch[slot], rounds[slot], _ranks(seen[2 * slot + rounds[slot] % 2]))
            for job in self.jobs()
            for slot in job.slots
        }


def _exact(entry: Entry, key: str) -> int:
    value = entry.match[key]
    assert isinstance(value, int)
    return value


def _ranks(mask: int) -> tuple[int, ...]:
    return tuple(rank for rank in range(32) if mask >> rank & 1)
