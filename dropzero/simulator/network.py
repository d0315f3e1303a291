"""A network in virtual time: hosts with lanes, switches with engines, and links between them.

Every event is the arrival of a packet at a node, or a host's timer. All packets that reach a node at the same time are
one batch. What happens then is compiled (loop.py); this makes the network, begins calls, and provides memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.controller.jobs.slots import SLOTS
from dropzero.files import COMPILED
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.lanes.work import EVERYTHING
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.tensor.bitmap import Bitmap
from dropzero.protocol.wire import MAX_PAYLOAD, MAX_WORKERS
from dropzero.simulator.in_process import PARENT_PORT, Aggregator, InProcessSwitch, framed, ip
from dropzero.simulator.kernel.events import plan
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.kernel.loop import CAPTURE, DELIVERED, FULL, LANES, LATE, OVER, UNSUPPORTED, run, wanted
from dropzero.simulator.kernel.state import (
    CLOCK,
    HOST,
    LEAVING,
    LINK,
    MAX_FRAME,
    MESSAGE,
    NEVER,
    NONE,
    SETTINGS,
    STREAM,
    SWITCH,
    State,
)
from dropzero.simulator.kernel.streams import BURST, QUEUED
from dropzero.simulator.spines import hashed
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.ports.pcap import Capture

ECT_0 = 2
"""The IP header's ECN bits of workers' packets."""
SWITCH_IP = 0xFF0000
"""Switches are 10.255.0.0 and up, workers 10.0.0.0."""
AGGREGATOR = "aggregator"
"""The name of the host that adds up for jobs without slots."""
LOOK = 4096
"""Events between two looks at the clock on the wall."""
LUCK = 1 << 14
"""Random numbers that are drawn at once."""


class SimulationError(Exception):
    """The simulation cannot continue."""


class Place(NamedTuple):
    """Where a part of a job has slots: on its tree's switches, or hosted on the aggregator."""

    slots: range
    hosted: bool = False

    def overlaps(self, other: Place) -> bool:
        """Whether some slot is in both."""
        first, last = max(self.slots.start, other.slots.start), min(self.slots.stop, other.slots.stop)
        return self.hosted == other.hosted and first < last


