"""Workers joining and leaving over real gRPC on a Unix socket; the switch only remembers what it was told."""

from __future__ import annotations

import asyncio
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from controller.client import Membership, MembershipError, Place
from controller.errors import SwitchError
from controller.jobs import Job, Jobs
from controller.service import ListenError, MembershipService, serving
from controller.slots import Slots
from controller.switch import DEFAULT_IP
from controller.topology import Host, Topology

TOPOLOGY = Topology("s1", {f"h{i}": Host(f"h{i}", IPv4Address(f"10.0.0.{i}"), 0x800 + i, i) for i in range(1, 9)})


@dataclass
class Rows:
    """A switch that only remembers the jobs installed on it, and may refuse one."""

    jobs: dict[int, Job] = field(default_factory=dict)
    refusal: SwitchError | None = None

    def install(self, job: Job) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.jobs[job.id] = job

    def remove(self, job: Job) -> None:
        if self.jobs.pop(job.id, None) is not job:
            raise SwitchError("no such rows")


@dataclass
class Controller:
    """A service on its own thread."""

    address: str
    switch: Rows
    lines: queue.SimpleQueue[str]
    pool: ThreadPoolExecutor
    stop: Callable[[], None]

    def said(self, text: str) -> None:
        """Waits for the service to report it; the lines before it are passed over."""
        while text not in self.lines.get(timeout=20):
            pass

    def joining(self, member: Membership, host: int, **wanted: int) -> Future[Place]:
        """A join that waits on a thread of its own."""
        asked = {"job": 1, "size": 2, "ip": f"10.0.0.{host}", "udp_port": 40000 + host, "timeout": 20} | wanted
        return self.pool.submit(lambda: member.join(**asked))  # type: ignore[arg-type]


@pytest.fixture
def controller(tmp_path: Path) -> Iterator[Controller]:
    address = f"unix:{tmp_path}/controller.sock"
    switch = Rows()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    jobs = Jobs(Slots(64), itertools.count(1))
    service = MembershipService(jobs, TOPOLOGY, switch, DEFAULT_IP, report=lines.put)
    ready: Future[Callable[[], object]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with serving(service, address, heartbeat=0.5):
            ready.set_result(partial(loop.call_soon_threadsafe, stop.set))
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    with ThreadPoolExecutor(8) as pool:
        request_stop = ready.result(20)

        def stop() -> None:
            if thread.is_alive():
                request_stop()
                thread.join(20)

        yield Controller(address, switch, lines, pool, stop)
        stop()
    assert not Path(address.removeprefix("unix:")).exists()


@pytest.fixture
def members(controller: Controller) -> Iterator[list[Membership]]:
    """Three workers' connections."""
    connections = [Membership(controller.address) for _ in range(3)]
    yield connections
    for each in connections:
        each.close()


def test_a_job_starts_when_all_are_there_and_everybody_learns_their_place(
    controller: Controller, members: list[Membership]
) -> None:
    first = controller.joining(members[0], 1, lanes=8)
    controller.said("job 1: 1 of 2 workers are here")
    assert not first.done()
    second = controller.joining(members[1], 2, rank=0)
    assert first.result(20) == Place(1, 2, 1, 1, 8, "10.0.0.254", 0xD020)
    assert second.result(20) == Place(1, 2, 0, 1, 8, "10.0.0.254", 0xD020)
    job = controller.switch.jobs[1]
    assert [(each.ip, each.mac, each.udp_port, each.port) for each in job.workers] == [
        (IPv4Address("10.0.0.2"), 0x802, 40002, 2),
        (IPv4Address("10.0.0.1"), 0x801, 40001, 1),
    ]


def test_when_all_have_left_the_rows_are_gone_and_the_job_can_start_anew_in_another_epoch(
    controller: Controller, members: list[Membership]
) -> None:
    places = []
    for _ in range(2):
        joining = [controller.joining(member, host) for host, member in enumerate(members[:2], 1)]
        places.append([each.result(20) for each in joining])
        members[0].leave()
        assert 1 in controller.switch.jobs
        assert members[1].lost is None
        members[1].leave()
        assert controller.switch.jobs == {}
    assert {place.rank for place in places[0]} == {place.rank for place in places[1]} == {0, 1}
    assert places[0][0].epoch != places[1][0].epoch


def test_several_jobs_run_side_by_side(controller: Controller, members: list[Membership]) -> None:
    joining = [controller.joining(member, 1, job=job, size=1) for job, member in enumerate(members, 1)]
    assert len({each.result(20).epoch for each in joining}) == 3
    slots = [set(job.slots) for job in controller.switch.jobs.values()]
    assert len(set.union(*slots)) == sum(map(len, slots))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"rank": 0}, "cannot join job 1: rank 0 of job 1 is taken"),
        ({"size": 3}, "cannot join job 1: job 1 is gathering 2 workers, not 3"),
        ({"host": 99}, "cannot join job 1: 10.0.0.99 is no host of the topology"),
        ({"udp_port": 0}, "cannot join job 1: 0 is no UDP port"),
        ({"job": 2, "lanes": 65}, "cannot join job 2: no room for job 2: 65 slots wanted"),
    ],
)
def test_a_worker_that_cannot_join_is_told_why_and_the_others_wait_on(
    controller: Controller, members: list[Membership], wanted: dict[str, int], message: str
) -> None:
    waiting = controller.joining(members[0], 1, rank=0)
    controller.said("1 of 2")
    with pytest.raises(MembershipError, match=message):
        controller.joining(members[1], **({"host": 2} | wanted)).result(20)
    assert not waiting.done()
    assert controller.joining(members[2], 2).result(20).rank == 1
    assert waiting.result(20).rank == 0


