"""Links: the queue in front of each, and what happens to packets between two nodes. All times are integers, in
nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.native.compilation import compiled
from dropzero.simulator.kernel.events import copied, forget, plan
from dropzero.simulator.kernel.state import NONE, State
from dropzero.softswitch.engine.wire import after_compiled

_IP = 30
"""The offset of a packet's destination address."""


@dataclass(frozen=True)
class Quality:
    """What links have in common, in each direction.

    Attributes:
        rate: bits a second.
        delay: of propagation, nanoseconds.
        loss, duplicate, reorder: the probabilities that a packet is lost, arrives twice, or is not delayed, so that it
            overtakes others.
    """

    rate: int
    delay: int = 0
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0


@compiled
def enter(state: State, number: int, time: int, length: int) -> int:
    """Puts a packet of `length` bytes, as expected, into a link's queue. Returns how many were there before it; NONE:
    the queue is full.

    The rules are those of the embedded switch's own queues: the packets of a batch enter before any of them leaves.
    clock.batches is the batch's number; link.begins becomes the time at which the packet leaves the queue.
    """
    link, ring = state.links[number], state.queues[number]
    if link.batch != state.clock[0].batches:
        link.batch = state.clock[0].batches
        link.entered = 0
        link.expected, link.expected_rest = link.free, link.rest
    depth = state.settings[0].depth
    while link.count > link.entered and ring[link.first] <= time:
        link.first = (link.first + 1) % depth
        link.count -= 1
    before = link.count
    if before >= depth:
        link.dropped += 1
        return NONE
    link.deepest = max(link.deepest, before + 1)
    link.count += 1
    link.entered += 1
    link.begins = max(time, link.expected)
    ring[(link.first + before) % depth] = link.begins
    link.expected, link.expected_rest = after_compiled(link.expected, link.expected_rest, time, length, link.rate)
    return int(before)


@compiled
def send(state: State, number: int, begins: int, length: int) -> int:
    """Sends a packet of `length` bytes that may leave the queue at `begins`. Returns when its last bit leaves."""
    link = state.links[number]
    link.free, link.rest = after_compiled(link.free, link.rest, begins, length, link.rate)
    return int(link.free)


@compiled
def carry(state: State, number: int, sent: int, packet: int) -> None:
    """Plans the arrivals of a packet whose last bit was sent at `sent`: none, one or two."""
    link = state.links[number]
    link.packets += 1
    link.bytes += state.lengths[packet]
    arrival = sent + link.delay
    if link.loss and _draw(state) < link.loss:
        link.lost += 1
        forget(state, packet)
        return
    if link.reorder and _draw(state) < link.reorder:
        arrival = sent
    node = int(link.node) if link.node != NONE else _addressee(state, packet)
    plan(state, arrival, node, int(link.port), packet)
    if link.duplicate and _draw(state) < link.duplicate:
        plan(state, arrival, node, int(link.port), copied(state, packet))


@compiled
def _addressee(state: State, packet: int) -> int:
    """The node that a packet is addressed to: hosts have the addresses 10.0.0.1 and up, in order."""
    row = state.frames[packet]
    return len(state.switches) + (int(row[_IP + 1]) << 16 | int(row[_IP + 2]) << 8 | int(row[_IP + 3])) - 1


@compiled
def _draw(state: State) -> float:
    """The next random number."""
    clock = state.clock[0]
    clock.drawn += 1
    return float(state.luck[clock.drawn - 1])
