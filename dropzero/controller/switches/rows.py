"""A job as table rows and multicast groups of a switch, and the order of the writes that change them.

The job's own row admits its packets and names its epoch. The rows and groups that it needs are written before it; those
that it no longer needs are removed after it. So to packets, each change of a job is the change of one row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from ipaddress import IPv4Address
from typing import Any, Literal, NamedTuple, Self

from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.p4runtime.device import Group
from dropzero.membership.ending import Ending, Kind
from dropzero.p4.names import Entry
from dropzero.protocol.wire import ranks

JOB_TABLE = "ingress.admission.job"
WORKER_TABLE = "ingress.admission.worker"
RECEIVER_TABLE = "egress.replica.receiver"
LEAF_ACTION = "ingress.admission.found_leaf"

FLOOD_GROUP = 1
"""The group of all ports. The jobs' groups follow it: see `_group`."""
SECOND_PART = 0x100
"""The bit in a copy's instance that marks the second part of a result."""

Verb = Literal["insert", "modify", "delete"]
Key = tuple[object, ...]


def _group(slots: range) -> int:
    """The first of a job's two multicast groups: numbered by the job's first slot, so that no two jobs share it."""
    return FLOOD_GROUP + 1 + 2 * slots.start


def _key(entity: Entry | Group) -> Key:
    if isinstance(entity, Group):
        return ("group", entity.id)
    return (entity.table, *sorted(entity.match.items()))


@dataclass(frozen=True)
class Parent:
    """A leaf's parent switch: its port and address, and the number and secret that the leaf has there."""

    port: int
    mac: int
    ip: IPv4Address
    number: int
    secret: int = 0


@dataclass(frozen=True)
class Rows:
    """Jobs' own rows, and the rows and groups that these need."""

    jobs: Mapping[Key, Entry] = field(default_factory=dict)
    needs: Mapping[Key, Entry | Group] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job, parent: Parent | None = None) -> Self:
        """The rows of a job. parent: on a leaf, the switch above it."""
        row = _row(job, parent)
        needs: list[Entry | Group] = [*_multicast(job), *_workers(job)]
        return cls({_key(row): row}, {_key(each): each for each in needs})

    @classmethod
    def read(cls, entries: Iterable[Entry], groups: Iterable[Group]) -> Self:
        """The rows of all jobs, from all entries and groups of a switch."""
        entries = list(entries)
        needs: list[Entry | Group] = [each for each in entries if each.table in (WORKER_TABLE, RECEIVER_TABLE)]
        needs += (group for group in groups if group.id > FLOOD_GROUP)
        jobs = (each for each in entries if each.table == JOB_TABLE)
        return cls({_key(each): each for each in jobs}, {_key(each): each for each in needs})

    @property
    def slots(self) -> set[int]:
        """The jobs' slots."""
        return {slot for row in self.jobs.values() for slot in _slots(row)}


def changes(before: Rows, after: Rows) -> Iterator[tuple[Verb, list[Entry | Group]]]:
    """Yields the writes, in order, that turn `before` into `after`. A job starts and ends by one write. In between, its
    own row is not in one write with what it needs: a switch carries out the updates after one that it refuses."""
    if not (before.jobs or before.needs):
        yield "insert", [*after.needs.values(), *after.jobs.values()]
        return
    if not (after.jobs or after.needs):
        yield "delete", [*before.jobs.values(), *before.needs.values()]
        return
    added = [each for key, each in after.needs.items() if key not in before.needs]
    widened: dict[Key, Entry | Group] = {}
    for key, each in after.needs.items():
        was = before.needs.get(key)
        if isinstance(was, Group) and isinstance(each, Group):
            both = Group(each.id, was.replicas | each.replicas)
            if both != was:
                widened[key] = both
        elif was is not None and was != each:
            widened[key] = each
    yield "insert", added
    yield "modify", list(widened.values())
    yield "delete", [each for key, each in before.jobs.items() if key not in after.jobs]
    yield "modify", [each for key, each in after.jobs.items() if before.jobs.get(key, each) != each]
    yield "insert", [each for key, each in after.jobs.items() if key not in before.jobs]
    present = {**before.needs, **widened}
    yield "modify", [each for key, each in after.needs.items() if present.get(key, each) != each]
    yield "delete", [each for key, each in before.needs.items() if key not in after.needs]


# ---- a job as rows


def _row(job: Job, parent: Parent | None) -> Entry:
    row = {
        "epoch": job.epoch,
        "members": sum(1 << job.number(rank) for rank in job.workers),
        "first_slot": job.here.start,
        "lanes": len(job.here),
        "group": _group(job.here),
    }
    action = "ingress.admission.found_job"
    if parent is not None:
        action = LEAF_ACTION
        row |= {
            "parent_port": parent.port,
            "parent_mac": parent.mac,
            "parent_ip": int(parent.ip),
            "rank": parent.number,
            "own_secret": parent.secret,
        }
    return Entry(JOB_TABLE, {"hdr.dropzero.job": job.id}, action, row, note=_note(job))


def _slots(row: Entry) -> range:
    first = row.parameters["first_slot"]
    return range(first, first + row.parameters["lanes"])


def _multicast(job: Job) -> tuple[Group, Group]:
    """The job's two groups: for whole results, and for results in two parts. A copy's instance is its worker's
    number."""
    first = frozenset((worker.port, job.number(rank)) for rank, worker in job.workers.items())
    second = frozenset((port, number | SECOND_PART) for port, number in first)
    group = _group(job.here)
    return Group(group, first), Group(group + 1, first | second)