@dataclass
class Network:
    """Jobs on a tree of switches, each with hosts and slots of its own.

    Args:
        shape: the tree. Rank r of each job is on the switch shape.homes[r].
        quality: of all links.
        lanes: of each job.
        depth: packets in a queue, of a switch's port or a host's card.
        mark_from: packets in a switch's queue from which it marks packets (ECN); 0: never.
        cost: nanoseconds that a host's core takes for a packet, in or out.
        coarse: how many packets each stands for.
        seed: of all random events.
        pcap: a file for all packets, as they arrive at their next node; None: no capture.
        jobs: how many.
        servers: hosts at the top without a job.
        longest: bytes of the longest packet.
        rails: parallel trees of this kind. Each host has a network card on every rail, and on each a part of the job
            of its own: hosts, and parts of jobs, are numbered by job, rail and rank.
        compiled: the switches' program, as p4c's JSON or its folder. Without a table for marks, they mark nothing.
        aggregator: on each rail, one more host at the top, which adds up for parts of jobs.
        groups: instead of jobs, groups of the tree's ranks, with slots of their own. A rank has a host in each of its
            groups, and after those of all groups, one without a job: all share its network card. Groups for which a
            switch has no slots left are without.
        spines: switches at the top, each linked to all below the shape's, which is the first. A flow between two of
            these goes through one of the spines, by its hash (ECMP).
        placed: the number of the spine that adds up, for each of the groups.
        domains: the quality of the links at some switches, if it is another. Their hosts' cores take no time.

    Raises:
        ValueError: a switch would have too many neighbours, or too few slots.

    Attributes:
        parts: how many parts of jobs there are, one of each job on each rail; or groups.
        places: of each part of a job; None: it has no slots.
        addresses: IP addresses of all nodes, which are their MAC addresses, too.
        tops: the spines.
        trees: of each rail, with the first of these. aggregators: the same for parts of jobs that are hosted there.
        switches: by name, with the aggregators.
        workers: their lanes, by job, rail and rank.
        state: of everything else.
        kinds: the numbers of links by kind: from hosts, to hosts, up and down between switches, to and from the
            aggregator, and from and to hosts in domains.
        wires: the numbers of links by the nodes that they are from and to.
    """

    shape: Shape
    quality: Quality
    lanes: int = 64
    depth: int = 1000
    mark_from: int = 0
    cost: int = 0
    coarse: int = 1
    seed: int = 0
    pcap: Path | None = None
    jobs: int = 1
    servers: int = 0
    longest: int = MAX_FRAME
    rails: int = 1
    aggregator: bool = False
    compiled: Path = COMPILED
    groups: Sequence[Sequence[int]] | None = None
    spines: int = 1
    placed: Sequence[int] = ()
    domains: Mapping[Node, Quality] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = self.shape
        for name in shape.parents if self.groups is None else ():
            if len(shape.around(name)) > MAX_WORKERS:
                raise ValueError(f"a switch serves up to {MAX_WORKERS} workers: more need more racks")
            if self.jobs * len(shape.around(name)) >= PARENT_PORT:
                raise ValueError(
                    f"a switch has {PARENT_PORT - 1} ports: {self.jobs} jobs need more racks, or fewer workers"
                )
        everyone = range(len(shape.homes))
        parts = [everyone] * (self.jobs * self.rails) if self.groups is None else self.groups
        self.parts = len(parts)
        self._first = [0, *accumulate(map(len, parts))]
        self._seats = [(part, rank) for part, ranks in enumerate(parts) for rank in range(len(ranks))]
        self._cards: list[int] = [] if self.groups is None else [rank for ranks in parts for rank in ranks]
        """The ranks whose network cards hosts share, by host; the others have their own."""
        if self.groups is not None:
            self._cards += everyone
        self.tops = [shape.top, *(f"{shape.top}{number}" for number in range(1, self.spines))]
        self._group_trees = [
            shape.renamed({shape.top: self.tops[spine]}).among(ranks)
            for ranks, spine in zip(self.groups or (), self.placed, strict=True)
        ]
        self.places: list[Place | None] = []
        for job in range(self.jobs if self.groups is None else 0):
            own = range(job * self.lanes, (job + 1) * self.lanes)
            self.places += [Place(own) if own.stop <= SLOTS else None] * self.rails
        for tree in self._group_trees:
            self.places.append(self._free_place(tree))
        self._epoch = EPOCH
        self._capture = None if self.pcap is None else Capture(self.pcap)
        self._draw = random.Random(self.seed)
        self.trees = self._on_rails(shape)
        # To the parts of jobs that it serves, the aggregator is a switch.
        alone = Shape({AGGREGATOR: None}, [AGGREGATOR] * len(shape.homes))
        self.aggregators = self._on_rails(alone) if self.aggregator else []
        self._rails = {
            name: rail
            for trees in (self.trees, self.aggregators)
            for rail, tree in enumerate(trees)
            for name in tree.parents
        } | dict.fromkeys(self.tops, 0)
        idle = len(everyone) if self.groups is not None else 0
        ranks: list[Node] = [*range(len(self._seats) + idle + self.servers)]
        self._numbers = {name: number for number, name in enumerate([*self._rails, *ranks])}
        self.addresses = {name: ip(SWITCH_IP + i) for i, name in enumerate(self._rails)}
        self.addresses |= {rank: ip(1 + i) for i, rank in enumerate(ranks)}
        self.workers = [self._lanes(part, rank) for part, rank in self._seats]
        self.switches = {name: self._switch(name) for tree in self.trees for name in tree.parents}
        self.switches |= {top: self._switch(top) for top in self.tops[1:]}
        for host in range(len(self._seats), len(ranks)):
            self.switches[self.home(host)].attach(host, self._like(host))
        for tree, aside in zip(self.trees, self.aggregators, strict=False):
            self._attach_aggregator(tree, aside.top)
        self.state = self._new_state()
        self.wires: dict[tuple[Node, Node], int] = {}
        self._connect()
        self.kinds = self._by_kind()

    @property
    def time(self) -> int:
        """Now, nanoseconds."""
        return int(self.state.clock["time"][0])

    @property
    def events(self) -> int:
        """So far."""
        return int(self.state.clock["events"][0])

    @property
    def seconds(self) -> float:
        """When the last host was done with its call."""
        return int(self.state.hosts["finished"].max()) / SECOND

    def home(self, host: int) -> Node:
        """A host's switch."""
        if host < len(self._cards):
            return self.shape.homes[self._cards[host]]
        if host >= len(self._seats):
            return self.shape.top
        part, rank = self._seats[host]
        return self.trees[part % self.rails].homes[rank]

    def hosts(self, part: int) -> range:
        """The hosts of a part of a job, or of a group."""
        return range(self._first[part], self._first[part + 1])

    @property
    def idle(self) -> range:
        """The hosts of ranks that are in no group, and servers."""
        return range(len(self._seats), len(self.state.hosts))

    def tree(self, part: int) -> Shape:
        """The switches that add up for a part of a job or a group, or the aggregator."""
        if self._group_trees:
            return self._group_trees[part]
        place = self.places[part]
        return (self.aggregators if place is not None and place.hosted else self.trees)[part % self.rails]

    def place(self, part: int, place: Place) -> None:
        """Gives a part of a job these slots, in a new epoch: its hosts forget what is in flight. Others that had one of
        them are taken off."""
        self._epoch += 1
        for other in range(part % self.rails, self.parts, self.rails):
            held = self.places[other]
            if held is not None and (other == part or held.overlaps(place)):
                self._write(other, None)
                self.places[other] = None
        self.places[part] = place
        self._write(part, place.slots)
        tree = self.tree(part)
        for rank, host in enumerate(self.hosts(part)):
            lanes = self.workers[host]
            lanes.worker = tree.number(rank)
            lanes.enter(self._epoch, len(tree.homes), len(place.slots), leaf=tree.leaf, limited=False)
            record: Any = self.state.hosts[host]
            record["lanes"], record["work"] = lanes.address, lanes.work.address
            # The emulator's aggregator uses a socket, and would not see marks.
            record["outer"] = self.outer(host, tree.homes[rank], 0 if place.hosted else ECT_0)
        self.get_ready()

    def _write(self, part: int, slots: range | None) -> None:
        """Writes a part's rows where it is placed, or removes them."""
        for name in self.tree(part).parents:
            self.switches[name].place(part, self._around(name, part), self._epoch, slots, self._above(name, part))

    def forward(self, name: Node) -> None:
        """Lets a switch forward packets by their Ethernet destination: to the hosts below it, and all others up, from
        the top to the aggregator. Raises ValueError if there are too many hosts."""
        switch, tops = self.switches[name], self.tops
        like = tops[0] if name in tops else name
        here = [tops.index(name)] if name in tops else range(len(tops))
        above = self._tree(name).parents[name]
        stations: dict[int, int] = {}
        for host in range(len(self._seats) if self._cards else 0, len(self._numbers) - len(self._rails)):
            path = self._path(host)
            if like in path[1:]:
                node = path[path.index(like) - 1]
                stations |= {self._station(host, spine): switch.ports[node] for spine in here if node in switch.ports}
            elif above == tops[0] == path[-1]:
                stations |= {self._station(host, spine): switch.ports[top] for spine, top in enumerate(tops) if spine}
        if above is None and self.aggregators:
            above = self.aggregators[self._rails[name]].top
        switch.forward(stations, None if above is None else switch.ports[above])

    def station(self, source: int, target: int, channel: int) -> int:
        """The Ethernet address of a flow's packets: a host has one for each spine."""
        paths = self._path(source), self._path(target)
        # A host at the top is only on the first spine.
        spreads = paths[0][-2] != paths[1][-2] and min(map(len, paths)) > 2
        flow = source - len(self._seats), target - len(self._seats), channel
        return self._station(target, hashed(len(self.tops), self.seed, *flow) if spreads else 0)

    def _station(self, host: int, spine: int) -> int:
        return self.addresses[host] + (spine << 32)

    def _tree(self, name: Node) -> Shape:
        """The tree with a switch on its rail."""
        tree = self.trees[self._rails[name]]
        return tree if name in tree.parents else tree.renamed({tree.top: name})

    def _path(self, host: int) -> list[Node]:
        """A host, its switch, and those above that."""
        home = self.home(host)
        return [host, *self.trees[self._rails[home]].path(home)]

    def restore(self, name: Node) -> None:
        """Lets a switch that has failed forward packets again."""
        if self.aggregators and name in self.trees[self._rails[name]].parents:
            self.forward(name)

    def fail(self, name: Node) -> None:
        """Lets a switch lose all that it knows: it drops packets until parts of jobs are placed on it again."""
        self.switches[name].start()
        self._prepare(self.switches[name])
        self.get_ready()
        self._record(self.state.switches[self._numbers[name]], self.switches[name])

    def set_quality(self, quality: Quality) -> None:
        """Gives all links another quality."""
        self.quality = quality
        _set_links(self.state.links, quality)
        for switch in self.switches.values():
            switch.engine.queues.set_bit_rate(quality.rate)

    def links(self, *kinds: str) -> NDArray[np.void]:
        """The links of these kinds, by default of all; see LINK."""
        numbers = [number for kind in kinds or self.kinds for number in self.kinds.get(kind, [])]
        return self.state.links[numbers]

    def call(
        self,
        calls: Sequence[Call],
        sources: Sequence[Source],
        targets: Sequence[Target],
        limit: float = 600.0,
        look: Callable[[], Any] = lambda: None,
    ) -> None:
        """Makes a call on all hosts, and runs until it is over everywhere.

        Args:
            calls, sources, targets: see Lanes.prepare, by job, rail and rank.
            limit: the latest virtual time, in seconds.
            look: called now and then.

        Raises:
            SimulationError: the call is not over by then.
        """
        for part in range(self.parts):
            own = slice(self.hosts(part).start, self.hosts(part).stop)
            self.begin(part, calls[own], sources[own], targets[own])
        self.go_on(limit, look)

    def go_on(self, limit: float, look: Callable[[], Any], deliver: Callable[[], Any] = lambda: None) -> None:
        """Runs until all hosts' calls are over. deliver: called when messages have arrived; otherwise as for `call`."""
        if not self.advance(round(limit * SECOND), len(self.state.hosts), look, deliver):
            waiting = len(self.state.hosts) - int(self.state.clock["over"][0])
            raise SimulationError(f"after {limit} s of virtual time, {waiting} workers wait for their sums")

    def advance(self, end: int, over: int, look: Callable[[], Any], deliver: Callable[[], Any] = lambda: None) -> bool:
        """Runs until the calls of `over` hosts are over. Returns False if it comes to the time `end`, in nanoseconds,
        before."""
        clock = self.state.clock
        pause = self.events + LOOK
        while True:
            outcome = run(self.state, pause, end, self._capture is not None, over)
            if outcome == OVER:
                return True
            if outcome == FULL:
                self.make_room()
            elif outcome == DELIVERED:
                deliver()
            elif outcome == CAPTURE:
                self._write_packets()
            elif outcome == LATE:
                clock["time"] = max(self.time, end)
                return False
            elif outcome == LANES:
                self.workers[int(clock["node"][0]) - len(self.switches)].check(int(clock["outcome"][0]))
            elif outcome == UNSUPPORTED:
                raise SimulationError("the program clones or recirculates packets, or makes them too long")
            else:
                pause = self.events + LOOK
                look()

    def rest(self, until: int) -> None:
        """Lets no host begin a call before a time, in nanoseconds."""
        np.maximum(self.state.hosts["busy"], until, out=self.state.hosts["busy"])

    def get_ready(self) -> None:
        """Makes ready for calls."""
        for record, switch in zip(self.state.switches, self.switches.values(), strict=True):
            switch.engine.update_context()
            engine = switch.engine
            record["copies"] = engine.multicast.most_copies + engine.clone_sessions.most_copies
        self.make_room()

    def begin(
        self,
        part: int,
        calls: Sequence[Call],
        sources: Sequence[Source],
        targets: Sequence[Target],
        since: int = 0,
        wanted: Sequence[Bitmap] = (),
    ) -> None:
        """Begins a call on the hosts of a part of a job, each when the one before is over there, and not before
        `since`. One that is not over is given up. wanted: none: all. The rest: see Lanes.prepare, by rank."""
        self.get_ready()
        for rank, number in enumerate(self.hosts(part)):
            lanes, host = self.workers[number], self.state.hosts[number]
            time = max(int(host["finished"]), int(host["busy"]), since)
            needs = wanted[rank] if wanted else EVERYTHING
            lanes.begin(calls[rank], sources[rank], targets[rank], time / SECOND, needs)
            self.state.clock["over"] -= host["finished"] != NONE
            host["finished"], host["work"] = NONE, lanes.work.address
            plan(self.state, time, len(self.switches) + number, NONE, NONE)

    def outer(self, source: Node, target: Node, ecn: int = ECT_0) -> NDArray[np.uint8]:
        """The headers of packets between two nodes, as `head` needs them; shape (OUTER_BYTES,)."""
        headers = np.frombuffer(framed(self.addresses[source], self.addresses[target], b"", ecn=ecn), np.uint8).copy()
        for first, end in ((16, 18), (24, 26), (38, 40)):
            headers[first:end] = 0
        return headers

    def _on_rails(self, tree: Shape) -> list[Shape]:
        """A tree like this for each rail."""
        names = ({name: f"{name} of rail {rail}" for name in tree.parents} for rail in range(1, self.rails))
        return [tree, *map(tree.renamed, names)]

    def _switch(self, name: Node) -> InProcessSwitch:
        tree = self._tree(name)
        below: list[Node] = [leaf for leaf, above in tree.parents.items() if above == name]
        around = self._around(name, self._rails[name]) if self.groups is None else below
        own, parent = self.addresses[name], tree.parents[name]
        switch = InProcessSwitch(around, self.lanes, own, self.addresses, parent, tree.number(name), self.compiled)
        for top in self.tops[1:] if parent == self.tops[0] else ():
            switch.join(top)
        switch.place(0, [], EPOCH, None)
        for part in range(self._rails[name], self.parts, self.rails):
            place, around = self.places[part], self._around(name, part)
            for host in around:
                switch.attach(host, self._like(host))
            if around:
                slots = None if place is None else place.slots
                switch.place(part, around, EPOCH, slots, self._above(name, part))
        self._prepare(switch)
        return switch

    def _attach_aggregator(self, tree: Shape, name: Node) -> None:
        """Links an aggregator to the top of a tree, whose switches then forward packets."""
        aggregator = Aggregator([tree.top], self.lanes, self.addresses[name], self.addresses)
        aggregator.place(0, [], EPOCH, None)
        self._prepare(aggregator)
        self.switches[name] = aggregator
        self.switches[tree.top].attach(name)
        for switch in tree.parents:
            self.forward(switch)

    def _free_place(self, tree: Shape) -> Place | None:
        """The first slots that no group before has on any of a tree's switches."""
        held = [
            place.slots.start
            for place, other in zip(self.places, self._group_trees, strict=False)
            if place is not None and not other.parents.keys().isdisjoint(tree.parents)
        ]
        fits = all(len(tree.around(name)) <= MAX_WORKERS for name in tree.parents)
        free = (first for first in range(0, SLOTS - self.lanes + 1, self.lanes) if first not in held)
        first = next(free, None)
        return Place(range(first, first + self.lanes)) if fits and first is not None else None

    def _like(self, node: Node) -> Node | None:
        """The host whose network card a host shares; None: it has its own."""
        if not isinstance(node, int) or node >= len(self._cards):
            return None
        return self._cards.index(self._cards[node])

    def _above(self, name: Node, part: int) -> tuple[Node, int] | None:
        """The switch above one for a part of a job, and the number of the lower one there; None: it is the top."""
        tree = self.tree(part)
        above = tree.parents[name]
        return None if above is None else (above, tree.number(name))

    def _around(self, name: Node, part: int) -> list[Node]:
        """A switch's workers of a part of a job, and its leaves."""
        around = self.tree(part).around(name)
        return [self.hosts(part).start + node if isinstance(node, int) else node for node in around]

    def _prepare(self, switch: InProcessSwitch) -> None:
        # The engine hands over packets for ports with a rate as they wait in queues.
        switch.engine.queues.set_bit_rate(self.quality.rate)
        if (queue := switch.engine.tables.get("egress.mark.queue")) is not None:
            queue.set_default("egress.mark.mark_from", (0 if isinstance(switch, Aggregator) else self.mark_from,))
        if (growth := switch.engine.tables.get("ingress.reply.growth")) is not None:
            growth.set_default("ingress.reply.grow_by", (MAX_PAYLOAD,))

    def _lanes(self, part: int, rank: int) -> Lanes:
        tree = self.tree(part) if self._group_trees else self.shape
        return Lanes(
            job=JOB + part,
            worker=tree.number(rank),
            workers=len(tree.homes),
            epoch=EPOCH,
            lanes=self.lanes,
            leaf=tree.leaf,
            limited=False,
        )

    def _new_state(self) -> State:
        """The state of a network without links."""
        engine = next(iter(self.switches.values())).engine
        clock, settings = np.zeros(1, CLOCK), np.zeros(1, SETTINGS)
        settings["depth"], settings["burst"] = self.depth, max(self.lanes, BURST)
        settings["card"] = max(1, QUEUED // self.coarse)
        settings["growth"] = engine.growth
        hosts = np.zeros(len(self._numbers) - len(self._rails), HOST)
        switches = np.zeros(len(self.switches), SWITCH)
        hosts["timer"], hosts["first_stream"] = NEVER, NONE
        hosts["cost"] = [0 if self.home(host) in self.domains else self.cost for host in range(len(hosts))]
        clock["delivered"], clock["over"] = NONE, len(hosts)
        for number, lanes in enumerate(self.workers):
            hosts[number]["lanes"] = lanes.address
            hosts[number]["outer"] = self.outer(number, self.home(number))
        switches["links"] = NONE
        for record, switch in zip(switches, self.switches.values(), strict=True):
            self._record(record, switch)
            record["cost"] = self.cost if isinstance(switch, Aggregator) else 0
        return State(
            clock=clock,
            settings=settings,
            events=np.empty((0, 4), np.int64),
            frames=np.empty((0, self.longest), np.uint8),
            lengths=np.empty(0, np.int32),
            following=np.empty(0, np.int32),
            free=np.empty(0, np.int32),
            batch=np.empty((0, 2), np.int32),
            luck=np.empty(0),
            links=np.zeros(0, LINK),
            queues=np.empty((0, self.depth), np.int64),
            hosts=hosts,
            switches=switches,
            streams=np.zeros(0, STREAM),
            messages=np.zeros(0, MESSAGE),
            starts=np.empty((4, 0), np.int64),
            sizes=np.empty((4, 0), np.int32),
            ports=np.empty((4, 0), np.int32),
            arrivals=np.empty(0, np.int64),
            words=np.empty((2, 0), np.int64),
            leaving=np.empty(0, LEAVING),
            order=np.empty(0, np.int64),
        )

    @staticmethod
    def _record(record: Any, switch: InProcessSwitch) -> None:
        """Writes where a switch's engine is."""
        for name, place in switch.engine.places.items():
            record[name] = place
        record["resume"] = switch.engine.resume_address

    def _connect(self) -> None:
        """Makes the links."""
        ends: list[tuple[int, int]] = []
        qualities: list[Quality] = []

        def link(switch: Node, to: Node, port: int) -> int:
            ends.append((self._numbers[to], port))
            qualities.append(self.domains.get(switch, self.quality))
            return len(ends) - 1

        for number, host in enumerate(self.state.hosts):
            home, like = self.home(number), self._like(number)
            if like in (None, number):
                host["link"] = link(home, home, self.switches[home].ports[number])
            else:
                host["link"] = self.state.hosts[like]["link"]
            self.wires[number, home] = int(host["link"])
        for number, (name, switch) in enumerate(self.switches.items()):
            own = self.state.switches[number]["links"]
            for to, port in switch.ports.items():
                end = 0 if isinstance(to, int) else self.switches[to].ports[name]
                if own[port] == NONE:
                    own[port] = link(name, to, end)
                    if self._like(to) is not None:
                        ends[-1] = NONE, 0
                self.wires[name, to] = int(own[port])
        links = np.zeros(len(ends), LINK)
        links["node"], links["port"] = zip(*ends, strict=True)
        for each, quality in zip(links, qualities, strict=True):
            _set_links(each, quality)
        self.state = self.state._replace(links=links, queues=np.empty((len(ends), self.depth), np.int64))

    def _by_kind(self) -> dict[str, list[int]]:
        """The numbers of links by kind: of hosts in their order, or in that of the ranks."""
        result: dict[str, list[int]] = {}
        for host in self.idle if self._cards else range(len(self.state.hosts)):
            home = self.home(host)
            where = "hosts in domains" if home in self.domains else "hosts"
            result.setdefault(f"from {where}", []).append(self.wires[host, home])
            result.setdefault(f"to {where}", []).append(self.wires[home, host])
        for (node, to), number in self.wires.items():
            if node in self.switches and to in self.switches:
                result.setdefault(self._kind(self.switches[node], to), []).append(number)
        return result

    def _kind(self, switch: InProcessSwitch, to: Node) -> str:
        """The kind of a switch's link to another one."""
        if isinstance(switch, Aggregator):
            return "from aggregator"
        if isinstance(self.switches[to], Aggregator):
            return "to aggregator"
        return "up" if switch.ports[to] >= PARENT_PORT else "down"

    def make_room(self) -> None:
        """Makes room for what may come of the next batch, and for as much again."""
        state, clock = self.state, self.state.clock[0]
        most = max(wanted(state), self.lanes)
        packets, events = len(state.frames), len(state.events)
        if clock["free"] < 2 * most:
            more = max(packets, 4 * most)
            free = np.concatenate([state.free[: clock["free"]], np.arange(packets, packets + more, dtype=np.int32)])
            clock["free"] = len(free)
            state = state._replace(
                frames=np.concatenate([state.frames, np.empty((more, self.longest), np.uint8)]),
                lengths=np.concatenate([state.lengths, np.empty(more, np.int32)]),
                following=np.concatenate([state.following, np.empty(more, np.int32)]),
                free=np.concatenate([free, np.empty(packets + more - len(free), np.int32)]),
            )
        wanted_events = int(clock["planned"]) + 3 * most + len(state.hosts) + 3
        if events < wanted_events:
            more = max(events, wanted_events - events)
            state = state._replace(
                events=np.concatenate([state.events, np.empty((more, 4), np.int64)]),
                batch=np.concatenate([state.batch, np.empty((more, 2), np.int32)]),
            )
        if clock["drawn"] + 3 * most > len(state.luck):
            left = state.luck[clock["drawn"] :]
            drawn = [self._draw.random() for _ in range(LUCK + 3 * most)]
            state = state._replace(luck=np.concatenate([left, drawn]))
            clock["drawn"] = 0
        if len(state.leaving) < most:
            copies = int(state.switches["copies"].max())
            size = self.longest + int(state.settings["growth"][0])
            state = state._replace(
                starts=np.empty((4, most + copies), np.int64),
                sizes=np.empty((4, most + copies), np.int32),
                ports=np.empty((4, most + copies), np.int32),
                arrivals=np.empty(most, np.int64),
                words=np.empty((2, (most + copies) * size // 4), np.int64),
                leaving=np.empty(most, LEAVING),
                order=np.empty(most, np.int64),
            )
        self.state = state

    def _write_packets(self) -> None:
        """Captures the packets of the batch."""
        assert self._capture is not None
        state, clock = self.state, self.state.clock[0]
        packets = state.batch[: clock["arrived"], 1]
        packets = packets[packets != NONE]
        addresses = state.frames.ctypes.data + self.longest * packets.astype(np.uint64)
        self._capture.write(addresses, state.lengths[packets], int(clock["time"]) // 1000)


def _set_links(links: Any, quality: Quality) -> None:
    for name, value in vars(quality).items():
        links[name] = value
