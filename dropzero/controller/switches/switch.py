"""The switch program's tables on one switch: the entries for its neighbours and for jobs."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple, Self

from dropzero.controller.jobs.epochs import END, taken_with
from dropzero.controller.jobs.jobs import Job
from dropzero.controller.p4runtime.device import Count, Device, Group
from dropzero.controller.p4runtime.errors import NoProgramError, SwitchError, UnreachableError
from dropzero.controller.switches.rows import FLOOD_GROUP, Found, Parent, Rows, changes, jobs_of
from dropzero.controller.switches.view import SwitchView
from dropzero.p4.names import Entry, P4Info
from dropzero.protocol.wire import HEADROOM, MAX_PAYLOAD, Fate, ranks

DEFAULT_IP = IPv4Address("10.0.0.254")
DEFAULT_MAC = 0x020000_0000FE

DEFAULT_MARK_FROM = 32

_ALL = 1 << 32
"""The unit of the switch's probabilities is 1 / _ALL."""
_NOWHERE = 511
"""v1model's drop port, at which no packet arrives."""


class _Ports(NamedTuple):
    """A table that has a port for each address. key, action: of its entries."""

    table: str
    key: str
    action: str

    def read(self, device: Device) -> dict[int, int]:
        found = {}
        for entry in device.entries(self.table):
            address = entry.match[self.key]
            assert isinstance(address, int)
            found[address] = entry.parameters["port"]
        return found

    def update(self, device: Device, wanted: Mapping[int, int]) -> None:
        """Writes the entries that differ from those wanted."""
        present = self.read(device)
        device.delete(*(self._entry(each, port) for each, port in present.items() if each not in wanted))
        device.modify(*(self._entry(each, port) for each, port in wanted.items() if present.get(each, port) != port))
        device.insert(*(self._entry(each, port) for each, port in wanted.items() if each not in present))

    def _entry(self, address: int, port: int) -> Entry:
        return Entry(self.table, {self.key: address}, self.action, {"port": port})


_STATIONS = _Ports("ingress.forward.station", "hdr.ethernet.destination", "send_to")
"""By MAC address."""
_GUARDED = _Ports("ingress.guard.switch_address", "claimed", "belongs_at")
"""The only port at which packets from an IP address are accepted."""


@dataclass(frozen=True)
class Program:
    """A compiled program: its P4Info and its code."""

    names: P4Info
    code: bytes

    @classmethod
    def read(cls, code: Path, p4info: Path) -> Self:
        """Reads the files. Raises SwitchError if one is missing or has another format."""
        try:
            return cls(P4Info.read(p4info), code.read_bytes())
        except OSError as error:
            raise SwitchError(f"cannot read the compiled program {code}: {error.strerror}") from error

    @property
    def cookie(self) -> int:
        digest = hashlib.sha256(self.names.message.SerializeToString(deterministic=True) + self.code).digest()
        return int.from_bytes(digest[:8], "big") | 1


@dataclass(frozen=True)
class Settings:
    """A switch's settings.

    Attributes:
        ip, mac: its own address.
        uplink_loss, downlink_loss: the probabilities that it drops an incoming or an outgoing packet.
        mark_from: the queue length in packets from which it marks packets (ECN); 0: never.
    """

    ip: IPv4Address = DEFAULT_IP
    mac: int = DEFAULT_MAC
    uplink_loss: float = 0
    downlink_loss: float = 0
    mark_from: int = DEFAULT_MARK_FROM


@dataclass(frozen=True)
class Half:
    """One of a slot's two rounds: bit i is set if rank i has contributed. congested: one of its packets was marked."""

    bitmap: int
    congested: bool = False

    @property
    def seen(self) -> tuple[int, ...]:
        return ranks(self.bitmap)


@dataclass(frozen=True)
class SlotState:
    """A slot's registers.

    Attributes:
        job: the job that owns the slot; None: it is free.
        here: the half that collects the current round.
        other: the half of the round before.
        fresh: the slot is in its job's epoch. If not, no packet has arrived in that epoch: the halves are empty, and
            all members are missing.
        missing: the members that have not contributed to the current round.
    """

    slot: int
    job: int | None
    epoch: int
    round: int
    here: Half
    other: Half
    fresh: bool
    missing: tuple[int, ...]


