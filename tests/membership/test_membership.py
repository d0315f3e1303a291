"""Workers join and leave over real gRPC on a Unix socket; the switch is a fake that only records jobs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

import dropzero.membership.client as controller_client
from dropzero.controller.jobs.jobs import Job
from dropzero.controller.jobs.slots import SLOTS
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.controller.switches.fabric import Aggregator
from dropzero.controller.switches.rows import Rows, jobs_of
from dropzero.membership.access import AccessError
from dropzero.membership.client import Membership, MembershipError, Place
from dropzero.membership.ending import MOST_SAID, Ending
from dropzero.membership.membership_pb2 import Progress
from tests.support.controller import Controller, FakeSwitch, running
from tests.support.local_calls import Failure


@pytest.fixture
def controller(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Controller]:
    address = f"unix:{tmp_path}/controller.sock"
    with running(address, **getattr(request, "param", {})) as controller:
        yield controller
    assert not Path(address.removeprefix("unix:")).exists()


@pytest.fixture
def members(controller: Controller) -> Iterator[list[Membership]]:
    """Four workers' connections."""
    with ExitStack() as closing:
        connections = [Membership(controller.address) for _ in range(4)]
        for each in connections:
            closing.callback(each.close)
        yield connections


def heard(member: Membership, what: Callable[[Place], bool]) -> None:
    """Waits until the member's place fulfils a condition."""
    with member._news:
        assert member._news.wait_for(lambda: what(member._known()), 20)


def test_a_job_starts_when_all_workers_have_joined_and_each_learns_its_place(
    controller: Controller, members: list[Membership]
) -> None:
    first = controller.joining(members[0], 1, lanes=8)
    controller.said("job 1: 1 of 2 workers have joined")
    assert not first.done()
    second = controller.joining(members[1], 2, rank=0)
    why = "job 1: started with 2 workers, epoch 1"
    assert first.result(600) == Place(1, 2, 1, 1, 8, "10.0.0.254", 0xD020, (0, 1), False, why, number=1)
    assert second.result(600) == Place(1, 2, 0, 1, 8, "10.0.0.254", 0xD020, (0, 1), False, why)
    workers = controller.switch.jobs[1].workers
    assert [(each.ip, each.mac, each.udp_port, each.port) for _, each in sorted(workers.items())] == [
        (IPv4Address("10.0.0.2"), 0x802, 40002, 2),
        (IPv4Address("10.0.0.1"), 0x801, 40001, 1),
    ]


def test_when_all_have_left_the_rows_are_removed_and_the_job_can_start_again_in_a_new_epoch(
    controller: Controller, members: list[Membership]
) -> None:
    epochs = []
    for _ in range(2):
        epochs.append(controller.joined(members[:2])[0].epoch)
        members[0].leave(linger=60)
        controller.said("job 1: worker 0 at 10.0.0.1 has finished")
        assert controller.switch.jobs[1].members == (0, 1)
        assert members[1].epoch == epochs[-1]
        members[1].leave(linger=60)
        assert controller.switch.jobs == {}
    assert epochs[0] < epochs[1]


def test_a_worker_leaves_at_once_or_after_its_linger_time(controller: Controller, members: list[Membership]) -> None:
    before = controller.joined(members[:3])[0]
    members[0].leave()
    assert controller.switch.jobs[1].members == (1, 2)
    place = members[1].changed(before.epoch, timeout=600)
    assert (place.members, place.rank, place.size) == ((1, 2), 1, 3)
    assert place.why == "job 1: worker 0 at 10.0.0.1 left"
    members[1].leave(linger=0.01)
    assert members[2].changed(members[2].changed(before.epoch, 20).epoch, 20).members == (2,)


