"""A controller in the test's process: gRPC on a Unix socket, and a fake switch that only records jobs."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address
from typing import Any

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import DEFAULT_LANES, Job, Jobs
from dropzero.controller.jobs.roster import Roster
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError
from dropzero.controller.rpc.journal import Journal
from dropzero.controller.rpc.membership_service import MembershipService
from dropzero.controller.rpc.operator_service import OperatorService
from dropzero.controller.rpc.server import serving
from dropzero.controller.switches.fabric import Aggregator
from dropzero.controller.switches.switch import Settings
from dropzero.controller.switches.view import Host, SwitchView
from dropzero.membership.access import Credentials, Tls
from dropzero.membership.client import Membership, Place

TOPOLOGY = SwitchView("s1", {f"h{i}": Host(f"h{i}", IPv4Address(f"10.0.0.{i}"), 0x800 + i, i) for i in range(1, 9)})


@dataclass
class FakeSwitch:
    """Records the jobs installed on it; can refuse one, or be away."""

    jobs: dict[int, Job] = field(default_factory=dict)
    refusal: SwitchError | None = None
    settings: Settings = field(default_factory=Settings)
    epochs: int = 1
    """All epochs below it are taken."""

    def learn(self) -> list[tuple[Job, bool]]:
        self._answer()
        return [(job, True) for job in self.jobs.values()]

    def sync(self, number: int, job: Job | None) -> None:
        self._answer()
        if job is not None:
            self.epochs = max(self.epochs, job.epoch + 1)
            self.jobs[number] = job
        else:
            self.jobs.pop(number, None)

    def taken(self) -> int:
        self._answer()
        return self.epochs

    def change(self, settings: Settings) -> None:
        self._answer()
        self.settings = settings

    def reset_counters(self) -> None:
        self._answer()

    def go_away(self) -> None:
        self.refusal = UnreachableError("the switch is away")

    def _answer(self) -> None:
        if self.refusal is not None:
            raise self.refusal


@dataclass
class Controller:
    """A controller's service on its own thread."""

    address: str
    switch: FakeSwitch
    roster: Roster
    lines: queue.SimpleQueue[str]
    pool: ThreadPoolExecutor
    stop: Callable[[], None]
    do: Callable[[Coroutine[Any, Any, Any]], None]

    def said(self, text: str) -> None:
        """Waits until the service reports a text; skips the lines before it."""
        while text not in self.lines.get(timeout=600):
            pass

    def joining(self, member: Membership, host: int, **wanted: Any) -> Future[Place]:
        """Starts a join on its own thread."""
        asked: dict[str, Any] = {"job": 1, "size": 2, "udp_port": 40000 + host, "timeout": 20} | wanted
        asked["ip"] = f"10.0.0.{host}"
        return self.pool.submit(lambda: member.join(**asked))

    def joined(self, members: list[Membership], **wanted: Any) -> list[Place]:
        """Lets members join, on hosts 1, 2, ..., with ranks 0, 1, ..."""
        places = [
            self.joining(member, rank + 1, **{"rank": rank, "size": len(members)} | wanted)
            for rank, member in enumerate(members)
        ]
        return [place.result(600) for place in places]


@contextmanager
def running(
    address: str,
    switch: FakeSwitch | None = None,
    *,
    patience: float = 0,
    grace: float = 20,
    slots: int = 4 * DEFAULT_LANES,
    host: Aggregator | None = None,
    tls: Tls | None = None,
    token: str = "",
    heartbeat: float = 20,
) -> Iterator[Controller]:
    """Runs a controller that serves at an address, and stops it at the end."""
    switch = switch or FakeSwitch()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    ready: Future[tuple[Roster, asyncio.AbstractEventLoop, Callable[[], object], str]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        journal = Journal(lines.put)
        roster = Roster(
            Jobs(slots, Epochs(), slots if host is not None else 0),
            switch,
            journal,
            patience=patience,
        )
        await roster.adopt(grace)

        def home(job: Job, _: int) -> Aggregator:
            return host if job.hosted and host is not None else Aggregator(str(switch.settings.ip))

        members = MembershipService(roster, TOPOLOGY, home)
        operators = OperatorService(roster, switch, journal)
        async with serving(members, operators, address, heartbeat, Credentials(tls, token)) as at:
            ready.set_result((roster, loop, partial(loop.call_soon_threadsafe, stop.set), at))
            await stop.wait()
            roster.close()

    def thread_body() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    thread = threading.Thread(target=thread_body)
    thread.start()
    with ThreadPoolExecutor(80) as pool:
        roster, loop, request_stop, at = ready.result(600)

        def stop() -> None:
            if thread.is_alive():
                request_stop()
                thread.join(600)

        def do(work: Coroutine[Any, Any, Any]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result(600)

        try:
            yield Controller(at, switch, roster, lines, pool, stop, do)
        finally:
            stop()
