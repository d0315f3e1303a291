"""Jobs with workers on several switches."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.jobs import HOST, Job, Worker
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError, WriteError
from dropzero.controller.switches.fabric import Aggregator, Fabric, Share
from dropzero.controller.switches.rows import Found, Parent, Rows, jobs_of
from dropzero.controller.switches.topology import Topology
from dropzero.protocol.wire import HEADROOM, MAX_PAYLOAD

DESCRIBED = {
    "hosts": {f"h{i}": {"ip": f"10.0.0.{i}/24", "mac": f"08:00:00:00:00:0{i}"} for i in range(1, 9)},
    "switches": {f"s{i}": {} for i in range(1, 6)},
    "links": [
        *(["h1", "s1-p1"], ["h2", "s1-p2"], ["h3", "s2-p1"], ["h4", "s2-p2"], ["h5", "s3-p1"], ["h6", "s3-p2"]),
        *(["s1-p9", "s4-p11"], ["s2-p9", "s4-p12"], ["s3-p9", "s4-p13"]),
        *(["h7", "s4-p1"], ["h8", "s5-p2"], ["s5-p9", "s1-p15"]),
    ],
}

SLOTS = {f"s{i}": range(8 * i, 8 * i + 4) for i in range(1, 6)}


@dataclass
class Rack:
    """A switch that records a job's rows, and can refuse them."""

    log: list[str]
    name: str
    held: dict[int, Rows] = field(default_factory=dict)
    refusal: Exception | None = None
    epochs: int = 0
    growth: int = HEADROOM

    def taken(self) -> int:
        if self.refusal is not None:
            raise self.refusal
        return self.epochs

    def learn(self) -> list[Found]:
        return [found for rows in self.held.values() for found in jobs_of(rows)]

    def sync(self, number: int, job: Job | None, parent: Parent | None = None) -> None:
        if self.refusal is not None:
            raise self.refusal
        wanted = Rows() if job is None else Rows.of(job, parent)
        if self.held.get(number, Rows()) != wanted:
            self.log.append(f"{'-' if job is None else '+'}{self.name}")
        self.held.pop(number, None)
        if job is not None:
            self.held[number] = wanted


@dataclass
class Racks:
    """Two leaves, one with another leaf below it, and a spine; all have hosts."""

    fabric: Fabric
    switches: dict[str, Rack]
    log: list[str]

    def shares(self, job: Job) -> dict[str, Share]:
        return {share.switch: share for share in self.fabric.shares(job)}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Topology:
    path = tmp_path_factory.mktemp("racks") / "topology.json"
    path.write_text(json.dumps(DESCRIBED))
    return Topology.read(path)


@pytest.fixture
def racks(network: Topology) -> Racks:
    return made(network)


def made(network: Topology) -> Racks:
    log: list[str] = []
    switches = {name: Rack(log, name) for name in (*network.views, HOST)}
    return Racks(Fabric(network, switches, Aggregator("10.0.0.9", 5000)), switches, log)


def job(hosts: dict[int, int], epoch: int = 5) -> Job:
    """A job with these ranks on these hosts, and other slots on each switch."""
    workers = {rank: Worker(IPv4Address(f"10.0.0.{h}"), h, 40000, 2 - h % 2) for rank, h in hosts.items()}
    return Job(1, epoch, 8, 4, SLOTS, workers, elastic=True, token=b"digest")


def test_a_leaf_is_a_worker_of_its_parent_with_the_lowest_rank_below_it(racks: Racks) -> None:
    shares = racks.shares(job({0: 3, 1: 1, 2: 4, 5: 2}))
    assert list(shares) == ["s4", "s2", "s1"] or list(shares) == ["s4", "s1", "s2"]
    assert {name: share.job.members for name, share in shares.items()} == {"s4": (0, 1), "s1": (1, 5), "s2": (0, 2)}
    assert shares["s4"].parent is None
    spine = IPv4Address("10.0.0.254")
    assert shares["s1"].parent == Parent(9, 0x0200000000FE, spine, 1)
    assert shares["s2"].parent == Parent(9, 0x0200000000FE, spine, 0)
    leaf = shares["s4"].job.workers[1]
    assert (leaf.ip, leaf.mac, leaf.port) == (IPv4Address("10.0.0.253"), 0x0200000000FD, 11)


