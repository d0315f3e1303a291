"""Messages between the hosts of a network in virtual time."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
    """A mesh's end at one host. hosts: their numbers in the network, by rank. tag: of its messages. channel: whose
    streams they use."""

    messages: Messages
    rank: int
    hosts: Sequence[int]
    racks: int = 1
    tag: int = 0
    channel: int = 0

    @property
    def size(self) -> int:
        return len(self.hosts)

    @property
    def host(self) -> int:
        return self.hosts[self.rank]

    def send(self, peer: int, content: NDArray[np.generic]) -> None:
        self.messages.send(self, self.hosts[peer], content.reshape(-1).view(np.uint8))

    def flush(self) -> None:
        """`send` has made a copy."""


class Done(NamedTuple):
    """A host's part of a program that is over: at its end, at a time in nanoseconds, with a result."""

    end: End
    time: int
    result: Vector


class Messages:
    """The streams between the hosts of a network that have no lanes, or whose lanes are idle, and the programs that use
    them. Raises ValueError if there are too many hosts.

    Attributes:
        done: the parts of programs that are over.
    """

    def __init__(self, network: Network) -> None:
        self.done: list[Done] = []
        self._network = network
        self._streams: dict[tuple[int, int, int], int] = {}
        """Their numbers, by source, target and channel."""
        self._hosts: list[tuple[int, int]] = []
        """Source and target, by stream."""
        self._last: list[int] = []
        """The latest message of each stream."""
        self._rows: list[int] = []
        """Rows of State.messages that are free."""
        self._held: dict[int, deque[tuple[int, int, Bytes, Bytes]]] = defaultdict(deque)
        """Each stream's messages that it may still send: row, tag, content and copy."""
        self._unread: dict[tuple[int, int, int], deque[Bytes]] = defaultdict(deque)
        """Messages that have arrived, by target, source and tag."""
        self._awaited: dict[tuple[int, int, int], tuple[Steps, End]] = {}
        """The parts that wait for a message, by target, source and tag."""
        self._touched: set[int] = set()
        """Streams that were given messages and have not been told yet."""
        for switch in network.switches:
            network.forward(switch)

    def run(self, steps: Sequence[Steps], ends: Sequence[End], look: Callable[[], Any]) -> list[Vector]:
        """Runs the part of each host of the network, all from now on. Returns their results. Raises SimulationError if
        they are not over after LIMIT."""
        network = self._network
        network.get_ready()
        network.state.hosts["lanes"] = 0
        network.state.hosts["finished"], network.state.clock["over"] = NONE, 0
        self.start(steps, ends, network.time)
        network.go_on(LIMIT, look, self.deliver)
        done, self.done = self.done, []
        results = {end.host: result for end, _, result in done}
        return [results[host] for host in range(len(steps))]

    def start(self, steps: Sequence[Steps], ends: Sequence[End], time: int) -> None:
        """Starts the parts of a program, which has a tag of its own, at a time in nanoseconds."""
        for own, end in zip(steps, ends, strict=True):
            self._resume(own, end, None, time)
        self._begin(time)

    def send(self, end: End, target: int, content: Bytes) -> None:
        """Sends a message, once all hosts that can continue now have done so."""
        key = end.host, target, end.channel
        stream = self._streams.get(key)
        if stream is None:
            stream = self._open(key)
        kept = content.copy(), np.empty_like(content)
        row = self._row()
        state = self._network.state
        record = state.streams[stream]
        first = int(record["given"])
        last = record["given"] = first + max(1, -(-len(content) // SEGMENT_BYTES))
        addresses = [each.ctypes.data for each in kept]
        state.messages[row] = (stream, NONE, first, last, len(content), *addresses, NONE)
        if record["kept"] == NONE:
            record["kept"] = row
        else:
            state.messages["following"][self._last[stream]] = row
        if record["coming"] == NONE:
            record["coming"] = row
        self._last[stream] = row
        self._held[stream].append((row, end.tag, *kept))
        self._touched.add(stream)

    def deliver(self) -> None:
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
            tag, copy = next((tag, copy) for each, tag, _, copy in self._held[stream] if each == row)
            self._unread[target, source, tag].append(copy)
            if (target, source, tag) in self._awaited:
                ready[target, source, tag] = True
        for stream, base in zip(streams, state.streams["base"][streams].tolist(), strict=True):
            held = self._held[stream]
            while held and state.messages["end"][held[0][0]] <= base:
                self._rows.append(held.popleft()[0])
        for key in ready:
            self._resume(*self._awaited.pop(key), self._taken(key), self._network.time)
        self._begin(self._network.time)

    def _taken(self, key: tuple[int, int, int]) -> Bytes:
        """The next message to a host from another one with a tag."""
        unread = self._unread[key]
        message = unread.popleft()
        if not unread:
            del self._unread[key]
        return message

    def _resume(self, steps: Steps, end: End, message: Bytes | None, time: int) -> None:
        """Lets a part continue until it has to wait, or is over."""
        state = self._network.state
        try:
            while True:
                peer = next(steps) if message is None else steps.send(message)
                key = end.host, end.hosts[peer], end.tag
                if key not in self._unread:
                    self._awaited[key] = steps, end
                    return
                message = self._taken(key)
        except StopIteration as over:
            time = max(time, int(state.hosts["busy"][end.host]))
            state.hosts["finished"][end.host] = time
            state.clock["over"] += 1
            self.done.append(Done(end, time, over.value))

    def _begin(self, time: int) -> None:
        """Lets hosts send what they were told to."""
        self._network.make_room()
        state = self._network.state
        streams = np.array(sorted(self._touched), np.int64)
        self._touched.clear()
        begin(state, streams, np.unique(state.streams["source"][streams]).astype(np.int64), time)

    def _row(self) -> int:
        """A free row of State.messages."""
        if not self._rows:
            messages = self._network.state.messages
            more = max(1024, len(messages))
            self._rows = list(range(len(messages), len(messages) + more))
            grown = np.concatenate([messages, np.zeros(more, messages.dtype)])
            self._network.state = self._network.state._replace(messages=grown)
        return self._rows.pop()

    def _open(self, key: tuple[int, int, int]) -> int:
        """A new stream."""
        source, target, channel = key
        number = self._streams[key] = len(self._streams)
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
        record["outer"] = self._outer(source, target, channel)
        record["answer_outer"] = self._outer(target, source, channel, ecn=0)
        return number

    def _outer(self, source: int, target: int, channel: int, **ecn: int) -> NDArray[np.uint8]:
        headers = self._network.outer(source, target, **ecn)
        station = self._network.station(source, target, channel)
        headers[:6] = np.frombuffer(station.to_bytes(6, "big"), np.uint8)
        headers[34:38] = np.frombuffer(2 * PORT.to_bytes(2, "big"), np.uint8)
        return headers
