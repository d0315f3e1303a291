"""What happens when: jobs that come and go and share slots, and switches that fail and return.

A job's slots are what the controller would give it: its own allocator and policies divide them
(dropzero.controller.jobs). Whatever changes them begins a new epoch, in which a call that is under way begins again; if
some workers have its result already, the first of these hands it to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from ipaddress import IPv4Address
from itertools import count
from typing import NamedTuple

import numpy as np

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import Job, Jobs, Terms, WhenFull, Worker
from dropzero.controller.jobs.policies import Policy
from dropzero.controller.jobs.slots import SLOTS
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.tensor.bitmap import Bitmap
from dropzero.simulator.kernel.state import NONE
from dropzero.simulator.memory import Received
from dropzero.simulator.network import Network, Place, SimulationError
from dropzero.softswitch.engine.wire import SECOND

LIMIT = 600.0
"""Seconds of virtual time."""
_ADDRESS = IPv4Address("10.0.0.1")


@dataclass(frozen=True)
class Outage:
    """A switch loses its state, and all packets until it is back, at times in nanoseconds. The controller writes to it
    at once."""

    switch: str
    begin: int
    end: int

    def __post_init__(self) -> None:
        if not self.begin < self.end:
            raise ValueError(f"an outage of {self.switch} ends before it begins")


class Calls(NamedTuple):
    """A call on all hosts of a part of a job, by rank."""

    calls: Sequence[Call]
    sources: Sequence[Source]
    targets: Sequence[Target]
    received: Sequence[Received] = ()
    """What gives back the targets' memory; none: nothing does."""
    wanted: Sequence[Bitmap] = ()
    """The granules of the result that each host needs; none: all."""


Program = Iterator[Calls]
"""The calls of a part of a job, one after the other."""


