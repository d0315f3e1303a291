from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv4Address

from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.p4runtime.device import Group
from dropzero.controller.switches.rows import JOB_TABLE, WORKER_TABLE, Key, Rows, changes, jobs_of
from dropzero.membership.ending import Ending, Kind
from dropzero.p4.names import Entry


def worker(number: int) -> Worker:
    return Worker(IPv4Address(f"10.0.0.{number}"), 0x800 + number, 40000 + number, number)


JOBS = st.builds(
    lambda epoch, first, lanes, ranks: Job(
        5,
        epoch,
        8,
        lanes,
        {"s1": range(first, first + lanes), "s2": range(lanes)},
        {rank: worker(number) for rank, number in ranks.items()},
        True,
        here=range(first, first + lanes),
    ),
    st.integers(1, 9),
    st.integers(0, 3),
    st.integers(1, 4),
    st.dictionaries(st.integers(0, 7), st.integers(1, 9), min_size=1),
)
SIDES = st.one_of(st.just(Rows()), JOBS.map(Rows.of))


class Tables:
    """A switch's tables; refuses the same writes as a switch."""

    def __init__(self, rows: Rows) -> None:
        self.held: dict[Key, Entry | Group] = dict(rows.needs)
        self.held.update(rows.jobs)

    def write(self, verb: str, entity: Entry | Group) -> None:
        key = ("group", entity.id) if isinstance(entity, Group) else (entity.table, *sorted(entity.match.items()))
        assert (key in self.held) == (verb != "insert"), f"{verb} {entity}"
        if verb == "delete":
            del self.held[key]
        else:
            self.held[key] = entity

    def rows(self) -> Rows:
        entries = [each for each in self.held.values() if isinstance(each, Entry)]
        return Rows.read(entries, [each for each in self.held.values() if isinstance(each, Group)])


def members(table: Mapping[Key, Entry | Group]) -> set[int] | None:
    """The members in the job's row, or None without one."""
    for each in table.values():
        if isinstance(each, Entry) and each.table == JOB_TABLE:
            return {rank for rank in range(32) if each.parameters["members"] >> rank & 1}
    return None


@given(SIDES, SIDES)
def test_a_jobs_row_never_exists_without_the_rows_it_needs(before: Rows, after: Rows) -> None:
    tables = Tables(before)
    for verb, entities in changes(before, after):
        for entity in entities:
            tables.write(verb, entity)
            wanted = members(tables.held)
            if wanted is None:
                continue
            workers = {
                each.match["hdr.dropzero.worker"]
                for each in tables.held.values()
                if isinstance(each, Entry) and each.table == WORKER_TABLE
            }
            row = next(each for each in tables.held.values() if isinstance(each, Entry) and each.table == JOB_TABLE)
            group = tables.held["group", row.parameters["group"]]
            assert isinstance(group, Group)
            assert wanted <= workers
            assert wanted <= {instance for _, instance in group.replicas}
    assert tables.rows() == after


@given(JOBS)
def test_a_change_of_members_is_one_modification_of_the_row(job: Job) -> None:
    gone = min(job.workers)
    rest = {rank: each for rank, each in job.workers.items() if rank != gone}
    after = replace(job, epoch=job.epoch + 1, workers=rest)
    writes = [(verb, each) for verb, entities in changes(Rows.of(job), Rows.of(after)) for each in entities]
    (verb, first), *others = writes
    assert (verb, isinstance(first, Entry) and first.table) == ("modify", JOB_TABLE)
    assert [verb for verb, _ in others] == ["modify"] * 2 + ["delete"] * 2


@given(JOBS, st.binary(max_size=4), st.dictionaries(st.integers(8, 9), st.integers(1, 9)))
def test_a_job_can_be_read_back_from_its_rows(job: Job, token: bytes, benched: dict[int, int]) -> None:
    endings = (Ending(3, 1, "ValueError", Kind.GAVE_UP, 4), Ending(7, 0, "it died", Kind.LOST, 9))[: len(token)]
    away = {rank: replace(worker(number), secret=number) for rank, number in benched.items()}
    job = replace(job, token=token, benched=away, endings=endings, raise_on_loss=bool(token))
    job = replace(job, wanted=2 * len(token), priority=1 + len(token))
    ((found, lacking, parent, _),) = jobs_of(Rows.of(job))
    assert (lacking, parent) == ((), None)
    assert (found.id, found.epoch, found.size, found.lanes) == (5, job.epoch, 8, job.lanes)
    assert (found.slots, found.here) == (job.slots, job.here)
    assert (found.elastic, found.token, found.members) == (True, token, job.members)
    assert (found.endings, found.raise_on_loss) == (endings, bool(token))
    assert (found.wanted, found.priority) == (job.wanted, job.priority)
    assert found.benched.keys() == job.benched.keys()
    for rank, each in (*job.workers.items(), *job.benched.items()):
        known = found.benched[rank] if rank in job.benched else found.workers[rank]
        assert (known.ip, known.mac, known.udp_port, known.port) == (each.ip, each.mac, each.udp_port, each.port)
        assert known.secret == each.secret


def test_incomplete_rows_are_read_as_far_as_possible() -> None:
    job = Job(5, 9, 8, 2, {}, {0: worker(1), 2: worker(2)}, True, b"token", here=range(2))
    rows = Rows.of(job)
    bare = {key: Entry(each.table, each.match, each.action, each.parameters) for key, each in rows.jobs.items()}
    fewer = {
        key: each
        for key, each in rows.needs.items()
        if not (isinstance(each, Entry) and each.table == WORKER_TABLE and each.match["hdr.dropzero.worker"] == 0)
    }
    ((found, lacking, *_),) = jobs_of(Rows(bare, fewer))
    assert lacking == (0,)
    assert (found.members, found.size, found.elastic, found.token) == ((2,), 3, False, b"")
