"""One call in virtual time, from random tensors to the check of every worker's result."""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dropzero.controller.jobs.jobs import DEFAULT_LANES, Quotas
from dropzero.controller.jobs.policies import parse
from dropzero.controller.jobs.slots import SLOTS
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.tensor.arrays import Source, Target, touched
from dropzero.protocol.tensor.shards import shards
from dropzero.protocol.wire import BLOCK_WORDS, MAX_WORKERS, PACKET_ELEMENTS, Width, block_for
from dropzero.simulator.domain import Domain
from dropzero.simulator.formulas import (
    Kind,
    Overlap,
    Scheme,
    all_wire_bytes,
    baselines,
    block_size,
    bus_bandwidth,
    collective_seconds,
    efficiency,
    hosted_seconds,
    seconds,
    union,
)
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.kernel.state import MAX_FRAME
from dropzero.simulator.memory import Received, needed, zeros
from dropzero.simulator.network import Network
from dropzero.simulator.spines import Placement
from dropzero.simulator.target import SwitchTarget
from dropzero.simulator.timeline import Calls, Outage, Program, Timeline
from dropzero.simulator.tree import Node, Shape
from dropzero.simulator.workload import BLOCK, filling
from dropzero.softswitch.engine.wire import SECOND
from dropzero.worker.blocks import FEW, chosen, dense, held, union_of
from dropzero.worker.caller import CONFIRMATION, Shards

Vector = NDArray[np.float32]

CHECKED = 1 << 20
"""Events after which what has arrived is checked, so that it needs no more memory."""

DISTINCT = 32
"""Workers whose blocks are in the same places have at most this many different tensors: a thousand large ones would
need too much memory."""

MOST_COUNTED = (1 << 19) - 1
"""The longest queue that v1model can count."""
MARKED_AFTER = 48
"""Results in a queue, beyond a round trip of them, from which packets are marked (ECN). After a loss, results come in
bursts, which say nothing about congestion ([DCTCP] section 3.5 asks for room for bursts, too)."""
BACKLOG = 3
"""How many times as many results a job leaves in a queue: its lanes fill up to four round trips (see lanes_for)."""
QUEUE = 1000
"""Packets in a queue."""


