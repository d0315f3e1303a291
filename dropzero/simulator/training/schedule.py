"""When each operation of a step begins and ends on each worker.

An operation begins when those before it are over and its processor is free; the one that could begin first goes first,
and of several the one with the lowest id. The collectives of a group follow each other, in the order in which its first
rank comes to them, and each begins when the last rank has come to it. A message is on its way from its send on; this is
over when the message has arrived, and so is the receive, but not before its rank has come to it. Groups and messages do
not wait for each other.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from dropzero.simulator.training.trace import RECEIVE, SEND, Node, Trace, TraceError


class Span(NamedTuple):
    """A node in time, nanoseconds."""

    node: Node
    begin: int
    end: int


class Operation(NamedTuple):
    """What ranks do together.

    Attributes:
        number: its own.
        kind: such as "ALL_REDUCE", or SEND for a message.
        size: bytes, on each rank.
        ranks: of the group; of a message, the source and the target.
        group: its name.
    """

    number: int
    kind: str
    size: int
    ranks: tuple[int, ...]
    group: str


class Over(NamedTuple):
    """A rank's part of an operation, over at a time in nanoseconds."""

    operation: Operation
    rank: int
    time: int


class Medium(Protocol):
    """What carries out operations."""

    def begin(self, operation: Operation, start: int) -> None:
        """Lets an operation begin at a time in nanoseconds, which may lie a little in the past."""

    def advance(self, until: int | None) -> Sequence[Over]:
        """Continues until some parts are over, and returns these; or none, if none is over by the time `until` in
        nanoseconds (None: at all)."""


def groups_of(traces: Sequence[Trace], known: Mapping[str, Sequence[int]] | None = None) -> dict[str, tuple[int, ...]]:
    """The ranks of each group, by name: those that `known` says, or whose traces have its collectives. The group
    without a name has all. Raises TraceError if a rank calls a group that it is not in, or a group has ranks that do
    not exist, or one twice."""
    found: dict[str, list[int]] = defaultdict(list)
    for rank, trace in enumerate(traces):
        for name in dict.fromkeys(node.group for node in trace.collectives):
            found[name].append(rank)
    result = {name: tuple(found[name] if name else range(len(traces))) for name in found}
    for name, ranks in (known or {}).items():
        if sorted({*ranks} & {*range(len(traces))}) != sorted(ranks):
            raise TraceError(f"the group {name} has other ranks than 0 to {len(traces) - 1}, or one twice")
        if others := {*found[name]} - {*ranks}:
            raise TraceError(f"rank {min(others)} calls the group {name}, but is not in it")
        result[name] = tuple(ranks)
    return {name: ranks for name, ranks in result.items() if found.get(name)}


def schedule(
    traces: Sequence[Trace], groups: Mapping[str, tuple[int, ...]], medium: Medium, begins: Sequence[int]
) -> list[list[Span]]:
    """Runs a step.

    Args:
        traces: by rank.
        groups: see `groups_of`.
        medium: carries out its operations.
        begins: when each rank begins, nanoseconds.

    Returns:
        The spans of each rank, as they end.

    Raises:
        TraceError: the collectives of a group's ranks differ, a message has no receiver or no sender, or nodes wait for
            each other in a circle.
    """
    return _Schedule(traces, groups, medium).run(begins)