def test_several_jobs_run_side_by_side(controller: Controller, members: list[Membership]) -> None:
    joining = [controller.joining(member, 1, job=job, size=1) for job, member in enumerate(members, 1)]
    assert len({each.result(600).epoch for each in joining}) == 4
    slots = [slot for job in controller.switch.jobs.values() for share in job.slots.values() for slot in share]
    assert len(set(slots)) == len(slots)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"rank": 0}, "cannot join job 1: rank 0 of job 1 is taken"),
        ({"size": 3}, "cannot join job 1: job 1 is gathering 2 workers, not 3"),
        ({"host": 99}, "cannot join job 1: the topology has no host 10.0.0.99"),
        ({"udp_port": 0}, "cannot join job 1: 0 is not a UDP port"),
        ({"job": 2, "lanes": 257}, "cannot join job 2: no room for job 2: 257 slots requested"),
    ],
)
def test_a_worker_that_cannot_join_learns_why_and_the_others_keep_waiting(
    controller: Controller, members: list[Membership], wanted: dict[str, Any], message: str
) -> None:
    waiting = controller.joining(members[0], 1, rank=0)
    controller.said("1 of 2")
    with pytest.raises(MembershipError, match=message):
        controller.joining(members[1], **({"host": 2} | wanted)).result(600)
    assert not waiting.done()
    assert controller.joining(members[2], 2).result(600).rank == 1
    assert waiting.result(600).rank == 0


def test_a_worker_that_gives_up_waiting_frees_its_place(controller: Controller, members: list[Membership]) -> None:
    with pytest.raises(MembershipError, match=r"not all 2 workers of job 1 joined in time, or its switch is away"):
        members[0].join(job=1, size=2, rank=0, ip="10.0.0.1", udp_port=40001, timeout=1)
    controller.said("a waiting worker at 10.0.0.1 gave up")
    joining = [controller.joining(member, 2, rank=rank) for rank, member in enumerate(members[1:3])]
    assert [each.result(600).rank for each in joining] == [0, 1]


def test_a_job_that_is_running_cannot_be_joined(controller: Controller, members: list[Membership]) -> None:
    controller.joining(members[0], 1, size=1).result(600)
    with pytest.raises(MembershipError, match="job 1 is already running, with rank 0"):
        controller.joining(members[1], 2, size=1).result(600)


def test_a_refusal_by_the_switch_reaches_the_workers(controller: Controller, members: list[Membership]) -> None:
    controller.switch.refusal = SwitchError("the switch refused: table is full")
    with pytest.raises(MembershipError, match="cannot join job 1: the switch refused: table is full"):
        controller.joining(members[0], 1, size=1).result(600)
    controller.switch.refusal = None
    assert controller.joining(members[0], 1, size=1).result(600).rank == 0


JOIN_AND = """
import signal, sys
from dropzero.membership.client import Membership
with Membership(sys.argv[1]) as membership:
    membership.join(job=1, size=3, ip="10.0.0.3", udp_port=40003, rank=2)
    {}
"""


@pytest.mark.parametrize(
    ("then", "sent", "why"),
    [
        ("signal.pause()", signal.SIGKILL, "its connection was lost"),
        ("signal.pause()", signal.SIGSTOP, "its connection was lost"),
        ("raise RuntimeError", None, "it ended its part without leaving"),
    ],
    ids=["killed", "stopped", "failed"],
)
@pytest.mark.parametrize("controller", [{"heartbeat": 1.5}], indirect=True, ids=[""])
def test_when_a_worker_is_lost_the_others_learn_which_and_continue(
    controller: Controller, members: list[Membership], then: str, sent: signal.Signals | None, why: str
) -> None:
    command = [sys.executable, "-c", JOIN_AND.format(then), controller.address]
    lost = f"job 1 lost its worker 2 at 10.0.0.3: {why}"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            first = controller.joined(members[:2], size=3)[0]
            if sent is not None:
                os.kill(process.pid, sent)
            places = [member.changed(first.epoch, timeout=600) for member in members[:2]]
        finally:
            process.kill()
    controller.said(lost)
    assert [(each.rank, each.members, each.why) for each in places] == [(0, (0, 1), lost), (1, (0, 1), lost)]
    job = controller.switch.jobs[1]
    assert (job.members, job.epoch) == ((0, 1), places[0].epoch)
    assert members[0].place == places[0]


def test_losing_the_last_worker_ends_the_job(controller: Controller, members: list[Membership]) -> None:
    controller.joined(members[:2])
    members[0].close()
    controller.said("job 1 lost its worker 0 at 10.0.0.1")
    members[1].close()
    controller.said("the job is over")
    assert controller.joining(members[2], 3, size=1).result(600).rank == 0
    assert controller.switch.jobs[1].members == (0,)