@dataclass(frozen=True)
class Plan:
    """What to simulate.

    Attributes:
        workers: of each job.
        racks: leaves; 1: a single switch.
        quality: of all links.
        size: of each worker's tensor of float32, bytes; of an all-gather, of the result. A barrier has none.
        density: share of each worker's blocks that are not zero, in (0, 1].
        overlap: where these are.
        lanes: of each job; None: see lanes_for.
        queue: packets in a queue.
        mark_from: packets in a queue from which packets are marked; None: MARKED_AFTER, and what fills a round trip;
            for Dropzero BACKLOG times as many.
        cost: nanoseconds that a host takes for a packet, in or out.
        seed: of tensors, losses, and all else that is random.
        pods: switches between the leaves and the spine, each above equally many; 1: none.
        jobs: at once, each on hosts of its own.
        scheme: that all-reduces.
        block: elements in a block on the wire, if Dropzero does; 0: the workers choose.
        row: elements that are zero or not as a whole.
        rails: parallel trees, with a network card of each host; each has a share of every tensor.
        policy: how jobs share a switch's slots: see dropzero.controller.jobs.policies.parse.
        slots: of each switch.
        priorities: of jobs, for the policy; those without one have 1.
        stagger: nanoseconds between the arrivals of two jobs.
        outages: of switches.
        aggregator: one more host at the top, which adds up for jobs without slots.
        calls: all-reduces of each job, one after the other, each of a part of its tensor.
        target: the switches. Tofino's has room for one block of 32 words in a packet.
        coarse: how many packets each stands for: see dropzero.simulator.training.coarse.
        call: what these are; the root is rank 0.
        domain: of the ranks of a trace; None: they have no links but their network cards'.
        spines: of a trace's network, each linked to all racks, or pods. placement: of the groups' trees on them.

    Raises:
        ValueError: there is no such network or tensor.
    """

    workers: int
    racks: int
    quality: Quality
    size: int
    density: float = 1.0
    overlap: Overlap = Overlap.RANDOM
    lanes: int | None = None
    queue: int = QUEUE
    mark_from: int | None = None
    cost: int = 0
    seed: int = 0
    pods: int = 1
    jobs: int = 1
    scheme: Scheme = Scheme.DROPZERO
    block: int = 0
    row: int = BLOCK
    rails: int = 1
    policy: str = "first-come"
    slots: int = SLOTS
    priorities: tuple[int, ...] = ()
    stagger: int = 0
    outages: tuple[Outage, ...] = ()
    aggregator: bool = False
    calls: int = 1
    call: Kind = Kind.ALL_REDUCE
    target: SwitchTarget = SwitchTarget.V1MODEL
    coarse: int = 1
    domain: Domain | None = None
    spines: int = 1
    placement: Placement = Placement.HASH

    def __post_init__(self) -> None:
        if not 1 <= self.racks <= self.workers:
            raise ValueError(f"{self.racks} racks cannot share {self.workers} workers: each needs one or more")
        if self.workers > MAX_WORKERS * self.racks:
            racks = -(-self.workers // MAX_WORKERS)
            raise ValueError(f"a rack holds up to {MAX_WORKERS} workers: {self.workers} need {racks} racks or more")
        if self.racks % self.pods:
            raise ValueError(f"{self.pods} pods cannot share {self.racks} racks equally")
        if max(self.pods, self.racks // self.pods) > MAX_WORKERS:
            raise ValueError(f"a spine or a pod has up to {MAX_WORKERS} racks, or pods")
        if self.size < 4 or self.size % 4:
            raise ValueError("a tensor of float32 has 4 bytes, or a multiple")
        if self.rails < 1:
            raise ValueError("there is one rail or more")
        if not 1 <= self.slots <= SLOTS:
            raise ValueError(f"a switch has 1 to {SLOTS} slots")
        if self.calls < 1:
            raise ValueError("a job makes one call or more")
        if self.scheme is not Scheme.DROPZERO and (self.rails > 1 or self.calls > 1 or self.aggregator):
            raise ValueError("only Dropzero splits tensors over rails or calls, and has an aggregator")
        if (self.call.scatters or self.call.gathers) and (self.jobs > 1 or self.outages):
            raise ValueError(f"a {self.call} is simulated for one job, and switches without outages")
        if self.call is not Kind.ALL_REDUCE and self.scheme not in (Scheme.DROPZERO, Scheme.RING):
            raise ValueError(f"a {self.call} is simulated for {Scheme.DROPZERO} and for a {Scheme.RING}")
        if self.target is not SwitchTarget.V1MODEL:
            for lacks, what in (
                (self.racks > 1, "racks: a leaf would write its half of a slot twice"),
                (self.call.scatters, f"{self.call}: results keep the data of all shards"),
                (self.aggregator, "host for jobs without slots"),
                (self.mark_from, "ECN marks"),
            ):
                if lacks:
                    raise ValueError(f"{self.target} has no {what} (docs/hardware.md)")
        if self.aggregator and self.workers > MAX_WORKERS:
            raise ValueError(f"an aggregator serves up to {MAX_WORKERS} workers of a job")
        if self.aggregator and self.jobs * min(self.lanes_for(self.jobs), self.slots) > SLOTS:
            raise ValueError(f"an aggregator has {SLOTS} slots: {self.jobs} jobs need fewer lanes")
        self._check_fabric()
        if self.row < 1:
            raise ValueError("a row has one element or more")
        if not 0 < self.density <= 1:
            raise ValueError("a density is above 0, and at most 1")

    def _check_fabric(self) -> None:
        if self.domain is not None and self.workers % self.domain.ranks:
            raise ValueError(f"domains of {self.domain.ranks} ranks cannot share {self.workers} workers equally")
        if not 1 <= self.spines <= MAX_WORKERS:
            raise ValueError(f"a network has 1 to {MAX_WORKERS} spines, not {self.spines}")
        if self.spines > 1 and self.racks == 1:
            raise ValueError(f"{self.spines} spines need racks: one switch has no spine above it")

    @property
    def shape(self) -> Shape:
        """The tree; neighbouring ranks share a rack."""
        if self.racks == 1:
            return Shape({"switch": None}, ["switch"] * self.workers)
        leaves = [f"leaf{i}" for i in range(self.racks)]
        homes = [leaves[rank * self.racks // self.workers] for rank in range(self.workers)]
        if self.pods == 1:
            return Shape({"spine": None, **dict.fromkeys(leaves, "spine")}, [*homes])
        pods = [f"pod{i}" for i in range(self.pods)]
        above: dict[Node, Node] = {leaf: pods[i * self.pods // self.racks] for i, leaf in enumerate(leaves)}
        return Shape({"spine": None, **dict.fromkeys(pods, "spine"), **above}, [*homes])

    @property
    def hops(self) -> int:
        """Links between two hosts that are farthest apart: two for each tier."""
        return 2 if self.racks == 1 else 4 if self.pods == 1 else 6

    @property
    def marking(self) -> int:
        """The queue length from which packets are marked."""
        if self.mark_from is not None:
            return self.mark_from
        results = MARKED_AFTER + round(self.round_trip * self.quality.rate / 8 / MAX_FRAME)
        # Contributions that are shorter than their results arrive faster than these leave: those to a sparse sum, and
        # all but one worker's to what is gathered. So a job's queue is as long as its lanes let it.
        if self.scheme is Scheme.DROPZERO:
            results *= BACKLOG
        return min(results, MOST_COUNTED)

    def lanes_for(self, jobs: int) -> int:
        """The lanes of each of `jobs` jobs, as planned or as many as fill two round trips: a power of two, but no more
        than its share of a switch's slots and than a controller gives, and at least a controller's default."""
        if self.lanes is not None:
            return self.lanes
        room = self.target.room
        in_flight = math.ceil(2 * self.round_trip * self.quality.rate / 8 * efficiency(room, room) / (4 * room))
        most = min(self.slots // jobs, Quotas().lanes) // self.coarse
        return max(DEFAULT_LANES // self.coarse, min(1 << (in_flight - 1).bit_length(), most))

    @property
    def round_trip(self) -> float:
        """Seconds of a full packet to the top switch and of its result, through empty queues."""
        return self.hops * (self.quality.delay / SECOND + 8 * MAX_FRAME / self.quality.rate)

    @property
    def latency(self) -> float:
        """Seconds of an empty message from a host to the next rank's, on average: no scheme has nearer neighbours."""
        homes, above = self.shape.homes, self.shape.parents
        links = [
            2 if one == other else 4 if above[one] == above[other] else 6
            for one, other in zip(homes, [*homes[1:], homes[0]], strict=True)
        ]
        return (sum(links) / len(links) * self.quality.delay + 2 * self.cost) / SECOND

    @property
    def formula_seconds(self) -> float:
        """The lower bound of the time. Jobs share the links between switches."""
        if self.scheme is Scheme.RING and self.call is not Kind.ALL_REDUCE:
            return self._ring_seconds
        if self.call is Kind.BARRIER:
            packet = self.uplink_formula / self.jobs / self.workers
            return self.hops * (self.quality.delay / SECOND + 8 * packet / self.quality.rate)
        parts = self.call in (Kind.REDUCE_SCATTER, Kind.ALL_GATHER) or (self.call.scatters and self.workers == 1)
        if self.call is Kind.BROADCAST or (parts and 1 < self.racks < self.workers):
            # A leaf sends or receives all parts, also those that its workers exchange.
            return self.density * self.size / self.rails / efficiency(*self._packets) / (self.quality.rate / 8)
        if parts:
            one_way = self.uplink_formula, self.downlink_formula
            return max(one_way) / self.workers / self.rails / (self.quality.rate / 8)
        return (1 if self.racks == 1 else self.jobs) * seconds(
            self.scheme,
            self.size // self.rails,
            # The root of a reduce receives the others' sum.
            self.workers - (self.call is Kind.REDUCE),
            self.quality.rate,
            density=self.density,
            overlap=self.overlap,
            racks=self.racks,
            latency=self.latency,
            room=self.target.room,
            row=self.row,
        )

    @property
    def hosted_formula_seconds(self) -> float:
        """The lower bound of the time of a job that has the aggregator to itself."""
        size, rate = self.size // self.rails, self.quality.rate
        return hosted_seconds(size, self.workers, rate, self.density, self.overlap, self.row)

    @property
    def baselines(self) -> dict[Scheme, float]:
        """The least seconds of other schemes, for a dense tensor of a job that has the links to itself."""
        if self.call is not Kind.ALL_REDUCE:
            return {Scheme.RING: self._ring_seconds}
        return baselines(self.size, self.workers, self.quality.rate, self.latency)

    @property
    def _ring_seconds(self) -> float:
        """The least seconds of a ring's call, dense, that is not an all-reduce."""
        size = self.size // (self.workers if self.call is Kind.ALL_GATHER else 1)
        name = self.call.upper().replace("-", "_")
        return collective_seconds(name, size, self.workers, self.quality.rate, self.latency)

    @property
    def uplink_formula(self) -> float:
        """The least bytes that all hosts send together."""
        return self._all_bytes[0]

    @property
    def downlink_formula(self) -> float:
        """The least bytes that all hosts receive together."""
        return self._all_bytes[1]

    @property
    def _all_bytes(self) -> tuple[float, float]:
        either = self.density if self.call.gathers else union(self.density, self.overlap, self.workers)
        up, down = all_wire_bytes(self.call, self.size, (self.density, either), *self._packets, self.workers)
        if self.call.scatters:
            # A worker has its own elements.
            down -= self.size * (either - union(self.density, self.overlap, self.workers - 1))
        return self.jobs * up, self.jobs * down

    def bus_bandwidth(self, seconds: float) -> float | None:
        """See Result.bus_bandwidth."""
        if self.density < 1 or self.jobs > 1 or not seconds:
            return None
        return bus_bandwidth(self.scheme, self.size, self.workers, seconds, self.call)

    @property
    def _packets(self) -> tuple[int, int]:
        """Elements in a block, and words for which there is room in a packet."""
        if self.call.gathers:
            return self.gathered_block, self.target.room
        # Headers of a worker's own elements, of which no data come, are the fewest with the largest blocks.
        row = self.target.room if self.call.scatters else self.row
        return block_size(self.density, row, self.target.room), self.target.room

    @property
    def gathered_block(self) -> int:
        """Elements in a block of a call that gathers: a worker alone chooses it for its part. 0: the call does not."""
        if not self.call.gathers:
            return 0
        given = self.elements // self.rails // self.calls // (self.workers if self.call is Kind.ALL_GATHER else 1)
        return min(self.block or block_for(given), self.target.room)

    @property
    def elements(self) -> int:
        """The elements of each worker's tensor."""
        return 1 if self.call is Kind.BARRIER else self.size // 4


@dataclass(frozen=True)
class Result:
    """The outcome, for a table or as JSON.

    Attributes:
        call, workers, racks, pods, jobs, rails, size, density: as planned. rate: bits a second.
        scheme: that was simulated.
        exact: every worker's result is exact.
        seconds: virtual time until the last worker had it.
        formula_seconds: its lower bound.
        baseline_seconds: lower bounds of schemes that need no switch program: see Plan.baselines.
        job_seconds: of each job, from its arrival on.
        hosted_seconds: of each job on the aggregator; 0: it has always had slots of the switches, or waited.
        hosted_formula_seconds: the lower bound for a job that has the aggregator to itself from begin to end.
        fairness: Jain's index of the jobs' rates: 1 if all are equal, 1/n if one of n has everything [Jain].
        uplink_bytes, downlink_bytes: from and to all hosts.
        link_bytes: of each link, by kind: from hosts and to hosts, by job and rank; up and down between switches; to
            and from the aggregator.
        footprint_bytes: of all links together.
        bus_bandwidth: bits a second, of one job's dense call: see dropzero.simulator.formulas; None: there is none.
        retransmissions: of all workers.
        events: that were simulated.
        wall_seconds: real time.
        max_memory: bytes that this process has used at most.
    """

    call: str
    workers: int
    racks: int
    pods: int
    jobs: int
    rails: int
    rate: int
    size: int
    density: float
    scheme: str
    exact: bool
    seconds: float
    formula_seconds: float
    baseline_seconds: Mapping[str, float]
    job_seconds: Sequence[float]
    hosted_seconds: Sequence[float]
    hosted_formula_seconds: float
    fairness: float
    uplink_bytes: int
    downlink_bytes: int
    link_bytes: Mapping[str, list[int]]
    footprint_bytes: int
    bus_bandwidth: float | None
    retransmissions: int
    events: int
    wall_seconds: float
    max_memory: int


class Simulation:
    """A plan on its network, whose switches add up.

    Raises OSError if `pcap`, a file for all packets, cannot be made. servers, longest: see Network.
    """

    def __init__(self, plan: Plan, pcap: Path | None = None, *, servers: int = 0, longest: int = MAX_FRAME) -> None:
        self.plan = plan
        self.network = Network(
            plan.shape,
            plan.quality,
            lanes=plan.lanes_for(plan.jobs),
            depth=plan.queue,
            mark_from=plan.marking,
            cost=plan.cost,
            seed=plan.seed,
            pcap=pcap,
            jobs=plan.jobs,
            servers=servers,
            longest=longest,
            rails=plan.rails,
            aggregator=plan.aggregator,
            compiled=plan.target.compiled,
        )

    def run(self, look: Callable[[], None] = lambda: None) -> Result:
        """Runs it; `look` is called now and then. Raises SimulationError if it does not end."""
        plan, network = self.plan, self.network
        began = time.monotonic()
        exact = self.call(plan.elements, plan.seed, look)
        return Result(
            call=str(plan.call),
            workers=plan.workers,
            racks=plan.racks,
            pods=plan.pods,
            jobs=plan.jobs,
            rails=plan.rails,
            rate=plan.quality.rate,
            size=4 * plan.elements,
            density=plan.density,
            scheme=str(plan.scheme),
            exact=exact,
            seconds=network.seconds,
            formula_seconds=plan.formula_seconds,
            baseline_seconds={str(scheme): least for scheme, least in plan.baselines.items()},
            # One worker has its sum at once.
            job_seconds=self.job_seconds,
            hosted_seconds=self.hosted_seconds,
            hosted_formula_seconds=plan.hosted_formula_seconds,
            fairness=jain([1 / max(1e-9, seconds) for seconds in self.job_seconds]),
            uplink_bytes=int(network.links("from hosts")["bytes"].sum()),
            downlink_bytes=int(network.links("to hosts")["bytes"].sum()),
            link_bytes={kind: network.links(kind)["bytes"].tolist() for kind in network.kinds},
            footprint_bytes=int(network.links()["bytes"].sum()),
            bus_bandwidth=plan.bus_bandwidth(network.seconds),
            retransmissions=self._retransmissions,
            events=network.events,
            wall_seconds=time.monotonic() - began,
            max_memory=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        )

    def call(self, elements: int, seed: int, look: Callable[[], None] = lambda: None) -> bool:
        """Makes the plan's call with tensors of `elements` float32 on all hosts. Returns whether every result is exact.
        Raises SimulationError if it does not end."""
        made = [given(self.plan, elements, seed + job) for job in range(self.plan.jobs)]
        tensors = [tensor for own, _ in made for tensor in own]
        return self._make(tensors, [total for _, total in made], look)

    @property
    def job_seconds(self) -> list[float]:
        """Seconds of each job's last all-reduce, from the job's arrival on."""
        timeline = self.timeline
        return self._of_jobs([over - begun for begun, over in zip(timeline.begun, timeline.over, strict=True)])

    @property
    def hosted_seconds(self) -> list[float]:
        """Seconds of each job's last all-reduce that the aggregator served."""
        return self._of_jobs(self.timeline.hosted)

    def _of_jobs(self, spans: Sequence[int]) -> list[float]:
        """The longest of each job's parts, seconds. spans: of the parts, nanoseconds."""
        rails = self.plan.rails
        return [max(spans[job * rails : (job + 1) * rails]) / SECOND for job in range(self.plan.jobs)]

    @property
    def _retransmissions(self) -> int:
        return sum(lanes.statistics["retransmissions"] for lanes in self.network.workers)

    def _make(self, tensors: Sequence[Vector], sums: Sequence[Vector], look: Callable[[], None]) -> bool:
        """Makes the call with one tensor for each job and rank. Returns whether every worker gets its part of its
        job's sum."""
        plan, network = self.plan, self.network
        programs: list[Program] = []
        results: list[Received] = []
        for job, own in enumerate(self._jobs()):
            parts = shards(len(sums[job]), plan.rails * plan.calls)
            for first in range(0, len(parts), plan.calls):
                calls: list[Program] = []
                for part in parts[first : first + plan.calls]:
                    granules = needed(sums[job][part])
                    needs = owned(plan, len(sums[job][part]))
                    received = [Received(sums[job][part], granules, need) for need in needs]
                    sources = sent(plan, tensors[own], part)
                    calls.append(program(plan, network, job * plan.rails + first // plan.calls, sources, received))
                    results += received
                programs.append(chain.from_iterable(calls))
        checked = network.events

        def check() -> None:
            nonlocal checked
            if network.events - checked >= CHECKED:
                checked = network.events
                for result in results:
                    result.check()
            look()

        policy = parse(plan.policy)
        self.timeline = Timeline(network, programs, policy, plan.slots, plan.priorities, plan.stagger, plan.outages)
        self.timeline.run(check)
        return all(each.exact() for each in results)

    def _jobs(self) -> Iterator[slice]:
        """Each job's workers among all."""
        workers = self.plan.workers
        return (slice(job * workers, (job + 1) * workers) for job in range(self.plan.jobs))


def jain(rates: Sequence[float]) -> float:
    """Jain's index of fairness [Jain]: 1 if all rates are equal, 1/n if one of n is everything."""
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


def given(plan: Plan, elements: int, seed: int) -> tuple[list[Vector], Vector]:
    """What each worker of a job gives to the plan's call, by rank, and their sum; shape (elements,)."""
    rows = -(-elements // plan.row)
    distinct = min(plan.workers, DISTINCT) if plan.overlap is Overlap.FULL else plan.workers
    total = np.zeros((rows, plan.row), np.float32)
    own: list[Vector] = []
    for rank in range(0 if plan.call is Kind.BARRIER else 1 if plan.call.gathers else distinct):
        made = (plan.density, plan.overlap, rank, plan.workers, plan.row, seed)
        which, values = filling(elements, *made)
        tensor = zeros(rows * plan.row)
        tensor.reshape(rows, plan.row)[which] = values
        own.append(tensor[:elements])
        total[which] += values * len(range(rank, plan.workers, distinct))
    if plan.call.gathers:
        own = [_given(plan, own[0], rank) for rank in range(plan.workers)]
    return list(islice(cycle(own or [zeros(elements)]), plan.workers)), total.reshape(-1)[:elements]


def _given(plan: Plan, whole: Vector, rank: int) -> Vector:
    """What a worker gives to a call that gathers `whole`: its own part, and zeros."""
    result = zeros(len(whole))
    for part in shards(len(whole), plan.rails * plan.calls):
        own = own_part(plan, len(whole[part]), rank)
        result[part][own] = whole[part][own]
    return result


def sent(plan: Plan, tensors: Sequence[Vector], part: slice = slice(None)) -> list[Source]:
    """These parts of tensors, as they are sent: bits that need no sum are integers."""
    integers = plan.call.gathers or plan.call is Kind.BARRIER
    scanned = {id(tensor): Source.of(tensor[part].view(np.int32) if integers else tensor[part]) for tensor in tensors}
    return [scanned[id(tensor)] for tensor in tensors]


def own_part(plan: Plan, elements: int, rank: int) -> slice:
    """The part of `elements` elements that a worker gives to a call that gathers."""
    if plan.call is Kind.BROADCAST:
        return slice(elements if rank else 0, elements)
    return shards(elements, plan.workers, 1)[rank]


def owned(plan: Plan, elements: int) -> list[slice]:
    """The part of a result of `elements` elements that each worker needs, by rank; of a reduce, only the root."""
    if plan.call is Kind.REDUCE_SCATTER:
        return shards(elements, plan.workers, 1)
    others = 0 if plan.call is Kind.REDUCE else elements
    return [slice(0, elements), *[slice(0, others)] * (plan.workers - 1)]


def program(
    plan: Plan, network: Network, part: int, sources: Sequence[Source], received: Sequence[Received]
) -> Program:
    """A call as the workers of a part of a job make it: they first agree on the size of blocks, unless it is given, or
    guessed after another call, or the tensors are short, or only one worker has each element."""
    first, ranks = sources[0].array, range(plan.workers)
    parts = owned(plan, len(first)) if plan.call.scatters else []
    wanted = [touched(len(first), [own]) for own in parts]
    if parts:
        sources = [each._replace(kept=own) for each, own in zip(sources, parts, strict=True)]
    room = plan.target.room
    # A switch with room for less adds up, but has no bitwise or to choose with.
    few = len(first) <= FEW or room < PACKET_ELEMENTS
    block = plan.gathered_block or plan.block or (BLOCK_WORDS[0] if few else 0)
    sharded = plan.call.scatters or plan.call.gathers
    call = Call.of(first, block=block, room=room, sharded=sharded)
    if plan.call.gathers and not call.signature.small:
        # The switch sends a worker all but its own part.
        parts = [own_part(plan, len(first), rank) for rank in ranks]
        bounds = *(own.start for own in parts), parts[-1].stop
        wanted = [Shards(bounds, gathered=True).wanted(rank, ranks) for rank in ranks]
    calls, targets = [call] * len(sources), [each.target for each in received]
    if not block:
        workers = [network.workers[host] for host in network.hosts(part)]
        guesses = [guess for each in workers if (guess := each.guess(call))]
        # A call that may begin again in a new epoch guesses nothing.
        if guesses and plan.jobs == 1 and not plan.outages:
            yield Calls(guesses, sources, targets, received, wanted)
            if not any(each.wrong for each in workers):
                yield from _confirmation(plan)
                return
            for each in received:
                each.restart()
        bitmaps = [Source.of(held(source, Width.BITS_32, workers[0].lanes)) for source in sources]
        words = len(bitmaps[0].array)
        unions = [Target.new(words) for _ in bitmaps]
        yield Calls([union_of(words).call(0)] * len(bitmaps), bitmaps, unions)
        bitmap = unions[0].patterns.view(np.int32)
        calls = [chosen(call, bitmap, plan.workers)] * len(sources)
        for worker in workers:
            worker.remember(call, calls[0], dense(bitmap))
    yield Calls(calls, sources, targets, received, wanted)
    if plan.call.gathers:
        for rank in ranks:
            targets[rank].fill(sources[rank], own_part(plan, len(first), rank))
    yield from _confirmation(plan)


def _confirmation(plan: Plan) -> Program:
    """The round in which the workers confirm that they have their shards."""
    if plan.call.scatters:
        count, nothing = plan.workers, Source.of(np.zeros(1, np.int32))
        yield Calls([CONFIRMATION.call(0)] * count, [nothing] * count, [Target.new(1) for _ in range(count)])
