"""Any events, at any time: the workers' real code, the controller's, and the compiled program, in one process and in
virtual time.

Members are killed, evicted, late, or leave; others enter; an exception ends a member's call wherever it waits; a switch
restarts; the controller dies, also between two writes to a switch, and another one takes over; or the operator begins
an epoch or changes the job's slots, between any two packets of a network that loses, duplicates, reorders and delays.
All members get the same results, each the sum of its contributors, or all get none; and once the network is good,
everything ends.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dropzero.membership.client
import dropzero.worker.caller
import dropzero.worker.communicator
from dropzero.controller.jobs.roster import NoMemberError
from dropzero.membership.client import Membership, MembershipError
from dropzero.protocol.wire import HEADROOM, MAX_PAYLOAD
from dropzero.worker.caller import Caller
from dropzero.worker.communicator import STALL, Communicator
from dropzero.worker.errors import Aborted, Closed, WorkerLost
from dropzero.worker.transport import Transport
from tests.support.local_calls import Stub
from tests.support.virtual_time import Condition, Event, Loop, RLock, Thread
from tests.worker.faults.cluster import HOSTS, NETWORKS, Cluster, Socket, pump

JOB = 5
WORDS = 600, 200
"""Array sizes, in turn. All blocks of the second fit into one packet; the workers sometimes choose the first one's
block size."""
SCATTERED = 2000
"""The size of an array whose sum goes to its owners: several packets for each."""
LARGE, HIGH_RANKS = 40, (32, 0, 39, 35)
"""The size of a large job, and the ranks of its first workers: to their switches, most of them have other numbers."""
OVER = re.compile("job 5 is over")
ORPHANED = "all members that know its results are gone"
GONE = re.compile("members that continued without this worker are gone|all members that know|the job is over")
LACKS = re.compile("the others no longer have the results of calls")
GOOD_FROM = 1500
"""Packets after which the network is good."""


def contribution(rank: int, step: int, sparse: bool) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """A worker's array. sparse: half of its blocks are zero, different ones on each worker; otherwise now and then
    one, so that a guess that no block is zero is wrong."""
    draw, in_shards = np.random.default_rng((rank, step)), is_scattered(step) or is_gathered(step)
    words = SCATTERED if in_shards else WORDS[step % 2]
    held = np.where(draw.random(words) < 0.3, draw.integers(-(2**31), 2**31, words), 0).astype(np.int32)
    if draw.random() < 0.1:
        held[64:96] = 0
    return held * np.repeat(draw.random(-(-words // 32)) < 0.5, 32)[:words] if sparse else held


def floats(array: np.ndarray[Any, np.dtype[np.int32]]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The same with few bits, so that no sum is rounded."""
    return (array >> 16).astype(np.float32)