def test_waiting_for_a_change_times_out(controller: Controller, members: list[Membership]) -> None:
    (place,) = controller.joined(members[:1])
    with pytest.raises(MembershipError, match=f"job 1 is still in epoch {place.epoch} after 0.1 s"):
        members[0].changed(place.epoch, timeout=0.1)
    with pytest.raises(MembershipError, match="this worker is not in a job"):
        members[1].changed(0, timeout=0.1)


def test_a_worker_enters_an_elastic_job_when_its_members_admit_it(
    controller: Controller, members: list[Membership]
) -> None:
    elastic = {"elastic": True, "quorum": 2, "size": 3}
    first = controller.joined(members[:2], **elastic)[0]
    assert members[0].admit(0) == first.epoch
    entering = controller.joining(members[2], 3, **elastic)
    controller.said("job 1: worker 2 at 10.0.0.3 waits to be let in")
    with pytest.raises(MembershipError, match="job 1 has all its 3 workers"):
        controller.joining(members[3], 4, **elastic).result(600)
    assert not entering.done()
    epoch = members[0].admit(1)
    assert members[1].admit(1) == epoch > first.epoch
    third = entering.result(600)
    assert (third.rank, third.members, third.epoch, third.newcomer) == (2, (0, 1, 2), epoch, True)
    place = members[0].changed(first.epoch, timeout=600)
    assert (place.epoch, place.newcomer, place.waiting) == (epoch, False, 0)
    assert third.why == "job 1 has a new worker 2"
    members[0].leave()
    entering = controller.joining(members[3], 4, **elastic)
    controller.said("job 1: worker 0 at 10.0.0.4 waits to be let in")
    heard(members[1], lambda place: place.waiting == 1)
    members[1].admit(2)
    assert entering.result(600).members == (0, 1, 2)


def test_a_waiting_newcomer_is_forgotten_when_it_gives_up_or_the_job_ends(
    controller: Controller, members: list[Membership]
) -> None:
    elastic: dict[str, Any] = {"elastic": True, "quorum": 1, "size": 2}
    controller.joining(members[0], 1, **elastic).result(600)
    for _ in range(2):
        with pytest.raises(MembershipError, match=r"not all 2 workers of job 1 joined in time"):
            members[1].join(job=1, ip="10.0.0.2", udp_port=40002, timeout=1, **elastic)
        controller.said("that waited to be let in gave up")
    entering = controller.joining(members[1], 2, **elastic)
    controller.said("waits to be let in")
    members[0].leave()
    with pytest.raises(MembershipError, match="the job is over"):
        entering.result(600)


def test_a_finished_member_stays_until_another_one_is_further(
    controller: Controller, members: list[Membership]
) -> None:
    first = controller.joined(members[:3])[0]
    members[0].begin(7)
    members[0].end(8)
    members[0].leave(linger=60)
    controller.said("job 1: worker 0 at 10.0.0.1 has finished")
    heard(members[1], lambda place: place.leaving == (0,))
    members[1].begin(7)
    members[1].waits(impatient=False)
    members[2].begin(8)
    members[2].waits(impatient=False)
    assert members[1].changed(first.epoch, timeout=600).members == (1, 2)


def test_a_member_that_misses_a_roll_call_is_benched_until_it_is_back(
    controller: Controller, members: list[Membership]
) -> None:
    first = controller.joined(members[:3])[0]
    for member, calls in ((members[0], 4), (members[1], 5), (members[2], 4)):
        member.begin(calls)
    members[2].end(4)
    members[0].waits(impatient=True)
    places = [member.changed(first.epoch, timeout=600) for member in members[:3]]
    assert {(each.members, each.benched) for each in places} == {((0, 1), (2,))}
    assert places[0].why == "job 1 continues without its straggler 2"
    members[2].come_back()
    place = members[2].changed(places[2].epoch, timeout=600)
    assert (place.rank, place.members, place.benched) == (2, (0, 1, 2), ())


def test_calls_that_do_not_match_are_collected(controller: Controller, members: list[Membership]) -> None:
    controller.joined(members[:3])
    asking = [controller.pool.submit(member.compare, f"call {rank}") for rank, member in enumerate(members[:3])]
    assert [each.result(600) for each in asking] == [{0: "call 0", 1: "call 1", 2: "call 2"}] * 3


