"""When each operation of a step begins and ends on each worker.

An operation begins when those before it are over and its processor is free; the one that could begin first goes first,
and of several the one with the lowest id. Collectives have a processor of their own, on all workers together: they
follow each other, in the order in which rank 0 comes to them, and each begins when the last worker has come to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from dropzero.simulator.training.trace import Node, Trace, TraceError

Communicate = Callable[[Node, int], Sequence[int]]
"""Makes a collective that begins at a time, in nanoseconds. Returns when it is over, by rank."""


class Span(NamedTuple):
    """A node in time, nanoseconds."""

    node: Node
    begin: int
    end: int


def schedule(traces: Sequence[Trace], communicate: Communicate, begins: Sequence[int]) -> list[list[Span]]:
    """Runs a step.

    Args:
        traces: by rank.
        communicate: makes its collectives, in order.
        begins: when each rank begins, nanoseconds.

    Returns:
        The spans of each rank, as they end.

    Raises:
        TraceError: the ranks' collectives differ, or nodes wait for each other in a circle.
    """
    _check(traces)
    workers = [_Worker(trace, begin) for trace, begin in zip(traces, begins, strict=True)]
    free = [0] * len(workers)
    for _ in traces[0].collectives:
        number = workers[0].reach(range(len(traces[0].collectives)))
        for worker in workers[1:]:
            worker.reach([number])
        start = max(max(worker.reached[number] for worker in workers), *free)
        free = list(communicate(traces[0].collectives[number], start))
        for worker, end in zip(workers, free, strict=True):
            worker.finish(number, start, end)
    for worker in workers:
        worker.end()
    return [worker.spans for worker in workers]


def _check(traces: Sequence[Trace]) -> None:
    first = [(node.collective, node.size) for node in traces[0].collectives]
    for rank, trace in enumerate(traces):
        if [(node.collective, node.size) for node in trace.collectives] != first:
            raise TraceError(f"rank {rank} has other collectives than rank 0")


class _Worker:
    """One worker's operations.

    Attributes:
        reached: when each collective that has not been made could begin here, by its place among them.
        spans: the nodes that are over.
    """

    def __init__(self, trace: Trace, begin: int) -> None:
        self.reached: dict[int, int] = {}
        self.spans: list[Span] = []
        self._trace = trace
        self._places = {node.id: place for place, node in enumerate(trace.collectives)}
        self._left = {node.id: len(node.after) for node in trace.nodes}
        self._following: dict[int, list[int]] = defaultdict(list)
        self._waiting: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Each processor's nodes that may begin: from when on, and their ids."""
        self._busy: set[str] = set()
        self._events: list[tuple[int, int, int]] = []
        """Ends of nodes: time, id, and when they began."""
        for node in trace.nodes:
            for each in node.after:
                self._following[each].append(node.id)
        for node in trace.nodes:
            if not node.after:
                self._offer(node, begin)
        self._go(begin)

    def reach(self, wanted: Sequence[int]) -> int:
        """Continues until one of the wanted collectives can begin. Returns the one that could first. Raises TraceError
        if none ever can."""
        while not (found := [place for place in wanted if place in self.reached]):
            if not self._events:
                node = self._trace.collectives[wanted[0]]
                raise TraceError(f"nodes wait for each other: node {node.id} ({node.name}) never begins")
            self._step()
        return min(found, key=lambda place: (self.reached[place], self._trace.collectives[place].id))

    def finish(self, place: int, begin: int, end: int) -> None:
        """Notes when a collective is over."""
        del self.reached[place]
        heappush(self._events, (end, self._trace.collectives[place].id, begin))

    def end(self) -> None:
        """Goes on until all nodes are over. Raises TraceError if some never begin."""
        while self._events:
            self._step()
        if len(self.spans) < len(self._trace.nodes):
            name = next(node.name for node in self._trace.nodes if self._left[node.id])
            raise TraceError(f"nodes wait for each other: {name} never begins")

    def _step(self) -> None:
        """Ends the nodes that are over next, at the same time, and begins others."""
        time = self._events[0][0]
        while self._events and self._events[0][0] == time:
            _, number, begin = heappop(self._events)
            node = self._trace.by_id[number]
            self.spans.append(Span(node, begin, time))
            if node.collective is None:
                self._busy.discard(node.processor)
            for each in self._following[number]:
                self._left[each] -= 1
                if not self._left[each]:
                    self._offer(self._trace.by_id[each], time)
        self._go(time)

    def _offer(self, node: Node, time: int) -> None:
        """Lets a node begin from a time on."""
        if node.collective is not None:
            self.reached[self._places[node.id]] = time
        else:
            heappush(self._waiting[node.processor], (time, node.id))

    def _go(self, time: int) -> None:
        """Begins nodes on the processors that are free."""
        for processor, waiting in self._waiting.items():
            if waiting and processor not in self._busy:
                _, number = heappop(waiting)
                self._busy.add(processor)
                heappush(self._events, (time + self._trace.by_id[number].duration, number, time))