def shard(rank: int, size: int) -> slice:
    """A rank's part of such an array: all have equally many elements, except the last rank, which has the rest."""
    return slice(SCATTERED // size * rank, SCATTERED if rank == size - 1 else SCATTERED // size * (rank + 1))


def is_scattered(step: int) -> bool:
    """Whether the step's sum goes to its owners."""
    return step % 4 == 2


def is_scaled(step: int) -> bool:
    """Whether the step adds up floats, and returns the exponents of their blocks, too."""
    return step % 8 == 1


def is_gathered(step: int) -> bool:
    """Whether each worker contributes only its own shard."""
    return step % 8 == 3


@dataclass(frozen=True)
class Plan:
    """A worker's plan: the step after which it leaves, right after its all_reduce or after the next `admit`; and the
    steps before which it computes for a long time."""

    steps: int
    abrupt: bool = False
    slow: frozenset[int] = frozenset()


@dataclass
class Story:
    """A worker, and its view of each step: the contributors, whether it was left out, and the result."""

    plan: Plan
    thread: Thread
    ip: str
    steps: dict[int, tuple[tuple[int, ...], bool, bytes]] = field(default_factory=dict)
    weights: dict[int, bytes] = field(default_factory=dict)
    aborted: dict[int, str] = field(default_factory=dict)
    """The steps that ended without a result because of another worker, with the errors."""
    errors: list[str] = field(default_factory=list)
    """Those that have ended its calls."""
    interrupted: set[int] = field(default_factory=set)
    """The steps whose call an exception on this worker ended."""
    calling: bool = False
    disturbed: bool = False
    """Whether an exception has ended a call or an `admit` on this worker."""
    rank: int = -1
    began: int = 0
    """The epoch in which its job began, if it is another one: of workers that came when the first was over."""
    removed: bool = False
    refusal: str = ""
    """Why it could not join."""
    entered: bool = False
    """The controller has let it in."""
    inside: bool = False
    """The others have told it their progress."""
    given: bool = False
    """The others have given it their state."""

    @contextmanager
    def noting_errors(self) -> Iterator[None]:
        """A context in which errors that end a call are only noted."""
        try:
            yield
        except (Interruption, Aborted, Loss) as error:
            self.errors.append(str(error))


@dataclass(frozen=True)
class Scenario:
    network: str
    plans: tuple[Plan, ...]
    events: tuple[tuple[int, str, int], ...]
    """An event: after how many packets, what, and its target."""
    trouble: float
    late: float
    straggler: float | None
    seed: int
    sparse: bool = False
    raises: bool = False
    """The loss of a worker ends the running call."""
    large: bool = False
    """The job could have more workers than one switch has numbers, if there are several switches."""
    crowded: bool = False
    """Another job has the first slots of the first host's switch."""
    grows: bool = False
    """Switches let packets grow to any size, so that workers add their own shards themselves, and send none of them."""


Moment = Callable[[list[Story]], bool]
"""Whether something shall happen to the workers now."""


class Interruption(Exception):
    """Ends a call on one worker."""


class Loss(Exception):
    """A call ended because another worker was lost."""


@contextmanager
def told_of_losses(caller: Caller) -> Iterator[None]:
    """A context that raises Loss for WorkerLost if the job continues."""
    try:
        yield
    except WorkerLost as error:
        if caller.closed:
            raise
        raise Loss(str(error)) from error


class Play:
    """Plays a scenario."""

    def __init__(self, loop: Loop, scenario: Scenario) -> None:
        self.loop, self.scenario = loop, scenario
        self.cluster = Cluster(loop, scenario.network, scenario.seed, MAX_PAYLOAD if scenario.grows else HEADROOM)
        self.cluster.trouble, self.cluster.late = scenario.trouble, scenario.late
        self.cluster.on_delivery = self._count
        self.stories: list[Story] = []
        self._large = scenario.large and len(set(self.cluster.network.homes.values())) > 1
        self.size = LARGE if self._large else HOSTS
        self.moment: Moment | None = None
        self.event = ("", 0)
        self._events = sorted(scenario.events)
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        if self.scenario.crowded:
            lodger = Thread(self.loop, self._lodge)
            lodger.start()
            await lodger.ended
        for plan in self.scenario.plans:
            self.start(plan)
        first = list(self.stories)
        while any(not story.thread.ended.done() for story in self.stories if story in first or story.entered) or (
            self.cluster.controller.service is None or JOB in self.cluster.roster.jobs.running
        ):
            unfinished = [story.thread.ended for story in self.stories if not story.thread.ended.done()]
            await asyncio.wait(unfinished, timeout=1.0) if unfinished else await asyncio.sleep(1.0)
        for task in self._tasks:
            await task
        assert not self.cluster.controller.life.done()

    def _lodge(self) -> None:
        self._lodger = Membership("unix:in-process")
        self._lodger.join(job=JOB + 1, size=1, ip="10.0.0.1", udp_port=1, lanes=3)

    def start(self, plan: Plan) -> None:
        number = len(self.stories)
        ip = f"10.0.0.{number % HOSTS + 1}"
        first = number < len(self.scenario.plans)
        thread = Thread(self.loop, lambda: self._work(story, ip, HIGH_RANKS[number] if first and self._large else None))
        story = Story(plan, thread, ip)
        self.stories.append(story)
        thread.start()

    def _work(self, story: Story, ip: str, rank: int | None) -> None:
        plan = story.plan
        weights, step = np.zeros(SCATTERED, np.int32), 0
        with ExitStack() as resources:
            membership = resources.enter_context(Membership("unix:in-process"))
            socket = resources.enter_context(closing(Socket(self.cluster, ip)))
            try:
                place = membership.join(
                    job=JOB,
                    size=self.size,
                    rank=rank,
                    ip=ip,
                    udp_port=socket.port,
                    lanes=2,
                    elastic=True,
                    quorum=len(self.scenario.plans),
                    raise_on_loss=self.scenario.raises,
                )
            except MembershipError as error:
                # The job, or the controller, ended before it was let in.
                story.refusal = str(error)
                return
            story.entered, story.rank = True, place.rank
            if story not in self.stories[: len(self.scenario.plans)]:
                story.began = place.epoch
            socket.connect((place.switch_ip, place.switch_port))
            caller = Caller(place, membership, cast(Transport, socket), STALL, self.scenario.straggler)
            network = Communicator(caller, resources.pop_all())
        with network:
            story.inside = True
            if network.state is not None:
                step, weights = int(network.state["step"]), network.state["weights"]
                story.given, story.began = True, int(network.state["began"])
            while True:
                story.calling = True
                with story.noting_errors(), told_of_losses(caller):
                    network.admit({"step": step, "weights": weights, "began": story.began})
                story.calling = False
                if step >= plan.steps:
                    return
                pause = 0.4 if step in plan.slow else self.cluster.draw.uniform(0, 0.01)
                self.loop.sleep(self.loop.time() + pause)
                own = contribution(network.rank, step, self.scenario.sparse)
                story.calling = True
                try:
                    with told_of_losses(caller):
                        shards = [shard(rank, network.size) for rank in range(network.size)]
                        counts = [each.stop - each.start for each in shards]
                        if is_scattered(step):
                            total = network.reduce_scatter(own, counts=counts)
                        elif is_gathered(step):
                            total = network.all_gather(own[shards[network.rank]], counts=counts)
                        elif is_scaled(step):
                            summed, exponents = network.all_reduce_scaled(floats(own), block=32)
                            total = np.append(summed.view(np.int32), exponents.astype(np.int32))
                        else:
                            total = network.all_reduce(own, block=32 if step % 4 else 0)
                except Interruption:
                    story.interrupted.add(step)
                except (Aborted, Loss) as error:
                    story.errors.append(str(error))
                    story.aborted[step] = str(error)
                else:
                    story.steps[step] = network.contributors, network.left_out, total.tobytes()
                    weights = weights * np.int32(31)
                    if not is_scattered(step):
                        weights[: len(total)] += total
                    story.weights[step] = weights.tobytes()
                if step % 3 == 1:
                    with story.noting_errors(), told_of_losses(caller):
                        network.sparse_all_reduce(np.array([step, network.rank]), np.ones((2, 3), np.int32))
                story.calling = False
                step += 1
                if plan.abrupt and step >= plan.steps:
                    return

    # ---- events

    def _count(self, delivered: int) -> None:
        if delivered == GOOD_FROM:
            self.cluster.trouble = self.cluster.late = 0.0
        while self._events and self._events[0][0] <= delivered:
            _, what, which = self._events.pop(0)
            self._tasks.append(self.loop.create_task(getattr(self, what)(which)))
        if self.moment is not None and self.moment(self.stories):
            self.moment = None
            what, which = self.event
            self._tasks.append(self.loop.create_task(getattr(self, what)(which)))

    def _member(self, which: int) -> Story | None:
        members = [
            story for story in self.stories if story.entered and not (story.removed or story.thread.ended.done())
        ]
        return members[which % len(members)] if len(members) > 1 else None

    async def kill(self, which: int) -> None:
        if story := self._member(which):
            story.removed = True
            story.thread.kill()

    @property
    def _operable(self) -> bool:
        """Whether an operator can reach a controller that runs the job."""
        return self.cluster.controller.service is not None and JOB in self.cluster.roster.jobs.running

    async def _operate(self, request: Coroutine[Any, Any, None]) -> None:
        """Makes an operator's request, which fails if the controller ends meanwhile."""
        with suppress(asyncio.CancelledError):
            await request

    async def evict(self, which: int) -> None:
        if self._operable and (story := self._member(which)):
            story.removed = True
            try:
                await self._operate(self.cluster.roster.evict(JOB, story.rank))
            except NoMemberError:
                story.removed = False

    async def interrupt(self, which: int) -> None:
        calling = [story for story in self.stories if story.inside and story.calling]
        if calling:
            story = calling[which % len(calling)]
            story.disturbed = True
            story.thread.interrupt(Interruption())

    async def renew(self, _: int) -> None:
        if self._operable:
            await self._operate(self.cluster.roster.renew(JOB, "the operator wants it"))

    async def resize(self, which: int) -> None:
        if self._operable:
            await self._operate(self.cluster.roster.resize(JOB, 1 + which % 3))

    async def restart(self, which: int) -> None:
        switches = list(self.cluster.switches.values())
        switches[which % len(switches)].start()

    async def succeed(self, which: int) -> None:
        self.cluster.succeed(writes=max(which - 3, 0))

    async def enter(self, which: int) -> None:
        if self._operable:
            self.start(Plan(self.scenario.plans[which % len(self.scenario.plans)].steps))


def play(scenario: Scenario, moment: Moment = lambda _: False, event: tuple[str, int] = ("kill", 0)) -> Play:
    """moment: when `event` (what, and its target) happens, after a delivery and once."""
    loop = Loop()
    with pytest.MonkeyPatch.context() as patch:
        made = Play(loop, scenario)
        made.moment, made.event = moment, event
        clock = SimpleNamespace(monotonic=loop.time)
        parts = {"RLock": RLock, "Condition": Condition, "Thread": Thread, "Event": Event}
        here = {name: lambda *some, kind=kind, **more: kind(loop, *some, **more) for name, kind in parts.items()}
        patch.setattr(dropzero.worker.caller, "time", clock)
        patch.setattr(dropzero.membership.client, "time", clock)
        patch.setattr(dropzero.membership.client, "threading", SimpleNamespace(**here))
        patch.setattr(
            dropzero.membership.client,
            "SHARED",
            SimpleNamespace(take=lambda *_: Stub(made.cluster.channel()), give_back=lambda *_: None),
        )
        patch.setattr(dropzero.membership.client, "await_answer", lambda *_: None)
        # No signal comes, and another thread would be a real one.
        patch.setattr(dropzero.membership.client, "uninterrupted", lambda work: work())
        patch.setattr(dropzero.worker.caller, "pump", pump)
        patch.setattr(dropzero.worker.communicator, "FEW", min(WORDS))
        dropzero.worker.communicator._signature.cache_clear()
        try:
            loop.run_until_complete(made.run())
        finally:
            loop.end()
            dropzero.worker.communicator._signature.cache_clear()
            for thread in loop.threads:
                # `check` examines the error, if it matters.
                thread.ended.done() and thread.ended.exception()
    return made


def check(made: Play) -> None:
    """Checks that all have the same results, each the sum of its contributors, and that all workers ended as planned.

    Other workers may lack the last result of a worker that was removed or left. If no member is left, neither an
    entering worker nor a benched one can learn the members' progress; nor can a benched one if only those are left that
    entered after the calls that it missed, because the others are lost, or benched in their turn. A job is over if
    nobody is left who knows its results, or its switches restarted while there was no controller. A worker that has
    just joined may not learn of it when the controller dies.
    """
    results: dict[tuple[int, int], tuple[int, ...]] = {}
    weights: dict[tuple[int, int], bytes] = {}
    interrupted = "interrupt" in (made.event[0], *(what for _, what, _ in made.scenario.events))
    orphans = interrupted or any(story.removed for story in made.stories)
    absent = re.findall(
        r"lost its worker \d+|removed worker \d+|without its straggler [\d, ]+", "\n".join(made.cluster.log)
    )
    gone = {int(rank) for rank in re.findall(r"\d+", " ".join(absent))}
    orphaned = any(ORPHANED in line for line in made.cluster.log)
    forgotten = {story.ip for story in made.stories if made.cluster.home(story.ip) in made.cluster.forgetful}
    for story in made.stories[: len(made.scenario.plans)]:
        assert story.entered or "the controller went away" in story.refusal
    for story in made.stories:
        error = story.thread.ended.exception()
        if error is not None and not (
            (
                isinstance(error, WorkerLost)
                and (
                    story.removed
                    or (orphans and not story.inside)
                    or GONE.search(str(error))
                    or ((orphaned or story.ip in forgotten) and OVER.search(str(error)))
                    or (LACKS.search(str(error)) and gone - {story.rank})
                )
            )
            or (isinstance(error, Closed) and (story.removed or story.disturbed))
        ):
            raise error
        if not story.entered:
            continue
        tried = story.steps.keys() | story.aborted.keys() | story.interrupted
        assert story.removed or error or max(tried, default=story.plan.steps) >= story.plan.steps - 1
        for step in sorted(story.steps)[: -1 if story.removed or story.plan.abrupt else None]:
            members, left_out, result = story.steps[step]
            which = story.began, step
            assert results.setdefault(which, members) == members
            own = [contribution(rank, step, made.scenario.sparse) for rank in members]
            if is_gathered(step):
                for rank, each in zip(members, own, strict=True):
                    part = shard(rank, made.size)
                    each[: part.start] = each[part.stop :] = 0
            total = np.stack(own).sum(0, np.int32)
            if is_scaled(step):
                rows = np.stack([floats(each) for each in own])
                largest = np.maximum.reduceat(np.abs(rows).max(0), range(0, rows.shape[1], 32))
                exponents = np.frexp(largest)[1] + 126 * (largest > 0)
                total = np.append(rows.sum(0).view(np.int32), exponents.astype(np.int32))
            part = shard(story.rank, made.size) if is_scattered(step) else slice(None)
            assert result == total[part].tobytes()
            assert left_out == (story.rank not in members)
            assert not left_out or made.scenario.straggler
            if not interrupted:
                assert weights.setdefault(which, story.weights[step]) == story.weights[step]
    for story in made.stories:
        for step, text in story.aborted.items():
            assert (story.began, step) not in results
            assert "Interruption" in text or (made.scenario.raises and "was lost in call" in text)


plans = st.builds(
    Plan, steps=st.integers(2, 6), abrupt=st.booleans(), slow=st.frozensets(st.integers(0, 5), max_size=2)
)
events = st.tuples(
    st.integers(0, 250),
    st.sampled_from(
        ["restart", "enter", "kill", "kill", "renew", "resize", "evict", "interrupt", "interrupt", "succeed"]
    ),
    st.integers(0, 9),
)
scenarios = st.builds(
    Scenario,
    network=st.sampled_from(sorted(NETWORKS)),
    plans=st.lists(plans, min_size=2, max_size=4).map(tuple),
    events=st.lists(events, min_size=1, max_size=8).map(tuple),
    trouble=st.sampled_from([0.0, 0.05, 0.2]),
    late=st.sampled_from([0.0, 0.03]),
    straggler=st.sampled_from([None, 0.2]),
    seed=st.integers(0, 2**32 - 1),
    sparse=st.booleans(),
    raises=st.booleans(),
    large=st.sampled_from([False, False, False, True]),
    crowded=st.booleans(),
).map(lambda each: replace(each, grows=each.seed % 2 == 1))


happened: Counter[str] = Counter()


@settings(max_examples=200)
@given(scenarios)
@example(  # A worker that was away has an older state for entering workers.
    Scenario(
        "two racks",
        (Plan(1, abrupt=True), Plan(4, abrupt=True, slow=frozenset({1})), Plan(5)),
        (*((at, "renew", 0) for at in (35, 48, 237, 324, 346)), (15, "enter", 5), (210, "enter", 1)),
        trouble=0,
        late=0,
        straggler=0.2,
        seed=1314,
    )
)
@example(  # The controller dies when only one of two racks knows that a benched worker of the other one is back.
    Scenario(
        "two racks",
        (
            Plan(6),
            Plan(3, abrupt=True, slow=frozenset({0, 1})),
            Plan(4, slow=frozenset({1})),
            Plan(3),
        ),
        ((124, "renew", 5), (185, "restart", 8), (183, "succeed", 8)),
        trouble=0,
        late=0,
        straggler=0.2,
        seed=10085,
    )
)
@example(  # It dies when it has answered a benched worker that asked to be back, and the switch does not know.
    Scenario(
        "one switch",
        (Plan(4), Plan(6), Plan(4, slow=frozenset({0}))),
        ((26, "kill", 0), (84, "renew", 9), (103, "resize", 7), (47, "succeed", 9)),
        trouble=0,
        late=0,
        straggler=0.2,
        seed=30046,
        sparse=True,
    )
)
@example(  # It dies when it has told one of three members in which epoch a worker enters, and the switch does not know.
    Scenario(
        "one switch",
        (
            Plan(3, abrupt=True, slow=frozenset({3, 5})),
            Plan(4, abrupt=True, slow=frozenset({0})),
            Plan(2, slow=frozenset({1, 3})),
            Plan(5),
        ),
        (
            *((at, "restart", 0) for at in (3, 69, 83)),
            (11, "kill", 1),
            (43, "enter", 0),
            (120, "succeed", 9),
            (142, "resize", 0),
            (249, "succeed", 0),
        ),
        trouble=0.2,
        late=0,
        straggler=None,
        seed=142283969,
        sparse=True,
    )
)
@example(  # A worker dies, and is benched before the others have ended the call.
    Scenario(
        "three tiers",
        (Plan(3), Plan(2), Plan(2)),
        ((0, "restart", 0), (5, "kill", 1)),
        trouble=0,
        late=0,
        straggler=0.2,
        seed=1,
        raises=True,
    )
)
@example(  # A benched worker is back, and the member dies that made calls without it.
    Scenario(
        "one switch",
        (Plan(2, slow=frozenset({0})), Plan(2)),
        ((70, "kill", 1),),
        trouble=0,
        late=0,
        straggler=0.2,
        seed=0,
        raises=True,
    )
)
def whatever_happens(scenario: Scenario) -> None:
    made = play(scenario)
    check(made)
    steps = [step for story in made.stories for step in story.steps.values()]
    happened["workers got results that they are not in"] += any(left_out for _, left_out, _ in steps)
    happened["workers got the others' state"] += any(story.given for story in made.stories)
    happened["workers were lost"] += any(story.removed for story in made.stories)
    happened["calls ended for a loss"] += any("was lost" in text for story in made.stories for text in story.errors)
    happened[scenario.network] += 1
    kept = scenario.grows and any(is_scattered(step) for story in made.stories for step in story.steps)
    happened["workers added their own shards"] += kept


def test_all_members_get_the_same_results_under_any_faults() -> None:
    happened.clear()
    whatever_happens()
    # Some schedule must have tried each of these. How many varies with the modules that are loaded, whose constants
    # Hypothesis draws, too.
    assert all(happened.values()), happened


MOMENTS: dict[str, Moment] = {
    "during those calls": lambda all: len(all[0].steps) == 3 and not all[1].calling,
    "when the benched worker comes back": lambda all: len(all[0].steps) > 2 and all[1].calling,
    "while it leaves": lambda all: len(all[0].steps) == 6 and len(all[1].steps) == 1,
}
"""When the member of a job dies that made calls without its other worker."""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_benched_worker_repeats_no_call_that_was_made_without_it(moment: str, seed: int) -> None:
    """The member that made those calls dies."""
    plans = Plan(6), Plan(6, slow=frozenset({1}))
    made = play(Scenario("one switch", plans, (), trouble=0, late=0, straggler=0.05, seed=seed), MOMENTS[moment])
    check(made)
    member, benched = made.stories
    assert member.removed
    assert member.steps.keys() > {0, 1}
    assert not any(
        members == (benched.rank,) and step in member.steps for step, (members, _, _) in benched.steps.items()
    )


def test_a_worker_gets_missed_results_from_two_members_if_none_has_them_all() -> None:
    """The one with the latest result, which the other one gives up, entered after the first calls that it missed."""

    def moment(all: list[Story]) -> bool:
        if len(all) < 3 or not all[2].inside:
            return False
        away, older, newer = all
        return away.calling and not away.steps and older.calling and max(newer.steps, default=0) > max(older.steps)

    plans = Plan(30, slow=frozenset({0})), Plan(30)
    happened = 0
    for seed in range(12):
        scenario = Scenario("one switch", plans, ((20, "enter", 1),), trouble=0, late=0, straggler=0.1, seed=seed)
        made = play(scenario, moment, ("interrupt", 1))
        check(made)
        assert made.stories[0].steps.keys() == set(range(30))
        happened += made.moment is None
    assert happened >= 2


def test_a_returning_worker_whose_results_are_lost_ends_alone() -> None:
    """The member that has them dies; the other one has just entered."""

    def moment(all: list[Story]) -> bool:
        return len(all) == 3 and all[2].inside and not all[2].steps and not all[0].steps

    plans = Plan(30, slow=frozenset({0})), Plan(30)
    for seed in range(4):
        scenario = Scenario("one switch", plans, ((100, "enter", 1),), trouble=0, late=0, straggler=0.1, seed=seed)
        made = play(scenario, moment, ("kill", 1))
        check(made)
        away, _, newer = made.stories
        assert made.moment is None
        assert LACKS.search(str(away.thread.ended.exception()))
        assert newer.thread.ended.exception() is None


def test_a_member_leaves_only_when_a_returning_worker_has_its_results() -> None:
    """Also if an exception ends the call of the worker that was away, at any packet while it gets them; then a new
    epoch begins without the member that leaves. The third worker entered after the first calls."""
    plans, happened = (Plan(8, slow=frozenset({0})), Plan(3, abrupt=True)), 0
    for seed, packets in product(range(2), range(8, 56, 8)):
        left = packets

        def moment(all: list[Story]) -> bool:
            nonlocal left
            away, older = all[:2]
            left -= away.calling and not away.steps and len(older.steps) == 3 and not older.calling
            return left < 0

        scenario = Scenario("one switch", plans, ((20, "enter", 0),), trouble=0, late=0, straggler=0.1, seed=seed)
        made = play(scenario, moment, ("interrupt", 0))
        check(made)
        assert made.stories[2].given
        happened += bool(made.stories[0].interrupted)
    assert happened >= 2


@pytest.mark.parametrize(("network", "grows"), [("one switch", True), ("two racks", False), ("two racks", True)])
@pytest.mark.parametrize("event", ["kill", "renew", "interrupt"])
def test_a_member_that_lacks_the_end_of_a_call_has_its_shard(event: str, network: str, grows: bool) -> None:
    """No other member could give it. The event happens when one member has ended the call and another has not."""

    def moment(all: list[Story]) -> bool:
        return len(all) == 3 and len(all[0].steps) == 3 and len(all[2].steps) == 2

    happened = 0
    for seed in range(12):
        plans = Plan(4), Plan(4), Plan(4)
        scenario = Scenario(network, plans, (), trouble=0.2, late=0, straggler=None, seed=seed, grows=grows)
        made = play(scenario, moment, (event, 1))
        check(made)
        happened += made.moment is None
    assert happened >= 2


def test_a_benched_worker_gets_its_shard_when_it_returns() -> None:
    """The others have kept it."""
    away = 0
    for seed in range(4):
        plans = Plan(5), Plan(5), Plan(5, slow=frozenset({2}))
        made = play(Scenario("two racks", plans, (), trouble=0, late=0, straggler=0.05, seed=seed, grows=seed % 2 > 0))
        check(made)
        away += made.stories[2].steps[2][1]
    assert away