class _Schedule:
    """A step on all workers."""

    def __init__(self, traces: Sequence[Trace], groups: Mapping[str, tuple[int, ...]], medium: Medium) -> None:
        self._workers = [_Worker(trace) for trace in traces]
        self._medium = medium
        self._events: list[tuple[int, int, int, int]] = []
        """Ends of nodes: time, rank, id, and when they began."""
        self._groups = {name: _Group(name, ranks, traces) for name, ranks in groups.items()}
        self._messages = _messages(traces)
        """By rank and id, of sends and of receives."""
        self._under_way: dict[int, _Group | _Message] = {}
        """By the number of the operation."""
        self._begun = 0
        """Operations so far."""

    def run(self, begins: Sequence[int]) -> list[list[Span]]:
        for rank, begin in enumerate(begins):
            self._workers[rank].start(begin)
            self._go(rank, begin)
        while True:
            over = self._medium.advance(self._events[0][0] if self._events else None)
            for each in over:
                self._end(each)
            if over:
                continue
            if not self._events:
                break
            time = self._events[0][0]
            ranks = set()
            while self._events and self._events[0][0] == time:
                _, rank, number, begin = heappop(self._events)
                self._workers[rank].end(number, begin, time)
                ranks.add(rank)
            for rank in sorted(ranks):
                self._go(rank, time)
        if stuck := [node for worker in self._workers for node in worker.unfinished]:
            node = next((node for node in stuck if node.collective is not None), stuck[0])
            raise TraceError(f"nodes wait for each other: node {node.id} ({node.name}) never begins")
        return [worker.spans for worker in self._workers]

    def _go(self, rank: int, time: int) -> None:
        """Begins what a rank can begin."""
        for end, number in self._workers[rank].go(time):
            heappush(self._events, (end, rank, number, time))
        for node in self._workers[rank].reached():
            if node.collective in (SEND, RECEIVE):
                message = self._messages[rank, node.id]
                message.reached[node.collective] = time
                if node.collective == SEND:
                    self._begin(message, "SEND", node.size, message.ranks, "", time)
                elif message.arrived is not None:
                    heappush(self._events, (time, rank, node.id, time))
            else:
                group = self._groups[node.group]
                group.reach(rank, node, time)
                self._try(group)

    def _try(self, group: _Group) -> None:
        """Begins a group's next collective if all its ranks have come to it."""
        if (start := group.ready()) is not None:
            node = group.nodes[0][group.running]
            self._begin(group, str(node.collective), node.size, group.ranks, group.name, start)

    def _begin(
        self, what: _Group | _Message, kind: str, size: int, ranks: tuple[int, ...], group: str, start: int
    ) -> None:
        operation = Operation(self._begun, kind, size, ranks, group)
        self._begun += 1
        self._under_way[operation.number] = what
        self._medium.begin(operation, start)

    def _end(self, over: Over) -> None:
        """Notes that a rank's part of an operation is over."""
        what = self._under_way[over.operation.number]
        if isinstance(what, _Group):
            place = what.ranks.index(over.rank)
            node = what.nodes[place][what.running]
            heappush(self._events, (over.time, over.rank, node.id, what.start))
            if what.end(over.time):
                self._try(what)
        elif what.arrived is None:
            what.arrived = over.time
            source, target = what.ranks
            heappush(self._events, (over.time, source, what.send.id, what.reached[SEND]))
            if RECEIVE in what.reached:
                heappush(self._events, (over.time, target, what.receive.id, what.reached[RECEIVE]))


class _Group:
    """A group's collectives.

    Attributes:
        nodes: of each rank, in order.
        running: the place of the one that is under way, and `start`, when it began.
    """

    def __init__(self, name: str, ranks: tuple[int, ...], traces: Sequence[Trace]) -> None:
        """Raises TraceError if the ranks' collectives differ."""
        self.name, self.ranks = name, ranks
        self.nodes = [[node for node in traces[rank].collectives if node.group == name] for rank in ranks]
        self.running, self.start = -1, 0
        first = [(node.collective, node.size) for node in self.nodes[0]]
        for rank, own in zip(ranks, self.nodes, strict=True):
            if [(node.collective, node.size) for node in own] != first:
                of = f" of the group {name}" if name else ""
                raise TraceError(f"rank {rank} has other collectives{of} than rank {ranks[0]}")
        self._places = [{node.id: place for place, node in enumerate(own)} for own in self.nodes]
        self._reached: dict[int, list[int]] = defaultdict(list)
        """When ranks have come to each collective, by its place."""
        self._order: deque[int] = deque()
        """The places of those that are next."""
        self._left = self._free = 0
        """Ranks whose part is not over, and when the last part was over."""

    def reach(self, rank: int, node: Node, time: int) -> None:
        """Notes that a rank has come to a collective."""
        number = self.ranks.index(rank)
        place = self._places[number][node.id]
        self._reached[place].append(time)
        if not number:
            self._order.append(place)

    def ready(self) -> int | None:
        """When the next collective begins, if it can."""
        if self._left or not self._order or len(self._reached[self._order[0]]) < len(self.ranks):
            return None
        self.running, self._left = self._order.popleft(), len(self.ranks)
        self.start = max(*self._reached.pop(self.running), self._free)
        return self.start

    def end(self, time: int) -> bool:
        """Notes that a rank's part is over. Returns whether all are."""
        self._left -= 1
        self._free = max(self._free, time)
        return not self._left