def test_workers_are_told_of_a_switch_at_its_latest_address(racks: Racks, network: Topology) -> None:
    there = job({0: 1, 1: 1})
    assert {racks.fabric.home(there, rank).ip for rank in (0, 1)} == {"10.0.0.253"}
    addresses = {name: (ip - 100, mac) for name, (ip, mac) in network.addresses.items()}
    racks.fabric.topology = replace(network, addresses=addresses)
    assert {racks.fabric.home(there, rank).ip for rank in (0, 1)} == {"10.0.0.153"}


def test_a_switch_in_the_middle_is_a_leaf_and_a_parent(racks: Racks) -> None:
    """Host 7 is on the spine s4, 1 on s1 in the middle, 8 on s5 below that."""
    shares = racks.shares(job({0: 7, 1: 8, 2: 1, 3: 3}))
    assert next(iter(shares)) == "s4"
    assert list(shares).index("s1") < list(shares).index("s5")
    assert {name: share.job.members for name, share in shares.items()} == {
        "s4": (0, 1, 3),
        "s1": (1, 2),
        "s5": (1,),
        "s2": (3,),
    }
    middle = IPv4Address("10.0.0.253")
    assert shares["s5"].parent == Parent(9, 0x0200000000FD, middle, 1)
    assert shares["s4"].job.workers[1].ip == middle
    assert shares["s1"].job.workers[1].ip == IPv4Address("10.0.0.250")


@pytest.mark.parametrize("hosts", [{0: 7, 1: 1}, {0: 7, 1: 1, 2: 8}, {0: 1, 1: 8}, {0: 1, 1: 3}])
def test_workers_of_a_job_over_several_switches_pad_contributions_if_one_limits_their_growth(
    racks: Racks, hosts: dict[int, int]
) -> None:
    """Also those at the top, because their results go down to leaves."""
    homes = [racks.fabric.home(job(hosts), rank) for rank in hosts]
    assert all(home.leaf and home.limited for home in homes)
    limited, *others = (racks.switches[share.switch] for share in racks.fabric.shares(job(hosts)))
    for each in others:
        each.growth = MAX_PAYLOAD
    assert all(racks.fabric.home(job(hosts), rank).limited for rank in hosts)
    limited.growth = MAX_PAYLOAD
    assert [racks.fabric.home(job(hosts), rank) for rank in hosts] == [replace(home, limited=False) for home in homes]


@pytest.mark.parametrize("hosts", [{0: 7}, {0: 1, 1: 2}, {0: 8}])
def test_workers_of_a_job_on_one_switch_do_not(racks: Racks, hosts: dict[int, int]) -> None:
    homes = [racks.fabric.home(job(hosts), rank) for rank in hosts]
    assert not any(home.leaf for home in homes)


def test_a_job_within_a_rack_takes_no_rows_elsewhere(racks: Racks) -> None:
    (share,) = racks.fabric.shares(job({0: 1, 3: 2}))
    assert (share.switch, share.parent, share.job.members) == ("s1", None, (0, 3))


def test_parents_are_written_before_their_leaves_and_removed_after_them(racks: Racks) -> None:
    racks.fabric.sync(1, job({0: 1, 1: 3}))
    assert racks.log == ["+s4", "+s1", "+s2"]
    racks.log.clear()
    racks.fabric.sync(1, job({0: 1}, epoch=6))
    assert (racks.log[0], racks.log[-1]) == ("+s1", "-s4")
    racks.fabric.sync(1, None)
    assert not any(each.held for each in racks.switches.values())


@given(st.dictionaries(st.integers(0, 7), st.integers(1, 8), min_size=1))
def test_a_job_can_be_read_back_from_its_switches(network: Topology, hosts: dict[int, int]) -> None:
    racks = made(network)
    wanted = job(hosts)
    racks.fabric.sync(1, wanted)
    ((found, whole),) = racks.fabric.learn()
    assert whole
    assert (found.epoch, found.size, found.slots, found.token) == (5, 8, SLOTS, b"digest")
    assert {rank: worker.ip for rank, worker in found.workers.items()} == {
        rank: worker.ip for rank, worker in wanted.workers.items()
    }


