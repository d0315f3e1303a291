"""Messages between the hosts of a network in virtual time."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.simulator.collectives.schemes import Bytes, Steps, Vector
from dropzero.simulator.kernel.state import NONE, SEGMENT_BYTES, WINDOW
from dropzero.simulator.kernel.streams import OPENING, begin
from dropzero.simulator.network import Network

PORT = 7000
"""UDP's, of all hosts."""
LIMIT = 600.0
"""Seconds of virtual time."""


@dataclass(frozen=True)
class End:
    """A mesh's end at one host. hosts: their numbers in the network, by rank."""

    messages: Messages
    rank: int
    hosts: Sequence[int]
    racks: int

    @property
    def size(self) -> int:
        return len(self.hosts)

    def send(self, peer: int, content: NDArray[np.generic]) -> None:
        self.messages.send(self.hosts[self.rank], self.hosts[peer], content.reshape(-1).view(np.uint8))

    def flush(self) -> None:
        """`send` has made a copy."""


class Messages:
    """The streams between the hosts of a network whose lanes are idle, and the programs that use them. Raises
    ValueError if there are too many hosts."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._streams: dict[tuple[int, int], int] = {}
        """Their numbers, by source and target."""
        self._hosts: list[tuple[int, int]] = []
        """Source and target, by stream."""
        self._last: list[int] = []
        """The latest message of each stream."""
        self._rows: list[int] = []
        """Rows of State.messages that are free."""
        self._held: dict[int, deque[tuple[int, Bytes, Bytes]]] = defaultdict(deque)
        """Each stream's messages that it may still send: row, content and copy."""
        self._unread: dict[tuple[int, int], deque[Bytes]] = defaultdict(deque)
        """Messages that have arrived, by target and source."""
        self._steps: Sequence[Steps] = []
        self._ends: Sequence[End] = []
        self._awaited: dict[int, int] = {}
        """The host whose message each host waits for."""
        self._results: dict[int, Vector] = {}
        """The hosts' results, as far as they are done."""
        self._touched: set[int] = set()
        """Streams that were given messages and have not been told yet."""
        for switch in network.switches:
            network.forward(switch)

    def run(self, steps: Sequence[Steps], ends: Sequence[End], look: Callable[[], Any]) -> list[Vector]:
        """Runs the part of each host, all from now on. Returns their results. Raises SimulationError if they are not
        over after LIMIT."""
        network = self._network
        network.get_ready()
        network.state.hosts["finished"], network.state.clock["over"] = NONE, 0
        self._steps, self._ends, self._results = steps, ends, {}
        for host in range(len(steps)):
            self._resume(host, None)
        self._begin()
        network.go_on(LIMIT, look, self._deliver)
        return [self._results[host] for host in range(len(steps))]

    def send(self, source: int, target: int, content: Bytes) -> None:
        """Sends a message, once all hosts that can continue now have done so."""
        stream = self._streams.get((source, target))
        if stream is None:
            stream = self._open(source, target)
        kept = content.copy(), np.empty_like(content)
        row = self._row()
        state = self._network.state
        record = state.streams[stream]
        first = int(record["given"])
        end = record["given"] = first + max(1, -(-len(content) // SEGMENT_BYTES))
        addresses = [each.ctypes.data for each in kept]
        state.messages[row] = (stream, NONE, first, end, len(content), *addresses, NONE)
        if record["kept"] == NONE:
            record["kept"] = row
        else:
            state.messages["following"][self._last[stream]] = row
        if record["coming"] == NONE:
            record["coming"] = row
        self._last[stream] = row
        self._held[stream].append((row, *kept))
        self._touched.add(stream)

    def _deliver(self) -> None:
        """Gives the messages that have arrived to those who wait for them."""
        state = self._network.state
        rows = []
        row = int(state.clock["delivered"][0])
        while row != NONE:
            rows.append(row)
            row = int(state.messages["before"][row])
        state.clock["delivered"] = NONE
        ready = {}
        streams = state.messages["stream"][rows].tolist()
        for row, stream in zip(reversed(rows), reversed(streams), strict=True):
            source, target = self._hosts[stream]
            self._unread[target, source].append(next(copy for each, _, copy in self._held[stream] if each == row))
            if self._awaited.get(target) == source:
                ready[target] = source
        for stream, base in zip(streams, state.streams["base"][streams].tolist(), strict=True):
            held = self._held[stream]
            while held and state.messages["end"][held[0][0]] <= base:
                self._rows.append(held.popleft()[0])
        for target, source in ready.items():
            del self._awaited[target]
            self._resume(target, self._unread[target, source].popleft())
        self._begin()

    def _resume(self, host: int, message: Bytes | None) -> None:
        """Lets a host continue until it has to wait, or is done."""
        steps, hosts = self._steps[host], self._ends[host].hosts
        try:
            while True:
                peer = hosts[next(steps) if message is None else steps.send(message)]
                if not self._unread[host, peer]:
                    self._awaited[host] = peer
                    return
                message = self._unread[host, peer].popleft()
        except StopIteration as done:
            self._results[host] = done.value
            state = self._network.state
            state.hosts["finished"][host] = max(self._network.time, int(state.hosts["busy"][host]))
            state.clock["over"] += 1

    def _begin(self) -> None:
        """Lets hosts send what they were told to."""
        self._network.make_room()
        state = self._network.state
        streams = np.array(sorted(self._touched), np.int64)
        self._touched.clear()
        begin(state, streams, np.unique(state.streams["source"][streams]).astype(np.int64))

    def _row(self) -> int:
        """A free row of State.messages."""
        if not self._rows:
            messages = self._network.state.messages
            more = max(1024, len(messages))
            self._rows = list(range(len(messages), len(messages) + more))
            grown = np.concatenate([messages, np.zeros(more, messages.dtype)])
            self._network.state = self._network.state._replace(messages=grown)
        return self._rows.pop()

    def _open(self, source: int, target: int) -> int:
        """A new stream."""
        number = self._streams[source, target] = len(self._streams)
        self._hosts.append((source, target))
        self._last.append(NONE)
        network = self._network
        if number == len(network.state.streams):
            streams = network.state.streams
            more = np.zeros(max(64, number), streams.dtype)
            more["kept"] = more["coming"] = NONE
            more["window"], more["threshold"], more["share"] = OPENING, WINDOW, 1.0
            network.state = network.state._replace(streams=np.concatenate([streams, more]))
        record = network.state.streams[number]
        record["source"], record["target"] = source, target
        record["outer"] = self._outer(source, target)
        record["answer_outer"] = self._outer(target, source, ecn=0)
        return number

    def _outer(self, source: int, target: int, **ecn: int) -> NDArray[np.uint8]:
        headers = self._network.outer(source, target, **ecn)
        headers[:6] = np.frombuffer(self._network.addresses[target].to_bytes(6, "big"), np.uint8)
        headers[34:38] = np.frombuffer(2 * PORT.to_bytes(2, "big"), np.uint8)
        return headers
