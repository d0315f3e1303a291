"""The operations of training on a network in virtual time: by the switch, where it can, or by messages.

The network is simulated packet by packet. But an operation that shares no link with others while it runs takes as long
each time: the same kind and size in a group of the same form. So it is simulated once, and its times are reused. If
another operation begins on one of its links in the meantime, its packets are simulated after all, from its begin on:
nothing has touched its links since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.collectives.messages import End, Messages
from dropzero.simulator.collectives.schemes import (
    RING,
    SCHEMES,
    Collective,
    Mesh,
    Steps,
    Vector,
    all_to_all,
    gather,
    scatter,
)
from dropzero.simulator.formulas import Kind, Scheme
from dropzero.simulator.kernel.state import HEADERS, MAX_FRAME, NEVER, NONE, SEGMENT_BYTES
from dropzero.simulator.memory import Received, needed
from dropzero.simulator.network import Network, SimulationError
from dropzero.simulator.simulation import CHECKED, Plan, given, owned, program, sent
from dropzero.simulator.target import SwitchTarget
from dropzero.simulator.timeline import LIMIT, Program
from dropzero.simulator.training.schedule import Operation, Over
from dropzero.simulator.training.trace import SEND
from dropzero.simulator.tree import Node, Shape
from dropzero.softswitch.engine.wire import SECOND

KINDS = {each.upper().replace("-", "_"): each for each in Kind} | {"REDUCE_SCATTER_BLOCK": Kind.REDUCE_SCATTER}
"""By the names in traces."""
BETWEEN_HOSTS: Mapping[str, Collective] = {"ALL_TO_ALL": all_to_all, "GATHER": gather, "SCATTER": scatter}
OF_EACH = ("ALL_GATHER", "GATHER")
"""Their size is what each rank gives; that of others, of all parts together."""
WARM = 2
"""Calls after which the next one in the same group takes as long: windows are open, and block sizes known."""

Key = tuple[object, ...]


@dataclass
class _Call:
    """An operation that is not over.

    Attributes:
        number: its own, in all steps.
        links: the numbers of those that it may use.
        key: what has the same times.
        alone: no other has used these since it began.
        simulated: its packets are. before: the bytes that its links had carried then.
        ends: of the ranks whose part is over.
        program, received: of a call through the switch.
        parts: of a call between hosts: what each rank needs, and of which result.
    """

    number: int
    operation: Operation
    start: int
    links: tuple[int, ...]
    key: Key
    alone: bool
    simulated: bool = False
    before: NDArray[np.int64] | int = 0
    ends: dict[int, int] = field(default_factory=dict)
    program: Program | None = None
    received: Sequence[Received] = ()
    parts: Sequence[tuple[slice, Vector]] = ()


class _Known(NamedTuple):
    """What an operation alone on its links takes: nanoseconds of each rank's part, by its place in the group, and bytes
    of each link."""

    took: Sequence[int]
    bytes: NDArray[np.int64]


class Cluster:
    """A medium (see `schedule`).

    Args:
        plan: its network, and the scheme that all-reduces; other collectives go around a ring, unless the switch
            carries them out. Its size and call do not matter.
        groups: see `groups_of`. Those for which a switch has no slots go around a ring, and so do those in a domain.
        reuse: simulate operations without others on their links once.
        look: called now and then.

    Attributes:
        exact: all sums so far were.
        begun, simulated: how many operations have begun, and how many of them were simulated.
    """

    def __init__(
        self,
        plan: Plan,
        groups: Mapping[str, tuple[int, ...]],
        *,
        reuse: bool = True,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.exact, self.begun, self.simulated = True, 0, 0
        self._plan, self._look = plan, look
        domain, quality = plan.domain, plan.quality
        inside = Shape({}, []) if domain is None else domain.shape(plan.workers)
        self._shape = plan.shape.beside(inside)
        self._channels = {name: channel for channel, name in enumerate(groups, 1)}
        summed = {
            name: ranks
            for name, ranks in groups.items()
            if plan.scheme is Scheme.DROPZERO
            and self._places(ranks) == ranks
            and not (domain is not None and domain.staged(ranks))
        }
        self._numbers = {name: number for number, name in enumerate(summed)}
        """The numbers of the network's parts, by group."""
        same = plan.density == 1 and not (quality.loss or quality.duplicate or quality.reorder)
        # A parameter server's packets use links that are not between the ranks.
        self._reuse = reuse and same and plan.scheme is not Scheme.PARAMETER_SERVER
        self.network = Network(
            self._shape,
            quality,
            lanes=plan.lanes_for(max(1, len(summed))),
            depth=plan.queue,
            mark_from=plan.marking,
            cost=plan.cost,
            coarse=plan.coarse,
            seed=plan.seed,
            servers=len(groups) if plan.scheme is Scheme.PARAMETER_SERVER else 0,
            longest=max(MAX_FRAME, HEADERS + SEGMENT_BYTES),
            compiled=plan.target.compiled,
            groups=[*summed.values()],
            spines=plan.spines,
            placed=[plan.placement.spine(plan.spines, plan.seed, *each) for each in enumerate(summed)],
            domains={} if domain is None else dict.fromkeys(inside.parents, domain.quality),
        )
        self._reused = np.zeros(len(self.network.state.links), np.int64)
        """Bytes of each link, of operations that were not simulated."""
        self._messages = Messages(self.network)
        self._calls: dict[int, _Call] = {}
        """By their numbers."""
        self._predicted: list[tuple[int, int, int]] = []
        """Ends that were reused: time, number of the call, and rank."""
        self._paths: dict[Key, tuple[tuple[int, ...], Key]] = {}
        """The links that operations may use, and the form of the tree."""
        self._known: dict[Key, _Known] = {}
        self._made: Counter[Key] = Counter()
        self._checked = 0

    def begin(self, operation: Operation, start: int) -> None:
        ranks = operation.ranks
        links, form = self._path(operation)
        used = {*links}
        same = operation.group, operation.kind, operation.size, ranks if operation.kind == SEND else ()
        key = form, operation.kind, operation.size, self._part(operation) is None, min(self._made[same], WARM)
        self._made[same] += 1
        self.begun += 1
        others = [each for each in self._calls.values() if not used.isdisjoint(each.links)]
        for other in others:
            other.alone = False
            if not other.simulated:
                self._simulate(other)
        call = self._calls[self.begun] = _Call(self.begun, operation, start, links, key, not others)
        known = self._known.get(key) if links else _Known([0] * len(ranks), self._reused[:0])
        if known is None or not (call.alone and (self._reuse or not links)):
            self._simulate(call)
            return
        for rank, took in zip(ranks, known.took, strict=True):
            heappush(self._predicted, (start + took, call.number, rank))

    @property
    def bytes(self) -> NDArray[np.int64]:
        """That each link has carried, by its number."""
        return self.network.state.links["bytes"] + self._reused

    @property
    def links(self) -> dict[str, dict[str, int]]:
        """The numbers of links by kind (see Network.kinds), and by their ends."""
        first, workers = self.network.idle.start, self._plan.workers

        def name(node: Node) -> str:
            if isinstance(node, str):
                return node
            server = node - first - len(self._shape.homes)
            return f"server {server}" if server >= 0 else f"rank {(node - first) % workers}"

        # Several hosts share a network card: the last one is the rank's.
        ends = {number: f"{name(node)} to {name(to)}" for (node, to), number in self.network.wires.items()}
        return {kind: {ends[number]: number for number in links} for kind, links in self.network.kinds.items()}

    def advance(self, until: int | None) -> Sequence[Over]:
        network, clock = self.network, self.network.state.clock
        while self._calls:
            ends = [time for time in (until, self._predicted[0][0] if self._predicted else None) if time is not None]
            if any(call.simulated for call in self._calls.values()):
                end = min([*ends, network.time + round(LIMIT * SECOND)])
                came = network.advance(end, int(clock["over"][0]) + 1, self._check, self._messages.deliver)
                if over := self._collect():
                    return over
                if came:
                    continue
                if not ends:
                    raise SimulationError(f"an operation is not over after {LIMIT} s of virtual time")
            if not self._predicted or (until is not None and self._predicted[0][0] > until):
                return []
            time, number, rank = heappop(self._predicted)
            call = self._calls.get(number)
            if call is not None and not call.simulated:
                return [self._over(call, rank, time)]
        return []

    def _path(self, operation: Operation) -> tuple[tuple[int, ...], Key]:
        """The links that an operation may use: of each rank, and above switches; and the form of the tree."""
        ranks, group, part = operation.ranks, operation.group, self._part(operation)
        if (ranks, group, part) not in self._paths:
            network, places = self.network, self._places(ranks)
            tree = self._shape.among(places) if part is None else network.tree(part)
            hosts = [network.idle.start + place for place in places]
            ends: list[tuple[Node, Node]] = [*zip(hosts, tree.homes, strict=True)]
            ends += [(name, above) for name, above in tree.parents.items() if above is not None]
            form: Key = (places == ranks,)
            if part is None and network.tops[0] in tree.parents and len(network.tops) > 1:
                # Each flow goes through some spine, and others collide.
                ends += [(name, top) for name, above in ends if above == network.tops[0] for top in network.tops[1:]]
                form += ranks, group
            links = tuple(network.wires[wire] for node, above in ends for wire in ((node, above), (above, node)))
            numbers = {name: number for number, name in enumerate(tree.parents)}
            form += tuple(tuple(numbers[name] for name in tree.path(home)) for home in tree.homes)
            self._paths[ranks, group, part] = links if len({*ranks}) > 1 else (), form
        return self._paths[ranks, group, part]

    def _places(self, ranks: tuple[int, ...]) -> tuple[int, ...]:
        """Where ranks are in the shape: with their network cards, or if all share a domain, in this."""
        domain = self._plan.domain
        inside = domain is not None and len(domain.parts(ranks)) == 1
        return tuple(self._plan.workers + rank for rank in ranks) if inside else ranks

    def _collect(self) -> list[Over]:
        """Notes which simulated parts are over."""
        result: list[Over] = []
        for call in list(self._calls.values()):
            if call.program is None:
                continue
            number = self._numbers[call.operation.group]
            hosts = self.network.hosts(number)
            finished = self.network.state.hosts["finished"][hosts.start : hosts.stop]
            if (finished == NONE).any():
                continue
            following = next(call.program, None)
            if following is not None:
                self.network.begin(number, *following[:3], wanted=following.wanted)
                continue
            self.exact &= all(each.exact() for each in call.received)
            times = zip(call.operation.ranks, finished.tolist(), strict=True)
            result += [self._over(call, rank, time) for rank, time in times if rank not in call.ends]
        done, self._messages.done = self._messages.done, []
        for end, time, content in done:
            if end.tag not in self._calls:
                continue
            call = self._calls[end.tag]
            if call.operation.kind == SEND:
                if end.rank == 1:
                    result += [self._over(call, rank, time) for rank in call.operation.ranks if rank not in call.ends]
                continue
            if end.rank < len(call.parts):
                own, expected = call.parts[end.rank]
                self.exact &= np.array_equal(content[own], expected[own])
            if end.rank < len(call.operation.ranks) and (rank := call.operation.ranks[end.rank]) not in call.ends:
                result.append(self._over(call, rank, time))
        return result

    def _over(self, call: _Call, rank: int, time: int) -> Over:
        """A rank's part is over, and perhaps the call."""
        operation = call.operation
        call.ends[rank] = time
        if len(call.ends) == len({*operation.ranks}):
            links = [*call.links]
            if not call.simulated and links:
                self._reused[links] += self._known[call.key].bytes
            elif call.simulated and call.alone:
                took = [call.ends[each] - call.start for each in operation.ranks]
                self._known.setdefault(call.key, _Known(took, self.bytes[links] - call.before))
            del self._calls[call.number]
        return Over(operation, rank, time)

    def _simulate(self, call: _Call) -> None:
        """Sends its packets, from its begin on."""
        call.simulated = True
        self.simulated += 1
        # Timers of earlier calls go off before this one begins.
        self.network.advance(call.start, NEVER, self._check, self._messages.deliver)
        call.before = self.bytes[[*call.links]]
        part, operation = self._part(call.operation), call.operation
        if operation.kind == SEND:
            content = np.zeros(operation.size, np.uint8)
            self._start(call, [_sending(content), _receiving()])
            return
        size = operation.size * (len(operation.ranks) if operation.kind in OF_EACH else 1)
        elements = max(1, -(-size // 4))
        kind = KINDS.get(operation.kind)
        if kind is None:
            workers = len(operation.ranks)
            vector = np.zeros(-(-elements // workers) * workers, np.float32)
            self._start(call, [BETWEEN_HOSTS[operation.kind]] * workers, [vector] * workers)
            return
        plan = self._planned(operation, kind, elements, part is None)
        tensors, total = given(plan, plan.elements, plan.seed + call.number)
        if part is None:
            call.parts = [(own, total) for own in owned(plan, plan.elements)]
            inside = self._places(operation.ranks) != operation.ranks
            ring = inside or kind is not Kind.ALL_REDUCE or self._plan.scheme is Scheme.DROPZERO
            collective = RING[kind] if ring else SCHEMES[self._plan.scheme]
            self._start(call, [collective] * len(tensors), tensors)
            return
        call.received = [Received(total, needed(total), own) for own in owned(plan, plan.elements)]
        call.program = program(plan, self.network, part, sent(plan, tensors), call.received)
        first = next(call.program)
        self.network.begin(part, *first[:3], since=call.start, wanted=first.wanted)

    def _planned(self, operation: Operation, kind: Kind, elements: int, between_hosts: bool) -> Plan:
        """The call as a plan of its own."""
        workers = len(operation.ranks)
        plan = self._plan
        return replace(
            plan,
            workers=workers,
            racks=-(-workers // MAX_WORKERS),
            pods=1,
            domain=None,
            spines=1,
            scheme=Scheme.DROPZERO,
            call=kind,
            size=4 * elements,
            target=SwitchTarget.V1MODEL if between_hosts else plan.target,
        )

    def _part(self, operation: Operation) -> int | None:
        """The part of the network that carries out an operation by the switch; None: it goes by messages."""
        kind = KINDS.get(operation.kind)
        part = self._numbers.get(operation.group)
        if part is None or kind is None:
            return None
        lacks = self._plan.target is not SwitchTarget.V1MODEL and kind.scatters
        return None if lacks or self.network.places[part] is None else part

    def _start(self, call: _Call, collectives: Sequence[Collective], vectors: Sequence[Vector] | None = None) -> None:
        """Starts a program by messages."""
        operation, plan = call.operation, self._plan
        first, places = self.network.idle.start, self._places(operation.ranks)
        hosts = [first + place for place in places]
        channel = 0 if operation.kind == SEND else self._channels[operation.group]
        vectors = list(vectors or [np.zeros(0, np.float32)] * len(hosts))
        if plan.scheme is Scheme.PARAMETER_SERVER and operation.kind == "ALL_REDUCE" and places == operation.ranks:
            hosts.append(first + len(self._shape.homes) + channel - 1)
            vectors.append(np.zeros_like(vectors[0]))
            collectives = [*collectives, collectives[0]]
        racks = len({self._shape.homes[place] for place in places})
        ends = [End(self._messages, rank, hosts, racks, call.number, channel) for rank in range(len(hosts))]
        steps = [each(end, vector) for each, end, vector in zip(collectives, ends, vectors, strict=True)]
        self.network.get_ready()
        self._messages.start(steps, ends, call.start)

    def _check(self) -> None:
        """Gives back the memory of what has arrived."""
        if self.network.events - self._checked >= CHECKED:
            self._checked = self.network.events
            for call in self._calls.values():
                for each in call.received:
                    each.check()
        self._look()


def _sending(content: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Collective:
    def steps(mesh: Mesh, vector: Vector) -> Steps:
        mesh.send(1, content)
        return vector
        yield

    return steps


def _receiving() -> Collective:
    def steps(mesh: Mesh, vector: Vector) -> Steps:
        yield 0
        return vector

    return steps