def test_a_job_is_entered_only_with_its_token(controller: Controller, members: list[Membership]) -> None:
    waiting = controller.joining(members[0], 1, token="secret")
    controller.said("1 of 2")
    for token in ("", "guess"):
        with pytest.raises(MembershipError, match=r"job 1 (has another|needs its) token"):
            controller.joining(members[1], 2, token=token).result(600)
    assert controller.joining(members[1], 2, token="secret").result(600).rank == 1
    assert waiting.result(600).rank == 0


def test_each_worker_has_a_secret_of_its_own(controller: Controller, members: list[Membership]) -> None:
    one, other = controller.joined(members[:2])
    assert 0 != one.secret != other.secret != 0


def test_a_member_gives_up_calls_in_its_own_name_only(controller: Controller, members: list[Membership]) -> None:
    controller.joined(members[:2])
    ending = members[1].give_up(Ending(0, 0, "on purpose"))
    assert ending is not None
    assert ending.rank == 1


def test_a_member_on_hold_takes_only_results_of_earlier_calls_or_later_epochs(
    controller: Controller, members: list[Membership]
) -> None:
    place, _ = controller.joined(members[:2])
    assert members[1].give_up(Ending(1, 1, "on purpose")) is not None
    heard(members[0], lambda latest: latest.epoch > place.epoch)
    assert not members[0].take(1, place.epoch, False)
    assert members[0].take(0, place.epoch, False)
    assert members[0].take(1, place.epoch + 1, False)