@given(st.dictionaries(st.integers(0, 99), st.integers(1, 8), min_size=1, max_size=32), st.randoms(), st.data())
def test_workers_and_leaves_of_a_large_job_have_different_numbers_on_a_switch_and_keep_them(
    network: Topology, hosts: dict[int, int], shuffled: Random, data: st.DataObject
) -> None:
    racks, free = made(network), {name: shuffled.sample(range(32), 32) for name in network.views}
    numbers = {rank: free[network.homes[IPv4Address(f"10.0.0.{host}")]].pop() for rank, host in hosts.items()}
    wanted = replace(job(hosts), size=100, numbers=numbers)
    try:
        shares = racks.shares(wanted)
    except SwitchError as error:
        assert "serves no more" in str(error)  # noqa: PT017
        return
    for share in shares.values():
        here = [share.job.number(rank) for rank in share.job.workers]
        assert len(set(here)) == len(here)
        assert set(here) <= set(range(32))
        if share.parent is not None:
            above = next(each.job for each in shares.values() if share.parent.ip == network.addresses[each.switch][0])
            assert above.number(min(share.job.workers)) == share.parent.number
    for rank in hosts:
        assert racks.fabric.home(wanted, rank).ranks.get(numbers[rank], numbers[rank]) == rank
    racks.fabric.sync(1, wanted)
    ((found, whole),) = racks.fabric.learn()
    assert whole
    for name in data.draw(st.sets(st.sampled_from(sorted(shares)), max_size=len(shares) - 1)):
        racks.switches[name].held.clear()
    ((again, _),) = racks.fabric.learn()
    for each in (found, again):
        assert {rank: (each.number(rank), worker.ip) for rank, worker in each.workers.items()} == {
            rank: (numbers[rank], worker.ip) for rank, worker in wanted.workers.items()
        }


def test_a_switch_serves_32_workers_and_leaves_of_a_job(racks: Racks) -> None:
    on_the_spine = dict.fromkeys(range(31), 7)
    assert racks.shares(job(on_the_spine | {31: 1}))["s1"].parent == Parent(
        9, 0x0200000000FE, IPv4Address("10.0.0.254"), 31
    )
    with pytest.raises(SwitchError, match="s4 has 32 workers and leaves of job 1, and serves no more"):
        racks.shares(job(on_the_spine | {31: 1, 32: 3}))


def test_a_hosted_job_is_only_on_the_host_and_can_be_read_back_or_moved_to_the_switches(racks: Racks) -> None:
    wanted = replace(job({0: 1, 1: 3, 2: 6}), slots={HOST: range(4)})
    racks.fabric.sync(1, wanted)
    assert racks.log == [f"+{HOST}"]
    assert racks.fabric.home(wanted, 1) == Aggregator("10.0.0.9", 5000)
    ((found, whole),) = racks.fabric.learn()
    assert (whole, found.hosted, found.members) == (True, True, (0, 1, 2))
    assert [each.port for each in found.workers.values()] == [1, 1, 2]
    racks.fabric.sync(1, replace(wanted, slots=SLOTS, epoch=6))
    assert not racks.switches[HOST].held
    ((found, whole),) = racks.fabric.learn()
    assert (whole, found.hosted) == (True, False)


def test_a_job_is_not_whole_if_a_switch_lost_its_share(racks: Racks) -> None:
    before = job({0: 1, 1: 3, 2: 5})
    for name in ("s1", "s4"):
        racks.fabric.sync(1, before)
        racks.switches[name].held.clear()
        ((_, whole),) = racks.fabric.learn()
        assert not whole
    racks.fabric.sync(1, before)
    racks.switches["s2"].sync(1, replace(racks.shares(before)["s2"].job, epoch=4), racks.shares(before)["s2"].parent)
    ((found, whole),) = racks.fabric.learn()
    assert (found.epoch, whole) == (5, False)


