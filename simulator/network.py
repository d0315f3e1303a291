"""A network in virtual time: hosts with lanes, switches with engines, and links between them.

Every event is the arrival of a packet at a node, or a host's timer. All packets that reach a node at the same time are
one batch. What happens then is compiled (loop.py); this makes the network, begins calls, and provides memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.controller.jobs.slots import SLOTS
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.events import plan
from dropzero.simulator.in_process import FIRST_SLOT, PARENT_PORT, InProcessSwitch, framed, ip
from dropzero.simulator.links import SECOND, Quality
from dropzero.simulator.loop import CAPTURE, DELIVERED, FULL, LANES, LATE, OVER, UNSUPPORTED, run, wanted
from dropzero.simulator.state import (
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
from dropzero.simulator.streams import BURST
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape
from dropzero.softswitch.ports.pcap import Capture

ECT_0 = 2
"""The IP header's ECN bits of workers' packets."""
SWITCH_IP = 0xFF0000
"""Switches are 10.255.0.0 and up, workers 10.0.0.0."""
LOOK = 4096
"""Events between two looks at the clock on the wall."""
LUCK = 1 << 14
"""Random numbers that are drawn at once."""


class SimulationError(Exception):
    """The simulation cannot go on."""


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
        seed: of all random events.
        pcap: a file for all packets, as they arrive at their next node; None: no capture.
        jobs: how many.
        servers: hosts at the top without a job.
        longest: bytes of the longest packet.

    Raises:
        ValueError: a switch would have too many neighbours, or too few slots.

    Attributes:
        addresses: IP addresses of all nodes.
        switches: by name.
        workers: their lanes, by job and rank.
        state: of everything else.
        kinds: the numbers of links by kind: from hosts, to hosts, up and down between switches.
    """

    shape: Shape
    quality: Quality
    lanes: int = 64
    depth: int = 1000
    mark_from: int = 0
    cost: int = 0
    seed: int = 0
    pcap: Path | None = None
    jobs: int = 1
    servers: int = 0
    longest: int = MAX_FRAME

    def __post_init__(self) -> None:
        shape = self.shape
        for name in shape.parents:
            if len(shape.around(name)) > MAX_WORKERS:
                raise ValueError(f"a switch serves up to {MAX_WORKERS} workers: more need more racks")
            if self.jobs * len(shape.around(name)) >= PARENT_PORT:
                raise ValueError(
                    f"a switch has {PARENT_PORT - 1} ports: {self.jobs} jobs need more racks, or fewer workers"
                )
        if FIRST_SLOT + self.jobs * self.lanes > SLOTS:
            raise ValueError(
                f"a switch has {SLOTS - FIRST_SLOT} slots: {self.jobs} jobs cannot have {self.lanes} lanes each"
            )
        self._capture = None if self.pcap is None else Capture(self.pcap)
        self._draw = random.Random(self.seed)
        ranks: list[Node] = [*range(self.jobs * len(shape.homes) + self.servers)]
        self._numbers = {name: number for number, name in enumerate([*shape.parents, *ranks])}
        self.addresses = {name: ip(SWITCH_IP + i) for i, name in enumerate(shape.parents)}
        self.addresses |= {rank: ip(1 + i) for i, rank in enumerate(ranks)}
        self.switches = {name: self._switch(name) for name in shape.parents}
        self.workers = [self._lanes(job, rank) for job in range(self.jobs) for rank in range(len(shape.homes))]
        for server in ranks[len(self.workers) :]:
            self.switches[self.home(len(self.workers))].attach(server)
        self.kinds: dict[str, list[int]] = {}
        self.state = self._new_state()
        self._connect()

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
        if host >= len(self.workers):
            return next(iter(self.shape.parents))
        return self.shape.homes[host % len(self.shape.homes)]

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
            calls, sources, targets: see Lanes.prepare, by job and rank.
            limit: the latest virtual time, in seconds.
            look: called now and then.

        Raises:
            SimulationError: the call is not over by then.
        """
        self._begin(calls, sources, targets)
        self.go_on(limit, look)

    def go_on(self, limit: float, look: Callable[[], Any], deliver: Callable[[], Any] = lambda: None) -> None:
        """Runs until all hosts' calls are over. deliver: called when messages have arrived; otherwise as for `call`."""
        clock = self.state.clock
        pause = self.events + LOOK
        while True:
            outcome = run(self.state, pause, round(limit * SECOND), self._capture is not None)
            if outcome == OVER:
                return
            if outcome == FULL:
                self.make_room()
            elif outcome == DELIVERED:
                deliver()
            elif outcome == CAPTURE:
                self._write()
            elif outcome == LATE:
                waiting = len(self.state.hosts) - int(clock["over"][0])
                raise SimulationError(f"after {limit} s of virtual time, {waiting} workers wait for their sums")
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
        """Makes ready for calls on all hosts."""
        self.state.clock["over"] = 0
        for record, switch in zip(self.state.switches, self.switches.values(), strict=True):
            switch.engine.update_context()
            engine = switch.engine
            record["copies"] = engine.multicast.most_copies + engine.clone_sessions.most_copies
        self.make_room()

    def _begin(self, calls: Sequence[Call], sources: Sequence[Source], targets: Sequence[Target]) -> None:
        """Begins a call on all hosts, each when the one before is over there."""
        self.get_ready()
        for number, host in enumerate(self.state.hosts):
            lanes = self.workers[number]
            time = max(int(host["finished"]), int(host["busy"]), 0)
            lanes.begin(calls[number], sources[number], targets[number], time / SECOND)
            host["finished"], host["work"] = NONE, lanes.work.address
            plan(self.state, time, len(self.switches) + number, NONE, NONE)

    def outer(self, source: Node, target: Node, ecn: int = ECT_0) -> NDArray[np.uint8]:
        """The headers of packets between two nodes, as `head` needs them; shape (OUTER_BYTES,)."""
        headers = np.frombuffer(framed(self.addresses[source], self.addresses[target], b"", ecn=ecn), np.uint8).copy()
        for first, end in ((16, 18), (24, 26), (38, 40)):
            headers[first:end] = 0
        return headers

    def _switch(self, name: Node) -> InProcessSwitch:
        parent = self.shape.parents[name]
        own, number = self.addresses[name], self.shape.number(name)
        switch = InProcessSwitch(self.shape.around(name), self.lanes, own, self.addresses, parent, number)
        for job in range(1, self.jobs):
            first = job * len(self.shape.homes)
            switch.add(job, [first + node if isinstance(node, int) else node for node in self.shape.around(name)])
        # The engine hands over packets for ports with a rate as they wait in queues.
        switch.engine.queues.set_bit_rate(self.quality.rate)
        switch.engine.tables["egress.mark.queue"].set_default("egress.mark.mark_from", (self.mark_from,))
        return switch

    def _lanes(self, job: int, rank: int) -> Lanes:
        return Lanes(
            job=JOB + job,
            worker=self.shape.number(rank),
            workers=len(self.shape.homes),
            epoch=EPOCH,
            lanes=self.lanes,
            pad=self.shape.pad,
        )

    def _new_state(self) -> State:
        """The state of a network without links."""
        quality = self.quality
        engine = next(iter(self.switches.values())).engine
        clock, settings = np.zeros(1, CLOCK), np.zeros(1, SETTINGS)
        settings["rate"], settings["delay"] = quality.rate, quality.delay
        settings["loss"], settings["duplicate"], settings["reorder"] = quality.loss, quality.duplicate, quality.reorder
        settings["depth"], settings["cost"], settings["burst"] = self.depth, self.cost, max(self.lanes, BURST)
        settings["growth"] = engine.growth
        hosts = np.zeros(len(self.workers) + self.servers, HOST)
        switches = np.zeros(len(self.switches), SWITCH)
        hosts["timer"], hosts["first_stream"] = NEVER, NONE
        clock["delivered"] = NONE
        for number, lanes in enumerate(self.workers):
            hosts[number]["lanes"] = lanes.address
            hosts[number]["outer"] = self.outer(number, self.home(number))
        for record, switch in zip(switches, self.switches.values(), strict=True):
            for name, place in switch.engine.places.items():
                record[name] = place
            record["resume"] = switch.engine.place_of_resume
        switches["links"] = NONE
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

    def _connect(self) -> None:
        """Makes the links."""
        ends: list[tuple[int, int]] = []

        def link(kind: str, to: Node, port: int) -> int:
            ends.append((self._numbers[to], port))
            self.kinds.setdefault(kind, []).append(len(ends) - 1)
            return len(ends) - 1

        for number, host in enumerate(self.state.hosts):
            home = self.home(number)
            host["link"] = link("from hosts", home, self.switches[home].ports[number])
        for number, (name, switch) in enumerate(self.switches.items()):
            for to, port in switch.ports.items():
                if to == switch.parent:
                    made = link("up", to, self.switches[to].ports[name])
                elif isinstance(to, int):
                    made = link("to hosts", to, 0)
                else:
                    made = link("down", to, PARENT_PORT)
                self.state.switches[number]["links"][port] = made
        links = np.zeros(len(ends), LINK)
        links["node"], links["port"] = zip(*ends, strict=True)
        self.state = self.state._replace(links=links, queues=np.empty((len(ends), self.depth), np.int64))

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

    def _write(self) -> None:
        """Captures the packets of the batch."""
        assert self._capture is not None
        state, clock = self.state, self.state.clock[0]
        packets = state.batch[: clock["arrived"], 1]
        packets = packets[packets != NONE]
        addresses = state.frames.ctypes.data + self.longest * packets.astype(np.uint64)
        self._capture.write(addresses, state.lengths[packets], int(clock["time"]) // 1000)