def test_a_worker_that_gives_up_waiting_leaves_its_place_free(
    controller: Controller, members: list[Membership]
) -> None:
    with pytest.raises(MembershipError, match=r"not all 2 workers of job 1 were there within 0.2 s"):
        members[0].join(job=1, size=2, rank=0, ip="10.0.0.1", udp_port=40001, timeout=0.2)
    controller.said("a waiting worker at 10.0.0.1 gave up")
    joining = [controller.joining(member, 2, rank=rank) for rank, member in enumerate(members[1:])]
    assert [each.result(20).rank for each in joining] == [0, 1]


def test_a_job_that_is_running_cannot_be_joined(controller: Controller, members: list[Membership]) -> None:
    controller.joining(members[0], 1, size=1).result(20)
    with pytest.raises(MembershipError, match="job 1 is running: rank 0 has not left yet"):
        controller.joining(members[1], 2, size=1).result(20)


def test_what_the_switch_refuses_reaches_the_workers(controller: Controller, members: list[Membership]) -> None:
    controller.switch.refusal = SwitchError("the switch refused: table is full")
    with pytest.raises(MembershipError, match="cannot join job 1: the switch refused: table is full"):
        controller.joining(members[0], 1, size=1).result(20)
    controller.switch.refusal = None
    assert controller.joining(members[0], 1, size=1).result(20).rank == 0


JOIN_AND = """
import signal, sys
from controller.client import Membership
with Membership(sys.argv[1]) as membership:
    membership.join(job=1, size=2, ip="10.0.0.2", udp_port=40002, rank=1)
    {}
"""


@pytest.mark.parametrize(
    ("then", "sent"),
    [("signal.pause()", signal.SIGKILL), ("signal.pause()", signal.SIGSTOP), ("raise RuntimeError", None)],
    ids=["killed", "stopped", "failed"],
)
def test_a_worker_lost_ends_the_job_and_the_others_learn_who_it_was(
    controller: Controller, members: list[Membership], then: str, sent: signal.Signals | None
) -> None:
    command = [sys.executable, "-c", JOIN_AND.format(then), controller.address]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            controller.joining(members[0], 1).result(20)
            controller.said("started with 2 workers")
            assert members[0].lost is None or sent is None
            if sent is not None:
                os.kill(process.pid, sent)
            controller.said("job 1 lost its worker 1 at 10.0.0.2")
        finally:
            process.kill()
    deadline = time.monotonic() + 20
    while members[0].lost is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert members[0].lost == "job 1 lost its worker 1 at 10.0.0.2"
    assert controller.joining(members[1], 3, size=1).result(20).rank == 0
    assert [job.workers[0].port for job in controller.switch.jobs.values()] == [3]
    members[0].leave()


def test_a_controller_that_stops_loses_nobody_and_they_may_leave_without_it(
    controller: Controller, members: list[Membership]
) -> None:
    controller.joining(members[0], 1, size=1).result(20)
    controller.stop()
    assert members[0].lost is None
    members[0].leave()
    assert 1 in controller.switch.jobs


def test_a_controller_that_is_not_there_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/nobody.sock"
    with pytest.raises(MembershipError, match=f"no controller answers at {address}: start one with `dropzero"):
        Membership(address, timeout=0.2)


@pytest.mark.parametrize(
    ("listen", "message"),
    [
        ("{taken}", "cannot listen on .*controller.sock: another controller does"),
        ("unix:/nowhere/at/all.sock", "there is no directory /nowhere/at"),
        ("unix:/tmp/" + 120 * "x", "at most 107 characters"),
        ("192.0.2.1:1", "cannot listen on 192.0.2.1:1: is the address taken, or not this machine's?"),
    ],
)
def test_an_address_that_cannot_be_had_is_refused(controller: Controller, listen: str, message: str) -> None:
    async def serve() -> None:
        service = MembershipService(Jobs(Slots(), itertools.count(1)), TOPOLOGY, Rows(), DEFAULT_IP, print)
        async with serving(service, listen.format(taken=controller.address), heartbeat=10):
            pass

    with pytest.raises(ListenError, match=message):
        asyncio.run(serve())


def test_workers_may_join_over_tcp() -> None:
    async def serve() -> None:
        service = MembershipService(Jobs(Slots(), itertools.count(1)), TOPOLOGY, Rows(), DEFAULT_IP, print)
        async with serving(service, "127.0.0.1:0", heartbeat=10) as address:

            def work() -> Place:
                with Membership(address) as member:
                    return member.join(job=1, size=1, ip="10.0.0.1", udp_port=40000, timeout=20)

            assert (await asyncio.to_thread(work)).rank == 0

    asyncio.run(serve())