class Switch:
    """A switch that runs p4src/dropzero.p4. Its methods raise SwitchError and its subclasses.

    Attributes:
        growth: the bytes by which an answer may exceed the packet that causes it.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.growth = HEADROOM
        self._jobs: dict[int, Rows] = {}
        self._taken = 0

    # ---- setup

    def prepare(self, program: Program) -> bool:
        """Makes the switch run the program. Returns True if that had to be pushed: tables and registers are empty."""
        try:
            pushing = self.device.cookie() != program.cookie
        except NoProgramError:
            pushing = True
        if pushing:
            self.device.push(program.names, program.code, program.cookie)
        return pushing

    def configure(self, view: SwitchView, settings: Settings) -> None:
        """Updates the tables that do not depend on jobs, where they differ."""
        self.set_address(settings.ip, settings.mac)
        flood = Group(FLOOD_GROUP, frozenset((host.port, 0) for host in view.hosts.values()))
        present = {group.id: group for group in self.device.groups()}.get(FLOOD_GROUP)
        if present != flood:
            (self.device.insert if present is None else self.device.modify)(flood)
        _STATIONS.update(self.device, {host.mac: host.port for host in view.hosts.values()})
        self._set_default(_STATIONS.table, "flood", {"group": FLOOD_GROUP})
        switches = {int(each.ip): each.port for each in view.hosts.values() if each.is_switch}
        _GUARDED.update(self.device, switches | {int(settings.ip): _NOWHERE})
        self.set_loss(settings.uplink_loss, settings.downlink_loss)
        self.set_marking(settings.mark_from)
        self.set_growth(min(self.device.growth(), MAX_PAYLOAD))

    def set_address(self, ip: IPv4Address, mac: int) -> None:
        """Sets the address that workers send to. Taken epochs stay taken."""
        self._set_default("address", "set_address", {"mac": mac, "ip": int(ip), "epochs": self.taken()})
        others = {address: port for address, port in _GUARDED.read(self.device).items() if port != _NOWHERE}
        _GUARDED.update(self.device, others | {int(ip): _NOWHERE})

    def set_loss(self, uplink: float | None, downlink: float | None) -> None:
        """Sets the probabilities of loss; None keeps one."""
        for link, loss in (("uplink", uplink), ("downlink", downlink)):
            if loss is not None:
                probability = min(round(loss * _ALL), _ALL - 1)
                self._set_default(f"{link}.probability", f"{link}.drop_with", {"probability": probability})

    def set_marking(self, packets: int) -> None:
        self._set_default("mark.queue", "mark.mark_from", {"packets": packets})

    def set_growth(self, size: int) -> None:
        """Sets `growth`; a longer result is split in two."""
        self.growth = size
        self._set_default("reply.growth", "reply.grow_by", {"bytes": size})

    def reset_counters(self) -> None:
        self.device.zero_counter("fate")
        self.device.zero_counter("delivery")

    def learn(self) -> list[Found]:
        """Reads the jobs on the switch: see `jobs_of`. Removes rows that belong to no job."""
        rows = self._read()
        found = jobs_of(rows)
        self._jobs = {job.id: _part(rows, job.id, _groups(Rows.of(job))) for job, *_ in found}
        known = [each.needs for each in self._jobs.values()]
        stray = {key: each for key, each in rows.needs.items() if not any(key in needs for needs in known)}
        self.device.delete(*stray.values())
        return found

    def sync(self, number: int, job: Job | None, parent: Parent | None = None) -> None:
        """Updates a job's rows on the switch where they differ; None removes them.

        Starts from the rows that `learn` found and `sync` has changed since. Also removes other jobs that still hold
        slots of this one: they are over, or get new slots later. Of a new job that the switch refuses, removes what it
        has accepted.
        """
        if job is not None:
            self._take(job.epoch)
        after = Rows() if job is None else Rows.of(job, parent)
        slots = after.slots
        for other in [each for each, rows in self._jobs.items() if each != number and not slots.isdisjoint(rows.slots)]:
            self.sync(other, None)
        before = self._jobs.get(number, Rows())
        try:
            for verb, entities in changes(before, after):
                write = {"insert": self.device.insert, "modify": self.device.modify, "delete": self.device.delete}[verb]
                write(*entities)
        except UnreachableError:
            raise
        except SwitchError:
            self._jobs[number] = _part(self._read(), number, _groups(before, after))
            if not before.jobs:
                with suppress(SwitchError):
                    self.sync(number, None)
            raise
        if job is None:
            self._jobs.pop(number, None)
        else:
            self._jobs[number] = after

    def _take(self, epoch: int) -> None:
        """Records on the switch that an epoch is taken, before its first use."""
        if epoch < self._taken:
            return
        if epoch >= END:
            raise SwitchError(
                f"the switch at {self.device.address} has used up its epochs: restart it and the controller"
            )
        has = self.device.default("address").parameters
        taken = max(has.get("epochs", 0), taken_with(epoch))
        self._set_default("address", "set_address", {**has, "epochs": taken})
        self._taken = taken

    def _read(self) -> Rows:
        return Rows.read(self.device.entries(), self.device.groups())

    def _set_default(self, table: str, action: str, parameters: dict[str, int]) -> None:
        if self.device.default(table).parameters != parameters:
            self.device.set_default(table, action, parameters)

    # ---- reading

    def address(self) -> tuple[IPv4Address, int]:
        """The switch's own IP and MAC address."""
        has = self.device.default("address").parameters
        return IPv4Address(has.get("ip", 0)), has.get("mac", 0)

    def taken(self) -> int:
        """The number below which all epochs are taken: slots may contain them."""
        return self.device.default("address").parameters.get("epochs", 0)

    def loss(self) -> tuple[float, float]:
        """The probabilities that a packet is lost on the way in, and on the way out."""
        up, down = (self.device.default(f"{link}.probability").parameters for link in ("uplink", "downlink"))
        return up.get("probability", 0) / _ALL, down.get("probability", 0) / _ALL

    def marking(self) -> int:
        """The queue length in packets from which packets are marked; 0 for never."""
        return self.device.default("mark.queue").parameters.get("packets", 0)

    def stations(self) -> dict[int, int]:
        """The port of each MAC address."""
        return _STATIONS.read(self.device)

    def flooded(self) -> list[int]:
        """The ports that receive broadcast and unknown traffic."""
        return sorted(port for group in self.device.groups() if group.id == FLOOD_GROUP for port, _ in group.replicas)

    def fates(self) -> dict[Fate, Count]:
        """Counts of packets on the way in, by fate."""
        cells = self.device.counter("fate")
        return {fate: cells[fate] for fate in Fate}

    def deliveries(self) -> dict[str, int]:
        """Counts of packets on the way out, by outcome."""
        names = ("delivered", "lost", "unaddressed")
        return {name: cell.packets for name, cell in zip(names, self.device.counter("delivery"), strict=True)}

    def jobs(self) -> list[Job]:
        """The jobs whose rows are on the switch, by id."""
        return [found.job for found in jobs_of(self._read())]

    def slots(self) -> dict[int, SlotState]:
        """The slots of the jobs on the switch. Raises UnsupportedError if the switch, such as BMv2, does not let
        registers be read."""
        return self._slots({slot: job for job in self.jobs() for slot in job.here})

    def slot(self, number: int) -> SlotState:
        """One slot, whether or not it is a job's. Raises UnsupportedError as `slots` does, and SwitchError for a number
        out of range."""
        size = self.device.p4info.register("slot.epoch").size
        if number >= size:
            raise SwitchError(f"there is no slot {number}: the switch has {size}")
        return self._slots({number: next((job for job in self.jobs() if number in job.here), None)})[number]

    def _slots(self, jobs: Mapping[int, Job | None]) -> dict[int, SlotState]:
        """The state of these slots. jobs: the job of each slot."""
        epochs, rounds = (self.device.register(f"slot.{name}", list(jobs)) for name in ("epoch", "round"))
        # Skip halves of other epochs: they belong to no job, and reading them would take most of the time.
        fresh = (slot for slot, job in jobs.items() if job is None or job.epoch == epochs[slot])
        halves = [half for slot in fresh for half in (2 * slot, 2 * slot + 1)]
        seen, congested = (self.device.register(f"slot.{name}", halves) for name in ("seen", "congested"))
        found = defaultdict(lambda: Half(0), {half: Half(seen[half], bool(congested[half])) for half in halves})
        return {
            slot: _slot(slot, job, epochs[slot], rounds[slot], (found[2 * slot], found[2 * slot + 1]))
            for slot, job in jobs.items()
        }


def _slot(slot: int, job: Job | None, epoch: int, number: int, halves: tuple[Half, Half]) -> SlotState:
    here, other = halves if number % 2 == 0 else reversed(halves)
    fresh = job is not None and job.epoch == epoch
    members = job.members if job is not None else ()
    missing = tuple(rank for rank in members if not fresh or rank not in here.seen)
    return SlotState(slot, job.id if job else None, epoch, number, here, other, fresh, missing)


def _part(rows: Rows, job: int, groups: Collection[int]) -> Rows:
    """One job's rows. groups: the ids of its multicast groups."""
    return Rows(
        {key: each for key, each in rows.jobs.items() if each.match == {"hdr.dropzero.job": job}},
        {
            key: each
            for key, each in rows.needs.items()
            if (each.id in groups if isinstance(each, Group) else each.match["hdr.dropzero.job"] == job)
        },
    )


def _groups(*parts: Rows) -> set[int]:
    return {each.id for part in parts for each in part.needs.values() if isinstance(each, Group)}