def test_a_member_that_waits_in_an_earlier_epoch_does_not_count(
    controller: Controller, members: list[Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, _ = controller.joined(members[:2])
    counted: list[tuple[object, ...]] = []
    monkeypatch.setattr(controller.roster, "waiting", lambda *given: counted.append(given))
    for epoch in (place.epoch - 1, place.epoch):
        assert members[0]._me is not None
        members[0]._me.epoch = epoch
        members[0]._stub.Waiting(members[0]._state(members[0]._me, impatient=True), timeout=20)
    assert len(counted) == 1


def test_a_job_without_slots_waits_in_line(controller: Controller, members: list[Membership]) -> None:
    controller.joining(members[0], 1, size=1, lanes=256).result(600)
    with pytest.raises(MembershipError, match="no room for job 2"):
        controller.joining(members[1], 2, job=2, size=1).result(600)
    waiting = controller.joining(members[1], 2, job=2, size=1, when_full="wait")
    controller.said("job 2: waits in line for 64 slots")
    members[0].leave()
    assert waiting.result(600).lanes == 64
    assert set(controller.switch.jobs) == {2}


def test_a_job_without_slots_may_run_on_a_host(tmp_path: Path) -> None:
    host = Aggregator("10.0.0.9", 5000)
    with (
        running(f"unix:{tmp_path}/c.sock", host=host) as controller,
        Membership(controller.address) as first,
        Membership(controller.address) as second,
    ):
        controller.joining(first, 1, size=1, lanes=256).result(600)
        place = controller.joining(second, 2, job=2, size=1, when_full="host").result(600)
        assert (place.switch_ip, place.switch_port, place.hosted) == ("10.0.0.9", 5000, True)


def test_64_jobs_run_at_once(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/c.sock", slots=SLOTS) as controller, ExitStack() as closing:
        members = [closing.enter_context(Membership(controller.address)) for _ in range(64)]
        joining = [controller.joining(each, 1, job=job, size=1) for job, each in enumerate(members)]
        assert len({each.result(600).epoch for each in joining}) == 64
        assert len(controller.switch.jobs) == 64


# ---- the controller and the switch go away and come back


def test_members_find_the_next_controller_and_their_job_continues(tmp_path: Path) -> None:
    address, switch = f"unix:{tmp_path}/controller.sock", FakeSwitch()
    with ExitStack() as closing:
        with running(address, switch) as former:
            members = [closing.enter_context(Membership(address)) for _ in range(3)]
            first = former.joined(members, token="secret")[0]
        with running(address, switch) as controller:
            for rank in range(3):
                controller.said("is back")
                assert members[rank].place.epoch == first.epoch
            members[2].leave()
            place = members[0].changed(first.epoch, timeout=600)
            assert place.members == (0, 1)
            assert place.epoch > first.epoch
            for each in members[:2]:
                each.leave()


def test_a_member_that_leaves_while_the_controller_is_away_tells_the_next_one(tmp_path: Path) -> None:
    """The others may still need its results."""
    address, switch = f"unix:{tmp_path}/controller.sock", FakeSwitch()
    with ExitStack() as closing, ThreadPoolExecutor(1) as pool:
        with running(address, switch) as former:
            members = [closing.enter_context(Membership(address)) for _ in range(2)]
            former.joined(members)
        leaving = pool.submit(members[0].leave, linger=60)
        with running(address, switch) as controller:
            assert leaving.result(600)
            controller.said("worker 0 at 10.0.0.1 has finished")
            assert members[1].place.members == (0, 1)
            assert members[1].leave(linger=60)


@dataclass
class BusySwitch(FakeSwitch):
    """A fake switch that takes a given time for each change."""

    idle: Event = field(default_factory=Event)
    busy: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.idle.set()

    def sync(self, number: int, job: Job | None) -> None:
        if not self.idle.is_set():
            self.busy.set()
        self.idle.wait()
        super().sync(number, job)


class NotingSwitch(FakeSwitch):
    """Records only the part of a job that rows hold."""

    def learn(self) -> list[tuple[Job, bool]]:
        return [(found, True) for job in self.jobs.values() for found, *_ in jobs_of(Rows.of(job))]


def test_an_admission_continues_with_the_next_controller(tmp_path: Path) -> None:
    address, switch = f"unix:{tmp_path}/controller.sock", BusySwitch()
    elastic = {"elastic": True, "quorum": 2, "size": 3}
    with ExitStack() as closing, running(address, switch) as former:
        members = [closing.enter_context(Membership(address)) for _ in range(3)]
        epoch = former.joined(members[:2], **elastic)[0].epoch
        entering = former.joining(members[2], 3, **elastic)
        former.said("waits to be let in")
        switch.idle.clear()
        admitting = [former.pool.submit(member.admit, 1) for member in members[:2]]
        assert switch.busy.wait(600)
        stopping = former.pool.submit(former.stop)
        with pytest.raises(MembershipError, match="cannot join job 1: the controller went away"):
            entering.result(600)
        switch.idle.set()
        stopping.result(600)
        with running(address, switch):
            assert len({each.result(600) for each in admitting}) == 1
            assert admitting[0].result() > epoch
            for member in members[:2]:
                member.leave()


def test_members_bring_an_admission_that_the_switch_does_not_know_to_the_next_controller(tmp_path: Path) -> None:
    address, switch = f"unix:{tmp_path}/controller.sock", FakeSwitch()
    elastic = {"elastic": True, "quorum": 2, "size": 3}
    with ExitStack() as closing:
        with running(address, switch) as former:
            members = [closing.enter_context(Membership(address)) for _ in range(3)]
            former.joined(members[:2], **elastic)
            entering = former.joining(members[2], 3, **elastic)
            former.said("waits to be let in")
            switch.go_away()
            (epoch,) = {member.admit(1) for member in members[:2]}
            assert switch.jobs[1].epoch < epoch
            former.stop()
            with pytest.raises(MembershipError, match="cannot join job 1: the controller went away"):
                entering.result(600)
        switch.refusal = None
        with running(address, switch):
            for member in members[:2]:
                place = member.place
                while place.epoch < epoch:
                    place = member.changed(place.epoch, timeout=600)
                assert place.members == (0, 1)
            for member in members[:2]:
                member.leave()


AWAY = [
    (grpc.StatusCode.UNKNOWN, "Stream removed (Socket closed)"),
    (grpc.StatusCode.UNAVAILABLE, "Socket closed"),
    (grpc.StatusCode.CANCELLED, "CANCELLED"),
    (grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded"),
]


@pytest.mark.parametrize(("status", "text"), AWAY)
def test_a_request_that_a_controller_did_not_answer_goes_to_the_next_one(
    controller: Controller, members: list[Membership], status: grpc.StatusCode, text: str, monkeypatch: Any
) -> None:
    places = controller.joined(members[:2])
    ask, failures = members[0]._stub.Return.future, iter([Failure(status, text)] * 2)

    def dying(*arguments: Any, **more: Any) -> Any:
        for failure in failures:
            raise failure
        return ask(*arguments, **more)

    monkeypatch.setattr(members[0]._stub, "Return", SimpleNamespace(future=dying))
    members[0].come_back()
    assert members[0].place == places[0]


def test_a_request_waits_a_limited_time_for_the_next_controller(
    controller: Controller, members: list[Membership], monkeypatch: Any
) -> None:
    controller.joined(members[:2])
    controller.stop()
    members[0]._timeout = 0.05
    monkeypatch.setattr(controller_client, "CONTROLLER_RESTART", 0.3)
    with pytest.raises(MembershipError, match=r"the controller has not answered for 0\.3 s"):
        members[0].admit(0)


def test_a_refused_request_is_not_repeated(controller: Controller, members: list[Membership]) -> None:
    controller.joined(members[:2])
    me = members[0]._me
    assert me is not None
    me.rank = 9
    with pytest.raises(MembershipError, match=r"the controller refuses: job 1 has no worker 9 at 10\.0\.0\.1"):
        members[0].come_back()
    me.rank = 0


def test_a_member_that_does_not_come_back_to_the_next_controller_is_lost(tmp_path: Path) -> None:
    address, switch = f"unix:{tmp_path}/controller.sock", FakeSwitch()
    with ExitStack() as closing:
        with running(address, switch) as former:
            members = [closing.enter_context(Membership(address)) for _ in range(2)]
            first = former.joined(members)[0]
            former.stop()
            members[1].close()
        with running(address, switch, grace=5) as controller:
            place = members[0].changed(first.epoch, timeout=600)
            assert place.why == "job 1 lost its worker 1 at 10.0.0.2: it did not come back to the new controller"
            assert controller.switch.jobs[1].members == (0,)
            members[0].leave()


def test_the_next_controller_knows_the_benched_workers(tmp_path: Path) -> None:
    address, switch = f"unix:{tmp_path}/controller.sock", NotingSwitch()
    with ExitStack() as closing:
        with running(address, switch) as former:
            members = [closing.enter_context(Membership(address)) for _ in range(2)]
            first = former.joined(members)[0]
            members[0].begin(0)
            members[0].waits(impatient=True)
            benched = members[0].changed(first.epoch, timeout=600)
            assert benched.benched == (1,)
        with running(address, switch) as controller:
            for _ in members:
                controller.said("is back")
            members[1].come_back()
            place = members[0].changed(benched.epoch, timeout=600)
            assert (place.members, place.benched) == ((0, 1), ())
            for each in members:
                each.leave()


HOSTILE = "\x1b[2Jcleared\nready: workers join at \u202egnp.\u2028\r\x9b" + "long" * 1000
ESCAPED = r"\x1b[2Jcleared\nready: workers join at \u202egnp.\u2028\r\x9blong"


def test_what_a_member_says_reaches_others_as_one_line(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/controller.sock") as controller, ExitStack() as closing:
        members = [closing.enter_context(Membership(controller.address)) for _ in range(2)]
        controller.joined(members)
        reports = [controller.pool.submit(member.compare, HOSTILE) for member in members]
        calls = [call for report in reports for call in report.result(600).values()]
        given_up = controller.pool.submit(members[0].give_up, Ending(0, 0, HOSTILE))
        while ESCAPED not in (line := controller.lines.get(timeout=600)):
            assert line.isprintable()
        ending = given_up.result(600)
        assert ending is not None
        for text in (*calls, ending.cause):
            assert text.startswith(ESCAPED)
            assert text.isprintable()
            assert len(text) <= MOST_SAID
        assert line.isprintable()
        for member in members:
            member.leave()


def test_the_next_controller_ends_the_former_ones_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One member was on hold, another had not answered yet, and the call is given up no more."""
    address, switch, on_hold = f"unix:{tmp_path}/controller.sock", FakeSwitch(), Event()
    with ExitStack() as closing:
        with running(address, switch) as former:
            members = [closing.enter_context(Membership(address)) for _ in range(2)]
            place = former.joined(members)[0]
            answer = members[0]._answer_hold

            def answer_and_tell(*asked: Any) -> None:
                answer(*asked)
                on_hold.set()

            monkeypatch.setattr(members[0], "_answer_hold", answer_and_tell)
            monkeypatch.setattr(members[1], "_answer_hold", lambda *_: None)
            worker = former.roster.jobs.running[1].workers[1]
            former.pool.submit(former.do, former.roster.give_up(1, worker, Ending(0, 1, "on purpose")))
            assert on_hold.wait(600)
            assert not members[0].take(0, place.epoch, calling=False)
        with running(address, switch):
            assert members[0].changed(place.epoch, timeout=600).members == (0, 1)
            for each in members:
                each.leave()


def test_a_member_learns_that_the_next_controller_does_not_know_its_job(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/controller.sock"
    with ExitStack() as closing:
        with running(address) as former:
            member = closing.enter_context(Membership(address))
            (place,) = former.joined([member])
        with running(address), pytest.raises(MembershipError, match="job 1 is over"):
            member.changed(place.epoch, timeout=600)


def test_a_disconnected_worker_may_come_back_within_the_patience(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/c.sock", patience=20) as controller, Membership(controller.address) as member:
        (place,) = controller.joined([member])
        member._end_calls()
        controller.said("worker 0 at 10.0.0.1 is back")
        assert member.epoch == place.epoch


def test_a_member_closes_after_it_has_asked_to_come_back_or_instead(tmp_path: Path) -> None:
    """gRPC refuses to begin a call on a channel that is closed."""
    with running(f"unix:{tmp_path}/c.sock", patience=20) as controller, ThreadPoolExecutor(1) as pool:
        member = Membership(controller.address)
        controller.joined([member])
        start, resumed = member._start, Future[None]()

        def start_late(begin: Callable[[], Any]) -> Any:
            wait([pool.submit(member.close)], timeout=0.1)
            try:
                call = start(begin)
            except ValueError as error:
                resumed.set_exception(error)
                return []
            resumed.set_result(None)
            return call

        member._start = start_late  # type: ignore[method-assign]
        member._end_calls()
        resumed.result(600)


def test_a_request_after_another_thread_has_closed_the_connection_says_so(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/c.sock") as controller:
        member = Membership(controller.address)
        member.close()
        with pytest.raises(MembershipError, match="the connection to the controller was closed"):
            member._answer_to(member._stub.Present, Progress())


def test_a_restarted_worker_gets_its_place_after_the_patience(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/c.sock", patience=1) as controller:
        former = Membership(controller.address)
        controller.joined([former])
        # As when its process dies.
        former._closing.set()
        former._end_calls()
        with Membership(controller.address) as member:
            (place,) = controller.joined([member])
            assert place.members == (0,)
        controller.said("job 1 lost its worker 0 at 10.0.0.1: its connection was lost; the job is over")


def test_a_joining_worker_does_not_take_a_disconnected_members_place(tmp_path: Path) -> None:
    with ExitStack() as closing:
        controller = closing.enter_context(running(f"unix:{tmp_path}/c.sock", patience=60))
        members = [closing.enter_context(Membership(controller.address)) for _ in range(3)]
        place, _ = controller.joined(members[:2])
        with members[1]._lock:  # It cannot come back meanwhile.
            members[1]._end_calls()
            while not controller.roster.unsettled(1):
                time.sleep(0.01)
            gathered = controller.joining(members[2], 3, size=2)
            with pytest.raises(TimeoutError):
                gathered.result(0.3)
        controller.said("worker 1 at 10.0.0.2 is back")
        with pytest.raises(MembershipError, match="is already running, with rank 0, 1"):
            gathered.result(600)
        assert members[0].epoch == members[1].epoch == place.epoch


def test_a_disconnected_worker_stays_until_the_others_could_fetch_its_results(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/c.sock", patience=1) as controller, Membership(controller.address) as member:
        other = Membership(controller.address)
        places = controller.joined([member, other])
        closed = time.monotonic()
        other.close()
        assert member.changed(places[0].epoch, timeout=600).members == (0,)
        assert time.monotonic() - closed >= 1


def test_after_a_switch_restart_the_jobs_are_installed_in_new_epochs(
    controller: Controller, members: list[Membership]
) -> None:
    first = controller.joined(members[:2])[0]
    controller.switch.go_away()
    gathered = controller.joining(members[2], 3, job=2, size=1)
    controller.said("job 2: started")
    assert not gathered.done()
    controller.switch.jobs.clear()

    def back() -> None:
        controller.switch.refusal = None

    controller.do(controller.roster.restore(back))
    place = members[0].changed(first.epoch, timeout=600)
    assert (place.members, place.why) == ((0, 1), "job 1: the switch restarted")
    assert gathered.result(600).epoch == controller.switch.jobs[2].epoch
    assert controller.switch.jobs[1].epoch == place.epoch


def test_a_job_that_ended_while_the_switch_was_away_is_removed_from_it(
    controller: Controller, members: list[Membership]
) -> None:
    controller.joined(members[:1])
    controller.switch.go_away()
    members[0].leave()
    assert set(controller.switch.jobs) == {1}

    def back() -> None:
        controller.switch.refusal = None

    controller.do(controller.roster.restore(back))
    assert controller.switch.jobs == {}


def test_a_switch_that_was_only_unreachable_continues_in_the_same_epoch(
    controller: Controller, members: list[Membership]
) -> None:
    first = controller.joined(members[:2])[0]
    controller.do(controller.roster.restore(lambda: None))
    assert members[0].epoch == first.epoch
    members[1].leave()
    assert members[0].changed(first.epoch, timeout=600).members == (0,)


def test_a_controller_that_stops_loses_no_worker_and_they_can_leave_without_it(
    controller: Controller, members: list[Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dropzero.membership.client.CONTROLLER_RESTART", 0.1)
    controller.joining(members[0], 1, size=1).result(600)
    controller.stop()
    assert members[0].place.members == (0,)
    assert members[0].leave()
    assert 1 in controller.switch.jobs


def test_the_error_without_a_controller_says_what_to_do(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/nobody.sock"
    with pytest.raises(
        MembershipError, match=f"no controller answers at {address} within 0.2 s: start one with `dropzero"
    ):
        Membership(address, timeout=0.2)


def test_a_controller_that_has_stopped_is_an_error_although_another_membership_has_a_channel(tmp_path: Path) -> None:
    address, stopped, over = f"unix:{tmp_path}/controller.sock", Event(), Event()

    def present(_: bytes, context: grpc.ServicerContext) -> bytes:
        if stopped.is_set():
            over.wait()
        context.abort(grpc.StatusCode.NOT_FOUND, "nobody")

    def join(_: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        over.wait()
        return iter(())

    server = grpc.server(ThreadPoolExecutor(4))
    methods: dict[str, Any] = {
        "Present": grpc.unary_unary_rpc_method_handler(present),
        "Join": grpc.unary_stream_rpc_method_handler(join),
    }
    server.add_registered_method_handlers("dropzero.Membership", methods)
    server.add_insecure_port(address)
    server.start()
    with closing(Membership(address, timeout=60)), closing(Membership(address, timeout=0.2)) as another:
        with pytest.raises(MembershipError, match="not all 1 workers of job 1 joined in time"):
            another.join(job=1, size=1, ip="10.0.0.1", udp_port=1, timeout=0.5)
        stopped.set()
        with pytest.raises(MembershipError, match="no controller answers at"):
            another.join(job=1, size=1, ip="10.0.0.1", udp_port=1)
    over.set()
    server.stop(None).wait()


@pytest.mark.parametrize(
    ("listen", "message"),
    [
        ("{taken}", "cannot listen on .*controller.sock: another controller already does"),
        ("unix:/nowhere/at/all.sock", "cannot listen on .*: /nowhere/at: No such file or directory"),
        ("unix:/tmp/controller.sock", "other users may write to /tmp: use a folder of your own, as in unix:/"),
        ("unix:/tmp/" + 120 * "x", "at most 107 characters"),
        (
            "127.0.0.1:{port}",
            r"cannot listen on 127.0.0.1:\d+: is the address taken, or does it belong to",
        ),
        ("127.0.0.1:99999", "99999 is not a TCP port"),
    ],
)
def test_an_address_that_cannot_be_listened_on_is_refused(controller: Controller, listen: str, message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = listen.format(taken=controller.address, port=taken.getsockname()[1])
        with pytest.raises(AccessError, match=message), running(at):
            pass


def test_an_address_that_other_machines_can_reach_needs_tls() -> None:
    with pytest.raises(AccessError, match=r"other machines can reach 0.0.0.0:0"), running("0.0.0.0:0"):
        pass


def test_workers_may_join_over_tcp() -> None:
    with running("127.0.0.1:0") as controller, Membership(controller.address) as member:
        assert controller.joining(member, 1, size=1).result(600).rank == 0