def _workers(job: Job) -> Iterator[Entry]:
    for rank, worker in sorted(job.workers.items()):
        match = {"hdr.dropzero.job": job.id, "hdr.dropzero.worker": job.number(rank)}
        address = int(worker.ip)
        lives = {
            "lives_on": worker.port,
            "has_address": address,
            "sends_from": worker.udp_port,
            "has_secret": worker.secret,
            "leaf": int(worker.leaf is not None),
        }
        yield Entry(WORKER_TABLE, match, "ingress.admission.found_worker", lives)
        receives = {"mac": worker.mac, "ip": address, "port": worker.udp_port, "secret": worker.secret}
        yield Entry(RECEIVER_TABLE, match, "egress.replica.deliver_to", receives)


def _note(job: Job) -> bytes:
    """The fields that only a restarted controller needs, as JSON."""
    noted = {"size": job.size, "elastic": job.elastic, "token": job.token.hex()}
    noted |= {"wanted": job.wanted, "priority": job.priority}
    noted["slots"] = {switch: share.start for switch, share in job.slots.items()}
    noted |= {"benched": _listed(job, job.benched), "elsewhere": _listed(job, job.elsewhere)}
    noted["ranks"] = [(number, rank) for rank in job.workers if (number := job.number(rank)) != rank]
    noted |= {"raise_on_loss": job.raise_on_loss, "endings": [astuple(each) for each in job.endings]}
    return json.dumps(noted).encode()


def _listed(job: Job, workers: Mapping[int, Worker]) -> list[list[object]]:
    return [
        [rank, job.numbers.get(rank, rank), str(each.ip), each.mac, each.udp_port, each.port, each.secret]
        for rank, each in sorted(workers.items())
    ]


# ---- rows as jobs


class Found(NamedTuple):
    """A job as read from a switch. lacking: ranks that are members in the job's row but have no complete rows of their
    own, and so are not among its workers. parent: on a leaf, the switch above it. noted: the row has a note: all of the
    job's workers are known."""

    job: Job
    lacking: tuple[int, ...]
    parent: Parent | None
    noted: bool


def jobs_of(rows: Rows) -> list[Found]:
    """Reads the jobs from the rows, in order of id."""
    lives = {(_exact(each, "job"), _exact(each, "worker")): each for each in _of_table(rows, WORKER_TABLE)}
    receives = {(_exact(each, "job"), _exact(each, "worker")): each for each in _of_table(rows, RECEIVER_TABLE)}
    found = []
    for row in sorted(rows.jobs.values(), key=lambda each: _exact(each, "job")):
        number, has = _exact(row, "job"), row.parameters
        here = _slots(row)
        noted = _noted(row.note, len(here))
        workers, lacking = {}, []
        for at in ranks(has["members"]):
            rank = noted.ranks.get(at, at)
            if (number, at) in lives and (number, at) in receives:
                living, receiving = lives[number, at].parameters, receives[number, at].parameters
                ip = IPv4Address(living["has_address"])
                workers[rank] = Worker(
                    ip,
                    receiving["mac"],
                    receiving["port"],
                    living["lives_on"],
                    secret=living["has_secret"],
                    leaf=at if living["leaf"] else None,
                )
            else:
                lacking.append(rank)
        # The best guess at its size if the switch stores no notes.
        size = has["members"].bit_length()
        job = replace(Job(number, has["epoch"], size, len(here), {}, workers, here=here), **noted.fields)
        found.append(Found(job, tuple(lacking), _parent(row), bool(noted.fields)))
    return found


def _parent(row: Entry) -> Parent | None:
    if row.action != LEAF_ACTION:
        return None
    has = row.parameters
    return Parent(has["parent_port"], has["parent_mac"], IPv4Address(has["parent_ip"]), has["rank"], has["own_secret"])


class Noted(NamedTuple):
    """A job's fields in its row's note, and by number, the ranks that are not numbers; empty if the switch stores no
    notes."""

    fields: Mapping[str, Any]
    ranks: Mapping[int, int]


def _noted(note: bytes, lanes: int) -> Noted:
    try:
        noted = json.loads(note)
        here = {int(number): int(rank) for number, rank in noted["ranks"]}
        numbers = {rank: number for number, rank in here.items()}
        # A leaf's number on this switch is not the number of its lowest worker on the leaf.
        numbers |= {rank: number for rank, number, *_ in (*noted["elsewhere"], *noted["benched"])}
        fields = {
            "size": int(noted["size"]),
            "elastic": bool(noted["elastic"]),
            "token": bytes.fromhex(noted["token"]),
            "wanted": int(noted["wanted"]),
            "priority": int(noted["priority"]),
            "slots": {str(switch): range(first, first + lanes) for switch, first in dict(noted["slots"]).items()},
            "benched": _workers_in(noted["benched"]),
            "elsewhere": _workers_in(noted["elsewhere"]),
            "raise_on_loss": bool(noted["raise_on_loss"]),
            "endings": tuple(
                Ending(call, rank, cause, Kind(kind), epoch, calls)
                for call, rank, cause, kind, epoch, calls in noted["endings"]
            ),
            "numbers": {rank: number for rank, number in numbers.items() if number != rank},
        }
    except (ValueError, TypeError, KeyError):
        return Noted({}, {})
    return Noted(fields, here)


def _workers_in(listed: list[Any]) -> dict[int, Worker]:
    return {
        rank: Worker(IPv4Address(ip), mac, udp_port, port, secret=secret)
        for rank, _, ip, mac, udp_port, port, secret in listed
    }


def _of_table(rows: Rows, table: str) -> list[Entry]:
    return [each for each in rows.needs.values() if isinstance(each, Entry) and each.table == table]


def _exact(entry: Entry, key: str) -> int:
    value = entry.match[f"hdr.dropzero.{key}"]
    assert isinstance(value, int)
    return value