class _Message:
    """A send and its receive. reached: when their ranks have come to them. arrived: when the message has arrived."""

    def __init__(self, source: int, target: int, send: Node, receive: Node) -> None:
        self.ranks, self.send, self.receive = (source, target), send, receive
        self.reached: dict[str, int] = {}
        self.arrived: int | None = None


def _messages(traces: Sequence[Trace]) -> dict[tuple[int, int], _Message]:
    """The messages of each rank's sends and receives, by rank and id. Those between two ranks with the same tag belong
    together in the order of their ids. Raises TraceError."""
    nodes: dict[tuple[int, int, int], dict[str, list[Node]]] = defaultdict(lambda: {SEND: [], RECEIVE: []})
    for rank, trace in enumerate(traces):
        for node in sorted(trace.nodes, key=lambda node: node.id):
            if node.collective in (SEND, RECEIVE):
                if node.peer not in range(len(traces)):
                    raise TraceError(f"node {node.id} ({node.name}) of rank {rank}: there is no rank {node.peer}")
                ends = (rank, node.peer) if node.collective == SEND else (node.peer, rank)
                nodes[(*ends, node.tag)][node.collective].append(node)
    result: dict[tuple[int, int], _Message] = {}
    for (source, target, tag), each in nodes.items():
        if (sends := len(each[SEND])) != (receives := len(each[RECEIVE])):
            raise TraceError(
                f"rank {source} sends {sends} messages with tag {tag} to rank {target}, which receives {receives}"
            )
        for send, receive in zip(each[SEND], each[RECEIVE], strict=True):
            result[source, send.id] = result[target, receive.id] = _Message(source, target, send, receive)
    return result


class _Worker:
    """One worker's operations. spans: of the nodes that are over."""

    def __init__(self, trace: Trace) -> None:
        self.spans: list[Span] = []
        self._trace = trace
        self._left = {node.id: len(node.after) + len(node.with_begin_of) for node in trace.nodes}
        self._following: dict[int, list[int]] = defaultdict(list)
        self._beginning: dict[int, list[int]] = defaultdict(list)
        """The nodes that wait for each one's end, and for its begin."""
        self._waiting: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Each processor's nodes that may begin: from when on, and their ids."""
        self._busy: set[str] = set()
        self._reached: list[int] = []
        """Ids of nodes that communicate, and may begin now."""
        for node in trace.nodes:
            for each in node.after:
                self._following[each].append(node.id)
            for each in node.with_begin_of:
                self._beginning[each].append(node.id)

    @property
    def unfinished(self) -> list[Node]:
        """The nodes that are not over."""
        over = {span.node.id for span in self.spans}
        return [node for node in self._trace.nodes if node.id not in over]

    def start(self, time: int) -> None:
        """Begins the step."""
        for node in self._trace.nodes:
            if not (node.after or node.with_begin_of):
                self._offer(node, time)

    def end(self, number: int, begin: int, time: int) -> None:
        """Notes that a node is over."""
        node = self._trace.by_id[number]
        self.spans.append(Span(node, begin, time))
        if node.collective is None:
            self._busy.discard(node.processor)
        self._release(self._following[number], time)

    def go(self, time: int) -> Iterator[tuple[int, int]]:
        """Begins nodes on the processors that are free; yields when each ends, and its id."""
        while free := [name for name, waiting in self._waiting.items() if waiting and name not in self._busy]:
            for processor in free:
                _, number = heappop(self._waiting[processor])
                self._busy.add(processor)
                self._release(self._beginning[number], time)
                yield time + self._trace.by_id[number].duration, number

    def _release(self, numbers: Sequence[int], time: int) -> None:
        """Tells nodes that one of those that they wait for is over, or has begun."""
        for each in numbers:
            self._left[each] -= 1
            if not self._left[each]:
                self._offer(self._trace.by_id[each], time)

    def reached(self) -> list[Node]:
        """The nodes that communicate to which this worker has come since the last time, in the order of their ids."""
        numbers, self._reached = sorted(self._reached), []
        return [self._trace.by_id[number] for number in numbers]

    def _offer(self, node: Node, time: int) -> None:
        """Lets a node begin from a time on."""
        if node.collective is not None:
            self._reached.append(node.id)
            self._release(self._beginning[node.id], time)
        else:
            heappush(self._waiting[node.processor], (time, node.id))