@given(st.dictionaries(st.integers(0, 7), st.integers(1, 8), min_size=1), st.data())
def test_a_job_is_not_whole_if_any_of_its_switches_lost_it(
    network: Topology, hosts: dict[int, int], data: st.DataObject
) -> None:
    """Even if its topmost switch lost it, and the rest looks like a complete job."""
    racks = made(network)
    racks.fabric.sync(1, job(hosts))
    lost = data.draw(st.sets(st.sampled_from(sorted(racks.shares(job(hosts)))), min_size=1))
    for name in lost:
        racks.switches[name].held.clear()
    assert not any(whole for _, whole in racks.fabric.learn())


@pytest.mark.parametrize("kept", ["s1", "s2", "s3", "s4"])
def test_a_job_has_all_its_workers_while_one_of_its_switches_has_its_share(racks: Racks, kept: str) -> None:
    wanted = replace(job({0: 1, 1: 3, 2: 5, 3: 7}), benched=job({4: 2}).workers)
    racks.fabric.sync(1, wanted)
    for name in {"s1", "s2", "s3", "s4"} - {kept}:
        racks.switches[name].held.clear()
    ((found, whole),) = racks.fabric.learn()
    assert not whole
    assert {rank: each.ip for rank, each in found.workers.items()} == {
        rank: each.ip for rank, each in wanted.workers.items()
    }
    assert set(found.benched) == {4}


@pytest.mark.parametrize("benched", [True, False])
def test_a_worker_is_benched_or_a_member_as_the_latest_share_says(racks: Racks, benched: bool) -> None:
    """The controller ended before it could tell the worker's own switch of the change."""
    member = job({0: 1, 1: 3, 2: 5})
    away = replace(job({0: 1, 1: 3}), benched={2: member.workers[2]})
    former, latest = (member, away) if benched else (away, member)
    racks.fabric.sync(1, former)
    racks.switches["s3"].refusal = UnreachableError("the controller has ended")
    with suppress(UnreachableError):
        racks.fabric.sync(1, replace(latest, epoch=6))
    racks.switches["s3"].refusal = None
    ((found, whole),) = racks.fabric.learn()
    assert (found.epoch, whole) == (6, False)
    assert (set(found.workers), set(found.benched)) == (set(latest.workers), set(latest.benched))


def test_without_notes_the_slots_are_known_on_switches_that_have_the_job_in_its_latest_epoch(racks: Racks) -> None:
    racks.fabric.sync(1, job({0: 1, 1: 3, 2: 5}))
    latest = racks.shares(job({0: 1, 1: 3, 2: 5}, epoch=6))
    for name in ("s4", "s1"):
        racks.switches[name].sync(1, latest[name].job, latest[name].parent)
    for rack in racks.switches.values():
        rack.held = {
            number: replace(rows, jobs={key: replace(row, note=b"") for key, row in rows.jobs.items()})
            for number, rows in rack.held.items()
        }
    ((found, whole),) = racks.fabric.learn()
    assert (whole, found.epoch, found.members) == (False, 6, (0, 1, 2))
    assert found.slots == {name: SLOTS[name] for name in ("s1", "s4")}


def test_a_switch_that_is_away_affects_only_its_own_jobs(racks: Racks) -> None:
    racks.switches["s3"].refusal = UnreachableError("s3 is away")
    racks.fabric.sync(1, job({0: 1, 1: 3}))
    with pytest.raises(UnreachableError, match="s3 is away"):
        racks.fabric.sync(1, job({0: 1, 1: 5}))
    assert racks.switches["s1"].held[1].jobs
    racks.switches["s3"].refusal = WriteError("s3", ())
    with pytest.raises(WriteError):
        racks.fabric.sync(1, None)


def test_an_epoch_taken_on_one_switch_or_the_host_is_taken_for_all(racks: Racks) -> None:
    assert racks.fabric.taken() == 0
    racks.switches["s2"].epochs, racks.switches[HOST].epochs = 2048, 1024
    assert racks.fabric.taken() == 2048
    racks.switches["s2"].refusal = UnreachableError("s2 is away")
    assert racks.fabric.taken() == 1024