class Timeline:
    """A run of all jobs of a network.

    Args:
        programs: of each part of a job.
        policy, slots: how jobs share the slots of a switch, and how many these are.
        priorities: of jobs; those without one have 1.
        stagger: nanoseconds between two jobs' arrivals.
        outages: of switches.

    Raises:
        ValueError: there is no such switch.

    Attributes:
        begun, over: when each part of a job came, and when it was done, nanoseconds.
        hosted: how long the aggregator added up for it, nanoseconds.
    """

    def __init__(
        self,
        network: Network,
        programs: Sequence[Program],
        policy: Policy,
        slots: int,
        priorities: Sequence[int] = (),
        stagger: int = 0,
        outages: Sequence[Outage] = (),
    ) -> None:
        self._network, self._programs = network, programs
        self._lanes = min(network.lanes, slots)
        self._when_full = WhenFull.HOST if network.aggregator else WhenFull.WAIT
        # All jobs use the same switches, so their slots are the same on each: one stands for all.
        host = SLOTS if network.aggregator else 0
        self._jobs = [Jobs(slots, Epochs(), host, policy=policy) for _ in range(network.rails)]
        self._running: dict[int, Calls] = {}
        self.begun = [0] * len(programs)
        self.over = [0] * len(programs)
        self.hosted = [0] * len(programs)
        self._hosted_since: dict[int, int] = {}
        """When parts that are on the aggregator came there."""
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._number = count()
        self._down: set[str] = set()
        self._left = len(programs)
        """Parts that are not over."""
        now = int(network.state.hosts["finished"].max())
        for part in range(len(programs)):
            job = part // network.rails
            priority = priorities[job] if job < len(priorities) else 1
            self.begun[part] = now + job * stagger
            self._plan(now + job * stagger, partial(self._arrive, part, priority))
        for outage in outages:
            if outage.switch not in network.switches:
                raise ValueError(f"there is no switch {outage.switch}: choose {', '.join(map(str, network.switches))}")
            self._plan(now + outage.begin, partial(self._fail, outage.switch))
            self._plan(now + outage.end, partial(self._return, outage.switch))

    def run(self, look: Callable[[], None]) -> None:
        """Runs until all jobs are over; `look` is called now and then. Raises SimulationError if LIMIT comes first."""
        network, clock = self._network, self._network.state.clock
        limit = round(LIMIT * SECOND)
        while self._left:
            end = min(self._events[0][0], limit) if self._events else limit
            over = len(network.state.hosts) if len(self._programs) == 1 else int(clock["over"][0]) + 1
            if self._running and network.advance(end, over, look):
                self._go_on()
            elif self._events and end < limit:
                time, _, action = heappop(self._events)
                clock["time"] = max(network.time, time)
                action()
            else:
                waiting = len(network.state.hosts) - int(clock["over"][0])
                raise SimulationError(f"after {LIMIT} s of virtual time, {waiting} workers wait for their sums")

    def _plan(self, time: int, action: Callable[[], None]) -> None:
        heappush(self._events, (time, next(self._number), action))

    def _go_on(self) -> None:
        """Begins the next calls of parts whose hosts have all made one."""
        finished = self._network.state.hosts["finished"]
        for part in list(self._running):
            hosts = self._network.hosts(part)
            if (finished[hosts.start : hosts.stop] == NONE).any():
                continue
            following = next(self._programs[part], None)
            if following is not None:
                self._begin(part, following)
                continue
            del self._running[part]
            self._left -= 1
            self.over[part] = int(finished[hosts.start : hosts.stop].max())
            self._leave(part, self.over[part])
            self._controller(part).end(part)
            self._share_out(part)

    def _arrive(self, part: int, priority: int) -> None:
        terms = Terms(1, self._lanes, when_full=self._when_full, priority=priority)
        self._controller(part).join(part, terms, Worker(_ADDRESS, 1, 1, 1))
        self._share_out(part)

    def _share_out(self, part: int) -> None:
        """Lets jobs begin that have slots now, and gives others theirs."""
        controller = self._controller(part)
        ready = [controller.start(pending) for pending in controller.ready()]
        for number in controller.moved():
            if number in self._running:
                self._restart(controller.running[number])
        for job in ready:
            if job.hosted or self._network.places[job.id] != _place(job):
                self._place(job)
            self._begin(job.id, next(self._programs[job.id]), self._network.time)

    def _controller(self, part: int) -> Jobs:
        return self._jobs[part % self._network.rails]

    def _begin(self, part: int, calls: Calls, since: int = 0) -> None:
        self._running[part] = calls
        self._network.begin(part, calls.calls, calls.sources, calls.targets, since, calls.wanted)

    def _fail(self, switch: str) -> None:
        self._down.add(switch)
        self._network.fail(switch)

    def _return(self, switch: str) -> None:
        """The controller writes all rows anew."""
        self._down.discard(switch)
        self._network.restore(switch)
        for part in list(self._running):
            if switch in self._network.tree(part).parents:
                self._restart(self._controller(part).running[part])

    def _place(self, job: Job) -> None:
        self._leave(job.id, self._network.time)
        if job.hosted:
            self._hosted_since[job.id] = self._network.time
        self._network.place(job.id, _place(job))
        for name in self._down:
            # What is written there is lost.
            self._network.fail(name)

    def _leave(self, part: int, time: int) -> None:
        """Counts the time that a part was on the aggregator, if it was."""
        self.hosted[part] += time - self._hosted_since.pop(part, time)

    def _restart(self, job: Job) -> None:
        """Begins a part's call again in a new epoch."""
        network, part = self._network, job.id
        calls = self._running[part]
        self._place(job)
        done = [int(network.state.hosts[host]["finished"]) != NONE for host in network.hosts(part)]
        for received, over in zip(calls.received, done, strict=False):
            if not over:
                received.restart()
        if any(done):
            calls = _handed_over(calls, done)
        self._begin(part, calls, network.time)


def _place(job: Job) -> Place:
    (slots,) = job.slots.values()
    return Place(slots, job.hosted)


def _handed_over(calls: Calls, done: Sequence[bool]) -> Calls:
    """The call in which the first host that has a call's result broadcasts it: all others give zeros."""
    holder = done.index(True)
    content = calls.received[holder].content() if calls.received else calls.targets[holder].patterns
    nothing = np.zeros(len(content), np.int32)
    sources = [Source.of(content.copy().view(np.int32) if rank == holder else nothing) for rank in range(len(done))]
    targets = [Target.new(len(nothing)) if over else target for target, over in zip(calls.targets, done, strict=True)]
    call = Call.of(nothing, room=calls.calls[0].signature.room)
    return Calls([call] * len(done), sources, targets, calls.received)
